"""Coefficients that show what a step learns: as many slots of them are outside U as the step has of order."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from sympy import Expr, S

from hermite_analytics.argument import Fact, Facts
from hermite_analytics.argument.coefficients import Contraction, Tensor
from hermite_analytics.argument.remarks import remark
from hermite_analytics.exponents.coefficients import Coefficients
from hermite_analytics.exponents.contraction import axes, contract
from hermite_analytics.exponents.spans import Row, Span, complement, extended

__all__ = ["witnesses"]

_MOST_NAMED = 3

Rows = tuple[Row, ...]


def witnesses(
    coefficients: Coefficients, learned: Span, order: int, degree: int, added: tuple[Span, Span]
) -> Facts:
    """What C_n shows to be new beside U: for each direction an entry, the first three of them by name.

    A vector of the first slot that is outside of what was known has an entry along a direction orthogonal to
    that. Where U is spanned by axes the entries are coefficients.

    Parameters
    ----------
    coefficients : Coefficients
    learned : Span
        U.
    order : int
        j, slots that are outside U.
    degree : int
        n >= j.
    added : (Span, Span)
        What was known to be learned before C_n was looked at, and with it.
    """
    known, after = added
    facts: dict[Fact, None] = {}
    outside = axes(complement(learned).rows) if axes(learned.rows) is not None else None
    for vector, others in _slot_vectors(coefficients, learned, order, degree, outside):
        longer, _ = extended(coefficients.numbers, known, [vector])
        if longer.dimension > known.dimension:
            facts[_entry(coefficients, known, vector, others, along_axes=outside is not None)] = None
            known = longer
        if known.dimension == after.dimension or len(facts) == _MOST_NAMED:
            break
    more = after.dimension - known.dimension
    others_too = remark(f"and {more} more direction{'s' * (more > 1)}") if more > 0 and facts else ()
    return (*facts, *others_too) or (Tensor(degree=degree, zero=False),)


def _slot_vectors(
    coefficients: Coefficients, learned: Span, order: int, degree: int, outside: set[int] | None
) -> Iterator[tuple[Row, Rows]]:
    """The vectors C_n[., u.., v..], and what stands in their other slots: j - 1 outside U, the rest in U.

    `outside` are the coordinates outside U, where that is spanned by axes; else None.
    """
    tensor, width = coefficients.tensor(degree), coefficients.width
    unlearned = complement(learned).rows
    if outside is None:
        for outer in itertools.combinations_with_replacement(unlearned, order - 1):
            for inner in itertools.combinations_with_replacement(learned.rows, degree - order):
                rest = tensor
                for row in (*outer, *inner):
                    rest = contract(rest, row)
                yield tuple(rest.get(_counts([i], width), S.Zero) for i in range(width)), (*outer, *inner)
        return
    vectors: dict[tuple[int, ...], dict[int, Expr]] = {}
    for s, x in tensor.items():
        for i in outside if sum(s[i] for i in outside) == order else ():
            if s[i]:
                vectors.setdefault((*s[:i], s[i] - 1, *s[i + 1 :]), {})[i] = x
    for lower, entries in vectors.items():
        others = tuple(_unit(i, width) for i in range(width) for _ in range(lower[i]))
        yield tuple(entries.get(i, S.Zero) for i in range(width)), others


def _entry(coefficients: Coefficients, known: Span, vector: Row, others: Rows, *, along_axes: bool) -> Fact:
    """An entry of the vector that is not 0: a coefficient, or along what is orthogonal to what is known."""
    numbers, width = coefficients.numbers, coefficients.width
    if along_axes:
        places = [next(i for i, x in enumerate(row) if x != 0) for row in others]
        nonzero = [i for i, x in enumerate(vector) if numbers.is_zero(x) is False]
        if nonzero:
            first = min(nonzero, key=lambda i: i in known.pivots)
            return coefficients.witness(_counts([first, *places], width))
    for row in complement(known).rows:
        value = sum((x * a for x, a in zip(vector, row, strict=True)), S.Zero)
        if numbers.is_zero(value) is False:
            shown = tuple(tuple(numbers.entry(x) for x in r) for r in (row, *others))
            return Contraction(rows=shown, value=coefficients.written(value))
    return Tensor(degree=len(others) + 1, zero=False)


def _unit(place: int, width: int) -> Row:
    return tuple(S.One if i == place else S.Zero for i in range(width))


def _counts(places: list[int], width: int) -> tuple[int, ...]:
    return tuple(places.count(i) for i in range(width))
