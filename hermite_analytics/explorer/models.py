"""The models whose learning curves can be moved: their sliders and what they draw, in words.

Nothing is computed here: `curves` has one function a model.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from hermite_analytics.explorer.model import Drawn, Model
from hermite_analytics.explorer.parameters import Choice, Number, Text

__all__ = ["ACTIVATION", "MODELS", "TARGET"]

TARGET = Text(name="target", help="a target in z1, z2, ... and the label noise xi, such as z1 + He2(z1)*z2")
ACTIVATION = Text(name="activation", help="an activation in z, such as tanh or relu(z) - 0.4")

_TINY = 1e-12  # the least of what has to be positive
_ALPHA = "samples of the readout over the dimension, n/d"
_FROM = Number(
    name="alpha_from",
    symbol="α from",
    help=_ALPHA,
    default=0.1,
    low=0.01,
    high=10,
    least=1e-6,
    logarithmic=True,
)
_TO = Number(
    name="alpha_to", symbol="α to", help=_ALPHA, default=5, low=0.1, high=100, least=1e-6, logarithmic=True
)
_POINTS = Number(
    name="points",
    symbol="points",
    help="values of the abscissa",
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
_BETA = Number(
    name="beta",
    symbol="β",
    help="neurons over the dimension, p/d",
    default=1,
    low=0.1,
    high=10,
    least=1e-6,
    logarithmic=True,
)
_RIDGE = Number(
    name="ridge",
    symbol="λ",
    help="penalty of sum (y - a·φ/√p)² + λ|a|²",
    default=0.1,
    low=1e-4,
    high=10,
    least=0,
    logarithmic=True,
)
_NOISE = Number(
    name="noise", symbol="Δ", help="variance of the label noise", default=0, low=0, high=1, least=0
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
        Number(
            name="alpha0",
            symbol="α₀",
            help="samples of the step over the dimension, n₀/d",
            default=4,
            low=0.1,
            high=100,
            least=0,
            logarithmic=True,
        ),
        Number(
            name="eta",
            symbol="η",
            help="step size over d; the effective step is η/β",
            default=2,
            low=0,
            high=8,
            least=0,
        ),
        _BETA,
        _RIDGE,
        _NOISE,
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
        Number(name="r", symbol="r", help="strength of the spike", default=1, low=0, high=4),
        Number(
            name="c",
            symbol="c",
            help="squared norm of a row without the spike",
            default=1,
            low=0.1,
            high=4,
            least=_TINY,
        ),
        Number(
            name="gamma",
            symbol="γ",
            help="overlap of spike and target direction",
            default=0.9,
            low=0,
            high=1,
            least=-1,
            most=1,
        ),
        _BETA,
        _RIDGE,
        _NOISE,
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
    knobs=(_BETA, _RIDGE, _NOISE),
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
        Number(name="eta", symbol="η", help="step size", default=2, low=0, high=10, least=0),
        _BETA,
        _RIDGE,
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
_KERNEL = Model(
    name="deterministic-equivalent",
    title="ridge regression with a power-law spectrum",
    help=(
        "Random-feature ridge regression with eigenvalues k⁻ᵃ and squared target coefficients k⁻ᵇ, for any "
        "numbers of samples and features: neural scaling laws. No activation, no target."
    ),
    source="arXiv 2405.15699",
    inputs=(),
    knobs=(
        Number(
            name="eigenvalue_power",
            symbol="a",
            help="eigenvalues decay as k⁻ᵃ",
            default=1.5,
            low=1.05,
            high=4,
            least=1.000001,
            most=50,
        ),
        Number(
            name="coefficient_power",
            symbol="b",
            help="squared coefficients of the target decay as k⁻ᵇ",
            default=2.2,
            low=1.05,
            high=6,
            least=1.000001,
            most=50,
        ),
        Number(
            name="features",
            symbol="p",
            help="number of random features",
            default=400,
            low=10,
            high=1e5,
            least=1,
            most=1e9,
            logarithmic=True,
        ),
        replace(_RIDGE, default=0.01, low=1e-6),
        replace(_NOISE, default=0.01),
    ),
    span=(
        Number(
            name="samples_from",
            symbol="n from",
            help="number of samples",
            default=10,
            low=1,
            high=1000,
            least=1,
            most=1e9,
            logarithmic=True,
        ),
        Number(
            name="samples_to",
            symbol="n to",
            help="number of samples",
            default=1e4,
            low=10,
            high=1e6,
            least=1,
            most=1e9,
            logarithmic=True,
        ),
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

_ALL = (_GIANT_STEP, _SPIKED, _RANDOM_FEATURES, _SMALL_STEP, _STATE_EVOLUTION, _KERNEL)
MODELS: Mapping[str, Model] = {model.name: model for model in _ALL}
"""The models by name, in the order of the page."""
