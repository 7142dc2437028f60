"""The degree of a positively homogeneous function, as its form shows it."""

from __future__ import annotations

from collections.abc import Sequence

import sympy
from sympy import Expr, S, Symbol

from hermite_analytics.gaussian.enclosure.forms import affine_form
from hermite_analytics.language.kinks import JUMPS, KINKS

__all__ = ["homogeneous_degree"]


def homogeneous_degree(
    expr: Expr, variables: tuple[Symbol, ...], block: Sequence[Sequence[Expr]] | None = None
) -> Expr | None:
    """a with f(t w) = t^a f(w) for all t > 0, else None.

    Parameters
    ----------
    expr : sympy expression
    variables : tuple of symbols
    block : rows, or None
        Only the coordinates along these directions are multiplied by t; None for all of them.

    Examples
    --------
    >>> from sympy import symbols
    >>> w = w1, w2 = symbols("w1 w2", real=True)
    >>> homogeneous_degree(w1**2 * sympy.sign(w2) + abs(w1 * w2), w), homogeneous_degree(w1 + w2**2, w)
    (2, None)
    >>> homogeneous_degree(w1**2 * sympy.sign(w2), w, block=[(0, 1)])
    0
    >>> homogeneous_degree(abs(w1 + w2), w, block=[(0, 1)]) is None
    True
    """
    if not expr.free_symbols.intersection(variables):
        return S.Zero
    form = affine_form(expr, variables)
    if form is not None:
        if block is not None and not any(_moves(form[1], row) for row in block):
            return S.Zero
        return S.One if form[0] == 0 and (block is None or _is_within(form[1], block)) else None
    degrees = [homogeneous_degree(a, variables, block) for a in expr.args]
    known = [d for d in degrees if d is not None]
    return _combined(expr, known) if len(known) == len(degrees) else None


def _combined(expr: Expr, degrees: list[Expr]) -> Expr | None:
    """From the degrees of the arguments."""
    if expr.is_Mul:
        return sympy.Add(*degrees)
    if expr.is_Add or isinstance(expr, sympy.Max | sympy.Min):
        beside_zero = {d for a, d in zip(expr.args, degrees, strict=True) if a != 0}
        return beside_zero.pop() if len(beside_zero) == 1 else None
    if expr.is_Pow and not expr.exp.free_symbols:
        return degrees[0] * expr.exp
    if isinstance(expr, JUMPS):
        return S.Zero
    if isinstance(expr, KINKS):  # linear on both sides of 0
        return degrees[0] if all(d == 0 for d in degrees[1:]) else None
    return S.Zero if all(d == 0 for d in degrees) else None


def _is_within(slope: Sequence[Expr], block: Sequence[Sequence[Expr]]) -> bool:
    """Whether a form sees nothing but the block."""
    return int(sympy.Matrix([*map(list, block), list(slope)]).rank()) == len(block)


def _moves(slope: Sequence[Expr], row: Sequence[Expr]) -> bool:
    return bool(sympy.expand(sympy.Add(*(a * b for a, b in zip(slope, row, strict=True)))) != 0)
