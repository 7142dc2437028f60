"""Points of a level curve in a box where it is a graph, by the Bernstein coefficients of the box.

All nodes of a part of the graph are solved for together: loops over nodes are innermost, so that they are
done several at a time. Rows of nodes are padded to a multiple of `LANES`.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hermite_analytics.label.compiled import compiled

__all__ = ["LANES", "basis_at", "columns_at", "graph_points", "locate"]

Array = NDArray[np.float64]

LANES = 16
_ROUNDING = 2e-16  # of a zero on a side
_SETTLED = 1e-12  # step of Newton's method after which the slope before it counts
_STEPS = 8  # of all nodes together


@compiled
def _value(c: Array, x: float, binomials: Array) -> tuple[float, float]:
    """A polynomial and its derivative."""
    m = c.size - 1
    y, power = 1.0 - x, 1.0
    value, derivative = c[m], c[m] - c[m - 1]
    for i in range(m - 1, -1, -1):
        if i > 0:
            derivative = derivative * x + binomials[m - 1, i - 1] * (c[i] - c[i - 1]) * power * y
        power *= y
        value = value * x + binomials[m, i] * c[i] * power
    return value, m * derivative


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
        if abs(following - x) <= _ROUNDING:
            return float(following)
        x = following
    return float(x)


@compiled
def basis_at(x: Array, binomials: Array, basis: Array, power: Array) -> None:
    """Bernstein polynomials at values of the first parameter, shape (coefficients, values)."""
    n = basis.shape[0]
    for a in range(x.size):
        basis[0, a], power[a] = 1.0, 1.0
    for i in range(1, n):
        for a in range(x.size):
            basis[i, a] = basis[i - 1, a] * x[a]
    for i in range(n - 1, -1, -1):
        for a in range(x.size):
            basis[i, a] *= binomials[n - 1, i] * power[a]
            power[a] *= 1.0 - x[a]


@compiled
def columns_at(box: Array, basis: Array, columns: Array) -> None:
    """The coefficients in the second parameter at values of the first one, shape (coefficients, values)."""
    n, size = basis.shape
    for j in range(n):
        for a in range(size):
            columns[j, a] = box[j] * basis[0, a]
        for i in range(1, n):
            for a in range(size):
                columns[j, a] += box[i * n + j] * basis[i, a]


@compiled
def _zeros(columns: Array, level: float, binomials: Array, work: Array) -> None:
    """Newton's method for all columns; zeros are left in work[0], slopes in work[1]; five rows are used."""
    n, size = columns.shape
    m = n - 1
    y, slope, value, power = work[0], work[1], work[2], work[3]
    for a in range(size):
        low, high = columns[0, a] - level, columns[m, a] - level
        guess = low / (low - high) if low != high else 0.5
        y[a] = min(1.0, max(0.0, guess))
    for _ in range(_STEPS):
        for a in range(size):
            value[a], slope[a], power[a] = columns[m, a] - level, columns[m, a] - columns[m - 1, a], 1.0
        for i in range(m - 1, 0, -1):
            one, two = binomials[m, i], binomials[m - 1, i - 1]
            for a in range(size):
                power[a] *= 1.0 - y[a]
                value[a] = value[a] * y[a] + one * (columns[i, a] - level) * power[a]
                slope[a] = slope[a] * y[a] + two * (columns[i, a] - columns[i - 1, a]) * power[a]
        largest = 0.0
        for a in range(size):
            slope[a] *= m
            step = (value[a] * y[a] + (columns[0, a] - level) * power[a] * (1.0 - y[a])) / slope[a]
            y[a] = min(1.0, max(0.0, y[a] - step))
            largest = max(largest, abs(step))
        if largest <= _SETTLED:
            return
    column = work[4, :n]
    for a in range(size):  # those beside an end, and those that wander
        for i in range(n):
            column[i] = columns[i, a] - level
        if (column[0] >= 0.0) == (column[m] >= 0.0):  # rounding, at an end of the part
            y[a] = 0.0 if abs(column[0]) < abs(column[m]) else 1.0
        else:
            y[a] = _root(column, binomials)
        slope[a] = _value(column, y[a], binomials)[1]


