"""Coefficients that show what a step learns: as many slots of them are outside U as the step has of order."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator

from sympy import S

from hermite_analytics.argument import Fact, Facts
from hermite_analytics.argument.coefficients import Contraction, Tensor
from hermite_analytics.argument.remarks import remark
from hermite_analytics.exponents.coefficients import Coefficients
from hermite_analytics.exponents.contraction import axes, contract
from hermite_analytics.exponents.spans import Row, Span, complement

__all__ = ["witnesses"]

_MOST_NAMED = 3

Shown = tuple[Fact, frozenset[int]]


def witnesses(
    coefficients: Coefficients, learned: Span, order: int, degree: int, added: tuple[Span, Span]
) -> Facts:
    """What C_n shows to be new beside U: an entry for each direction, the first three of them by name.

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
    before, after = added
    unlearned = complement(learned).rows
    outside = axes(unlearned)
    if outside is not None and axes(learned.rows) is not None:
        new = {p for p in after.pivots if p not in before.pivots} or outside
        found = _entries(coefficients, order, degree, outside)
    else:
        new = set(range(len(unlearned)))
        found = _contractions(coefficients, learned.rows, unlearned, order, degree)
    facts = _covering(found, new, after.dimension - before.dimension)
    if not facts:
        return (Tensor(degree=degree, zero=False),)
    more = len(facts) - _MOST_NAMED
    return (*facts[:_MOST_NAMED], *(remark(f"and {more} more") if more > 0 else ()))


def _covering(found: Iterable[Shown], new: set[int], most: int) -> list[Fact]:
    """Up to so many facts, each about a direction that those before are not about."""
    facts, left = [], set(new)
    for fact, about in found:
        if about & left:
            facts.append(fact)
            left -= about
        if len(facts) == most or not left:
            break
    return facts


def _entries(coefficients: Coefficients, order: int, degree: int, outside: set[int]) -> Iterator[Shown]:
    """c_S with j slots at these coordinates, that are proved not to be 0."""
    tensor = coefficients.tensor(degree)
    for s, x in tensor.items():
        if sum(s[i] for i in outside) == order and coefficients.numbers.is_zero(x) is False:
            yield coefficients.witness(s), frozenset(i for i in outside if s[i])


def _contractions(
    coefficients: Coefficients, learned: tuple[Row, ...], unlearned: tuple[Row, ...], order: int, degree: int
) -> Iterator[Shown]:
    """The same along the vectors of two bases."""
    numbers = coefficients.numbers
    places = range(len(unlearned))
    for outer in itertools.combinations_with_replacement(places, order):
        for inner in itertools.combinations_with_replacement(learned, degree - order):
            rows = (*(unlearned[i] for i in outer), *inner)
            tensor = coefficients.tensor(degree)
            for row in rows:
                tensor = contract(tensor, row)
            value = tensor.get((0,) * coefficients.width, S.Zero)
            if numbers.is_zero(value) is False:
                shown = tuple(tuple(numbers.entry(x) for x in row) for row in rows)
                yield Contraction(rows=shown, value=coefficients.written(value)), frozenset(outer)
