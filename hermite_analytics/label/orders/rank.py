"""Lower bounds of a rank, from vectors whose entries are balls."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from flint import arb
from sympy import Expr

from hermite_analytics.argument import Fact
from hermite_analytics.evidence import Evidence
from hermite_analytics.exponents.numbers import Numbers
from hermite_analytics.gaussian.enclosure.precision import working_precision

__all__ = ["Rank"]

_PRECISION = 160
_KEPT = 8  # vectors for each column, beside those of the last pivots

Vector = list[arb]
Source = tuple[Fact, Evidence]


class Rank:
    """Elimination in ball arithmetic: pivots are balls that exclude 0; the rank is at least their number.

    Sharp vectors are eliminated first, whatever the order in which they came: a wide ball in a row of a
    pivot would widen all rows after it.

    Examples
    --------
    >>> from sympy import Dummy, S, sqrt
    >>> rank = Rank(Numbers(), [(S(1), S(0), S(0))])
    >>> rank.add([(sqrt(2), S(1), S(1)), (S(3), sqrt(2), sqrt(2))])
    >>> rank.value
    2
    >>> unknown = Dummy("m", real=True)
    >>> rank = Rank(Numbers(), [(S(1), unknown)])
    >>> rank.add([(S(1), S(0)), (S(1), S(1))])
    >>> rank.value
    2
    """

    def __init__(self, numbers: Numbers, rows: Iterable[Sequence[Expr]]) -> None:
        self._numbers = numbers
        self._vectors: list[Vector] = []
        self._sources: list[Source | None] = []
        self._pivots: list[Source | None] = []
        self._is_new = False
        self._value = 0
        self.add(rows)

    @property
    def value(self) -> int:
        """The rank is at least this."""
        if self._is_new:
            with working_precision(_PRECISION):
                pivots = _pivots(self._vectors)
            self._is_new = False
            if len(pivots) > self._value:
                self._value, self._pivots = len(pivots), [self._sources[i] for i in sorted(pivots)]
            most = _KEPT * len(self._vectors[0])
            if len(self._vectors) > most:
                kept = sorted({*pivots, *range(len(self._vectors) - most, len(self._vectors))})
                self._vectors = [self._vectors[i] for i in kept]
                self._sources = [self._sources[i] for i in kept]
        return self._value

    @property
    def sources(self) -> tuple[Source, ...]:
        """Where the vectors that prove it came from, each named once."""
        return tuple(dict.fromkeys(s for s in self._pivots if s is not None)) if self.value else ()

    def add(self, vectors: Iterable[Sequence[Expr]], source: Source | None = None) -> None:
        """More vectors; what they come from and what that rests on."""
        with working_precision(_PRECISION):
            for vector in vectors:
                self._vectors.append([self._numbers.ball(x) for x in vector])
                self._sources.append(source)
                self._is_new = True


def _pivots(vectors: Sequence[Vector]) -> list[int]:
    """The places of vectors that are proved to be independent, the sharpest left at each step."""
    rows = dict(enumerate(vectors))
    used: list[int] = []
    while rows:
        best, row = max(rows.items(), key=lambda item: _sharpness(item[1]))
        if _sharpness(row) == 0:
            break
        pivot = max(range(len(row)), key=lambda j: _clearance(row[j]))
        del rows[best]
        used.append(best)
        rows = {i: _eliminated(other, row, pivot) for i, other in rows.items()}
    return used


def _eliminated(vector: Vector, by: Vector, pivot: int) -> Vector:
    """Without the column of the pivot."""
    factor = vector[pivot] / by[pivot]
    return [x - factor * y for j, (x, y) in enumerate(zip(vector, by, strict=True)) if j != pivot]


def _sharpness(vector: Vector) -> float:
    """The largest distance from 0 against the largest radius; 0 if no entry excludes 0."""
    far = max(map(_clearance, vector), default=0.0)
    if far == 0:
        return 0.0
    radius = max(float(x.rad()) if x.is_finite() else math.inf for x in vector)
    return math.inf if radius == 0 else max(far / radius, math.ulp(0.0))


def _clearance(x: arb) -> float:
    """The distance of a ball from 0, a number above 0 where it excludes 0."""
    if not x.is_finite() or x.contains(0):
        return 0.0
    return max(float(x.abs_lower()), math.ulp(0.0))
