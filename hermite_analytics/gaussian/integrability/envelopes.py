"""Upper bounds of the growth of an expression, read off its structure: the quick way to finite moments.

    |f(z)| <= C (1 + |z|)^degree exp(C |z|^power).

With power < 2 every moment of f under a Gaussian is finite. Kinks and bounded functions need no cells here;
what grows like a Gaussian or has a singularity is left to `language.integrability`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import sympy
from sympy import Expr, Rational, S, Symbol

from hermite_analytics.language import functions as own
from hermite_analytics.language.bounds import bounds
from hermite_analytics.language.functions import Growth, functions_where

__all__ = ["BOUNDED", "LINEAR", "Envelope", "envelope", "is_bounded_below"]

BOUNDED = functions_where(lambda r: r.growth is Growth.BOUNDED)
LINEAR = functions_where(lambda r: r.growth is Growth.LINEAR)
_EXPONENTIAL = functions_where(lambda r: r.growth is Growth.EXPONENTIAL and r.function is not sympy.exp)
_LOGARITHM = Rational(1, 8)  # a logarithm grows slower than any power


@dataclass(frozen=True, slots=True)
class Envelope:
    """|f| <= C (1 + |z|)^degree exp(C |z|^power)."""

    power: Expr
    degree: Expr


_CONSTANT = Envelope(S.Zero, S.Zero)


def envelope(expr: Expr, variables: Sequence[Symbol]) -> Envelope | None:
    """An envelope of `expr`, or None where no rule gives one.

    Examples
    --------
    >>> x, y = sympy.symbols("x y", real=True)
    >>> envelope(own.relu(x * y) ** 2 * sympy.tanh(y), (x, y))
    Envelope(power=0, degree=4)
    >>> envelope(sympy.exp(x - sympy.Abs(y)), (x, y))
    Envelope(power=1, degree=0)
    >>> envelope(sympy.exp(x * y / 2), (x, y)) is None
    True
    """
    if not expr.has(*variables):
        return _CONSTANT
    if expr in variables:
        return Envelope(S.Zero, S.One)
    if isinstance(expr, BOUNDED):
        return _CONSTANT
    if isinstance(expr, sympy.exp):
        return _exponential(expr.args[0], variables)
    if isinstance(expr, sympy.Pow):
        return _power(expr.base, expr.exp, variables)
    if isinstance(expr, _EXPONENTIAL):
        return _raised(envelope(expr.args[0], variables))
    if isinstance(expr, own.He):
        inner = envelope(expr.args[1], variables)
        return None if inner is None else Envelope(inner.power, inner.degree * expr.args[0])
    if isinstance(expr, sympy.log):
        return _logarithm(expr.args[0], variables)
    if isinstance(expr, (sympy.Add, sympy.Mul, *LINEAR)):
        return _combined(expr, variables)
    return None


def _combined(expr: Expr, variables: Sequence[Symbol]) -> Envelope | None:
    parts: list[Envelope] = []
    for argument in expr.args:
        part = envelope(argument, variables)
        if part is None:
            return None
        parts.append(part)
    degrees = [p.degree for p in parts]
    degree = sympy.Add(*degrees) if expr.is_Mul else max(degrees)
    return Envelope(max(p.power for p in parts), degree)


def _raised(inner: Envelope | None) -> Envelope | None:
    """exp of something of polynomial growth below 2."""
    if inner is None or inner.power != 0 or inner.degree >= 2:
        return None
    return Envelope(max(inner.degree, S.Zero), S.Zero)


def _exponential(argument: Expr, variables: Sequence[Symbol]) -> Envelope | None:
    """Addends that are bounded above are left out."""
    left = [a for a in sympy.Add.make_args(argument) if not bounds(a)[1].is_finite]
    return _raised(envelope(sympy.Add(*left), variables))


def _power(base: Expr, exponent: Expr, variables: Sequence[Symbol]) -> Envelope | None:
    if exponent.is_Rational and exponent > 0:
        inner = envelope(base, variables)
        return None if inner is None else Envelope(inner.power, inner.degree * exponent)
    if exponent.is_number and exponent.is_negative and is_bounded_below(base, variables):
        return _CONSTANT
    return None


def _logarithm(argument: Expr, variables: Sequence[Symbol]) -> Envelope | None:
    inner = envelope(argument, variables)
    if inner is None or not is_bounded_below(argument, variables):
        return None
    return Envelope(S.Zero, max(inner.power, _LOGARITHM))


def is_bounded_below(expr: Expr, variables: Sequence[Symbol]) -> bool:
    """Whether expr >= some positive constant for all z is read off its structure.

    Examples
    --------
    >>> x = sympy.Symbol("x", real=True)
    >>> is_bounded_below(x**2 + 1, (x,)), is_bounded_below(sympy.exp(-(x**2)), (x,))
    (True, False)
    """
    if bounds(expr)[0].is_extended_positive:
        return True
    free = [a for a in sympy.Add.make_args(expr) if not a.has(*variables)]
    rest = [a for a in sympy.Add.make_args(expr) if a.has(*variables)]
    floor = sympy.Add(*free, *(b for b in (bounds(a)[0] for a in rest) if b.is_finite))
    return bool(floor.is_positive and all(_nonnegative(a) or bounds(a)[0].is_finite for a in rest))


def _nonnegative(expr: Expr) -> bool:
    return bool(expr.is_nonnegative or bounds(expr)[0].is_extended_nonnegative)
