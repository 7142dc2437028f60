"""Zero or not, for coefficients with a closed form and for those that only a ball encloses."""

from __future__ import annotations

import functools
import math
from typing import Any

import sympy
from flint import arb
from sympy import Dummy, Expr, Rational, Symbol

from hermite_analytics.argument.coefficients import Enclosure
from hermite_analytics.argument.formulas import Entry, formula
from hermite_analytics.errors import UnsupportedExpression
from hermite_analytics.evidence import Evidence, Quantity
from hermite_analytics.gaussian.enclosure import ball_of
from hermite_analytics.gaussian.enclosure.precision import working_precision
from hermite_analytics.gaussian.zero import decide_constant

__all__ = ["Numbers"]

_FIRST_BITS = 96
_MORE_BITS = (400, 1600)
_LARGEST_DENOMINATOR = 1000
_LARGEST_NUMBER = 10**12  # that may be guessed to be rational
_LARGEST = 40  # operations of an expression that sympy may rewrite


class Numbers:
    """Numbers as expressions: closed forms, and letters that stand for enclosed numbers.

    A letter may be a mean, as E[z1*tanh(z1)], and is called so. Two letters are never assumed to be
    related: an expression in letters is zero only if it cancels, and
    nonzero only if its ball excludes 0.

    Examples
    --------
    >>> numbers = Numbers()
    >>> numbers.is_zero(sympy.sqrt(8) - 2 * sympy.sqrt(2)), numbers.is_zero(sympy.exp(-72))
    (True, False)
    >>> m = numbers.letter(Quantity(exact=None, value=0.6, error=1e-9, evidence=Evidence.PROVED,
    ...                             zero=False, reason="a ball"))
    >>> numbers.is_zero(m), numbers.is_zero(2 * m - m - m), numbers.simplified(2 * m / m)
    (False, True, 2)
    """

    def __init__(self) -> None:
        self._balls: dict[Expr, Any] = {}
        self._means: dict[Expr, Expr] = {}
        self._verdicts: dict[Expr, bool | None] = {}

    def letter(self, quantity: Quantity, *, mean_of: Expr | None = None) -> Expr:
        """The letter of E[mean_of], or a new one; an estimate may be any number."""
        letter = Dummy("m", real=True) if mean_of is None else Symbol(f"E[{mean_of}]", real=True)
        if mean_of is not None:
            self._means[letter] = mean_of
        rigorous = quantity.evidence in (Evidence.EXACT, Evidence.PROVED)
        self._balls[letter] = arb(quantity.value, quantity.error) if rigorous else arb(0, float("inf"))
        return letter

    def is_closed(self, x: Expr) -> bool:
        """Whether no letter occurs."""
        return bool(x.is_Rational) or not x.free_symbols

    def is_zero(self, x: Expr) -> bool | None:
        """True or False if proved, None if not."""
        if x.is_Rational:
            return bool(x == 0)
        if x not in self._verdicts:
            self._verdicts[x] = _constant_is_zero(x) if self.is_closed(x) else self._is_zero(x)
        return self._verdicts[x]

    def ball(self, x: Expr) -> arb:
        """A ball around the number, all of the line where nothing is known of it."""
        ball = self._ball(x)
        return arb(0, float("inf")) if ball is None else ball

    def excludes_zero(self, x: Expr) -> bool:
        """Whether a ball of moderate precision shows that the number is not 0: quick, also for long ones."""
        if x.is_Rational:
            return bool(x != 0)
        ball = self._ball(x)
        return ball is not None and not ball.contains(0)

    def simplified(self, x: Expr) -> Expr:
        """The same number, as a rational number with a small denominator where it is shown to be one."""
        if x.is_Rational:
            return x
        if sympy.count_ops(x) <= _LARGEST:
            x = sympy.radsimp(x) if self.is_closed(x) else sympy.cancel(x)
        ball = self._ball(x)
        if x.is_Rational or ball is None or not abs(ball) < _LARGEST_NUMBER:
            return x
        near = Rational(float(ball.mid())).limit_denominator(_LARGEST_DENOMINATOR)
        numerator, denominator = sympy.fraction(x)  # zero is decided of sums, not of quotients
        return near if self.is_zero(numerator - near * denominator) else x

    def enclosure(self, x: Expr) -> Enclosure | None:
        """A ball around the number, its middle of double precision; None where nothing is known of it."""
        ball = self._ball(x)
        if ball is None:
            return None
        middle = float(ball.mid())
        with working_precision(_FIRST_BITS):
            radius = float(abs(ball - middle).upper())
        return Enclosure(value=middle, radius=math.nextafter(radius, math.inf) if radius else 0.0)

    def entry(self, x: Expr) -> Entry:
        """The number as it stands in a basis: its closed form, or the means that define it."""
        if self.is_closed(x):
            return x
        means = {m: Symbol(rf"\mathbb{{E}}[{formula(mean).latex}]") for m, mean in self._means.items()}
        return formula(x.xreplace(means), str(x))

    def _is_zero(self, x: Expr) -> bool | None:
        ball = self._ball(x)
        if ball is not None and not ball.contains(0):
            return False
        numerator = sympy.fraction(sympy.together(x))[0]
        return True if sympy.expand(numerator) == 0 else None

    def _ball(self, x: Expr) -> arb:
        """A ball around the number, or None."""
        try:
            with working_precision(_FIRST_BITS):
                ball = self._value(x)
        except UnsupportedExpression:
            return None
        return ball if ball.is_finite() else None

    def _value(self, x: Expr) -> arb:
        if x in self._balls:
            return self._balls[x]
        if self.is_closed(x):
            return ball_of(x, _FIRST_BITS)
        parts = [self._value(a) for a in x.args]
        if x.is_Add:
            return functools.reduce(lambda a, b: a + b, parts)
        if x.is_Mul:
            return functools.reduce(lambda a, b: a * b, parts)
        if x.is_Pow:
            return parts[0] ** parts[1]
        raise UnsupportedExpression(f"no ball of {x}")


def _constant_is_zero(x: Expr) -> bool | None:
    """A ball first, which is quick; then algebra; then sharper balls."""
    if _excludes_zero(x, _FIRST_BITS):
        return False
    verdict = decide_constant(x).zero
    if verdict is None and any(_excludes_zero(x, bits) for bits in _MORE_BITS):
        return False
    return verdict


def _excludes_zero(x: Expr, bits: int) -> bool:
    try:
        return not ball_of(x, bits).contains(0)
    except UnsupportedExpression:
        return False
