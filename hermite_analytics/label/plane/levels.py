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

__all__ = ["columns_at", "divide", "graph_axis", "graph_points", "locate", "range_of", "transpose"]

Array = NDArray[np.float64]
Integers = NDArray[np.int64]

_BENT = 4.0  # ratio of second differences from which a box is halved in one parameter only
_VARIATION = 3.0  # of the derivative across the curve, within a box
_STEEPEST = 3.0  # slope of the curve in a box
_ROUNDING = 2e-16  # of a zero on a side
_SETTLED = 1e-7  # step of Newton's method from which the next but one is rounding


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
def graph_axis(box: Array, labels: Array, first: int, last: int) -> tuple[int, float]:
    """1 or 2: the curves of labels first to last are graphs, solved for the second or the first parameter.

    With the least size of the derivative in that parameter; -1 where neither is sure.
    """
    n = box.shape[0]
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
    if least2 > 0.0 and max(steep2 / _VARIATION, steep1 / _STEEPEST) <= least2:
        if _crossed_once(box, 0, labels, first, last):
            return 1, (n - 1) * least2
    if least1 > 0.0 and max(steep1 / _VARIATION, steep2 / _STEEPEST) <= least1:
        if _crossed_once(box, 1, labels, first, last):
            return 2, (n - 1) * least1
    return -1, 0.0


@compiled
def _crossed_once(box: Array, axis: int, labels: Array, first: int, last: int) -> bool:
    """Whether each of two opposite sides meets each curve at most once: its coefficients cross it once."""
    n = box.shape[0]
    for side in (0, n - 1):
        falls, rises = False, False
        for i in range(1, n):
            a, b = (box[side, i - 1], box[side, i]) if axis == 1 else (box[i - 1, side], box[i, side])
            falls, rises = falls or b < a, rises or b > a
        if not (falls and rises):
            continue
        for k in range(first, last):
            changes = 0
            for i in range(1, n):
                a, b = (box[side, i - 1], box[side, i]) if axis == 1 else (box[i - 1, side], box[i, side])
                if (a >= labels[k]) != (b >= labels[k]):
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
def _value(c: Array, d: Array, x: float) -> tuple[float, float]:
    """A polynomial and its derivative, by their coefficients times binomials."""
    m = c.size - 1
    value, derivative = 0.0, 0.0
    y = 1.0 - x
    if x <= 0.5:
        # nested in x/(1 - x)
        r = x / y
        for i in range(m, 0, -1):
            value = value * r + c[i]
            derivative = derivative * r + d[i - 1]
        power = y ** (m - 1)
        return (value * r + c[0]) * power * y, derivative * power
    r = y / x
    for i in range(m):
        value = value * r + c[i]
        derivative = derivative * r + d[i]
    power = x ** (m - 1)
    return (value * r + c[m]) * power * x, derivative * power


@compiled
def _scaled(c: Array, binomials: Array, value: Array, derivative: Array) -> None:
    """The coefficients of a polynomial and of its derivative times binomials."""
    m = c.size - 1
    for i in range(m):
        value[i] = binomials[m, i] * c[i]
        derivative[i] = m * binomials[m - 1, i] * (c[i + 1] - c[i])
    value[m] = c[m]


@compiled
def _root(c: Array, d: Array, guess: float, settled: float) -> float:
    """The zero of a polynomial with values of both signs at the ends and one zero between."""
    low, high = 0.0, 1.0
    rising = c[c.size - 1] >= 0.0
    x = guess if 0.0 < guess < 1.0 else c[0] / (c[0] - c[c.size - 1])
    for _ in range(80):
        value, derivative = _value(c, d, x)
        if (value >= 0.0) == rising:
            high = x
        else:
            low = x
        following = x - value / derivative if derivative != 0.0 else -1.0
        if not low <= following <= high:
            following = 0.5 * (low + high)
        if abs(following - x) <= settled:
            return float(following)
        x = following
    return float(x)


@compiled
def columns_at(box: Array, x: float, binomials: Array, column: Array) -> None:
    """The coefficients in the second parameter at a value of the first one."""
    n = box.shape[0]
    near = min(x, 1.0 - x)
    ratio, power = near / (1.0 - near), (1.0 - near) ** (n - 1)
    column[:] = 0.0
    for k in range(n):
        i = k if x <= 0.5 else n - 1 - k
        factor = binomials[n - 1, i] * power
        for j in range(n):
            column[j] += factor * box[i, j]
        power *= ratio


