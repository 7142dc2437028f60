"""Places of the continuous coordinate of a joint channel, each with the other preimages of its label."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hermite_analytics.label.cases.line.functions import sign_changes
from hermite_analytics.label.cases.line.numeric_pieces import (
    NumericPiece,
    between,
    distinct,
    point_of,
    slow_points,
)
from hermite_analytics.label.cases.line.sheets import LabelSheet
from hermite_analytics.label.cases.values.joint import JointChannel

__all__ = ["JointNodes", "joint_nodes"]

Array = NDArray[np.float64]
Integers = NDArray[np.int64]
Row = tuple[int, LabelSheet, NumericPiece]

_NODES = (24, 40)  # of the double exponential rule on a panel, by level
_WIDEST = 4.0  # of a panel
_NEGLIGIBLE = (1e-11, 1e-14)  # probability of a place
_LEAST_SLOPE = 1e-150
_GRID = 3001
_SAME = 1e-9
_BESIDE = 1e-6  # distance of panel ends that count as one


@dataclass(frozen=True, slots=True, kw_only=True)
class JointNodes:
    """A quadrature over x ~ N(0, 1) on each sheet, off the flat pieces.

    Attributes
    ----------
    place, weights : ndarray, shape (n,)
        Of x; the probability of the sheet is not in the weights.
    own : ndarray of int, shape (n,)
        The sheet.
    points, log_ratios : ndarray, shape (n, k)
        The other preimages of the label there, and log(|g'(place)|/|g'(point)|), -inf where there is none.
    sheet : ndarray of int, shape (n, k)
    """

    place: Array
    weights: Array
    own: Integers
    points: Array
    log_ratios: Array
    sheet: Integers


def joint_nodes(channel: JointChannel, *, level: int = 1, half: bool = False) -> JointNodes:
    """Panels between preimages of critical values and the points where two sheets cross.

    Parameters
    ----------
    half : bool
        Only x > 0, counted twice: for labels with a symmetry that changes the sign of x.
    """
    sheets = channel.main.sheets
    rows = [(k, s, p) for k, s in enumerate(sheets) for p in s.pieces if p.slope]
    slow = [(x, float(s.value(np.array([x]))[0])) for _, s, p in rows for x in slow_points(s.slope, p)]
    pieces = [p for _, _, p in rows]
    critical = distinct([*(v for p in pieces for v in (p.at_low, p.at_high)), *(label for _, label in slow)])
    crossings = _crossings(sheets, min(p.low for p in pieces), max(p.high for p in pieces))
    cuts = distinct([*crossings, *(x for x, _ in slow), *([0.0] if half else [])])
    return _collected(_parts(rows, critical, cuts, level=level, half=half))


def _parts(
    rows: list[Row], critical: list[float], cuts: list[float], *, level: int, half: bool
) -> Iterator[tuple[Array, ...]]:
    """The columns of each piece."""
    for row in rows:
        sheet = row[1]
        x, w = _on_piece(row, critical, cuts, _NODES[level])
        w = w * np.exp(-0.5 * x * x) / math.sqrt(2 * math.pi)
        keep = (w * sheet.probability > _NEGLIGIBLE[level]) & ((x > 0) | (not half))
        if keep.any():
            yield _with_others(x[keep], (2.0 if half else 1.0) * w[keep], row, rows)


def _collected(parts: Iterable[tuple[Array, ...]]) -> JointNodes:
    columns = [np.concatenate(column) for column in zip(*parts, strict=True)]
    return JointNodes(
        place=columns[0],
        weights=columns[1],
        own=columns[2].astype(np.int64),
        points=columns[3],
        log_ratios=columns[4],
        sheet=columns[5].astype(np.int64),
    )


def _on_piece(row: Row, critical: list[float], cuts: list[float], nodes: int) -> tuple[Array, Array]:
    _, sheet, piece = row
    low, high = sorted((piece.at_low, piece.at_high))
    values = [v for v in critical if min(v - low, high - v) > _SAME * max(1.0, abs(v))]
    found = point_of(sheet.value, sheet.slope, piece, np.array(values)).tolist() if values else []
    ends = [piece.low]
    for x in sorted([*found, *(c for c in cuts if piece.low < c < piece.high), piece.high]):
        if x - ends[-1] > _BESIDE or x == piece.high:
            ends.append(x)
    return between(ends, nodes=nodes, widest=_WIDEST)


def _with_others(x: Array, w: Array, own: Row, rows: list[Row]) -> tuple[Array, ...]:
    k, sheet, piece = own
    labels, slope = sheet.value(x), np.maximum(np.abs(sheet.slope(x)), _LEAST_SLOPE)
    points, ratios, index = [], [], []
    for other, there, part in rows:
        if part is piece:
            continue
        low, high = sorted((part.at_low, part.at_high))
        inside = (labels > low) & (labels < high)
        z = np.full(len(x), part.low)
        z[inside] = point_of(there.value, there.slope, part, labels[inside])
        steep = np.maximum(np.abs(there.slope(z)), _LEAST_SLOPE)
        points.append(z)
        ratios.append(np.where(inside, np.log(slope) - np.log(steep), -np.inf))
        index.append(np.full(len(x), other))
    empty = np.zeros((len(x), 0))
    stacked = [np.stack(c, 1) if c else empty for c in (points, ratios, index)]
    return (x, w, np.full(len(x), k), *stacked)


def _crossings(sheets: tuple[LabelSheet, ...], low: float, high: float) -> list[float]:
    """Where two sheets have the same label: preimages come close to each other there."""
    grid = np.linspace(low, high, _GRID) + 0.17 * (high - low) / _GRID
    found = [np.zeros(0)]
    for one, two in itertools.combinations(sheets, 2):
        found.append(sign_changes(lambda x, a=one, b=two: a.value(x) - b.value(x), grid))
    return distinct(np.concatenate(found).tolist())
