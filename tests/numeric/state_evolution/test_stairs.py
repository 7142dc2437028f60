"""State evolution of a quantised coordinate, against the probabilities of its integers.

The noise of floor(2 |z| + xi^2) is averaged over last: given it |z| lies in an interval.

With omega ~ N(0, M) and V = 1 - M the integer n has the probability
P_n(omega) = Phi((n + 1 - omega)/sqrt V) - Phi((n - omega)/sqrt V), and
M/(1 - M) = alpha E[sum_n (dP_n/domega)^2/P_n].
"""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import ndtr

import hermite_analytics as ha
from hermite_analytics.numeric import StateEvolution


def information(overlap: float) -> float:
    nodes, weights = np.polynomial.hermite_e.hermegauss(60)
    omega, spread = np.sqrt(overlap) * nodes[:, None], np.sqrt(1 - overlap)
    edges = (np.arange(-25, 26) - omega) / spread
    masses = np.diff(ndtr(edges), axis=1)
    slopes = -np.diff(np.exp(-edges * edges / 2), axis=1) / np.sqrt(2 * np.pi) / spread
    terms = np.where(masses > 1e-30, slopes**2 / np.maximum(masses, 1e-30), 0.0).sum(axis=1)
    return float(weights @ terms / np.sqrt(2 * np.pi))


@pytest.mark.slow
def test_quantised_coordinate() -> None:
    alpha = 1.0
    (found,) = StateEvolution("floor(z1)").solve(alpha=alpha).records()
    overlap = float(np.squeeze(found["overlap"]))
    assert overlap / (1 - overlap) == pytest.approx(alpha * information(overlap), rel=1e-7)


def noise() -> tuple[np.ndarray, np.ndarray]:
    """Nodes and weights of |xi|, on panels between the roots of integers."""
    x, w = np.polynomial.legendre.leggauss(12)
    low, high = np.sqrt(np.arange(80)), np.sqrt(np.arange(1, 81))
    points = (low[:, None] + (high - low)[:, None] * (x + 1) / 2).ravel()
    weights = ((high - low)[:, None] * w / 2).ravel()
    return points, weights * 2 * np.exp(-(points**2) / 2) / np.sqrt(2 * np.pi)


def behind_a_square(overlap: float) -> float:
    """F of floor(2 |z| + xi^2)."""
    xi, chances = noise()
    ends = np.maximum((np.arange(100) - xi[:, None] ** 2) / 2, 0.0)
    nodes, weights = np.polynomial.hermite_e.hermegauss(300)
    spread, total = np.sqrt(1 - overlap), 0.0
    for omega, weight in zip(np.sqrt(overlap) * nodes, weights / np.sqrt(2 * np.pi), strict=True):
        right, left = (ends - omega) / spread, (-ends - omega) / spread
        masses = chances @ (np.diff(ndtr(right), axis=1) - np.diff(ndtr(left), axis=1))
        slopes = chances @ np.diff(density(left) - density(right), axis=1) / spread
        total += weight * float((slopes**2 / np.maximum(masses, 1e-30))[masses > 1e-25].sum())
    return total


def density(x: np.ndarray) -> np.ndarray:
    return np.exp(-x * x / 2) / np.sqrt(2 * np.pi)


@pytest.mark.slow
def test_quantised_behind_a_square_of_noise() -> None:
    """Of 171 steps with curves as their edges; neither threshold nor overlap were found in their time."""
    text = "floor(2*abs(z1) + xi**2)"
    xi, chances = noise()
    ends = np.maximum((np.arange(100) - xi[:, None] ** 2) / 2, 0.0)
    masses = chances @ (2 * np.diff(ndtr(ends), axis=1))
    told = chances @ (-2 * np.diff(ends * density(ends), axis=1))  # E[(z^2 - 1) 1{y}]
    weak = 1 / (told**2 / np.maximum(masses, 1e-30))[masses > 1e-25].sum()
    (stage,) = ha.weak_recovery(text).stages
    assert abs(stage.alpha_c.value - weak) <= stage.alpha_c.error < 1e-6
    model = StateEvolution(text)
    assert model.weak_recovery() == pytest.approx(weak, rel=1e-8)
    found = model.solve(alpha=2.5)
    m, step = float(found.overlap.squeeze()), 1e-4
    rising = [2.5 * f / (1 + 2.5 * f) for f in map(behind_a_square, (m - step, m, m + step))]
    slope = 1 - (rising[2] - rising[0]) / (2 * step)
    assert abs((rising[1] - m) / slope) <= float(found.numerical_error) + 1e-10 < 1e-9
