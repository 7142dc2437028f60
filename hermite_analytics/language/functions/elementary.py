"""The exponential function, the logarithm, waves and hyperbolic functions."""

from __future__ import annotations

import sympy
from flint import arb
from sympy import S, cos, cosh, exp, log, pi, sin, sinh, sqrt

from hermite_analytics.language.functions.record import Domain, Growth, Record

__all__ = ["RECORDS"]


def _tanh_on_strip(y: arb) -> tuple[arb, arb, arb, arb]:
    """|tanh|^2 = (sinh^2 x + sin^2 y)/(sinh^2 x + cos^2 y) <= max(1, tan^2 y); |Im| <= tan y."""
    size = y.tan().max(arb(1))
    return size, -size, size, y.tan()


RECORDS = (
    Record(
        function=sympy.exp,
        names=("exp",),
        code="exp",
        value="exp",
        ball="exp",
        of_sum=lambda a, b: exp(a) * exp(b),
        inverse=log,
        low=S.Zero,
        is_positive=True,
        is_increasing=True,
        is_strictly_increasing=True,
        is_convex=True,
        growth=Growth.EXPONENTIAL,
        strip=S.Infinity,
    ),
    Record(
        function=sympy.log,
        names=("log",),
        elsewhere=("ln",),
        domain=Domain.POSITIVE,
        code="log",
        value="log",
        ball="log",
        inverse=exp,
        is_increasing=True,
        is_strictly_increasing=True,
        is_many_valued=True,
    ),
    Record(
        function=sympy.sin,
        names=("sin",),
        code="sin",
        value="sin",
        ball="sin",
        of_sum=lambda a, b: sin(a) * cos(b) + cos(a) * sin(b),
        phase=-pi / 2,
        parity=-1,
        low=S.NegativeOne,
        high=S.One,
        growth=Growth.BOUNDED,
        strip=S.Infinity,
        is_wave=True,
    ),
    Record(
        function=sympy.cos,
        names=("cos",),
        code="cos",
        value="cos",
        ball="cos",
        of_sum=lambda a, b: cos(a) * cos(b) - sin(a) * sin(b),
        phase=S.Zero,
        parity=1,
        low=S.NegativeOne,
        high=S.One,
        growth=Growth.BOUNDED,
        strip=S.Infinity,
        is_wave=True,
    ),
    Record(function=sympy.tan, value="tan", ball="tan", parity=-1),
    Record(
        function=sympy.tanh,
        names=("tanh",),
        code="tanh",
        value="tanh",
        ball="tanh",
        inverse=lambda t: log((1 + t) / (1 - t)) / 2,
        parity=-1,
        low=S.NegativeOne,
        high=S.One,
        has_sign_of_argument=True,
        vanishes_at_zero_alone=True,
        is_increasing=True,
        is_strictly_increasing=True,
        growth=Growth.BOUNDED,
        asymptotes=(lambda x: -1, lambda x: 1),
        strip=pi / 2,
        on_strip=_tanh_on_strip,
    ),
    Record(
        function=sympy.sinh,
        names=("sinh",),
        code="sinh",
        value="sinh",
        ball="sinh",
        of_sum=lambda a, b: sinh(a) * cosh(b) + cosh(a) * sinh(b),
        in_exponentials=lambda x: (exp(x) - exp(-x)) / 2,
        inverse=lambda t: log(t + sqrt(t**2 + 1)),
        parity=-1,
        has_sign_of_argument=True,
        vanishes_at_zero_alone=True,
        is_increasing=True,
        is_strictly_increasing=True,
        growth=Growth.EXPONENTIAL,
        strip=S.Infinity,
    ),
    Record(
        function=sympy.cosh,
        names=("cosh",),
        code="cosh",
        value="cosh",
        ball="cosh",
        of_sum=lambda a, b: cosh(a) * cosh(b) + sinh(a) * sinh(b),
        in_exponentials=lambda x: (exp(x) + exp(-x)) / 2,
        parity=1,
        low=S.One,
        is_positive=True,
        is_convex=True,
        increases_with_size=True,
        growth=Growth.EXPONENTIAL,
        strip=S.Infinity,
    ),
)
