"""Functions of what takes finitely many values, written by these: cos(sign(x)) is cos(1)."""

from __future__ import annotations

import itertools

import sympy
from sympy import Dummy, Expr, S

from hermite_analytics.gaussian.zero.null_sets import is_nonzero
from hermite_analytics.language.kinks import JUMPS, KINKS

__all__ = ["by_values"]

_MOST_JUMPS = 4  # in one argument
_VALUES = {True: (S.NegativeOne, S.One), False: (S.Zero, S.One)}  # of a sign, of a step


def by_values(expr: Expr) -> Expr:
    """The expression almost surely, its symbols being independent normal variables.

    A function without kinks whose argument is free of symbols off signs and steps becomes a polynomial in
    these, with its value at each of theirs:

        F(h) = sum over v of F(h(v)) prod_k 1{s_k = v_k}.

    Arguments of signs that may be 0 on an open set are left alone, and so are values that are not real.

    Examples
    --------
    >>> from sympy import cos, exp, sign, symbols
    >>> from hermite_analytics.language.functions import step
    >>> x, y = symbols("x y", real=True)
    >>> by_values(cos(sign(x * y))), by_values(exp(step(x)) + y), by_values(cos(sign(x) + y))
    (cos(1), y + (-1 + E)*step(x) + 1, cos(y + sign(x)))
    """
    if not expr.args or not expr.has(*JUMPS):
        return expr
    arguments = [by_values(a) for a in expr.args]
    found = expr if all(a is b for a, b in zip(arguments, expr.args, strict=True)) else expr.func(*arguments)
    return _polynomial(found) if isinstance(found, sympy.Function) and not isinstance(found, KINKS) else found


def _polynomial(f: Expr) -> Expr:
    jumps = _outermost_jumps(f)
    letters = {jump: Dummy(real=True) for jump in jumps}
    plain = f.xreplace(letters)
    if plain.free_symbols - set(letters.values()) or not 0 < len(jumps) <= _MOST_JUMPS:
        return f
    if not all(is_nonzero(jump.args[0]) for jump in jumps):
        return f
    total = S.Zero
    for values in itertools.product(*(_VALUES[isinstance(jump, sympy.sign)] for jump in jumps)):
        value = plain.xreplace(dict(zip(letters.values(), values, strict=True)))
        if not (value.is_real and value.is_finite):
            return f
        total += value * sympy.Mul(*map(_indicator, jumps, values))
    return sympy.collect(sympy.expand(total), jumps)


def _outermost_jumps(expr: Expr) -> list[Expr]:
    if isinstance(expr, JUMPS):
        return [expr]
    found = [jump for a in expr.args for jump in _outermost_jumps(a)]
    return list(dict.fromkeys(found))


def _indicator(jump: Expr, value: Expr) -> Expr:
    if isinstance(jump, sympy.sign):
        return (1 + value * jump) / 2
    return jump if value == 1 else 1 - jump
