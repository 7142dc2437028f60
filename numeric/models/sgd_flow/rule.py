"""Iterated quadrature over independent N(0, 1) variables u_1, ..., u_D that knows where integrands break.

A kink or jump on the plane a.u = b is met exactly in the last variable that it depends on: the panels of that
variable end there, wherever the earlier ones are. In an earlier variable it is smoothed over the width that
the later ones give it, and the panels shrink to that width. A variable without either has the trapezoidal
rule, which converges geometrically for analytic integrands. Where the earlier variables have little weight a
line is cut short; it keeps its mass, and its variance without kinks, so that nothing is lost of averages that
are polynomials of degree three in that variable.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hermite_analytics.foundation.numpy_arrays import Array
from hermite_analytics.foundation.panels import gauss_legendre

__all__ = [
    *("LEAST_LEVEL", "MOST_LEVEL", "NOTHING", "Centers", "Grid", "Planes", "Splits"),
    *("faster", "grown", "iterated_rule", "plane_splits"),
]

Centers = Callable[[Array], Array]

LEAST_LEVEL = -4  # below 0 for many variables, of which the last ones are seen through a wide noise
_STEPS = (1.5, 1.2, 1.0, 0.8, 0.6, 0.45, 0.3, 0.2, 0.13, 0.09)  # of the trapezoidal rule, one a level
_PANEL_NODES = (4, 5, 6, 7, 8, 12, 16, 16, 16, 16)
_PANELS = (2, 3, 4, 5, 6, 6, 8, 16, 32, 64)
MOST_LEVEL = LEAST_LEVEL + len(_STEPS) - 1
_END = 9.0
_WIDE = 1.5  # what is smoothed over more than this is smooth
_NARROWEST = 1e-6
_STRETCH = 1.4
_SMALLEST = 1e-22  # of a density; polynomials times less are rounding


@dataclass(frozen=True, slots=True, kw_only=True)
class Planes:
    """Planes a.u = b on which the integrand may break.

    Attributes
    ----------
    normals : ndarray, shape (planes, variables)
    offsets : ndarray, shape (planes,)
    """

    normals: Array
    offsets: Array

    def along(self, factor: Array) -> Planes:
        """The planes in v where u = factor v."""
        return Planes(normals=self.normals @ factor, offsets=self.offsets)


@dataclass(frozen=True, slots=True, kw_only=True)
class Splits:
    """Where one variable is split, given the earlier ones.

    Attributes
    ----------
    centers : callable
        Nodes of the earlier variables, shape (j, n), to points of this one, shape (n, k); NaN is no point.
    width : float
        Over which the break is smoothed; 0 for a kink or jump.
    """

    centers: Centers
    width: float = 0.0


def plane_splits(planes: Planes) -> list[list[Splits]]:
    """One list a variable of the splits that the planes make."""
    normals = planes.normals
    found: list[list[Splits]] = []
    for j in range(normals.shape[1]):
        here: list[Splits] = []
        for normal, offset in zip(normals, planes.offsets, strict=True):
            if abs(normal[j]) <= 1e-13 * np.linalg.norm(normal):
                continue
            width = float(np.linalg.norm(normal[j + 1 :]) / abs(normal[j]))
            if width < _WIDE:
                here.append(Splits(centers=_on_plane(normal, float(offset), j), width=width))
        found.append(here)
    return found


def _on_plane(normal: Array, offset: float, j: int) -> Centers:
    return lambda earlier: ((offset - normal[:j] @ earlier) / normal[j])[:, None]


def iterated_rule(
    splits: Sequence[Sequence[Splits]],
    level: int | Sequence[int],
    *,
    smallest: float = _SMALLEST,
    stretched: int = 0,
) -> tuple[Array, Array]:
    """Nodes and weights of E over independent N(0, 1) variables.

    Parameters
    ----------
    splits : sequence of sequences of Splits
        One a variable, in the order of the variables.
    level : int, LEAST_LEVEL to MOST_LEVEL, or one for each variable
    smallest : float
        Lines end where exp(-|u|^2/2) falls below it.
    stretched : int
        In how many of the first variables nodes are kept further out, as if they had standard deviation 1.4:
        of integrands that grow there.

    Returns
    -------
    nodes : ndarray, shape (variables, n)
    weights : ndarray, shape (n,)
    """
    if not isinstance(level, int):
        return _product(splits, level, smallest, stretched)
    if any(splits) or smallest != _SMALLEST or stretched:
        return _product(splits, [level] * len(splits), smallest, stretched)
    return _smooth_rule(len(splits), level)


@functools.lru_cache(maxsize=6)
def _smooth_rule(variables: int, level: int) -> tuple[Array, Array]:
    """The rule without splits, which no overlap changes."""
    nodes, weights = _product([()] * variables, [level] * variables, _SMALLEST, 0)
    nodes.flags.writeable = weights.flags.writeable = False
    return nodes, weights


@dataclass(frozen=True, slots=True, kw_only=True)
class Grid:
    """Nodes of the first variables.

    Attributes
    ----------
    nodes : ndarray, shape (variables, n)
    weights : ndarray, shape (n,)
    exponent : ndarray, shape (n,)
        |u|^2/2, of the first variables divided by how far they are stretched.
    """

    nodes: Array
    weights: Array
    exponent: Array

    def part(self, rows: slice) -> Grid:
        """Some of the nodes."""
        return Grid(nodes=self.nodes[:, rows], weights=self.weights[rows], exponent=self.exponent[rows])


NOTHING = Grid(nodes=np.zeros((0, 1)), weights=np.ones(1), exponent=np.zeros(1))
"""The grid of no variables."""


def grown(
    grid: Grid, splits: Sequence[Splits], level: int, *, smallest: float, is_stretched: bool = False
) -> tuple[NDArray[np.int64], Grid]:
    """One variable more: for each node that of the grid from which it comes, in order, and the new grid.

    The arguments are those of `iterated_rule`, for this variable.
    """
    spread = _STRETCH if is_stretched else 1.0
    reach = spread * np.sqrt(2.0 * np.maximum(-np.log(smallest) - grid.exponent, 0.0))
    if splits:
        row, line, share = _split_line(grid.nodes, splits, level, np.clip(reach, _WIDE, _END))
    else:
        row, line, share = _smooth_line(reach, level)
    nodes = np.empty((grid.nodes.shape[0] + 1, row.size))
    for before, after in zip(grid.nodes, nodes, strict=False):
        before.take(row, out=after, mode="clip")  # without a buffer
    nodes[-1] = line
    exponent = line / spread
    exponent *= 0.5 * exponent
    exponent += grid.exponent.take(row)
    share *= grid.weights.take(row)
    return row, Grid(nodes=nodes, weights=share, exponent=exponent)


def _product(
    splits: Sequence[Sequence[Splits]], levels: Sequence[int], smallest: float, stretched: int
) -> tuple[Array, Array]:
    grid = NOTHING
    for j, (here, level) in enumerate(zip(splits, levels, strict=True)):
        _, grid = grown(grid, here, level, smallest=smallest, is_stretched=j < stretched)
    return grid.nodes, grid.weights


def faster(level: int) -> float:
    """The power to which an error goes with one more level of the trapezoidal rule: it is exp(-c/step)."""
    return _STEPS[level - LEAST_LEVEL] / _STEPS[level - LEAST_LEVEL + 1]


def _smooth_line(reach: Array, level: int) -> tuple[NDArray[np.int64], Array, Array]:
    """The trapezoidal rule on one line a reach: (line of a node, node, its share of the line)."""
    step = _STEPS[level - LEAST_LEVEL]
    tables = _cut_lines(level)
    count = np.clip(np.floor(reach / step), 1, len(tables)).astype(np.int64)
    size = 2 * count + 1
    row = np.repeat(np.arange(count.size), size)
    begins = np.cumsum([0, *(line.size for line, _ in tables)])[count - 1]
    place = np.arange(row.size) + np.repeat(begins - np.cumsum(size) + size, size)
    nodes, shares = (np.concatenate(parts) for parts in zip(*tables, strict=True))
    return row, nodes[place], shares[place]


@functools.lru_cache(maxsize=len(_STEPS))
def _cut_lines(level: int) -> list[tuple[Array, Array]]:
    """Nodes and shares of the rules with 3, 5, .. nodes, scaled to the variance 1."""
    step = _STEPS[level - LEAST_LEVEL]
    found = []
    for count in range(1, int(np.ceil(_END / step)) + 1):
        line = step * np.arange(-count, count + 1)
        share = np.exp(-0.5 * line**2)
        share /= share.sum()
        found.append((line / np.sqrt(share @ line**2), share))
    return found


def _split_line(
    earlier: Array, splits: Sequence[Splits], level: int, reach: Array
) -> tuple[NDArray[np.int64], Array, Array]:
    """Gauss-Legendre on panels that end at the splits: (line of a node, node, its share of the line)."""
    abscissa, weight = gauss_legendre(_PANEL_NODES[level - LEAST_LEVEL])
    end = reach[:, None]
    columns = [end * np.linspace(-1.0, 1.0, _PANELS[level - LEAST_LEVEL] + 1)]
    for split in splits:
        points = split.centers(earlier)
        for shift in _gradings(split.width):
            columns.append(points + shift)
    edges = np.concatenate(columns, axis=1)
    edges = np.sort(np.clip(np.where(np.isnan(edges), end, edges), -end, end), axis=1)
    half = 0.5 * np.diff(edges, axis=1)
    row, panel = np.nonzero(half)  # those outside of the line have no width
    half, middle = half[row, panel], 0.5 * (edges[row, panel] + edges[row, panel + 1])
    line = half[:, None] * abscissa
    line += middle[:, None]
    share = line * line
    share *= -0.5
    np.exp(share, out=share)
    share *= half[:, None] * weight
    total = np.bincount(row, share.sum(axis=1), minlength=edges.shape[0])
    share /= total[row, None]
    return np.repeat(row, abscissa.size), line.reshape(-1), share.reshape(-1)


def _gradings(width: float) -> list[float]:
    """Distances from the centre of a smoothed break at which panels end."""
    shifts = [0.0]
    if width > 0.0:
        distance = max(width, _NARROWEST)
        while distance < _WIDE:
            shifts += [-distance, distance]
            distance *= 2.0
    return shifts
