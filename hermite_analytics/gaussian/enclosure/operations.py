"""What each function of the language does to balls.

Three tables of callables: `REAL` on real balls, with the hull where a kink is straddled; `ANALYTIC` on
complex balls, not finite unless the function is analytic on the whole ball; `PRINCIPAL` on complex
balls, principal values of constants.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import sympy
from flint import acb, arb
from sympy import Expr

from hermite_analytics.errors import UnsupportedExpression
from hermite_analytics.gaussian.enclosure import special
from hermite_analytics.language import functions as own

__all__ = ["ANALYTIC", "PRINCIPAL", "REAL", "Operation", "integer_power", "power_operation"]

Operation = Callable[..., Any]


def _step(x: arb) -> arb:
    if x > 0:
        return arb(1)
    return arb(0) if x <= 0 else arb(0).union(arb(1))


def _relu(x: arb) -> arb:
    return x.max(arb(0))


def _leaky_relu(x: arb, slope: arb) -> arb:
    if x > 0:
        return x
    return slope * x if x <= 0 else x.union(slope * x)


def _log1p_exp(x: arb) -> arb:
    """log(1 + exp x) with relative accuracy for x -> -infinity."""
    return x.exp().log1p() if x < 0 else x + (-x).exp().log1p()


_MEROMORPHIC: dict[Any, Operation] = {
    sympy.exp: operator.methodcaller("exp"),
    sympy.sin: operator.methodcaller("sin"),
    sympy.cos: operator.methodcaller("cos"),
    sympy.tan: operator.methodcaller("tan"),
    sympy.sinh: operator.methodcaller("sinh"),
    sympy.cosh: operator.methodcaller("cosh"),
    sympy.tanh: operator.methodcaller("tanh"),
    sympy.erf: operator.methodcaller("erf"),
    sympy.erfc: operator.methodcaller("erfc"),
    sympy.erfi: operator.methodcaller("erfi"),
    sympy.gamma: operator.methodcaller("gamma"),
    own.Phi: special.normal_cdf,
    own.phi: special.normal_density,
    own.sigmoid: special.sigmoid,
    own.silu: special.silu,
    own.gelu: special.gelu,
}

_MULTIVALUED: dict[Any, Operation] = {
    sympy.log: operator.methodcaller("log"),
    sympy.asin: operator.methodcaller("asin"),
    sympy.acos: operator.methodcaller("acos"),
    sympy.atan: operator.methodcaller("atan"),
}

REAL: dict[Any, Operation] = {
    **_MEROMORPHIC,
    **_MULTIVALUED,
    own.softplus: _log1p_exp,
    own.OwenT: special.owen_t,
    own.Phi2: special.normal_cdf_2,
    sympy.sign: operator.methodcaller("sgn"),
    sympy.Abs: abs,
    own.step: _step,
    own.relu: _relu,
    own.leaky_relu: _leaky_relu,
    sympy.Max: lambda x, y: x.max(y),
    sympy.Min: lambda x, y: x.min(y),
}

ANALYTIC: dict[Any, Operation] = {
    **_MEROMORPHIC,
    sympy.log: lambda x: x.log(analytic=True),
    own.softplus: lambda x: (1 + x.exp()).log(analytic=True),
}

PRINCIPAL: dict[Any, Operation] = {
    **_MEROMORPHIC,
    **_MULTIVALUED,
    own.softplus: lambda x: (1 + x.exp()).log(),
}


def power_operation(exponent: Expr, table: dict[Any, Operation], value: Callable[[Expr], Any]) -> Operation:
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


def integer_power(x: Any, exponent: int) -> Any:
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
