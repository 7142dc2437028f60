"""Hermite polynomials of probability."""

from __future__ import annotations

from typing import TYPE_CHECKING

import mpmath
import sympy
from sympy import Expr, Integer, S
from sympy.core.function import ArgumentIndexError

from hermite_analytics.language.functions.real_function import RealFunction
from hermite_analytics.language.functions.record import Record

if TYPE_CHECKING:
    from sympy.printing.latex import LatexPrinter

__all__ = ["RECORDS", "He", "hermite_coefficients", "hermite_polynomial"]


class He(RealFunction):
    """Probabilists' Hermite polynomial He_k(x), k a non-negative integer."""

    nargs = 2

    @classmethod
    def eval(cls, degree: Expr, argument: Expr) -> Expr | None:
        if degree == 0:
            return S.One
        if degree == 1:
            return argument
        if argument.is_Rational:
            return hermite_polynomial(int(degree), argument)
        return None

    def fdiff(self, argindex: int = 2) -> Expr:
        if argindex != 2:
            raise ArgumentIndexError(self, argindex)
        k, x = self.args
        return k * He(k - 1, x)

    def _value(self, degree: mpmath.mpf, x: mpmath.mpf) -> mpmath.mpf:
        low, high = mpmath.mpf(1), x
        for j in range(1, int(degree)):
            low, high = high, x * high - j * low
        return high

    def _latex(self, printer: LatexPrinter, exp: str | None = None) -> str:
        k, x = (printer._print(a) for a in self.args)
        power = "" if exp is None else f"^{{{exp}}}"
        return rf"\operatorname{{He}}_{{{k}}}{power}\left({x}\right)"


def hermite_polynomial(degree: int, x: Expr) -> Expr:
    """He_degree(x), expanded in powers of x (x any expression)."""
    coefficients = hermite_coefficients(degree)
    return sympy.Add(*(Integer(a) * x**k for k, a in enumerate(coefficients) if a))


def hermite_coefficients(degree: int) -> list[int]:
    """Integer coefficients a_0..a_degree of He_degree, by the three-term recurrence."""
    low, high = [1], [0, 1]
    if degree == 0:
        return low
    for j in range(1, degree):
        following = [0, *high]
        for k, a in enumerate(low):
            following[k] -= j * a
        low, high = high, following
    return high


RECORDS = (Record(function=He, names=("He",), arity=(2, 2), code="hermite"),)
