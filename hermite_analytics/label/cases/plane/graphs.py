"""Points of level curves in boxes where they are graphs, by the Bernstein coefficients of the boxes."""

from __future__ import annotations

import functools
import math

import numpy as np

from hermite_analytics.foundation.numpy_arrays import Array, Integers
from hermite_analytics.label.cases.plane.patches import NODES

__all__ = ["graph_points", "safe_zeros"]

_SETTLED = 1e-12  # step of Newton's method after which the slope before it counts
_STEPS = 8  # of all zeros together
_FEWER = 2  # of them, after which those that are settled are left out
_BISECTIONS = 80
_ROUNDING = 2.0**-52
_BEFORE_1 = 1 - 2.0**-53
_M = NODES - 1


@functools.cache
def _binomials() -> Array:
    return np.array([math.comb(_M, k) for k in range(NODES)], dtype=np.float64)


def _basis(x: Array) -> Array:
    """Values of the Bernstein polynomials, shape (NODES, ...)."""
    found = np.empty((NODES, *x.shape))
    rest, power = 1 - x, np.ones_like(x)
    found[0] = 1.0
    for i in range(1, NODES):
        np.multiply(found[i - 1], x, out=found[i])
    for i in range(_M - 1, -1, -1):
        power *= rest
        found[i] *= power
    found *= _binomials().reshape(-1, *[1] * x.ndim)
    return found


def _newton(scaled: Array, y: Array) -> tuple[Array, Array, Array]:
    """Of polynomials sum of scaled[i] y^i (1 - y)^(m - i): Newton's step, the value and the derivative.

    Value and derivative are over (1 - y)^(m - 1) and (1 - y)^(m - 2).
    """
    rest = 1 - y
    t = y / rest
    slope = scaled[_M].copy()
    value = slope * t
    value += scaled[_M - 1]
    for i in range(_M - 2, -1, -1):
        slope *= t
        slope += value
        value *= t
        value += scaled[i]
    value *= rest  # p = (1 - y)^m q(t), p' = (1 - y)^(m - 2) (q' - m (1 - y) q)
    slope -= _M * value
    return value * rest / slope, value, slope


def _zeros(scaled: Array, y: Array) -> tuple[Array, Array]:
    """(the zero in [0, 1] of each monotone polynomial, the derivative there), from a guess.

    Parameters
    ----------
    scaled : ndarray, shape (NODES, k)
        Coefficients in Bernstein's polynomials, times their binomials, with one change of sign; where there
        is none the nearer end is taken.
    y : ndarray, shape (k,)
    """
    y = np.clip(y, 0.0, _BEFORE_1)
    slope, moving = np.empty_like(y), np.arange(len(y))
    with np.errstate(all="ignore"):
        for count in range(_STEPS):
            some = scaled if len(moving) == len(y) else scaled[:, moving]
            step, _, slope[moving] = _newton(some, y[moving])
            y[moving] = np.clip(y[moving] - step, 0.0, _BEFORE_1)
            unsettled = ~(np.abs(step) <= _SETTLED)
            if count >= _FEWER:
                moving = moving[unsettled]
            if not unsettled.any():
                break
        else:
            y[moving], slope[moving] = safe_zeros(scaled[:, moving])
    return y, slope * (1 - y) ** (_M - 2)


def safe_zeros(scaled: Array) -> tuple[Array, Array]:
    """The same within an interval that shrinks, and is halved where Newton's steps leave it.

    For polynomials that are not monotone: one may come back to 0 at an end, where the curve goes through a
    corner of its box. The derivative is over (1 - y)^(m - 2).
    """
    first, last = scaled[0], scaled[_M]
    rising = last >= 0
    low, high = np.zeros(len(first)), np.full(len(first), _BEFORE_1)
    one_sign = (first >= 0) == rising  # rounding, at an end of the part
    high[one_sign & (np.abs(first) < np.abs(last))] = 0.0
    low[one_sign & (high > 0)] = _BEFORE_1
    with np.errstate(all="ignore"):
        y = np.clip(np.nan_to_num(first / (first - last), nan=0.5), low, high)
        for _ in range(_BISECTIONS):
            step, value, slope = _newton(scaled, y)
            above = (value >= 0) == rising
            high, low = np.where(above, y, high), np.where(above, low, y)
            following = y - step
            inside = (following >= low) & (following <= high)
            following = np.where(inside, following, 0.5 * (low + high))
            if np.abs(following - y).max(initial=0.0) <= _ROUNDING:
                break
            y = following
    return y, slope


def _parts(boxes: Array, box: Integers, levels: Array) -> tuple[Integers, Integers, Array, Array]:
    """(pairs of which the graph runs through the box, those of which a part does, its start and length)."""
    sides = boxes[:, :, [0, -1]]
    ends = sides[:, [0, -1]][box] >= levels[:, None, None]
    crossed, side = np.nonzero(ends[:, 0] != ends[:, 1])
    c = sides[box[crossed], :, side].T - levels[crossed]
    cuts = np.ones((2, len(box)))
    cuts[side, crossed] = safe_zeros(c * _binomials()[:, None])[0]
    whole = (cuts == 1).all(0)
    through = np.flatnonzero(whole & (ends[:, 0, 0] != ends[:, 0, 1]))
    cut = np.flatnonzero(~whole)
    places = np.stack([np.zeros(len(cut)), cuts[:, cut].min(0), cuts[:, cut].max(0), np.ones(len(cut))])
    start, length = places[:-1], np.diff(places, axis=0)
    pair = np.broadcast_to(cut, start.shape)
    heights = np.einsum("ipc,cie->pce", _basis(start + 0.5 * length), sides[box[cut]])
    above = heights >= levels[cut][:, None]
    kept = (length > 0) & (above[..., 0] != above[..., 1])
    return through, pair[kept], start[kept], length[kept]


def graph_points(
    boxes: Array, box: Integers, levels: Array, nodes: Array
) -> tuple[Integers, Array, Array, Array]:
    """(pair of each part of a graph, first and second parameter, length over slope), each (parts, nodes).

    Parameters
    ----------
    boxes : ndarray, shape (b, NODES, NODES)
        Of graphs over the first parameter.
    box : ndarray of int, shape (k,)
        The box of each pair (box, label), in increasing order.
    levels : ndarray, shape (k,)
        Of the labels, in the boxes.
    nodes : ndarray, shape (n,)
        On (0, 1), of each part.
    """
    if len(box):  # those that the pairs have
        boxes, box = boxes[box[0] : box[-1] + 1], box - box[0]
    through, cut, start, length = _parts(boxes, box, levels)
    boxes = boxes * _binomials()
    across = np.moveaxis(_basis(nodes).T @ boxes, 2, 0)  # of boxes that are crossed whole
    x = start[:, None] + length[:, None] * nodes
    parts = np.moveaxis(np.moveaxis(_basis(x), 0, 2) @ boxes[box[cut]], 2, 0)
    columns = np.concatenate([across[:, box[through]], parts], axis=1)
    pair = np.concatenate([through, cut])
    columns -= _binomials()[:, None, None] * levels[pair][:, None]
    x = np.concatenate([np.broadcast_to(nodes, (len(through), nodes.size)), x])
    low, high = columns[0], columns[-1]
    guess = low / np.where(low == high, 1.0, low - high)
    y, slope = _zeros(columns.reshape(NODES, -1), guess.ravel())
    length = np.concatenate([np.ones(len(through)), length])
    return pair, x, y.reshape(x.shape), length[:, None] / np.abs(slope.reshape(x.shape))
