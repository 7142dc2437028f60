"""Boxes of a polynomial on a square, by its Bernstein coefficients: what they bound, and their halves."""

from __future__ import annotations

import functools
import math

import numpy as np

from hermite_analytics.foundation.numpy_arrays import Array, Bools, Integers
from hermite_analytics.label.cases.plane.patches import NODES

__all__ = ["divided", "graph_axes", "pairs"]

_BENT = 4.0  # ratio of second differences from which a box is halved in one parameter only
_VARIATION = 3.0  # of the derivative across the curve, within a box
_STEEPEST = 3.0  # slope of the curve in a box
_PAIRS = 65536  # of a box and a label


@functools.cache
def _halving() -> Array:
    """Bernstein coefficients -> those on the lower and on the upper half, shape (2, NODES, NODES)."""
    lower = np.array([[math.comb(i, k) / 2**i for k in range(NODES)] for i in range(NODES)])
    return np.array([lower, lower[::-1, ::-1]])


def divided(boxes: Array, place: Array) -> tuple[Array, Array, Integers]:
    """The halves of boxes along the parameter in which they bend more, or their quarters, and whose they are.

    Parameters
    ----------
    boxes : ndarray, shape (b, NODES, NODES)
        Bernstein coefficients.
    place : ndarray, shape (b, 4)
        Corner and sizes of each box.
    """
    bends = np.array([np.abs(np.diff(boxes, 2, axis=axis)).max((1, 2), initial=0.0) for axis in (1, 2)])
    both = bends.max(0) <= _BENT * bends.min(0)
    cuts = np.array([both | (bends[0] >= bends[1]), both | (bends[0] < bends[1])])
    source = np.arange(len(boxes))
    for axis in range(2):
        cut, rest = np.flatnonzero(cuts[axis, source]), np.flatnonzero(~cuts[axis, source])
        order = np.concatenate([rest, cut, cut])
        along = boxes[cut] if axis == 0 else boxes[cut].swapaxes(1, 2)
        halves = (_halving()[:, None] @ along).reshape(-1, NODES, NODES)
        halves = halves if axis == 0 else halves.swapaxes(1, 2)
        boxes, place, source = np.concatenate([boxes[rest], halves]), place[order], source[order]
        place[len(rest) :, 2 + axis] *= 0.5
        place[len(order) - len(cut) :, axis] += place[len(order) - len(cut) :, 2 + axis]
    return boxes, place, source


def graph_axes(
    boxes: Array, first: Integers, last: Integers, heights: Array, base: Array
) -> tuple[Integers, Array]:
    """0 or 1 for each box: the curves of its labels are graphs, solved for the second or the first parameter.

    With the least size of the derivative in that parameter; -1 where neither is sure. The labels of a box are
    heights[first] to heights[last - 1], less its base.
    """
    slopes = [np.diff(boxes, axis=axis) for axis in (2, 1)]
    low, high = (np.array([extreme(d, axis=(1, 2)) for d in slopes]) for extreme in (np.min, np.max))
    steepest, least = np.maximum(-low, high), np.maximum(low, -high)
    axes = np.full(len(boxes), -1)
    for axis in (1, 0):
        bound = np.maximum(steepest[axis] / _VARIATION, steepest[1 - axis] / _STEEPEST)
        sure = np.flatnonzero((least[axis] > 0) & (bound <= least[axis]))
        some = boxes[sure] if axis == 0 else boxes[sure].swapaxes(1, 2)
        crossed = _crossed_once(some[:, :, [0, -1]], first[sure], last[sure], heights, base[sure])
        axes[sure[crossed]] = axis
    size = np.where(axes == 1, least[1], least[0])
    return axes, (NODES - 1) * size


def _crossed_once(sides: Array, first: Integers, last: Integers, heights: Array, base: Array) -> Bools:
    """Whether each of two opposite sides, shape (b, NODES, 2), meets each curve at most once.

    Its coefficients cross the label at most once then.
    """
    before, after = sides[:, :-1], sides[:, 1:]
    turning = np.any((after < before).any(1) & (after > before).any(1), axis=1)
    found = np.ones(len(sides), dtype=bool)
    some = np.flatnonzero(turning)
    box, label = pairs(first[some], last[some])
    for start in range(0, len(box), _PAIRS):
        mine = some[box[start : start + _PAIRS]]
        above = sides[mine] >= (heights[label[start : start + _PAIRS]] - base[mine])[:, None, None]
        twice = np.any((above[:, 1:] != above[:, :-1]).sum(1) > 1, axis=1)
        found[mine[twice]] = False
    return found


def pairs(first: Integers, last: Integers) -> tuple[Integers, Integers]:
    """All (i, k) with first[i] <= k < last[i].

    Examples
    --------
    >>> [x.tolist() for x in pairs(np.array([0, 1]), np.array([2, 4]))]
    [[0, 0, 1, 1, 1], [0, 1, 1, 2, 3]]
    """
    counts = np.maximum(last - first, 0)
    i = np.repeat(np.arange(len(first)), counts)
    return i, np.arange(len(i)) - np.repeat(np.cumsum(counts) - counts - first, counts)
