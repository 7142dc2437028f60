"""sinc(x) = sin(x)/x, 1 at 0, and its derivatives, the spherical Bessel functions.

Source: Abramowitz and Stegun, 10.1: sinc = j_0, and (2n + 1) j_n' = n j_{n-1} - (n + 1) j_{n+1}.
"""

from __future__ import annotations

import mpmath
import sympy
from sympy import Expr, Integer, Rational, S, cos, sin
from sympy.core.function import ArgumentIndexError

from hermite_analytics.language.functions.real_function import RealFunction
from hermite_analytics.language.functions.record import Growth, Record

__all__ = ["RECORDS", "sinc", "spherical_bessel"]

_SMALLEST = Rational(1, 10**300)  # in place of zero in denominators: the quotients are then right
_TERMS = 24  # of the series of j_n up to n + 1: the next is below 1e-35


class sinc(RealFunction):
    """sin(x)/x, 1 at 0."""

    nargs = 1

    @classmethod
    def eval(cls, x: Expr) -> Expr | None:
        if x.is_zero:
            return S.One
        return cls(-x) if x.could_extract_minus_sign() else None

    def fdiff(self, argindex: int = 1) -> Expr:
        return -spherical_bessel(1, self.args[0])

    def _value(self, x: mpmath.mpf) -> mpmath.mpf:
        return mpmath.sinc(x)


class spherical_bessel(RealFunction):
    """j_n(x), n a positive integer: sqrt(pi/(2 x)) J_{n + 1/2}(x). In derivatives of sinc alone."""

    nargs = 2

    @classmethod
    def eval(cls, order: Expr, x: Expr) -> Expr | None:
        if order == 0:
            return sinc(x)
        if x.is_zero:
            return S.Zero
        return (-1) ** order * cls(order, -x) if x.could_extract_minus_sign() else None

    def fdiff(self, argindex: int = 2) -> Expr:
        if argindex != 2:
            raise ArgumentIndexError(self, argindex)
        n, x = self.args
        return (n * spherical_bessel(n - 1, x) - (n + 1) * spherical_bessel(n + 1, x)) / (2 * n + 1)

    def _value(self, order: mpmath.mpf, x: mpmath.mpf) -> mpmath.mpf:
        n = int(order)
        if abs(x) <= n + 1:
            return mpmath.fsum(a * x ** (n + 2 * k) for k, a in enumerate(_series(n, _TERMS + mpmath.mp.dps)))
        sign = (-1) ** n if x < 0 else 1
        return sign * mpmath.sqrt(mpmath.pi / (2 * abs(x))) * mpmath.besselj(n + mpmath.mpf(1) / 2, abs(x))


def _series(order: int, terms: int) -> list[mpmath.mpf]:
    """The coefficients of x^n, x^(n + 2), ... in j_n."""
    found = [mpmath.mpf(1) / mpmath.fac2(2 * order + 1)]
    for k in range(1, terms):
        found.append(-found[-1] / (2 * k * (2 * order + 2 * k + 1)))
    return found


def _sinc_in_programs(x: Expr) -> Expr:
    size = sympy.Max(abs(x), _SMALLEST)
    return sin(size) / size


def _bessel_in_programs(order: Expr, x: Expr) -> Expr:
    """The series up to n + 1, from there the recurrence j_{n+1} = (2n + 1) j_n/x - j_{n-1}."""
    n, inverse = int(order), x / sympy.Max(x**2, 1)  # finite where the series is taken, too
    low, high = sin(x) * inverse, (sin(x) * inverse - cos(x)) * inverse
    for k in range(1, n):
        low, high = high, (2 * k + 1) * inverse * high - low
    coefficients = [Rational(1, sympy.factorial2(2 * n + 1))]
    for k in range(_TERMS - 1):
        coefficients.append(coefficients[-1] / (-2 * (k + 1) * (2 * n + 2 * k + 3)))
    series = S.Zero
    for a in reversed(coefficients):
        series = a + x**2 * series
    return sympy.Piecewise((x**n * series, x**2 < Integer((n + 1) ** 2)), (high, True))


RECORDS = (
    Record(
        function=sinc,
        names=("sinc",),
        in_programs=_sinc_in_programs,
        elementary=lambda x: sin(x) / x,
        ball="sinc",
        parity=1,
        low=Rational(-218, 1000),  # its minimum is -0.21723...
        high=S.One,
        growth=Growth.BOUNDED,
        asymptotes=(lambda x: 0, lambda x: 0),
        strip=S.Infinity,
        is_wave=True,
    ),
    Record(function=spherical_bessel, in_programs=_bessel_in_programs),
)
