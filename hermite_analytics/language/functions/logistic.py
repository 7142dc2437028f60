"""The logistic function, its integral softplus, and silu."""

from __future__ import annotations

import mpmath
from flint import arb
from sympy import Expr, Rational, S, cosh, exp, log, pi, tanh

from hermite_analytics.language.functions.real_function import RealFunction
from hermite_analytics.language.functions.record import Growth, Record

__all__ = ["RECORDS", "sigmoid", "silu", "softplus"]


class sigmoid(RealFunction):
    """Logistic function 1/(1 + exp(-x))."""

    nargs = 1

    @classmethod
    def eval(cls, x: Expr) -> Expr | None:
        return S.Half if x.is_zero else None

    def fdiff(self, argindex: int = 1) -> Expr:
        return self * (1 - self)

    def _value(self, x: mpmath.mpf) -> mpmath.mpf:
        return 1 / (1 + mpmath.exp(-x))


class softplus(RealFunction):
    """log(1 + exp(x))."""

    nargs = 1

    def fdiff(self, argindex: int = 1) -> Expr:
        return sigmoid(self.args[0])

    def _value(self, x: mpmath.mpf) -> mpmath.mpf:
        return max(x, mpmath.mpf(0)) + mpmath.log1p(mpmath.exp(-abs(x)))


class silu(RealFunction):
    """x * sigmoid(x)."""

    nargs = 1

    def fdiff(self, argindex: int = 1) -> Expr:
        x = self.args[0]
        return sigmoid(x) + x * sigmoid(x) * (1 - sigmoid(x))

    def _value(self, x: mpmath.mpf) -> mpmath.mpf:
        return x / (1 + mpmath.exp(-x))


def _sigmoid_on_strip(y: arb) -> tuple[arb, arb, arb, arb]:
    """1/|1 + e^-w| <= 1 for y <= pi/2, 1/sin y up to pi; (1 + tanh(w/2))/2 has |Im| <= tan(y/2)/2."""
    imaginary = (y / 2).tan() / 2
    if y <= arb.pi() / 2:
        return arb(1), arb(0), arb(1), imaginary
    size = 1 / y.sin()
    return size, -size, size, imaginary


RECORDS = (
    Record(
        function=sigmoid,
        names=("sigmoid",),
        elsewhere=("logistic", "expit"),
        code="sigmoid",
        definition=lambda x: 1 / (1 + exp(-x)),
        by_parity=lambda x: S.Half + tanh(x / 2) / 2,
        elementary=lambda x: S.Half + tanh(x / 2) / 2,
        inverse=lambda t: log(t / (1 - t)),
        low=S.Zero,
        high=S.One,
        is_positive=True,
        is_increasing=True,
        is_strictly_increasing=True,
        growth=Growth.BOUNDED,
        asymptotes=(lambda x: 0, lambda x: 1),
        strip=pi,
        on_strip=_sigmoid_on_strip,
    ),
    Record(
        function=softplus,
        names=("softplus",),
        code="softplus",
        by_parity=lambda x: x / 2 + log(cosh(x / 2)) + log(2),
        elementary=lambda x: log(1 + exp(x)),
        inverse=lambda t: log(exp(t) - 1),
        low=S.Zero,
        is_positive=True,
        is_increasing=True,
        is_strictly_increasing=True,
        is_convex=True,
        growth=Growth.LINEAR,
        asymptotes=(lambda x: 0, lambda x: x),
        strip=pi,
        is_many_valued=True,
    ),
    Record(
        function=silu,
        names=("silu",),
        elsewhere=("swish",),
        definition=lambda x: x * sigmoid(x),
        by_parity=lambda x: x / 2 + x * tanh(x / 2) / 2,
        elementary=lambda x: x * (1 + tanh(x / 2)) / 2,
        low=Rational(-279, 1000),  # its minimum is -0.27846...
        has_sign_of_argument=True,
        vanishes_at_zero_alone=True,
        growth=Growth.LINEAR,
        asymptotes=(lambda x: 0, lambda x: x),
        strip=pi,
    ),
)
