"""Compiled sums and products of two independent labels with tabulated densities.

At a label y the density of t (+) x is an integral over t, singular where t is a singular value v_j of the
first label or x one of the second, at t = T_k = y - u_k or y/u_k. All distances between these points are
sums of positive numbers or differences of singular values, so nearly coinciding ones are told apart exactly.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from hermite_analytics.foundation.numpy_arrays import Array, Integers
from hermite_analytics.label.cases.parts.interpolation import Table, interpolate
from hermite_analytics.label.compiled import compiled

__all__ = ["Density", "Panel", "Pointwise", "combine_panel", "shift_panel"]

_DIGITS = 33.0  # the rule is cut where the integral left out is e^-33 of the whole


class Density(NamedTuple):
    """The tables of a label, one panel after the other.

    Attributes
    ----------
    points : ndarray, shape (panels + 1,)
    values : ndarray, shape (panels, nodes, channels)
    first, last : ndarray of int, shape (panels,)
        The nodes that are kept.
    powers : ndarray, shape (panels, 2)
        Of the distance from each end of a panel, by which the density grows there.
    half : int
        The node in the middle of a panel.
    step : float
    """

    points: Array
    values: Array
    first: Integers
    last: Integers
    powers: Array
    half: int
    step: float


class Panel(NamedTuple):
    """A panel (low, high) of the result; node n stands at s = (n - half) step."""

    low: float
    high: float
    half: int
    step: float


class Pointwise(NamedTuple):
    """What is done with labels: products of positive ones, or sums; and with their channels.

    Attributes
    ----------
    product : bool
    pairs : ndarray of int, shape (channels, 2)
        The channels whose product is each channel of the result.
    """

    product: bool
    pairs: Integers


class _Place(NamedTuple):
    """Where y > 0 is among the v_j (+) u_k.

    Attributes
    ----------
    y : float
    left, right : float
        Its distances from the ends of its panel.
    below, above : ndarray, shape (v, u)
        Distances of v_j (+) u_k from these ends where it lies outside, -1 elsewhere.
    """

    y: float
    left: float
    right: float
    below: Array
    above: Array


class _Interval(NamedTuple):
    """Of t, between two neighbouring break points: in panel (v_j, v_j+1), x in (u_k-1, u_k).

    Attributes
    ----------
    start, length : float
    low1, high1 : float
        Distances of its ends from v_j and v_j+1.
    low2, high2 : float
        And from T_k and T_k-1.
    u_low, u_high : float
        u_k-1 and u_k.
    """

    start: float
    length: float
    low1: float
    high1: float
    low2: float
    high2: float
    u_low: float
    u_high: float


@compiled
def combine_panel(
    how: Pointwise,
    panel: Panel,
    nodes: Integers,
    below: Array,
    above: Array,
    one: Density,
    two: Density,
    inner: float,
    out: Array,
) -> None:
    """Add to out[n] the densities of t (+) x at the given nodes of a panel.

    `below`, `above`: see `_Place`; `inner`: spacing of the inner rule.
    """
    kind = np.empty(one.points.size + two.points.size, dtype=np.int64)
    index = np.empty_like(kind)
    for n in nodes:
        y, left, right = _node(panel, n)
        at = _Place(y, left, right, below, above)
        count = _break_points(how.product, at, one.points, two.points, kind, index)
        _combine_node(how, at, one, two, kind[:count], index[:count], inner, out[n])


@compiled
def _node(panel: Panel, n: int) -> tuple[float, float, float]:
    """A node of a panel and its distances from the ends."""
    s, size = (n - panel.half) * panel.step, panel.high - panel.low
    left, right = size / (1.0 + math.exp(-s)), size / (1.0 + math.exp(s))
    return panel.low + left if s < 0.0 else panel.high - right, left, right


@compiled
def _break_points(
    product: bool, at: _Place, points1: Array, points2: Array, kind: Integers, index: Integers
) -> int:
    """Write the break points in increasing order, (0, j) for v_j and (1, k) for T_k; returns their number."""
    n1 = points1.size
    j, k, count = 0, points2.size - 1, 0
    while j < n1 or k >= 0:
        if k >= 0 and product and points2[k] == 0.0:
            k -= 1
            continue
        take_first = k < 0 or (j < n1 and _gap(product, at, j, k, points2) >= 0.0)
        if take_first and j < n1:
            kind[count], index[count] = 0, j
            j += 1
        elif k >= 0:
            kind[count], index[count] = 1, k
            k -= 1
        count += 1
    return count


@compiled
def _combine_node(
    how: Pointwise,
    at: _Place,
    one: Density,
    two: Density,
    kind: Integers,
    index: Integers,
    inner: float,
    out: Array,
) -> None:
    """Add to `out` the density at y of the sum (product: of positive labels) of two labels."""
    product, points1, points2 = how.product, one.points, two.points
    value1, value2 = np.empty(one.values.shape[2]), np.empty(two.values.shape[2])
    j, k = -1, points2.size  # v_j <= t, T_k <= t: the last ones passed
    previous = math.inf
    for b in range(kind.size - 1):
        if kind[b] == 0:
            j = index[b]
        else:
            k = index[b]
        inside = 0 <= j < points1.size - 1 and 1 <= k <= points2.size - 1
        length = _length(product, at, kind, index, b, points1, points2)
        if not inside or length <= 0.0 or one.first[j] > one.last[j] or two.first[k - 1] > two.last[k - 1]:
            previous = length
            continue
        following = math.inf
        if b + 2 < kind.size:
            following = _length(product, at, kind, index, b + 1, points1, points2)
        interval = _interval(product, at, kind[b], kind[b + 1], j, k, length, points1, points2)
        power = one.powers[j, 0] if kind[b] == 0 else two.powers[k - 1, 1]
        lowest = -_reach(power, length, previous)
        power = one.powers[j, 1] if kind[b + 1] == 0 else two.powers[k - 1, 0]
        highest = _reach(power, length, following)
        previous = length
        table1 = Table(one.values[j], one.first[j], one.last[j], one.half, one.step)
        table2 = Table(two.values[k - 1], two.first[k - 1], two.last[k - 1], two.half, two.step)
        for n in range(math.ceil((highest - lowest) / inner) + 1):
            s = lowest + n * inner
            near, far = interval.length / (1.0 + math.exp(-s)), interval.length / (1.0 + math.exp(s))
            x_left, x_right, jacobian = _other(product, at.y, interval, near, far)
            if not interpolate(table1, near + interval.low1, far + interval.high1, value1):
                continue
            if not interpolate(table2, x_left, x_right, value2):
                continue
            measure = inner * near * (far / length) * jacobian
            for c in range(out.size):
                out[c] += measure * value1[how.pairs[c, 0]] * value2[how.pairs[c, 1]]


@compiled
def _other(
    product: bool, y: float, interval: _Interval, near: float, far: float
) -> tuple[float, float, float]:
    """Distances of x from the ends of its panel, and |dx/dy|, at these ones of t from an interval's ends."""
    if not product:
        return far + interval.high2, near + interval.low2, 1.0
    t = interval.start + near
    x_left = y / t if interval.u_low == 0.0 else interval.u_low * (far + interval.high2) / t
    return x_left, interval.u_high * (near + interval.low2) / t, 1.0 / t


