"""Closed forms that are zero, ones that are nearly zero, and ones that only a ball can decide."""

from __future__ import annotations

import pytest
import sympy
from sympy import (
    E,
    Integer,
    Rational,
    acos,
    asin,
    atan,
    cos,
    cosh,
    erf,
    erfc,
    erfi,
    exp,
    log,
    pi,
    sin,
    sqrt,
    tanh,
)

from hermite_analytics.gaussian.zero import ZeroVerdict, decide_constant
from hermite_analytics.language.functions import OwenT, Phi, Phi2, phi

R = Rational
t = sqrt(2 * log(2) / 3)
h = R(1, 3)

ZEROS = [
    Integer(0),
    exp(-R(1, 2)) - exp(-R(1, 2)),
    sqrt(2) * sqrt(3) - sqrt(6),
    sympy.Add(sqrt(2) * sqrt(3), -sqrt(6), evaluate=False),
    (1 + sqrt(2)) ** 3 - 7 - 5 * sqrt(2),
    1 / (1 + sqrt(2) + sqrt(3)) - (2 + sqrt(2) - sqrt(6)) / 4,
    sqrt(5 + 2 * sqrt(6)) - sqrt(2) - sqrt(3),
    sqrt(2 + sqrt(2)) * sqrt(2 - sqrt(2)) - sqrt(2),
    sqrt(2 - sqrt(2)) - (sqrt(2) - 1) * sqrt(2 + sqrt(2)),
    R(2) ** R(1, 3) * 2 ** R(2, 3) - 2,
    sqrt(2 / pi) - sqrt(2) / sqrt(pi),
    asin(R(3, 5)) + acos(R(3, 5)) - pi / 2,
    asin(R(3, 5)) + asin(R(4, 5)) - pi / 2,
    atan(sqrt(2)) + atan(1 / sqrt(2)) - pi / 2,
    2 * atan(sqrt(2)) - acos(-R(1, 3)),
    atan(R(1, 2)) + atan(R(1, 3)) - pi / 4,
    4 * atan(R(1, 5)) - atan(R(1, 239)) - pi / 4,
    12 * atan(R(1, 18)) + 8 * atan(R(1, 57)) - 5 * atan(R(1, 239)) - pi / 4,
    3 * asin(R(1, 3)) - asin(R(23, 27)),
    asin((sqrt(5) - 1) / 4) - pi / 10,
    (asin(R(1, 3)) / pi) ** 2 - (R(1, 2) - acos(R(1, 3)) / pi) ** 2,
    sin(1) ** 2 + cos(1) ** 2 - 1,
    sin(2) - 2 * sin(1) * cos(1),
    cos(1 + pi / 3) - cos(1) / 2 + sqrt(3) * sin(1) / 2,
    cos(pi / 8) - sqrt(sqrt(2) + 2) / 2,
    cosh(1) - E / 2 - exp(-1) / 2,
    log(6) - log(2) - log(3),
    log(sqrt(8) * pi) - R(3, 2) * log(2) - log(pi),
    exp(R(2, 3) * log(5) + 1) - 5 ** R(2, 3) * E,
    2 ** sqrt(2) - exp(sqrt(2) * log(2)),
    2 * phi(2 * t) - phi(t),
    phi(0) - 1 / sqrt(2 * pi),
    phi(sympy.Mul(-1, h, evaluate=False)) - phi(h),
    exp(-(h**2) / 2) / sqrt(2 * pi) - phi(h),
    erf(1 / sqrt(2)) - 2 * Phi(1) + 1,
    erfc(h) - 2 * Phi(-sqrt(2) * h),
    erf(-h) + erf(h),
    Phi(h) + Phi(-h) - 1,
    Phi(sqrt(3 + 2 * sqrt(2))) - Phi(1 + sqrt(2)),
    erfi(-h) + erfi(h),
    OwenT(h, 1) - Phi(h) * (1 - Phi(h)) / 2,
    OwenT(-h, -2) + OwenT(h, 2),
    OwenT(2, 3) + OwenT(6, h) - R(1, 4) + (Phi(2) - R(1, 2)) * (Phi(6) - R(1, 2)),
    OwenT(0, sqrt(3)) - R(1, 6),
    OwenT(h, sympy.oo) - Phi(-h) / 2,
    Phi2(0, 0, R(1, 4)) - R(1, 4) - asin(R(1, 4)) / (2 * pi),
    Phi2(1, 2, R(1, 3)) - Phi2(2, 1, R(1, 3)),
    Phi2(1, 2, R(1, 3)) + Phi2(1, -2, -R(1, 3)) - Phi(1),
    Phi2(1, 2, 0) - Phi(1) * Phi(2),
    Phi2(1, 2, 1) - Phi(1),
    Phi2(-1, -2, -1),
    Phi2(h, h, R(1, 2)) - Phi(h) + 2 * OwenT(h, 1 / sqrt(3)),
]

