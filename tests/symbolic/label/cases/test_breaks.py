"""Integrals over the plane between lines and curves, and the laws of noisy labels that break along them."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import norm
from sympy import Abs, Max, symbols

from hermite_analytics.label.cases.plane.breaks import Breaks, divided
from hermite_analytics.label.cases.plane.lines import breaks_of
from hermite_analytics.label.cases.soft.channel import SoftChannel
from hermite_analytics.label.channel import channel_of

W1, W2 = symbols("w1 w2", real=True)
NO_LINES = np.zeros((0, 3))
OMEGA = np.array([[0.4, -0.9], [1.3, 0.2], [-0.3, 0.1], [0.05, 1.6]])
VARIANCE = np.array([[0.45, 0.12], [0.12, 0.3]])
SIZE = 1.0 / 3.0  # of the noise


def _above(c: float) -> float:
    """E relu(N(0, 1) - c)."""
    return float(norm.pdf(c) - c * norm.sf(c))


# (curve, E|curve| by an integral over one coordinate)
CURVES = {
    "a parabola": (
        lambda w: w[:, 0] - w[:, 1] ** 2,
        lambda: quad(lambda x: norm.pdf(x) * (2 * _above(x * x) + x * x), -9, 9, epsabs=1e-13)[0],
    ),
    "waves": (
        lambda w: np.sin(3 * w[:, 0]) - w[:, 1],
        lambda: quad(
            lambda x: norm.pdf(x) * (2 * _above(math.sin(3 * x)) + math.sin(3 * x)), -9, 9, epsabs=1e-13
        )[0],
    ),
    "a circle": (
        lambda w: (w**2).sum(-1) - 2,
        lambda: quad(lambda s: 0.5 * math.exp(-s / 2) * abs(s - 2), 0, 90, points=[2], epsabs=1e-13)[0],
    ),
    "a hyperbola": (
        lambda w: w[:, 0] * w[:, 1] - 1,
        lambda: 2 * quad(lambda x: norm.pdf(x) * (2 * x * _above(1 / x) + 1), 0, 9, epsabs=1e-13)[0],
    ),
}


@pytest.mark.parametrize("name", CURVES)
def test_rule_beside_curves_converges_to_integrals(name):
    curve, expected = CURVES[name]
    breaks = Breaks(lines=NO_LINES, curves=(curve,))
    errors = []
    for nodes in (6, 16):
        points, p = breaks.rule(nodes)
        errors.append(abs(p @ np.abs(curve(points)) - expected()))
    assert errors[0] < 2e-5 and errors[1] < 2e-11


def test_jumps_along_a_circle_have_the_probability_of_its_sides():
    breaks = Breaks(lines=np.array([[1.0, 0.0, 0.0]]), curves=(lambda w: (w**2).sum(-1) - 2,))
    points, p = breaks.rule(16)
    inside = (points**2).sum(-1) < 2
    assert p @ inside == pytest.approx(1 - math.exp(-1), abs=1e-12)
    assert p @ (inside & (points[:, 0] > 0)) == pytest.approx(0.5 - 0.5 * math.exp(-1), abs=1e-12)


def test_meetings_come_in_order_and_see_a_curve_that_turns_back():
    """A circle met at +-1e-4 between places that are looked at, a line, and columns that miss the circle."""
    breaks = Breaks(lines=np.array([[0.0, 1.0, 0.5]]), curves=(lambda w: (w**2).sum(-1) - 2,))
    edge = math.sqrt(2 - 1e-8)
    t, which = breaks.meetings(np.array([[edge, 0.0], [0.0, 0.0], [1.5, 0.0]]), np.array([0.0, 1.0]), 5.0)
    np.testing.assert_allclose(t[0], [-1e-4, 1e-4, 0.5], atol=1e-9)
    np.testing.assert_allclose(t[1], [-math.sqrt(2), 0.5, math.sqrt(2)], atol=1e-12)
    assert which.tolist() == [[1, 1, 0], [1, 0, 1], [0, -1, -1]] and t[2].tolist() == [0.5, 5.0, 5.0]


def test_changes_are_tangents_and_crossings():
    breaks = Breaks(lines=np.array([[1.0, -1.0, 0.0]]), curves=(lambda w: (w**2).sum(-1) - 2,))
    found = breaks.changes(np.array([1.0, 0.0]), np.array([0.0, 1.0]), 6.0)
    np.testing.assert_allclose(found, [-math.sqrt(2), -1, 1, math.sqrt(2)], atol=1e-9)


@pytest.mark.parametrize("turned", [False, True])
def test_panels_end_at_walls(turned):
    walls = np.array([[0.3, 0.7], [-4.0, 9.0]])  # of the second row none is within
    t, w = divided(np.linspace(-1.0, 1.0, 3), walls, 8, turned=turned)
    assert (w[0] * np.abs(t[0] - 0.3)).sum() == pytest.approx((1.3**2 + 0.7**2) / 2, abs=1e-13)
    assert (w[1] * t[1] ** 2).sum() == pytest.approx(2 / 3, abs=1e-13)


def test_breaks_of_nested_kinks_and_products():
    found = breaks_of([Max(Abs(W1) - 1, W2) + Abs(W1**3 - W1 * W2**2)], (W1, W2))
    lines = {tuple(line) for line in found.lines.tolist()}
    assert {(1.0, 0.0, 0.0), (1.0, 1.0, 0.0), (1.0, -1.0, 0.0)} < lines and not found.curves
    assert len(breaks_of([Abs(W1 * W2 - 1), Abs(1 - W1 * W2)], (W1, W2)).curves) == 1
    assert breaks_of([sum(Abs(W1 * W2 - k) for k in range(1, 40))], (W1, W2)) is None


LABELS = {
    "abs(z1 - z2**2) + xi/3": lambda a, b: np.abs(a - b**2),
    "max(tanh(z1), z2/2) + xi/3": lambda a, b: np.maximum(np.tanh(a), b / 2),
    "step(z1**2 + z2**2 - 2)*z1 + xi/3": lambda a, b: np.where(a * a + b * b > 2, a, 0.0),
}


@pytest.mark.slow
@pytest.mark.parametrize("text", LABELS)
def test_moments_are_those_of_a_fine_grid(text):
    """With 2001 x 2001 points, beside jumps to the size of its step."""
    h = LABELS[text]
    channel = channel_of(text)
    assert isinstance(channel.kind, SoftChannel)
    labels = np.array([0.7, -0.2, 1.5, 0.1])
    rows = channel.rows
    log_z, g, _ = channel.at(labels)(OMEGA @ rows.T, rows @ VARIANCE @ rows.T)
    factor = np.linalg.cholesky(VARIANCE)
    x = np.linspace(-7.0, 7.0, 2001)
    sums = np.zeros((4, 3))
    for part in np.array_split(x, 8):
        u = np.stack(np.meshgrid(part, x, indexing="ij"), -1)
        reference = np.exp(-0.5 * (u**2).sum(-1)) / (2 * math.pi) * (x[1] - x[0]) ** 2
        for k, (omega, y) in enumerate(zip(OMEGA, labels, strict=True)):
            w = omega + u @ factor.T
            p = reference * norm.pdf((y - h(w[..., 0], w[..., 1])) / SIZE) / SIZE
            sums[k] += [p.sum(), (p * u[..., 0]).sum(), (p * u[..., 1]).sum()]
    tolerance = 2e-3 if text.startswith("step") else 5e-5
    np.testing.assert_allclose(log_z, np.log(sums[:, 0]), atol=tolerance)
    expected = np.linalg.solve(factor.T, (sums[:, 1:] / sums[:, :1]).T).T
    np.testing.assert_allclose(g @ rows, expected, atol=3 * tolerance)
