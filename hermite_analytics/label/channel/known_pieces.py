"""Pieces of a label of w beside a known x, and the values of x at which they change.

What the label says of w is smooth in x off the places where monotone pieces of g(x, .) begin or end, or where
two of their ends change the order of their labels: a label gets preimages on more or fewer pieces there.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from hermite_analytics.errors import UnsupportedExpression
from hermite_analytics.label.cases.line.functions import Along, is_steep, pieces_between, sign_changes
from hermite_analytics.label.cases.line.numeric_pieces import NumericPiece, distinct
from hermite_analytics.label.cases.line.sheet_panels import LabelSheet
from hermite_analytics.label.cases.line.sheets import SheetChannel
from hermite_analytics.label.channel.beside import LabelBeside
from hermite_analytics.label.intervals import interval_probability
from hermite_analytics.label.structure import changes, ranks

__all__ = ["determines", "determining", "mass_of", "pieces_at", "places_of", "sheet_at"]

Shape = tuple[tuple[int, ...], ...]

_END = 9.5  # of w
_FARTHEST = 7.5  # of x
_SCAN = 0.05  # steps of x in which places are looked for
_MOST_PLACES = 60
_INSIDE = np.linspace(0.05, 0.95, 7)
_FLAT = 1e-13
_SAME = 1e-9  # relative distance of labels that are not told apart at a place
_CHANGES = 1e-9  # dg/dx, in units of 1 + |g|, above which it is not 0
_SEEN = np.linspace(-4.0, 4.0, 54)  # x at which labels that determine it are looked for


def pieces_at(label: LabelBeside, x: float) -> tuple[NumericPiece, ...]:
    """The monotone and the constant pieces of the label of w at a value of x."""
    function = label.along.at(x)
    return tuple(p if not p.slope else _flattened(function, p) for p in pieces_between(function, -_END, _END))


def _flattened(function: Along, piece: NumericPiece) -> NumericPiece:
    """A piece that is constant but for its ends, where a kink is not found to rounding."""
    w = piece.low + (piece.high - piece.low) * _INSIDE
    slope, value = function.slope(w), function.value(w)
    if np.abs(slope).max() > _FLAT or np.ptp(value) > _FLAT * max(1.0, abs(value[0])):
        return piece
    return replace(piece, at_low=float(value[0]), at_high=float(value[0]), slope=0)


def sheet_at(label: LabelBeside, x: float, pieces: tuple[NumericPiece, ...]) -> SheetChannel:
    """The label of w at a value of x, of these pieces."""
    function = label.along.at(x)
    sheet = LabelSheet.of(function, pieces)
    apart = all(p.low > -_SAME or p.high < _SAME for p in sheet.pieces if p.slope)
    return SheetChannel(sheets=(sheet,), mirror=(0,) if label.mirrored and apart else ())


def mass_of(piece: NumericPiece) -> float:
    """Its probability."""
    low = -np.inf if piece.low <= -_END else piece.low
    high = np.inf if piece.high >= _END else piece.high
    return interval_probability(low, high)


def determining(label: LabelBeside, x: float, pieces: tuple[NumericPiece, ...]) -> float:
    """The probability of labels that are constant in w, but depend on x; at x the label has these pieces."""
    if is_steep(label.along.at(x), -_END, _END):
        return 0.0
    total = 0.0
    for piece in pieces:
        if not piece.slope:
            slope = float(label.change(x, (piece.low + piece.high) / 2))
            total += mass_of(piece) if abs(slope) > _CHANGES * (1 + abs(piece.at_low)) else 0.0
    return total


def places_of(label: LabelBeside) -> tuple[float, ...]:
    """Ends of panels of x, increasing, from what changes on a grid: x > 0 only where -x says the same.

    Raises
    ------
    UnsupportedExpression
        If there are more than 60.
    """
    low = 0.0 if label.even else -_FARTHEST
    count = math.ceil((_FARTHEST - low) / _SCAN)
    grid = np.linspace(low, _FARTHEST, count + 1) + 0.17 * _SCAN
    grid[0], grid[-1] = low + 1e-3 * _SCAN, _FARTHEST
    found = [k for f in label.kinks for k in sign_changes(f, np.concatenate([[low], grid])).tolist()]
    between = changes(lambda x: _shape(label, x), grid.tolist(), _MOST_PLACES - len(found))
    if between is None:
        raise UnsupportedExpression("the label beside a known coordinate changes too often with it")
    found += between
    inner = [x for x in distinct(found) if low + 1e-9 < x < _FARTHEST - 1e-9]
    if not label.even and not any(abs(x) < 1e-9 for x in inner):
        inner = sorted([*inner, 0.0])
    return (low, *inner, _FARTHEST)


def _shape(label: LabelBeside, x: float) -> Shape:
    """Slopes of the pieces of the label, the order of its values at their inner ends, signs of its kinks."""
    pieces = pieces_at(label, x)
    ends = np.array([v for p in pieces for v in (p.at_low, p.at_high)][1:-1])
    middles = np.array([(p.low + p.high) / 2 for p in pieces])
    signs: list[tuple[int, ...]] = []
    for kink in label.along.kinks:
        values = np.nan_to_num(kink(middles, x))
        signs.append(tuple(np.where(np.abs(values) < _SAME, 0, np.sign(values)).astype(int).tolist()))
    return tuple(p.slope for p in pieces), ranks(ends), *signs


def determines(label: LabelBeside) -> bool:
    """Whether some labels determine x, by values of it on a grid."""
    return any(determining(label, x, pieces_at(label, x)) for x in _SEEN.tolist())
