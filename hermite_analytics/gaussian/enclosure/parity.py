"""Whether a function under sign flips is even or odd, as far as its structure shows."""

from __future__ import annotations

import math

import sympy
from sympy import Expr, Symbol

from hermite_analytics.language import functions as own
from hermite_analytics.language.functions import record_of

__all__ = ["parity"]


def parity(expr: Expr, *variables: Symbol) -> int:
    """1 if even when all `variables` change sign at once, -1 if odd, 0 if neither is shown.

    Examples
    --------
    >>> from hermite_analytics.symbols import z
    >>> parity(z * sympy.tanh(z), z), parity(sympy.tanh(z) ** 3, z), parity(sympy.tanh(z + 1), z)
    (1, -1, 0)
    """
    if not expr.free_symbols.intersection(variables):
        return 1
    if expr.is_Symbol:
        return -1
    arguments = [parity(a, *variables) for a in expr.args]
    if expr.is_Add:
        return arguments[0] if len(set(arguments)) == 1 else 0
    if expr.is_Mul:
        return math.prod(arguments)
    if isinstance(expr, own.He):
        return _powered(arguments[1], expr.args[0].is_even)
    if all(p == 1 for p in arguments):
        return 1
    if expr.is_Pow and expr.exp.is_Integer and not isinstance(expr, sympy.exp):
        return _powered(arguments[0], expr.exp.is_even)
    return record_of(expr).parity if arguments == [-1] else 0


def _powered(base: int, is_even: bool) -> int:
    """Parity of an even or odd function of something of parity `base`."""
    return base * base if is_even else base
