"""Functions of a pair of standard normals of correlation rho; they occur only in answers.

Each is continuous up to rho = +-1, or infinite there: what would divide by sqrt(1 - rho^2) knows its limit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import mpmath
import sympy
from sympy import Expr, Rational, S, exp, pi, sqrt

from hermite_analytics.language.functions.normal import Phi, phi
from hermite_analytics.language.functions.real_function import RealFunction
from hermite_analytics.language.functions.record import Record

if TYPE_CHECKING:
    from sympy.printing.latex import LatexPrinter

__all__ = ["RECORDS", "Phi2", "PhiGiven", "bell2", "phi2"]

_NEAR_AN_END = 0.99


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
        if argindex == 3:
            return phi2(h, k, rho)
        x, y = (h, k) if argindex == 1 else (k, h)
        return phi(x) * PhiGiven(y, x, rho)

    def _value(self, h: mpmath.mpf, k: mpmath.mpf, rho: mpmath.mpf) -> mpmath.mpf:
        """Plackett's formula, from the correlation 0, or from +-1 where that is near."""
        if abs(rho) <= _NEAR_AN_END:
            return mpmath.ncdf(h) * mpmath.ncdf(k) + _strip(h, k, mpmath.asin(rho))
        side = mpmath.sign(rho)
        end = mpmath.ncdf(min(h, k)) if side > 0 else max(mpmath.mpf(0), mpmath.ncdf(h) - mpmath.ncdf(-k))
        return max(mpmath.mpf(0), end - side * _strip_at_end(h, side * k, 1 - abs(rho)))

    def _latex(self, printer: LatexPrinter, exp: str | None = None) -> str:
        h, k, rho = (printer._print(x) for x in self.args)
        power = "" if exp is None else f"^{{{exp}}}"
        return rf"\Phi_2{power}\left({h}, {k}; {rho}\right)"


def _strip(h: mpmath.mpf, k: mpmath.mpf, end: mpmath.mpf) -> mpmath.mpf:
    """The density over the correlations sin t between 0 and `end`."""

    def integrand(t: mpmath.mpf) -> mpmath.mpf:
        return mpmath.exp(-(h * h + k * k - 2 * h * k * mpmath.sin(t)) / (2 * mpmath.cos(t) ** 2))

    return mpmath.quad(integrand, [0, end]) / (2 * mpmath.pi)


def _strip_at_end(h: mpmath.mpf, k: mpmath.mpf, rest: mpmath.mpf) -> mpmath.mpf:
    """The density over the correlations cos t between 1 - rest and 1, which keeps the digits of `rest`."""

    def integrand(t: mpmath.mpf) -> mpmath.mpf:
        gap = (h - k) ** 2 / (2 * mpmath.sin(t) ** 2) if h != k else 0
        return mpmath.exp(-gap - h * k / (1 + mpmath.cos(t)))

    width = 2 * mpmath.asin(mpmath.sqrt(rest / 2))
    edges = [width * share for share in (0, mpmath.mpf(1) / 64, mpmath.mpf(1) / 16, mpmath.mpf(1) / 4, 1)]
    return mpmath.quad(integrand, edges) / (2 * mpmath.pi) if rest else mpmath.mpf(0)


def _limit(numerator: mpmath.mpf) -> mpmath.mpf:
    """Phi(numerator/0)."""
    return mpmath.mpf(1 + mpmath.sign(numerator)) / 2


class PhiGiven(RealFunction):
    """P(Y <= k | X = h) = Phi((k - rho h)/sqrt(1 - rho^2)) for standard normals of correlation rho.

    At rho = +-1 its limits: 0, 1, or 1/2 where k = rho h.
    """

    nargs = 3

    @classmethod
    def eval(cls, k: Expr, h: Expr, rho: Expr) -> Expr | None:
        if h.is_zero and k.is_zero:
            return S.Half
        if rho in (S.One, S.NegativeOne):
            side = sympy.sign(k - rho * h)
            return (1 + side) / 2 if side.is_number else None
        if k.could_extract_minus_sign() or (k.is_zero and h.could_extract_minus_sign()):
            return 1 - cls(-k, -h, rho)
        return Phi((k - rho * h) / sqrt(1 - rho**2)) if rho.is_Rational else None

    def fdiff(self, argindex: int = 1) -> Expr:
        k, h, rho = self.args
        square = (1 - rho) * (1 + rho)
        bell = bell2(h, k, rho) * exp(h**2 / 2) / sqrt(2 * pi)
        factor = {1: S.One, 2: -rho, 3: (rho * k - h) / square}[argindex]
        return factor * bell / sqrt(square)

    def _value(self, k: mpmath.mpf, h: mpmath.mpf, rho: mpmath.mpf) -> mpmath.mpf:
        square = (1 - rho) * (1 + rho)
        return mpmath.ncdf((k - rho * h) / mpmath.sqrt(square)) if square else _limit(k - rho * h)

    def _latex(self, printer: LatexPrinter, exp: str | None = None) -> str:
        k, h, rho = (printer._print(x) for x in self.args)
        power = "" if exp is None else f"^{{{exp}}}"
        return rf"\Phi{power}\left({k} \mid {h}; {rho}\right)"


