"""The record of the protocol `random-features`."""

from __future__ import annotations

from hermite_analytics.numeric.models.record import Record, Result
from hermite_analytics.numeric.models.shared import FLIPS
from hermite_analytics.numeric.protocols.network import MEASURES, TEST, TRAIN, mean
from hermite_analytics.numeric.protocols.shared import ACTIVATION, FEATURES, LOSS, READOUT, RUN, TARGET

__all__ = ["RANDOM_FEATURES"]

RANDOM_FEATURES = Record(
    name="random-features",
    summary="Random features with any loss that has a name.",
    help="Features sigma(w.x) with w ~ N(0, I/d), and a readout trained by a convex loss.",
    factory="protocols.random_features.protocol:RandomFeaturesProtocol",
    parameters=(
        ACTIVATION,
        TARGET,
        *RUN,
        *READOUT,
        LOSS,
        FLIPS,
        FEATURES,
    ),
    results=(
        TEST,
        TRAIN,
        *MEASURES,
        Result(
            name="overlaps",
            shape=tuple(mean(name) for name in ("intercept", "M", "Q", "psi", "q1", "q2")),
            always=False,
        ),
    ),
)
