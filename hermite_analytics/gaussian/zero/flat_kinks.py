"""Kinks whose argument is 0 on an open set by cancellation, written so that rounding cannot open them.

|x| + |y| - |x + y| is 0 where x and y have one sign. Exact rules know that; compiled code finds 1e-17 there,
and its sign is noise. Written with the sign of the argument on each cell, the 0 is a product with 0.
"""

from __future__ import annotations

from collections import Counter

import sympy
from sympy import Expr

from hermite_analytics.gaussian.distribution import expanded
from hermite_analytics.gaussian.zero.null_sets import KinkCell, cells_of
from hermite_analytics.language.kinks import KINKS, by_sign

__all__ = ["with_exact_zeros"]


def with_exact_zeros(expr: Expr) -> Expr:
    """The expression almost surely, its symbols being independent normal variables.

    Kinks are rewritten only where their argument is shown to vanish on an open set, and is a sum whose terms
    need not cancel in floating point.

    Examples
    --------
    >>> from sympy import symbols
    >>> from hermite_analytics.language.functions import step
    >>> x, y = symbols("x y", real=True)
    >>> with_exact_zeros(step(abs(x - 1) + abs(x + 1) - 2))
    sign(x - 1)*sign(x + 1)/2 + 1/2
    >>> with_exact_zeros(step(abs(x) - x))
    step(-x + Abs(x))
    """
    if not expr.has(*KINKS):
        return expr
    arguments = [with_exact_zeros(a) for a in expr.args]
    found = expr if all(a is b for a, b in zip(arguments, expr.args, strict=True)) else expr.func(*arguments)
    if isinstance(found, sympy.Max | sympy.Min) and len(found.args) == 2:
        return _extreme(found)
    if not isinstance(found, KINKS) or isinstance(found, sympy.Max | sympy.Min):
        return found
    exact = _exact_sign(found.args[0])
    return found if exact is None else by_sign(found, exact[0], seen=exact[1])


def _extreme(expr: Expr) -> Expr:
    a, b = expr.args
    exact = _exact_sign(a - b)
    if exact is None:
        return expr
    sign, seen = exact
    return b + (a - b) * sympy.expand(seen + sign if isinstance(expr, sympy.Max) else seen - sign) / 2


def _exact_sign(a: Expr) -> tuple[Expr, Expr] | None:
    """(the sign, its square) of a sum by cells; None where floats find its zeros on open sets too."""
    if not a.is_Add or not a.has(*KINKS):
        return None
    cells = cells_of(a)
    if cells is None or all(not cell.is_zero or _cancels_in_pairs(cell.terms) for cell in cells):
        return None
    open_cells = [c for c in cells if not c.is_zero]
    sign = sympy.Add(*(c.indicator * _sign_on(c) for c in open_cells))
    return sympy.expand(sign), sympy.expand(sympy.Add(*(c.indicator for c in open_cells)))


def _cancels_in_pairs(terms: tuple[Expr, ...]) -> bool:
    """x - x is 0 in floating point; x + y - (x + y) need not be."""
    found = Counter(t for t in terms if t != 0)
    return all(found[t] == found[-t] for t in found)


def _sign_on(cell: KinkCell) -> Expr:
    """A number where the function is a multiple of one that the cell is cut by."""
    value = expanded(sympy.Add(*cell.terms))
    for factor in sympy.Mul.make_args(cell.indicator):
        for cut in factor.atoms(sympy.sign):
            ratio = sympy.cancel(value / cut.args[0])
            if not ratio.free_symbols:
                return sympy.sign(ratio) * sympy.sign(factor.coeff(cut))
    return sympy.sign(value)
