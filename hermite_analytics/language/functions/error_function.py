"""The error function, its complement, and that of an imaginary argument."""

from __future__ import annotations

import sympy
from sympy import Integer, S, erf, sqrt

from hermite_analytics.language.functions.normal import Phi
from hermite_analytics.language.functions.record import Growth, Record

__all__ = ["RECORDS"]

RECORDS = (
    Record(
        function=sympy.erf,
        names=("erf",),
        code="erf",
        value="erf",
        ball="erf",
        definition=lambda x: 2 * Phi(sqrt(2) * x) - 1,
        parity=-1,
        low=S.NegativeOne,
        high=S.One,
        has_sign_of_argument=True,
        vanishes_at_zero_alone=True,
        is_increasing=True,
        is_strictly_increasing=True,
        growth=Growth.BOUNDED,
        asymptotes=(lambda x: -1, lambda x: 1),
        strip=S.Infinity,
        gaussian_growth=S.One,
    ),
    Record(
        function=sympy.erfc,
        names=("erfc",),
        code="erfc",
        value="erfc",
        ball="erfc",
        definition=lambda x: 2 * Phi(-sqrt(2) * x),
        by_parity=lambda x: 1 - erf(x),
        low=S.Zero,
        high=Integer(2),
        is_positive=True,
        growth=Growth.BOUNDED,
        asymptotes=(lambda x: 2, lambda x: 0),
        strip=S.Infinity,
        gaussian_growth=S.One,
    ),
    Record(
        function=sympy.erfi,
        value="erfi",
        ball="erfi",
        parity=-1,
        has_sign_of_argument=True,
        vanishes_at_zero_alone=True,
        is_increasing=True,
        is_strictly_increasing=True,
        strip=S.Infinity,
    ),
    Record(function=sympy.gamma, value="gamma", ball="gamma"),
    Record(function=sympy.zeta, value="zeta", ball="zeta"),
)
