"""The sign and the step."""

from __future__ import annotations

import mpmath
import sympy
from sympy import Expr, S

from hermite_analytics.language.functions.real_function import RealFunction
from hermite_analytics.language.functions.record import Growth, Kink, Record

__all__ = ["RECORDS", "step"]


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

    def _value(self, x: mpmath.mpf) -> mpmath.mpf:
        return mpmath.mpf(1 if x > 0 else 0)


_AT_ZERO = "Heaviside(x, 0) is the step used here; its value at 0 is 0"

RECORDS = (
    Record(
        function=sympy.sign,
        names=("sign",),
        elsewhere=("sgn", "signum"),
        code="sign",
        value="sign",
        parity=-1,
        low=S.NegativeOne,
        high=S.One,
        has_sign_of_argument=True,
        vanishes_at_zero_alone=True,
        is_increasing=True,
        growth=Growth.BOUNDED,
        asymptotes=(lambda x: -1, lambda x: 1),
        kink=Kink(lambda x: (1, -1), is_jump=True),
    ),
    Record(
        function=step,
        names=("step",),
        elsewhere=("theta",),
        code="step",
        low=S.Zero,
        high=S.One,
        is_increasing=True,
        growth=Growth.BOUNDED,
        asymptotes=(lambda x: 0, lambda x: 1),
        kink=Kink(lambda x: (1, 0), is_jump=True),
    ),
    Record(
        function=sympy.Heaviside,
        names=("Heaviside",),
        is_listed=False,
        arity=(1, 2),
        build=lambda x, at_zero=S.Zero: step(x),
        definition=lambda x, *at_zero: step(x),
        refuses=lambda x, at_zero=S.Zero: None if at_zero == 0 else _AT_ZERO,
        code="step",
        growth=Growth.BOUNDED,
        kink=Kink(
            lambda x, *at_zero: (1, 0), is_jump=True
        ),  # almost everywhere: of sympy's derivative of max
    ),
)
