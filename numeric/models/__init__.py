"""The models, one folder each: its record, its equations, its solve. A folder that is there is found."""

from __future__ import annotations

from collections.abc import Mapping

from hermite_analytics.foundation.folders import records_in
from hermite_analytics.numeric.models.record import ModelRecord

__all__ = ["MODELS"]

MODELS: Mapping[str, ModelRecord] = records_in(__name__, __path__, ModelRecord)
"""Their records by the names that they have on the command line, in the order of its help."""
