"""Probabilities of boxes: orthants in closed form, and correlations by a path against panels."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from hermite_analytics.label.cases.values import box_integrals
from hermite_analytics.label.cases.values.box_integrals import box_moments

ONE_EDGE = [np.zeros(1)] * 3


def correlations(a: float, b: float, c: float) -> np.ndarray:
    return np.array([[1.0, a, b], [a, 1.0, c], [b, c, 1.0]])


@pytest.mark.parametrize("rho", [(0.3, -0.2, 0.5), (0.6, 0.5, 0.4), (0.9, 0.8, 0.7), (0.0, 0.0, 0.97)])
def test_orthants(rho):
    """P(z1, z2, z3 > 0) = 1/8 + (sum of asin rho)/(4 pi): by the path, and by panels where it is not sure."""
    table = np.zeros((1, 2, 2, 2))
    table[0, 1, 1, 1] = 1.0
    z, first, _ = box_moments(table, np.zeros(1, dtype=int), ONE_EDGE, np.zeros((1, 3)), correlations(*rho))
    assert z[0] == pytest.approx(1 / 8 + sum(map(math.asin, rho)) / (4 * math.pi), abs=1e-14)
    # d_1 Z = N(0; 0, 1) P(z2, z3 > 0 given z1 = 0), an orthant of the plane
    a, b, c = rho
    left = math.asin((c - a * b) / math.sqrt((1 - a * a) * (1 - b * b)))
    assert first[0, 0] == pytest.approx((1 / 4 + left / (2 * math.pi)) / math.sqrt(2 * math.pi), abs=1e-14)


def test_the_path_and_panels(monkeypatch):
    """Tables with jumps of both signs, several edges and means off them; first and second derivatives too."""
    rng = np.random.default_rng(0)
    edges = [np.array([-0.7, 0.4]), np.array([0.2]), np.array([-1.0, 0.1, 0.9])]
    tables, code = rng.random((3, 3, 2, 4)), rng.integers(0, 3, 40)
    omega, v = rng.standard_normal((40, 3)), 0.6 * correlations(0.3, -0.4, 0.5)
    path = box_moments(tables, code, edges, omega, v)
    monkeypatch.setattr(box_integrals, "_STRONGEST", -1.0)
    monkeypatch.setattr(box_integrals, "_LEAST_EIGENVALUE", 2.0)
    for found, known in zip(path, box_moments(tables, code, edges, omega, v), strict=True):
        np.testing.assert_allclose(found, known, rtol=0, atol=3e-14)


def test_derivatives_are_those_of_z():
    """By differences of Z, in three coordinates with an edge missing along one of them."""
    edges = [np.array([-0.7, 0.4]), np.zeros(0), np.array([0.3])]
    tables = np.random.default_rng(1).random((1, 3, 1, 2))
    omega, v, step = np.array([[0.3, -0.2, 0.5]]), correlations(0.3, -0.2, 0.5), 1e-3

    def z(moved: np.ndarray) -> float:
        return float(box_moments(tables, np.zeros(1, dtype=int), edges, omega + moved, v)[0][0])

    _, first, second = box_moments(tables, np.zeros(1, dtype=int), edges, omega, v)
    e = step * np.eye(3)
    for j, k in itertools.product(range(3), repeat=2):
        mixed = (z(e[j] + e[k]) - z(e[j] - e[k]) - z(e[k] - e[j]) + z(-e[j] - e[k])) / (4 * step**2)
        assert second[0, j, k] == pytest.approx(mixed, abs=1e-6)
        assert first[0, k] == pytest.approx((z(e[k]) - z(-e[k])) / (2 * step), abs=1e-6)
    assert first[0, 1] == 0


def test_tails_keep_their_digits():
    """P(z1 > 6, z2 > 6) at correlation .3, far below the rounding of 1."""
    table = np.zeros((1, 2, 2))
    table[0, 1, 1] = 1.0
    v = np.array([[1.0, 0.3], [0.3, 1.0]])
    z, _, _ = box_moments(table, np.zeros(1, dtype=int), [np.full(1, 6.0)] * 2, np.zeros((1, 2)), v)
    x, w = np.polynomial.legendre.leggauss(200)
    x, w = 6 + 4 * (1 + x), 4 * w  # over z1, the second factor in closed form
    rest = [0.5 * math.erfc((6 - 0.3 * t) / math.sqrt(2 * 0.91)) for t in x]
    known = float(w @ (np.exp(-0.5 * x * x) / math.sqrt(2 * math.pi) * rest))
    assert z[0] == pytest.approx(known, rel=1e-11) and known < 1e-12
