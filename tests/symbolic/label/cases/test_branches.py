"""Laws of single-index pieces against closed forms and values found by other means."""

from __future__ import annotations

import math

import numpy as np
import pytest
import sympy
from scipy.special import ndtr

from hermite_analytics.errors import UnsupportedExpression
from hermite_analytics.foundation.clock import TimeEnded, limited
from hermite_analytics.label.cases.line.functions import along, pieces_between, sign_changes
from hermite_analytics.label.cases.parts.branches import Term, branches_of, term_density
from hermite_analytics.label.cases.parts.case import structured_law
from hermite_analytics.label.cases.parts.monotone import side
from hermite_analytics.symbols import variable
from hermite_analytics.target import Target
from tests.symbolic.label import terms
from tests.symbolic.label.terms import check_law, noise_term, threshold


@pytest.mark.parametrize(
    ("term", "alpha"),
    [
        (terms.SQUARE, 0.5),
        (terms.MODULUS, 0.5),
        (terms.FOURTH, 0.5),
        (terms.ROOT, 0.5),
        (terms.HERMITE4, 0.6448504699),
        (terms.COSINE, 0.5090963826),
        (terms.BUMP, 2.1565649484),
    ],
)
def test_thresholds(term, alpha):
    law = term_density(term)
    check_law(law, 1e-11)
    assert threshold(law) == pytest.approx(alpha, abs=2e-10)


@pytest.mark.parametrize(
    ("term", "first"),
    [(terms.ERF, 1.0), (terms.TANH, 1.0), (terms.RELU, 0.5 + 1 / math.pi), (terms.HERMITE3, 0.6678316716)],
)
def test_first_moments(term, first):
    law = term_density(term)
    check_law(law, 1e-11)
    nodes = law.quadrature()
    assert nodes.weights @ nodes.first[:, 0] ** 2 == pytest.approx(first, abs=1e-10)


@pytest.mark.parametrize(
    ("value", "derivative", "plain"),
    [  # the first derivative cancels beside 0, the second one does not
        (
            lambda w: (np.cos(w) - 1) ** 2,
            lambda w: -2 * (np.cos(w) - 1) * np.sin(w),
            lambda w: 8 * np.sin(w / 2) ** 3 * np.cos(w / 2),
        ),
        (
            lambda w: (np.cosh(w) - 1) ** 2,
            lambda w: 2 * (np.cosh(w) - 1) * np.sinh(w),
            lambda w: 8 * np.sinh(w / 2) ** 3 * np.cosh(w / 2),
        ),
    ],
)
def test_a_derivative_that_cancels(value, derivative, plain):
    """Its leading power is used where rounding would make it 0: roots and slopes have all their digits."""
    for end in (1.5, -1.5):
        rounded, exact = side(derivative, 0.0, end), side(plain, 0.0, end)
        targets = np.geomspace(1e-40, exact.distances[-1], 60)
        (h, slope), (expected, steep) = rounded.invert(targets), exact.invert(targets)
        assert rounded.shortest > exact.shortest
        np.testing.assert_allclose(h, expected, rtol=1e-4)
        np.testing.assert_allclose(slope, steep, rtol=1e-4)
        far = targets > 1e-3
        np.testing.assert_allclose(h[far], expected[far], rtol=1e-11)


def test_atoms_have_their_moments():
    law = term_density(terms.RELU)
    assert law.atoms.tolist() == [0.0]
    np.testing.assert_allclose(law.atom_values, [[0.5, -1 / math.sqrt(2 * math.pi), 0.0]], atol=1e-14)


@pytest.mark.parametrize(
    ("text", "atom", "probability"),
    [
        ("min(z1, 1)", 1, ndtr(-1.0)),
        ("max(1/1000, z1)", 1e-3, ndtr(1e-3)),
        ("min(1/100, exp(z1))", 1e-2, ndtr(-math.log(1e-2))),
        ("min(1/100, exp(3*z1))", 1e-2, ndtr(-math.log(1e-2) / 3)),
        ("max(z1**2*exp(-z1**2/2), 1)", 1, 1.0),  # its slope is a difference of equal terms
    ],
)
def test_what_is_constant_to_rounding_is_an_atom(text, atom, probability):
    law = structured_law(Target(text).expression, (variable(1),))(1)
    assert law.atoms == pytest.approx([atom], rel=1e-12)
    assert law.atom_values[0, 0] == pytest.approx(probability, rel=1e-12)
    assert law.quadrature().mass_defect < 1e-12


def test_small_values_are_not_constant():
    """exp(-20 w^2) beyond 2 is below 2e-35, and falls to 1e-323: an atom would say nothing of w."""
    beyond = branches_of(
        Term(
            value=lambda w: np.exp(-20 * w * w),
            derivative=lambda w: -40 * w * np.exp(-20 * w * w),
            points=[0.0, 2.0],
        )
    )
    assert all(b.from_bottom is not None for b in beyond)


def test_steps_are_atoms_only():
    step = Term(value=lambda w: 1.0 * (w > 1), derivative=np.zeros_like, points=[1.0])
    law = term_density(step)
    phi = math.exp(-0.5) / math.sqrt(2 * math.pi)
    np.testing.assert_allclose(law.atom_values, [[ndtr(1), -phi, -phi], [ndtr(-1), phi, phi]], atol=1e-14)


