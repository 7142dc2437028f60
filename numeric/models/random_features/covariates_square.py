"""Ridge regression on Gaussian covariates in closed form but for one root, ridges 0 and infinity included.

With w the eigenvalues of omega, t the teacher's shares and s = lambda (1 + V),

    1 - lambda/s = (1/p) sum_i w_i/(s + alpha w_i),    M = alpha E[z y] sum_i t_i/(s + alpha w_i),
    Q (1 - alpha d2) = alpha d2 (E y^2 - 2 M E[z y]) + (alpha E[z y])^2 sum_i t_i w_i/(s + alpha w_i)^2,

with d2 = (1/p) sum_i (w_i/(s + alpha w_i))^2, and the training error (lambda/s)^2 (E y^2 - 2 M E[z y] + Q).
At lambda = 0 and with more samples than directions of w > 0 is s = 0 and lambda/s = 1 - rank/(p alpha).

Source: docs/random_features.md, "Gaussian covariates", after arXiv 2102.08127.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from hermite_analytics.foundation.numpy_arrays import Array

__all__ = ["square_covariates"]

_CONVERGED, _INFINITE = 0, 3
_STEPS = 400
_SMALLEST = 1e-9  # of the largest eigenvalue; below it is rounding


def square_covariates(
    flat: dict[str, Array], spectrum: Array, shares: Array, slope: float, second: float
) -> dict[str, Array]:
    """Flat arrays: V, Q, M, train_error, code, residual, steps, numerical_error.

    Parameters
    ----------
    flat : mapping of str to arrays, shape (count,)
        alpha > 0, ridge in [0, inf], noise.
    spectrum, shares : arrays of shape (p,)
        Eigenvalues w and the teacher's shares t.
    slope, second : float
        E[z y] and E y^2, additive label noise excluded.
    """
    seen = spectrum > _SMALLEST * spectrum[-1]
    w, t, size = spectrum[seen], shares[seen], spectrum.size
    names = ("V", "Q", "M", "train_error", "residual")
    found: dict[str, Array] = {name: np.empty(flat["alpha"].size) for name in names}
    code = np.zeros(flat["alpha"].size, dtype=np.int64)
    points = zip(flat["alpha"], flat["ridge"], flat["noise"], strict=True)
    for j, (alpha, ridge, noise) in enumerate(points):
        values = _point(float(alpha), float(ridge), second + float(noise), slope, (w, t, size))
        for name, value in zip(names, values, strict=True):
            found[name][j] = value
        if np.isinf(values[1]):
            code[j] = _INFINITE
    found["numerical_error"] = np.zeros(code.size)
    counts: dict[str, Any] = {"code": code, "steps": np.zeros(code.size, dtype=np.int64)}
    return found | counts


def _point(
    alpha: float, ridge: float, power: float, slope: float, features: tuple[Array, Array, int]
) -> tuple[float, float, float, float, float]:
    """(V, Q, M, training error, residual)."""
    w, t, size = features
    if np.isinf(ridge):
        return 0.0, 0.0, 0.0, power, 0.0
    s, kept, residual = _scale(alpha, ridge, w, size)
    gain = 1.0 / (s + alpha * w)
    second = float(np.sum((w * gain) ** 2)) / size
    overlap = alpha * slope * float(np.sum(t * gain))
    variance = alpha * second * (power - 2.0 * overlap * slope)
    variance += (alpha * slope) ** 2 * float(np.sum(t * w * gain**2))
    left = 1.0 - alpha * second
    if ridge == 0.0 and alpha * size == w.size:  # as many samples as directions
        return np.inf, np.inf, overlap, 0.0, residual
    variance /= left
    train = kept**2 * (power - 2.0 * overlap * slope + variance)
    return (np.inf if kept == 0.0 else 1.0 / kept - 1.0), variance, overlap, train, residual


def _scale(alpha: float, ridge: float, w: Array, size: int) -> tuple[float, float, float]:
    """(s, lambda/s, relative residual) of the root s, where lambda/s grows from 0 to 1 with lambda."""
    if ridge == 0.0 and alpha * size >= w.size:
        return 0.0, 1.0 - w.size / (size * alpha), 0.0

    def defect(s: float) -> float:
        # s - lambda - s (1/p) sum w/(s + alpha w), increasing in s where it is positive
        return s - ridge - s * float(np.sum(w / (s + alpha * w))) / size

    # s <= lambda + (1/p) sum w, for s w/(s + alpha w) <= w
    low, high = ridge, ridge + float(np.sum(w)) / size
    if ridge == 0.0:  # s = 0 is a root of no meaning
        low = high
        while defect(low) >= 0.0:
            low *= 0.5
    for _ in range(_STEPS):
        middle = np.sqrt(low * high) if low > 0.0 else 0.5 * high
        if not low < middle < high:
            break
        low, high = (middle, high) if defect(middle) < 0.0 else (low, middle)
    s = 0.5 * (low + high)
    return s, ridge / s, abs(defect(s)) / s
