"""The record of `SpikedRandomFeatures`."""

from __future__ import annotations

from dataclasses import replace

from hermite_analytics.foundation.shapes import Numbers
from hermite_analytics.numeric.losses.registry import FORMS
from hermite_analytics.numeric.models.record import Kind, ModelRecord, Parameter, Result, statistics
from hermite_analytics.numeric.models.shared import (
    ACTIVATION,
    ALPHA,
    ALPHA0,
    BETA,
    BIAS,
    CONVENTION,
    ETA,
    GAMMA,
    LETTERS,
    NOISE,
    RIDGE,
    TARGET,
    C,
    R,
    given,
)

__all__ = ["SPIKED_RANDOM_FEATURES"]

_OVERLAPS = ("m", "zeta", "psi", "q1", "q2", "V1", "V2")
_NORM = Result(name="norm", help="with the norms of the rows of a step", shape=Numbers, always=False)
_ALTERNATIVE = (
    Result(name="ridge", always=False),
    Result(name="bias", always=False),
    Result(name="objective", always=False),
    Result(name="test_error"),
)

SPIKED_RANDOM_FEATURES = ModelRecord(
    name="spiked-random-features",
    summary="Errors and overlaps after the step.",
    help="Test error, training error and overlaps of the readout trained after the step.",
    factory="spiked.model:SpikedRandomFeatures",
    parameters=(
        ACTIVATION,
        TARGET,
        replace(ALPHA, help="n/d, samples of the readout"),
        replace(
            RIDGE,
            help=f"{RIDGE.help}, or the one of the smallest test error",
            metavar="NUMBER[,NUMBER...]|optimal",
        ),
        BETA,
        given(replace(ALPHA0, to="step")),
        given(replace(ETA, to="step")),
        replace(R, help="Strength of the spike (instead of a step)"),
        replace(C, help="Squared norm of a bulk row; with --letters one number, or one a letter"),
        GAMMA,
        NOISE,
        Parameter(
            name="loss",
            help=f'{FORMS}, or a convex function of y and x such as "log(cosh(y - x))"',
            kind=Kind.WORDS,
            to="model",
            default="square",
            is_filled=True,
        ),
        LETTERS,
        BIAS,
        Parameter(
            name="bulk",
            help="Rows of W: independent, orthogonal, without effect, or as the step makes them",
            kind=Kind.CHOICE,
            accepted=("gaussian", "orthogonal", "none", "step"),
            to="model",
            default="gaussian",
        ),
        replace(CONVENTION, to="step"),
    ),
    results=(
        Result(name="test_error", help="E (E[y|x] - yhat)^2, noise excluded"),
        Result(name="train_error", help="mean training loss without the penalty"),
        Result(name="linear_floor", help="test error of the best affine predictor"),
        Result(name="overlaps", shape=(*(Result(name=name, shape=Numbers) for name in _OVERLAPS), _NORM)),
        Result(name="bias", help="the learned one", always=False),
        Result(
            name="alternatives",
            help="local minima of what was optimised: the ridge, or the bias",
            shape=[_ALTERNATIVE],
            always=False,
        ),
        *statistics(),
    ),
    sources="arXiv 2402.04980, Result 3.3",
    drawn=("test_error", "train_error"),
    python_only=("step",),
)
