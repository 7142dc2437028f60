"""Ridge regression on random features in closed form: one increasing equation a point.

With t = mu1^2/(mu1^2 + s) + mu2^2/s the unknowns s1, s2 > 0 solve

    alpha - ridge/s1 = t(s2),    beta (1 - s1/s2) = t(s2).

s2 is measured from the point where t = min(alpha, beta): alpha - t, beta - t and 1 - Upsilon are then sums of
positive terms, and the ridgeless limit and the interpolation peak lose no digits.

Source: docs/random_features.md, "Ridge regression", after Mei and Montanari (arXiv 1908.05355).
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from hermite_analytics.foundation.numpy_arrays import Array
from hermite_analytics.numeric.compiled import compiled
from hermite_analytics.numeric.models.random_features.constants import FeatureConstants, TargetConstants
from hermite_analytics.numeric.square_loss import bulk, bulk_moments

__all__ = ["COLUMNS", "bias_factor", "solve_square", "square_point", "square_results"]

CONVERGED, MAX_STEPS_REACHED, INFINITE = 0, 1, 3
COLUMNS = ("test_error", "train_error", "psi", "q1", "q2", "V1", "V2", "M", "Q", "V")
_ENOUGH = 1e-15


@compiled
def _start(alpha: float, beta: float, first: float, second: float) -> tuple[float, float]:
    """(s, t) with t(s) = min(alpha, beta), or at s = 0 where t stays below it."""
    least = min(alpha, beta)
    b = least * first - first - second
    root = math.sqrt(b * b + 4.0 * least * first * second)
    if b < 0.0:
        return (root - b) / (2.0 * least), least
    if second > 0.0:
        return 2.0 * first * second / (b + root), least
    return 0.0, 1.0


@compiled
def _distance(
    alpha: float, beta: float, ridge: float, first: float, second: float, s_least: float, t_least: float,
    tolerance: float, max_steps: int,
) -> tuple[float, float, int]:  # fmt: skip
    """(s2 - s_least, relative residual, steps): Newton's method on logarithms, inside a bracket."""
    if ridge == 0.0:
        return 0.0, 0.0, 0
    low, high = 0.0, math.inf
    distance = ridge / alpha
    residual = math.inf
    for step in range(1, max_steps + 1):
        s = s_least + distance
        drop = distance * first / ((first + s) * (first + s_least)) if first > 0.0 else 0.0
        slope = first / ((first + s) * (first + s)) if first > 0.0 else 0.0
        if second > 0.0:
            drop += distance * second / (s * s_least)
            slope += second / (s * s)
        e1, e2 = alpha - t_least + drop, beta - t_least + drop
        value = e1 * e2 * s / beta
        residual = abs(value - ridge) / ridge
        if residual <= _ENOUGH:
            return distance, residual, step
        if value > ridge:
            high = distance
        else:
            low = distance
        growth = distance * (slope / e1 + slope / e2 + 1.0 / s)
        following = distance * math.exp(-math.log(value / ridge) / growth)
        if not low < following < high:
            if residual <= tolerance:
                return distance, residual, step
            following = math.sqrt(low * high) if 0.0 < low < high < math.inf else 0.5 * (low + high)
        if residual <= tolerance and abs(following - distance) <= 2e-16 * distance:
            return distance, residual, step
        distance = following
    return distance, residual, max_steps


@compiled
def square_point(
    alpha: float, beta: float, ridge: float, first: float, second: float, tolerance: float, max_steps: int
) -> tuple[float, ...]:
    """s1, s2, t, w = 1/(1 + V), Upsilon, 1 - Upsilon, s2^2 chi, beta - t, beta - t2, residual, steps.

    Parameters
    ----------
    first, second : float
        mu1^2 and mu2^2.
    """
    s_least, t_least = _start(alpha, beta, first, second)
    distance, residual, steps = _distance(
        alpha, beta, ridge, first, second, s_least, t_least, tolerance, max_steps
    )
    s = s_least + distance
    share = first / (first + s) if first > 0.0 else 0.0
    drop = distance * share / (first + s_least) if first > 0.0 else 0.0
    rest, lost = 0.0, share * (1.0 - share)
    if first > 0.0:
        lost = share * (s / (first + s))
    if second > 0.0:
        drop += distance * second / (s * s_least)
        rest = second / s
    t = share + rest
    e1, e2 = alpha - t_least + drop, beta - t_least + drop
    lost += rest  # t - t2
    open_ = e2 + lost  # beta - t2
    response = 0.0 if open_ == 0.0 else (share * s * share * s / max(first, 1e-300) + second) / open_
    squares = 0.0 if open_ == 0.0 else e2 * e2 * share * share / open_
    upsilon = (t * t + squares) / (alpha * beta)
    gap = 0.0 if open_ == 0.0 else e2 * lost * beta / open_
    remainder = (t * e1 + e2 * e1 + gap) / (alpha * beta)
    return (
        s * e2 / beta, s, t, e1 / alpha, upsilon, remainder, response, e2, open_, residual, float(steps),
    )  # fmt: skip


