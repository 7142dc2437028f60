"""The functions of the language that sympy lacks, as sympy functions of real arguments.

Each knows its derivative and its value to any precision; none expands itself, so that what a person
typed is what is printed. `Phi2` and `OwenT` occur only in answers.
"""

from __future__ import annotations

from typing import Any

import mpmath
import sympy
from sympy import Expr, Function, Integer, Rational, S, exp, pi, sqrt
from sympy.core.function import ArgumentIndexError

__all__ = [
    "He",
    "OwenT",
    "Phi",
    "Phi2",
    "gelu",
    "hermite_polynomial",
    "leaky_relu",
    "phi",
    "relu",
    "sigmoid",
    "silu",
    "softplus",
    "step",
]


class RealFunction(Function):  # type: ignore[misc]
    """A real function of real arguments whose value to any precision is `_value`."""

    is_commutative = True

    def _eval_is_extended_real(self) -> bool | None:
        return True if all(a.is_extended_real for a in self.args) else None

    def _value(self, *arguments: Any) -> Any:
        raise NotImplementedError

    def _eval_evalf(self, prec: int) -> Expr | None:
        arguments = [a._eval_evalf(prec + 10) if not a.is_Number else a for a in self.args]
        if any(a is None or not a.is_number or a.is_extended_real is False for a in arguments):
            return None
        with mpmath.workprec(prec + 10):
            # _to_mpmath keeps the working precision: no float64 detour
            values = [mpmath.mpmathify(a._to_mpmath(prec + 10)) for a in arguments]  # integers come as int
            value = self._value(*values)
        return Expr._from_mpmath(value, prec)


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


class phi(RealFunction):
    """Density of N(0, 1)."""

    nargs = 1

    @classmethod
    def eval(cls, x: Expr) -> Expr | None:
        if x.is_zero:
            return 1 / sqrt(2 * pi)
        if x.is_infinite:
            return S.Zero
        return cls(-x) if x.could_extract_minus_sign() else None

    def fdiff(self, argindex: int = 1) -> Expr:
        return -self.args[0] * self

    def _value(self, x: Any) -> Any:
        return mpmath.exp(-x * x / 2) / mpmath.sqrt(2 * mpmath.pi)

    def _eval_rewrite_as_exp(self, x: Expr, **kwargs: Any) -> Expr:
        return exp(-(x**2) / 2) / sqrt(2 * pi)

    def _latex(self, printer: Any, exp: str | None = None) -> str:
        power = "" if exp is None else f"^{{{exp}}}"
        return rf"\varphi{power}\left({printer._print(self.args[0])}\right)"


class Phi(RealFunction):
    """Distribution function of N(0, 1)."""

    nargs = 1

    @classmethod
    def eval(cls, x: Expr) -> Expr | None:
        if x.is_zero:
            return S.Half
        if x is S.Infinity:
            return S.One
        if x is S.NegativeInfinity:
            return S.Zero
        return None

    def fdiff(self, argindex: int = 1) -> Expr:
        return phi(self.args[0])

    def _value(self, x: Any) -> Any:
        return mpmath.ncdf(x)

    def _latex(self, printer: Any, exp: str | None = None) -> str:
        power = "" if exp is None else f"^{{{exp}}}"
        return rf"\Phi{power}\left({printer._print(self.args[0])}\right)"


class OwenT(RealFunction):
    """Owen's T(h, a) = (1/2pi) int_0^a exp(-h^2 (1 + t^2)/2) / (1 + t^2) dt."""

    nargs = 2

    @classmethod
    def eval(cls, h: Expr, a: Expr) -> Expr | None:
        if a.is_zero:
            return S.Zero
        if h.is_zero:
            return sympy.atan(a) / (2 * pi)
        if a is S.Infinity:
            return Phi(-sympy.Abs(h)) / 2
        if a == 1:
            return Phi(h) * Phi(-h) / 2
        if h.could_extract_minus_sign():
            return cls(-h, a)
        if a.could_extract_minus_sign():
            return -cls(h, -a)
        return None

    def fdiff(self, argindex: int = 1) -> Expr:
        h, a = self.args
        if argindex == 1:
            return -phi(h) * (Phi(a * h) - S.Half)
        return phi(h) * phi(a * h) / (1 + a**2)

    def _value(self, h: Any, a: Any) -> Any:
        if abs(a) <= 1:
            return self._inner(h, a)
        # reflect to |a| < 1, where the integrand is smooth on one panel
        sign, b, k = mpmath.sign(a), abs(a), abs(h)
        product = (mpmath.ncdf(k) - 0.5) * (mpmath.ncdf(b * k) - 0.5)
        return sign * (mpmath.mpf(1) / 4 - product - self._inner(b * k, 1 / b))

    @staticmethod
    def _inner(h: Any, a: Any) -> Any:
        """T(h, a) for |a| <= 1; the factor a stands outside, so that a small a costs no digits."""

        def integrand(u: Any) -> Any:
            t2 = (a * u) ** 2
            return mpmath.exp(-h * h * (1 + t2) / 2) / (1 + t2)

        return a * mpmath.quad(integrand, [0, 1]) / (2 * mpmath.pi)

    def _latex(self, printer: Any, exp: str | None = None) -> str:
        h, a = (printer._print(x) for x in self.args)
        power = "" if exp is None else f"^{{{exp}}}"
        return rf"T{power}\left({h}, {a}\right)"


class Phi2(RealFunction):
    """P(X <= h, Y <= k) for standard normals of correlation rho, |rho| <= 1."""

    nargs = 3

    @classmethod
    def eval(cls, h: Expr, k: Expr, rho: Expr) -> Expr | None:
        if rho.is_zero:
            return Phi(h) * Phi(k)
        if h.is_zero and k.is_zero:
            return Rational(1, 4) + sympy.asin(rho) / (2 * pi)
        return None

    def fdiff(self, argindex: int = 1) -> Expr:
        h, k, rho = self.args
        root = sqrt(1 - rho**2)
        if argindex == 3:
            return phi(h) * phi((k - rho * h) / root) / root  # the density of the pair
        x, y = (h, k) if argindex == 1 else (k, h)
        return phi(x) * Phi((y - rho * x) / root)

    def _value(self, h: Any, k: Any, rho: Any) -> Any:
        # Plackett's formula: no case distinctions
        def integrand(t: Any) -> Any:
            return mpmath.exp(-(h * h + k * k - 2 * h * k * mpmath.sin(t)) / (2 * mpmath.cos(t) ** 2))

        if abs(rho) == 1:
            return (
                mpmath.ncdf(min(h, k)) if rho > 0 else max(mpmath.mpf(0), mpmath.ncdf(h) + mpmath.ncdf(k) - 1)
            )
        strip = mpmath.quad(integrand, [0, mpmath.asin(rho)])
        return mpmath.ncdf(h) * mpmath.ncdf(k) + strip / (2 * mpmath.pi)

    def _latex(self, printer: Any, exp: str | None = None) -> str:
        h, k, rho = (printer._print(x) for x in self.args)
        power = "" if exp is None else f"^{{{exp}}}"
        return rf"\Phi_2{power}\left({h}, {k}; {rho}\right)"


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
