"""Thresholds of labels F(h), F constant between many places, as a floor is; also given a known coordinate."""

from __future__ import annotations

import itertools

import numpy as np

from hermite_analytics.argument.remarks import remark
from hermite_analytics.errors import UnsupportedExpression
from hermite_analytics.label.cases.line.coordinate import GAUSSIAN
from hermite_analytics.label.cases.line.functions import Along, along, pieces_between
from hermite_analytics.label.cases.line.numeric_pieces import NumericPiece, point_of
from hermite_analytics.label.cases.stepped.case import SteppedChannel, stepped_label
from hermite_analytics.label.intervals import interval_moments
from hermite_analytics.label.reduction.one_value import OneValue, at_places, one_value, told_apart
from hermite_analytics.label.reduction.problem import Problem
from hermite_analytics.label.thresholds.numeric import refined
from hermite_analytics.label.thresholds.outer import adaptive_average
from hermite_analytics.label.thresholds.result import Threshold, estimated
from hermite_analytics.symbols import xi

__all__ = ["between_curves", "between_points"]


_MANY_ARCS = 500_000  # of the level curves of all labels: of so many the finer level takes half a minute
_END = 7.0  # of a known coordinate
_BEYOND = 1e-11  # E[G^2] where it is farther out
_SCAN = 281  # values of it, for places that reach the end of a piece
_APART = 1e-9
_TOLERANCE = 1e-9
_MOST_VALUES = 4000
_MOST_PLACES = 2000


def between_curves(problem: Problem) -> Threshold | None:
    """Two coordinates, none known: the level curves of h between two places."""
    found = stepped_label(problem)
    if found is None or not isinstance(found.kind, SteppedChannel):
        return None
    case = found.kind
    finer = int(case.curves.count < _MANY_ARCS)
    method = remark("a floor of one value of two coordinates: the level curves of that value")
    return refined(lambda level: (case.quadrature(level + finer), 0.0), method)


def between_points(problem: Problem) -> Threshold | None:
    """One coordinate, for each value of a known one: the points of w where h is at a place.

    1/alpha = E[sum_y E[w^2 - 1; y | x]^2/P(y | x)], by panels of x that end where a place reaches the end of
    a monotone piece of h.
    """
    if len(problem.unknown) != 1 or len(problem.known) != 1 or problem.signal.has(xi):
        return None
    outer = one_value(problem.signal, (*problem.unknown, *problem.known))
    if outer is None:
        return None
    inner = along(outer.inner, problem.unknown[0], problem.known)
    try:
        _told(outer, inner.at(_END))  # how many values it takes far out
        found, error = adaptive_average(
            lambda x: (np.array([[_told(outer, inner.at(x))]]), 0.0),
            [-_END, *_ends(outer, inner), _END],
            tolerance=_TOLERANCE,
            most=_MOST_VALUES,
        )
    except UnsupportedExpression:
        return None
    method = remark("a floor of one value of a coordinate and one known: its intervals for each of these")
    return estimated(float(found[0, 0]), error + _BEYOND, method)


def _told(outer: OneValue, h: Along) -> float:
    """The sum over y of E[w^2 - 1; y]^2/P(y)."""
    pieces = pieces_between(h, GAUSSIAN.low, GAUSSIAN.high)
    value, slope = h.value, h.slope
    around = [v for p in pieces for v in (p.at_low, p.at_high)]
    places = outer.places(min(around) - 1, max(around) + 1)
    if len(places) > _MOST_PLACES:
        raise UnsupportedExpression(f"a floor that takes {len(places)} values")
    cuts = [np.array([p.low for p in pieces]), np.array([pieces[-1].high])]
    for piece in (p for p in pieces if p.slope):
        cuts.append(point_of(value, slope, piece, outer.places(*sorted([piece.at_low, piece.at_high]))))
    ends = np.unique(np.concatenate(cuts))
    at = at_places(value(0.5 * (ends[1:] + ends[:-1])), places)  # where h is constant it may be a place
    _, owner = np.unique(told_apart(outer.at(at)), return_inverse=True)
    p, second = (np.bincount(owner, x) for x in interval_moments(ends[:-1], ends[1:])[::2])
    return float((second[p > 0] ** 2 / p[p > 0]).sum())


def _ends(outer: OneValue, inner: Along) -> list[float]:
    """Values of what is known, about, at which h has a place as its value at an end of a piece."""
    x = np.linspace(-_END, _END, _SCAN) + 0.5 * _END / _SCAN
    at = [_values(pieces_between(inner.at(v), GAUSSIAN.low, GAUSSIAN.high)) for v in x]
    found: list[float] = []
    for (a, before), (b, after) in itertools.pairwise(zip(x, at, strict=True)):
        if len(before) == len(after):
            for u, v in zip(before, after, strict=True):
                places = outer.places(*sorted([u, v]))
                found += (a + (b - a) * (places - u) / (v - u)).tolist() if len(places) else []
    ends = np.unique(found)
    return [float(e) for e in ends[np.diff(ends, prepend=-np.inf) > _APART] if abs(e) < _END]


def _values(pieces: tuple[NumericPiece, ...]) -> list[float]:
    """Of h at the inner ends of pieces: at the outer ones w has no weight."""
    return [v for p in pieces for v in (p.at_low, p.at_high)][1:-1]
