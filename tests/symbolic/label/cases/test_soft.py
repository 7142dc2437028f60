"""Labels with noise in them: points off the breaks of their law given one or two coordinates."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.special import ndtr
from sympy import sign, symbols

from hermite_analytics import weak_recovery
from hermite_analytics.label.cases.soft.channel import SoftChannel
from hermite_analytics.label.channel import channel_of
from hermite_analytics.label.exact import cells
from hermite_analytics.label.operator import top_eigenvalue
from hermite_analytics.label.quadrature import LabelQuadrature
from hermite_analytics.symbols import xi


def top_of(likelihoods, points, p, weights):
    """Of M -> E[G M G] with G = E[w w^T - I | y], from P(y | w) on a grid of w, for labels one by one."""
    q = points.shape[1]
    matrix = np.zeros((q * q, q * q))
    for likelihood, weight in zip(likelihoods, weights, strict=True):
        joint = p * likelihood
        if joint.sum() > 0:
            g = (joint[:, None] * points).T @ points / joint.sum() - np.eye(q)
            matrix += weight * joint.sum() * np.kron(g, g)
    return float(np.linalg.eigvalsh(matrix)[-1])


def grid(step):
    t = np.arange(-8.0, 8.0, step) + 0.5 * step
    points = np.stack(np.meshgrid(t, t, indexing="ij"), -1).reshape(-1, 2)
    return points, step**2 * np.exp(-0.5 * (points**2).sum(1)) / (2 * math.pi)


def gaussian(y, h, noise):
    return np.exp(-0.5 * ((y - h) / noise) ** 2) / (noise * math.sqrt(2 * math.pi))


ADDED = {
    "cos(z1*z2) + z1**2/2 + xi": lambda a, b: np.cos(a * b) + a * a / 2,
    "tanh(z1**2*z2**2 + z1**2) + xi": lambda a, b: np.tanh(a * a * b * b + a * a),
    "sin(3*z1*z2) + z1**2 + xi": lambda a, b: np.sin(3 * a * b) + a * a,
}


@pytest.mark.slow
@pytest.mark.parametrize("text", ADDED)
def test_threshold_of_two_coordinates_with_noise(text):
    """A trapezoid rule of 320 x 320 points: its errors are far below 1e-8 for such smooth labels."""
    points, p = grid(0.05)
    h = ADDED[text](*points.T)
    y = np.arange(h[p > 1e-13].min() - 8, h[p > 1e-13].max() + 8, 0.2)
    expected = 1 / top_of((gaussian(v, h, 1.0) for v in y), points, p, np.full(len(y), 0.2))
    found = weak_recovery(text).alpha_c
    assert abs(found.value - expected) < found.error + 1e-8 * expected
    assert found.error < 1e-7 * expected


@pytest.mark.slow
def test_threshold_of_noise_inside_a_step_of_two_coordinates():
    points, p = grid(0.02)
    one = ndtr(2 * (points[:, 0] ** 2 * points[:, 1] ** 2 + points[:, 1] ** 2 - 1))
    expected = 1 / top_of([one, 1 - one], points, p, np.ones(2))
    found = weak_recovery("step(z1**2*z2**2 + z2**2 - 1 + xi/2)", seconds=20).alpha_c
    assert abs(found.value - expected) < found.error + 1e-8 * expected
    assert found.error < 1e-6 * expected


def test_points_of_a_line_are_dense_only_where_the_label_is_steep():
    case = channel_of("exp(z1) + xi").kind
    assert isinstance(case, SoftChannel)
    w = np.arange(-9.0, 7.4, 5e-4)
    p, y = 5e-4 * np.exp(-0.5 * w * w) / math.sqrt(2 * math.pi), np.arange(-9.0, 1600.0, 0.4)
    near = [np.abs(v - np.exp(w)) < 9 for v in y]
    expected = 0.0
    for v, k in zip(y, near, strict=True):
        joint = p[k] * gaussian(v, np.exp(w[k]), 1.0)
        if joint.sum() > 0:
            expected += 0.4 * (joint @ (w[k] ** 2 - 1)) ** 2 / joint.sum()
    nodes = case.label_nodes()
    assert top_eigenvalue(LabelQuadrature.of_nodes(nodes)) == pytest.approx(expected, rel=2e-8)
    assert len(np.unique(nodes.points)) < 10_000


def test_laws_of_values_need_no_probabilities(monkeypatch):
    """They took seconds to minutes for one curve in the plane."""
    monkeypatch.setattr(cells, "expected_quantity", None)
    w = symbols("w1 w2", real=True)
    found = cells.laws_of_values(sign(w[0] * w[1] ** 3 + w[0] ** 2 - 1 + xi / 2), w)
    assert [label for label, _ in found] == [-1, 1]


def test_roots_beside_an_edge():
    """With s = w^(1/3) as the parameter the integrals over w are smooth: a trapezoid rule has them."""
    s = np.arange(-2.2, 2.2, 2e-3) + 1e-3
    p, y = 6e-3 * s**2 * np.exp(-0.5 * s**6) / math.sqrt(2 * math.pi), np.arange(-5.0, 7.0, 0.05)
    joint = p * gaussian(y[:, None], np.abs(s), 0.5)
    expected = 0.05 * ((joint @ (s**6 - 1)) ** 2 / joint.sum(1)).sum()
    nodes = channel_of("abs(z1)**(1/3) + xi/2").kind.label_nodes()
    assert top_eigenvalue(LabelQuadrature.of_nodes(nodes)) == pytest.approx(expected, rel=3e-9)


def test_threshold_of_a_root_under_noise():
    """With s = |w|^(1/2) as the parameter the integrals over w are smooth."""
    x, weights = np.polynomial.legendre.leggauss(400)
    s, weights = 1.6 * (1 + x), 1.6 * weights
    p, y = 4 * s * weights * np.exp(-0.5 * s**4) / math.sqrt(2 * math.pi), np.arange(-1.3, 4.5, 0.01)
    joint = p * gaussian(y[:, None], s, 1 / 7)
    expected = 1 / (0.01 * ((joint @ (s**4 - 1)) ** 2 / joint.sum(1)).sum())
    found = weak_recovery("sqrt(abs(z1)) + xi/7").alpha_c
    assert abs(found.value - expected) < found.error
    assert found.error < 2e-12
