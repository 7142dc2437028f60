"""The functions of the language that sympy lacks, as sympy functions of real arguments.

Each knows its derivative and its value to any precision; none expands itself, so that what a person
typed is what is printed. `OwenT` and the functions of a pair of normals (`Phi2`, `PhiGiven`, `phi2`,
`bell2`) occur only in answers. Those of a pair are continuous up to the correlations +-1, or infinite there.
"""

from __future__ import annotations

from typing import Any

import mpmath
import sympy
from sympy import Expr, Integer, S
from sympy.core.function import ArgumentIndexError

from hermite_analytics.language.normal import OwenT, Phi, RealFunction, phi
from hermite_analytics.language.pair import Phi2, PhiGiven, bell2, phi2

__all__ = [
    "He",
    "OwenT",
    "Phi",
    "Phi2",
    "PhiGiven",
    "bell2",
    "gelu",
    "hermite_polynomial",
    "leaky_relu",
    "phi",
    "phi2",
    "relu",
    "sigmoid",
    "silu",
    "softplus",
    "step",
]


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

    def _value(self, degree: Any, x: Any) -> Any:
        low, high = mpmath.mpf(1), x
        for j in range(1, int(degree)):
            low, high = high, x * high - j * low
        return high

    def _latex(self, printer: Any, exp: str | None = None) -> str:
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


class step(RealFunction):
    """1 for x > 0, else 0 (so step(0) = 0)."""

    nargs = 1

    @classmethod
    def eval(cls, x: Expr) -> Expr | None:
        if x.is_extended_positive:
            return S.One
        if x.is_extended_nonpositive:
            return S.Zero
        return None

    def fdiff(self, argindex: int = 1) -> Expr:
        return S.Zero  # almost everywhere

    def _value(self, x: Any) -> Any:
        return mpmath.mpf(1 if x > 0 else 0)


class relu(RealFunction):
    """max(x, 0)."""

    nargs = 1

    @classmethod
    def eval(cls, x: Expr) -> Expr | None:
        if x.is_extended_nonnegative:
            return x
        return S.Zero if x.is_extended_nonpositive else None

    def fdiff(self, argindex: int = 1) -> Expr:
        return step(self.args[0])

    def _value(self, x: Any) -> Any:
        return max(x, mpmath.mpf(0))


class leaky_relu(RealFunction):
    """x for x > 0, else slope * x; arguments (x, slope)."""

    nargs = 2

    def fdiff(self, argindex: int = 1) -> Expr:
        x, slope = self.args
        return slope + (1 - slope) * step(x) if argindex == 1 else x * (1 - step(x))

    def _value(self, x: Any, slope: Any) -> Any:
        return x if x > 0 else slope * x

    def _latex(self, printer: Any, exp: str | None = None) -> str:
        x, slope = (printer._print(argument) for argument in self.args)
        power = "" if exp is None else f"^{{{exp}}}"
        return rf"\operatorname{{leakyrelu}}{power}\left({x}, {slope}\right)"


class sigmoid(RealFunction):
    """Logistic function 1/(1 + exp(-x))."""

    nargs = 1

    @classmethod
    def eval(cls, x: Expr) -> Expr | None:
        return S.Half if x.is_zero else None

    def fdiff(self, argindex: int = 1) -> Expr:
        return self * (1 - self)

    def _value(self, x: Any) -> Any:
        return 1 / (1 + mpmath.exp(-x))


class softplus(RealFunction):
    """log(1 + exp(x))."""

    nargs = 1

    def fdiff(self, argindex: int = 1) -> Expr:
        return sigmoid(self.args[0])

    def _value(self, x: Any) -> Any:
        return max(x, mpmath.mpf(0)) + mpmath.log1p(mpmath.exp(-abs(x)))


class silu(RealFunction):
    """x * sigmoid(x)."""

    nargs = 1

    def fdiff(self, argindex: int = 1) -> Expr:
        x = self.args[0]
        return sigmoid(x) + x * sigmoid(x) * (1 - sigmoid(x))

    def _value(self, x: Any) -> Any:
        return x / (1 + mpmath.exp(-x))


class gelu(RealFunction):
    """x * Phi(x)."""

    nargs = 1

    def fdiff(self, argindex: int = 1) -> Expr:
        x = self.args[0]
        return Phi(x) + x * phi(x)

    def _value(self, x: Any) -> Any:
        return x * mpmath.ncdf(x)
