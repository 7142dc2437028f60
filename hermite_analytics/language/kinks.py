"""The functions with kinks or jumps, and expressions with a letter in place of each sign."""

from __future__ import annotations

import sympy
from sympy import Dummy, Expr, Symbol

from hermite_analytics.language import functions as own

__all__ = ["KINKS", "opened"]

KINKS = (sympy.sign, sympy.Abs, own.step, own.relu, own.leaky_relu, sympy.Max, sympy.Min)


def opened(expr: Expr, known: dict[Symbol, Expr] | None = None) -> tuple[Expr, dict[Symbol, Expr]]:
    """(the expression with a letter for each sign, the arguments of the signs): smooth where none vanishes.

    Equal to the expression everywhere, each letter being the sign of its argument: 1, 0 or -1. Letters of
    inner kinks stand in the arguments of outer ones, which come later. Letters that are known are used again.

    Examples
    --------
    >>> w = Symbol("w", real=True)
    >>> plain, signs = opened(own.relu(w - 1))
    >>> list(signs.values()), sympy.expand(2 * plain).subs({s: 1 for s in signs})
    ([w - 1], 2*w - 2)
    """
    signs = dict(known or {})
    return _opened(expr, signs), signs


def _opened(expr: Expr, signs: dict[Symbol, Expr]) -> Expr:
    if not expr.args:
        return expr
    a = [_opened(argument, signs) for argument in expr.args]
    if isinstance(expr, sympy.sign):
        return _letter(a[0], signs)
    if isinstance(expr, sympy.Abs):
        return a[0] * _letter(a[0], signs)
    if isinstance(expr, own.step):
        return _step(_letter(a[0], signs), may_be_zero=expr.args[0].has(*KINKS))
    if isinstance(expr, own.relu):
        return a[0] * (1 + _letter(a[0], signs)) / 2
    if isinstance(expr, own.leaky_relu):
        return a[0] * ((1 + a[1]) + (1 - a[1]) * _letter(a[0], signs)) / 2
    if isinstance(expr, sympy.Max | sympy.Min):
        side = 1 if isinstance(expr, sympy.Max) else -1
        best = a[0]
        for other in a[1:]:
            best = (best + other + side * (best - other) * _letter(best - other, signs)) / 2
        return best
    return expr.func(*a)


def _step(letter: Expr, *, may_be_zero: bool) -> Expr:
    """step by the sign: 0 at 0, which matters where a function of kinks is 0 on an open set."""
    return (letter + letter**2) / 2 if may_be_zero else (1 + letter) / 2


def _letter(argument: Expr, signs: dict[Symbol, Expr]) -> Expr:
    if argument.is_number:
        return sympy.sign(argument)
    for letter, known in signs.items():
        if known == argument:
            return letter
        if known == -argument:
            return -letter
    letter = Dummy(f"s{len(signs)}", real=True)
    signs[letter] = argument
    return letter
