"""The inverse functions of waves: arctangent, arcsine, arccosine, and the inverse of sinh."""

from __future__ import annotations

import sympy
from flint import arb
from sympy import S, pi

from hermite_analytics.language.functions.record import Growth, Record

__all__ = ["RECORDS"]


def _arctangent_on_strip(y: arb) -> tuple[arb, arb, arb, arb]:
    """|Re atan w| <= pi/2; |Im| = |log(|w + i|/|w - i|)|/2 <= artanh y, largest at x = 0."""
    right, imaginary = arb.pi() / 2, y.atanh()
    return (right * right + imaginary**2).sqrt(), -right, right, imaginary


RECORDS = (
    Record(
        function=sympy.atan,
        names=("atan",),
        elsewhere=("arctan",),
        code="atan",
        value="atan",
        ball="atan",
        inverse=sympy.tan,
        parity=-1,
        low=-pi / 2,
        high=pi / 2,
        has_sign_of_argument=True,
        vanishes_at_zero_alone=True,
        is_increasing=True,
        is_strictly_increasing=True,
        growth=Growth.BOUNDED,
        asymptotes=(lambda x: -pi / 2, lambda x: pi / 2),
        strip=S.One,
        on_strip=_arctangent_on_strip,
        is_many_valued=True,
    ),
    Record(
        function=sympy.asin,
        code="asin",
        value="asin",
        ball="asin",
        parity=-1,
        low=-pi / 2,
        high=pi / 2,
        has_sign_of_argument=True,
        vanishes_at_zero_alone=True,
        is_increasing=True,
        is_strictly_increasing=True,
        growth=Growth.BOUNDED,
        is_many_valued=True,
    ),
    Record(
        function=sympy.acos,
        code="acos",
        value="acos",
        ball="acos",
        low=S.Zero,
        high=pi,
        growth=Growth.BOUNDED,
        is_many_valued=True,
    ),
    Record(
        function=sympy.asinh,
        value="asinh",
        ball="asinh",
        inverse=sympy.sinh,
        parity=-1,
        has_sign_of_argument=True,
        vanishes_at_zero_alone=True,
        is_increasing=True,
        is_strictly_increasing=True,
        growth=Growth.LINEAR,
        strip=S.One,
        is_many_valued=True,
    ),
)
