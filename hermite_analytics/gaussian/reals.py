"""Exact comparisons and roots of real numbers given as sympy expressions."""

from __future__ import annotations

import functools

import sympy
from sympy import Expr, S, sqrt

from hermite_analytics.errors import UnsupportedExpression
from hermite_analytics.foundation.clock import check_time

__all__ = ["NoClosedForm", "root", "sign_of", "standardised"]

_BITS = (100, 400)


class NoClosedForm(Exception):
    """No rule covers this expectation; the message says which part."""


@functools.lru_cache(maxsize=4096)
def sign_of(x: Expr) -> int | None:
    """-1, 0 or 1 where it is proved, else None.

    A number counts as 0 only if it vanishes by expansion, and has a sign only if a ball excludes 0.
    """
    from hermite_analytics.gaussian.enclosure.constants import ball_of

    if x.is_Rational:
        return int(sympy.sign(x))
    if not x.is_number:
        for known, value in ((x.is_positive, 1), (x.is_negative, -1), (x.is_zero, 0)):
            if known:
                return value
        return None
    check_time()
    if sympy.expand(x) == 0:
        return 0
    for bits in _BITS:
        try:
            ball = ball_of(x, bits)
        except UnsupportedExpression:
            return None
        if not ball.contains(0):
            return 1 if ball > 0 else -1
    return None


@functools.lru_cache(maxsize=4096)
def root(x: Expr) -> Expr:
    """sqrt of a positive number or rational function, numerator and denominator apart."""
    if x.is_Rational:
        return sqrt(x)
    numerator, denominator = sympy.fraction(sympy.cancel(x) if not x.is_number else sympy.together(x))
    return sqrt(numerator) / sqrt(denominator)


def standardised(mean: Expr, variance: Expr) -> tuple[Expr, Expr]:
    """(mean/standard deviation, standard deviation).

    Raises
    ------
    NoClosedForm
        If the variance is a number that is not shown to be positive.
    """
    if variance.is_number and sign_of(variance) != 1:
        raise NoClosedForm("a variance that is not shown to be positive")
    scale = root(variance)
    return (S.Zero if mean == 0 else mean / scale), scale