NEAR_MISSES = [
    (12 * exp(-72), "product"),
    (sqrt(2) - R(14142135623730950488016887242097, 10**31), ""),
    (exp(-R(1, 2)) - R(606530659712633423603799534991, 10**30), "Lindemann"),
    (exp(-R(1, 2)) - exp(-R(1, 2) - R(1, 10**30)), "Lindemann"),
    (1 - sqrt(2 / pi) - R(20211543919712, 10**14), "Lindemann"),
    (sqrt(pi) * 3 - 5 * pi + 1, "Lindemann"),
    (sin(1) - R(8414709848078965, 10**16), "Lindemann"),
    (exp(1) * cos(1) - exp(1) * sin(2), "Lindemann"),
    (exp(sqrt(2)) - 3, "Lindemann"),
    (atan(sqrt(2)) - R(3041, 10000) * pi, "Baker"),
    (asin(R(1, 3)) + asin(R(2, 3)) - asin(R(1, 4)), "Baker"),
    (sqrt(2) * asin(R(1, 3)) - asin(R(2, 3)), "Baker"),
    (R(1, 4) + asin(R(1, 4)) / (2 * pi) - R(29021531, 10**8), "Baker"),
    (asin(sqrt(2) - 1) - R(427, 1000), "Baker"),
    (log(2) - R(693147180559945309417232121458, 10**30), "Baker"),
    (log(2) * sqrt(3) - log(3), "Baker"),
    ((R(1, 4) + asin(R(1, 4)) / (2 * pi)) ** 2 - R(1, 9), "Gelfond"),
    (log(2) ** 2 - R(48, 100), "Lindemann"),
    (2 * phi(2) - phi(1), "Lindemann"),
    (erf(1) - erf(R(1, 2)) - R(1, 3) * erf(2), "Beukers"),
    (3 * phi(1) - Phi(1) + R(1, 2), "Beukers"),
    (phi(1) * (Phi(2) - R(1, 2)) - phi(2) * (Phi(1) - R(1, 2)), "Beukers"),
    (erf(1) ** 2 - exp(-1) / pi, "Beukers"),
    (sqrt(1 + sqrt(2)) - R(155377397, 10**8), ""),
    (OwenT(h, R(1, 2)), "product"),
    (Phi2(0, 0, R(1, 2)) - R(1, 3) + R(1, 10**30), ""),
]

UNDECIDED = [
    Phi(1) - R(1, 3),
    1 + pi * E,
    exp(pi) - pi**2,
    2 * OwenT(1, R(1, 2)) - R(1, 10),
    asin(R(1, 3)) * asin(R(1, 4)) - R(1, 10),
    tanh(1) - R(3, 4),
    1 - phi(1),
]


@pytest.mark.parametrize("expr", ZEROS, ids=str)
def test_identities(expr):
    assert decide_constant(expr) == ZeroVerdict(True, "every term cancels in the canonical form")


@pytest.mark.parametrize(("expr", "ground"), NEAR_MISSES, ids=str)
def test_near_misses(expr, ground):
    verdict = decide_constant(expr)
    assert verdict.zero is False
    assert ground in verdict.reason


@pytest.mark.parametrize("expr", UNDECIDED, ids=str)
def test_what_is_left_to_balls(expr):
    verdict = decide_constant(expr)
    assert verdict.zero is None
    assert "a ball must decide" in verdict.reason


@pytest.mark.cases(4)
@pytest.mark.parametrize(
    ("expr", "reason"),
    [
        (sympy.Symbol("x") - 1, "free symbols: x"),
        (sympy.Float("0.5") - 1, "no exact form"),
        (sympy.I * sympy.exp(sympy.I), "no exact form"),
        ((1 + sqrt(2) + sqrt(3) + E) ** 300, "more operations than allowed"),
        (sqrt(10**200 + 357 + sympy.nextprime(10**60) ** 2), "too large to factor"),
        (asin(3) - 1, "above 1"),
        (asin(1 + sqrt(2)) - 1, "above 1"),
        (sqrt(1 - sqrt(2)) * sqrt(2 - sqrt(5)) - 1, "negative number"),
        (log(1 - sqrt(2)), "no exact form"),
    ],
)
def test_refusals(expr, reason):
    verdict = decide_constant(expr)
    assert verdict.zero is None
    assert reason in verdict.reason


def test_cap_on_operations():
    expr = (1 + sqrt(2) + sqrt(3)) ** 5
    assert decide_constant(expr).zero is False
    assert "more operations" in decide_constant(expr, operations=20).reason
