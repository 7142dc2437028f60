"""Rigorous enclosures of closed forms and of Gaussian expectations, as python-flint balls.

Every ball contains the number it stands for: rounding, discretisation and truncation errors are bounded, and
what cannot be bounded is refused.
"""

from __future__ import annotations

from hermite_analytics.enclosure.budget import Budget, BudgetExhausted
from hermite_analytics.enclosure.coefficients import enclose_coefficients
from hermite_analytics.enclosure.constants import ball_of
from hermite_analytics.enclosure.decide import separate_from_zero
from hermite_analytics.enclosure.expectation import enclose

__all__ = [
    "Budget",
    "BudgetExhausted",
    "ball_of",
    "enclose",
    "enclose_coefficients",
    "separate_from_zero",
]
