"""Phrases that several sections of an explanation use."""

from __future__ import annotations

import math
from collections.abc import Sequence

from hermite_analytics.analysis.explanation import Steps
from hermite_analytics.argument import Fact, Facts
from hermite_analytics.argument.fact import joined, sentence_of
from hermite_analytics.argument.formulas import decimal_latex, formula
from hermite_analytics.argument.sentences import Math, Paragraph, said
from hermite_analytics.argument.steps import EmptyOrder, NoFurther, NoOther, WholeSpace, unlocking
from hermite_analytics.evidence import Evidence, Quantity
from hermite_analytics.exponents import Exponent, Staircase
from hermite_analytics.language import display

__all__ = [
    "climb",
    "digits_of",
    "ending",
    "exponent_math",
    "is_open",
    "label_facts",
    "number_math",
    "sentence",
    "subspace",
    "words",
]

_MOST_LIMITS = 3


def number_math(q: Quantity) -> Math:
    """A number: closed form and digits, or digits with their error."""
    if math.isnan(q.value):
        return Math("unknown", r"\text{unknown}")
    if q.is_infinite:
        sign = "-" if q.value < 0 else ""
        return Math(f"{sign}infinity", rf"{sign}\infty")
    if q.exact is not None and q.closed_text is not None:
        closed = formula(q.exact, display.text(q.exact))
        if q.exact.is_Rational:
            return closed
        digits = q.decimal
        return Math(f"{closed.text} = {digits}...", rf"{closed.latex} = {decimal_latex(digits)}\ldots")
    value, error = digits_of(q), f"{q.error:.1g}"
    return Math(f"{value} ± {error}", rf"{decimal_latex(value)} \pm {decimal_latex(error)}")


def digits_of(q: Quantity) -> str:
    """As many digits as the error leaves, and one more.

    Examples
    --------
    >>> digits_of(Quantity(exact=None, value=0.68785345007, error=6e-10, evidence=Evidence.ESTIMATED,
    ...                    zero=None, reason=""))
    '0.6878534501'
    """
    if q.value == 0 or q.error == 0:
        return f"{q.value:.15g}"
    return f"{q.value:.{min(max(math.ceil(math.log10(abs(q.value) / q.error)), 1), 15)}g}"


def exponent_math(name: str, tex: str, e: Exponent) -> Math:
    """ "k* = 2", "k* >= 3", "k* = infinity"."""
    if e.value is None:
        return Math(f"{name} >= {e.at_least}", rf"{tex} \ge {e.at_least}")
    if e.value == "inf":
        return Math(f"{name} = infinity", rf"{tex} = \infty")
    return Math(f"{name} = {e.value}", f"{tex} = {e.value}")


def sentence(facts: Sequence[Fact]) -> Paragraph:
    """Facts as the end of a sentence.

    Examples
    --------
    >>> from hermite_analytics.argument.moments import Moment, power
    >>> from hermite_analytics.argument.sentences import as_text
    >>> as_text(sentence([Moment(degree=2, order=1, transformation=power(1))]))
    'E[He_2(z) T(y)] != 0 with T = y, in entries with 1 index outside the subspace.'
    """
    return said(sentence_of(facts), ".")


def words(text: str) -> Paragraph:
    """The text of a refusal or of an error as the end of a sentence."""
    return (text.rstrip("."), ".")


def subspace(t: int, letter: str = "U") -> Math:
    """U_t."""
    return Math(f"{letter}_{t}", f"{letter}_{{{t}}}")


def label_facts(facts: Facts) -> Paragraph:
    """What gives a generative exponent, and why lower orders show nothing; other directions are left out."""
    return said(sentence(unlocking(facts)), *_lower(facts))


def climb(steps: Staircase) -> Steps:
    """One numbered sentence a step."""
    items = []
    for t, (order, basis, facts) in enumerate(
        zip(steps.orders, steps.subspaces[1:], steps.steps, strict=True)
    ):
        span = basis.span()
        items.append(
            said(
                f"Order {order}: ",
                Math(f"U_{t + 1} = {span.text}", f"U_{{{t + 1}}} = {span.latex}"),
                f", of dimension {basis.dimension}. What unlocks the step: ",
                sentence(unlocking(facts)),
                _others(facts),
                _lower(facts),
            )
        )
    return Steps(tuple(items))


def _others(facts: Facts) -> Paragraph:
    """Why nothing more is learned at a step."""
    limits = [why.sentence() for fact in facts if isinstance(fact, NoOther) for why in fact.because]
    return _listed(" Why nothing else comes with it: ", limits)


def _lower(facts: Facts) -> Paragraph:
    """Why nothing is learned at lower orders."""
    limits: list[Paragraph] = []
    for fact in facts:
        if isinstance(fact, EmptyOrder):
            first, *more = (why.sentence() for why in fact.because)
            limits += [said(f"order {fact.order}: ", first), *more]
    return _listed(" Why no lower order shows it: ", limits)


def _listed(start: str, limits: list[Paragraph]) -> Paragraph:
    if not limits:
        return ()
    more = len(limits) - _MOST_LIMITS
    end = f"; and {more} more of the kind" if more > 0 else ""
    return said(start, joined(limits[:_MOST_LIMITS]), f"{end}.")


def ending(steps: Staircase, whole: int | None) -> Paragraph:
    """Why there is no further step, or what is open."""
    last = subspace(len(steps.orders))
    if steps.limit_dimension is None:
        upto = steps.undecided_up_to_degree
        where = "" if upto is None else f" (coefficients up to degree {upto} were looked at)"
        return said("Whether it goes on after ", last, f" is not decided{where}: ", sentence(steps.end))
    match steps.end:
        case (WholeSpace(dimension=dimension),):
            return said("It ends at ", last, f", the whole space of dimension {dimension}.")
        case (NoFurther(order=order, because=because),):
            left, facts = f", which no step of order {order} leaves", because
        case facts:
            left = ""
    where = f", of dimension {steps.limit_dimension}"
    if whole is not None and steps.limit_dimension < whole:
        return said("It stalls at ", last, f"{where} out of {whole}{left}: ", sentence(facts))
    return said("It ends at ", last, f"{where}: ", sentence(steps.end))


def is_open(evidence: Evidence) -> bool:
    """Whether an answer with this evidence is not decided."""
    return evidence in (Evidence.UNDECIDED, Evidence.ESTIMATED)
