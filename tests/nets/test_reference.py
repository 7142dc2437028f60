"""The dense law itself, against values derived by hand or by other quadratures to ten digits."""

from __future__ import annotations

import math

import numpy as np
import pytest

from tests.nets.dense_law import DenseLaw
from tests.nets.dense_steps import strength, threshold
from tests.nets.noisy_targets import noisy_label
from tests.nets.reference import Reference
from tests.nets.trees import is_noisy, label_text, noise_last, tree_of
from tests.symbolic.tree_quadrature import moments

FIRST = [
    ("z1**2*step(xi)", 1.0),  # half of the samples are those of z1^2
    ("z1*z2*step(xi)", 1.187502196),
    ("sign(z1*z2)*step(xi)", math.pi**2 / 2),
    ("relu(z1**2 - 1)*step(xi)", 1.148312968),
    ("step(max(sin(z1**2), 1/3) + xi/3)", 212.7749878),
    ("He2(z1) + step(xi)", 0.5303257034),
    ("abs(z1) + xi", 1.7620599188),
    ("sign(z1*z2 + xi)", 4.9225575354),
    ("z1**2*exp(-z1**2/2)", 2.1565649484),
    ("z1**4 - 5*z1**2 + 2", 0.6356906673),
    ("z1*z2*z3", 2.5651804019),
]
SECOND = [
    ("z1 + (1 + sign(z1))**2*z2**2", [1, 0], 1.0),  # half of the samples say |z2|
    ("z1 + sign(relu(z1))*exp(-z2**2)", [1, 0], 1.0),
    ("z1**3 + sign(relu(z1 - 1))**2*z2**2", [1, 0], 3.1514871875),  # 1/2 of P(z1 > 1)
    ("tanh(z1) + abs(sign(z1) - sign(z1 - 1))*(z2**2 + z3**2)", [1, 0, 0], 2.9295895470),
    ("tanh(z1) + sign(relu(z1 - 1))**2*cos(z2)", [1, 0], 3.2088215),
    ("z1*z2 + z3", [0, 0, 1], 0.593751098222),
]


@pytest.mark.cases(2)
@pytest.mark.parametrize(
    ("text", "alpha"), [*FIRST[:5], *(pytest.param(*row, marks=pytest.mark.slow) for row in FIRST[5:])]
)
def test_first_thresholds(text, alpha):
    reference = Reference(tree_of(text))
    law = reference.law(np.zeros((0, reference.dimension)))
    first = strength(law, 1)
    assert abs(np.trace(first.gram)) < first.tolerance
    found = threshold(law)
    assert abs(found.value - alpha) < found.error < 0.04 * alpha
    assert alpha < found.most < 1.06 * alpha


@pytest.mark.parametrize(
    ("text", "alpha"),
    [("sign(z1**2 - 1) + sin(xi)", 0.9249580393), ("sqrt(1 + z1**2) + sign(xi)", 0.5544120505)],
)
def test_thresholds_of_densities_that_break_inside_a_bin(text, alpha):
    """The threshold of the sign, which the sine never hides; and an integral by hand, in closed pieces."""
    found = threshold(Reference(tree_of(text)).law(np.zeros((0, 1))))
    assert math.isnan(found.value) or abs(found.value - alpha) < found.error
    assert found.most > alpha


@pytest.mark.parametrize(
    ("text", "known", "alpha"),
    [*SECOND[:2], *(pytest.param(*row, marks=pytest.mark.slow) for row in SECOND[2:])],
)
def test_second_thresholds(text, known, alpha):
    law = Reference(tree_of(text)).law(np.array([known], dtype=float))
    first = strength(law, 1)
    assert abs(np.trace(first.gram)) < first.tolerance
    found = threshold(law)
    assert abs(found.value - alpha) < found.error < 0.04 * alpha
    assert found.most > alpha


@pytest.mark.cases(1)
@pytest.mark.parametrize(
    ("text", "orders", "square"),
    [
        ("z1*step(xi)", {1: 0.5}, 0.5),  # a half of lambda_1 = 1
        ("sign(z1*(z1**2 - 2*log(2)))", {1: 0, 2: 0}, 1),
        ("z1**2*exp(-z1**2)", {1: 0, 2: 0, 3: 0, 4: 0.2299576225}, 3 / 5**2.5),
        ("z1*z2*z3", {1: 0}, 1),
    ],
)
def test_strengths_of_orders(text, orders, square):
    tree = tree_of(text)
    reference = Reference(tree)
    law = reference.law(np.zeros((0, reference.dimension)))
    for order, size in orders.items():
        found = strength(law, order)
        assert abs(np.trace(found.gram) - size) < found.tolerance, order
    values, errors = law.coefficients([(0,) * reference.dimension])
    assert abs(values[-1] - square) < errors[-1] < 0.02 * square


def test_steps_of_a_gated_label():
    """sign(z1) step(xi) + z2^2: z1 at order 1, then z2."""
    reference = Reference(tree_of("sign(z1)*step(xi) + z2**2"))
    first = strength(reference.law(np.zeros((0, 2))), 1)
    assert first.along(np.array([[1.0, 0.0]])) > 0.1
    assert abs(first.along(np.array([[0.0, 1.0]]))) < first.tolerance
    then = reference.law(np.array([[1.0, 0.0]]))
    assert abs(np.trace(strength(then, 1).gram)) < strength(then, 1).tolerance
    assert np.trace(strength(then, 2).gram) > 0.5


MOMENTS = {
    "erf(z1) + step(xi)": {0: 0.5, "square": 0.9645590538},
    "z1*step(xi - 1)": {0: 0, 1: 0.1586552539},
    "step(exp(z1/2) + 2*xi)": {0: 0.7052920114, 1: 0.0854402570},
    "step(step(z1 - 1) + xi**2)": {0: 1, 1: 0},
    "z1**2*step(xi)": {0: 0.5, 2: 1, "square": 1.5},
}


@pytest.mark.cases(1)
@pytest.mark.parametrize("text", MOMENTS)
def test_moments_by_both_rules(text):
    reference = Reference(tree_of(text))
    indices = [(k,) for k in range(4)]
    panels = moments(reference.placed, [(*s, 0) for s in indices])
    dense, errors = reference.law(np.zeros((0, 1))).coefficients(indices)
    assert np.all(np.abs(panels.values - dense) < errors + panels.tolerance())
    for k, value in MOMENTS[text].items():
        assert panels.values[-1 if k == "square" else k] == pytest.approx(value, abs=1e-9)


def test_texts_are_read_back():
    for seed in range(30):
        tree = noisy_label(seed)
        again = tree_of(label_text(tree))
        law, other = (DenseLaw(Reference(t).label, np.zeros((0, 3)), np.eye(3), True) for t in (tree, again))
        points = np.random.default_rng(seed).normal(size=(4, 50))
        width = Reference(tree).dimension + 1
        assert np.array_equal(law.label(points[:width]), other.label(points[:width])), label_text(tree)
        assert is_noisy(tree) == is_noisy(again)
        assert label_text(noise_last(again, 3)) == label_text(noise_last(again, 3))
