"""Coefficients that show what a step learns: as many slots of them are outside U as the step has of order."""

from __future__ import annotations

from sympy import S

from hermite_analytics.argument import Fact, Facts
from hermite_analytics.argument.coefficients import Contraction, Tensor
from hermite_analytics.argument.remarks import remark
from hermite_analytics.exponents.coefficients import Coefficients
from hermite_analytics.exponents.contraction import Slot, named_slots
from hermite_analytics.exponents.spans import Span, complement, extended

__all__ = ["witnesses"]

_MOST_NAMED = 3


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
    tensor, unlearned = coefficients.tensor(degree), complement(learned).rows
    for slot in named_slots(tensor, learned.rows, unlearned, order):
        longer, _ = extended(coefficients.numbers, known, [slot.vector])
        if longer.dimension > known.dimension:
            facts[_entry(coefficients, known, slot)] = None
            known = longer
        if known.dimension == after.dimension or len(facts) == _MOST_NAMED:
            break
    more = after.dimension - known.dimension
    others = remark(f"and {more} more direction{'s' * (more > 1)}") if more > 0 and facts else ()
    return (*facts, *others) or (Tensor(degree=degree, zero=False),)


def _entry(coefficients: Coefficients, known: Span, slot: Slot) -> Fact:
    """An entry of the vector that is not 0: a coefficient, or along what is orthogonal to what is known."""
    numbers, vector, index = coefficients.numbers, slot.vector, slot.index
    if index is not None:
        nonzero = [i for i, x in enumerate(vector) if numbers.is_zero(x) is False]
        if nonzero:
            i = min(nonzero, key=lambda i: i in known.pivots)
            return coefficients.witness((*index[:i], index[i] + 1, *index[i + 1 :]))
        return Tensor(degree=sum(index) + 1, zero=False)
    for row in complement(known).rows:
        value = sum((x * a for x, a in zip(vector, row, strict=True)), S.Zero)
        if numbers.is_zero(value) is False:
            shown = tuple(tuple(numbers.entry(x) for x in r) for r in (row, *slot.rows))
            return Contraction(rows=shown, value=coefficients.written(value))
    return Tensor(degree=len(slot.rows) + 1, zero=False)
