"""Signs and order of exact numbers, proved by balls or by algebra."""

from __future__ import annotations

import functools
from collections.abc import Iterable
from typing import TYPE_CHECKING

from sympy import Expr, Rational, S

from hermite_analytics.errors import UnsupportedExpression
from hermite_analytics.foundation.clock import check_time
from hermite_analytics.gaussian.enclosure import ball_of
from hermite_analytics.gaussian.zero import decide_constant

if TYPE_CHECKING:
    from flint import arb

__all__ = ["between", "compare", "rational_of", "sign_of", "sorted_distinct"]

_PRECISIONS = (64, 256, 1024)
_BITS = 128


def sign_of(number: Expr) -> int:
    """-1, 0 or 1.

    Raises
    ------
    UnsupportedExpression
        If neither a ball nor algebra decides it.

    Examples
    --------
    >>> from sympy import exp, pi, sqrt
    >>> sign_of(exp(pi) - pi - 20), sign_of(sqrt(2) + sqrt(3) - sqrt(5 + 2 * sqrt(6)))
    (-1, 0)
    """
    if number in (S.Infinity, S.NegativeInfinity):
        return 1 if number is S.Infinity else -1
    if number.is_Rational:
        return int(number.is_positive) - int(number.is_negative)
    for bits in _PRECISIONS:
        check_time()
        ball = ball_of(number, bits)
        if ball > 0:
            return 1
        if ball < 0:
            return -1
        if bits == _PRECISIONS[0] and decide_constant(number).zero:
            return 0
    raise UnsupportedExpression(f"the sign of {number} is not decided")


def compare(a: Expr, b: Expr) -> int:
    """-1, 0 or 1 as a < b, a = b or a > b; both may be infinite."""
    if a == b:
        return 0
    if a.is_infinite or b.is_infinite:
        return sign_of(a) if a.is_infinite else -sign_of(b)
    return sign_of(a - b)


def sorted_distinct(numbers: Iterable[Expr]) -> list[Expr]:
    """In increasing order, each number once."""
    result: list[Expr] = []
    for number in sorted(dict.fromkeys(numbers), key=functools.cmp_to_key(compare)):
        if not result or compare(result[-1], number) != 0:
            result.append(number)
    return result


def rational_of(ball: arb) -> Rational:
    """The middle of a ball, exactly."""
    mantissa, exponent = ball.mid().man_exp()
    return Rational(int(mantissa)) * Rational(2) ** int(exponent)


def between(low: Expr, high: Expr) -> Rational:
    """A rational number strictly between two distinct numbers, either of them possibly infinite."""
    if low.is_infinite and high.is_infinite:
        return S.Zero
    if low.is_infinite:
        return _floor(high) - 1
    if high.is_infinite:
        return _floor(low) + 2
    middle = rational_of(ball_of((low + high) / 2, _BITS))
    for denominator in (1, 2, 4, 8, 64, 1024):
        near = Rational(round(middle * denominator), denominator)
        if compare(low, near) < 0 < compare(high, near):
            return near
    if not compare(low, middle) < 0 < compare(high, middle):
        raise UnsupportedExpression(f"{low} and {high} are too close to each other")
    return middle


def _floor(number: Expr) -> Rational:
    return Rational(rational_of(ball_of(number, _BITS)).floor())
