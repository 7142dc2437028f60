"""The sections of an explanation, in their order."""

from __future__ import annotations

from collections.abc import Callable

from hermite_analytics.analysis.analysis import Analysis
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
from hermite_analytics.analysis.explanation import Section

__all__ = ["SECTIONS"]

SECTIONS: tuple[Callable[[Analysis], Section | None], ...] = (
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
