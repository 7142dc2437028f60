"""Cells between straight lines on which a label is constant."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hermite_analytics.foundation.numpy_arrays import Array, Function, Integers
from hermite_analytics.label.cases.plane.patches import cut

__all__ = ["MOST_LINES", "LineCells", "line_cells"]

MOST_LINES = 12
_HALF_WIDTH = 12.0  # of the square whose cells are looked at
_FLAT = 1e-13  # relative range of a constant
_SAME = 1e-11


@dataclass(frozen=True, slots=True, kw_only=True)
class LineCells:
    """Labels that are taken on whole cells between lines.

    Attributes
    ----------
    lines : ndarray, shape (m, 3)
        a w1 + b w2 = c.
    values : ndarray, shape (k,)
        The labels, in increasing order.
    table : ndarray of int, shape (2**m,)
        The index of the label on the cell where a w1 + b w2 > c for the lines of the bits that are set; -1
        where there is no cell, or the label is not constant.
    """

    lines: Array
    values: Array
    table: Integers


def line_cells(value: Function, lines: Sequence[Sequence[float]]) -> LineCells | None:
    """The cells on which a function of points (n, 2) is constant; None with more than 12 lines.

    Examples
    --------
    >>> found = line_cells(lambda w: np.maximum(w, 0).prod(1), [(1, 0, 0), (0, 1, 0)])
    >>> found.values.tolist(), found.table.tolist()
    ([0.0], [0, 0, 0, -1])
    """
    if len(lines) > MOST_LINES:
        return None
    array = np.array(lines, dtype=np.float64).reshape(-1, 3)
    array = array / np.linalg.norm(array[:, :2], axis=1, keepdims=True)
    side = _HALF_WIDTH
    cells = [np.array([[-side, -side], [side, -side], [side, side], [-side, side]])]
    for a, b, c in array:
        cells = [part for cell in cells for part in cut(cell, np.array([a, b]), c)]
    rng = np.random.default_rng(0)
    labels, codes = [], []
    for cell in cells:
        inside = rng.dirichlet(np.ones(len(cell)), 12) @ cell
        found = value(inside)
        if np.ptp(found) <= _FLAT * max(1.0, float(np.abs(found).max())):
            labels.append(float(found[0]))
            above = inside.mean(0) @ array[:, :2].T > array[:, 2]
            codes.append(int((above << np.arange(len(array))).sum()))
    ordered = np.sort(np.array(labels))
    values = ordered[np.diff(ordered, prepend=-np.inf) > _SAME * np.maximum(1.0, np.abs(ordered))]
    table = np.full(1 << len(array), -1, dtype=np.int64)
    for code, label in zip(codes, labels, strict=True):
        table[code] = int(np.argmin(np.abs(values - label)))
    return LineCells(lines=array, values=values, table=table)
