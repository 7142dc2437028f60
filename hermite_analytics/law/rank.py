"""Lower bounds of a rank, from vectors whose entries are balls."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from sympy import Expr

from hermite_analytics.exponents.numbers import Numbers
from hermite_analytics.gaussian.enclosure.precision import working_precision

__all__ = ["Rank"]

_PRECISION = 160


class Rank:
    """Elimination in ball arithmetic: pivots are balls that exclude 0; the rank is at least their number.

    Examples
    --------
    >>> from sympy import S, sqrt
    >>> rank = Rank(Numbers(), [(S(1), S(0), S(0))])
    >>> rank.add([(sqrt(2), S(1), S(1)), (S(3), sqrt(2), sqrt(2))])
    >>> rank.value
    2
    """

    def __init__(self, numbers: Numbers, rows: Iterable[Sequence[Expr]]) -> None:
        self._numbers = numbers
        self._rows: list[tuple[int, list[Any]]] = []
        self.add(rows)

    @property
    def value(self) -> int:
        """The rank is at least this."""
        return len(self._rows)

    def add(self, vectors: Iterable[Sequence[Expr]]) -> None:
        """More vectors, each reduced by the rows so far."""
        with working_precision(_PRECISION):
            for vector in vectors:
                self._insert([self._numbers.ball(x) for x in vector])

    def _insert(self, vector: list[Any]) -> None:
        for pivot, row in self._rows:
            factor = vector[pivot]
            vector = [x - factor * y for x, y in zip(vector, row, strict=True)]
        usable = [j for j, x in enumerate(vector) if x.is_finite() and not x.contains(0)]
        usable = [j for j in usable if all(j != pivot for pivot, _ in self._rows)]
        if usable:
            best = max(usable, key=lambda j: float(abs(vector[j].mid())))
            self._rows.append((best, [x / vector[best] for x in vector]))
