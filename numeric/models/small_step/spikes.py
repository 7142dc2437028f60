"""Spikes of the first layer and of the kernel after a small step, and the gain in risk; compiled.

After the step the weights are W0 + h a^T with |h| = theta1: given h, their columns are independent with
covariance (1 + theta1^2/beta) along h and 1 elsewhere, over d.

Source: docs/random_features.md, "The small step", after Ba et al. (arXiv 2205.01445).
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from hermite_analytics.foundation.numpy_arrays import Array
from hermite_analytics.numeric.compiled import compiled
from hermite_analytics.numeric.models.random_features.square import bias_factor, square_point

__all__ = ["COLUMNS", "kernel_edge", "solve_steps", "zeta"]

CONVERGED, MAX_STEPS_REACHED, INFINITE = 0, 1, 3
COLUMNS = (
    "theta1", "theta2", "w_value", "w_alignment", "w_edge", "k_value", "k_alignment", "k_edge",
    "risk_before", "risk_after", "gain", "train_before", "train_after",
    "M_before", "M_after", "Q_before", "Q_after",
)  # fmt: skip


@compiled
def weights_spike(theta1: float, beta: float) -> tuple[float, float]:
    """Top singular value of the weights and the squared cosine of its vector with h; the edge and 0 below."""
    if theta1 <= beta**0.25:
        return 1.0 + math.sqrt(beta), 0.0
    t = theta1 * theta1
    return math.sqrt((1.0 + t) * (beta + t)) / theta1, 1.0 - (beta + t) / (t * (t + 1.0))


@compiled
def zeta(y: float, alpha: float, beta: float, first: float, second: float) -> tuple[float, float, float]:
    """zeta, its derivative and tau at x = first + y: the kernel's eigenvalue of a direction of x."""
    x = first + y
    tau = second / x + (first / y if first > 0.0 else 0.0)
    slope = -second / (x * x) - (first / (y * y) if first > 0.0 else 0.0)
    stretch, rest = 1.0 + tau / beta, alpha + tau
    return x * stretch * rest, stretch * rest + x * slope * (rest / beta + stretch), tau


@compiled
def kernel_edge(alpha: float, beta: float, first: float, second: float) -> float:
    """y_c = x_c - first, where zeta has its minimum: a direction of larger x leaves the bulk."""
    low, high = math.log(first + second) - 60.0, math.log(first + second) + 5.0
    while zeta(math.exp(high), alpha, beta, first, second)[1] <= 0.0:
        high += 5.0
    for _ in range(200):
        middle = 0.5 * (low + high)
        if middle in (low, high):
            break
        if zeta(math.exp(middle), alpha, beta, first, second)[1] > 0.0:
            high = middle
        else:
            low = middle
    return math.exp(high)


@compiled
def _bias_change(x: float, lift: float, s: float, response: float) -> float:
    """bias_factor at x minus that at x + lift, without cancellation."""
    y = x + lift
    top = lift * (s * s * (x + y + 2.0 * s) + response * (x * y - s * s))
    return top / ((x + s) ** 2 * (y + s) ** 2)


@compiled
def _predictions(
    directions: tuple[float, float, float], found: tuple[float, float, float, float],
    level: float, other: float, out: Array,
) -> None:  # fmt: skip
    """M and Q of fresh predictions, before and after the step, to out[13:17].

    A share w = x/(x + s) of a direction of eigenvalue x is learned: M is its mean over the target's linear
    part, times the norm of that. Then Q = risk - E f^2 + 2 |P_1 f| M is written as a sum without differences
    of large numbers.
    """
    first, lifted, cosine = directions
    s, response, upsilon, remainder = found
    for j in range(2):
        weight = 0.0 if j == 0 else cosine
        share = squares = 0.0
        for x, part in ((first, 1.0 - weight), (lifted, weight)):
            if x > 0.0:
                w = x / (x + s)
                share += part * w
                squares += part * (w * w + response * x / ((x + s) * (x + s)))
        out[13 + j] = math.sqrt(level) * share
        whole = level * squares + upsilon * (level * (1.0 - 2.0 * share) + other)
        out[15 + j] = whole / remainder if remainder > 0.0 else (math.inf if whole > 0.0 else 0.0)


@compiled
def solve_steps(
    ratios: tuple[Array, Array, Array, Array, Array, Array],
    first: float, second: float, level: float, rest: float, power: float,
    tolerance: float, max_steps: int,
    out: Array, residual: Array, steps: NDArray[np.int64], code: NDArray[np.int64],
) -> None:  # fmt: skip
    """All points of one problem.

    Parameters
    ----------
    ratios : tuple of 6 arrays of shape (points,)
        eta (of the gradient of half the mean square loss), alpha, the alpha of the gradient's samples, beta,
        ridge, noise.
    first, second : float
        mu1^2 and mu2^2 of the centred activation.
    level, rest, power : float
        Squared norm of the target's linear part, of all else, and E f^2.
    out : array of shape (points, 17), filled in the order of `COLUMNS`.
    residual, steps, code : arrays of shape (points,), filled.
    """
    eta, alpha, step_alpha, beta, ridge, noise = ratios
    for i in range(eta.size):
        mean_square = power + noise[i]
        pull = math.sqrt(level + mean_square / step_alpha[i])
        theta1 = eta[i] * math.sqrt(first) * pull
        cosine = level / (pull * pull) if pull > 0.0 else 0.0
        out[i, 0], out[i, 1] = theta1, eta[i] * math.sqrt(first * level)
        out[i, 2], share = weights_spike(theta1, beta[i])
        out[i, 3], out[i, 4] = cosine * share, 1.0 + math.sqrt(beta[i])

        lift = first * theta1 * theta1 / beta[i]
        edge = kernel_edge(alpha[i], beta[i], first, second)
        out[i, 7] = math.sqrt(zeta(edge, alpha[i], beta[i], first, second)[0])
        out[i, 5], out[i, 6] = out[i, 7], 0.0
        if lift > edge:
            value, slope, tau = zeta(lift, alpha[i], beta[i], first, second)
            out[i, 5] = math.sqrt(value)
            out[i, 6] = level * cosine * slope / (alpha[i] * mean_square * (1.0 + tau / beta[i]))

        found = square_point(alpha[i], beta[i], ridge[i], first, second, tolerance, max_steps)
        residual[i], steps[i], code[i] = found[9], int(found[10]), CONVERGED
        if residual[i] > tolerance:
            out[i, 8:] = math.nan
            code[i] = MAX_STEPS_REACHED
            continue
        s, response, remainder = found[1], found[6], found[5]
        _predictions(
            (first, first + lift, cosine), (s, response, found[4], remainder), level, rest + noise[i], out[i]
        )
        before = level * bias_factor(first, s, response) + rest + noise[i] * found[4]
        change = level * cosine * _bias_change(first, lift, s, response) if level > 0.0 else 0.0
        if remainder <= 0.0 and before > 0.0:
            out[i, 8] = out[i, 9] = math.inf
            out[i, 10] = math.inf if change > 0.0 else 0.0
            out[i, 11] = out[i, 12] = 0.0
            code[i] = INFINITE
            continue
        out[i, 8] = before / remainder if before > 0.0 else 0.0
        out[i, 10] = change / remainder if change > 0.0 else 0.0
        out[i, 9] = max(out[i, 8] - out[i, 10], 0.0)
        out[i, 11] = found[3] ** 2 * (out[i, 8] + noise[i])
        out[i, 12] = found[3] ** 2 * (out[i, 9] + noise[i])
