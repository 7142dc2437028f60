"""Expressions that are affine in one symbol, shown by algebra.

A derivative proves nothing of the kind: that of step(x) is 0 almost everywhere, and step(x) is no constant.
"""

from __future__ import annotations

import sympy
from sympy import Expr, S, Symbol

from hermite_analytics.language.shape import expanded_terms

__all__ = ["affine_part", "linear_part"]

_MOST_TERMS = 2000


def affine_part(expr: Expr, symbol: Symbol) -> tuple[Expr, Expr] | None:
    """(rest, slope) with expr = rest + slope * symbol everywhere, the symbol in neither of them, else None.

    Examples
    --------
    >>> x, y = sympy.symbols("x y", real=True)
    >>> affine_part(x * (y + 1) - sympy.sin(x), y)
    (x - sin(x), x)
    """
    if not expr.has(symbol):
        return expr, S.Zero
    found = _separated(expr, symbol)
    if found is not None or expanded_terms(expr) > _MOST_TERMS:
        return found
    terms = (term.expand(deep=False) for term in sympy.Add.make_args(expr))
    return _separated(sympy.Add(*terms), symbol)


def linear_part(expr: Expr, symbol: Symbol) -> tuple[Expr, Expr] | None:
    """The same where the slope is a number.

    Examples
    --------
    >>> x, y = sympy.symbols("x y", real=True)
    >>> linear_part(sympy.sin(x) + 3 * (y + 1), y)
    (sin(x) + 3, 3)
    >>> linear_part(x * y, y) is linear_part(y + sympy.sign(y), y) is None
    True
    """
    found = affine_part(expr, symbol)
    return None if found is None or found[1].free_symbols else found


def _separated(expr: Expr, symbol: Symbol) -> tuple[Expr, Expr] | None:
    rest, part = expr.as_independent(symbol, as_Add=True)
    slope = sympy.Add(*(term / symbol for term in sympy.Add.make_args(part)))
    return None if slope.has(symbol) else (rest, slope)
