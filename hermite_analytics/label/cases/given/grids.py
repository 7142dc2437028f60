"""The trapezoid rule in one or two coordinates, over a box of each row with next to nothing outside.

Where a look at a box shows a law that falls by more than twelve from a node to its neighbours on an axis,
others of its parts may lie between nodes: such rows have no answer here.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from hermite_analytics.foundation.numpy_arrays import Array, Bools, Integers
from hermite_analytics.label.cases.sampled.sets import Averages
from hermite_analytics.label.compiled import compiled

__all__ = ["MOST_AXES", "Nodes", "by_grids", "weighted"]

Nodes = Callable[[Integers, Array], tuple[Array, Array, Array, Array]]
"""What `weighted` takes, of rows at nodes of each, shape (rows, nodes, axes)."""

MOST_AXES = 2
_REACH = 8.0  # standard deviations, at first
_LEAST = 34.0  # logarithm below the largest that is outside of a box
_LOOKS = 12  # at a box, at most
_SETTLED = 0.7  # of its width, that is left by a look
_LOOKED_AT = {1: 161, 2: 61}  # nodes of an axis at a look, by the number of axes
_STEEPEST = 12.0  # fall of a logarithm from one of these to both of its neighbours
_NODES = {1: 33, 2: 33}  # of an axis, in the first rule
_DOUBLED = {1: 8, 2: 3}  # times, at most
_TOTAL = 0.01  # change of log Z
_TOLERANCE = 1e-4  # change with every second node, of log Z, means and mean squares
_AT_ONCE = 100_000
_LEAST_TERM = 40.0  # logarithm below the largest that is left out of sums


def by_grids(nodes: Nodes, rows: Integers, axes: int, q: int) -> Averages:
    """The error is what every second node changes of the mean; nodes double where it is large.

    Not a number where the box of a row is not known, nor its averages then, and where every second node
    changes log Z.
    """
    low, high, is_known = _boxes(nodes, rows, axes)
    found = Averages.unknown(len(rows), q)
    left = np.flatnonzero(is_known)
    for doubled in range(_DOUBLED[axes] + 1):
        count = ((_NODES[axes] - 1) << doubled) + 1
        index = _index(count, axes)
        even = (index % 2 == 0).all(axis=1)
        off = np.empty(len(left))
        step = max(1, _AT_ONCE // len(index))
        for part in (slice(k, k + step) for k in range(0, len(left), step)):
            own = left[part]
            x, width = _places(low[own], high[own], index, count)
            values = nodes(rows[own], x)
            log_z, mean, second, _ = weighted(*values, np.ones_like(even))
            log_half, half, square, _ = weighted(*values, even)
            found.log_z[own] = log_z + np.log(width).sum(axis=1)
            found.mean[own], found.second[own], found.error[own] = mean, second, mean - half
            with np.errstate(invalid="ignore"):  # no law at all
                of_total = np.abs(log_z - log_half - axes * math.log(2))
            off[part] = np.maximum(np.abs(mean - half).max(axis=1), np.abs(second - square).max(axis=(1, 2)))
            off[part] = np.maximum(off[part], of_total)
            found.error[own[of_total > _TOTAL]] = np.nan
        left = left[~(off <= _TOLERANCE)]
        if not len(left):
            break
    return found


def _boxes(nodes: Nodes, rows: Integers, axes: int) -> tuple[Array, Array, Bools]:
    """(lower, upper ends of intervals, shape (rows, axes), that move until they stay; whether they do)."""
    count = _LOOKED_AT[axes]
    index = _index(count, axes)
    low, high = np.full((len(rows), axes), -_REACH), np.full((len(rows), axes), _REACH)
    is_known = np.ones(len(rows), dtype=np.bool_)
    step = max(1, _AT_ONCE // len(index))
    for part in (slice(k, k + step) for k in range(0, len(rows), step)):
        left = np.arange(len(rows))[part]
        for _ in range(_LOOKS):
            x, width = _places(low[left], high[left], index, count)
            log_p = nodes(rows[left], x)[0]
            possible = np.isfinite(log_p.max(axis=1))
            is_known[left[~possible]] = False
            left, x, width, log_p = (a[possible] for a in (left, x, width, log_p))
            kept = (log_p > log_p.max(axis=1, keepdims=True) - _LEAST)[..., None]
            first, last = np.where(kept, x, np.inf).min(axis=1), np.where(kept, x, -np.inf).max(axis=1)
            whole = high[left] - low[left]
            at_low, at_high = first < low[left] + 0.5 * width, last > high[left] - 0.5 * width
            steep = _is_steep(log_p.reshape(-1, *(count,) * axes))
            is_known[left[steep]] = False
            low[left] = first - np.where(at_low, 0.5 * whole, width)
            high[left] = last + np.where(at_high, 0.5 * whole, width)
            moves = at_low | at_high | (high[left] - low[left] < _SETTLED * whole)
            left = left[moves.any(axis=1) & ~steep]
            if not len(left):
                break
        is_known[left] = False
    return low, high, is_known


def _is_steep(log_p: Array) -> Bools:
    """Of rows, shape (rows, axis, ...), whether a node that counts is far above its neighbours on an axis."""
    within = tuple(range(1, log_p.ndim))
    counts = log_p > log_p.max(axis=within, keepdims=True) - _LEAST
    found = np.zeros(len(log_p), dtype=np.bool_)
    for axis in within:
        lines, whole = np.moveaxis(log_p, axis, -1), np.moveaxis(counts, axis, -1)
        beside = np.full(lines.shape, -np.inf)
        beside[..., 1:] = lines[..., :-1]
        beside[..., :-1] = np.maximum(beside[..., :-1], lines[..., 1:])
        found |= (whole & (beside < lines - _STEEPEST)).any(axis=within)
    return found


def _index(count: int, axes: int) -> Integers:
    return np.indices((count,) * axes).reshape(axes, -1).T


def _places(low: Array, high: Array, index: Integers, count: int) -> tuple[Array, Array]:
    """(nodes, shape (n, nodes, axes), their distances along the axes, shape (n, axes))."""
    width = (high - low) / (count - 1)
    return low[:, None, :] + index * width[:, None, :], width


@compiled
def weighted(
    log_p: Array, u: Array, moved: Array, along: Array, used: Bools
) -> tuple[Array, Array, Array, Array]:
    """log of the sum of p over nodes that are used, the means of x = (u, moved) and of x x^T - along along^T.

    The last is how many nodes of equal p would say as much, (sum p)^2/sum p^2.

    Parameters
    ----------
    log_p : ndarray, shape (n, nodes)
    u : ndarray, shape (n, nodes, k)
    moved, along : ndarrays, shape (n, nodes, q - k)
        `along` is of the last q - k coordinates.
    used : ndarray, shape (nodes,)
    """
    n, count = log_p.shape
    k, m = u.shape[2], moved.shape[2]
    q = k + m
    log_z, mean, second = np.full(n, -np.inf), np.zeros((n, q)), np.zeros((n, q, q))
    equal = np.zeros(n)
    x = np.empty(q)
    for row in range(n):
        top, total, squares = -np.inf, 0.0, 0.0
        for j in range(count):
            if used[j] and log_p[row, j] > top:
                top = log_p[row, j]
        if top == -np.inf:
            continue
        for j in range(count):
            if not used[j] or not log_p[row, j] > top - _LEAST_TERM:
                continue
            p = math.exp(log_p[row, j] - top)
            total += p
            squares += p * p
            for i in range(k):
                x[i] = u[row, j, i]
            for i in range(m):
                x[k + i] = moved[row, j, i]
            for i in range(q):
                mean[row, i] += p * x[i]
                for h in range(i + 1):
                    second[row, i, h] += p * x[i] * x[h]
                    if h >= k:
                        second[row, i, h] -= p * along[row, j, i - k] * along[row, j, h - k]
        log_z[row] = math.log(total) + top
        equal[row] = total * total / squares
        for i in range(q):
            mean[row, i] /= total
            for h in range(i + 1):
                second[row, i, h] /= total
                second[row, h, i] = second[row, i, h]
    return log_z, mean, second, equal
