"""Subspaces of R^r with exact bases, and ranks that are proved."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import sympy
from flint import fmpq
from sympy import Expr, Rational, S

from hermite_analytics.argument.formulas import rows_text
from hermite_analytics.argument.steps import Basis
from hermite_analytics.exponents.numbers import Numbers
from hermite_analytics.foundation.clock import check_time

__all__ = ["Row", "Span", "complement", "extended", "whole"]

Row = tuple[Expr, ...]

_SHORT = 12  # operations of all irrational entries of a basis
_LONGEST = 20  # operations of an entry that takes part in an elimination
_MOST_TERMS = 200  # of a product of sums that is multiplied out


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """The span of some rows that are proved to be independent.

    Parameters
    ----------
    width : int
        r.
    rows : tuple of rows
        Independent: row i has 1 in column `pivots[i]`, where all others have 0.
    pivots : tuple of int
        In increasing order.
    is_reduced : bool
        Whether the rows are the reduced row echelon form: all entries in front of pivots are proved to be 0.
    is_closed : bool
        Whether all entries are closed forms.
    """

    width: int
    rows: tuple[Row, ...] = ()
    pivots: tuple[int, ...] = ()
    is_reduced: bool = True
    is_closed: bool = True

    @property
    def dimension(self) -> int:
        """Number of rows."""
        return len(self.rows)

    @property
    def is_whole(self) -> bool:
        """Whether it is all of R^r."""
        return len(self.rows) == self.width

    @property
    def is_exact(self) -> bool:
        """Whether the rows are the reduced row echelon form, in closed form."""
        return self.is_reduced and self.is_closed

    @property
    def is_short(self) -> bool:
        """Whether exact arithmetic with the rows stays feasible: few operations in irrational entries."""
        entries = [x for row in self.rows for x in row if not x.is_Rational]
        return bool(sum(sympy.count_ops(x) for x in entries) <= _SHORT)

    def text(self) -> list[list[str]]:
        """The rows as text."""
        return [list(row) for row in rows_text(self.rows)]

    def basis(self, numbers: Numbers) -> Basis:
        """The rows as a fact, letters by the numbers that they stand for."""
        return Basis(rows=tuple(tuple(numbers.entry(x) for x in row) for row in self.rows))


def extended(numbers: Numbers, span: Span, vectors: Iterable[Sequence[Expr]]) -> tuple[Span, bool]:
    """(the span together with the vectors that are proved to be new, whether all vectors were decided).

    A pivot is an entry that is proved to be nonzero. A vector whose entries, reduced by the rows, are
    neither all proved to vanish nor one of them proved nonzero, or are too long, is left out, and the second
    answer is False. The clock in force is looked at before every vector (`TimeEnded`).

    Examples
    --------
    >>> from sympy import Integer, sqrt
    >>> root = sqrt(2)
    >>> span, decided = extended(Numbers(), Span(width=2), [(root, Integer(2)), (Integer(1), root)])
    >>> span.text(), decided
    ([['1', 'sqrt(2)']], True)
    """
    echelon, decided = _echelon(numbers, span), True
    for vector in vectors:
        check_time()
        if echelon.is_whole:
            break
        scaled = _scaled(numbers, vector)
        if isinstance(echelon, _RationalEchelon) and not _is_rational(scaled):
            echelon = _Echelon(numbers, echelon.span())
        decided &= echelon.takes(scaled)
    return echelon.span(), decided


def _echelon(numbers: Numbers, span: Span) -> _Echelon | _RationalEchelon:
    rational = span.is_reduced and all(_is_rational(row) for row in span.rows)
    return _RationalEchelon(span) if rational else _Echelon(numbers, span)


class _RationalEchelon:
    """Rows of rational numbers, by their entries that are not 0."""

    def __init__(self, span: Span) -> None:
        self._width = span.width
        self._rows = {p: _sparse(row) for p, row in zip(span.pivots, span.rows, strict=True)}
        self.is_whole = span.is_whole

    def takes(self, vector: Sequence[Expr]) -> bool:
        """Always: it is decided whether the vector is new; one that is becomes a row."""
        rest = _sparse(vector)
        for column in [c for c in rest if c in self._rows]:
            _subtract(rest, rest[column], self._rows[column])
        if not rest:
            return True
        pivot = min(rest)
        size = rest[pivot]
        row = {c: x / size for c, x in rest.items()}
        for other in self._rows.values():
            if pivot in other:
                _subtract(other, other[pivot], row)
        self._rows[pivot] = row
        self.is_whole = len(self._rows) == self._width
        return True

    def span(self) -> Span:
        if self.is_whole:
            return whole(self._width)
        pivots = tuple(sorted(self._rows))
        return Span(width=self._width, rows=tuple(self._dense(self._rows[p]) for p in pivots), pivots=pivots)

    def _dense(self, row: dict[int, fmpq]) -> Row:
        dense = [S.Zero] * self._width
        for column, x in row.items():
            dense[column] = Rational(int(x.p), int(x.q))
        return tuple(dense)


def _sparse(row: Sequence[Expr]) -> dict[int, fmpq]:
    return {j: fmpq(int(x.p), int(x.q)) for j, x in enumerate(row) if x is not S.Zero}


def _subtract(row: dict[int, fmpq], factor: fmpq, other: dict[int, fmpq]) -> None:
    """row - factor * other, in place."""
    for column, y in other.items():
        x = row.get(column, 0) - factor * y
        if x:
            row[column] = x
        else:
            row.pop(column, None)


def _is_rational(row: Sequence[Expr]) -> bool:
    return all(x.is_Rational for x in row)


class _Echelon:
    """Rows in echelon form that grow by vectors which are proved to be new."""

    def __init__(self, numbers: Numbers, span: Span) -> None:
        self._numbers, self._width = numbers, span.width
        self._rows, self._pivots = list(span.rows), list(span.pivots)
        self.is_whole = span.is_whole

    def takes(self, vector: Sequence[Expr]) -> bool:
        """Whether it is decided if the vector is new; one that is becomes a row."""
        numbers, rows = self._numbers, self._rows
        reduced = _reduced(numbers, vector, rows, self._pivots)
        if len(rows) == self._width - 1 and any(numbers.excludes_zero(x) for x in reduced):
            self.is_whole = True
            return True
        if rows and _is_long(reduced):
            return False
        verdicts = [numbers.is_zero(x) for x in reduced]
        if False not in verdicts:
            return None not in verdicts
        clean = [S.Zero if zero else x for x, zero in zip(reduced, verdicts, strict=True)]
        return self._joined_by(clean, verdicts.index(False))

    def _joined_by(self, entries: Sequence[Expr], column: int) -> bool:
        """Whether the rows stay short with this one, whose pivot is in `column`; otherwise it is left out."""
        pivot = entries[column]
        row = tuple(x if x is S.Zero else self._numbers.simplified(x / pivot) for x in entries)
        others = [_eliminated(self._numbers, old, row, column) for old in self._rows]
        if any(other is not old and _is_long(other) for old, other in zip(self._rows, others, strict=True)):
            return False
        self._rows = [*others, row]
        self._pivots.append(column)
        self.is_whole = len(self._rows) == self._width
        return True

    def span(self) -> Span:
        if self.is_whole:
            return whole(self._width)
        order = sorted(range(len(self._rows)), key=self._pivots.__getitem__)
        rows, pivots = [self._rows[i] for i in order], [self._pivots[i] for i in order]
        return Span(
            width=self._width,
            rows=tuple(rows),
            pivots=tuple(pivots),
            is_reduced=all(x == 0 for row, p in zip(rows, pivots, strict=True) for x in row[:p]),
            is_closed=all(self._numbers.is_closed(x) for row in rows for x in row),
        )


def complement(span: Span) -> Span:
    """The orthogonal complement; its rows are a basis that is not in echelon form.

    Examples
    --------
    >>> line, _ = extended(Numbers(), Span(width=3), [(S(1), S(2), S(0))])
    >>> complement(line).text()
    [['-2', '1', '0'], ['0', '0', '1']]
    """
    free = [j for j in range(span.width) if j not in span.pivots]
    rows = []
    for j in free:
        row = [S.One if i == j else S.Zero for i in range(span.width)]
        for p, old in zip(span.pivots, span.rows, strict=True):
            row[p] = -old[j]
        rows.append(tuple(row))
    return Span(width=span.width, rows=tuple(rows), pivots=tuple(free), is_closed=span.is_closed)


def _scaled(numbers: Numbers, vector: Sequence[Expr]) -> Sequence[Expr]:
    """Divided by its first irrational entry: equal ones become 1 before any of them is in an elimination."""
    first = next((x for x in vector if not x.is_Rational), None)
    if first is None or not numbers.excludes_zero(first):
        return vector
    return tuple(S.Zero if x == 0 else numbers.simplified(x / first) for x in vector)


def _reduced(numbers: Numbers, vector: Sequence[Expr], rows: Sequence[Row], pivots: Sequence[int]) -> Row:
    row = tuple(vector)
    for old, p in zip(rows, pivots, strict=True):
        row = _eliminated(numbers, row, old, p)
    return row


def _eliminated(numbers: Numbers, row: Row, by: Row, pivot: int) -> Row:
    """row - row[pivot] * by, with 0 in the pivot's column."""
    factor = row[pivot]
    if factor is S.Zero:
        return row
    check_time()
    rest = list(row)
    for j, y in enumerate(by):
        if y is not S.Zero:
            rest[j] = numbers.simplified(_expanded(row[j] - factor * y))
    rest[pivot] = S.Zero
    return tuple(rest)