@compiled
def graph_points(
    box: Array,
    columns: Array,
    level: float,
    place: Array,
    swapped: bool,
    corners: Array,
    nodes: Array,
    binomials: Array,
    work: Array,
    out: Array,
) -> int:
    """Rows (w1, w2, density) at Gauss's nodes of each part of a graph over the first parameter of a box.

    The density is that of the coarea formula with respect to the parameter on (0, 1) of the part, without the
    Gaussian weight. Returns the number of parts, at most 3. `columns` are those at the nodes, empty where
    they are not known; `work` has room for five of them.
    """
    n = box.shape[0]
    ends = (0.0, 1.0, 1.0, 1.0)
    count = 1
    for side in range(2):
        edge = work[side]
        for i in range(n):
            edge[i] = box[i, 0 if side == 0 else n - 1] - level
        if (edge[0] >= 0.0) != (edge[n - 1] >= 0.0):
            _scaled(edge, binomials, work[2], work[3])
            cut = _root(work[2], work[3], -1.0, _ROUNDING)
            ends = (0.0, cut, 1.0, 1.0) if count == 1 else (0.0, min(ends[1], cut), max(ends[1], cut), 1.0)
            count += 1
    column = work[4]
    parts = 0
    for k in range(count):
        start, length = ends[k], ends[k + 1] - ends[k]
        if length <= 0.0:
            continue
        if count > 1:
            middle = start + 0.5 * length
            _scaled(work[0], binomials, work[2], work[3])
            below = _value(work[2], work[3], middle)[0]
            _scaled(work[1], binomials, work[2], work[3])
            if (below >= 0.0) == (_value(work[2], work[3], middle)[0] >= 0.0):
                continue
        elif (work[0, 0] >= 0.0) == (work[1, 0] >= 0.0):
            continue
        x1, x2, x3, y1, y2, y3 = 0.0, 0.0, 0.0, -1.0, -1.0, -1.0
        for a in range(nodes.size):
            x = start + length * nodes[a]
            if count == 1 and columns.shape[0]:
                for j in range(n):
                    column[j] = columns[a, j] - level
            else:
                columns_at(box, x, binomials, column)
                for j in range(n):
                    column[j] -= level
            row = out[parts * nodes.size + a]
            _scaled(column, binomials, work[2], work[3])
            if (column[0] >= 0.0) == (column[n - 1] >= 0.0):  # rounding, at an end of the part
                y = 0.0 if abs(column[0]) < abs(column[n - 1]) else 1.0
            else:
                guess = y1
                if a > 1:
                    rise = (y1 - y2) / (x1 - x2)
                    guess += rise * (x - x1)
                    if a > 2:
                        guess += (rise - (y2 - y3) / (x2 - x3)) / (x1 - x3) * (x - x1) * (x - x2)
                y = _root(work[2], work[3], guess, _SETTLED)
            height, slope = _value(work[2], work[3], y)
            y = min(1.0, max(0.0, y - height / slope))
            s, t = (y, x) if swapped else (x, y)
            size = locate(place[0] + place[2] * s, place[1] + place[3] * t, corners, row)
            row[2] = size * place[2] * place[3] * length / abs(slope)
            x1, x2, x3, y1, y2, y3 = x, x1, x2, y, y1, y2
        parts += 1
    return parts


@compiled
def locate(s: float, t: float, corners: Array, row: Array) -> float:
    """Write the point at parameters (s, t) of a quadrilateral; returns the size of its area element."""
    for d in range(2):
        c00, c10, c01, c11 = corners[0, d], corners[1, d], corners[2, d], corners[3, d]
        row[d] = (1 - t) * ((1 - s) * c00 + s * c10) + t * ((1 - s) * c01 + s * c11)
    s0 = (1 - t) * (corners[1, 0] - corners[0, 0]) + t * (corners[3, 0] - corners[2, 0])
    s1 = (1 - t) * (corners[1, 1] - corners[0, 1]) + t * (corners[3, 1] - corners[2, 1])
    t0 = (1 - s) * (corners[2, 0] - corners[0, 0]) + s * (corners[3, 0] - corners[1, 0])
    t1 = (1 - s) * (corners[2, 1] - corners[0, 1]) + s * (corners[3, 1] - corners[1, 1])
    return abs(float(s0 * t1 - s1 * t0))
