"""Places where a label is slow, and the roots beside them to full accuracy.

Beside an inflection without slope, of order m, a root of g(z) = y has an error of eps^(1/m) if it is found
from y. It is accurate to rounding if it is found from the difference of the labels, an integral of the slope.
So it is beside a maximum or minimum, where other pieces have one of the same label: y itself does not tell
points of any of them from the ends.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hermite_analytics.foundation.numpy_arrays import Array, Bools, Function
from hermite_analytics.label.cases.line.numeric_pieces import NumericPiece, slow_points
from hermite_analytics.label.cases.parts.monotone import Side, side

__all__ = ["SlowPlace", "end_places", "slow_places"]

_REACH = 0.25  # of the neighbourhood in which labels are told apart by their difference
_REACH_AT_END = 0.01  # the same beside the end of a piece
_LEAST_POWER = 0.9
_BESIDE = 1e-9  # of an end of the piece, where it is the end that is slow


@dataclass(frozen=True, slots=True, kw_only=True)
class SlowPlace:
    """A point of a monotone piece at which the slope vanishes, or nearly so; or an end of it.

    Attributes
    ----------
    place, label : float
    trend : int
        1 where the label increases with the coordinate, -1 where it decreases.
    sides : tuple of Side or None
        Of smaller and of larger labels; an end has one of both.
    """

    place: float
    label: float
    trend: int
    sides: tuple[Side | None, Side | None]

    def gaps(self, z: Array) -> tuple[Bools, Array, Array]:
        """(which points are close, their labels less the own one, their slopes); NaN at the others."""
        beyond = self.trend * (z - self.place) > 0
        close = np.zeros(len(z), dtype=bool)
        gap, slope = np.full((2, len(z)), np.nan)
        for one, which, sign in zip(self.sides, (~beyond, beyond), (-1.0, 1.0), strict=True):
            if one is None:
                continue
            here = which & (np.abs(z - self.place) <= one.knots[-1])
            distance, slope[here] = one.reached(np.abs(z[here] - self.place))
            gap[here] = sign * distance
            close |= here
        return close, gap, slope

    def roots(self, gap: Array) -> tuple[Bools, Array, Array]:
        """(which roots are close, the roots, the slopes there) for labels given by their gaps."""
        close = np.zeros(len(gap), dtype=bool)
        z, slope = np.full((2, len(gap)), np.nan)
        for one, which in zip(self.sides, (gap < 0, gap > 0), strict=True):
            if one is None:
                continue
            here = which & (np.abs(gap) <= one.distances[-1])
            if here.any():
                h, slope[here] = one.invert(np.abs(gap[here]))
                z[here] = self.place + one.direction * h
            close |= here
        return close, z, slope


def slow_places(value: Function, derivative: Function, piece: NumericPiece) -> tuple[SlowPlace, ...]:
    """Those inside a monotone piece.

    Examples
    --------
    >>> piece = NumericPiece(low=-9.0, high=9.0, at_low=-728.0, at_high=730.0, slope=1)
    >>> [found] = slow_places(lambda z: 1 + z**3, lambda z: 3 * z**2, piece)
    >>> _, z, slope = found.roots(np.array([1e-30]))  # 1 + 1e-30 is 1 in double precision
    >>> round(float(z[0] * 1e10), 6), round(float(slope[0] * 1e20), 6)
    (1.0, 3.0)
    """
    places = [z for z in slow_points(derivative, piece) if min(z - piece.low, piece.high - z) > _BESIDE]
    ends = [piece.low, *places, piece.high]
    found = []
    for before, place, after in zip(ends, places, ends[2:], strict=False):
        low = side(derivative, place, max(place - _REACH, (before + place) / 2))
        high = side(derivative, place, min(place + _REACH, (place + after) / 2))
        found.append(
            SlowPlace(
                place=place,
                label=float(value(np.array([place]))[0]),
                trend=piece.slope,
                sides=(low, high) if piece.slope > 0 else (high, low),
            )
        )
    return tuple(found)


def end_places(derivative: Function, piece: NumericPiece) -> tuple[SlowPlace, ...]:
    """The ends of a monotone piece from which the label is seen to leave, no faster than its place.

    Where it leaves like a root the label itself tells the places.

    Examples
    --------
    >>> piece = NumericPiece(low=0.0, high=9.0, at_low=1.0, at_high=82.0, slope=1)
    >>> low, high = end_places(lambda z: 2 * z, piece)  # of 1 + z**2
    >>> _, z, slope = low.roots(np.array([1e-30]))
    >>> round(float(z[0] * 1e15), 6), round(float(slope[0] * 1e15), 6)
    (1.0, 2.0)
    """
    reach = min(_REACH_AT_END, 0.5 * (piece.high - piece.low))
    found = []
    for place, label, inwards in ((piece.low, piece.at_low, 1), (piece.high, piece.at_high, -1)):
        one = side(derivative, place, place + inwards * reach)
        if np.isfinite(one.distances).all() and one.distances[1] > 0 and one.power > _LEAST_POWER:
            larger = inwards * piece.slope > 0
            sides = (None, one) if larger else (one, None)
            found.append(SlowPlace(place=place, label=label, trend=piece.slope, sides=sides))
    return tuple(found)