class bell2(RealFunction):
    """exp(-(h^2 - 2 rho h k + k^2)/(2 (1 - rho^2))): the density of a pair without its factor.

    At rho = +-1 its limits: exp(-h^2/2) where k = rho h, else 0.
    """

    nargs = 3

    @classmethod
    def eval(cls, h: Expr, k: Expr, rho: Expr) -> Expr | None:
        if h.is_zero and k.is_zero:
            return S.One
        if rho in (S.One, S.NegativeOne):
            return exp(-(h**2) / 2) if (k - rho * h).is_zero else None
        if rho.is_Rational:
            return exp(-(h**2 - 2 * rho * h * k + k**2) / (2 * (1 - rho**2)))
        first, second = _ordered(h, k)
        return None if (first, second) == (h, k) else cls(first, second, rho)

    def fdiff(self, argindex: int = 1) -> Expr:
        h, k, rho = self.args
        square = (1 - rho) * (1 + rho)
        if argindex == 3:
            return (h - rho * k) * (k - rho * h) / square**2 * self
        x, y = (h, k) if argindex == 1 else (k, h)
        return (rho * y - x) / square * self

    def _value(self, h: mpmath.mpf, k: mpmath.mpf, rho: mpmath.mpf) -> mpmath.mpf:
        square = (1 - rho) * (1 + rho)
        if not square:
            return mpmath.exp(-h * h / 2) if k == rho * h else mpmath.mpf(0)
        return mpmath.exp(-(h * h - 2 * rho * h * k + k * k) / (2 * square))

    def _latex(self, printer: LatexPrinter, exp: str | None = None) -> str:
        h, k, rho = (printer._print(x) for x in self.args)
        power = "" if exp is None else f"^{{{exp}}}"
        return rf"b{power}\left({h}, {k}; {rho}\right)"


def _ordered(h: Expr, k: Expr) -> tuple[Expr, Expr]:
    """The way to write a point of which four have the same density."""
    points = [(h, k), (k, h), (-h, -k), (-k, -h)]
    return min(points, key=lambda p: [(x.could_extract_minus_sign(), x.sort_key()) for x in p])


class phi2(RealFunction):
    """Density at (h, k) of a pair of standard normals of correlation rho: bell2/(2 pi sqrt(1 - rho^2)).

    At rho = +-1 infinite where k = rho h, else 0.
    """

    nargs = 3

    @classmethod
    def eval(cls, h: Expr, k: Expr, rho: Expr) -> Expr | None:
        if rho in (S.One, S.NegativeOne):
            return S.Infinity if (k - rho * h).is_zero else None
        if rho.is_Rational:
            return bell2(h, k, rho) / (2 * pi * sqrt(1 - rho**2))
        first, second = _ordered(h, k)
        return None if (first, second) == (h, k) else cls(first, second, rho)

    def fdiff(self, argindex: int = 1) -> Expr:
        h, k, rho = self.args
        square = (1 - rho) * (1 + rho)
        if argindex == 3:
            return ((h - rho * k) * (k - rho * h) / square**2 + rho / square) * self
        x, y = (h, k) if argindex == 1 else (k, h)
        return (rho * y - x) / square * self

    def _value(self, h: mpmath.mpf, k: mpmath.mpf, rho: mpmath.mpf) -> mpmath.mpf:
        square = (1 - rho) * (1 + rho)
        if not square:
            return mpmath.inf if k == rho * h else mpmath.mpf(0)
        exponent = (h * h - 2 * rho * h * k + k * k) / (2 * square)
        return mpmath.exp(-exponent) / (2 * mpmath.pi * mpmath.sqrt(square))

    def _latex(self, printer: LatexPrinter, exp: str | None = None) -> str:
        h, k, rho = (printer._print(x) for x in self.args)
        power = "" if exp is None else f"^{{{exp}}}"
        return rf"\varphi_2{power}\left({h}, {k}; {rho}\right)"


RECORDS = (
    Record(function=Phi2, code="normal_pair_cdf"),
    Record(function=PhiGiven, code="normal_given_cdf"),
    Record(function=bell2, code="pair_bell"),
    Record(function=phi2, code="normal_pair_density"),
)
