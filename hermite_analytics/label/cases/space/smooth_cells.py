"""The cells in which a label of three coordinates is followed, and which of them are images of others."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np

from hermite_analytics.errors import UnsupportedExpression
from hermite_analytics.foundation.clock import check_time
from hermite_analytics.foundation.numpy_arrays import Array
from hermite_analytics.label.cases.space.columns import Region
from hermite_analytics.label.cases.space.critical_labels import CriticalPoints, critical_points
from hermite_analytics.label.cases.space.pieces import PiecewiseLabel
from hermite_analytics.label.cases.space.wedges import Plane

__all__ = ["orbits", "smooth_cells"]

_MOST_CELLS = 36


def orbits(cells: Sequence[Region], even: Sequence[Array]) -> list[tuple[Region, tuple[Array, ...]]]:
    """One cell of each class with one symmetry for each of the others; all cells where they do not fit."""
    left = list(cells)
    found = []
    while left:
        check_time()
        cell = left.pop(0)
        images = [np.eye(3)]
        for s in even:
            other = next((c for c in left if _is_image(c, cell, s)), None)
            if other is not None:
                left = [c for c in left if c is not other]
                images.append(s)
        found.append((cell, tuple(images)))
    return found


def smooth_cells(
    label: PiecewiseLabel, even: Sequence[Array], *, cut: bool
) -> tuple[tuple[Region, ...], list[CriticalPoints]]:
    """The cells of a label, with steps on all scales where it has critical points, and these."""
    cells = label.cells(cut=cut)
    if cells is None:
        raise UnsupportedExpression("kinks of the label on planes in general position are not integrated")
    critical = [critical_points(c, label.piece(c)) for c, _ in orbits(cells, even)]
    if any(c.inside for c in critical):
        if not cut:
            cells = label.cells(cut=True) or cells
            critical = [critical_points(c, label.piece(c)) for c, _ in orbits(cells, even)]
        cells = _refined(label, critical, even) or cells
    return cells, critical


def _refined(
    label: PiecewiseLabel, critical: Sequence[CriticalPoints], even: Sequence[Array]
) -> tuple[Region, ...] | None:
    """Fine steps beside lines of critical points; beside single ones too, where there are few of them."""
    fine = label.cells(_mirrored([p for c in critical for p in c.planes], even), cut=True)
    if fine is not None and len(fine) <= _MOST_CELLS:
        return fine
    return label.cells(_mirrored([p for c in critical for p in c.lines], even), cut=True)


def _mirrored(planes: Sequence[Plane], even: Sequence[Array]) -> list[Plane]:
    """With their images."""
    rows = np.array(planes).reshape(-1, 4)
    images = [np.column_stack([rows[:, :3] @ s.T, rows[:, 3]]) for s in even]
    found = {(a, b, c, d) for a, b, c, d in np.round(np.concatenate(images), 9).tolist()}
    return sorted(found)


def _is_image(other: Region, cell: Region, matrix: Array) -> bool:
    """Whether a symmetry takes a cell to another: points beside all of its corners, both ways."""
    pairs = (cell, other, matrix), (other, cell, matrix.T)
    return all(bool(b.holds(_points_of(a) @ m.T).all()) for a, b, m in pairs)


def _points_of(cell: Region) -> Array:
    size = np.where(np.isinf(cell.lengths), 10.0, cell.lengths)
    u = np.array(list(itertools.product((1e-6, 0.5, 1 - 1e-6), repeat=3)))
    u = np.where(cell.whole, 2 * u - 1, u) * size
    return cell.places(u)
