"""Orthant probabilities and truncated moments, against integration in polar coordinates and simulation."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
import sympy

from hermite_analytics.gaussian.law import Form, standard_law
from hermite_analytics.gaussian.moments import TruncatedMoments
from hermite_analytics.gaussian.orthant import orthant_probability, pair_probability
from hermite_analytics.gaussian.reals import NoClosedForm
from hermite_analytics.language.functions import Phi2

R = sympy.Rational


def forms(rows):
    """Forms from (slopes, offset)."""
    return tuple(Form(tuple(map(sympy.sympify, s)), sympy.sympify(t)) for s, t in rows)


def planar(rows):
    """P of a convex cell in the plane: over the angle, the mass of a radial interval.

    Gauss-Legendre between the angles where a line is parallel to the ray or two lines meet.
    """
    lines = [(float(a), float(b), float(t)) for (a, b), t in rows]
    breaks = {0.0, 2 * np.pi}
    for a, b, _ in lines:
        breaks |= {np.arctan2(a, -b) % (2 * np.pi), np.arctan2(-a, b) % (2 * np.pi)}
    for i, (a, b, t) in enumerate(lines):
        for c, d, s in lines[:i]:
            if a * d != b * c:
                x, y = (b * s - d * t) / (a * d - b * c), (c * t - a * s) / (a * d - b * c)
                breaks.add(np.arctan2(y, x) % (2 * np.pi))
    ends = sorted(breaks)  # several panels each: exp(-1/sin^2) is smooth but not analytic at the ends
    edges = np.unique(np.concatenate([np.linspace(a, b, 9) for a, b in itertools.pairwise(ends)]))
    nodes, weights = np.polynomial.legendre.leggauss(80)
    half, middle = np.diff(edges)[:, None] / 2, (edges[1:] + edges[:-1])[:, None] / 2
    theta = middle + half * nodes
    low, high = np.zeros(theta.shape), np.full(theta.shape, np.inf)
    for a, b, t in lines:
        slope = a * np.cos(theta) + b * np.sin(theta)
        with np.errstate(divide="ignore", invalid="ignore"):
            end = -t / slope
        low = np.where(slope > 0, np.maximum(low, end), low)
        high = np.where(slope < 0, np.minimum(high, end), high)
    mass = np.exp(-(low**2) / 2) - np.exp(-(high**2) / 2)
    return float(np.sum(half * weights * np.where(high > low, mass, 0.0)) / (2 * np.pi))


PLANAR = {
    "half plane": [((1, 2), R(1, 2))],
    "wedge": [((1, 0), 0), ((1, 1), 0)],
    "wedge with a threshold": [((1, 0), -1), ((1, 1), 0)],
    "wedge with thresholds": [((1, 0), -1), ((1, 3), R(1, 2))],
    "wedge of equal heights": [((1, 0), 1), ((R(3, 5), R(4, 5)), 1)],
    "wedge of opposite heights": [((1, 0), 1), ((R(3, 5), R(4, 5)), -1)],
    "strip": [((1, 0), 1), ((-1, 0), 2)],
    "empty strip": [((1, 0), -1), ((-1, 0), -2)],
    "three lines through one point": [((1, 0), 0), ((0, 1), 0), ((1, 1), 0)],
    "truncated quadrant": [((1, 0), 0), ((0, 1), 0), ((1, 1), -1)],
    "triangle": [((1, 0), 1), ((0, 1), 1), ((-1, -1), 1)],
    "triangle without the origin": [((1, 0), -1), ((0, 1), -1), ((-1, -1), 3)],
    "rectangle": [((1, 0), 1), ((-1, 0), 1), ((0, 1), 1), ((0, -1), 2)],
    "quadrilateral": [((1, 2), 1), ((-1, 1), 1), ((2, -1), 1), ((0, -1), 2)],
    "a form that does not cut": [((1, 0), 1), ((0, 1), 1), ((1, 1), 5)],
    "empty": [((1, 0), -1), ((0, 1), -1), ((-1, -1), 1)],
    "pentagon": [((1, 0), 1), ((0, 1), 1), ((-1, 0), 2), ((0, -1), 2), ((-1, -1), 3)],
}


@pytest.mark.parametrize("name", PLANAR)
def test_planar_cells(name):
    rows = PLANAR[name]
    value = float(orthant_probability(standard_law(2), forms(rows)))
    assert value == pytest.approx(planar(rows), abs=1e-10)


SPATIAL = {
    "three": ([((1, 0, 0), 0), ((1, 1, 0), 0), ((1, 1, 1), 0)], (0, 0, 0), sympy.Rational(5, 16)),
    "four, one redundant": (
        [((1, 0, 0), 0), ((0, 1, 0), 0), ((0, 0, 1), 0), ((1, 1, 1), 0)], (0, 0, 0), R(1, 8),
    ),
    "four": ([((1, 0, 0), 0), ((0, 1, 0), 0), ((0, 0, 1), 0), ((1, 1, -1), 0)], (0, 0, 0), None),
    "five": (
        [((1, 0, 0), 0), ((0, 1, 0), 0), ((0, 0, 1), 0), ((1, 2, -1), 0), ((2, -1, 1), 0)], (0, 0, 0), None,
    ),
    "empty": ([((1, 0, 0), 0), ((0, 1, 0), 0), ((0, 0, 1), 0), ((-1, -1, -1), 0)], (0, 0, 0), R(0)),
    "moments": ([((1, 0, 0), 0), ((1, 1, 0), 0), ((1, 1, 1), 0)], (1, 2, 1), None),
    "moments with thresholds": ([((1, 0, 0), R(1, 2)), ((0, 1, 1), -1)], (2, 1, 1), None),
    "independent": ([((1, 0, 0), 1), ((0, 1, 0), 0), ((0, 1, 1), 0)], (1, 0, 2), None),
}  # fmt: skip


@pytest.mark.cases(2)
@pytest.mark.parametrize("name", SPATIAL)
def test_spatial_cells(name):
    # 4.5 standard errors: a false alarm once in 150000 such comparisons
    rows, alpha, exact = SPATIAL[name]
    value = float(TruncatedMoments(standard_law(3), forms(rows)).moment(alpha))
    if exact is not None:
        assert value == pytest.approx(float(exact), abs=1e-15)
    x = np.random.default_rng(11).standard_normal((1_000_000, 3))
    sample = np.prod(x**alpha, axis=1)
    for slope, offset in rows:
        sample = sample * (x @ np.array(slope, dtype=float) + float(offset) > 0)
    assert abs(sample.mean() - value) <= 4.5 * sample.std() / 1000


@pytest.mark.cases(12)
@pytest.mark.parametrize("rho", [R(-4, 5), R(-1, 3), R(0), R(1, 2), R(9, 10)])
@pytest.mark.parametrize(("h", "k"), [(0, 0), (0, R(3, 2)), (0, R(-1, 2)), (R(1, 2), R(1, 2)), (R(-2), R(-2)),
                                      (R(3, 4), R(-3, 4)), (R(-3, 4), R(3, 4)), (R(1, 2), 1)])  # fmt: skip
def test_pair_rules_are_the_bivariate_distribution(h, k, rho):
    def density(x, y):
        quadratic = (x * x - 2 * float(rho) * x * y + y * y) / (2 * (1 - float(rho) ** 2))
        return np.exp(-quadratic) / (2 * np.pi * np.sqrt(1 - float(rho) ** 2))

    nodes, weights = np.polynomial.legendre.leggauss(200)
    x, wx = (float(h) - 9) / 2 + (float(h) + 9) / 2 * nodes, (float(h) + 9) / 2 * weights
    y, wy = (float(k) - 9) / 2 + (float(k) + 9) / 2 * nodes, (float(k) + 9) / 2 * weights
    value = float(wx @ density(x[:, None], y[None, :]) @ wy)
    found = pair_probability(sympy.sympify(h), sympy.sympify(k), rho)
    assert float(found) == pytest.approx(value, abs=1e-12)
    if (h, k) != (R(1, 2), 1):
        assert not found.has(Phi2) or rho == 0


def test_uniform_law_of_the_distribution_function():
    # E Phi(z)^n = 1/(n + 1): n steps of correlation 1/2
    rows = [((1, *(-int(i == j) for j in range(4))), 0) for i in range(4)]
    assert orthant_probability(standard_law(5), forms(rows)) == R(1, 5)


def test_parallel_forms_of_unknown_order():
    a, b = sympy.symbols("a b", real=True)
    value = orthant_probability(standard_law(1), (Form((R(1),), a), Form((R(2),), b)))
    for x, y in ((1, 3), (2, -1), (-1, 0)):
        assert float(value.subs({a: x, b: y})) == pytest.approx(
            float(sympy.erfc(-min(x, y / 2) / sympy.sqrt(2)) / 2)
        )


@pytest.mark.parametrize("rows", [
    [((1, 0, 0), 1), ((1, 1, 0), 0), ((1, 1, 1), 0)],
    [((1, 0, 0, 0), 0), ((1, 1, 0, 0), 0), ((1, 1, 1, 0), 0), ((1, 1, 1, 1), 0)],
])  # fmt: skip
def test_what_has_no_closed_form_says_so(rows):
    with pytest.raises(NoClosedForm, match=r"a product of . steps of rank"):
        orthant_probability(standard_law(len(rows[0][0])), forms(rows))