@compiled
def graph_points(
    box: Array,
    known: Array,
    level: float,
    place: Array,
    swapped: int,
    corners: Array,
    nodes: Array,
    binomials: Array,
    work: Array,
    out: Array,
) -> int:
    """Rows (w1, w2, density) at Gauss's nodes of each part of a graph over the first parameter of a box.

    The density is that of the coarea formula with respect to the parameter on (0, 1) of the part, without the
    Gaussian weight. Returns the number of parts, at most 3.

    Parameters
    ----------
    box : ndarray, shape (n * n,)
    known : ndarray, shape (n, k)
        `columns_at` the nodes.
    level : float
        Of the curve.
    place : ndarray
        Corner and sizes of the box in the parameters of the quadrilateral with these `corners`.
    swapped : int
        Whether the first parameter of the box is the second one there.
    nodes : ndarray, shape (k,)
        Padded.
    work : ndarray, shape (3, n, k)
    out : ndarray, shape (3, k, 3)
    """
    # one loop on purpose: the parts of the graph share the room in `work`, and each line of it is an equation
    n = work.shape[1]
    y, slope, x, cuts = work[2, 0], work[2, 1], work[2, 5], work[2, 6]
    cuts[0], cuts[1], cuts[3], count = 0.0, 1.0, 1.0, 1
    for e in range(2):
        edge = work[2, 7 + e, :n]
        for i in range(n):
            edge[i] = box[i * n + e * (n - 1)] - level
        if (edge[0] >= 0.0) != (edge[n - 1] >= 0.0):
            cut = _root(edge, binomials)
            cuts[1], cuts[2] = min(cuts[1], cut), max(cuts[1], cut)
            count += 1
    parts = 0
    for k in range(count):
        start, length = cuts[k], cuts[k + 1] - cuts[k]
        if length <= 0.0:
            continue
        above = 0
        for e in range(2):
            edge = work[2, 7 + e, :n]
            end = edge[0] if count == 1 else _value(edge, start + 0.5 * length, binomials)[0]
            above += end >= 0.0
        if above != 1:
            continue
        for a in range(x.size):
            x[a] = start + length * nodes[a]
        if count == 1:
            _zeros(known, level, binomials, work[2])
        else:
            basis_at(x, binomials, work[0], y)
            columns_at(box, work[0], work[1])
            _zeros(work[1], level, binomials, work[2])
        size = place[2] * place[3] * length
        for a in range(x.size):
            s, t = (y[a], x[a]) if swapped else (x[a], y[a])
            row = out[parts, a]
            area = locate(place[0] + place[2] * s, place[1] + place[3] * t, corners, row)
            row[2] = area * size / abs(slope[a])
        parts += 1
    return parts


@compiled
def locate(s: float, t: float, corners: Array, row: Array) -> float:
    """Write the point at parameters (s, t) of a quadrilateral; returns the size of its area element."""
    x00, x10, x01, x11 = corners[0, 0], corners[1, 0], corners[2, 0], corners[3, 0]
    y00, y10, y01, y11 = corners[0, 1], corners[1, 1], corners[2, 1], corners[3, 1]
    row[0] = (1 - t) * ((1 - s) * x00 + s * x10) + t * ((1 - s) * x01 + s * x11)
    row[1] = (1 - t) * ((1 - s) * y00 + s * y10) + t * ((1 - s) * y01 + s * y11)
    s0, s1 = (1 - t) * (x10 - x00) + t * (x11 - x01), (1 - t) * (y10 - y00) + t * (y11 - y01)
    t0, t1 = (1 - s) * (x01 - x00) + s * (x11 - x10), (1 - s) * (y01 - y00) + s * (y11 - y10)
    return abs(float(s0 * t1 - s1 * t0))
