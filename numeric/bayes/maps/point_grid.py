"""Points of labels as masses on a grid, by means of B-splines, and their parts even or odd in each axis.

A smooth function of z sees the grid as it sees the points: polynomials up to the degree of the splines are
exact. A part that is even or odd in each axis stands on an octant.
"""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hermite_analytics.foundation.numpy_arrays import Array, Integers
from hermite_analytics.label.nodes import LabelNodes
from hermite_analytics.numeric.bayes.maps.mirrors import Mirrors
from hermite_analytics.numeric.compiled import compiled

__all__ = ["RULES", "GridRule", "Parts", "PointGrid", "parts_of", "spread", "spread_labels"]

Parts = tuple[Array, ...]

_COARSEST = 0.9
_RATIO = math.sqrt(2.0)  # of the steps of x that are used
_DENSE = 4  # points in a step of x at which the splines are fitted
_SEEN = 8.6  # standard deviations (V/m)^(1/2)
_CUT = 1e-13  # singular values: of splines that the range of z hardly touches


@dataclass(frozen=True, slots=True, kw_only=True)
class GridRule:
    """How fine the grids are.

    Attributes
    ----------
    degree : int, odd
        Of the splines.
    fraction : float
        The step of x in (V/m)^(1/2).
    edge : float
        The largest |z|.
    step : float
        Of t, in standard deviations V^(1/2).
    farthest : float
        The largest |t|.
    floor : float
        Density of a label, of its largest one, beyond which nothing is divided.
    """

    degree: int
    fraction: float
    edge: float
    step: float
    farthest: float
    floor: float

    def grid(self, overlap: float) -> PointGrid:
        """The grid for the largest eigenvalue of M; one serves overlaps up to the next step."""
        width = math.sqrt((1 - overlap) / overlap) if overlap > 0 else math.inf
        step = min(_COARSEST, self.fraction * width)
        step = _COARSEST * _RATIO ** -math.ceil(math.log(_COARSEST / step, _RATIO) - 1e-9)
        return PointGrid(
            step=step, half=math.ceil(self.edge / step) + self.degree // 2 + 1, degree=self.degree
        )

    def near(self, grid: PointGrid, overlap: float) -> PointGrid:
        """As much of a grid about 0 as is seen from there at an overlap above 0."""
        width = math.sqrt((1 - overlap) / overlap)
        half = math.ceil(_SEEN * width / grid.step) + self.degree // 2 + 1
        return PointGrid(step=grid.step, half=half, degree=self.degree, whole=True)


# by dimension and level
RULES = {
    2: (
        GridRule(degree=7, fraction=0.5, edge=6.4, step=0.36, farthest=6.4, floor=1e-11),
        GridRule(degree=11, fraction=0.4, edge=7.6, step=0.2, farthest=7.4, floor=1e-12),
    ),
    3: (
        GridRule(degree=7, fraction=0.6, edge=6.4, step=0.5, farthest=5.2, floor=1e-12),
        GridRule(degree=7, fraction=0.5, edge=6.4, step=0.4, farthest=5.8, floor=1e-12),
    ),
}


@dataclass(frozen=True, slots=True)
class PointGrid:
    """The grid that takes the masses of points: x = -half step, .., half step along each axis.

    Attributes
    ----------
    step : float
    half : int
    degree : int
    whole : bool
        Whether splines are fitted wherever one of them is not 0, to functions that vanish at both ends.
    """

    step: float
    half: int
    degree: int
    whole: bool = False

    @property
    def count(self) -> int:
        """Nodes along an axis."""
        return 2 * self.half + 1

    def fitted(self, values: Array) -> Array:
        """Coefficients of the splines through values at the points `dense`, shape (.., len(dense))."""
        return np.asarray(values @ _inverse(self).T)

    def dense(self) -> Array:
        """Points at which splines are fitted."""
        inside = self.degree // 2 + 1
        far = (self.half + (inside if self.whole else -inside)) * self.step
        return np.linspace(-far, far, 2 * _DENSE * self.half + 1)


