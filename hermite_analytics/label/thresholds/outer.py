"""Averages over a known coordinate: panels between the values where the label changes its structure."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Hashable, Sequence
from typing import NamedTuple

import numpy as np

from hermite_analytics.foundation.clock import TimeEnded, check_time, remaining
from hermite_analytics.foundation.numpy_arrays import Array
from hermite_analytics.foundation.panels import panel_rule
from hermite_analytics.label.cases.line.sheet_panels import LabelSheet
from hermite_analytics.label.quadrature import LabelQuadrature, mixture
from hermite_analytics.label.structure import changes, ranks

__all__ = ["adaptive_average", "outer_nodes", "over_known", "segments", "structure"]

_END = 7.0  # of a known coordinate: P(|x| > 7) = 3e-12
_SCAN = 41
_MOST_SEGMENTS = 16
_LEAST = 1e-3  # interval that counts
_TRIED = 4  # evaluations, from which the time of all is told
_DIVIDED = 20  # evaluations, with some room, when a panel is divided
_VALUES = 9  # of a panel
_LAST = 1 - 1e-9  # beside the ends of (-1, 1)
_AGAIN = 10.0  # times the last change of a rule, and its ratio to the one before
_OUTER, _GAUSS, _INNER = 0.9604912687080202, math.sqrt(0.6), 0.4342437493468026
_KRONROD = np.array([-_OUTER, -_GAUSS, -_INNER, 0.0, _INNER, _GAUSS, _OUTER])
_KRONROD_WEIGHTS = np.array(
    [
        *(0.10465622602646727, 0.26848808986833344, 0.40139741477596222, 0.45091653865847414),
        *(0.40139741477596222, 0.26848808986833344, 0.10465622602646727),
    ]
)
_AT_ENDS = np.linalg.solve(np.vander(_KRONROD).T, np.vander([-1.0, 1.0], len(_KRONROD)).T).T
_GAUSS_WEIGHTS = np.array([5.0, 8.0, 5.0]) / 9


def over_known(
    quadrature: Callable[..., tuple[LabelQuadrature, float]], nodes: Array, weights: Array
) -> tuple[LabelQuadrature, float]:
    """E over known coordinates of the law at their values, (n,) or (n, known), with the mean defect."""
    parts, defects = [], []
    for x in nodes.reshape(len(nodes), -1).tolist():
        check_time()
        one, defect = quadrature(*x)
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
    """(E of a matrix over x ~ N(0, 1), its error), by panels that are divided where the error is largest.

    The rules are open: the matrix may jump at ends of the first panels, and what it is there is not asked. No
    panel is divided that would take more than the time that is left.

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
    count, begun, least = 0, remaining(), _VALUES * (len(ends) - 1)

    def at(x: float) -> tuple[Array, float]:
        nonlocal count
        check_time()
        if count == _TRIED and _late(begun, remaining(), count, least):
            raise TimeEnded
        count += 1
        matrix, error = function(x)
        weight = math.exp(-x * x / 2) / math.sqrt(2 * math.pi)
        return weight * matrix, weight * error

    panels = [_panel(at, float(a), float(b)) for a, b in itertools.pairwise(ends)]

    def has_time() -> bool:
        return math.isinf(begun) or remaining() > _DIVIDED * (begun - remaining()) / count

    while sum(p.gap for p in panels) > tolerance and count < most and has_time():
        worst = max(panels, key=lambda p: p.gap)
        panels = [p for p in panels if p is not worst]
        middle = (worst.low + worst.high) / 2
        panels += [_panel(at, worst.low, middle), _panel(at, middle, worst.high)]
    total = np.asarray(sum(p.integral for p in panels))
    return total, sum(p.gap + p.own for p in panels)


class _Panel(NamedTuple):
    """An integral between two points, the error of the rule, and that of the values themselves."""

    low: float
    high: float
    integral: Array
    gap: float
    own: float


def _panel(at: Callable[[float], tuple[Array, float]], a: float, b: float) -> _Panel:
    """By Kronrod's seven nodes; three of them are Gauss's, and the middle is a rule too.

    Where the change from three nodes to seven is far below that from one to three, the next would be as far
    below again. A jump between two nodes leaves neither small, and beyond the last node it shows in what
    values beside the ends differ from the polynomial through the seven.
    """
    half, middle = (b - a) / 2, (a + b) / 2
    seven = [at(middle + half * x) for x in _KRONROD]
    values = np.array([value for value, _ in seven])
    found = half * np.tensordot(_KRONROD_WEIGHTS, values, 1)
    three = half * np.tensordot(_GAUSS_WEIGHTS, values[1::2], 1)
    last = float(np.linalg.norm(found - three))
    before = float(np.linalg.norm(three - 2 * half * values[3]))
    gap = last * min(1.0, _AGAIN * last / before) if before > 0 else last
    for end, through in zip((-_LAST, _LAST), _AT_ENDS, strict=True):
        off = at(middle + half * end)[0] - np.tensordot(through, values, 1)
        gap += half * (1 - _OUTER) * float(np.linalg.norm(off))
    own = half * float(_KRONROD_WEIGHTS @ np.array([error for _, error in seven]))
    return _Panel(a, b, found, gap, own)


def _late(begun: float, now: float, done: int, wanted: int) -> bool:
    """Whether so many evaluations, of which some are done, take longer than the seconds that were left."""
    return not math.isinf(begun) and (begun - now) / done * wanted > begun


def structure(sheets: list[LabelSheet]) -> Hashable:
    """What can change with the known coordinates: the slopes of the pieces and the order of their values."""
    pieces = [p for s in sheets for p in s.pieces]
    return tuple(p.slope for p in pieces), ranks(np.array([v for p in pieces for v in (p.at_low, p.at_high)]))
