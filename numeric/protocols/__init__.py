"""The protocols of the simulator, one folder each: its record, and what runs it. A folder is found."""

from __future__ import annotations

from collections.abc import Mapping

from hermite_analytics.foundation.folders import records_in
from hermite_analytics.numeric.models.record import Record

__all__ = ["PROTOCOLS"]

PROTOCOLS: Mapping[str, Record] = records_in(__name__, __path__, Record)
"""Their records by the names that they have on the command line, in the order of its help."""
