"""Lower and upper bounds of an expression of real symbols, read off its structure.

Used to show that the argument of a logarithm, a root or a denominator is positive. The answer is a
proof or nothing: a bound that cannot be read off is infinite.
"""

from __future__ import annotations

import sympy
from sympy import Expr, S

from hermite_analytics.language.functions import Domain, functions_where, record_of

__all__ = [
    "POSITIVE",
    "bounds",
    "is_shown_nonnegative",
    "is_shown_positive",
    "is_shown_positive_almost_everywhere",
    "vanishes_on_a_null_set",
]

_UNBOUNDED = (S.NegativeInfinity, S.Infinity)
POSITIVE = functions_where(lambda r: r.is_positive)  # everywhere
_INCREASING = functions_where(lambda r: r.is_increasing)
_INCREASING_IN_ALL = (sympy.Add, sympy.exp, sympy.Max, sympy.Min)  # arguments, the infinite ones too


def bounds(expr: Expr) -> tuple[Expr, Expr]:
    """Return (low, high) with low <= expr <= high for all real values of its symbols.

    Examples
    --------
    >>> from hermite_analytics.language.functions import relu
    >>> from hermite_analytics.symbols import z
    >>> bounds(3 - 2 * sympy.cos(z)), bounds(1 + z**2), bounds(1 - sympy.tanh(z) ** 2)
    ((1, 5), (1, oo), (0, 1))
    >>> bounds(sympy.log(1 + z**2)), bounds(sympy.tanh(relu(z))), bounds((2 + sympy.sin(z)) ** -2)
    ((0, oo), (0, 1), (1/9, 1))
    """
    try:
        return _bounds(expr)
    except (TypeError, ValueError):  # constants that sympy cannot order
        return _UNBOUNDED


def _bounds(expr: Expr) -> tuple[Expr, Expr]:
    if expr.is_number:
        return (expr, expr) if expr.is_extended_real else _UNBOUNDED
    if isinstance(expr, _INCREASING_IN_ALL):
        pairs = [bounds(a) for a in expr.args]
        return expr.func(*(low for low, _ in pairs)), expr.func(*(high for _, high in pairs))
    if isinstance(expr, sympy.Mul):
        factor, rest = expr.as_coeff_Mul()
        low, high = bounds(rest) if factor != 1 else _product_bounds(expr)
        return (factor * low, factor * high) if factor > 0 else (factor * high, factor * low)
    if isinstance(expr, sympy.Pow) and expr.exp.is_Rational:
        return _power_bounds(expr)
    if isinstance(expr, _INCREASING):
        return _increasing_bounds(expr)
    known = record_of(expr)
    return known.low, known.high


def _power_bounds(expr: Expr) -> tuple[Expr, Expr]:
    """Of rational powers of what has one sign, and of even ones."""
    (low, high), power = bounds(expr.base), expr.exp
    if power.is_even and high.is_extended_nonpositive:
        low, high = -high, -low
    if power.is_negative and low.is_extended_positive:
        return high**power, low**power
    if power.is_positive and low.is_extended_nonnegative:
        return low**power, high**power
    if power.is_even and power.is_positive:
        return S.Zero, sympy.Max(-low, high) ** power
    known = record_of(expr)
    return known.low, known.high


def _increasing_bounds(expr: Expr) -> tuple[Expr, Expr]:
    """The values at the bounds of the argument, where these are finite."""
    low, high = bounds(expr.args[0])
    known = record_of(expr)
    inside = low.is_finite and (low.is_positive or known.domain is not Domain.POSITIVE)
    return expr.func(low) if inside else known.low, expr.func(high) if high.is_finite else known.high


def _product_bounds(expr: Expr) -> tuple[Expr, Expr]:
    """Bounds of a product of factors that are all non-negative; nothing is claimed of others."""
    pairs = [bounds(a) for a in expr.args]
    if any(low.is_extended_nonnegative is not True for low, _ in pairs):
        return _UNBOUNDED
    high = S.Infinity if any(h.is_infinite for _, h in pairs) else sympy.Mul(*(h for _, h in pairs))
    return sympy.Mul(*(low for low, _ in pairs)), high


def is_shown_positive(expr: Expr) -> bool:
    """Whether expr > 0 for all real values of its symbols can be read off its structure."""
    if expr.is_positive:
        return True
    low = bounds(expr)[0]
    return bool(low.is_extended_positive)


def is_shown_nonnegative(expr: Expr) -> bool:
    """Whether expr >= 0 for all real values of its symbols can be read off its structure."""
    return bool(expr.is_nonnegative or bounds(expr)[0].is_extended_nonnegative)


def is_shown_positive_almost_everywhere(expr: Expr) -> bool:
    """Whether it can be read off the structure that expr >= 0 everywhere, and 0 on a null set only.

    Examples
    --------
    >>> from hermite_analytics.language.functions import relu
    >>> from hermite_analytics.symbols import z
    >>> [is_shown_positive_almost_everywhere(f) for f in (z**2, sympy.Abs(sympy.tanh(z)), relu(z), z)]
    [True, True, False, False]
    """
    return is_shown_positive(expr) or (is_shown_nonnegative(expr) and vanishes_on_a_null_set(expr))


def vanishes_on_a_null_set(expr: Expr) -> bool:
    """Whether it can be read off the structure that it is 0 on a null set only; symbols are variables."""
    if expr.free_symbols and expr.is_polynomial(*expr.free_symbols):
        return bool(sympy.Poly(expr, *expr.free_symbols) != 0)
    if expr.is_Mul:
        return all(vanishes_on_a_null_set(a) for a in expr.args)
    if expr.is_Add:  # at least as large as one of its addends
        return all(map(is_shown_nonnegative, expr.args)) and any(map(vanishes_on_a_null_set, expr.args))
    if expr.is_Pow and expr.exp.is_Rational and expr.exp.is_positive:
        return vanishes_on_a_null_set(expr.base)
    if record_of(expr).vanishes_at_zero_alone:
        return vanishes_on_a_null_set(expr.args[0])
    return is_shown_positive(expr) or is_shown_positive(-expr)
