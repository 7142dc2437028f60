"""Floors of one value of three coordinates: sums over integers of moments that are known in closed form.

Of floor(max(z1, z2, z3)) the moments of {max < t} are products of normal integrals; of floor(z1 + z2 z3)
those of z1 are, given the others, which Gauss-Hermite nodes average over. 1/alpha_c is the largest eigenvalue
of sum over n of M_n (x) M_n / p_n with M_n = E[z z^T - 1; n].
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from scipy.special import ndtr

from hermite_analytics.label.cases.label_range import LabelRange
from hermite_analytics.label.thresholds.stage import step_threshold
from hermite_analytics.numeric import StateEvolution
from hermite_analytics.target import Target

Moments = Callable[[float], tuple[float, np.ndarray]]


def density(x: np.ndarray | float) -> np.ndarray:
    return np.exp(-np.square(x) / 2) / np.sqrt(2 * np.pi)


def of_largest(t: float) -> tuple[float, np.ndarray]:
    p, first, second = ndtr(t), -density(t), -t * density(t)
    moments = np.full((3, 3), p * first * first)
    np.fill_diagonal(moments, p * p * second)
    return p**3, moments


def of_sum(t: float) -> tuple[float, np.ndarray]:
    x, w = np.polynomial.hermite_e.hermegauss(90)
    w = w / np.sqrt(2 * np.pi)
    second, third, weights = x[:, None], x[None], w[:, None] * w[None]
    at = t - second * third
    p, first = ndtr(at), -density(at)
    z = [first / np.maximum(p, 1e-300), second + 0 * at, third + 0 * at]
    moments = np.array([[(weights * p * a * b).sum() for b in z] for a in z])
    moments[0, 0] = (weights * (p - at * density(at))).sum()
    mass = float((weights * p).sum())
    return mass, moments - mass * np.eye(3)


def threshold(below: Moments, shift: float) -> float:
    operator = np.zeros((9, 9))
    for n in range(-30, 31):
        (high, above), (low, beneath) = below(n + 1 - shift), below(n - shift)
        if high - low > 1e-13:
            operator += np.kron(above - beneath, above - beneath) / (high - low)
    return float(1 / np.linalg.eigvalsh(operator).max())


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "below", "shift", "error"),
    [
        ("floor(max(z1, z2, z3))", of_largest, 0.0, 1.5e-3),
        ("floor(max(z1, z2, z3) + 2/5)", of_largest, 0.4, 1.5e-3),
        ("floor(z1 + z2*z3)", of_sum, 0.0, 2e-4),
        ("floor(z1 + z2*z3 - 1/7)", of_sum, -1 / 7, 2e-4),
    ],
)
def test_thresholds(text: str, below: Moments, shift: float, error: float) -> None:
    """They were opened into steps and sampled; of sums to 1e-3."""
    found = step_threshold(Target(text), []).alpha
    assert abs(found.value - threshold(below, shift)) <= found.error < error


def information(m: np.ndarray) -> np.ndarray:
    """The diagonal of F at diag(m, n, n) for floor(z1 + z2 z3)."""
    x, w = np.polynomial.hermite_e.hermegauss(16)
    w = w / np.sqrt(2 * np.pi)
    omega = np.stack(np.meshgrid(*(np.sqrt(k) * x for k in m), indexing="ij"), -1).reshape(-1, 3)
    chances = np.einsum("i,j,k->ijk", w, w, w).ravel()
    x, w = np.polynomial.hermite_e.hermegauss(24)
    w = w / np.sqrt(2 * np.pi)
    s = np.sqrt(1 - m)
    edges = np.arange(-14, 15)
    total = np.zeros(3)
    for point, chance in zip(omega, chances, strict=True):
        second, third = point[1] + s[1] * x[:, None], point[2] + s[2] * x[None]
        at = (edges[:, None, None] - second * third - point[0]) / s[0]
        p, slope = ndtr(at), -density(at) / s[0]
        of_law = np.einsum("nij,i,j->n", p, w, w)
        slopes = [
            np.einsum("nij,i,j->n", slope, w, w),
            np.einsum("nij,i,j->n", p, w * x / s[1], w),
            np.einsum("nij,i,j->n", p, w, w * x / s[2]),
        ]
        masses = np.diff(of_law)
        seen = masses > 1e-12
        total += chance * np.array([(np.diff(d)[seen] ** 2 / masses[seen]).sum() for d in slopes])
    return total


@pytest.mark.slow
def test_state_evolution() -> None:
    """M/(1 - M) = alpha F(M) for each coordinate."""
    found = StateEvolution("floor(z1 + z2*z3)").solve(alpha=2.0)
    m = np.diag(np.reshape(found.overlap, (3, 3)))
    assert m == pytest.approx([0.669, 0.386, 0.386], abs=1e-3)
    assert m / (1 - m) == pytest.approx(2 * information(m), rel=1e-3)


def test_rules_between_places() -> None:
    """Of |z|^2/2 of four coordinates, y exp(-y), through a floor: the sum of f(n) P(n <= y < n + 1)."""
    square = LabelRange(singular=np.zeros(1), least=0.0, largest=40.0, middle=1.7, spread=1.7)
    n = np.arange(40)
    mass = (1 + n) * np.exp(-n) - (2 + n) * np.exp(-n - 1.0)
    for step, error in [(0.5, 5e-6), (0.2, 1e-9)]:
        y, w = square.nodes(step, places=np.arange(1.0, 40.0))
        for f in (np.cos, np.square):
            assert w @ (f(np.floor(y)) * y * np.exp(-y)) == pytest.approx(f(n) @ mass, abs=error)
