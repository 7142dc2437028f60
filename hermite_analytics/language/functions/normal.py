"""The normal density and distribution function and Owen's T, as sympy functions of real arguments."""

from __future__ import annotations

from typing import TYPE_CHECKING

import mpmath
import sympy
from sympy import Expr, Rational, S, erf, exp, pi, sqrt

from hermite_analytics.language.functions.real_function import RealFunction
from hermite_analytics.language.functions.record import Growth, Record

if TYPE_CHECKING:
    from sympy.printing.latex import LatexPrinter

__all__ = ["RECORDS", "OwenT", "Phi", "phi"]


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

    def _value(self, x: mpmath.mpf) -> mpmath.mpf:
        return mpmath.exp(-x * x / 2) / mpmath.sqrt(2 * mpmath.pi)

    def _eval_rewrite_as_exp(self, x: Expr, **kwargs: object) -> Expr:
        return exp(-(x**2) / 2) / sqrt(2 * pi)

    def _latex(self, printer: LatexPrinter, exp: str | None = None) -> str:
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

    def _value(self, x: mpmath.mpf) -> mpmath.mpf:
        return mpmath.ncdf(x)

    def _latex(self, printer: LatexPrinter, exp: str | None = None) -> str:
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

    def _value(self, h: mpmath.mpf, a: mpmath.mpf) -> mpmath.mpf:
        if abs(a) <= 1:
            return self._inner(h, a)
        # reflect to |a| < 1, where the integrand is smooth on one panel
        sign, b, k = mpmath.sign(a), abs(a), abs(h)
        product = (mpmath.ncdf(k) - 0.5) * (mpmath.ncdf(b * k) - 0.5)
        return sign * (mpmath.mpf(1) / 4 - product - self._inner(b * k, 1 / b))

    @staticmethod
    def _inner(h: mpmath.mpf, a: mpmath.mpf) -> mpmath.mpf:
        """T(h, a) for |a| <= 1; the factor a stands outside, so that a small a costs no digits."""

        def integrand(u: mpmath.mpf) -> mpmath.mpf:
            t2 = (a * u) ** 2
            return mpmath.exp(-h * h * (1 + t2) / 2) / (1 + t2)

        return a * mpmath.quad(integrand, [0, 1]) / (2 * mpmath.pi)

    def _latex(self, printer: LatexPrinter, exp: str | None = None) -> str:
        h, a = (printer._print(x) for x in self.args)
        power = "" if exp is None else f"^{{{exp}}}"
        return rf"T{power}\left({h}, {a}\right)"


RECORDS = (
    Record(
        function=Phi,
        names=("Phi",),
        elsewhere=("ndtr", "normcdf"),
        code="normal_cdf",
        by_parity=lambda x: S.Half + erf(x / sqrt(2)) / 2,
        elementary=lambda x: S.Half + erf(x / sqrt(2)) / 2,
        low=S.Zero,
        high=S.One,
        is_positive=True,
        is_increasing=True,
        is_strictly_increasing=True,
        growth=Growth.BOUNDED,
        asymptotes=(lambda x: 0, lambda x: 1),
        strip=S.Infinity,
        gaussian_growth=S.Half,
    ),
    Record(
        function=phi,
        names=("phi",),
        elsewhere=("normpdf",),
        code="normal_density",
        definition=lambda x: exp(-(x**2) / 2) / sqrt(2 * pi),
        by_parity=lambda x: exp(-(x**2) / 2) / sqrt(2 * pi),
        parity=1,
        low=S.Zero,
        high=Rational(2, 5),
        is_positive=True,
        growth=Growth.BOUNDED,
        asymptotes=(lambda x: 0, lambda x: 0),
        strip=S.Infinity,
        gaussian_growth=S.Half,
    ),
    Record(function=OwenT, code="owen_t"),
)
