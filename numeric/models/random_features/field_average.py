"""Averages over the field of one label: by quadrature, or in closed form where the prox is linear in pieces.

With f = (prox(y, x) - x)/V they are E[-df/dx], E f^2, E z f, E f and E loss for x ~ N(center, deviation^2).
"""

from __future__ import annotations

import math

from hermite_analytics.foundation.numpy_arrays import Array
from hermite_analytics.losses.record import Corners, Proximal
from hermite_analytics.numeric.compiled import compiled
from hermite_analytics.numeric.losses.interface import MOST_CORNERS
from hermite_analytics.numeric.models.random_features.panels import NODES, WEIGHTS, panel_edges

__all__ = ["add_average", "corner_features"]

_SCALE = 1.0 / math.sqrt(2.0 * math.pi)
_ROOT_HALF = math.sqrt(0.5)
_SHORT = 2.0  # a piece for which the rule of 16 nodes has all digits
_END = 10.0  # standard deviations of the field: 1e-23 of it lies beyond


@compiled
def corner_features(
    corners: Corners,
    y: float,
    variance: float,
    parameter: float,
    mean: float,
    deviation: float,
    features: Array,
) -> int:
    """Rows (center, width) of the bends of the prox, in standard deviations of the field."""
    count: int = corners(y, variance, parameter, features[:MOST_CORNERS])
    for j in range(count):
        features[j, 0] = (features[j, 0] - mean) / deviation
        features[j, 1] /= deviation
    return count


@compiled
def add_average(
    proximal: Proximal, corners: Corners, parameter: float, variance: float,
    sample: tuple[float, float, float], center: float, deviation: float, level: int, is_linear: bool,
    features: Array, sums: Array,
) -> None:  # fmt: skip
    """Add weight times the averages, for `sample` = (z, y, weight)."""
    count = 0
    if deviation > 0.0:
        count = corner_features(corners, sample[1], variance, parameter, center, deviation, features)
    if is_linear:
        _add_pieces(proximal, parameter, variance, sample, center, deviation, features[:count, 0], sums)
    else:
        panels = panel_edges(features, count, level)
        _add_panels(proximal, parameter, variance, sample, center, deviation, panels, sums)


@compiled
def _add_panels(
    proximal: Proximal, parameter: float, variance: float, sample: tuple[float, float, float],
    center: float, deviation: float, panels: Array, sums: Array,
) -> None:  # fmt: skip
    z, y, weight = sample
    for i in range(panels.size - 1):
        half = 0.5 * (panels[i + 1] - panels[i])
        middle = 0.5 * (panels[i + 1] + panels[i])
        if half <= 0.0:
            continue
        for k in range(NODES.size):
            h = middle + half * NODES[k]
            share = weight * half * WEIGHTS[k] * _SCALE * math.exp(-0.5 * h * h)
            field = center + deviation * h
            _, _, force, curvature, loss = proximal(y, field, variance, parameter)
            sums[0] += share * curvature
            sums[1] += share * force * force
            sums[2] += share * z * force
            sums[3] += share * force
            sums[4] += share * loss


@compiled
def _moments(low: float, high: float, middle: float) -> tuple[float, float, float]:
    """E (h - middle)^k over low < h < high for k = 0, 1, 2 and h ~ N(0, 1)."""
    mass = first = second = 0.0
    if high - low < _SHORT:  # the closed form would lose what is small beside 1
        half = 0.5 * (high - low)
        for k in range(NODES.size):
            away = half * NODES[k]
            share = half * WEIGHTS[k] * _SCALE * math.exp(-0.5 * (middle + away) ** 2)
            mass += share
            first += share * away
            second += share * away * away
        return mass, first, second
    left, right = _SCALE * math.exp(-0.5 * low * low), _SCALE * math.exp(-0.5 * high * high)
    inner, outer = (low, high) if low <= 0.0 else (-high, -low)  # differences of the smaller tails
    mass = 0.5 * (math.erfc(-outer * _ROOT_HALF) - math.erfc(-inner * _ROOT_HALF))
    first = left - right - middle * mass
    second = (1.0 + middle * middle) * mass + (low - 2.0 * middle) * left - (high - 2.0 * middle) * right
    return mass, first, second


@compiled
def _add_pieces(
    proximal: Proximal, parameter: float, variance: float, sample: tuple[float, float, float],
    center: float, deviation: float, bends: Array, sums: Array,
) -> None:  # fmt: skip
    """Between bends f is f_0 - a (x - x_0), the loss l_0 - f_0 s (x - x_0) + a s (x - x_0)^2/2, s = 1 - V a;
    x_0 is the middle of the part of a piece within 10 standard deviations.
    """
    z, y, weight = sample
    for i in range(bends.size + 1):
        low, high = -_END, _END  # of the i-th gap between the bends, in whatever order they come
        for j in range(bends.size):
            below = 0
            for k in range(bends.size):
                below += bends[k] < bends[j] or (bends[k] == bends[j] and k < j)
            if below < i:
                low = max(low, min(bends[j], _END))
            else:
                high = min(high, max(bends[j], -_END))
        if high <= low:
            continue
        middle = 0.5 * (low + high)
        mass, first, second = _moments(low, high, middle)
        _, _, force, curvature, loss = proximal(y, center + deviation * middle, variance, parameter)
        shrink = 1.0 - variance * curvature
        bent, once = curvature * deviation, deviation * first
        plain = force * mass - curvature * once
        sums[0] += weight * curvature * mass
        sums[1] += weight * (force * force * mass - 2.0 * force * curvature * once + bent * bent * second)
        sums[2] += weight * z * plain
        sums[3] += weight * plain
        sums[4] += weight * (loss * mass + shrink * (0.5 * bent * deviation * second - force * once))
