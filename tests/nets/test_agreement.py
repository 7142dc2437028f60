"""Two ways to one number: thresholds and slopes of state evolution, limits of theory, expectations.

Where both read one law, as of labels of two coordinates without structure, this holds what is made of it; the
law itself is held against bins and the dense law (`test_noise.py`, `tests/symbolic/label`).
"""

from __future__ import annotations

import math

import pytest
from scipy import special

import hermite_analytics as ha
from hermite_analytics.errors import HermiteAnalyticsError
from hermite_analytics.numeric import StateEvolution
from tests.nets.noisy_targets import noisy_label
from tests.nets.trees import dimension_of, label_text, renamed, tree_of
from tests.symbolic.random_trees import TAME, Grammar, text_of
from tests.symbolic.tree_quadrature import moments

# relative errors of the slope at 0, which comes from a map at a small overlap: of up to two coordinates,
# noise inside included, and of three, whose level surfaces are followed to 1e-5 (docs/state_evolution.md)
_SLOPE = 2e-7
_SLOPE_OF_THREE = 1e-5
FAST = [
    "z1**2",
    "z1*z2",
    "sign(z1*z2)",
    "z1 + z2**2",
    "abs(z1)*step(z2)",
    "relu(z1**2 - 1)",
    "tanh(z1**2) + xi/2",
    "cos(z1) + xi/2",
    "sign(z1*z2)*sign(xi - 1)",
    "step(z1**2 - 1 + xi)",
    "z1**2*step(xi)",
    "z1*z2*step(xi - 1)",
    "He2(z1) + step(xi)",
]
SLOW = [
    "z1**2 + 2*z2**2",
    "sign(z1*z2 + xi)",
    "z1*z2 + xi",
    "max(abs(z1), abs(z2))",
    "abs(z1)*xi",
    "abs(z1) + xi",
    "z1**2*exp(xi)",
    "abs(z1*z2)",
    "sign(z1**2 - 1) + xi/3",
    "min(abs(z1), 1) + xi",
    "z1**2*z2**2",
    "cos(z1*z2)",
    "sin(z1*z2)",
    "cos(2*z1*z2)",
    "sin(z1**2 - z2**2)",
    "cos(z1**2 + 2*z2**2)",
    "sin(3*z1)*sin(z2)",
    "abs(cos(z1*z2) - 1/3)",
    "cos(z1) + tanh(2*xi)",
]


def alpha_of(target, seconds=4.0):
    """alpha_c of the first stage."""
    stages = ha.weak_recovery(target, seconds=seconds).stages
    alpha = stages[0].alpha_c if stages else None
    return None if alpha is None or math.isnan(alpha.value) else alpha


def assert_same(a, b, error):
    assert a == b or abs(a - b) <= error, (a, b, error)


SOME = [pytest.mark.slow, pytest.mark.draws(7, spread=True)]


@pytest.mark.cases(2)
@pytest.mark.parametrize("text", [*FAST, *(pytest.param(text, marks=SOME) for text in SLOW)])
def test_threshold_is_the_slope_of_state_evolution(text):
    slope = StateEvolution(text).weak_recovery()
    alpha = alpha_of(text, seconds=30.0)  # a busy machine that compiles takes its time
    assert alpha is not None
    three = all(name in text for name in ("z1", "z2", "step(xi"))
    assert_same(slope, alpha.value, alpha.error + (_SLOPE_OF_THREE if three else _SLOPE) * alpha.value)


@pytest.mark.slow
@pytest.mark.draws(3)
@pytest.mark.parametrize("seed", range(2000, 2036))
def test_random_thresholds_and_slopes(seed):
    tree = noisy_label(seed)
    if dimension_of(tree) > 2:
        pytest.skip("level surfaces of three coordinates take tens of seconds")
    text = label_text(tree)
    try:
        slope = StateEvolution(text, seconds=3.0).weak_recovery()
    except HermiteAnalyticsError as refusal:
        pytest.skip(f"refused: {refusal}")
    alpha = alpha_of(text)
    if alpha is not None and not math.isnan(slope):
        assert_same(slope, alpha.value, alpha.error + 1e-5 * alpha.value)


# limits of theory


@pytest.mark.parametrize(
    ("text", "gate"),
    [
        ("z1**2", "0"),
        ("abs(z1)", "1"),
        ("z1*z2", "-1/2"),
        ("abs(z1) + abs(z2)", "1"),
        ("sign(z1**2 - z2**2)", "1/2"),
    ],
)
def test_a_gate_of_noise_leaves_its_share_of_the_samples(text, gate):
    """alpha_c(g step(xi - t)) = alpha_c(g)/P(xi > t) where g is not 0: the label 0 says nothing."""
    share = special.ndtr(-float(eval_fraction(gate)))
    plain, gated = alpha_of(text), alpha_of(f"({text})*step(xi - ({gate}))")
    assert plain is not None
    if gated is not None:
        slack = gated.error + plain.error / share
        assert_same(gated.value, plain.value / share, slack + 1e-9 * plain.value)