def _is_long(row: Row) -> bool:
    """Whether exact arithmetic would not end: irrational entries grow with every elimination."""
    return any(not x.is_Rational and sympy.count_ops(x) > _LONGEST for x in row)


def _expanded(x: Expr) -> Expr:
    """Multiplied out, unless that would not end: moments of many cells are long, and balls take them so.

    Examples
    --------
    >>> a, b = sympy.symbols("a b")
    >>> _expanded((a + b) * (a - b)), _expanded((a + b) * (1 + a) ** 200)
    (a**2 - b**2, (a + 1)**200*(a + b))
    >>> _expanded((1 + sympy.sqrt(2)) ** 8 - 577 - 408 * sympy.sqrt(2))
    0
    """
    return x if x.is_Rational or _terms(x) > _MOST_TERMS else sympy.expand(x)


def _terms(x: Expr) -> int:
    """A bound of the terms of a product of sums, multiplied out; past the most, some number beyond it."""
    if x.is_Add:
        return sum(map(_terms, x.args))
    if x.is_Mul:
        found = 1
        for part in x.args:
            found *= _terms(part)
            if found > _MOST_TERMS:
                break
        return found
    if x.is_Pow and x.exp.is_Integer:
        base, power = _terms(x.base), min(abs(int(x.exp)), _MOST_TERMS)
        return math.comb(base + power - 1, power)
    return 1


def whole(width: int) -> Span:
    """All of R^r."""
    rows = tuple(tuple(S.One if i == j else S.Zero for j in range(width)) for i in range(width))
    return Span(width=width, rows=rows, pivots=tuple(range(width)))
