"""Lines through a point, the roots of a label along them, and where it is nearest in the metric of V."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from hermite_analytics.foundation.numpy_arrays import Array, Bools, Function, Integers
from hermite_analytics.label.cases.sampled.points import shifted_points

__all__ = ["brackets", "gradients", "lines_through", "nearest", "ratio_correction", "roots"]

Rest = Callable[[Integers, Array], Array]
"""What the label is off at t along lines of these numbers."""

_DIFFERENCE = 1e-6
_STEPS = 6
_PLAIN = 2  # of these
_DAMPED = 0.6  # share of a step after them
_FAR = 30.0  # standard deviations
_EXACT = 1e-10  # a root: labels that are flat on one side may come as near to it
_JUMP = 0.3  # of the smaller distance from a value at both ends of a bracket: what comes nearer is a root
_STEEPER = 3.0  # times the slope over the whole bracket, that a jump has over what is left of it


def lines_through(steepest: Array, shifts: Array, each: int, seed: int) -> tuple[Array, Array]:
    """(u_o, e) of the lines u_o + t e of each sample, shape (n, lines, q): pairs of u_o and -u_o."""
    q, logarithm = steepest.shape[1], each.bit_length() - 2
    flat = shifted_points(shifts[:, : q - 1], logarithm, seed)
    other = shifted_points(shifts[:, q - 1 :], logarithm, seed)
    random = other[..., :q] / np.linalg.norm(other[..., :q], axis=-1, keepdims=True)
    aligned = np.broadcast_to(steepest[:, None, :], (*flat.shape[:2], q))
    own, free = _turned(flat, aligned), _turned(other[..., q:], random)
    across = np.concatenate([own, -own, free, -free], axis=1)
    return across, np.concatenate([aligned, aligned, random, random], axis=1)


def _turned(flat: Array, direction: Array) -> Array:
    """Points orthogonal to the last axis, taken to the complement of a direction by a reflection."""
    normal = direction.copy()
    normal[..., -1] -= 1.0
    size = np.maximum((normal**2).sum(-1, keepdims=True), 1e-30)
    full = np.concatenate([flat, np.zeros((*flat.shape[:-1], 1))], axis=-1)
    return np.asarray(full - 2 / size * (normal * full).sum(-1, keepdims=True) * normal)


def brackets(values: Array, grid: Array, rest: Rest) -> tuple[Integers, Array, Array]:
    """(line, low, high) of each change of sign along the lines, near misses looked at twice.

    Parameters
    ----------
    values : ndarray, shape (lines, places of the grid)
    """
    side = np.sign(values)
    change = side[:, 1:] != side[:, :-1]
    line, k = np.nonzero(change)
    # an extremum between grid points that comes close to 0: its parabola may cross
    near, n = np.nonzero(_turns(values) & ~change[:, 1:] & ~change[:, :-1])
    a, b, c = values[near, n], values[near, n + 1], values[near, n + 2]
    bend = a - 2 * b + c
    with np.errstate(divide="ignore", invalid="ignore"):
        shift = 0.5 * (a - c) / bend
        close = (np.abs(shift) <= 1) & ((b - 0.125 * (a - c) ** 2 / bend) * b < 0)
    near, n, b = near[close], n[close], b[close]
    middle = grid[n + 1] + shift[close] * (grid[1] - grid[0])
    crosses = rest(near, middle) * b < 0
    near, n, middle = near[crosses], n[crosses], middle[crosses]
    return (
        np.concatenate([line, near, near]),
        np.concatenate([grid[k], grid[n], middle]),
        np.concatenate([grid[k + 1], middle, grid[n + 2]]),
    )


def _turns(values: Array) -> Bools:
    """Where a value is closer to 0 than both beside it, of two equal ones the second; (lines, places - 2)."""
    size = np.abs(values)
    return np.asarray((size[:, 1:-1] <= size[:, :-2]) & (size[:, 1:-1] < size[:, 2:]))


def ratio_correction(rows: Integers, lines: Integers, p: Array, u: Array, mean: Array, each: int) -> Array:
    """What the average over lines is short of, to first order: it is a ratio of two averages.

    sum_l (A_l - mean B_l) B_l with A_l, B_l the sums of p u and p over the roots of a pair of lines u_o and
    -u_o, sum p = 1; `each` lines of two kinds.
    """
    count, own = len(mean), each // 2
    pair = lines % own + own * (lines >= each)
    place = rows * each + pair
    size = count * each
    b = np.bincount(place, weights=p, minlength=size).reshape(count, -1)
    found = np.empty_like(mean)
    for i in range(mean.shape[1]):
        a = np.bincount(place, weights=p * u[:, i], minlength=size).reshape(count, -1)
        found[:, i] = ((a - mean[:, i : i + 1] * b) * b).sum(1)
    return found


def roots(rest: Rest, line: Integers, a: Array, b: Array) -> tuple[Array, Bools]:
    """The root in each bracket, and where there is one.

    A label that jumps over a value never comes near it, and what it changes by in a bracket does not shrink
    with that. What has come nearer, or not far along, counts as a root.

    Brackets end on their own at the root: where a label is flat on one side of a kink its slope is taken on
    the other, on which it comes nearer.

    Examples
    --------
    >>> def rest(line, t):  # max(t, 0) is 1e-7, and sign(t) is 1/2
    ...     return np.where(line == 0, np.maximum(t, 0) - 1e-7, np.sign(t) - 0.5)
    >>> t, there = roots(rest, np.array([0, 1]), np.full(2, -0.7), np.full(2, 0.6))
    >>> np.round(t, 8).tolist(), there.tolist()
    ([1e-07, 0.0], [True, False])
    """
    from scipy.optimize import elementwise

    f_a, f_b = rest(line, a), rest(line, b)
    least, slope = _JUMP * np.minimum(np.abs(f_a), np.abs(f_b)), np.abs(f_b - f_a) / (b - a)

    def value(t: Array, /, *which: Integers) -> Array:
        return rest(which[0], t)

    found = elementwise.find_root(value, (a, b), args=(line,), tolerances={"xatol": _EXACT, "xrtol": 0})
    (low, high), (f_low, f_high) = found.bracket, found.f_bracket
    jumps = (np.abs(found.f_x) > least) & (np.abs(f_high - f_low) > _STEEPER * slope * np.abs(high - low))
    return np.asarray(found.x), np.asarray(found.success & ~jumps)


def gradients(value: Function, w: Array, factor: Array) -> Array:
    """In u, w = omega + L u, at points of shape (n, q): differences."""
    steps = _DIFFERENCE * factor.T
    with np.errstate(divide="ignore", invalid="ignore"):  # labels may be infinite there
        found = np.stack([value(w + step) - value(w - step) for step in steps], axis=1)
    return np.asarray(found / (2 * _DIFFERENCE))


def nearest(value: Function, labels: Array, omega: Array, factor: Array) -> tuple[Array, Array]:
    """(unit vectors along the gradient at the nearest u with the label, |u|), about; one of several.

    Source: Rackwitz and Fiessler, Comput. Struct. 9 (1978) 489, structural reliability. A step takes u to
    where the tangent plane has the label; from the third on they are damped, and the last one is the end.

    Examples
    --------
    >>> direction, length = nearest(lambda w: w.sum(-1), np.array([6.0]), np.zeros((1, 4)), np.eye(4))
    >>> direction.round(6).tolist(), length.round(6).tolist()
    ([[0.5, 0.5, 0.5, 0.5]], [3.0])
    """
    n, q = omega.shape
    u, direction = np.zeros((n, q)), np.full((n, q), 1 / math.sqrt(q))
    for step in range(_STEPS):
        w = omega + u @ factor.T
        gradient = gradients(value, w, factor)
        size = np.linalg.norm(gradient, axis=1)
        known = (size > 0) & (size < np.inf)
        size = np.where(known, size, 1.0)
        direction = np.where(known[:, None], gradient / size[:, None], direction)
        with np.errstate(invalid="ignore", over="ignore"):
            off = (labels - value(w)) / size
        length = (direction * u).sum(axis=1) + np.where(np.isfinite(off), off, 0.0)
        moved = np.clip(length, -_FAR, _FAR)[:, None] * direction - u
        u = u + (1.0 if step < _PLAIN else _DAMPED) * moved
    return direction, np.linalg.norm(u, axis=1)
