"""The function itself, its moments, and the first nonzero tensor of its Hermite expansion."""

from __future__ import annotations

import sympy
from sympy import Expr

from hermite_analytics.analysis.answers import Answers
from hermite_analytics.analysis.certificates import vanishing_facts
from hermite_analytics.analysis.documents import exponent_of, first_subspace_of, quantity_of
from hermite_analytics.analysis.explanation import Section, Steps
from hermite_analytics.analysis.phrases import exponent_math, number_math, sentence
from hermite_analytics.argument.coefficients import VanishingTensors
from hermite_analytics.argument.fact import line_of
from hermite_analytics.argument.formulas import formula
from hermite_analytics.argument.sentences import Math, Paragraph, said
from hermite_analytics.errors import HermiteAnalyticsError, UndefinedQuantity
from hermite_analytics.evidence import Evidence, Quantity
from hermite_analytics.exponents import FirstSubspace, leap_index
from hermite_analytics.language import display
from hermite_analytics.symbols import xi
from hermite_analytics.target import Target

__all__ = [
    "first_tensor_section",
    "function_section",
    "has_expansion",
    "moments_section",
]

_MOST_TERMS = 4
_TERM_SECONDS = 1.0
_EVIDENCE = {
    Evidence.EXACT: "in closed form",
    Evidence.PROVED: "by a verified symmetry or a rigorous enclosure",
    Evidence.ESTIMATED: "an estimate, which proves nothing",
    Evidence.UNDECIDED: "not decided",
}


def function_section(a: Answers) -> Section:
    """The function and the directions that it depends on."""
    e = a.target.expression
    left = "y" if e.has(xi) else "y = f(z)"
    paragraphs: list[Paragraph] = [
        said(
            "The label is ",
            Math(f"{left} = {display.text(e)}", f"{left} = {formula(e).latex}"),
            ", where ",
            Math("z", "z"),
            f" has {a.dimension} independent standard Gaussian "
            + ("coordinate." if a.dimension == 1 else "coordinates."),
        )
    ]
    if e.has(xi):
        paragraphs.append(
            said(
                Math("xi", r"\xi"),
                " is independent standard Gaussian label noise. Hermite tensors, leaps and staircases below "
                "are those of ",
                Math("f(z) = E[y | z]", r"f(z) = \mathbb{E}[y \mid z]"),
                "; moments, the generative exponent and the thresholds are those of ",
                Math("y", "y"),
                ".",
            )
        )
    whole = exponent_of(a, "intrinsic_dimension")
    if whole.value is None:
        paragraphs.append(said("How many directions f depends on is not decided: ", sentence(whole.facts)))
    elif whole.value == 0:
        paragraphs.append(said(Math("f", "f"), " does not depend on z: ", sentence(whole.facts)))
    else:
        many = "one direction" if whole.value == 1 else f"{whole.value} directions"
        paragraphs.append(said(Math("f", "f"), f" depends on {many}: ", sentence(whole.facts)))
    return Section("Function", tuple(paragraphs))


def has_expansion(a: Answers) -> bool:
    """Whether E[y | z] has an expansion in L^2; the section on the first tensor says why not."""
    try:
        return bool(a.first_subspace)
    except UndefinedQuantity:
        return False


def moments_section(a: Answers) -> Section:
    """Mean and second moment."""
    first = _moment("E y", r"\mathbb{E}\,y", quantity_of(a, "mean"))
    second = _moment("E y^2", r"\mathbb{E}\,y^2", quantity_of(a, "second_moment"))
    return Section("Moments", (first, second))


def _moment(name: str, tex: str, q: Quantity) -> Paragraph:
    value = number_math(q)
    how = q.reason if q.is_infinite else _EVIDENCE[q.evidence]
    return said(Math(f"{name} = {value.text}", f"{tex} = {value.latex}"), f" ({how}).")


