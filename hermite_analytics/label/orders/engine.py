"""What one order adds to a learned subspace: moments from below, certificates from above."""

from __future__ import annotations

from dataclasses import dataclass

from hermite_analytics.argument import Fact, Facts
from hermite_analytics.argument.remarks import remark
from hermite_analytics.argument.steps import AtMost, NoOther
from hermite_analytics.evidence import Evidence
from hermite_analytics.exponents.dependence import depends_only_on
from hermite_analytics.exponents.numbers import Numbers
from hermite_analytics.exponents.results import weaker
from hermite_analytics.exponents.spans import Span
from hermite_analytics.foundation.clock import share
from hermite_analytics.label.exact.node import ConditionalLaw
from hermite_analytics.label.orders.limits import Limit, Limits
from hermite_analytics.label.orders.moments import Effort, LabelMoments, Learned
from hermite_analytics.symbols import xi
from hermite_analytics.target import Target

__all__ = ["Engine", "Found"]

_SHARE = 0.5  # of the time left, to prepare the law
_TOO_MANY = remark("its symmetries give too many equations")
_THESE_ONLY = remark("the label depends on these only")


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What is proved of one order.

    Attributes
    ----------
    span : Span or None
        U with all directions of this order; None where these are not decided.
    is_empty : bool
        Whether there are none.
    facts : facts
    evidence : Evidence
    """

    span: Span | None
    is_empty: bool
    facts: Facts
    evidence: Evidence


class Engine:
    """Steps of one label from any subspace.

    Parameters
    ----------
    label : Target
    degree : int
        Largest degree of the moments of the transformed label.
    """

    def __init__(self, label: Target, degree: int) -> None:
        self.law = law = ConditionalLaw(label, seconds=share(_SHARE))
        self.degree = degree
        noise = (xi,) if law.signal.has(xi) else ()
        numbers = Numbers()
        self.moments = LabelMoments(law, noise, degree, numbers)
        self.limits = Limits(law.signal, law.variables, noise, numbers, self.moments.finite)
        self._everything: dict[Span, bool] = {}
        self._is_reduced = False

    def is_everything(self, span: Span) -> bool:
        """Whether it is proved that the label depends on the coordinates in this subspace only."""
        if span not in self._everything:
            self._everything[span] = depends_only_on(self.law.signal, self.law.variables, span)
        return self._everything[span]

    def at(self, learned: Span, order: int) -> Found:
        """All that a step of this order learns from U, in which lower orders are empty."""
        quick = self.limits.by_coordinates(learned, order)
        if quick.span.dimension == learned.dimension:
            return Found(span=None, is_empty=True, facts=quick.facts, evidence=quick.evidence)
        room = min(quick.span.dimension, self.limits.reachable.dimension)
        some = self.moments.step(learned, order, room, effort=Effort.FIRST)
        if some.span.dimension > learned.dimension and self.is_everything(some.span):
            return _all_of(some)
        limit = self.limits.at(learned, order, some.span, some.dimension)
        if limit is None:
            return _open(_TOO_MANY)
        if limit.span.dimension == learned.dimension:
            return Found(span=None, is_empty=True, facts=limit.facts, evidence=limit.evidence)
        for effort in (Effort.QUICK, Effort.THOROUGH):
            found = self._compared(learned, order, limit, effort=effort)
            if found is None and self._is_reachable_reduced():
                limit = self.limits.at(learned, order, some.span, some.dimension) or limit
                found = self._compared(learned, order, limit, effort=effort)
            if found is not None:
                return found
        some = self.moments.step(learned, order, limit.span.dimension, effort=Effort.THOROUGH)
        new, most = some.dimension - learned.dimension, limit.span.dimension - learned.dimension
        return _open((AtMost(proved=new, most=most, because=limit.facts),))

    def stalls(self, learned: Span, order: int) -> Limit | None:
        """Why no step of at most this order leaves U; None where that is not proved."""
        facts: list[Fact] = []
        evidence = Evidence.EXACT
        for k in range(1, order + 1):
            limit = self.limits.at(learned, k)
            if limit is None or limit.span.dimension > learned.dimension:
                return None
            facts += limit.facts
            evidence = weaker(evidence, limit.evidence)
        return Limit(span=learned, facts=tuple(dict.fromkeys(facts)), evidence=evidence)

    def _compared(self, learned: Span, order: int, limit: Limit, *, effort: Effort) -> Found | None:
        """The step where moments fill the bound, or reach all on which the label depends.

        What they show besides may be all that a reflection fixes: then the bound is looked for again.
        """
        some = self.moments.step(learned, order, limit.span.dimension, effort=effort)
        if some.span.dimension > learned.dimension and self.is_everything(some.span):
            return _all_of(some)
        if some.dimension < limit.span.dimension and self.limits.is_mirrored(some.span):
            limit = self.limits.at(learned, order, some.span, some.dimension) or limit
        if some.dimension < limit.span.dimension:
            return None
        span = limit.span if limit.span.is_exact else some.span
        if not span.is_exact or span.dimension < some.dimension:
            return None
        evidence = weaker(some.evidence, limit.evidence)
        facts = (*some.facts, NoOther(because=limit.facts))
        return Found(span=span, is_empty=False, facts=facts, evidence=evidence)

    def _is_reachable_reduced(self) -> bool:
        """Whether the label depends on fewer directions than its affine forms span; looked for once."""
        if self._is_reduced:
            return False
        self._is_reduced = True
        reachable = self.limits.reachable
        most = self.moments.closure(self.degree, reachable.dimension, effort=Effort.QUICK).span
        if most.dimension < reachable.dimension and self.is_everything(most):
            self.limits.reachable = most
            return True
        return False


def _all_of(some: Learned) -> Found:
    facts = (*some.facts, NoOther(because=_THESE_ONLY))
    return Found(span=some.span, is_empty=False, facts=facts, evidence=some.evidence)


def _open(facts: Facts) -> Found:
    return Found(span=None, is_empty=False, facts=facts, evidence=Evidence.UNDECIDED)
