"""State evolution of one overlap with numpy alone; the text goes into exported files.

Written from docs/state_evolution.md over the tabulated label; the table is the library's.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hermite_analytics.codegen.standalone_backend.special import normal_cdf, normal_density

__all__ = ["Label", "overlap_of", "overlap_values"]

Array = NDArray[np.float64]
OVERLAPS = np.concatenate(
    [np.geomspace(1e-8, 0.02, 14), np.linspace(0.04, 0.94, 46), 1.0 - np.geomspace(0.05, 1e-6, 26)]
)


class Label(NamedTuple):
    """The law of the label: nodes of a quadrature over its values, and values of positive probability.

    `place` (n,) is a coordinate with the label of the node, `weights` (n,) sum to the probability of such
    labels, `points` (n, k) are all coordinates with that label, `log_weights` the logarithms of their
    1/|g'|. `atoms` has the intervals of the coordinate on which g has one value, for each such value.
    """

    place: Array
    weights: Array
    points: Array
    log_weights: Array
    atoms: Sequence[Sequence[tuple[float, float]]]


def normal_rule(step: float) -> tuple[Array, Array]:
    """The trapezoidal rule for N(0, 1)."""
    half = math.ceil(8.6 / step)
    t = np.asarray(step * np.arange(-half, half + 1), dtype=np.float64)
    return t, step * np.exp(-0.5 * t * t) / math.sqrt(2.0 * math.pi)


def overlap_map(label: Label, m: float) -> float:
    """F(m) = E g_out(y, omega, 1 - m)^2 over omega ~ N(0, m) and y given omega."""
    return of_nodes(label, m) + sum(of_atom(intervals, m) for intervals in label.atoms)


def of_nodes(label: Label, m: float) -> float:
    """The part of labels that are no atoms: omega given the node is m place + sqrt(m (1 - m)) xi."""
    variance = 1.0 - m
    total = 0.0
    for xi, weight in zip(*normal_rule(0.1), strict=True) if m > 0.0 else [(0.0, 1.0)]:
        omega = m * label.place + math.sqrt(m * variance) * xi
        distance = label.points - omega[:, None]
        logs = label.log_weights - distance**2 / (2.0 * variance)
        terms = np.exp(logs - np.max(logs, axis=1, keepdims=True))
        g_out = np.sum(terms * distance, axis=1) / (np.sum(terms, axis=1) * variance)
        total += float(weight * (label.weights @ g_out**2))
    return total


def of_atom(intervals: Sequence[tuple[float, float]], m: float) -> float:
    """The part of one value of positive probability: E (dP/domega)^2/P."""
    size = math.sqrt(1.0 - m)
    omega, weight = np.zeros(1), np.ones(1)
    if m > 0.0:
        t, weight = normal_rule(0.1 * min(1.0, size / math.sqrt(m)))
        omega = math.sqrt(m) * t
    mass, slope = np.zeros_like(omega), np.zeros_like(omega)
    for low, high in intervals:
        a, b = (low - omega) / size, (high - omega) / size
        flip = a > 0.0  # the small tail, without cancellation
        mass = mass + normal_cdf(np.where(flip, -a, b)) - normal_cdf(np.where(flip, -b, a))
        slope = slope + (normal_density(a) - normal_density(b)) / size
    return float(weight @ (slope**2 / np.maximum(mass, 1e-290)))


def overlap_values(label: Label, starts_at_zero: bool) -> Callable[[float], float]:
    """alpha(m) = m/((1 - m) F(m)), of which m is a fixed point; F(0) = 0 where that is known."""
    zero = overlap_map(label, 0.0) if starts_at_zero else 0.0

    @functools.cache
    def alpha_of(m: float) -> float:
        value = max(overlap_map(label, m) - zero, 0.0)
        return m / ((1.0 - m) * value) if value > 0.0 else math.inf

    return alpha_of


def overlap_of(alpha: float, alpha_of: Callable[[float], float], exact_share: float) -> float:
    """What the iteration reaches from m = 0+: the first m at which alpha(m) comes up to alpha."""
    earlier, previous = 0.0, 0.0  # the last two overlaps
    for m in map(float, OVERLAPS):
        if alpha_of(m) >= alpha:
            return crossing(alpha_of, alpha, previous, m)
        if earlier > 0.0 and alpha_of(earlier) < alpha_of(previous) > alpha_of(m):
            top = maximum(alpha_of, earlier, m)  # it may come up to alpha
            if alpha_of(top) >= alpha:
                return crossing(alpha_of, alpha, earlier, top)
        earlier, previous = previous, m
    if exact_share > 0.0:
        return 1.0
    left = 1.0 - previous
    while alpha_of(1.0 - left) < alpha and left > 1e-13:
        left *= 0.25
    return crossing(alpha_of, alpha, 1.0 - 8.0 * left, 1.0 - left)


def crossing(alpha_of: Callable[[float], float], alpha: float, low: float, high: float) -> float:
    """m with alpha(m) = alpha between an m below and one above, by bisection in log(m/(1 - m))."""
    low = max(low, 1e-6 * high if high < 1e-7 else 1e-12)
    a, b = (math.log(m / (1.0 - m)) for m in (low, high))
    for _ in range(55):
        middle = 0.5 * (a + b)
        a, b = (middle, b) if alpha_of(1.0 / (1.0 + math.exp(-middle))) < alpha else (a, middle)
    return 1.0 / (1.0 + math.exp(-0.5 * (a + b)))


def maximum(alpha_of: Callable[[float], float], low: float, high: float) -> float:
    """Where alpha(m) is largest between two overlaps, by golden section."""
    share = 0.5 * (math.sqrt(5.0) - 1.0)
    for _ in range(40):
        a, b = high - share * (high - low), low + share * (high - low)
        low, high = (low, b) if alpha_of(a) > alpha_of(b) else (a, high)
    return 0.5 * (low + high)
