"""Averages over a known coordinate: panels between the values where the label changes its structure."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Hashable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hermite_analytics.foundation.clock import TimeEnded, check_time, remaining
from hermite_analytics.foundation.panels import panel_rule
from hermite_analytics.label.cases.line.sheet_panels import LabelSheet
from hermite_analytics.label.quadrature import LabelQuadrature, mixture
from hermite_analytics.label.structure import changes, ranks

__all__ = ["adaptive_average", "outer_nodes", "over_known", "segments", "structure"]

Array = NDArray[np.float64]

_END = 7.0  # of a known coordinate: P(|x| > 7) = 3e-12
_SCAN = 41
_MOST_SEGMENTS = 16
_LEAST = 1e-3  # interval that counts
_TRIED = 4  # evaluations, from which the time of all is told
_DIVIDED = 6  # evaluations, with some room, when a panel is divided


def over_known(
    quadrature: Callable[[float], tuple[LabelQuadrature, float]], nodes: Array, weights: Array
) -> tuple[LabelQuadrature, float]:
    """E over a known coordinate of the label's law at its values, with the mean defect."""
    parts, defects = [], []
    for x in nodes:
        check_time()
        one, defect = quadrature(float(x))
        parts.append(one)
        defects.append(defect)
    found = mixture(parts, weights)
    return found, max(found.mass_defect, float(weights @ np.array(defects)))


def segments(signature: Callable[[float], Hashable]) -> list[float]:
    """The ends of the intervals on which the structure stays the same.

    Of places closer than 1e-3 the first one is kept: a break at the others is left to the rule, whose change
    with its level is part of the error. Where there are more than 16 places there is one interval.

    Examples
    --------
    >>> [round(x, 12) for x in segments(lambda x: (x > 0.5, x > 0.5004, x > 0.6))]
    [-7.0, 0.5, 0.6, 7.0]
    """
    scan = np.linspace(-_END, _END, _SCAN) + 0.5 / math.pi / _SCAN
    ends = [-_END]
    for place in changes(signature, scan.tolist(), _MOST_SEGMENTS) or []:
        if place - ends[-1] > _LEAST:
            ends.append(place)
    return [*ends, _END]


def outer_nodes(ends: Sequence[float], *, nodes: int, widest: float = 4.0) -> tuple[Array, Array]:
    """Nodes and weights of N(0, 1): Gauss-Legendre in theta on each segment, x = a + (b - a) sin^2 theta.

    Examples
    --------
    >>> x, weights = outer_nodes([-7.0, 0.5, 7.0], nodes=26)
    >>> round(float(weights @ np.maximum(x - 0.5, 0)), 9)  # phi(1/2) - Phi(-1/2)/2
    0.197796557
    """
    theta, w = panel_rule([0.0, math.pi / 2], nodes)
    share, density = np.sin(theta) ** 2, w * np.sin(2 * theta)
    points, weights = [], []
    for a, b in itertools.pairwise(ends):
        count = max(1, math.ceil((b - a) / widest))
        for c, d in itertools.pairwise(np.linspace(a, b, count + 1)):
            x = c + (d - c) * share
            points.append(x)
            weights.append((d - c) * density * np.exp(-x * x / 2) / math.sqrt(2 * math.pi))
    return np.concatenate(points), np.concatenate(weights)


def adaptive_average(
    function: Callable[[float], tuple[Array, float]],
    ends: Sequence[float],
    *,
    tolerance: float,
    most: int,
) -> tuple[Array, float]:
    """(E of a matrix over x ~ N(0, 1), its error), by Simpson's rule where the error is largest.

    No panel is divided that would take more than the time that is left.

    Parameters
    ----------
    function : x -> (matrix, its error)
    ends : sequence of float
        Of the first panels; beyond them the weight of x is left out.
    tolerance : float
    most : int
        Number of evaluations.

    Raises
    ------
    TimeEnded
        Also as soon as it shows that the first panels would take longer.

    Examples
    --------
    >>> found, error = adaptive_average(
    ...     lambda x: (np.array([[x * x]]), 0.0), [-7, -3, 0, 3, 7], tolerance=1e-7, most=400
    ... )
    >>> bool(abs(found[0, 0] - 1) < 1e-6)
    True
    """
    known: dict[float, tuple[Array, float]] = {}
    begun, least = remaining(), 4 * (len(ends) - 1) + 1

    def at(x: float) -> tuple[Array, float]:
        x = round(x, 12)  # the same point from two panels
        if x not in known:
            check_time()
            if len(known) == _TRIED and _late(begun, remaining(), len(known), least):
                raise TimeEnded
            matrix, error = function(x)
            weight = math.exp(-x * x / 2) / math.sqrt(2 * math.pi)
            known[x] = weight * matrix, weight * error
        return known[x]

    panels = [_panel(at, float(a), float(b)) for a, b in itertools.pairwise(ends)]

    def has_time() -> bool:
        return math.isinf(begun) or remaining() > _DIVIDED * (begun - remaining()) / len(known)

    while sum(p.gap for p in panels) > tolerance and len(known) < most and has_time():
        worst = max(panels, key=lambda p: p.gap)
        panels = [p for p in panels if p is not worst]
        middle = (worst.low + worst.high) / 2
        panels += [_panel(at, worst.low, middle), _panel(at, middle, worst.high)]
    total = np.asarray(sum(p.integral for p in panels))
    return total, sum(p.gap + p.own for p in panels)


class _Panel(NamedTuple):
    """An integral between two points, its change with the rule, and the error of the values themselves."""

    low: float
    high: float
    integral: Array
    gap: float
    own: float


def _panel(at: Callable[[float], tuple[Array, float]], a: float, b: float) -> _Panel:
    """Simpson's rule on the panel and on its halves, extrapolated."""
    five = [at(a + (b - a) * k / 4) for k in range(5)]
    f0, f1, f2, f3, f4 = (f for f, _ in five)
    once, twice = (b - a) / 6 * (f0 + 4 * f2 + f4), (b - a) / 12 * (f0 + 4 * f1 + 2 * f2 + 4 * f3 + f4)
    gap = (twice - once) / 15
    own = (b - a) / 12 * sum(w * e for w, (_, e) in zip((1, 4, 2, 4, 1), five, strict=True))
    return _Panel(a, b, twice + gap, float(np.linalg.norm(gap)), own)


def _late(begun: float, now: float, done: int, wanted: int) -> bool:
    """Whether so many evaluations, of which some are done, take longer than the seconds that were left."""
    return not math.isinf(begun) and (begun - now) / done * wanted > begun


def structure(sheets: list[LabelSheet]) -> Hashable:
    """What can change with the known coordinates: the slopes of the pieces and the order of their values."""
    pieces = [p for s in sheets for p in s.pieces]
    return tuple(p.slope for p in pieces), ranks(np.array([v for p in pieces for v in (p.at_low, p.at_high)]))