def first_tensor_section(a: Answers) -> Section:
    """The first nonzero tensor, and why those below vanish."""
    found = first_subspace_of(a)
    order = found.order
    if not has_expansion(a):
        return Section("Hermite expansion", (said("There is none: ", sentence(order.facts)),))
    blocks: list[Paragraph | Steps] = [
        said(
            "Let ",
            Math("C_k = E[He_k(z) f(z)]", r"C_k = \mathbb{E}[\mathrm{He}_k(z) f(z)]"),
            ", the symmetric tensor with the entries ",
            Math("c_S = E[He_S(z) f(z)]", r"c_S = \mathbb{E}[\mathrm{He}_S(z) f(z)]"),
            ", ",
            Math("|S| = k", "|S| = k"),
            ".",
        )
    ]
    if order.value == "inf":
        end = "They vanish for all k >= 1, so that information exponent and leap index are infinite: "
        return Section("First nonzero tensor", (*blocks, said(end, sentence(order.facts))))
    if order.value is None:
        return Section("First nonzero tensor", (*blocks, said("Not decided: ", sentence(order.facts))))
    lower = [_vanishing(a, k) for k in range(1, order.value)]
    if lower:
        blocks.append(Steps(tuple(lower)))
    witness = [fact for fact in order.facts if not isinstance(fact, VanishingTensors)]
    blocks.append(
        said(
            Math(f"C_{order.value}", f"C_{{{order.value}}}"),
            " does not vanish: ",
            line_of(witness),
            ". The information exponent and the leap index, equal by definition, are therefore ",
            exponent_math("l", r"\ell", order),
            ".",
        )
    )
    terms = _term_by_term(a, order.value)
    if terms is not None:
        blocks.append(terms)
    blocks.append(_first_span(found, order.value))
    return Section("First nonzero tensor", tuple(blocks))


def _first_span(found: FirstSubspace, order: int) -> Paragraph:
    samples = Math("n ~ d", r"n \sim d") if order == 1 else Math(f"n ~ d^{order}", rf"n \sim d^{{{order}}}")
    step = said("One giant step with ", samples, " samples learns ")
    if found.subspace is None:
        return said(step, "the span of this tensor: ", sentence(found.facts))
    return said(step, "the span of this tensor, ", found.subspace.span(), ".")


def _vanishing(a: Answers, degree: int) -> Paragraph:
    """C_k = 0, with its certificate."""
    name = Math(f"C_{degree} = 0", f"C_{{{degree}}} = 0")
    try:
        return said(name, ": ", sentence(vanishing_facts(a.hermite, degree)))
    except HermiteAnalyticsError:
        return said(name, ".")


def _term_by_term(a: Answers, order: int) -> Paragraph | None:
    """Why the sum has this order and not that of a term alone."""
    leaps = _leaps_of_terms(a.target)
    if len(leaps) < 2:
        return None
    alone: list[Math | str] = []
    for term, leap in leaps:
        alone += [formula(term, display.text(term)), f" has leap index {leap}, "]
    least, most = min(leap for _, leap in leaps), max(leap for _, leap in leaps)
    if least == order:
        end = f"and a sum has no tensor below the smallest of these orders: it is {order}"
        end += f", not {most}." if most > order else "."
    else:
        orders = f"{least} to {order - 1}" if order > least + 1 else f"{least}"
        end = f"but in the sum the tensors of order {orders} cancel."
    return said("Term by term: ", alone, end)


def _leaps_of_terms(target: Target) -> list[tuple[Expr, int]]:
    """(term, its leap index) of each term that is not constant; empty if one is open."""
    terms = [t for t in sympy.Add.make_args(target.expression) if t.free_symbols - {xi}]
    if not 2 <= len(terms) <= _MOST_TERMS or any(t.has(xi) for t in terms):
        return []
    leaps = []
    for term in terms:
        try:
            leap = leap_index(Target(display.text(term)), seconds=_TERM_SECONDS).value
        except HermiteAnalyticsError:
            return []
        if not isinstance(leap, int):
            return []
        leaps.append((term, leap))
    return leaps
