"""The floor of a text: of a polynomial as it is, of what lies between bounds as a sum of steps."""

from __future__ import annotations

import sympy
from sympy import Expr

from hermite_analytics.language.bounds import bounds
from hermite_analytics.language.functions import He, floor, hermite_polynomial, record_of, staircase

__all__ = ["floor_of", "floor_refusal"]

_MOST_STEPS = 64


def _is_polynomial(x: Expr) -> bool:
    """Not a constant one, whose value may be an integer everywhere."""
    x = x.replace(He, lambda degree, y: hermite_polynomial(int(degree), y))
    return bool(x.is_polynomial(*x.free_symbols) and sympy.Poly(x, *x.free_symbols).total_degree() > 0)


def floor_of(x: Expr) -> Expr:
    """floor(x) for an argument that is accepted."""
    if not x.free_symbols or _is_polynomial(x):
        return floor(x)
    low, high = _ends(x)
    return staircase(x, low, high)


def _ends(x: Expr) -> tuple[Expr, Expr]:
    """The first and the last integer below; a strictly increasing function takes no bound as its value."""
    low, high = (sympy.floor(end) if end.is_finite else end for end in bounds(x))
    is_open = record_of(x.as_coeff_Add()[1].as_coeff_Mul()[1]).is_strictly_increasing
    return low, high - 1 if is_open and high == bounds(x)[1] else high


def floor_refusal(x: Expr) -> str | None:
    """Why floor(x) is not accepted, or None."""
    if not x.free_symbols or _is_polynomial(x):
        return None
    low, high = _ends(x)
    if low.is_Integer and high.is_Integer and high - low <= _MOST_STEPS:
        return None
    return (
        f"floor is accepted of polynomials, and of what lies between bounds that are seen and at most "
        f"{_MOST_STEPS} apart, such as floor(4*sigmoid(x)); clip the argument"
    )
