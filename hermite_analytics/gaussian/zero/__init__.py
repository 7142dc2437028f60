"""Zero or not, proved: closed forms by algebra and transcendence theorems, coefficients by symmetry."""

from __future__ import annotations

from hermite_analytics.gaussian.zero.constants import ZeroVerdict, decide_constant
from hermite_analytics.gaussian.zero.symmetry import symmetries, symmetry_certificate, vanishing

__all__ = [
    "ZeroVerdict",
    "decide_constant",
    "symmetries",
    "symmetry_certificate",
    "vanishing",
]
