"""Records of the models: one a module, all by the name that they have on the command line."""

from __future__ import annotations

from collections.abc import Mapping

from hermite_analytics.numeric.models.bounds import BOUNDS
from hermite_analytics.numeric.models.deterministic_equivalent import DETERMINISTIC_EQUIVALENT, SCALING_LAW
from hermite_analytics.numeric.models.dmft import DMFT
from hermite_analytics.numeric.models.giant_step import GIANT_STEP
from hermite_analytics.numeric.models.random_features import RANDOM_FEATURES
from hermite_analytics.numeric.models.record import ModelRecord
from hermite_analytics.numeric.models.sgd_flow import SGD_FLOW
from hermite_analytics.numeric.models.small_step import LARGE_STEP, SMALL_STEP
from hermite_analytics.numeric.models.spectrum import SPECTRUM
from hermite_analytics.numeric.models.spiked_random_features import SPIKED_RANDOM_FEATURES
from hermite_analytics.numeric.models.state_evolution import STATE_EVOLUTION
from hermite_analytics.numeric.models.three_layer import THREE_LAYER

__all__ = ["MODELS"]

_ALL = (
    GIANT_STEP,
    SPIKED_RANDOM_FEATURES,
    BOUNDS,
    SPECTRUM,
    RANDOM_FEATURES,
    SMALL_STEP,
    LARGE_STEP,
    DETERMINISTIC_EQUIVALENT,
    SGD_FLOW,
    DMFT,
    THREE_LAYER,
    SCALING_LAW,
    STATE_EVOLUTION,
)
MODELS: Mapping[str, ModelRecord] = {record.name: record for record in _ALL}
"""In the order of the command line's help."""
