"""The proximal operator of any convex loss, from its generated value, slope and curvature.

x - field + variance l'(y, x) increases with a slope of at least 1: Newton's method inside a bracket finds its
zero. Where l' jumps across zero, the prox is the kink itself and does not move with the field.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from hermite_analytics.foundation.numpy_arrays import Array
from hermite_analytics.losses.expression import LossExpression
from hermite_analytics.losses.record import Corners, Proximal
from hermite_analytics.numeric.compiled import compiled
from hermite_analytics.numeric.losses.interface import (
    CORNERS,
    MOST_CORNERS,
    PROXIMAL,
    compiled_as,
    no_corners,
)

__all__ = ["generated_corners", "generated_proximal"]

Values = tuple[float, float, float, float, float]
_AT_KINK = "float64(float64, float64, float64)"
_MOST_STEPS = 300
_ULPS = 2.0 * np.finfo(np.float64).eps
_BESIDE = 1e-14  # relative distance at which a slope is taken to be one-sided


def generated_proximal(expression: LossExpression) -> Proximal:
    """`interface.PROXIMAL` of a loss; compiled once a process."""
    of = expression.kernel().scalar
    kink_kernel = expression.kink_kernel()
    at_kink = _kink_finder(of, kink_kernel)

    @compiled_as(PROXIMAL, cache=False)
    def proximal(y: float, field: float, variance: float, parameter: float) -> Values:
        value, slope, curvature = of(y, field)
        if variance == 0.0:
            return field, 1.0, -slope, curvature, value
        kink = at_kink(y, field, variance)
        if not math.isnan(kink):
            return kink, 0.0, (kink - field) / variance, 1.0 / variance, of(y, kink)[0]
        first = variance * slope
        low, high = field - max(first, 0.0), field - min(first, 0.0)
        x = field - first / (1.0 + variance * curvature)
        if not low <= x <= high:
            x = 0.5 * (low + high)
        width = high - low
        for step in range(_MOST_STEPS):
            value, slope, curvature = of(y, x)
            miss = x - field + variance * slope
            if miss > 0.0:
                high = x
            else:
                low = x
            following = x - miss / (1.0 + variance * curvature)
            slow = step % 3 == 2 and high - low > 0.5 * width
            if step % 3 == 2:
                width = high - low
            if slow or not low <= following <= high:
                following = 0.5 * (low + high)
            moved = abs(following - x)
            x = following
            if moved <= _ULPS * abs(x) or high - low <= _ULPS * abs(x):
                break
        value, slope, curvature = of(y, x)
        below, above = of(y, x - _beside(x))[1], of(y, x + _beside(x))[1]
        if variance * (above - below) > 1e6 * _beside(x) * (1.0 + variance * curvature):
            return x, 0.0, (x - field) / variance, 1.0 / variance, value  # a kink that was not listed
        shrink = 1.0 / (1.0 + variance * curvature)
        return x, shrink, -slope, curvature * shrink, value

    return proximal


@compiled
def _beside(x: float) -> float:
    return _BESIDE * (1.0 + abs(x))


def _kink_finder(of: Any, kink_kernel: Any) -> Any:
    """The listed kink at which the prox stands, or NaN."""
    if kink_kernel is None:

        @compiled_as(_AT_KINK, cache=False)
        def nowhere(y: float, field: float, variance: float) -> float:
            return math.nan

        return nowhere
    kinks = kink_kernel.scalar

    @compiled_as(_AT_KINK, cache=False)
    def at_kink(y: float, field: float, variance: float) -> float:
        for kink in kinks(y):
            if math.isfinite(kink):
                below = kink - field + variance * of(y, kink - _beside(kink))[1]
                above = kink - field + variance * of(y, kink + _beside(kink))[1]
                if below <= 0.0 <= above and above > below:
                    return float(kink)
        return math.nan

    return at_kink


def generated_corners(expression: LossExpression) -> Corners:
    """`interface.CORNERS` of a loss: the fields between which the prox stands at a kink."""
    kink_kernel = expression.kink_kernel()
    if kink_kernel is None:
        return no_corners
    of, kinks = expression.kernel().scalar, kink_kernel.scalar

    @compiled_as(CORNERS, cache=False)
    def corners(y: float, variance: float, parameter: float, out: Array) -> int:
        count = 0
        for kink in kinks(y):
            if math.isfinite(kink) and count + 2 <= MOST_CORNERS:
                out[count, 0] = kink + variance * of(y, kink - _beside(kink))[1]
                out[count + 1, 0] = kink + variance * of(y, kink + _beside(kink))[1]
                out[count, 1] = out[count + 1, 1] = 0.0
                count += 2
        return count

    return corners
