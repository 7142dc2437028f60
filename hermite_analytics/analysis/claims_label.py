"""What the label says about z: generative exponent, grand staircase, thresholds, sample complexities."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hermite_analytics.analysis.answers import Answers
from hermite_analytics.analysis.documents import exponent_of, staircase_of, weak_recovery_of
from hermite_analytics.analysis.explanation import Section, Steps
from hermite_analytics.analysis.phrases import (
    climb,
    ending,
    exponent_math,
    label_facts,
    number_math,
    words,
)
from hermite_analytics.argument.fact import line_of
from hermite_analytics.argument.sentences import Math, Paragraph, said
from hermite_analytics.errors import HermiteAnalyticsError

if TYPE_CHECKING:
    from hermite_analytics.label.thresholds import WeakRecovery

__all__ = [
    "complexities_section",
    "generative_section",
    "grand_staircase_section",
    "network_section",
    "weak_recovery_section",
]


def generative_section(a: Answers) -> Section:
    """k*, and how it compares with the isotropic leap."""
    k, isotropic = exponent_of(a, "generative_exponent"), exponent_of(a, "isotropic_leap")
    blocks: list[Paragraph] = [
        said(
            "An algorithm that transforms the labels sees the leaps of ",
            Math("T(y)", "T(y)"),
            " for every transformation. The generative exponent, the largest order of the best "
            "decomposition, is ",
            exponent_math("k*", r"k^{*}", k),
            ": ",
            label_facts(k.facts),
        )
    ]
    if isinstance(k.value, int) and isinstance(isotropic.value, int):
        blocks.append(said(_against(k.value, isotropic.value)))
    return Section("Generative exponent", tuple(blocks))


def _against(k: int, isotropic: int) -> str:
    if k < isotropic:
        return (
            f"It is below the isotropic leap {isotropic}, which only sees the label as it is: a "
            "transformation of the label helps."
        )
    return f"It equals the isotropic leap: no transformation of the label lowers the largest order, {k}."


def grand_staircase_section(a: Answers) -> Section:
    """The decomposition after transformations of the label."""
    steps, whole = staircase_of(a, "grand_staircase"), exponent_of(a, "intrinsic_dimension").value
    blocks: list[Paragraph | Steps] = [
        said(
            "At each step the grand staircase adds all directions of the least order j at which ",
            Math("E[He_j(w) | y, P_U z]", r"\mathbb{E}[\mathrm{He}_j(w) \mid y, P_{U_t} z]"),
            " does not vanish, ",
            Math("w", "w"),
            " the coordinates outside ",
            Math("U_t", "U_t"),
            " and ",
            Math("P_U", "P_U"),
            " the orthogonal projection on ",
            Math("U", "U"),
            ".",
        )
    ]
    if steps.orders:
        blocks.append(climb(steps))
    blocks.append(ending(steps, whole if isinstance(whole, int) else None))
    leap = exponent_of(a, "leap_index").value
    if steps.orders and isinstance(leap, int) and steps.orders[0] < leap:
        blocks.append(
            said(
                f"Its first step has order {steps.orders[0]}, below the leap index {leap}: a transformation "
                "of the label shows directions earlier than the label itself."
            )
        )
    return Section("Grand staircase", tuple(blocks))


def weak_recovery_section(a: Answers) -> Section:
    """Trivial, easy and hard directions, each threshold with its formula."""
    found, reason = weak_recovery_of(a)
    if found is None:
        return Section("Weak recovery", (said("Not known: ", words(reason)),))
    blocks: list[Paragraph | Steps] = [
        said(
            "With ",
            Math("n = alpha d", r"n = \alpha d"),
            f" samples {_count(found.trivial_dimension)} trivial (found at any ",
            Math("alpha > 0", r"\alpha > 0"),
            f"), {_count(found.easy_dimension)} easy (found from some finite ",
            Math("alpha", r"\alpha"),
            f" on) and {_count(found.hard_dimension)} hard (not found by message passing at any ",
            Math("alpha", r"\alpha"),
            ").",
        ),
        said(
            "For a step of order 2 from a known subspace ",
            Math("U", "U"),
            ", with ",
            Math("w", "w"),
            " the coordinates outside it, ",
            Math("G = E[w w^T - 1 | y, P_U z]", r"G = \mathbb{E}[w w^{\top} - I \mid y, P_U z]"),
            " and ",
            Math("F(M) = E[G M G]", r"F(M) = \mathbb{E}[G M G]"),
            " on symmetric matrices, the threshold is ",
            Math("alpha_c = 1/||F||", r"\alpha_c = 1/\lVert F \rVert"),
            "; it is 0 for a step of order 1 and infinite for a higher order. Of several "
            "directions it is that of the most unstable one: others may need more.",
        ),
    ]
    if found.stages:
        blocks.append(Steps(_stages(found)))
    return Section("Weak recovery", tuple(blocks))


def _count(number: int | None) -> str:
    """ "1 direction is", "2 directions are"."""
    if number is None:
        return "an unknown number of directions is"
    return f"{number} direction is" if number == 1 else f"{number} directions are"


def _stages(found: WeakRecovery) -> tuple[Paragraph, ...]:
    stages = []
    for stage in found.stages:
        alpha, facts = stage.alpha_c, stage.facts
        value = number_math(alpha)
        stages.append(
            said(
                f"{_new(stage.dimension)}" + (", none before " if stage.has_followers else ": "),
                Math(f"alpha_c = {value.text}", rf"\alpha_c = {value.latex}"),
                f" ({alpha.evidence}; ",
                line_of(facts),
                ").",
            )
        )
    return tuple(stages)


def _new(dimension: int) -> str:
    return "No new direction" if dimension == 0 else f"{dimension} new direction" + "s" * (dimension > 1)


def complexities_section(a: Answers) -> Section | None:
    """The samples that classes of algorithms need."""
    try:
        rows = a.complexities.rows
    except HermiteAnalyticsError as error:
        return Section("Samples", (said("Not known: ", words(str(error))),))
    items = [
        said(
            f"{row.algorithm}: ",
            row.rate.sentence(),
            ". ",
            _capital_note(row.note),
            f". {_capital(row.status)} ({row.source}).",
        )
        for row in rows
    ]
    return Section("Samples", (Steps(tuple(items)),)) if items else None


def _capital(words: str) -> str:
    """With a capital if they start with a word."""
    return words[0].upper() + words[1:] if words[:2].isalpha() else words


def _capital_note(note: Paragraph) -> Paragraph:
    first = note[0]
    return (_capital(first) if isinstance(first, str) else first, *note[1:])


def network_section(a: Answers) -> Section | None:
    """Whether a network of the given activation learns the steps, of fresh batches and of one batch."""
    if a.activation is None:
        return None
    lines: list[Paragraph] = []
    for name in ("learns", "learns_full_batch"):
        try:
            lines += getattr(a, name).lines()
        except HermiteAnalyticsError as error:
            lines.append((str(error),))
    return Section(f"Network with activation {a.activation}", tuple(lines))
