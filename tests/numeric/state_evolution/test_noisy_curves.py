"""State evolution of noisy labels of two coordinates that break along curves, against grids and series."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.special import eval_laguerre
from scipy.stats import norm

from hermite_analytics.label.channel import channel_of
from hermite_analytics.numeric import StateEvolution
from hermite_analytics.numeric.bayes.maps.overlap_map import map_of
from hermite_analytics.numeric.bayes.state_evolution.posterior_mean import regression_error
from hermite_analytics.numeric.status import Rule

SIZE = 1 / 3  # of the noise
NODES, WEIGHTS = np.polynomial.hermite_e.hermegauss(80)
WEIGHTS = WEIGHTS / WEIGHTS.sum()
LABELS = {
    "max(tanh(z1), z2/2) + xi/3": (lambda a, b: np.maximum(np.tanh(a), b / 2), 2e-6),
    "step(z1**2 + z2**2 - 2)*z1 + xi/3": (lambda a, b: np.where(a * a + b * b > 2, a, 0.0), 1e-3),
}


def on_a_grid(h, overlaps, points=500, centres=41):
    """F(M) of a diagonal M: midpoints of z, equal steps of omega and y, products of matrices."""
    z = (np.arange(points) + 0.5) / points * 14 - 7
    label = h(z[:, None], z[None, :])
    t = np.linspace(-7, 7, centres)
    weights = norm.pdf(t) * (t[1] - t[0])
    near, moved = [], []
    for m in overlaps:
        d = z[:, None] - math.sqrt(m) * t
        near.append(norm.pdf(d, scale=math.sqrt(1 - m)) * (z[1] - z[0]))
        moved.append(near[-1] * d / (1 - m))
    step = 0.5 * SIZE
    found = np.zeros((2, 2))
    for y in np.arange(-6.0, 6.0, step):
        p = norm.pdf(y - label, scale=SIZE)
        total = near[0].T @ p @ near[1]
        first, second = moved[0].T @ p @ near[1], near[0].T @ p @ moved[1]
        w = np.where(total > 1e-200, np.outer(weights, weights) / np.maximum(total, 1e-200), 0.0) * step
        both = (w * first * second).sum()
        found += np.array([[(w * first**2).sum(), both], [both, (w * second**2).sum()]])
    return found


@pytest.mark.slow
@pytest.mark.parametrize("text", LABELS)
def test_map_is_that_of_a_grid(text):
    """Where the label is continuous to the square of the grid's step, beside jumps to the step itself."""
    h, tolerance = LABELS[text]
    channel = channel_of(text)
    f, rows = map_of(channel)[0], channel.rows
    matrix = rows @ np.diag([0.3, 0.5]) @ rows.T
    np.testing.assert_allclose(rows.T @ f.at(matrix) @ rows, on_a_grid(h, (0.3, 0.5)), atol=tolerance)
    assert np.abs(f.at(matrix) - f.at(matrix, 0)).max() < 1e-5


@pytest.mark.slow
def test_overlaps_are_no_samples_and_have_small_errors():
    """A fixed point is one of the grid's map too: alpha F(M) = M (I - M)^(-1)."""
    text = "max(tanh(z1), z2/2) + xi/3"
    (found,) = StateEvolution(text).solve(alpha=2).results()
    assert found["rule"] == Rule.QUADRATURE and found["numerical_error"] < 1e-5
    matrix = np.array(found["overlap"])
    values, axes = np.linalg.eigh(matrix)
    h, _ = LABELS[text]
    turned = on_a_grid(
        lambda a, b: h(axes[0, 0] * a + axes[0, 1] * b, axes[1, 0] * a + axes[1, 1] * b), values
    )
    np.testing.assert_allclose(2 * turned, np.diag(values / (1 - values)), atol=1e-4)


@pytest.mark.parametrize("m", [0.35, 0.8])
def test_error_of_the_posterior_mean_beside_a_circle(m):
    """f = relu(s - 2) of s = |z|^2: E f f' = sum over k of m^(2 k) E[f L_k(s/2)]^2."""
    regression = channel_of("relu(z1**2 + z2**2 - 2)").regression
    k = np.arange(60)
    squares = np.array([quad(_projected, 1, 45, args=(j,), limit=200)[0] ** 2 for j in k])
    rest = 8 * math.exp(-1) - squares.sum()  # of E f^2: larger k, of which m^(2 k) leaves 1e-11
    expected = squares @ (1 - m ** (2.0 * k)) + rest
    assert regression_error(regression, m * np.eye(2)) == pytest.approx(expected, rel=1e-7)


def _projected(u, k):
    return math.exp(-u) * (2 * u - 2) * eval_laguerre(k, u)


def test_error_of_the_posterior_mean_beside_a_circle_and_a_known_coordinate():
    """f = z1 step(|z|^2 - 1): given z1 and omega of z2 it is z1 times an indicator of probability p."""
    regression = channel_of("step(z1**2 + z2**2 - 1)*z1 + xi/2").regression
    m = 0.4

    def variance(z):
        edge = math.sqrt(max(1 - z * z, 0.0))
        centres = math.sqrt(m) * NODES
        inside = norm.cdf((edge - centres) / math.sqrt(1 - m)) - norm.cdf(
            (-edge - centres) / math.sqrt(1 - m)
        )
        return z * z * (WEIGHTS @ (inside * (1 - inside)))

    expected = (
        2 * quad(lambda a: variance(math.sin(a)) * norm.pdf(math.sin(a)) * math.cos(a), 0, math.pi / 2)[0]
    )
    assert regression_error(regression, np.diag([1.0, m])) == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize("text", ["max(z1, z2**3) + xi/4", "relu(z1 + z2**3) + xi"])
def test_curves_that_every_column_meets(text):
    """No order changes from column to column: E[y^2] by the rule, against an integral over one coordinate."""
    channel = channel_of(text)
    points, p = channel.kind.rule.breaks.rule(12)
    value = np.maximum(points @ channel.rows[:, 0], (points @ channel.rows[:, 1]) ** 3)
    if text.startswith("relu"):
        value = np.maximum(points @ channel.rows[:, 0] + (points @ channel.rows[:, 1]) ** 3, 0.0)

    def given(x):  # E[max(z, c)^2], or that of relu(z + c)
        c = x**3
        if text.startswith("relu"):
            return (1 + c * c) * norm.cdf(c) + c * norm.pdf(c)
        return c * c * norm.cdf(c) + norm.sf(c) + c * norm.pdf(c)

    expected = quad(lambda x: norm.pdf(x) * given(x), -9, 9, limit=200)[0]
    assert p @ value**2 == pytest.approx(expected, rel=1e-6)
