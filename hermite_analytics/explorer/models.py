"""The models whose learning curves can be moved: sliders from their records, and what they draw.

Nothing is computed here: `curves` has one function a model.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from hermite_analytics.explorer.model import Drawn, Model
from hermite_analytics.explorer.parameters import Choice, Number, Text, controls, slider
from hermite_analytics.numeric.models import MODELS as MODEL_RECORDS
from hermite_analytics.numeric.models import shared

__all__ = ["ACTIVATION", "MODELS", "SIMULATED", "TARGET"]

TARGET = Text(name="target", help="a target in z1, z2, ... and the label noise xi, such as z1 + He2(z1)*z2")
ACTIVATION = Text(name="activation", help="an activation in z, such as tanh or relu(z) - 0.4")

_TO = replace(slider(shared.ALPHA), name="alpha_to", symbol="α to")
_FROM = replace(_TO, name="alpha_from", symbol="α from", default=0.1, low=0.01, high=10)
_POINTS = Number(
    name="points",
    symbol="points",
    help="values of the abscissa, at most: round ones, so that most stay where an end moves",
    default=81,
    low=21,
    high=161,
    least=2,
    most=241,
    whole=True,
)
_SPACING = Choice(
    name="spacing", help="whether the values grow by a factor or by a step", accepted=("log", "linear")
)
_BETA, _RIDGE, _NOISE = slider(shared.BETA), slider(shared.RIDGE), slider(shared.NOISE)
_LOSS = Choice(
    name="loss",
    help="what the readout minimises; logistic and hinge take targets with the values 1 and -1",
    accepted=("square", "logistic", "hinge", "huber:1", "quantile:0.9"),
)
_BEST = Choice(
    name="ridge_choice",
    help="the ridge of the slider, or at each place the one of the smallest test error",
    accepted=("as set", "optimal"),
)
_RANGE = (_FROM, _TO, _POINTS, _SPACING)
_BOTH = (ACTIVATION, TARGET)


_TEST = Drawn(
    name="test_error", label="test error", help="E (E[y|x] − ŷ)² on fresh inputs, label noise left out"
)
_TRAIN = Drawn(
    name="train_error",
    label="training error",
    help="mean square error on the training set, without the penalty",
)
_FLOOR = Drawn(
    name="linear_floor",
    label="linear floor",
    help="the test error of the best affine predictor: below it the network has learned a feature",
)
_ERRORS = (_TEST, _TRAIN)


_GIANT_STEP = Model(
    name="giant-step",
    title="one giant step, then ridge regression",
    help=(
        "A two-layer network makes one gradient step of order d on its first layer with n₀ samples, which "
        "plants a spike along the target; then its readout is fitted to n fresh samples. Odd activations, "
        "one direction."
    ),
    source="arXiv 2402.04980, Results 3.1 and 3.3",
    inputs=_BOTH,
    knobs=(
        slider(shared.ALPHA0),
        slider(shared.ETA),
        _BETA,
        _RIDGE,
        _BEST,
        _NOISE,
        _LOSS,
    ),
    span=_RANGE,
    curves=_ERRORS,
    levels=(_FLOOR,),
)
_SPIKED = Model(
    name="spiked-random-features",
    title="features with a spike of given strength",
    help=(
        "Ridge regression on the features σ((W + r 1vᵀ)x): W of independent rows of squared norm c, and a "
        "spike of strength r along v, whose overlap with the target's direction is γ. Any activation, one "
        "direction."
    ),
    source="arXiv 2402.04980, Result 3.3",
    inputs=_BOTH,
    knobs=(
        slider(shared.R),
        slider(shared.C),
        slider(shared.GAMMA),
        _BETA,
        _RIDGE,
        _BEST,
        _NOISE,
        _LOSS,
    ),
    span=_RANGE,
    curves=_ERRORS,
    levels=(_FLOOR,),
)
_RANDOM_FEATURES = Model(
    name="random-features",
    title="random features, untrained",
    help=(
        "Ridge regression on the features σ(w·x) of random weights: what the network does without "
        "feature learning."
    ),
    source="arXiv 1908.05355",
    inputs=_BOTH,
    knobs=(_BETA, _RIDGE, _BEST, _NOISE, _LOSS),
    span=_RANGE,
    curves=_ERRORS,
    levels=(_FLOOR,),
)
_SMALL_STEP = Model(
    name="small-step",
    title="one step of order 1",
    help=(
        "One gradient step of order 1 moves a rank-one part of the weights; then ridge regression on fresh "
        "data. The activation is centred, so that the mean of y stays in the risk."
    ),
    source="arXiv 2205.01445",
    inputs=_BOTH,
    knobs=(
        slider(MODEL_RECORDS["small-step"]["eta"]),
        _BETA,
        _RIDGE,
        _BEST,
        _NOISE,
    ),
    curves=(
        Drawn(
            name="risk_after",
            label="test error after the step",
            help="E (E[y|x] − ŷ)² with the new features",
        ),
        Drawn(
            name="risk_before",
            label="before the step",
            help="the same with the random features",
        ),
        Drawn(
            name="train_after",
            label="training error after the step",
            help="mean square error on the training set",
        ),
    ),
    span=_RANGE,
)
_STATE_EVOLUTION = Model(
    name="state-evolution",
    title="Bayes-optimal learning (AMP)",
    help=(
        "The overlap that approximate message passing reaches from a small start, and the largest stable "
        "one. No activation: it is the best that n = αd labels allow."
    ),
    source="arXiv 1708.03395, 2405.15480",
    inputs=(TARGET,),
    knobs=(),
    span=(_FROM, _TO, replace(_POINTS, default=41, high=121), _SPACING),
    ordinate="overlap, error",
    curves=(
        Drawn(
            name="overlap",
            label="overlap reached by AMP",
            help="mean over the directions of the overlap M = E z ẑᵀ, from a small start",
        ),
        Drawn(
            name="overlap_informed",
            label="largest stable overlap",
            help="the same from a start near the truth",
        ),
        Drawn(
            name="test_error",
            label="test error of AMP",
            help="E (E[y|x] − ŷ)² of the posterior mean of a fresh label",
        ),
    ),
)
_POWER_LAW = MODEL_RECORDS["deterministic-equivalent"]
_SAMPLES = slider(_POWER_LAW["samples"])
_KERNEL = Model(
    name="deterministic-equivalent",
    title="ridge regression with a power-law spectrum",
    help=(
        "Random-feature ridge regression with eigenvalues k⁻ᵃ and squared target coefficients k⁻ᵇ, for any "
        "numbers of samples and features: neural scaling laws. No activation, no target."
    ),
    source="arXiv 2405.15699",
    inputs=(),
    knobs=tuple(
        slider(_POWER_LAW[name])
        for name in ("eigenvalue_power", "coefficient_power", "features", "ridge", "noise")
    ),
    span=(
        replace(_SAMPLES, name="samples_from", symbol="n from", default=10, low=1, high=1000),
        replace(_SAMPLES, name="samples_to", symbol="n to"),
        _POINTS,
        _SPACING,
    ),
    abscissa="samples n",
    curves=(
        _TEST,
        Drawn(
            name="bias",
            label="bias",
            help="the part of the test error that is there without label noise",
        ),
        Drawn(
            name="variance",
            label="variance",
            help="the part of the test error that label noise makes",
        ),
        _TRAIN,
    ),
)

_DESCENT = MODEL_RECORDS["dmft"]
_FULL_BATCH = Model(
    name="dmft",
    title="full-batch gradient descent, step by step",
    help=(
        "A two-layer network of one or two neurons descends on n = αd samples that it sees again and again: "
        "its overlaps with the target's directions as d grows. With the same samples again it learns He3, "
        "with fresh ones it does not."
    ),
    source="arXiv 2006.08098, 2402.03220",
    inputs=_BOTH,
    knobs=controls([p for p in _DESCENT.parameters if p.name != "steps"]),
    span=(slider(_DESCENT["steps"]),),
    abscissa="steps t",
    ordinate="overlap",
    curves=(
        Drawn(
            name="overlap",
            label="overlap with the first direction",
            help="⟨w₁, w*₁⟩ after t steps, of the first neuron; 0 at the start",
        ),
        Drawn(
            name="overlap_2",
            label="with the second",
            help="⟨w₁, w*₂⟩, where the target has a second direction",
        ),
        Drawn(
            name="overlap_3",
            label="with the third",
            help="⟨w₁, w*₃⟩, where the target has a third direction",
        ),
    ),
)

_ALL = (_GIANT_STEP, _SPIKED, _RANDOM_FEATURES, _SMALL_STEP, _STATE_EVOLUTION, _KERNEL, _FULL_BATCH)
MODELS: Mapping[str, Model] = {model.name: model for model in _ALL}
"""The models by name, in the order of the page."""

SIMULATED: Mapping[str, str] = {
    "giant-step": "giant-step",
    "spiked-random-features": "spiked-random-features",
    "random-features": "random-features",
    "small-step": "small-step",
    "state-evolution": "amp",
}
"""The simulator's protocol of a model, by the model's name."""
