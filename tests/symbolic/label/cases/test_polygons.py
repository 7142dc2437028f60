"""Piecewise linear labels of two coordinates, against integrals along one coordinate and other engines."""

from __future__ import annotations

import math

import mpmath
import numpy as np
import pytest

from hermite_analytics.errors import UnsupportedExpression
from hermite_analytics.label.cases.plane.polygons import polygon_density, vertex_order
from tests.symbolic.label.terms import RELU, check_law, sum_density, three_relus, threshold

AXES = [(1.0, 0.0, 0.0), (0.0, 1.0, 0.0)]
DIAGONALS = [(1.0, 1.0, 0.0), (1.0, -1.0, 0.0)]
# z1, z2, z3 given their sum: z = FORMS^T w + sum/3
FORMS = np.array([[1, 0, -1], [-1, 2, -1]]) / np.sqrt([[2], [6]])


@pytest.mark.parametrize(
    ("g", "lines", "alpha"),
    [
        (lambda w: np.abs(w).sum(1), AXES, 1.0679875403756016),
        (lambda w: np.abs(w).max(1), [*AXES, *DIAGONALS], 1.0679875403756016),
        (lambda w: np.abs(w).min(1), [*AXES, *DIAGONALS], 2.4206855258),
        (lambda w: np.sign(w).prod(1), AXES, math.pi**2 / 4),
    ],
)
def test_known_values(g, lines, alpha):
    law = polygon_density(g, lines)
    check_law(law, 1e-12)
    assert threshold(law) == pytest.approx(alpha, rel=1e-10)


@pytest.mark.parametrize("total", [1.7, 0.3, -1.0])
def test_three_relus_given_their_sum(total):
    lines = [(*FORMS[:, i], -total / 3) for i in range(3)]
    law = polygon_density(lambda w: np.maximum(w @ FORMS + total / 3, 0).sum(1), lines)
    check_law(law, 1e-12)
    assert law.atoms == pytest.approx([max(total, 0.0)], abs=1e-14)
    assert 1 / threshold(law) == pytest.approx(three_relus(total), rel=1e-9)


def test_the_largest_of_three():
    """Where z1 is the largest, it is known and the difference of the others is below sqrt(3) of it."""

    def node(u):
        half = mpmath.sqrt(3) * u
        mass = mpmath.erf(half / mpmath.sqrt(2))
        square = u * u + 1 - 2 * half * mpmath.npdf(half) / mass
        return 3 * mpmath.npdf(u) * mass * (square - 2) ** 2 / 4

    lines = [(*(FORMS[:, i] - FORMS[:, j]), 0.0) for i, j in ((0, 1), (0, 2), (1, 2))]
    law = polygon_density(lambda w: (w @ FORMS).max(1), lines)
    assert 1 / threshold(law) == pytest.approx(float(mpmath.quad(node, [1e-12, 0.5, 1, 2, 4, 9])), rel=1e-10)


def test_atoms_and_jumps():
    law = polygon_density(lambda w: np.maximum(w, 0).sum(1), AXES)
    assert threshold(law) == pytest.approx(threshold(sum_density([RELU, RELU], level=2)), rel=1e-9)
    # x + sign(y): the sum of a normal variable and a fair sign
    law = polygon_density(lambda w: w[:, 0] + 3 * np.sign(w[:, 1]), AXES)
    check_law(law, 1e-12)
    nodes = law.quadrature()
    assert nodes.weights @ nodes.first[:, 1] == pytest.approx(0, abs=1e-14)
    y = np.linspace(-12, 12, 4001)
    pair = [np.exp(-((y - c) ** 2) / 2) / math.sqrt(2 * math.pi) / 2 for c in (-3, 3)]
    expected = np.trapezoid((pair[1] - pair[0]) ** 2 / (pair[0] + pair[1]), y) * 2 / math.pi
    assert nodes.weights @ nodes.first[:, 1] ** 2 == pytest.approx(expected, rel=1e-8)


def test_lines_that_cut_nothing_do_not_matter():
    label = lambda w: np.abs(w[:, 0] + 2 * w[:, 1] - 1)  # noqa: E731
    plain, cut = (polygon_density(label, lines) for lines in ([(1, 2, 1)], [(1, 2, 1), (3, -1, 0.4)]))
    assert threshold(plain) == pytest.approx(threshold(cut), rel=1e-11)


def test_order_of_vertices():
    label = lambda x: lambda w: np.abs(w[:, 0]) + np.abs(w[:, 1]) + np.abs(w.sum(1) - x)  # noqa: E731
    orders = [vertex_order(label(x), [*AXES, (1, 1, x)]) for x in (0.5, 2.0, -1.0, 0.0)]
    assert orders == [(0, 0, 0)] * 4
    assert vertex_order(lambda w: w[:, 0], [(1, 0, 2), (0, 1, 0), (1, 1, 1)]) == (1, 1, 0)
    assert vertex_order(lambda w: w[:, 0], AXES[:1]) == ()


def test_curved_labels_are_refused():
    with pytest.raises(UnsupportedExpression, match="the label is not linear between the lines given"):
        polygon_density(lambda w: w.prod(1), AXES)
