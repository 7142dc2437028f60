"""The explanation of all answers: its sections, in their order."""

from __future__ import annotations

from collections.abc import Callable

from hermite_analytics.analysis.answers import Answers
from hermite_analytics.analysis.claims_expansion import (
    first_tensor_section,
    function_section,
    moments_section,
)
from hermite_analytics.analysis.claims_label import (
    complexities_section,
    generative_section,
    grand_staircase_section,
    network_section,
    weak_recovery_section,
)
from hermite_analytics.analysis.claims_open import open_section
from hermite_analytics.analysis.claims_steps import leap_section, staircase_section
from hermite_analytics.analysis.documents import document
from hermite_analytics.analysis.explanation import Explanation, Section

__all__ = ["explanation"]

SECTIONS: tuple[Callable[[Answers], Section | None], ...] = (
    function_section,
    moments_section,
    first_tensor_section,
    staircase_section,
    leap_section,
    generative_section,
    grand_staircase_section,
    weak_recovery_section,
    complexities_section,
    network_section,
    open_section,
)


def explanation(a: Answers) -> Explanation:
    """The explanation of an analysis, from all its answers.

    Examples
    --------
    >>> text = explanation(Answers("sign(z1*z2)")).text
    >>> "c_(1, 1) = 2/pi" in text
    True
    """
    document(a)  # computes everything in the order that shares the time best
    sections = [make(a) for make in SECTIONS]
    return Explanation(title=f"The target {a.name}", sections=tuple(s for s in sections if s is not None))