@compiled
def bias_factor(x: float, s: float, response: float) -> float:
    """B(x) = s^2 (1 + chi x)/(x + s)^2: what is left of a direction of eigenvalue x."""
    return (s * s + response * x) / ((x + s) * (x + s))


@compiled
def _overlaps(
    alpha: float, beta: float, ridge: float, first: float, second: float, slope: float,
    found: tuple[float, ...], spread: float, out: Array,
) -> None:  # fmt: skip
    """psi, q1, q2, V1, V2, M, Q, V; spread is the mean squared residual of fresh data, slope that of f."""
    share = first / (first + found[1]) if first > 0.0 else 0.0
    out[7] = slope * share
    out[2] = out[7] / math.sqrt(first) if first > 0.0 else 0.0
    if math.isinf(spread):  # the interpolation peak
        out[3:7] = out[8:10] = math.inf
        return
    w, one = found[3], ridge
    interpolates = ridge == 0.0 and w == 0.0
    if interpolates:  # all responses per unit of ridge
        w, one = 1.0 / (alpha * found[0]), 1.0
    v1, v2 = bulk(alpha / beta * first * w, one + alpha / beta * second * w, 1.0, beta)
    a0, a1, a2 = bulk_moments(alpha / beta * first * w, v1, v2, 1.0, beta)
    field = alpha * math.sqrt(first) * slope * w
    source1 = (alpha * first * w * w * spread + field * field) / beta
    source2 = alpha / beta * second * w * w * spread
    out[3], out[4] = a2 * source1 + a1 * source2, a1 * source1 + a0 * source2
    out[8] = first * out[3] + second * out[4]
    out[5], out[6], out[9] = v1, v2, first * v1 + second * v2
    if interpolates:
        out[5] = out[6] = out[9] = math.inf


@compiled
def solve_square(
    alpha: Array, beta: Array, ridge: Array, noise: Array,
    first: float, second: float, level: float, above: float,
    tolerance: float, max_steps: int,
    out: Array, residual: Array, steps: NDArray[np.int64], code: NDArray[np.int64],
) -> None:  # fmt: skip
    """All points of one problem.

    Parameters
    ----------
    alpha, beta, ridge, noise : arrays of shape (points,)
    first, second : float
        mu1^2 and mu2^2 of the features.
    level, above : float
        Squared norms of the target at the degree of mu1, and of what cannot be learned.
    out : array of shape (points, 10), filled in the order of `COLUMNS`.
    residual, steps, code : arrays of shape (points,), filled.
    """
    for i in range(alpha.size):
        found = square_point(alpha[i], beta[i], ridge[i], first, second, tolerance, max_steps)
        residual[i], steps[i], code[i] = found[9], int(found[10]), CONVERGED
        if residual[i] > tolerance:
            out[i, :] = np.nan
            code[i] = MAX_STEPS_REACHED
            continue
        error = level * bias_factor(first, found[1], found[6]) + above + noise[i] * found[4]
        if found[5] <= 0.0 and error > 0.0:
            error, code[i] = math.inf, INFINITE
            out[i, 1] = 0.0
        else:
            error = error / found[5] if error > 0.0 else 0.0
            out[i, 1] = found[3] * found[3] * (error + noise[i])
        out[i, 0] = error
        _overlaps(
            alpha[i], beta[i], ridge[i], first, second, math.sqrt(level), found, error + noise[i], out[i]
        )


def square_results(
    features: FeatureConstants,
    norms: TargetConstants,
    flat: dict[str, Array],
    tolerance: float,
    max_steps: int,
) -> dict[str, Array]:
    """Results of flat points by name; an infinite ridge leaves the mean alone.

    Parameters
    ----------
    features, norms
        Of the activation and of the target.
    flat : dict of str to ndarray, shape (n,)
        alpha, beta, ridge and noise.
    tolerance : float
    max_steps : int
    """
    noise = flat["noise"] + norms.from_flips
    count = flat["alpha"].size
    out = np.empty((count, len(COLUMNS)))
    residual = np.empty(count)
    steps, code = np.empty(count, dtype=np.int64), np.empty(count, dtype=np.int64)
    solve_square(
        flat["alpha"], flat["beta"], np.where(np.isinf(flat["ridge"]), 1.0, flat["ridge"]), noise,
        features.slope**2, features.residual, norms.level, norms.above + norms.unlearned(features),
        tolerance, max_steps, out, residual, steps, code,
    )  # fmt: skip
    found = {name: out[:, j] for j, name in enumerate(COLUMNS)}
    infinite = np.isinf(flat["ridge"])  # nothing but the mean is left, where the features have one
    left = norms.level + norms.above + norms.unlearned(features)
    for name, values in found.items():
        values[infinite] = left if name == "test_error" else 0.0
    found["train_error"][infinite] = left + noise[infinite]
    residual[infinite], steps[infinite], code[infinite] = 0.0, 0, 0
    mean = norms.mean if features.present[0] else 0.0
    return found | {
        "square_error": found["test_error"], "intercept": np.full(count, mean), "residual": residual,
        "steps": steps, "code": code, "numerical_error": np.zeros(count),
    }  # fmt: skip
