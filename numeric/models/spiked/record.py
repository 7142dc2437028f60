"""The record of `SpikedRandomFeatures`."""

from __future__ import annotations

from dataclasses import replace

from hermite_analytics.foundation.shapes import Numbers
from hermite_analytics.numeric.models.parameter import Kind, Parameter
from hermite_analytics.numeric.models.record import STATUSES, ModelRecord, Result, statistics
from hermite_analytics.numeric.models.shared import (
    ACTIVATION,
    ALPHA,
    ALPHA0,
    ALTERNATIVES,
    BEST_RIDGE,
    BETA,
    BIAS,
    CALIBRATION,
    CONVENTION,
    ERRORS,
    ETA,
    FLIPS,
    GAMMA,
    LETTERS,
    LOSS,
    NOISE,
    TARGET,
    C,
    R,
    given,
)
from hermite_analytics.numeric.status import Status

__all__ = ["SPIKED_RANDOM_FEATURES"]

_OVERLAPS = ("m", "zeta", "psi", "q1", "q2", "V1", "V2")
_NORM = Result(name="norm", help="with the norms of the rows of a step", shape=Numbers, always=False)
SPIKED_RANDOM_FEATURES = ModelRecord(
    name="spiked-random-features",
    summary="Errors and overlaps after the step.",
    help="Test error, training error and overlaps of the readout trained after the step.",
    factory="models.spiked.model:SpikedRandomFeatures",
    parameters=(
        ACTIVATION,
        TARGET,
        replace(ALPHA, help="n/d, samples of the readout"),
        BEST_RIDGE,
        BETA,
        given(replace(ALPHA0, to="step")),
        given(replace(ETA, to="step")),
        replace(R, help="Strength of the spike (instead of a step)"),
        replace(C, help="Squared norm of a bulk row; with --letters one number, or one a letter"),
        GAMMA,
        NOISE,
        LOSS,
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
        FLIPS,
        replace(CONVENTION, to="step"),
    ),
    results=(
        *ERRORS,
        CALIBRATION,
        Result(name="linear_floor", help="test error of the best affine predictor"),
        Result(name="overlaps", shape=(*(Result(name=name, shape=Numbers) for name in _OVERLAPS), _NORM)),
        Result(name="bias", help="the learned one", always=False),
        ALTERNATIVES,
        *statistics(statuses=(*STATUSES, Status.AT_BORDER)),
    ),
    sources="arXiv 2402.04980, Result 3.3",
    drawn=("test_error", "train_error"),
    python_only=("step",),
)
