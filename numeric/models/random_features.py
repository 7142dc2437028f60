"""The record of `RandomFeatures`."""

from __future__ import annotations

from hermite_analytics.numeric.losses.registry import FORMS
from hermite_analytics.numeric.models.record import Kind, ModelRecord, Parameter, Result, statistics
from hermite_analytics.numeric.models.shared import ACTIVATION, ALPHA, BETA, NOISE, RIDGE, TARGET

__all__ = ["RANDOM_FEATURES"]

_OVERLAPS = ("intercept", "M", "Q", "V", "psi", "q1", "q2", "V1", "V2")

RANDOM_FEATURES = ModelRecord(
    name="random-features",
    summary="Any convex loss on random features.",
    help="Test error, training error and overlaps of a readout of random features.",
    factory="random_features.model:RandomFeatures",
    parameters=(
        ACTIVATION,
        TARGET,
        ALPHA,
        BETA,
        RIDGE,
        NOISE,
        Parameter(
            name="loss",
            help=f'{FORMS}, or a convex function of y and x such as "log(cosh(y - x))"',
            kind=Kind.WORDS,
            to="model",
            default="square",
            is_filled=True,
        ),
        Parameter(
            name="degree",
            help="k of n, p ~ d^k; alpha and beta are then over the number of harmonics of degree k",
            kind=Kind.INTEGER,
            to="model",
            default=1,
            is_filled=True,
        ),
    ),
    results=(
        Result(name="test_error", help="E (E[y|x] - yhat)^2, noise excluded"),
        Result(name="train_error", help="mean training loss without the penalty"),
        Result(name="linear_floor", help="test error of the best affine predictor"),
        Result(name="overlaps", shape=tuple(Result(name=overlap) for overlap in _OVERLAPS)),
        *statistics(),
    ),
    sources="arXiv 1908.05355",
    drawn=("test_error", "train_error"),
)
