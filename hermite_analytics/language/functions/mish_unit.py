"""mish(x) = x tanh(softplus(x)) (Misra 2020)."""

from __future__ import annotations

import mpmath
from sympy import Expr, Rational, exp, log, pi, tanh

from hermite_analytics.language.functions.logistic import sigmoid, softplus
from hermite_analytics.language.functions.real_function import RealFunction
from hermite_analytics.language.functions.record import Growth, Record

__all__ = ["RECORDS", "mish"]


class mish(RealFunction):
    """x * tanh(softplus(x)); its poles are where 1 + exp(x) is i or -i, at log(2)/2 +- 3 pi i/4."""

    nargs = 1

    def fdiff(self, argindex: int = 1) -> Expr:
        x = self.args[0]
        gate = tanh(softplus(x))
        return gate + x * sigmoid(x) * (1 - gate**2)

    def _value(self, x: mpmath.mpf) -> mpmath.mpf:
        return x * mpmath.tanh(max(x, mpmath.mpf(0)) + mpmath.log1p(mpmath.exp(-abs(x))))


RECORDS = (
    Record(
        function=mish,
        names=("mish",),
        definition=lambda x: x * tanh(softplus(x)),
        elementary=lambda x: x * tanh(log(1 + exp(x))),
        low=Rational(-309, 1000),  # its minimum is -0.30884...
        has_sign_of_argument=True,
        vanishes_at_zero_alone=True,
        growth=Growth.LINEAR,
        asymptotes=(lambda x: 0, lambda x: x),
        strip=3 * pi / 4,
    ),
)
