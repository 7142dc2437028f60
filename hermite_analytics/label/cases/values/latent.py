"""Coordinates that enter the label through finitely many values only, such as z2 in z1**2 + sign(z1*z2).

Such a coordinate is a discrete variable, independent of the others, with its own conditional moments in each
of its cells: the label becomes a finite mixture of labels of the coordinates that are left.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from sympy import Expr, Rational, Symbol

from hermite_analytics.foundation.numpy_arrays import Array
from hermite_analytics.gaussian.cells import own_parts
from hermite_analytics.label.cases.line.coordinate import GAUSSIAN
from hermite_analytics.label.cases.line.functions import along, pieces_between
from hermite_analytics.label.intervals import interval_moments

__all__ = ["BesideValues", "LatentCell", "averages", "beside_values", "grouped", "latent_coordinates"]

_MOST_BRANCHES = 128
_INSIDE = 0.45  # of a cell: not its centre, where functions like to have values of their own
_DENOMINATOR = 1e6  # of a point inside, times the length of the cell


@dataclass(frozen=True, slots=True, kw_only=True)
class LatentCell:
    """An interval of a coordinate: ends, probability, E[v | cell], E[v^2 - 1 | cell], and a point inside."""

    low: float
    high: float
    probability: float
    first: float
    second: float
    point: Rational


@dataclass(frozen=True, slots=True, kw_only=True)
class BesideValues:
    """A label of one continuous coordinate: the discrete ones beside it, and the mixture over their cells.

    `groups` are the cells of each label of the continuous coordinate.
    """

    main: Symbol
    latent: dict[Symbol, tuple[LatentCell, ...]]
    groups: dict[Expr, list[tuple[LatentCell, ...]]]


def latent_coordinates(signal: Expr, candidates: Sequence[Symbol]) -> dict[Symbol, tuple[LatentCell, ...]]:
    """The coordinates that enter through finitely many values only, with their cells.

    Examples
    --------
    >>> from sympy import sign, symbols
    >>> v, w = symbols("v w", real=True)
    >>> found = latent_coordinates(w**2 + sign(v) * sign(w), [v, w])
    >>> [(str(x), [round(cell.probability, 12) for cell in cells]) for x, cells in found.items()]
    [('v', [0.5, 0.5])]
    """
    found = {}
    for v in candidates:
        parts = own_parts(signal, v)
        if parts is None:
            continue
        pieces = [p for part in parts for p in pieces_between(along(part, v), GAUSSIAN.low, GAUSSIAN.high)]
        if all(p.slope == 0 for p in pieces):
            ends = np.unique([end for p in pieces for end in (p.low, p.high)])
            found[v] = tuple(_cell(a, b) for a, b in itertools.pairwise(ends) if b - a > 1e-12)
    return found


def beside_values(signal: Expr, candidates: Sequence[Symbol]) -> BesideValues | None:
    """None where other than one coordinate is continuous, or the cells of the others are too many.

    Examples
    --------
    >>> from sympy import sign, symbols
    >>> u, v, w = symbols("u v w", real=True)
    >>> list(beside_values(w**2 + sign(v) * sign(u), [u, v, w]).groups)
    [w**2 + 1, w**2 - 1]
    """
    latent = latent_coordinates(signal, candidates) if len(candidates) > 1 else {}
    rest = [w for w in candidates if w not in latent]
    if len(rest) != 1 or math.prod(len(cells) for cells in latent.values()) > _MOST_BRANCHES:
        return None
    return BesideValues(main=rest[0], latent=latent, groups=grouped(signal, latent))


def grouped(
    signal: Expr, latent: Mapping[Symbol, Sequence[LatentCell]]
) -> dict[Expr, list[tuple[LatentCell, ...]]]:
    """The labels at the values of the discrete coordinates, as functions of the others, with their cells.

    Examples
    --------
    >>> from sympy import sign, symbols
    >>> v, w = symbols("v w", real=True)
    >>> label = w**2 * sign(v**2 - 1)
    >>> found = grouped(label, latent_coordinates(label, [v]))
    >>> [(g, [round(cell.probability, 4) for [cell] in cells]) for g, cells in found.items()]
    [(w**2, [0.1587, 0.1587]), (-w**2, [0.6827])]
    """
    parts = {v: own_parts(signal, v) or [] for v in latent}
    found: dict[Expr, list[tuple[LatentCell, ...]]] = {}
    for cells in itertools.product(*latent.values()):
        values = {
            part: part.subs(v, cell.point) for v, cell in zip(latent, cells, strict=True) for part in parts[v]
        }
        found.setdefault(signal.xreplace(values), []).append(cells)
    return found


def averages(group: Sequence[tuple[LatentCell, ...]]) -> tuple[float, Array, Array]:
    """(probability, E[v], E[v v^T - I]) of discrete coordinates v in any of some boxes."""
    total, first, second = 0.0, np.zeros(len(group[0])), np.zeros((len(group[0]),) * 2)
    for cells in group:
        p = float(np.prod([c.probability for c in cells]))
        one = np.array([c.first for c in cells])
        two = np.outer(one, one)
        np.fill_diagonal(two, [c.second for c in cells])
        total, first, second = total + p, first + p * one, second + p * two
    return total, first / total, second / total


def _cell(a: float, b: float) -> LatentCell:
    low = -math.inf if a <= GAUSSIAN.low else a
    high = math.inf if b >= GAUSSIAN.high else b
    p, first, second = (float(x) for x in interval_moments(low, high))
    return LatentCell(
        low=low,
        high=high,
        probability=p,
        first=first / p,
        second=second / p,
        point=Rational(a + _INSIDE * (b - a)).limit_denominator(math.ceil(_DENOMINATOR / (b - a))),
    )