def test_density_of_a_square_is_chi_squared():
    law = term_density(terms.SQUARE)
    y, values = law.labels()
    for power, moment in ((1, 1.0), (2, 3.0), (3, 15.0)):
        assert y**power @ values[:, 0] == pytest.approx(moment, rel=1e-10)


def test_noise_has_no_moments():
    law = term_density(noise_term(0.3))
    assert law.dimension == 0 and law.values.shape[2] == 1
    y, values = law.labels()
    assert y**2 @ values[:, 0] == pytest.approx(0.09, rel=1e-10)


def test_distances_are_accurate_near_a_critical_point():
    # 1 - cos(h) = 2 sin(h/2)^2: the distance in the value is 1e-30, its inverse is known to full accuracy
    found = side(lambda w: -np.sin(w), 0.0, math.pi)
    h, slope = found.invert(np.array([1e-30, 1e-12, 1e-3]))
    expected = 2 * np.arcsin(np.sqrt(np.array([1e-30, 1e-12, 1e-3]) / 2))
    np.testing.assert_allclose(h, expected, rtol=1e-7)
    np.testing.assert_allclose(slope, np.sin(expected), rtol=1e-7)
    assert found.power == pytest.approx(2, abs=1e-6)


def test_slopes_beside_a_vertical_tangent():
    """Of sqrt(x), whose slope is 1/(2 y) where x = y^2 is 0 by underflow."""
    beside = side(lambda x: 0.5 / np.sqrt(np.maximum(x, 1e-300)), 0.0, 4.0)
    distance = np.array([1e-3, 1e-100, 1e-200, 1e-300])
    assert beside.invert(distance)[1] == pytest.approx(0.5 / distance, rel=1e-9)


def test_a_limit_at_infinity_keeps_its_distance():
    # 1 - erf(6) = 2e-17 is below the rounding of erf itself
    law = term_density(terms.ERF)
    nodes = law.quadrature()
    assert nodes.weights @ nodes.second[:, 0, 0] ** 2 == pytest.approx(2, abs=1e-9)


def test_cuts_at_critical_points_add_no_values():
    assert term_density(terms.SINE, extra=(0.0,)).points.tolist() == pytest.approx([-1, 0, 1])


def test_missing_critical_points_are_refused():
    with pytest.raises(
        UnsupportedExpression, match=r"not monotone between the points -8.8 and 8.8; list all critical points"
    ):
        branches_of(Term(value=np.square, derivative=lambda w: 2 * w))


def test_the_time_ends_an_inverse() -> None:
    """Of many values: each Newton step looks at the clock; with time enough all of them arrive."""
    calls = []

    def derivative(w: np.ndarray) -> np.ndarray:
        calls.append(w.size)
        return 2 * w

    one, targets = side(derivative, 0.0, 3.0), np.linspace(1e-3, 8.9, 1000)
    h, slope = one.invert(targets)
    np.testing.assert_allclose(h, np.sqrt(targets), rtol=1e-13)
    np.testing.assert_allclose(slope, 2 * h, rtol=1e-13)
    calls.clear()
    with pytest.raises(TimeEnded), limited(1e-9):
        one.invert(targets)
    assert max(calls) < len(targets)  # no step of the inverse was taken


def test_sign_changes_are_found_in_few_steps():
    """Roots of sin(3 z) = 1/5 and jumps of round(3 sin(z)) in closed form; a root may be beside a node."""
    asked = 0

    def wave(z):
        nonlocal asked
        asked += 1
        return np.sin(3 * z) - 0.2

    grid, turns = np.linspace(-9, 9, 200), 2 * math.pi * np.arange(-6, 7)
    exact = np.sort(np.concatenate([math.asin(0.2) + turns, math.pi - math.asin(0.2) + turns])) / 3
    assert sign_changes(wave, grid) == pytest.approx(exact[abs(exact) < 9], abs=1e-14)
    assert asked <= 20
    jumps = sign_changes(lambda z: np.round(3 * np.sin(z)), np.linspace(-1, 1, 8))
    assert jumps == pytest.approx([-math.asin(1 / 6), math.asin(1 / 6)], abs=1e-14)


def test_kinks_whose_argument_is_zero_on_an_interval():
    """Median of a, b, c with a, b = x -+ w: c where |w| > |c - x|, else x + sign(c - x) |w|."""
    w, x, c = (variable(name) for name in ("w1", "x1", "x2"))
    a, b = ((x + s * w) / sympy.sqrt(2) for s in (-1, 1))
    median = sympy.Max(sympy.Min(a, b), sympy.Min(a, c), sympy.Min(b, c))
    rng = np.random.default_rng(3)
    for known, level in rng.standard_normal((20, 2)) / 2:
        pieces = pieces_between(along(median, w, (x, c)).at(known, level), -9.5, 9.5)
        end = abs(math.sqrt(2) * level - known)
        np.testing.assert_allclose([p.high for p in pieces[:-1]], [-end, 0, end], atol=1e-12)
