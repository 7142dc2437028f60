"""The largest integer below: quantised labels, and the part after the point, x - floor(x).

It has infinitely many jumps. Where its argument is bounded they are finitely many, and the floor of a text is
then a sum of steps; elsewhere the argument is a polynomial, which is an integer on a null set only.
"""

from __future__ import annotations

import mpmath
import sympy
from sympy import Expr, Integer, Rational, S

from hermite_analytics.language.functions.real_function import RealFunction
from hermite_analytics.language.functions.record import Growth, Record
from hermite_analytics.language.functions.steps import step

__all__ = ["RECORDS", "floor", "mid_floor", "staircase"]


class _Stairs(RealFunction):
    """Constant between the integers, with f(x + n) = f(x) + n: the integer of the argument stands outside."""

    nargs = 1

    @classmethod
    def eval(cls, x: Expr) -> Expr | None:
        if x.is_number:
            whole = sympy.floor(x)
            return cls._at(x, whole) if whole.is_Integer else None
        whole = sympy.floor(x.as_coeff_Add()[0])
        return whole + cls(x - whole) if whole.is_Integer and whole != 0 else cls._reflected(x)

    @staticmethod
    def _at(x: Expr, whole: Expr) -> Expr:
        raise NotImplementedError

    @classmethod
    def _reflected(cls, x: Expr) -> Expr | None:
        return None

    def fdiff(self, argindex: int = 1) -> Expr:
        return S.Zero  # almost everywhere


class floor(_Stairs):
    """The largest integer n <= x."""

    @staticmethod
    def _at(x: Expr, whole: Expr) -> Expr:
        return whole

    def _value(self, x: mpmath.mpf) -> mpmath.mpf:
        return mpmath.floor(x)


class mid_floor(_Stairs):
    """(floor(x) - floor(-x))/2: floor(x) + 1/2 between the integers, x at them. In answers alone."""

    @staticmethod
    def _at(x: Expr, whole: Expr) -> Expr:
        return whole if (x - whole).is_zero else whole + Rational(1, 2)

    @classmethod
    def _reflected(cls, x: Expr) -> Expr | None:
        return -cls(-x) if x.could_extract_minus_sign() else None

    def _value(self, x: mpmath.mpf) -> mpmath.mpf:
        return (mpmath.floor(x) - mpmath.floor(-x)) / 2


def staircase(x: Expr, first: Expr, last: Expr) -> Expr:
    """clip(floor(x), first, last) for integers, with finitely many steps, equal everywhere.

    Examples
    --------
    >>> staircase(sympy.Symbol("x", real=True), S.Zero, sympy.Integer(2))
    -step(1 - x) - step(2 - x) + 2
    """
    return first + sympy.Add(*(1 - step(_below(x, Integer(n))) for n in range(int(first) + 1, int(last) + 1)))


def _below(x: Expr, level: Expr) -> Expr:
    """What is positive exactly where x < level: of what is clipped on both sides of the level, its inside.

    Clipped at the level, x is the level on a whole set, of which rounding does not tell the side.
    """
    shift, rest = x.as_coeff_Add()
    scale, clipped = rest.as_coeff_Mul()
    if not (isinstance(clipped, sympy.Max | sympy.Min) and scale.is_positive):
        return level - x
    at = (level - shift) / scale
    ends = [a for a in clipped.args if a.is_number]
    inner = clipped.func(*(a for a in clipped.args if not a.is_number))
    is_max = isinstance(clipped, sympy.Max)
    seen = all(bool(end < at) if is_max else bool(end >= at) for end in ends)
    return _below(inner, at) if ends and seen else level - x


def _odd_parts(x: Expr) -> Expr:
    """Almost everywhere: floor(x) = odd - 1/2, and floor(x + 1/2) = floor(2 x) - floor(x), which is odd."""
    half = Rational(1, 2)
    if x.as_coeff_Add()[0] == half:
        return mid_floor(2 * (x - half)) - mid_floor(x - half)
    return mid_floor(x) - half


RECORDS = (
    Record(
        function=floor,
        names=("floor",),
        code="floor",
        by_parity=_odd_parts,
        stairs=S.Zero,
        is_increasing=True,
        growth=Growth.LINEAR,
    ),
    Record(
        function=mid_floor,
        definition=lambda x: (floor(x) - floor(-x)) / 2,
        stairs=Rational(1, 2),
        parity=-1,
        has_sign_of_argument=True,
        vanishes_at_zero_alone=True,
        is_increasing=True,
        growth=Growth.LINEAR,
    ),
)
