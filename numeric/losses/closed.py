"""The losses with names: square, huber, logistic, hinge. See `interface` for the two functions of each."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from hermite_analytics.numeric.compiled import compiled
from hermite_analytics.numeric.losses.interface import CORNERS, PROXIMAL, compiled_as

__all__ = [
    "hinge",
    "hinge_corners",
    "huber",
    "huber_corners",
    "logistic",
    "logistic_corners",
    "no_corners",
    "square",
]

Array = NDArray[np.float64]
Values = tuple[float, float, float, float, float]
_MOST_STEPS = 200
_ULPS = 2.0 * np.finfo(np.float64).eps


@compiled_as(CORNERS)
def no_corners(y: float, variance: float, parameter: float, out: Array) -> int:
    return 0


@compiled_as(PROXIMAL)
def square(y: float, field: float, variance: float, parameter: float) -> Values:
    """l = (y - x)^2/2."""
    shrink = 1.0 / (1.0 + variance)
    slope = (y - field) * shrink
    return field + variance * slope, shrink, slope, shrink, 0.5 * slope * slope


@compiled_as(PROXIMAL)
def huber(y: float, field: float, variance: float, parameter: float) -> Values:
    """l = u^2/2 where |u| <= D, D |u| - D^2/2 beyond; u = y - x, D the parameter."""
    shrink = 1.0 / (1.0 + variance)
    slope = (y - field) * shrink
    if abs(slope) <= parameter:
        return field + variance * slope, shrink, slope, shrink, 0.5 * slope * slope
    slope = math.copysign(parameter, slope)
    prox = field + variance * slope
    return prox, 1.0, slope, 0.0, parameter * (abs(y - prox) - 0.5 * parameter)


@compiled_as(CORNERS)
def huber_corners(y: float, variance: float, parameter: float, out: Array) -> int:
    reach = parameter * (1.0 + variance)
    out[0, 0], out[0, 1] = y - reach, 0.0
    out[1, 0], out[1, 1] = y + reach, 0.0
    return 2


@compiled_as(PROXIMAL)
def hinge(y: float, field: float, variance: float, parameter: float) -> Values:
    """l = max(0, 1 - y (b + x)), y = +-1, b the parameter: near b = +-1 the small x keeps its digits."""
    gap = (1.0 - y * parameter) - y * field
    if gap > variance:
        return field + variance * y, 1.0, y, 0.0, gap - variance
    if gap > 0.0:
        return field + y * gap, 0.0, y * gap / variance, 1.0 / variance, 0.0
    return field, 1.0, 0.0, 0.0, 0.0


@compiled_as(CORNERS)
def hinge_corners(y: float, variance: float, parameter: float, out: Array) -> int:
    kink = y - parameter
    out[0, 0], out[0, 1] = kink - y * variance, 0.0
    out[1, 0], out[1, 1] = kink, 0.0
    return 2


@compiled
def _nonnegative_margin(u: float, variance: float) -> float:
    """The zero of v - u - variance/(1 + e^v), concave on v >= 0, for u >= -variance/2."""
    least = max(u, 0.0)
    growth = math.log1p(variance * math.exp(-least) / (1.0 + max(-u, 0.0)))
    v = least + growth * (1.0 - math.log1p(growth) / (2.0 + growth))
    before = math.inf
    for _ in range(_MOST_STEPS):
        decay = math.exp(-v)
        p = decay / (1.0 + decay)
        step = (v - u - variance * p) / (1.0 + variance * p / (1.0 + decay))
        v = max(v - step, least)
        if abs(step) <= _ULPS * v or (abs(step) < 1e-12 * v and abs(step) >= before):
            break
        before = abs(step)
    return v


@compiled_as(PROXIMAL)
def logistic(y: float, field: float, variance: float, parameter: float) -> Values:
    """l = log(1 + exp(-y x)), y = +-1.

    The margin v solves v = u + variance/(1 + e^v), u = y field. (u, v) -> (-u - variance, -v) is a symmetry
    of the equation: it leaves v >= 0, where nothing cancels and Newton's method is monotone.
    """
    u = y * field
    reflected = u < -0.5 * variance
    if reflected:
        u = -u - variance
    v = _nonnegative_margin(u, variance)
    decay = math.exp(-v)
    p = decay / (1.0 + decay)
    bend = p / (1.0 + decay)
    loss = math.log1p(decay)
    if reflected:
        p, loss, v = 1.0 / (1.0 + decay), loss + v, -v
    shrink = 1.0 / (1.0 + variance * bend)
    return y * v, shrink, y * p, bend * shrink, loss


@compiled_as(CORNERS)
def logistic_corners(y: float, variance: float, parameter: float, out: Array) -> int:
    """The prox bends within O(1) of 0, or for a large variance of -variance and log(variance)."""
    if variance < 8.0:
        out[0, 0], out[0, 1] = 0.0, 2.0
        return 1
    out[0, 0], out[0, 1] = -y * variance, 2.0
    out[1, 0], out[1, 1] = y * math.log(variance), 2.0
    return 2
