"""Nested largest and smallest values in one form: the largest of smallest ones, none of them superfluous."""

from __future__ import annotations

import itertools

import sympy
from sympy import Expr

__all__ = ["flat_extremes"]

_MOST = 24  # smallest values in one form

Clauses = frozenset[frozenset[Expr]]  # the largest of the smallest values of these


def flat_extremes(expr: Expr) -> Expr:
    """The same function; two labels that the laws of max and min alone make equal become the same.

    A form that would be too long stays as it is.

    Examples
    --------
    >>> a, b, c = sympy.symbols("a b c", real=True)
    >>> flat_extremes(sympy.Max(sympy.Min(a, b), sympy.Min(sympy.Max(a, b), c)))
    Max(Min(a, b), Min(a, c), Min(b, c))
    """
    if not expr.args or not expr.has(sympy.Max, sympy.Min):
        return expr
    if not isinstance(expr, sympy.Max | sympy.Min):
        return expr.func(*(flat_extremes(a) for a in expr.args))
    if not any(a.has(sympy.Max, sympy.Min) for a in expr.args):
        return expr
    clauses = _clauses(expr)
    if clauses is None:
        return expr
    return sympy.Max(*(sympy.Min(*clause) for clause in clauses))


def _clauses(expr: Expr) -> Clauses | None:
    """None where they are too many."""
    if not isinstance(expr, sympy.Max | sympy.Min):
        return frozenset([frozenset([flat_extremes(expr)])])
    parts = [_clauses(a) for a in expr.args]
    found: Clauses = frozenset() if isinstance(expr, sympy.Max) else frozenset([frozenset()])
    for part in parts:
        if part is None:
            return None
        if isinstance(expr, sympy.Max):
            found = found | part
        else:
            found = frozenset(a | b for a, b in itertools.product(found, part))
        found = frozenset(c for c in found if not any(other < c for other in found))
        if len(found) > _MOST:
            return None
    return found
