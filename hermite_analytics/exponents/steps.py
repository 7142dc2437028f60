"""One step of a staircase: what is learned at order j once a subspace U is, with the proof.

    U + new_j(U) = U + span over n of the first slot of C_n[perp^j, U^(n-j)]

Nonzero minors prove that directions are new. That there are no others is proved by all coefficients of a
finite expansion, at U = {0} by those of degree j, and else by symmetries that leave no room for more.
"""

from __future__ import annotations

from dataclasses import dataclass

from hermite_analytics.argument import Fact, Facts
from hermite_analytics.argument.coefficients import Tensor
from hermite_analytics.argument.remarks import remark
from hermite_analytics.argument.sentences import Math
from hermite_analytics.argument.steps import NoOther, NothingElse
from hermite_analytics.evidence import Evidence
from hermite_analytics.exponents.bounds import Bound, bounds
from hermite_analytics.exponents.coefficients import Coefficients
from hermite_analytics.exponents.contraction import slots, vectors_of
from hermite_analytics.exponents.dependence import depends_only_on
from hermite_analytics.exponents.spans import Span, complement, extended
from hermite_analytics.exponents.witnesses import witnesses

__all__ = ["Step", "is_everything", "step", "with_gradients"]

_TOO_LONG = remark("the learned basis is too long for exact arithmetic")


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """U + new_j(U), or a proved part of it.

    Attributes
    ----------
    span : Span
        Learned together with U.
    is_complete : bool
        Whether it is proved that nothing else of this order is new.
    is_new : bool
        Whether the span is larger than U.
    degree : int
        The largest degree of the expansion that was looked at.
    evidence : Evidence
        EXACT or PROVED.
    facts : facts
    """

    span: Span
    is_complete: bool
    is_new: bool
    degree: int
    evidence: Evidence
    facts: Facts


def step(coefficients: Coefficients, learned: Span, order: int) -> Step:
    """What is new at this order.

    Parameters
    ----------
    coefficients : Coefficients
    learned : Span
        U, with an exact basis.
    order : int >= 1
        j, the number of slots outside U.
    """
    if learned.dimension == 0:
        return _first(coefficients, learned, order)
    if not learned.is_short:
        return _open(learned, coefficients.reached, _TOO_LONG)
    return _later(coefficients, learned, order)


def is_everything(coefficients: Coefficients, span: Span) -> bool:
    """Whether it is proved that f depends on the coordinates in this subspace only."""
    if span.is_whole:
        return True
    if coefficients.is_finite:
        whole, decided = span, True
        for degree in range(1, coefficients.last + 1):
            whole, fine = with_gradients(coefficients, whole, degree)
            decided = decided and fine
        return decided and whole.dimension == span.dimension
    if not span.is_short:
        return False
    if not span.is_closed:  # such a span holds slots of tensors, and nothing else
        return span.dimension == coefficients.reachable.dimension
    return depends_only_on(coefficients.average, coefficients.variables, span)


def with_gradients(coefficients: Coefficients, span: Span, degree: int) -> tuple[Span, bool]:
    """(the span together with all slots of C_degree, as far as proved; whether all was decided)."""
    if span.is_whole:
        return span, True
    return extended(coefficients.numbers, span, vectors_of(coefficients.tensor(degree), coefficients.width))


def _first(coefficients: Coefficients, nothing: Span, order: int) -> Step:
    """From U = {0}: only C_j has all its slots outside U."""
    if not coefficients.has(order):
        return _open(nothing, order - 1, remark("the time or the largest degree ended before ", _name(order)))
    span, decided = with_gradients(coefficients, nothing, order)
    evidence = coefficients.evidence(order)
    if span.dimension == 0 and decided:
        zero = Tensor(degree=order, zero=True, because=coefficients.why_zero(order))
        return Step(span=span, is_complete=True, is_new=False, degree=order, evidence=evidence, facts=(zero,))
    exact = coefficients.is_finite or (decided and span.is_exact)
    limits = _Limits(coefficients, nothing, order)
    if not exact:
        limits.thorough(span.dimension)
    best = limits.best
    closed = best is not None and best.span.dimension == span.dimension
    if best is not None and closed:
        span, evidence = best.span, Evidence.PROVED
    is_new = span.dimension > 0
    is_open = remark("whether ", Math(f"C_{order} = 0", f"C_{{{order}}} = 0"), " is not decided")
    none = best.facts if best is not None and closed else is_open
    return Step(
        span=span,
        is_complete=decided or closed or span.is_whole,
        is_new=is_new,
        degree=order,
        evidence=evidence,
        facts=witnesses(coefficients, nothing, order, order, (nothing, span)) if is_new else none,
    )


