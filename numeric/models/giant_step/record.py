"""The record of `GiantStep`."""

from __future__ import annotations

from hermite_analytics.foundation.shapes import Numbers
from hermite_analytics.numeric.models.record import ModelRecord, Result, statistics
from hermite_analytics.numeric.models.shared import (
    ACTIVATION,
    ALPHA0,
    BETA,
    CONVENTION,
    ETA,
    NOISE,
    TARGET,
)

__all__ = ["GIANT_STEP"]

GIANT_STEP = ModelRecord(
    name="giant-step",
    summary="(alpha0, eta, beta) to (r, c, gamma).",
    help="Spike strength r, bulk c and overlap gamma after one gradient step of order d.",
    factory="models.giant_step.model:GiantStep",
    parameters=(
        ACTIVATION,
        TARGET,
        ALPHA0,
        ETA,
        BETA,
        NOISE,
        CONVENTION,
    ),
    results=(
        Result(name="r", symbol="r", help="strength of the spike"),
        Result(name="c", symbol="c", help="squared norm of a bulk row", shape=Numbers),
        Result(name="gamma", symbol="γ", help="overlap of spike and target"),
        Result(name="c_spike", help="d Var of a bulk row along the spike"),
        Result(name="c_target", help="d Var of a bulk row along the target"),
        *statistics(numerical_error=False),
    ),
    sources="arXiv 2402.04980, Result 3.1, eqs (8)-(12)",
    drawn=("r", "gamma"),
    python_only=("letters",),
)
