"""`enclose_coefficients`: rigorous balls of E[He_k(z) f(z)], k = 0..degree."""

from __future__ import annotations

import math

from flint import arb
from sympy import Expr, Symbol

from hermite_analytics.errors import BudgetExhausted, InputError, UnsupportedExpression
from hermite_analytics.gaussian.enclosure.constants import ball_of
from hermite_analytics.gaussian.enclosure.effort import check_precision, some_time
from hermite_analytics.gaussian.enclosure.panels import panel_sums
from hermite_analytics.gaussian.enclosure.precision import BOUND_BITS, log2_ceiling, working_precision
from hermite_analytics.gaussian.enclosure.trapezoid import Rule, plan, root_factorial, trapezoid_sums
from hermite_analytics.gaussian.enclosure.undefined import refuse
from hermite_analytics.language.kinks import BREAKS

__all__ = ["enclose_coefficients"]

_MOST_NODES = 6000
_GUARD_BITS = 24
_FIRST_DIGITS = 8


def enclose_coefficients(integrand: Expr, z: Symbol, degree: int, *, digits: int = 30) -> list[arb]:
    """Rigorous balls of the Hermite coefficients E[He_k(z) f(z)], k = 0..degree, z ~ N(0, 1).

    Parameters
    ----------
    integrand : sympy expression in z, without other symbols
    z : symbol
    degree : int >= 0
    digits : int
        The radius of coefficient k is below 10^-digits sqrt(k!).

    Returns
    -------
    list of arb
        degree + 1 balls. Coefficients that vanish by parity are exact zeros.

    Raises
    ------
    BudgetExhausted
        If the time that is left (without a limit: ten seconds) or the precision ends before; with the list
        of the best balls reached, if any, as `ball`.
    UndefinedQuantity
        If E|f| is shown to be infinite.
    UnsupportedExpression
        If the integrand cannot be bounded, has free parameters, or is outside the language.

    Notes
    -----
    Analytic integrands whose strip can be read off: trapezoidal rule. Others, with kinks or without a uniform
    strip: Gauss-Legendre rules on panels between the kinks.

    Examples
    --------
    >>> import sympy
    >>> from hermite_analytics.symbols import z
    >>> [c.str(12, radius=False) for c in enclose_coefficients(sympy.tanh(z), z, 3)]
    ['0', '0.605705509602', '0', '-0.363595376281']
    """
    _check(integrand, z, degree, digits)
    if z not in integrand.free_symbols:
        value = ball_of(integrand, math.ceil(digits * 3.33) + 64)
        return [value] + [arb(0)] * degree
    try:
        with some_time():
            return _enclosed(integrand, z, degree, digits)
    except UnsupportedExpression as error:
        refuse(integrand, (z,), error)


def _check(integrand: Expr, z: Symbol, degree: int, digits: int) -> None:
    if degree < 0 or digits < 1:
        raise InputError(
            f"a degree of at least 0 and at least one digit are accepted, not {degree} and {digits}"
        )
    others = integrand.free_symbols - {z}
    if others:
        names = ", ".join(sorted(map(str, others)))
        raise UnsupportedExpression(f"an enclosure needs a number: {names} is free in {integrand}")


def _enclosed(integrand: Expr, z: Symbol, degree: int, digits: int) -> list[arb]:
    with working_precision(BOUND_BITS):
        tolerance = arb(10) ** -digits / 2
    rule = None
    if not integrand.has(*BREAKS):
        rule = plan(integrand, z, degree, tolerance)
        if rule is not None and rule.count > _MOST_NODES:
            rule = None
    best: list[arb] | None = None
    if rule is None and digits > 2 * _FIRST_DIGITS:  # something to show should the time end
        best = panel_sums(integrand, z, degree, math.ceil(_FIRST_DIGITS * math.log2(10)) + degree // 2)
    bits = math.ceil(digits * math.log2(10)) + degree // 2 + _GUARD_BITS
    while True:
        try:
            check_precision(bits, best)
            best = _pass(integrand, z, degree, rule, bits)
        except BudgetExhausted as error:
            raise BudgetExhausted(str(error), best) from None
        missing = _missing_bits(best, tolerance)
        if missing <= 0:
            return best
        bits += missing + 8


def _pass(integrand: Expr, z: Symbol, degree: int, rule: Rule | None, bits: int) -> list[arb]:
    if rule is None:
        return panel_sums(integrand, z, degree, bits)
    sums = trapezoid_sums(integrand, z, degree, rule, bits)
    with working_precision(bits):
        return [
            c if c == 0 else c + arb(0, (rule.error * root_factorial(k)).upper()) for k, c in enumerate(sums)
        ]


def _missing_bits(balls: list[arb], tolerance: arb) -> int:
    """By how many bits the widest ball is wider than 2 tolerance sqrt(k!)."""
    with working_precision(BOUND_BITS):
        worst = arb(0)
        for k, ball in enumerate(balls):
            if not ball.is_finite():
                return 64
            worst = worst.max(ball.rad() / root_factorial(k))
        return 0 if worst <= 2 * tolerance else log2_ceiling(worst / (2 * tolerance))
