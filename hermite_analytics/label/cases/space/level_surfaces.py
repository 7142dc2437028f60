"""Level surfaces of a label in a cell of space, as weighted points: the coarea formula on lines.

In the coordinates s of a cell, with h(s) = g(w(s)) and p(s) the density of w ~ N(0, I) times the Jacobian,

    int p f delta(y - h) ds = sum over k of int ds_i ds_j sum over the roots of h = y in s_k of
                              q_k p f/|h_k|,      q_k = h_k^4/(h_1^4 + h_2^4 + h_3^4):

lines along each axis take the part of a surface that they cross steeply. q_k/|h_k| vanishes where a line
touches the surface: equal steps of s_i and s_j converge fast, without a look at where surfaces begin and end.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from hermite_analytics.foundation.clock import check_time
from hermite_analytics.foundation.numpy_arrays import Array, Integers
from hermite_analytics.label.cases.space.columns import Region
from hermite_analytics.label.compiled import compiled

__all__ = ["Lattice", "WeightedPoints", "lattice_of", "surface_points", "volume_points"]

Piece = Callable[[Array], tuple[Array, Array]]

_STENCIL = 8  # nodes of the polynomial along a line
_STEPS = 40
_CLOSE = 1e-13
_NEGLIGIBLE = 1e-17
_LOG_DENSITY = -1.5 * math.log(2 * math.pi)
_places = np.arange(_STENCIL) - (_STENCIL // 2 - 1)
_to_powers = np.linalg.inv(np.vander(_places, increasing=True).astype(np.float64))


@dataclass(frozen=True, slots=True, kw_only=True)
class WeightedPoints:
    """Points with the number of their label and their density: a sum over those of a label is an integral.

    Attributes
    ----------
    label : ndarray of int, shape (n,)
    points : ndarray, shape (n, 3)
    masses : ndarray, shape (n,)
    """

    label: Integers
    points: Array
    masses: Array


@dataclass(frozen=True, slots=True, kw_only=True)
class Lattice:
    """A label and its slopes in s at equal steps.

    Attributes
    ----------
    cell : Cell or Column
    step : float
    axes : tuple of three ndarray
        s_k.
    table : ndarray, shape (8, n1, n2, n3)
        g, dg/ds_1, dg/ds_2, dg/ds_3, w_1, w_2, w_3, |det dw/ds|.
    """

    cell: Region
    step: float
    axes: tuple[Array, Array, Array]
    table: Array

    @property
    def values(self) -> Array:
        """g."""
        return np.asarray(self.table[0])

    def radii(self) -> Array:
        """|w|."""
        return np.asarray(np.linalg.norm(self.table[4:7], axis=0))


def lattice_of(cell: Region, piece: Piece, step: float) -> Lattice:
    """Evaluate a piece of a label in its cell."""
    axes = cell.axis(0, step), cell.axis(1, step), cell.axis(2, step)
    mapped = cell.mapped(axes)
    value, gradient = piece(mapped.points)
    places = np.moveaxis(mapped.points, -1, 0)
    table = np.concatenate([value[None], mapped.slopes(gradient), places, mapped.jacobian[None]])
    return Lattice(cell=cell, step=step, axes=axes, table=table)


def surface_points(lattice: Lattice, labels: Array, directions: Sequence[int] = (0, 1, 2)) -> WeightedPoints:
    """The level surfaces of increasing labels in a cell, by roots along lines of these directions.

    Examples
    --------
    >>> from hermite_analytics.label.cases.space.wedges import cells_between
    >>> ball = lambda w: ((w**2).sum(-1), 2 * w)
    >>> cell = cells_between([])[0]
    >>> found = surface_points(lattice_of(cell, ball, 0.25), np.array([2.0]))
    >>> round(float(found.masses.sum()), 3)  # sqrt(y/(2 pi)) exp(-y/2)
    0.208
    """
    parts = []
    for k in directions:
        check_time()
        order = (*(i for i in range(3) if i != k), k)
        channels = [0, *(1 + i for i in order), 4, 5, 6, 7]
        table = np.ascontiguousarray(lattice.table[channels].transpose(0, *(1 + i for i in order)))
        area = math.prod(float(x[1] - x[0]) for x in (lattice.axes[order[0]], lattice.axes[order[1]]))
        parts.append(_on_lines(table, np.ascontiguousarray(labels), area, _to_powers))
    label, points, masses = (np.concatenate(x) for x in zip(*parts, strict=True))
    return WeightedPoints(label=label, points=points, masses=masses)


def volume_points(cell: Region, step: float) -> tuple[Array, Array]:
    """Points of a cell with the probabilities of N(0, I)."""
    axes = [cell.axis(k, step) for k in range(3)]
    mapped = cell.mapped(axes)
    volume = math.prod(float(x[1] - x[0]) for x in axes)
    points = mapped.points.reshape(-1, 3)
    density = np.exp(_LOG_DENSITY - 0.5 * np.einsum("ki,ki->k", points, points))
    return points, np.asarray(volume * mapped.jacobian.ravel() * density)


@compiled
def _on_lines(table: Array, labels: Array, area: float, to_powers: Array) -> tuple[Integers, Array, Array]:
    """Roots along the last axis: (label, point, density)."""
    n0, n1, n2 = table.shape[1:]
    room = 0
    for i in range(n0):
        for j in range(n1):
            for a in range(n2 - 1):
                first, last = _between(labels, table[0, i, j, a], table[0, i, j, a + 1])
                room += last - first
    label, points, masses = np.empty(room, dtype=np.int64), np.empty((room, 3)), np.empty(room)
    width = len(to_powers)
    c, shares, at = np.empty(width), np.empty(width), np.empty(len(table))
    count = 0
    for i in range(n0):
        for j in range(n1):
            for a in range(n2 - 1):
                low, high = table[0, i, j, a], table[0, i, j, a + 1]
                first, last = _between(labels, low, high)
                if last <= first:
                    continue
                b = min(max(a - (width // 2 - 1), 0), n2 - width)
                for r in range(width):
                    c[r] = 0.0
                    for m in range(width):
                        c[r] += to_powers[r, m] * table[0, i, j, b + m]
                shift = a - b - (width // 2 - 1)
                for k in range(first, last):
                    x = _root(c, labels[k], float(shift), low - labels[k], high - labels[k])
                    for m in range(width):  # of the nodes in the value at x
                        shares[m] = 0.0
                        for r in range(width - 1, -1, -1):
                            shares[m] = shares[m] * x + to_powers[r, m]
                    for q in range(1, len(table)):
                        at[q] = 0.0
                        for m in range(width):
                            at[q] += shares[m] * table[q, i, j, b + m]
                    d0, d1, d2 = at[1] ** 2, at[2] ** 2, at[3] ** 2
                    top = max(d0, d1, d2)
                    if not d2 > 0.0:
                        continue
                    d0, d1, d3 = d0 / top, d1 / top, d2 / top
                    share = d3 * d3 / (d0 * d0 + d1 * d1 + d3 * d3)
                    square = 0.0
                    for v in range(3):
                        square += at[4 + v] * at[4 + v]
                    density = math.exp(_LOG_DENSITY - 0.5 * square) * at[7]
                    mass = area * density * share / math.sqrt(d2)
                    if mass > _NEGLIGIBLE:
                        label[count], masses[count] = k, mass
                        points[count, 0], points[count, 1], points[count, 2] = at[4], at[5], at[6]
                        count += 1
    return label[:count].copy(), points[:count].copy(), masses[:count].copy()


@compiled
def _between(labels: Array, a: float, b: float) -> tuple[int, int]:
    """The labels in (min, max]."""
    if not (math.isfinite(a) and math.isfinite(b)):
        return 0, 0
    first = np.searchsorted(labels, min(a, b), side="right")
    last = np.searchsorted(labels, max(a, b), side="right")
    return int(first), int(last)


@compiled
def _power(c: Array, x: float) -> float:
    total = 0.0
    for k in range(len(c) - 1, -1, -1):
        total = total * x + c[k]
    return total


@compiled
def _root(c: Array, label: float, low: float, f_low: float, f_high: float) -> float:
    """The root of a polynomial in (low, low + 1), by false position with halved weights (Illinois)."""
    a, b, f_a, f_b = low, low + 1.0, f_low, f_high
    size = _CLOSE * abs(f_high - f_low)
    x = b
    for _ in range(_STEPS):
        x = (a * f_b - b * f_a) / (f_b - f_a)
        if not (a <= x <= b or b <= x <= a):
            x = 0.5 * (a + b)
        f = _power(c, x) - label
        if abs(f) <= size:
            break
        if (f < 0) == (f_b < 0):
            b, f_b = x, f
            f_a *= 0.5
        else:
            a, f_a = b, f_b
            b, f_b = x, f
        if abs(b - a) < _CLOSE:
            break
    return x
