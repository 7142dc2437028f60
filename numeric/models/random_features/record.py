"""The record of `RandomFeatures`."""

from __future__ import annotations

from hermite_analytics.numeric.models.parameter import Kind, Parameter
from hermite_analytics.numeric.models.record import STATUSES, ModelRecord, Result, statistics
from hermite_analytics.numeric.models.shared import (
    ACTIVATION,
    ALPHA,
    ALTERNATIVES,
    BEST_RIDGE,
    BETA,
    CALIBRATION,
    ERRORS,
    FLIPS,
    LOSS,
    NOISE,
    TARGET,
)
from hermite_analytics.numeric.status import Status

__all__ = ["RANDOM_FEATURES"]

_OVERLAPS = ("intercept", "M", "Q", "V", "psi", "q1", "q2", "V1", "V2")

RANDOM_FEATURES = ModelRecord(
    name="random-features",
    summary="Any convex loss on random features.",
    help="Test error, training error and overlaps of a readout of random features.",
    factory="models.random_features.model:RandomFeatures",
    parameters=(
        ACTIVATION,
        TARGET,
        ALPHA,
        BETA,
        BEST_RIDGE,
        NOISE,
        LOSS,
        Parameter(
            name="degree",
            help="k of n, p ~ d^k; alpha and beta are then over the number of harmonics of degree k",
            kind=Kind.INTEGER,
            to="model",
            default=1,
            is_filled=True,
        ),
        FLIPS,
    ),
    results=(
        *ERRORS,
        CALIBRATION,
        Result(name="linear_floor", help="test error of the best affine predictor"),
        Result(name="overlaps", shape=tuple(Result(name=overlap) for overlap in _OVERLAPS)),
        ALTERNATIVES,
        *statistics(statuses=(*STATUSES, Status.AT_BORDER)),
    ),
    sources="arXiv 1908.05355",
    drawn=("test_error", "train_error"),
)
