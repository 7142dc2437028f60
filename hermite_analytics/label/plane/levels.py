"""Level curves of a polynomial on a square, as graphs in boxes.

A box is divided until, by its Bernstein coefficients, the level curve misses it or is the graph of a function
over one side with a slope that is bounded: Gauss's rule between the points where the graph enters and leaves
through the two other sides then converges quickly. Near a critical point the boxes shrink with the distance
of the level from the critical value.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from hermite_analytics.label.compiled import compiled

__all__ = ["divide", "graph_axis", "graph_points", "range_of", "transpose"]

Array = NDArray[np.float64]
Integers = NDArray[np.int64]

_BENT = 4.0  # ratio of second differences from which a box is halved in one parameter only
_VARIATION = 3.0  # of the derivative across the curve, within a box
_STEEPEST = 3.0  # slope of the curve in a box


@compiled
def transpose(box: Array) -> None:
    n = box.shape[0]
    for i in range(n):
        for j in range(i):
            box[i, j], box[j, i] = box[j, i], box[i, j]


@compiled
def range_of(box: Array) -> tuple[float, float]:
    """The smallest and the largest coefficient."""
    n = box.shape[0]
    low, high = math.inf, -math.inf
    for i in range(n):
        for j in range(n):
            low, high = min(low, box[i, j]), max(high, box[i, j])
    return low, high


@compiled
def graph_axis(box: Array) -> int:
    """0: no curve; 1 or 2: a graph, solved for the second or the first parameter; -1: neither is sure."""
    n = box.shape[0]
    low, high = range_of(box)
    if low >= 0.0 or high < 0.0:
        return 0
    first_low, first_high, second_low, second_high = math.inf, -math.inf, math.inf, -math.inf
    for i in range(n):
        for j in range(n - 1):
            d = box[i, j + 1] - box[i, j]
            second_low, second_high = min(second_low, d), max(second_high, d)
            d = box[j + 1, i] - box[j, i]
            first_low, first_high = min(first_low, d), max(first_high, d)
    steep1, steep2 = max(-first_low, first_high), max(-second_low, second_high)
    least1 = max(first_low, -first_high)
    least2 = max(second_low, -second_high)
    if least2 > 0.0 and max(steep2 / _VARIATION, steep1 / _STEEPEST) <= least2 and _crossed_once(box, 0):
        return 1
    if least1 > 0.0 and max(steep1 / _VARIATION, steep2 / _STEEPEST) <= least1 and _crossed_once(box, 1):
        return 2
    return -1


@compiled
def _crossed_once(box: Array, axis: int) -> bool:
    """Whether each of two opposite sides has at most one zero: the coefficients change sign once at most."""
    n = box.shape[0]
    for side in (0, n - 1):
        changes = 0
        for i in range(1, n):
            a, b = (box[side, i - 1], box[side, i]) if axis == 1 else (box[i - 1, side], box[i, side])
            if (a >= 0.0) != (b >= 0.0):
                changes += 1
        if changes > 1:
            return False
    return True


@compiled
def divide(stack: Array, place: Array, depth: Integers, top: int) -> int:
    """Replace the box on top by its halves along the parameter in which it bends more, or by its quarters."""
    n = stack.shape[1]
    bend1, bend2 = 0.0, 0.0
    for i in range(n):
        for j in range(1, n - 1):
            bend1 = max(bend1, abs(stack[top, j - 1, i] - 2.0 * stack[top, j, i] + stack[top, j + 1, i]))
            bend2 = max(bend2, abs(stack[top, i, j - 1] - 2.0 * stack[top, i, j] + stack[top, i, j + 1]))
    rounds = 2 if max(bend1, bend2) <= _BENT * min(bend1, bend2) else 1
    axis = 0 if bend1 >= bend2 else 1
    count = 1
    for r in range(rounds):
        for k in range(count):
            _split(stack, place, top + k, top + count + k, axis if r == 0 else 1 - axis)
        count *= 2
    deeper = depth[top] + rounds
    for k in range(count):
        depth[top + k] = deeper
    return top + count - 1


@compiled
def _split(stack: Array, place: Array, box: int, other: int, axis: int) -> None:
    """Halve a box in one parameter (de Casteljau); the upper half goes to `other`."""
    n = stack.shape[1]
    for k in range(4):
        place[other, k] = place[box, k]
    size = 0.5 * place[box, 2 + axis]
    place[box, 2 + axis] = size
    place[other, 2 + axis] = size
    place[other, axis] += size
    work = np.empty(n)
    for k in range(n):
        for i in range(n):
            work[i] = stack[box, i, k] if axis == 0 else stack[box, k, i]
        for m in range(n):
            low, high = work[0], work[n - 1 - m]
            if axis == 0:
                stack[box, m, k], stack[other, n - 1 - m, k] = low, high
            else:
                stack[box, k, m], stack[other, k, n - 1 - m] = low, high
            for i in range(n - 1 - m):
                work[i] = 0.5 * (work[i] + work[i + 1])


@compiled
def _value(c: Array, x: float, binomials: Array) -> tuple[float, float]:
    """A polynomial and its derivative."""
    m = c.size - 1
    value, derivative = 0.0, 0.0
    y = 1.0 - x
    if x <= 0.5:
        # nested in x/(1 - x)
        r = x / y
        for i in range(m, -1, -1):
            value = value * r + binomials[m, i] * c[i]
        for i in range(m - 1, -1, -1):
            derivative = derivative * r + binomials[m - 1, i] * (c[i + 1] - c[i])
        power = y ** (m - 1)
        return value * power * y, m * derivative * power
    r = y / x
    for i in range(m + 1):
        value = value * r + binomials[m, i] * c[i]
    for i in range(m):
        derivative = derivative * r + binomials[m - 1, i] * (c[i + 1] - c[i])
    power = x ** (m - 1)
    return value * power * x, m * derivative * power


@compiled
def _root(c: Array, binomials: Array) -> float:
    """The zero of a polynomial with values of both signs at the ends and one zero between."""
    low, high = 0.0, 1.0
    rising = c[c.size - 1] >= 0.0
    x = c[0] / (c[0] - c[c.size - 1])
    for _ in range(80):
        value, derivative = _value(c, x, binomials)
        if (value >= 0.0) == rising:
            high = x
        else:
            low = x
        following = x - value / derivative if derivative != 0.0 else -1.0
        if not low <= following <= high:
            following = 0.5 * (low + high)
        if abs(following - x) <= 2e-16:
            return float(following)
        x = following
    return float(x)


@compiled
def graph_points(
    box: Array, place: Array, swapped: bool, corners: Array, nodes: Array, binomials: Array, out: Array
) -> int:
    """Rows (w1, w2, density) at Gauss's nodes of each part of a graph over the first parameter of a box.

    The density is that of the coarea formula with respect to the parameter on (0, 1) of the part, without the
    Gaussian weight. Returns the number of parts, at most 3.
    """
    n = box.shape[0]
    bottom, ceiling = np.empty(n), np.empty(n)
    for i in range(n):
        bottom[i], ceiling[i] = box[i, 0], box[i, n - 1]
    ends = np.empty(4)
    ends[0], count = 0.0, 1
    for side in range(2):
        edge = bottom if side == 0 else ceiling
        if (edge[0] >= 0.0) != (edge[n - 1] >= 0.0):
            ends[count] = _root(edge, binomials)
            count += 1
    if count == 3 and ends[2] < ends[1]:
        ends[1], ends[2] = ends[2], ends[1]
    ends[count] = 1.0
    basis, column = np.empty(n), np.empty(n)
    parts = 0
    for k in range(count):
        length = ends[k + 1] - ends[k]
        if length <= 0.0:
            continue
        middle = 0.5 * (ends[k] + ends[k + 1])
        below, above = _value(bottom, middle, binomials)[0], _value(ceiling, middle, binomials)[0]
        if (below >= 0.0) == (above >= 0.0):
            continue
        for a in range(nodes.size):
            x = ends[k] + length * nodes[a]
            for i in range(n):
                basis[i] = binomials[n - 1, i] * x**i * (1.0 - x) ** (n - 1 - i)
            for j in range(n):
                total = 0.0
                for i in range(n):
                    total += basis[i] * box[i, j]
                column[j] = total
            row = out[parts * nodes.size + a]
            if (column[0] >= 0.0) == (column[n - 1] >= 0.0):  # rounding, at an end of the part
                y = 0.0 if abs(column[0]) < abs(column[n - 1]) else 1.0
            else:
                y = _root(column, binomials)
            slope = abs(_value(column, y, binomials)[1])
            s, t = (y, x) if swapped else (x, y)
            size = _locate(place[0] + place[2] * s, place[1] + place[3] * t, corners, row)
            row[2] = size * place[2] * place[3] * length / slope
        parts += 1
    return parts


@compiled
def _locate(s: float, t: float, corners: Array, row: Array) -> float:
    """Write the point at parameters (s, t) of a quadrilateral; returns the size of its area element."""
    ds, dt = np.empty(2), np.empty(2)
    for d in range(2):
        c00, c10, c01, c11 = corners[0, d], corners[1, d], corners[2, d], corners[3, d]
        row[d] = (1 - t) * ((1 - s) * c00 + s * c10) + t * ((1 - s) * c01 + s * c11)
        ds[d] = (1 - t) * (c10 - c00) + t * (c11 - c01)
        dt[d] = (1 - s) * (c01 - c00) + s * (c11 - c10)
    return abs(float(ds[0] * dt[1] - ds[1] * dt[0]))
