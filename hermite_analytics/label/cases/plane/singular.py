"""Labels of two coordinates between which the law of the label is smooth: where the panels of rules end."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

import numpy as np

from hermite_analytics.foundation.numpy_arrays import Array, Function

__all__ = ["limits_far_out", "panel_ends"]

_NARROW = 1.0  # range in s of half of the labels of a panel that is too short for its nodes
_ROUNDS = 2  # of divisions of panels that are too long
_SAME = 1e-10  # critical values that count as one, relative to their size and that of typical labels
_DIRECTIONS = 180
_FAR = (1e3, 1e5)  # radii
_SETTLED = 1e-9


def limits_far_out(value: Function) -> list[float]:
    """Values that the label tends to in all directions of some sector: near them its law is concentrated."""
    theta = 2 * math.pi * (np.arange(_DIRECTIONS) + 0.317) / _DIRECTIONS
    units = np.stack([np.cos(theta), np.sin(theta)], 1)
    with np.errstate(all="ignore"):
        near, far = np.array(value(_FAR[0] * units)), np.array(value(_FAR[1] * units))
        following = np.roll(far, 1)
        settled = np.abs(near - far) <= _SETTLED * np.abs(far)
        found = far[settled & (np.abs(following - far) <= _SETTLED * np.abs(far))]
    return [float(v) for v in np.unique(found[np.isfinite(found)])]


def panel_ends(
    values: Array, p: Array, inner: Sequence[float], ends: tuple[float, float], extra: Sequence[float]
) -> Array:
    """The range, the critical values between, and medians of what else is concentrated.

    Parameters
    ----------
    values, p : ndarray, shape (n,)
        Labels and their probabilities, a sample.
    inner : sequence of float
        Critical values.
    ends : (float, float)
        The range.
    extra : sequence of float
        Values that count where they are in the range.
    """
    order = np.argsort(values)
    values, p = values[order], p[order]
    typical = float(p @ np.abs(values))
    low, high = ends
    inner = [*inner, *(v for v in extra if low < v < high)]
    # the ends of the range, unless they are critical values that the samples have missed
    inner += [low] if low < min(inner, default=math.inf) else []
    inner += [high] if high > max(inner) else []
    result: list[float] = []
    for v in sorted(inner):
        if not result or v - result[-1] > _SAME * (abs(v) + typical):
            result.append(0.0 if abs(v) < 1e-12 * typical else float(v))
    for _ in range(_ROUNDS):
        result += [m for a, b in itertools.pairwise(result) for m in _median(a, b, values, p)]
        result.sort()
    return np.array(result)


def _median(low: float, high: float, values: Array, p: Array) -> list[float]:
    """The median of the labels in a panel, if half of them are within a few nodes."""
    start, stop = np.searchsorted(values, [low, high])
    total = np.cumsum(p[start:stop])
    if stop - start < 40 or total[-1] < 1e-6:
        return []
    quartiles = values[start:stop][np.searchsorted(total, np.array([0.25, 0.5, 0.75]) * total[-1])]
    gaps = np.maximum(quartiles - low, 1e-300), np.maximum(high - quartiles, 1e-300)
    s = np.log(gaps[0] / gaps[1])
    return [float(quartiles[1])] if s[2] - s[0] < _NARROW and low < quartiles[1] < high else []
