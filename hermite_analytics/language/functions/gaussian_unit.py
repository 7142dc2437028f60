"""gelu, the mean of a step of normal noise times its argument."""

from __future__ import annotations

import mpmath
from sympy import Expr, Rational, S, erf, sqrt

from hermite_analytics.language.functions.normal import Phi, phi
from hermite_analytics.language.functions.real_function import RealFunction
from hermite_analytics.language.functions.record import Growth, Record

__all__ = ["RECORDS", "gelu"]


class gelu(RealFunction):
    """x * Phi(x)."""

    nargs = 1

    def fdiff(self, argindex: int = 1) -> Expr:
        x = self.args[0]
        return Phi(x) + x * phi(x)

    def _value(self, x: mpmath.mpf) -> mpmath.mpf:
        return x * mpmath.ncdf(x)


RECORDS = (
    Record(
        function=gelu,
        names=("gelu",),
        definition=lambda x: x * Phi(x),
        by_parity=lambda x: x / 2 + x * erf(x / sqrt(2)) / 2,
        elementary=lambda x: x * (1 + erf(x / sqrt(2))) / 2,
        low=Rational(-17, 100),  # its minimum is -0.16997...
        has_sign_of_argument=True,
        vanishes_at_zero_alone=True,
        growth=Growth.LINEAR,
        asymptotes=(lambda x: 0, lambda x: x),
        strip=S.Infinity,
        gaussian_growth=S.Half,
    ),
)
