"""The record of the protocol `spiked-random-features`."""

from __future__ import annotations

from dataclasses import replace

from hermite_analytics.numeric.models.record import Record, Result
from hermite_analytics.numeric.models.shared import FLIPS
from hermite_analytics.numeric.protocols.network import MEASURES, TEST, TRAIN, mean
from hermite_analytics.numeric.protocols.shared import (
    ACTIVATION,
    BIAS,
    LETTERS,
    LOSS,
    READOUT,
    RUN,
    TARGET,
    swept,
)

__all__ = ["SPIKED_RANDOM_FEATURES"]

SPIKED_RANDOM_FEATURES = Record(
    name="spiked-random-features",
    summary="Random features with a given spike.",
    help="A readout, by any convex loss, of features sigma(w_k.x + r omega_k v.x + b_k).",
    factory="protocols.spiked_random_features.protocol:SpikedRandomFeaturesProtocol",
    reading="models.spiked.vocabulary:of_network",
    parameters=(
        ACTIVATION,
        TARGET,
        *RUN,
        *READOUT,
        LOSS,
        swept("r", "Strength of the spike", required=True),
        swept("c", "Squared norm of a bulk row", required=True),
        swept("gamma", "Overlap of spike and target", required=True),
        replace(LETTERS, help="Values omega of the neurons with their fractions"),
        BIAS,
        FLIPS,
    ),
    results=(
        TEST,
        TRAIN,
        *MEASURES,
        Result(name="overlaps", shape=tuple(mean(name) for name in ("m", "zeta", "psi", "q1", "q2"))),
    ),
)
