"""Exponents and staircases of what correlates with the label: E[y He_k(z)] and its contractions."""

from __future__ import annotations

from hermite_analytics.exponents.leaps import (
    first_subspace,
    information_exponent,
    intrinsic_dimension,
    isotropic_leap,
    leap_complexity,
    leap_index,
)
from hermite_analytics.exponents.results import Exponent, FirstSubspace, Staircase
from hermite_analytics.exponents.staircases import leap_decomposition, staircase

__all__ = [
    "Exponent",
    "FirstSubspace",
    "Staircase",
    "first_subspace",
    "information_exponent",
    "intrinsic_dimension",
    "isotropic_leap",
    "leap_complexity",
    "leap_decomposition",
    "leap_index",
    "staircase",
]
