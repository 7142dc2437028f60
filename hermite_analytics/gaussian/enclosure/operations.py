"""What each function of the language does to balls.

Three tables of callables: `REAL` on real balls, with the hull where a kink is straddled; `ANALYTIC` on
complex balls, not finite unless the function is analytic on the whole ball; `PRINCIPAL` on complex
balls, principal values of constants.
"""

from __future__ import annotations

import operator
from collections.abc import Callable

import sympy
from flint import acb, arb
from sympy import Expr

from hermite_analytics.errors import UnsupportedExpression
from hermite_analytics.gaussian.enclosure import special
from hermite_analytics.gaussian.enclosure.precision import Ball
from hermite_analytics.language import functions as own
from hermite_analytics.language.functions import RECORDS
from hermite_analytics.language.functions.record import Arithmetic

__all__ = ["ANALYTIC", "PRINCIPAL", "REAL", "Operation", "integer_power", "power_operation"]

Operation = Callable[..., Ball]


def _log1p_exp(x: arb) -> arb:
    """log(1 + exp x) with relative accuracy for x -> -infinity."""
    return x.exp().log1p() if x < 0 else x + (-x).exp().log1p()


def _kink(sides: Callable[..., tuple[Arithmetic, Arithmetic]]) -> Operation:
    """The hull of both sides where 0 is straddled."""

    def value(x: arb, *parameters: arb) -> arb:
        right, left = sides(x.max(arb(0)), *parameters)[0], sides(x.min(arb(0)), *parameters)[1]
        if x > 0 or x < 0:
            return arb(right if x > 0 else left)
        return arb(0) if x == 0 else arb(right).union(arb(left))

    return value


def _mid_floor(x: arb) -> arb:
    return (x.floor() - (-x).floor()) / 2


def _arctangent(x: acb) -> acb:
    """Not finite where a ball may meet a cut, which are on the imaginary axis from i and -i on."""
    return x.atan() if abs(x.imag) < 1 or not x.real.contains(0) else acb("nan")


def _named(*, many_valued: bool) -> dict[type[Expr], Operation]:
    """The functions that balls have themselves, by the names in the records."""
    found = (r for r in RECORDS if r.ball is not None and r.is_many_valued is many_valued)
    return {r.function: operator.methodcaller(str(r.ball)) for r in found if r.function is not None}


_MEROMORPHIC: dict[type[Expr], Operation] = {
    **_named(many_valued=False),
    own.Phi: special.normal_cdf,
    own.sigmoid: special.sigmoid,
}
_MULTIVALUED: dict[type[Expr], Operation] = {
    **_named(many_valued=True),
    # of closed forms: no functions of targets
    sympy.acosh: lambda x: x.acosh(),
    sympy.atanh: lambda x: x.atanh(),
}

REAL: dict[type[Expr], Operation] = {
    **_MEROMORPHIC,
    **_MULTIVALUED,
    **{r.function: _kink(r.kink.sides) for r in RECORDS if r.kink is not None and r.function is not None},
    sympy.Abs: abs,
    own.floor: arb.floor,
    own.mid_floor: _mid_floor,
    own.softplus: _log1p_exp,
    own.OwenT: special.owen_t,
    own.Phi2: special.normal_cdf_2,
    sympy.Max: lambda x, y: x.max(y),
    sympy.Min: lambda x, y: x.min(y),
}

ANALYTIC: dict[type[Expr], Operation] = {
    **_MEROMORPHIC,
    sympy.log: lambda x: x.log(analytic=True),
    sympy.atan: _arctangent,
    own.softplus: lambda x: (1 + x.exp()).log(analytic=True),
}

PRINCIPAL: dict[type[Expr], Operation] = {
    **_MEROMORPHIC,
    **_MULTIVALUED,
    own.softplus: lambda x: (1 + x.exp()).log(),
}


def power_operation(
    exponent: Expr, table: dict[type[Expr], Operation], value: Callable[[Expr], Ball]
) -> Operation:
    """x -> x^exponent for a constant exponent; `value` gives the ball of an exponent that is not rational.

    Integers need no logarithm and hold for negative and complex x; other powers are principal values, and
    nan for a negative real ball; a real ball around zero stands for its part >= 0.
    """
    if exponent.is_Integer:
        whole = int(exponent)
        return lambda x: integer_power(x, whole)
    if not exponent.is_extended_real:
        raise UnsupportedExpression(f"no ball of a power with the exponent {exponent}")
    analytic = table is ANALYTIC
    if exponent.is_Rational and exponent.q == 2:
        odd = int(exponent.p)
        if table is REAL:
            return lambda x: integer_power(_real_sqrt(x), odd)
        return lambda x: integer_power(x.sqrt(analytic=analytic), odd)
    ball = value(exponent)
    if table is REAL:
        return lambda x: _real_power(x, ball)
    return lambda x: (x.log(analytic=analytic) * ball).exp()


def _real_sqrt(x: arb) -> arb:
    """The root of a number >= 0, of which a ball may reach below zero."""
    if x > 0 or x < 0:
        return x.sqrt()
    return arb(0).union(x.upper().sqrt())


def _real_power(x: arb, exponent: arb) -> arb:
    if x > 0 or x < 0 or not exponent > 0:
        return (x.log() * exponent).exp()
    top = x.upper()
    return arb(0) if top == 0 else arb(0).union((top.log() * exponent).exp())


def integer_power(x: Ball, exponent: int) -> Ball:
    """x^exponent by squaring; python-flint's own power of a ball around zero is nan."""
    if exponent < 0:
        return 1 / integer_power(x, -exponent)
    result = None
    while exponent:
        if exponent & 1:
            result = x if result is None else result * x
        exponent >>= 1
        if exponent:
            x = x * x
    return arb(1) if result is None else result


def imaginary_unit() -> acb:
    """The ball of i."""
    return acb(0, 1)
