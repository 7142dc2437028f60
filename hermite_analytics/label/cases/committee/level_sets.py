"""Nodes of the coordinates outside one pair on the level sets of a sum of three or four odd steps.

Where the pair can have the label that is left for it is an interval, or some, with ends in closed form or by
the root of a monotone function. Panels end there and at critical points, and are denser at their ends: the
integrand has a root at the ends where the two of the pair are equal, and vanishes where they are infinitely
far apart.

Beside the label 2 g(S/2) the level sets of four parts are nearly cones at its critical points, where one
coordinate is -S/2 and the others are S/2: panels of the size of their gap there.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hermite_analytics.foundation.numpy_arrays import Array
from hermite_analytics.foundation.panels import unit_rule
from hermite_analytics.label.cases.committee.odd_step import OddStep, increasing_root

__all__ = ["Nodes", "curve_nodes", "surface_nodes"]


_CURVE = 5.7  # distance of the third coordinate from S/3, the farthest
_PAIRS = 7.0  # of the sum of a pair from S/2
_APART = 4.9  # half the difference in a pair, the largest
_FAR = 15.9  # within the table of the part
_OUTSIDE = (0.6, 2.8)  # ends of panels of t beyond 0 and S
_SMALL = 3.0  # S, below which panels are divided between its size and 1
_COARSE = 20  # halvings, for a place that need not be exact
_GAP = 0.5  # of the level set at a critical point, the largest with panels of its own
_CURVED = 0.05  # z, between which a curvature is taken
_ACROSS = 0.67  # nodes of a panel of d, in those of a panel of t
_LEAST = 1e-13  # length of a panel
_LABEL = 1e-14


class Nodes(NamedTuple):
    """Places of their labels, weights, and the coordinates that are not of the pair."""

    place: NDArray[np.intp]
    weights: Array
    rest: tuple[Array, ...]

    def block(self, rows: slice) -> Nodes:
        """Some of them."""
        return Nodes(self.place[rows], self.weights[rows], tuple(z[rows] for z in self.rest))


def curve_nodes(step: OddStep, total: float, label: Array, size: int) -> Nodes:
    """Of z_3 for three parts, S > 0.

    With Q(x) = g(x) + 2 g((S - x)/2), which falls from g(inf) to g(S) at -S, rises to 3 g(S/3) at S/3 and
    falls to -g(inf): Q > y > g(x) for x < S, and Q < y < g(x) for x > S.
    """

    def rising(x: Array) -> Array:
        return step.value(x) + step.half(total - x) - label

    def falling(x: Array) -> Array:
        return -rising(x)

    full = np.ones_like(label)
    own = 0.5 * step.inverse_half(2 * label)
    first = increasing_root(falling, -_FAR * full, -total * full)
    second = increasing_root(rising, -total * full, total / 3 * full)
    third = increasing_root(falling, total / 3 * full, _FAR * full)
    low = label < step.value(np.array(total))
    central = low | (label < 3 * step.value(np.array(total / 3)))
    outer = np.abs(label) < step.height
    left = np.where(low, np.minimum(own, -total), first)
    ends = [
        (-_FAR * full, np.where(outer, left, -_FAR)),
        (np.where(low, -total, second), np.where(central, np.where(low, own, third), -_FAR)),
        (np.where(low, third, own), np.where(outer, _FAR, -_FAR)),
    ]
    a, b = (np.clip(np.stack(e, 1), total / 3 - _CURVE, total / 3 + _CURVE) for e in zip(*ends, strict=True))
    x, weights = _panels(a.ravel(), b.ravel(), size)
    place = np.repeat(np.arange(len(label)), len(ends))
    return _flat(np.broadcast_to(place[:, None], x.shape), weights, (x,))


def surface_nodes(step: OddStep, total: float, label: Array, size: int) -> Nodes:
    """Of z_1 and z_2 for four parts, S > 0: by t = z_1 + z_2 and half their difference d >= 0."""
    place, t, weights = _sums_of_pair(step, total, label, size)
    own, other = step.half(t), step.half(total - t)
    y = label[place]
    low = np.maximum(np.minimum(own, 0), y - np.maximum(other, 0))
    high = np.minimum(np.maximum(own, 0), y - np.minimum(other, 0))
    kept = np.flatnonzero(high - low > _LABEL)
    place = place[kept]
    t, weights, own, low, high = (a[kept] for a in (t, weights, own, low, high))
    large, small = np.where(t > 0, high, low), np.where(t > 0, low, high)
    near = np.where(np.abs(large) >= np.abs(own) * (1 - _LABEL), 0.0, _spread(step, large, own, t))
    far = np.minimum(np.where(np.abs(small) <= _LABEL, _APART, _spread(step, small, own, t)), _APART)
    near = np.minimum(near, far)
    half, gap = 0.5 * total, _gap(step, total, y[kept])
    inner = [gap, half - gap, half + 0 * t, half + gap]
    if total < _SMALL:
        equal, beside = _equal(step, total, label[place], t), math.sqrt(total)
        inner += [equal - beside, equal, equal + beside]
    ends = np.sort(np.stack([near, *(np.clip(x, near, far) for x in inner), far]), axis=0)
    across = math.ceil(_ACROSS * size)
    d, widths = _panels(np.concatenate(ends[:-1]), np.concatenate(ends[1:]), across)
    place = np.broadcast_to(np.tile(place, len(ends) - 1)[:, None], d.shape)
    t, weights = (np.tile(a, len(ends) - 1)[:, None] for a in (t, weights))
    t = np.broadcast_to(t, d.shape)
    return _flat(place, 2 * weights * widths, (0.5 * t + d, 0.5 * t - d))  # 2: d < 0


def _sums_of_pair(
    step: OddStep, total: float, label: Array, size: int
) -> tuple[NDArray[np.intp], Array, Array]:
    """(places of the labels, t, weights)."""

    def falling(t: Array) -> Array:
        return label - step.half(t) - step.half(total - t)

    full = np.ones_like(label)
    alone = step.inverse_half(label)
    both = increasing_root(falling, 0.5 * total * full, _FAR * full)
    central = (label > 0) & (label < 2 * step.half(np.array(0.5 * total)))
    both = np.where(central, both, 0.5 * total)
    low, high = 0.5 * total - _PAIRS, 0.5 * total + _PAIRS
    outer = np.maximum(np.maximum(alone, total - alone), total)  # beyond it, on both sides, sheets begin
    gap = _gap(step, total, label)
    right = [total - gap, total * full, total + gap, alone, both]
    right += [outer + _OUTSIDE[0] * min(math.sqrt(total), 1.0), total + _OUTSIDE[1] * full, high * full]
    inner = [*right, *(total - x for x in right)]
    ends = np.sort(np.clip(np.stack(inner, 1), low, high), axis=1)
    t, weights = _panels(ends[:, :-1].ravel(), ends[:, 1:].ravel(), size)
    place = np.repeat(np.arange(len(label)), ends.shape[1] - 1)
    found = _flat(np.broadcast_to(place[:, None], t.shape), weights, (t,))
    return found.place, found.rest[0], found.weights


def _gap(step: OddStep, total: float, label: Array) -> Array:
    """How far from the critical points with the label 2 g(S/2) another one is; 0 where that is far."""
    near, far = step.slope(0.5 * total + np.array([-_CURVED, _CURVED]))
    gap = np.sqrt(2 * _CURVED * np.abs(label - step.half(np.array(total))) / abs(near - far))
    return np.where(gap < _GAP * min(1.0, total), gap, 0.0)


def _equal(step: OddStep, total: float, label: Array, t: Array) -> Array:
    """The d that both pairs have: for small S nearly critical, whatever t is."""

    def falling(d: Array) -> Array:
        return label - sum(step.value(0.5 * a + b) for a in (t, total - t) for b in (d, -d))

    return increasing_root(falling, np.zeros_like(t), np.full_like(t, _APART), halvings=_COARSE)


def _spread(step: OddStep, label: Array, largest: Array, t: Array) -> Array:
    """The d of labels inside, and of others that of half the largest."""
    inside = (np.abs(label) > _LABEL) & (np.abs(label) < np.abs(largest))
    return step.spread(np.where(inside, label, 0.5 * largest), t)


def _panels(low: Array, high: Array, size: int) -> tuple[Array, Array]:
    """(points, weights) of Gauss and Legendre, denser at both ends, one row for each panel."""
    x, w = unit_rule(size)
    w = 6 * w * x * (1 - x)
    share = x * x * (3 - 2 * x)
    length = np.where(high - low > _LEAST, high - low, 0.0)[:, None]
    points = np.where(x < 0.5, low[:, None] + length * share, high[:, None] - length * share[::-1])
    return points, length * w


def _flat(place: NDArray[np.intp], weights: Array, rest: tuple[Array, ...]) -> Nodes:
    """The nodes with weights, on one axis."""
    kept = np.flatnonzero(weights.ravel())
    return Nodes(place.ravel()[kept], weights.ravel()[kept], tuple(z.ravel()[kept] for z in rest))