def spread(
    grids: Sequence[PointGrid], points: Array, masses: Array, half: Sequence[bool] = (False, False, False)
) -> Array:
    """sum_k p_k psi(z_k - x), shape (n1, .., nq) for q = 2, 3; points beyond the grid are left out.

    Parameters
    ----------
    grids : q PointGrid
        One for each axis, of one degree.
    points : ndarray, shape (k, q)
    masses : ndarray, shape (k,)
    half : q bools
        The axes along which no point is below 0: of x < 0 they have only what splines of points above reach.

    Examples
    --------
    >>> found = spread([PointGrid(0.5, 20, 7)] * 3, np.array([[0.3, -1.0, 2.0]]), np.array([0.5]))
    >>> round(float(found.sum()), 12)
    0.5
    """
    middles = [g.degree // 2 + 1 if h else g.half for g, h in zip(grids, half, strict=False)]
    total = np.zeros([m + g.half + 1 for g, m in zip(grids, middles, strict=True)])
    fill = _spread_plane if len(grids) == 2 else _spread_space
    steps = np.array([g.step for g in grids])
    fill(points, masses, steps, np.array(middles), _spline_pieces(grids[0].degree), total)
    return total


@functools.lru_cache(maxsize=32)
def _inverse(grid: PointGrid) -> Array:
    """The least-squares fit at dense points."""
    z, n = grid.dense(), grid.degree
    place = z / grid.step
    first = np.floor(place).astype(np.int64) - n // 2
    pieces = np.vander(place - np.floor(place), n + 1, increasing=True) @ _spline_pieces(n).T
    beyond = n + 1  # nodes on both sides, of splines that are not those of the grid
    design = np.zeros((len(z), grid.count + 2 * beyond))
    for j in range(n + 1):
        design[np.arange(len(z)), first + j + grid.half + beyond] = pieces[:, j]
    return np.asarray(np.linalg.pinv(design[:, beyond:-beyond], rcond=_CUT))


@functools.cache
def _spline_pieces(n: int) -> Array:
    """(n + 1, n + 1): the B-splines that do not vanish in a step, in powers of the place in it."""
    x = 0.5 - 0.5 * np.cos((np.arange(n + 1) + 0.5) * math.pi / (n + 1))
    powers = np.vander(x, increasing=True)
    return np.array([np.linalg.solve(powers, _spline(n, x + n - j)) for j in range(n + 1)])


def _spline(n: int, x: Array) -> Array:
    """The B-spline of degree n on the knots 0, 1, ..., n + 1, by the recursion of Cox and de Boor."""
    splines = [np.where(np.floor(x) == i, 1.0, 0.0) for i in range(n + 1)]
    for k in range(1, n + 1):
        splines = [
            s / k * (x - i) + t / k * (i + k + 1 - x) for i, (s, t) in enumerate(itertools.pairwise(splines))
        ]
    return splines[0]


def parts_of(table: Array, mirrors: Mirrors, halves: Sequence[int]) -> tuple[Array, ...]:
    """A table on grids, averaged over the mirrors, as its parts even or odd in each axis: at x >= 0 alone.

    A part that changes its sign under one of the mirrors vanishes; the others are those of
    `Mirrors.parities`, in that order. A part that is odd in an axis has no place x = 0 there. `halves` are
    the steps above x = 0 in each axis; there may be fewer below.
    """
    parities = [tuple(parity) for parity in mirrors.parities.tolist()]
    folded: dict[tuple[int, ...], Array] = {(): table}  # along the first axes
    for axis, half in enumerate(halves):
        for known in {parity[: axis + 1] for parity in parities}:
            folded[known] = _folded(folded[known[:-1]], axis, known[-1] == 1, table.shape[axis] - 1 - half)
    return tuple(folded[parity] for parity in parities)


def _folded(table: Array, axis: int, odd: bool, middle: int) -> Array:
    """The mean of both sides of an axis, those below with a sign and without x = 0 where it is odd."""
    places = np.moveaxis(table, axis, 0)
    found = 0.5 * places[middle + 1 :]
    found[:middle] += (-0.5 if odd else 0.5) * places[:middle][::-1]
    found = found if odd else np.concatenate([places[middle : middle + 1], found])
    return np.moveaxis(found, 0, axis)


def spread_labels(
    nodes: LabelNodes, axes: Array, grids: Sequence[PointGrid], mirrors: Mirrors, part: slice
) -> Parts:
    """The parts of some labels, each of shape (n1, .., nq, labels)."""
    tables = []
    for a, b in itertools.pairwise(nodes.starts[part.start : part.stop + 1].tolist()):
        points, masses = nodes.points[a:b] @ axes, nodes.masses[a:b]
        half = (False,) * len(grids)
        if len(grids) == 3:  # these are symmetric to the last digit; on curves they need not be
            half = mirrors.half_lines
            points, masses = mirrors.folded(points, masses)
            masses = masses * len(mirrors.signs)
        table = spread(grids, np.ascontiguousarray(points), masses, half)
        tables.append(parts_of(table, mirrors, [g.half for g in grids]))
    return tuple(np.ascontiguousarray(np.stack(of_labels, -1)) for of_labels in zip(*tables, strict=True))


@compiled
def _pieces_at(place: float, middle: int, count: int, pieces: Array, f: Array) -> int:
    """Fill the splines at a place; the first node of the grid that they belong to, -1 beyond the grid."""
    width = len(pieces)
    low = math.floor(place)
    first = int(low) - (width - 1) // 2 + middle
    if first < 0 or first + width > count:
        return -1
    for j in range(width):
        value = 0.0
        for m in range(width - 1, -1, -1):
            value = value * (place - low) + pieces[j, m]
        f[j] = value
    return first


@compiled
def _spread_plane(
    points: Array, masses: Array, steps: Array, middles: Integers, pieces: Array, total: Array
) -> None:
    width = len(pieces)
    f, g = np.empty(width), np.empty(width)
    for k in range(len(points)):
        a = _pieces_at(points[k, 0] / steps[0], middles[0], total.shape[0], pieces, f)
        b = _pieces_at(points[k, 1] / steps[1], middles[1], total.shape[1], pieces, g)
        if a < 0 or b < 0:
            continue
        for i in range(width):
            one = masses[k] * f[i]
            for j in range(width):
                total[a + i, b + j] += one * g[j]


@compiled
def _spread_space(
    points: Array, masses: Array, steps: Array, middles: Integers, pieces: Array, total: Array
) -> None:
    width = len(pieces)
    f, g, h = np.empty(width), np.empty(width), np.empty(width)
    for k in range(len(points)):
        a = _pieces_at(points[k, 0] / steps[0], middles[0], total.shape[0], pieces, f)
        b = _pieces_at(points[k, 1] / steps[1], middles[1], total.shape[1], pieces, g)
        c = _pieces_at(points[k, 2] / steps[2], middles[2], total.shape[2], pieces, h)
        if a < 0 or b < 0 or c < 0:
            continue
        for i in range(width):
            one = masses[k] * f[i]
            for j in range(width):
                two = one * g[j]
                for m in range(width):
                    total[a + i, b + j, c + m] += two * h[m]