def _later(coefficients: Coefficients, learned: Span, order: int) -> Step:
    """From U != {0}: C_n for all n >= j, until there is no room for more."""
    looked, limits, room = _searched(coefficients, learned, order)
    best, filled = limits.best, looked.span.dimension == room
    known = best is not None and best.span.dimension == looked.span.dimension
    span = best.span if best is not None and known else looked.span
    evidence = coefficients.evidence(looked.degree)
    if not span.is_whole and not coefficients.is_finite:
        evidence = Evidence.PROVED
    because = best.facts if filled and best is not None and not span.is_whole else ()
    if looked.witnesses and because:
        because = (NoOther(because=because),)
    highest = coefficients.last if coefficients.is_finite else coefficients.reached
    return Step(
        span=span,
        is_complete=filled or (coefficients.is_finite and looked.decided),
        is_new=span.dimension > learned.dimension,
        degree=looked.degree,
        evidence=evidence,
        facts=(*looked.witnesses, *because) or (NothingElse(degree=highest),),
    )


def _searched(coefficients: Coefficients, learned: Span, order: int) -> tuple[_Slots, _Limits, int]:
    """(what the coefficients show, the bounds that were asked for, the dimension that they allow)."""
    looked = _Slots(coefficients, learned, order)
    limits = _Limits(coefficients, learned, order)
    room = coefficients.width if coefficients.is_finite else limits.quick()
    if not learned.is_closed:
        room = min(room, coefficients.reachable.dimension)
    looked.climb(room, coefficients.last if coefficients.is_finite else coefficients.at_once(order))
    if looked.span.dimension < room and not coefficients.is_finite:
        room = min(room, limits.thorough(looked.span.dimension))
        looked.climb(room, coefficients.last)
    return looked, limits, room


class _Limits:
    """The smallest bound of a step that was asked for."""

    def __init__(self, coefficients: Coefficients, learned: Span, order: int) -> None:
        self.best: Bound | None = None
        self._learned = learned
        self._following = bounds(coefficients, learned, order)

    def quick(self) -> int:
        """The dimension that the first bound allows."""
        self._take(next(self._following))
        return self._learned.width if self.best is None else self.best.span.dimension

    def thorough(self, least: int) -> int:
        """The dimension that all bounds allow; none is looked at once a dimension that is reached is met."""
        while self.best is None or self.best.span.dimension > least:
            bound = next(self._following, None)
            if bound is None:
                break
            self._take(bound)
        return self._learned.width if self.best is None else self.best.span.dimension

    def _take(self, bound: Bound) -> None:
        if self.best is None or bound.span.dimension < self.best.span.dimension:
            self.best = bound


class _Slots:
    """What the tensors show of a step, degree by degree."""

    def __init__(self, coefficients: Coefficients, learned: Span, order: int) -> None:
        self.span, self.decided, self.degree = learned, True, 0
        self.witnesses: list[Fact] = []
        self._coefficients, self._learned, self._order = coefficients, learned, order
        self._unlearned = complement(learned).rows
        self._next = order

    def climb(self, room: int, last: int) -> None:
        """Up to a degree, or a dimension that cannot be exceeded."""
        coefficients = self._coefficients
        while self._next <= last and self.span.dimension < room and coefficients.has(self._next):
            self.degree = n = self._next
            vectors = slots(coefficients.tensor(n), self._learned.rows, self._unlearned, self._order)
            longer, fine = extended(coefficients.numbers, self.span, vectors)
            if longer.dimension > self.span.dimension:
                added = (self.span, longer)
                self.witnesses += witnesses(coefficients, self._learned, self._order, n, added)
            self.span, self.decided = longer, self.decided and fine
            self._next += 1


def _name(degree: int) -> Math:
    return Math(f"C_{degree}", f"C_{{{degree}}}")


def _open(span: Span, degree: int, facts: Facts) -> Step:
    return Step(
        span=span,
        is_complete=False,
        is_new=False,
        degree=degree,
        evidence=Evidence.UNDECIDED,
        facts=facts,
    )
