"""The honest end of an explanation: what is not decided, and what is an estimate."""

from __future__ import annotations

from hermite_analytics.analysis.answers import Answers
from hermite_analytics.analysis.claims_expansion import has_expansion
from hermite_analytics.analysis.documents import (
    STAIRCASES,
    exponent_of,
    first_subspace_of,
    quantity_of,
    stages_of,
    staircase_of,
    threshold_of,
    weak_recovery_of,
)
from hermite_analytics.analysis.explanation import Section, Steps
from hermite_analytics.analysis.phrases import is_open, number_math, sentence, words
from hermite_analytics.argument.sentences import Paragraph, said
from hermite_analytics.evidence import Quantity

__all__ = ["open_section"]

_TITLE = "What is not decided or not proved"
_OF_EXPANSION = ("information_exponent", "leap_complexity", "isotropic_leap")
_OF_LABEL = ("intrinsic_dimension", "generative_exponent")


def open_section(a: Answers) -> Section:
    """All answers that are undecided or estimated, with their reasons."""
    items = [*_quantities(a), *_exponents(a), *_staircases(a), *_recovery(a)]
    if not has_expansion(a):
        items.insert(0, said("Whatever stands on a Hermite expansion: there is none."))
    if not items:
        return Section(
            _TITLE,
            (
                said(
                    "Nothing about the target: every number and every step above is exact or proved. Each "
                    "count of samples has its own status: theorem, conjecture or lower bound."
                ),
            ),
        )
    return Section(_TITLE, (Steps(tuple(items)),))


def _quantities(a: Answers) -> list[Paragraph]:
    found = [(name, quantity_of(a, name)) for name in ("mean", "second_moment")]
    return [
        _open_number(name.replace("_", " "), q, words(q.reason)) for name, q in found if is_open(q.evidence)
    ]


def _open_number(name: str, q: Quantity, why: Paragraph) -> Paragraph:
    return said(f"The {name}, ", number_math(q), f" ({q.evidence}): ", why)


def _exponents(a: Answers) -> list[Paragraph]:
    items = []
    for name in (*(_OF_EXPANSION if has_expansion(a) else ()), *_OF_LABEL):
        e = exponent_of(a, name)
        if is_open(e.evidence):
            degree = "" if e.degree is None else f", degrees up to {e.degree} looked at"
            items.append(said(f"The {_spoken(name)}, at least {e.at_least}{degree}: ", sentence(e.facts)))
    first = first_subspace_of(a)
    if has_expansion(a) and first.basis is None and not is_open(first.order.evidence):
        items.append(said("The first subspace: ", sentence(first.facts)))
    return items


def _staircases(a: Answers) -> list[Paragraph]:
    names = STAIRCASES if has_expansion(a) else ("grand_staircase",)
    found = [(name, staircase_of(a, name)) for name in names]
    return [
        said(f"The {_spoken(name)}, beyond dimension {s.dimensions[-1]}: ", sentence(s.end))
        for name, s in found
        if is_open(s.evidence)
    ]


def _recovery(a: Answers) -> list[Paragraph]:
    found, reason = weak_recovery_of(a)
    if found is None:
        return [said("Weak recovery: ", words(reason))]
    if not found.stages:
        return [said("Every threshold: ", words(threshold_of(found).reason))]
    return [
        _open_number(f"threshold of stage {number}", alpha, sentence(facts))
        for number, (_, alpha, facts) in enumerate(stages_of(found), 1)
        if is_open(alpha.evidence)
    ]


def _spoken(name: str) -> str:
    return name.replace("_", " ")
