"""`separate_from_zero`: prove that a number is not zero, by balls of growing precision."""

from __future__ import annotations

from collections.abc import Callable

from flint import arb

from hermite_analytics.errors import BudgetExhausted
from hermite_analytics.foundation.clock import has_ended
from hermite_analytics.gaussian.enclosure import effort
from hermite_analytics.gaussian.enclosure.effort import some_time

__all__ = ["separate_from_zero"]

_FIRST = 64


def separate_from_zero(make_ball: Callable[[int], arb]) -> tuple[bool | None, arb | None]:
    """Ask for balls at 64, 128, 256, ... bits until one excludes zero or the time ends.

    Parameters
    ----------
    make_ball : callable
        From a precision in bits to a ball of the number; may raise `BudgetExhausted`.

    Returns
    -------
    verdict : True or None
        True is a proof that the number is not zero; None says nothing (a ball never proves a zero, unless it
        is the exact number 0).
    ball : arb or None
        The narrowest ball met; its sign is that of the number if the verdict is True.

    Examples
    --------
    >>> import sympy
    >>> from hermite_analytics.gaussian.enclosure.constants import ball_of
    >>> tiny = sympy.exp(-100) * (sympy.pi - sympy.Rational(22, 7))
    >>> verdict, ball = separate_from_zero(lambda prec: ball_of(tiny, prec))
    >>> verdict, bool(ball < 0)
    (True, True)
    """
    with some_time():
        return _separated(make_ball)


def _separated(make_ball: Callable[[int], arb]) -> tuple[bool | None, arb | None]:
    best: arb | None = None
    bits = _FIRST
    while bits <= effort.MOST_BITS and not has_ended():
        try:
            ball = make_ball(bits)
        except BudgetExhausted as error:
            ball = error.ball[0] if isinstance(error.ball, list) else error.ball
            if ball is None:
                return None, best
            best = _narrower(best, ball)
            return (True if ball > 0 or ball < 0 else None), best
        best = _narrower(best, ball)
        if ball > 0 or ball < 0:
            return True, ball
        if ball == 0:
            return None, ball
        bits *= 2
    return None, best


def _narrower(left: arb | None, right: arb) -> arb:
    return right if left is None or right.rad() <= left.rad() else left
