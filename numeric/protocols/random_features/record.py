"""The record of the protocol `random-features`."""

from __future__ import annotations

from dataclasses import replace

from hermite_analytics.losses.registry import FORMS
from hermite_analytics.numeric.models.record import Record, Result
from hermite_analytics.numeric.models.shared import FLIPS, LOSS
from hermite_analytics.numeric.protocols.network import MEASURES, TEST, TRAIN, mean
from hermite_analytics.numeric.protocols.shared import ACTIVATION, FEATURES, READOUT, RUN, TARGET

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
        replace(
            LOSS, help=f"{FORMS}, each of a comma list; all but square with the penalty (lambda/2) |a|^2"
        ),
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
