"""The record of `Bounds`."""

from __future__ import annotations

from dataclasses import replace

from hermite_analytics.foundation.shapes import Numbers
from hermite_analytics.numeric.models.parameter import Kind, Parameter
from hermite_analytics.numeric.models.record import ModelRecord, Result, statistics
from hermite_analytics.numeric.models.shared import (
    ACTIVATION,
    ALPHA0,
    BETA,
    BIAS,
    CONVENTION,
    ETA,
    GAMMA,
    LETTERS,
    TARGET,
    C,
    R,
    given,
)

__all__ = ["BOUNDS"]

BOUNDS = ModelRecord(
    name="bounds",
    summary="Bounds on the test error.",
    help="Upper and lower bound of the test error over ridge and sample ratios.",
    factory="models.bounds.model:Bounds",
    parameters=(
        ACTIVATION,
        TARGET,
        given(R),
        given(replace(C, help=f"{C.help}; 1 with --optimise-step", default=1.0)),
        replace(GAMMA, help=f"{GAMMA.help}; 1 with --optimise-step", default=1.0),
        given(replace(ALPHA0, to="step")),
        given(replace(ETA, to="step")),
        given(replace(BETA, to="step")),
        Parameter(
            name="optimise_step",
            help="Minimise each bound over the strength of the spike, or over --eta",
            kind=Kind.FLAG,
            default=False,
            is_echoed=False,
        ),
        LETTERS,
        BIAS,
        replace(CONVENTION, to="step"),
    ),
    results=(
        Result(name="upper", help="what some ridge and samples reach"),
        Result(name="lower", help="what none does better than"),
        Result(name="linear_floor", help="test error of the best affine predictor"),
        Result(name="r_upper", help="strength at which the upper bound is attained", always=False),
        Result(name="r_lower", help="strength at which the lower bound is attained", always=False),
        Result(name="c_upper", help="c there", shape=Numbers, always=False),
        Result(name="c_lower", help="c there", shape=Numbers, always=False),
        Result(name="bias_upper", help="learned bias of the upper bound", always=False),
        Result(name="bias_lower", help="learned bias of the lower bound", always=False),
        *statistics(),
    ),
    sources="arXiv 2402.04980, eqs (26)-(28), (132), (158)-(172)",
    drawn=("upper", "lower"),
    ordinate="test error",
    python_only=("step",),
)
