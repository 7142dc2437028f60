"""Roots and fractions: names of texts that become powers and numbers."""

from __future__ import annotations

import sympy
from sympy import Expr

from hermite_analytics.language.functions.record import Domain, Record

__all__ = ["RECORDS"]


def _fraction(numerator: Expr, denominator: Expr) -> str | None:
    whole = numerator.is_Integer and denominator.is_Integer and denominator != 0
    return None if whole else "Rational(a, b) takes two integers, b not zero"


RECORDS = (
    Record(names=("sqrt",), build=sympy.sqrt, domain=Domain.NONNEGATIVE),
    Record(names=("Rational",), is_listed=False, arity=(2, 2), build=sympy.Rational, refuses=_fraction),
)
