"""Records of the protocols of the simulator, by the names that they have on the command line."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from hermite_analytics.numeric.models.record import Record
from hermite_analytics.numeric.protocols.descent import FULL_BATCH, REUSE, SGD
from hermite_analytics.numeric.protocols.estimation import AMP, SPECTRAL, THREE_LAYER
from hermite_analytics.numeric.protocols.network import (
    GIANT_STEP,
    RANDOM_FEATURES,
    SMALL_STEP,
    SPIKED_RANDOM_FEATURES,
)

__all__ = ["PROTOCOLS"]

_ALL = (
    GIANT_STEP,
    SPIKED_RANDOM_FEATURES,
    SGD,
    REUSE,
    FULL_BATCH,
    AMP,
    SPECTRAL,
    THREE_LAYER,
    RANDOM_FEATURES,
    SMALL_STEP,
)
PROTOCOLS: Mapping[str, Record] = MappingProxyType({record.name: record for record in _ALL})
"""In the order of the command line's help."""