@pytest.mark.parametrize("text", ["sign(z1*z2)", "sign(z1**2 - 1)", "sign(z1*(z1 + z2))"])
def test_flipped_signs(text):
    """P(+) = p, flipped with probability e: 1/alpha_c times (1 - 2 e)^2 p (1 - p)/(p' (1 - p'))."""
    kept = 1 - 2 * special.ndtr(1.0)  # E sign(xi - 1)
    before = (1 + ha.hermite(text, 0).mean.value) / 2
    after = before * kept + (1 - kept) / 2
    factor = kept**2 * before * (1 - before) / (after * (1 - after))
    plain, flipped = alpha_of(text), alpha_of(f"{text}*sign(xi - 1)")
    assert_same(flipped.value, plain.value / factor, flipped.error + 1e-9 * flipped.value)


NOISY_SIGNS = ["sign(z1**2 - 1 + ({a})*xi)", "sign(abs(z1) - 1 + ({a})*xi)", "sign(z1*z2 + ({a})*xi)"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "sizes"),
    [
        *((text, ("1/4", "1")) for text in NOISY_SIGNS[:2]),
        *((text, ("1/100", "1/8", "3")) for text in NOISY_SIGNS[:2]),
        (NOISY_SIGNS[2], ("1/100", "3")),
    ],
)
def test_threshold_grows_with_the_noise(text, sizes):
    without = alpha_of(text.format(a="0")).value
    found = [alpha_of(text.format(a=a)) for a in sizes]
    values = [without, *(f.value for f in found if f is not None)]
    assert values == sorted(values) and len(values) > 1
    assert sizes[0] != "1/100" or found[0] is None or found[0].value < 1.05 * without


@pytest.mark.parametrize(
    "text",
    ["z1**2", "He3(z1)", "sign(z1*(z1**2 - 2*log(2)))", "z1*z2*z3", "z1**2*exp(-z1**2)", "z1 + abs(z2)"],
)
def test_added_noise_keeps_the_generative_exponent(text):
    plain = ha.generative_exponent(text, seconds=4)
    noisy = ha.generative_exponent(f"{text} + xi/3", seconds=4)
    assert plain.value is not None
    assert noisy.value in (None, plain.value)
    steps, with_noise = (ha.grand_staircase(t, seconds=4) for t in (text, f"{text} + xi/3"))
    if with_noise.limit_dimension is not None:
        assert (steps.orders, steps.bases) == (with_noise.orders, with_noise.bases)


@pytest.mark.cases(1)
@pytest.mark.parametrize(
    "text", ["abs(z1)*step(xi)", "z1**2 + step(xi)", "z1**2*exp(xi)", "max(z1**2, abs(xi))"]
)
def test_noise_never_helps(text):
    """E[. | Y] of a label that is a function of |z1| and xi: alpha_c is at least 1/2, that of |z1| itself."""
    alpha = alpha_of(text)
    assert alpha is None or alpha.value - alpha.error > 0.5


def eval_fraction(text):
    tree = tree_of(text)
    return float(tree)


# expectations


MORE_SEEDS = (*range(103, 140), 100, 101, 102)


@pytest.mark.cases(1)
@pytest.mark.parametrize(
    "seed",
    [0, 2, 4, *(pytest.param(s, marks=[pytest.mark.slow, pytest.mark.draws(4)]) for s in MORE_SEEDS)],
)
def test_ways_to_an_expectation(seed):
    """Value, compiled kernel and Hermite mean of f(z1 + k) at k = 1/3, against panels (error 1e-12)."""
    tree = Grammar(seed, 1, TAME).expression(1)
    shifted = renamed(tree, {1: ("+", ("z", 1), tree_of("1/3"))})
    expected = moments(shifted, [(0,)])
    value, slack = float(expected.values[0]), 3 * float(expected.tolerance()[0]) + 1e-11
    with_parameter = text_of(tree).replace("z1", "(z1 + k)")
    symbolic = ha.expectation(with_parameter, seconds=1)
    point = {"k": "1/3"} if symbolic.parameters else {}
    quantity = symbolic.at(point, seconds=1)
    assert math.isnan(quantity.value) or abs(quantity.value - value) <= slack + quantity.error
    mean = ha.hermite(text_of(shifted), 0, seconds=1).mean
    assert math.isnan(mean.value) or abs(mean.value - value) <= slack + mean.error
    kernel = symbolic.compile()
    compiled = float(kernel(*(1 / 3 for _ in point)))
    assert abs(compiled - value) <= slack + 1e-9 * max(1.0, abs(value))
