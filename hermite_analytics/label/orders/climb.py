"""The greedy generative decomposition: at each step all directions of the least order at which any is new.

A step of order k from U learns the slots of zeta_{k,U}(y, x) = E[He_k(w) | Y = y, z_U = x], w the coordinates
orthogonal to U. Three things are proved of it: that lower orders are empty, that its directions are new
(`moments`), and that no other direction is (`limits`).
"""

from __future__ import annotations

import functools
from dataclasses import dataclass, field, replace

from sympy import Expr

from hermite_analytics.argument import Fact, Facts, text_of
from hermite_analytics.argument.formulas import formula
from hermite_analytics.argument.moments import speaks_of_label
from hermite_analytics.argument.remarks import remark
from hermite_analytics.argument.sentences import Math
from hermite_analytics.argument.steps import EmptyOrder, OpenOrder, WholeSpace
from hermite_analytics.evidence import Evidence
from hermite_analytics.exponents.results import weaker
from hermite_analytics.exponents.spans import Span, whole
from hermite_analytics.foundation.clock import TimeEnded, limited, seconds_allowed, time_of
from hermite_analytics.gaussian.zero.coordinates import coordinate_symmetries
from hermite_analytics.label.orders.engine import Engine
from hermite_analytics.label.orders.turned import turned_label
from hermite_analytics.label.reduction.essential import essential_label, order_of_polynomial
from hermite_analytics.symbols import variable, xi
from hermite_analytics.target import Target

__all__ = ["Climb", "LabelStep", "climb"]

_DEGREES = {1: 8, 2: 6, 3: 5}
_DEGREE = 4
_ABOVE = 2
_MOST_DEGREE = 40
_NOTHING = remark("the label does not depend on ", Math("z", "z"))


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelStep:
    """One step: U afterwards, its order, the proof, and why the orders below are empty."""

    span: Span
    order: int
    facts: Facts
    empty: Facts
    evidence: Evidence


def climb(target: Target, *, max_degree: int | None, first_only: bool = False) -> Climb:
    """The steps of a label. What is decided is remembered: it does not depend on the time that was allowed.

    Parameters
    ----------
    target : Target
    max_degree : int, optional
        Largest degree of the moments; by default 8, 6, 5 for 1, 2, 3 indices, else 4.
    first_only : bool
        Whether later steps are left out.
    """
    question = _Question(
        expression=target.expression,
        dimension=target.dimension,
        max_degree=max_degree,
        first_only=first_only,
        target=target,
    )
    try:
        return _decided(question)
    except _NotDecided as found:
        return found.climb


@dataclass(frozen=True, slots=True, kw_only=True)
class _Question:
    expression: Expr
    dimension: int
    max_degree: int | None
    first_only: bool
    target: Target = field(compare=False)


class _NotDecided(Exception):
    """Keeps a climb that is not decided out of the memory."""

    def __init__(self, found: Climb) -> None:
        super().__init__(text_of(found.end))
        self.climb = found


@functools.lru_cache(maxsize=128)
def _decided(question: _Question) -> Climb:
    found = Climb(question.target, max_degree=question.max_degree, first_only=question.first_only)
    if not (found.is_decided or (question.first_only and found.steps)):
        raise _NotDecided(found)
    return found


class Climb:
    """The steps of one label, as far as they are proved.

    Parameters
    ----------
    target : Target
    max_degree : int, optional
    first_only : bool

    Attributes
    ----------
    steps : list of LabelStep
    is_decided : bool
        Whether it is proved that there are no others.
    end : facts
        Why there are none, or why that is open.
    engine : Engine or None
        To ask further, where it is not decided.
    next_order : int
        If there is a further step, its order is at least this.
    """

    def __init__(self, target: Target, *, max_degree: int | None, first_only: bool = False) -> None:
        label = essential_label(target)
        turned = turned_label(label)
        self._label = label if turned is None else essential_label(turned.target)
        self._turned: Facts = () if turned is None else turned.facts
        self._renamed = self._label.expression != target.expression
        self.width = self._label.dimension
        self._is_default, self._first_only = max_degree is None, first_only
        self.degree = _DEGREES.get(self.width, _DEGREE) if max_degree is None else max_degree
        self.steps: list[LabelStep] = []
        self.end: Facts = ()
        self.is_decided, self.next_order = False, 1
        self.engine: Engine | None = None
        try:
            with limited():
                self._climb(self._label)
        except TimeEnded:
            self.end = remark(time_of(seconds_allowed()))
        for k, s in enumerate(self.steps):
            span = s.span if turned is None else turned.back(s.span)
            self.steps[k] = replace(s, span=span, facts=self.prefaced(s.facts))
        self.end = self.end if self.is_decided else self.prefaced(self.end)

    def prefaced(self, facts: Facts) -> Facts:
        """What is proved of the label as it is looked at, after what its coordinates and its y are."""
        shown = _label_of(self._label) if self._renamed and speaks_of_label(facts) else ()
        return (*self._turned, *shown, *facts)

    @property
    def learned(self) -> Span:
        """What the steps have reached."""
        return self.steps[-1].span if self.steps else Span(width=self.width)

    @property
    def evidence(self) -> Evidence:
        """Of all steps together."""
        return functools.reduce(weaker, (step.evidence for step in self.steps), Evidence.EXACT)

    def _climb(self, label: Target) -> None:
        if not label.expression.free_symbols - {xi}:
            self._ended(_NOTHING)
            return
        theorem = order_of_polynomial(label)
        if theorem is not None:
            order, why = theorem
            self._append(whole(self.width), order, (why,), (), Evidence.EXACT)
            self._ended((WholeSpace(dimension=1),))
            return
        if self._is_default:  # the lowest degree of what is odd in each of many coordinates
            variables = tuple(variable(j + 1) for j in range(self.width))
            odd = coordinate_symmetries(label.expression, variables).odd
            self.degree = min(max(self.degree, len(odd) + _ABOVE), _MOST_DEGREE)
        self.engine = engine = Engine(label, self.degree)
        while not engine.is_everything(self.learned):
            if not self._step(engine):
                return
            if self._first_only:
                self.engine = None
                return
        self._ended(_all_learned(self.learned))

    def _step(self, engine: Engine) -> bool:
        """Append the next step; False where it is not decided."""
        empty: list[Fact] = []
        evidence = Evidence.EXACT
        for order in range(1, self.degree + 1):
            self.next_order = order
            found = engine.at(self.learned, order)
            evidence = weaker(evidence, found.evidence)
            if found.is_empty:
                empty.append(EmptyOrder(order=order, because=found.facts))
                continue
            if found.span is None:
                self.end = (*empty, OpenOrder(order=order, because=found.facts))
                return False
            self._append(found.span, order, found.facts, tuple(empty), evidence)
            return True
        self.next_order = self.degree + 1
        self.end = (*empty, *remark(f"no moments beyond degree {self.degree} were looked at"))
        return False

    def _append(self, span: Span, order: int, facts: Facts, empty: Facts, evidence: Evidence) -> None:
        step = LabelStep(span=span, order=order, facts=facts, empty=empty, evidence=evidence)
        self.steps.append(step)
        self.next_order = 1

    def _ended(self, end: Facts) -> None:
        self.end, self.is_decided = end, True
        self.engine = None  # its tables are not needed any more


def _label_of(label: Target) -> Facts:
    return remark("with ", Math("y", "y"), " for ", formula(label.expression))


def _all_learned(span: Span) -> Facts:
    if span.dimension == 0:
        return _NOTHING
    if span.is_whole:
        return (WholeSpace(dimension=span.width),)
    return remark("the label depends on the learned directions only")
