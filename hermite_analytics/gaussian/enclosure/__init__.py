"""Rigorous enclosures of closed forms and of Gaussian expectations, as python-flint balls.

Every ball contains the number it stands for: rounding, discretisation and truncation errors are bounded, and
what cannot be bounded is refused.
"""

from __future__ import annotations

from hermite_analytics.gaussian.enclosure.boxes import nonzero_coefficients
from hermite_analytics.gaussian.enclosure.coefficients import enclose_coefficients
from hermite_analytics.gaussian.enclosure.constants import ball_of
from hermite_analytics.gaussian.enclosure.decide import separate_from_zero
from hermite_analytics.gaussian.enclosure.expectation import enclose

__all__ = [
    "ball_of",
    "enclose",
    "enclose_coefficients",
    "nonzero_coefficients",
    "separate_from_zero",
]