@compiled
def _interval(
    product: bool,
    at: _Place,
    begins: int,
    ends: int,
    j: int,
    k: int,
    length: float,
    points1: Array,
    points2: Array,
) -> _Interval:
    """The one that begins and ends with break points of these kinds, after v_j and T_k."""
    low, high = points2[k - 1], points2[k]
    start = points1[j] if begins == 0 else (at.y / high if product else at.y - high)
    unbounded = product and low == 0.0
    return _Interval(
        start=start,
        length=length,
        low1=0.0 if begins == 0 else _gap(product, at, j, k, points2),
        high1=-_gap(product, at, j + 1, k - 1, points2) if ends == 1 else 0.0,
        low2=0.0 if begins == 1 else -_gap(product, at, j, k, points2),
        high2=_gap(product, at, j + 1, k - 1, points2) if ends == 0 and not unbounded else 0.0,
        u_low=low,
        u_high=high,
    )


@compiled
def _reach(power: float, length: float, neighbour: float) -> float:
    """How far out in s the inner rule goes at an end near which the density is like x^power."""
    extra = 0.0
    if neighbour < length:
        extra = min(math.log(length / max(neighbour, 1e-280)), 90.0)
    return _DIGITS / max(1.0 + min(power, 0.0), 0.2) + extra


@compiled
def _gap(product: bool, at: _Place, j: int, k: int, points2: Array) -> float:
    """T_k - v_j."""
    difference = at.left + at.below[j, k] if at.below[j, k] >= 0.0 else -(at.right + at.above[j, k])
    return float(difference / points2[k] if product else difference)


@compiled
def _length(
    product: bool, at: _Place, kind: Integers, index: Integers, b: int, points1: Array, points2: Array
) -> float:
    """The distance of a break point from the next one."""
    i, j = index[b], index[b + 1]
    if kind[b] == 0 and kind[b + 1] == 0:
        return float(points1[j] - points1[i])
    if kind[b] == 1 and kind[b + 1] == 1:
        difference = points2[i] - points2[j]
        return float(at.y * difference / (points2[i] * points2[j]) if product else difference)
    if kind[b] == 0:
        return _gap(product, at, i, j, points2)
    return -_gap(product, at, j, i, points2)


@compiled
def shift_panel(
    panel: Panel,
    nodes: Integers,
    below: float,
    above: float,
    table: Table,
    scale: float,
    atom: Array,
    pairs: Integers,
    out: Array,
) -> None:
    """Add to out[n] an atom combined with one panel of a density, moved and stretched by `scale`.

    `below`, `above`: distances of the ends of the moved panel from those of `panel`; `pairs`, shape
    (channels, 2): the channels of the atom and of the density whose product is each channel of the result.
    """
    value = np.empty(table.values.shape[1])
    for n in nodes:
        _, left, right = _node(panel, n)
        if interpolate(table, (left + below) / scale, (right + above) / scale, value):
            for c in range(out.shape[1]):
                out[n, c] += atom[pairs[c, 0]] * value[pairs[c, 1]] / scale
