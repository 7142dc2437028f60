"""Records of the protocols of a two-layer network with a readout on its features."""

from __future__ import annotations

from dataclasses import replace

from hermite_analytics.numeric.losses.registry import FORMS
from hermite_analytics.numeric.models.record import Kind, Parameter, Record, Result
from hermite_analytics.numeric.models.shared import FLIPS, LOSS
from hermite_analytics.numeric.protocols.shared import (
    ACTIVATION,
    ALPHA0,
    BIAS,
    FEATURES,
    LETTERS,
    N0,
    READOUT,
    RIDGE,
    RUN,
    TARGET,
    Estimates,
    Verdicts,
    size,
    swept,
)
from hermite_analytics.numeric.ranges import Range

__all__ = ["GIANT_STEP", "RANDOM_FEATURES", "SMALL_STEP", "SPIKED_RANDOM_FEATURES"]


def _of(name: str, help: str = "", *, always: bool = True) -> Result:
    return Result(name=name, help=help, shape=Estimates, always=always)


def _ridge_by_default(ridge: float) -> tuple[Parameter, ...]:
    return tuple(replace(p, default=ridge) if p is RIDGE else p for p in READOUT)


_TEST = _of("test_error", "E (E[y|x] - yhat)^2 on fresh samples")
_TRAIN = _of("train_error", "mean training loss")
_MEASURES = (
    _of("square_error", "E (E[y|x] - yhat)^2 on fresh samples, whatever the loss"),
    _of("misclassification", "the share of wrong signs, for labels 1 and -1", always=False),
)
_WEIGHTS = (
    "theta1",
    "theta2",
    "singular_value",
    "alignment",
    "second_value",
    "resolvent",
    "remainder_operator",
    "remainder_frobenius",
)

GIANT_STEP = Record(
    name="giant-step",
    summary="A network after one or several gradient steps of order d.",
    help="Gradient steps on the first layer, then (with --n or --alpha) ridge regression of the readout.",
    factory="simulator.giant_step:GiantStepProtocol",
    parameters=(
        ACTIVATION,
        TARGET,
        *RUN,
        *_ridge_by_default(0.01),
        swept("eta", "Step size over d; by default an effective step of d^((l-1)/2) for n0 >= d^l"),
        ALPHA0,
        replace(N0, help=f"{N0.help}; by default those of the readout"),
        Parameter(
            name="step_convention",
            help="Effective step eta/beta, eta, or eta/p",
            kind=Kind.CHOICE,
            accepted=("paper", "notebook", "mean-field"),
            to="model",
            default="paper",
            is_filled=True,
        ),
        Parameter(
            name="steps",
            help="",
            kind=Kind.INTEGER,
            to="model",
            default=1,
            is_filled=True,
            range=Range(low=1),
        ),
        Parameter(
            name="batch",
            help="",
            kind=Kind.CHOICE,
            accepted=("fresh", "reused"),
            to="model",
            default="fresh",
            is_filled=True,
        ),
        Parameter(
            name="init",
            help="Neurons alike, or in pairs that cancel (the default for several steps)",
            kind=Kind.CHOICE,
            accepted=("equal", "symmetric"),
            to="model",
        ),
        LETTERS,
        BIAS,
        Parameter(
            name="bias_from",
            help="Whether the steps know the biases, or the readout alone",
            kind=Kind.CHOICE,
            accepted=("start", "readout"),
            to="model",
            default="start",
            is_filled=True,
        ),
        Parameter(
            name="directions",
            help="Measure overlaps along these, not along the axes",
            kind=Kind.WORDS,
            metavar="ROW;ROW",
            to="model",
            is_echoed=False,
        ),
    ),
    results=(
        _of("r", "strength of the spike", always=False),
        _of("c", "squared norm of a bulk row", always=False),
        _of("gamma", "overlap of spike and target", always=False),
        _of("c_spike", "d Var of a bulk row along the spike", always=False),
        _of("c_target", "d Var of a bulk row along the target", always=False),
        replace(_TEST, always=False),
        replace(_TRAIN, always=False),
        _of("overlap", "mean squared cosine of neurons and a direction, a step"),
        _of("exceedance", "its rank among control directions"),
        _of("span", "eigenvalues of the neurons in the span of the target"),
        Result(name="learned", shape=Verdicts),
    ),
)

SPIKED_RANDOM_FEATURES = Record(
    name="spiked-random-features",
    summary="Random features with a given spike.",
    help="Ridge regression on features sigma(w_k.x + r omega_k v.x + b_k).",
    factory="simulator.spiked_random_features:SpikedRandomFeaturesProtocol",
    parameters=(
        ACTIVATION,
        TARGET,
        *RUN,
        *READOUT,
        swept("r", "Strength of the spike", required=True),
        swept("c", "Squared norm of a bulk row", required=True),
        swept("gamma", "Overlap of spike and target", required=True),
        replace(LETTERS, help="Values omega of the neurons with their fractions"),
        BIAS,
        FLIPS,
    ),
    results=(
        _TEST,
        _TRAIN,
        *_MEASURES,
        Result(name="overlaps", shape=tuple(_of(name) for name in ("m", "zeta", "psi", "q1", "q2"))),
    ),
)

RANDOM_FEATURES = Record(
    name="random-features",
    summary="Random features with any loss that has a name.",
    help="Features sigma(w.x) with w ~ N(0, I/d), and a readout trained by a convex loss.",
    factory="simulator.random_features:RandomFeaturesProtocol",
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
        _TEST,
        _TRAIN,
        *_MEASURES,
        Result(
            name="overlaps",
            shape=tuple(_of(name) for name in ("intercept", "M", "Q", "psi", "q1", "q2")),
            always=False,
        ),
    ),
)

SMALL_STEP = Record(
    name="small-step",
    summary="A network after gradient steps of order 1.",
    help="Gradient steps on the first layer, then ridge regression on fresh data, without and with them.",
    factory="simulator.small_step:SmallStepProtocol",
    parameters=(
        ACTIVATION,
        TARGET,
        *RUN,
        *READOUT,
        swept("eta", "Step size, of order 1", required=True),
        replace(ALPHA0, help=f"{ALPHA0.help}; as many as the readout's by default"),
        N0,
        size("steps", "Number of steps; 1 by default", default=1),
        Parameter(
            name="batches",
            help="Whether several steps use one batch or a new one each",
            kind=Kind.CHOICE,
            accepted=("same", "fresh"),
            to="model",
            default="same",
            is_filled=True,
        ),
        swept("eta_power", "a: steps of size eta p^a; 1/2 is the large step", default=0.0),
        size("gradient_factor", "2 for the gradient of the undivided loss", default=1),
        FEATURES,
    ),
    results=(
        Result(name="weights", shape=tuple(_of(name, always=False) for name in _WEIGHTS)),
        Result(
            name="kernel", shape=tuple(_of(name) for name in ("singular_value", "alignment", "second_value"))
        ),
        _of("risk_before", "test error of the random features"),
        _of("risk_after", "test error after the steps"),
        _of("gain", "their difference"),
        _of("train_before", "training error of the random features"),
        _of("train_after", "training error after the steps"),
    ),
)
