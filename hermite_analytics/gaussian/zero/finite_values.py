"""Functions of what takes finitely many values, written by these: cos(sign(x)) is cos(1)."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import sympy
from sympy import Dummy, Expr, S

from hermite_analytics.gaussian.zero.null_sets import is_nonzero
from hermite_analytics.language.kinks import JUMPS, KINKS

__all__ = ["by_values"]

_MOST_JUMPS = 4  # in one argument
_MOST_COMPARED = 8
_VALUES = {True: (S.NegativeOne, S.One), False: (S.Zero, S.One)}  # of a sign, of a step


def by_values(expr: Expr) -> Expr:
    """The expression almost surely, its symbols being independent normal variables.

    A function whose argument is free of symbols off signs and steps becomes a polynomial in these, with its
    value at each of theirs:

        F(h) = sum over v of F(h(v)) prod_k 1{s_k = v_k}.

    One with kinks, as the sign of a sum of signs, stays as it is but for signs and steps on which no value
    depends, unless one of them is left. Arguments of signs that may be 0 on an open set are left alone, and
    so are values that are not real.

    Examples
    --------
    >>> from sympy import cos, exp, sign, symbols
    >>> from hermite_analytics.language.functions import step
    >>> x, y = symbols("x y", real=True)
    >>> by_values(cos(sign(x * y))), by_values(exp(step(x)) + y), by_values(cos(sign(x) + y))
    (cos(1), y + (-1 + E)*step(x) + 1, cos(y + sign(x)))
    >>> by_values(abs(sign(x) * sign(y) + 2 * sign(y))), by_values(sign(sign(x) + sign(y)))
    (sign(x) + 2, sign(sign(x) + sign(y)))
    """
    if not expr.args or not expr.has(*JUMPS):
        return expr
    arguments = [by_values(a) for a in expr.args]
    found = expr if all(a is b for a, b in zip(arguments, expr.args, strict=True)) else expr.func(*arguments)
    if not isinstance(found, sympy.Function):
        return found
    if not isinstance(found, KINKS):
        return _polynomial(found, _MOST_JUMPS)
    return _polynomial(_without_idle(found), 1)


def _polynomial(f: Expr, most: int) -> Expr:
    jumps = _jumps_inside(f)
    values = _values_at(f, jumps) if len(jumps) <= most else {}
    if not values or not all(v.is_real and v.is_finite for v in values.values()):
        return f
    total = sum(v * sympy.Mul(*map(_indicator, jumps, at)) for at, v in values.items())
    return sympy.collect(sympy.expand(total), jumps)


def _without_idle(f: Expr) -> Expr:
    """With one value for each sign and step on which f does not depend."""
    jumps = _jumps_inside(f)
    values = _values_at(f, jumps) if 1 < len(jumps) <= _MOST_COMPARED else {}
    if not values:
        return f
    firsts = next(iter(values))
    idle = [
        k
        for k, first in enumerate(firsts)
        if all(v == values[(*at[:k], first, *at[k + 1 :])] for at, v in values.items())
    ]
    letters = [Dummy(real=True) for _ in jumps]  # a jump may stand within another one, too
    left = f.xreplace(dict(zip(jumps, letters, strict=True))).xreplace({letters[k]: firsts[k] for k in idle})
    return left.xreplace(dict(zip(letters, jumps, strict=True)))


def _values_at(f: Expr, jumps: Sequence[Expr]) -> dict[tuple[Expr, ...], Expr]:
    """f by the values of its signs and steps; none where it has other symbols, or a sign may be 0."""
    letters = [Dummy(real=True) for _ in jumps]
    plain = f.xreplace(dict(zip(jumps, letters, strict=True)))
    if not jumps or plain.free_symbols - set(letters) or not all(is_nonzero(jump.args[0]) for jump in jumps):
        return {}
    choices = itertools.product(*(_VALUES[isinstance(jump, sympy.sign)] for jump in jumps))
    return {at: plain.xreplace(dict(zip(letters, at, strict=True))) for at in choices}


def _jumps_inside(f: Expr) -> list[Expr]:
    """The outermost signs and steps in the arguments of a function."""
    return list(dict.fromkeys(jump for a in f.args for jump in _outermost_jumps(a)))


def _outermost_jumps(expr: Expr) -> list[Expr]:
    if isinstance(expr, JUMPS):
        return [expr]
    found = [jump for a in expr.args for jump in _outermost_jumps(a)]
    return list(dict.fromkeys(found))


def _indicator(jump: Expr, value: Expr) -> Expr:
    if isinstance(jump, sympy.sign):
        return (1 + value * jump) / 2
    return jump if value == 1 else 1 - jump
