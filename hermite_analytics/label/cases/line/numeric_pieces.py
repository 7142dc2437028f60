"""Monotone pieces of a label along one coordinate, in floating point: their points, and rules between them.

Panels end where a label reaches a critical value, or the value at a place where its slope vanishes without
a change of sign. The law given the label has roots or logarithms there, taken by the double exponential rule.
"""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hermite_analytics.foundation.numpy_arrays import Array, Function

__all__ = [
    "SAME",
    "NumericPiece",
    "between",
    "distinct",
    "on_panels",
    "on_piece",
    "panels_between",
    "point_of",
    "slow_points",
]

SAME = 1e-11  # relative distance of labels that count as one
_RANGE = 3.15  # of the double exponential rule
_STEPS = 90
_SLOPES = 3001  # on a piece, for places where the slope nearly vanishes
_NEIGHBOURS = 100
_SLOW = 0.05  # of the largest slope of the neighbours


@dataclass(frozen=True, slots=True, kw_only=True)
class NumericPiece:
    """An interval on which the label is monotone (slope 1 or -1) or constant (slope 0)."""

    low: float
    high: float
    at_low: float
    at_high: float
    slope: int


def distinct(values: Sequence[float]) -> list[float]:
    """In increasing order, those that count as one once.

    Examples
    --------
    >>> distinct([2.0, 1.0, 1.0 + 1e-13])
    [1.0, 2.0]
    """
    result: list[float] = []
    for v in sorted(values):
        if not result or v - result[-1] > SAME * max(1.0, abs(v)):
            result.append(v)
    return result


def between(ends: Sequence[float], *, nodes: int, widest: float) -> tuple[Array, Array]:
    """(z, w) of the double exponential rule on panels no wider than `widest` between the ends.

    Examples
    --------
    >>> z, w = between([0.0, 1.0], nodes=40, widest=2.5)
    >>> round(float(w @ np.log(z)), 12)
    -1.0
    """
    z, w = on_panels(panels_between(ends, widest), nodes)
    return z.ravel(), w.ravel()


def panels_between(ends: Sequence[float], widest: float) -> Array:
    """The ends of panels no wider than `widest`, shape (p, 2)."""
    counts = [max(1, math.ceil((b - a) / widest)) for a, b in itertools.pairwise(ends)]
    found = [np.linspace(a, b, n + 1) for (a, b), n in zip(itertools.pairwise(ends), counts, strict=True)]
    return np.concatenate([np.stack([x[:-1], x[1:]], axis=1) for x in found])


def on_panels(panels: Array, nodes: int) -> tuple[Array, Array]:
    """(z, w) of the double exponential rule on each panel, shapes (p, nodes).

    Every second node with twice its weight is a rule of the same kind, whose error is about the root of this
    one's.
    """
    left, right, weight = _double_exponential(nodes)
    low, high = panels[:, :1], panels[:, 1:]
    size = high - low
    return np.where(left < 0.5, low + size * left, high - size * right), size * weight


def on_piece(
    value: Function,
    derivative: Function,
    piece: NumericPiece,
    critical: Sequence[float],
    *,
    widest: float,
    slow: Sequence[float] = (),
) -> Array:
    """Panels on a monotone piece, shape (p, 2), that also end where its label is one of the critical ones.

    Parameters
    ----------
    slow : sequence of float
        The piece's own slow points, which end panels too: roots there would be found to few digits.
    """
    own = value(np.array(slow)).tolist() if slow else []
    ends = [piece.at_low, piece.at_high, *own]
    low, high = min(ends[:2]), max(ends[:2])
    inner = [
        v for v in critical if low < v < high and min(abs(v - end) for end in ends) > SAME * max(1.0, abs(v))
    ]
    cuts = point_of(value, derivative, piece, np.array(inner)).tolist() if inner else []
    return panels_between([piece.low, *sorted([*slow, *cuts]), piece.high], widest)


def point_of(value: Function, derivative: Function, piece: NumericPiece, labels: Array) -> Array:
    """The points of a monotone piece with the given labels: Newton's method kept in a closed bracket.

    A point is settled where its steps are down to rounding, or small and no longer shrinking.

    Examples
    --------
    >>> piece = NumericPiece(low=0.0, high=9.0, at_low=0.0, at_high=81.0, slope=1)
    >>> point_of(np.square, lambda z: 2 * z, piece, np.array([4.0, 25.0])).tolist()
    [2.0, 5.0]
    """
    a, b = np.full(len(labels), piece.low), np.full(len(labels), piece.high)
    z = (a + b) / 2
    moved = before = b - a
    size = max(abs(piece.low), abs(piece.high))
    settled = np.zeros(len(labels), dtype=bool)
    for _ in range(_STEPS):
        f = piece.slope * (value(z) - labels)
        slope = piece.slope * derivative(z)
        a, b = np.where(f < 0, z, a), np.where(f > 0, z, b)
        with np.errstate(all="ignore"):
            newton = z - f / slope
            halve = ~((newton >= a) & (newton <= b)) | (np.abs(2 * f) > np.abs(before * slope))
        following = np.where(settled | (f == 0), z, np.where(halve, (a + b) / 2, newton))
        before, moved = moved, np.abs(following - z)
        z = following
        settled |= (moved <= 4e-16 * size) | ((moved <= 1e-7 * size) & (moved >= 0.75 * before))
        if bool(settled.all()):
            break
    return np.asarray(z)


def slow_points(derivative: Function, piece: NumericPiece) -> list[float]:
    """Where the slope nearly vanishes inside a monotone piece: the density of the label has a peak there.

    Examples
    --------
    >>> cube = NumericPiece(low=-9.0, high=9.0, at_low=-1000.0, at_high=512.0, slope=1)  # (z - 1)**3
    >>> [round(z, 6) for z in slow_points(lambda z: 3 * (z - 1) ** 2, cube)]
    [1.0]
    """
    grid = np.linspace(piece.low, piece.high, _SLOPES)
    slope = np.abs(derivative(grid))
    least = np.flatnonzero((slope[1:-1] <= slope[:-2]) & (slope[1:-1] < slope[2:])) + 1
    found = []
    for k in least:
        around = slope[max(k - _NEIGHBOURS, 0) : k + _NEIGHBOURS]
        if slope[k] <= _SLOW * float(around.max()):
            from scipy.optimize import (
                minimize_scalar,  # takes long to load, and few functions have such places
            )

            place = minimize_scalar(
                lambda z: float(abs(derivative(np.array([z]))[0])),
                bounds=(grid[k - 1], grid[k + 1]),
                method="bounded",
                options={"xatol": 1e-12},
            )
            found.append(float(place.x))
    return found


@functools.cache
def _double_exponential(nodes: int) -> tuple[Array, Array, Array]:
    """(distance from the left end, from the right end, weight) on an interval of length 1."""
    t = np.linspace(-_RANGE, _RANGE, nodes)
    s = 0.5 * math.pi * np.sinh(t)
    left = 1 / (1 + np.exp(-2 * s))
    right = 1 / (1 + np.exp(2 * s))
    return left, right, (t[1] - t[0]) * math.pi * np.cosh(t) * left * right
