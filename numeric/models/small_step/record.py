"""The records of `SmallStep` and `LargeStep`."""

from __future__ import annotations

from dataclasses import replace

from hermite_analytics.numeric.models.parameter import Kind, Knob, Parameter
from hermite_analytics.numeric.models.record import STATUSES, ModelRecord, Result, statistics
from hermite_analytics.numeric.models.shared import (
    ACTIVATION,
    ALPHA,
    ALTERNATIVES,
    BEST_RIDGE,
    BETA,
    ETA,
    NOISE,
    TARGET,
)
from hermite_analytics.numeric.status import Status

__all__ = ["GRADIENT_FACTOR", "LARGE_STEP", "SMALL_STEP"]

GRADIENT_FACTOR = Parameter(
    name="gradient_factor",
    help="2 for the gradient of the undivided square loss, which is twice as long",
    kind=Kind.CHOICE,
    accepted=(1, 2),
    to="model",
    default=1,
    is_filled=True,
)
_SPIKE = (
    Result(name="singular_value", help="of the spike"),
    Result(name="alignment", help="squared cosine with the target's direction"),
    Result(name="edge", help="of the bulk"),
)

SMALL_STEP = ModelRecord(
    name="small-step",
    summary="Spikes and risks of a step of order 1.",
    help="Spikes of weights and kernel, and the risk without and with the step; the activation is centred.",
    factory="models.small_step.model:SmallStep",
    parameters=(
        ACTIVATION,
        TARGET,
        replace(ALPHA, help="n/d, samples of the step and of the readout"),
        BETA,
        replace(BEST_RIDGE, help=f"{BEST_RIDGE.help}; each after the step"),
        replace(ETA, help="Step size", knob=Knob(start=2, low=0, high=10)),
        NOISE,
        GRADIENT_FACTOR,
    ),
    results=(
        Result(name="weights", shape=(Result(name="theta1"), Result(name="theta2"), *_SPIKE)),
        Result(name="kernel", shape=_SPIKE),
        Result(name="risk_before", help="test error of the random features"),
        Result(name="risk_after", help="test error after the step"),
        Result(name="gain", help="their difference"),
        Result(name="train_before", help="training error of the random features"),
        Result(name="train_after", help="training error after the step"),
        Result(name="misclassification_before", help="share of wrong signs without the step", always=False),
        Result(name="misclassification_after", help="share of wrong signs after the step", always=False),
        Result(name="scope", help="theorem, or what lies outside it", shape=str),
        ALTERNATIVES,
        *statistics(numerical_error=False, statuses=(*STATUSES, Status.AT_BORDER)),
    ),
    sources="arXiv 2205.01445 (Ba et al.), in the closed form of docs/random_features.md",
    drawn=("risk_before", "risk_after", "train_before", "train_after"),
    ordinate="error",
    python_only=("step_alpha",),
)

LARGE_STEP = ModelRecord(
    name="large-step",
    summary="tau* of a step of order sqrt(p).",
    help="tau*, the scale that attains it, and the bounds on the risk that follow.",
    factory="models.small_step.large_step:LargeStep",
    parameters=(ACTIVATION, TARGET),
    results=(
        Result(name="tau", help="tau*"),
        Result(name="scale", help="what attains it; inf if nothing does"),
        Result(name="upper_bound", help="16 tau*, of the risk after the step"),
        Result(name="kernel_lower_bound", help="what no rotationally invariant kernel beats"),
        *statistics(),
    ),
    sources="arXiv 2205.01445 (Ba et al.), theorem on steps of order sqrt(p)",
)
