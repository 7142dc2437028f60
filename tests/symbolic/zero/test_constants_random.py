"""Random combinations: a planted zero is found, and nothing else is ever called zero."""

from __future__ import annotations

import random
from fractions import Fraction

import mpmath
import pytest
import sympy
from sympy import Expr, Rational, acos, asin, atan, cos, erf, erfc, exp, log, pi, sin, sqrt

from hermite_analytics.gaussian.zero import decide_constant
from hermite_analytics.language.functions import OwenT, Phi, Phi2, phi

DIGITS = 50


def rational(rng: random.Random, low: int = 1, high: int = 9) -> Rational:
    return Rational(rng.randint(low, high), rng.randint(2, 9))


def correlation(rng: random.Random) -> Rational:
    bottom = rng.randint(3, 12)
    return Rational(rng.randint(1, bottom - 1), bottom)


# Two ways to write the same number.
def _pairs(rng: random.Random) -> tuple[Expr, Expr]:
    x, y, q, m = rational(rng), rational(rng), correlation(rng), rng.choice([2, 3, 5, 6, 10])
    choices = [
        lambda: (sqrt(m) * sqrt(x), sqrt(m * x)),
        lambda: ((x + sqrt(m)) ** 2, x**2 + m + 2 * x * sqrt(m)),
        lambda: (exp(-x) * exp(y / 2), exp(y / 2 - x)),
        lambda: (exp(x * log(m)), sympy.Integer(m) ** x),
        lambda: (sin(x + y), sin(x) * cos(y) + cos(x) * sin(y)),
        lambda: (cos(2 * x), 1 - 2 * sin(x) ** 2),
        lambda: (asin(q), pi / 2 - acos(q)),
        lambda: (2 * asin(q), pi - acos(2 * q**2 - 1)) if q > 0 else (pi, pi),
        lambda: (
            atan(x) + atan(y),
            atan((x + y) / (1 - x * y)) if x * y < 1 else pi / 2 + atan((x * y - 1) / (x + y)),
        ),
        lambda: (Phi(x), 1 - Phi(-x)),
        lambda: (erf(x / sqrt(2)), 2 * Phi(x) - 1),
        lambda: (erfc(x), 2 * Phi(-sqrt(2) * x)),
        lambda: (phi(x), exp(-(x**2) / 2) / sqrt(2 * pi)),
        lambda: (OwenT(x, 1), Phi(x) * Phi(-x) / 2),
        lambda: (
            OwenT(x, 1 + q),
            Rational(1, 4)
            - (Phi(x) - Rational(1, 2)) * (Phi(x * (1 + q)) - Rational(1, 2))
            - OwenT(x * (1 + q), 1 / (1 + q)),
        ),
        lambda: (Phi2(0, 0, q), Rational(1, 4) + asin(q) / (2 * pi)),
        lambda: (Phi2(x, -y, q), Phi2(-y, x, q)),
        lambda: (Phi2(x, y, q), Phi(x) - Phi2(x, -y, -q)),
        lambda: (log(x * m), log(x) + log(m)),
    ]
    return rng.choice(choices)()


def digits(expr: Expr) -> mpmath.mpf:
    with mpmath.workdps(DIGITS + 10):
        return mpmath.mpf(sympy.N(expr, DIGITS)._to_mpmath(180)) if expr != 0 else mpmath.mpf(0)


@pytest.mark.cases(12)
@pytest.mark.parametrize("seed", range(150))
def test_planted_zeros_are_found(seed):
    rng = random.Random(seed)
    total = sympy.Integer(0)
    for _ in range(rng.randint(1, 3)):
        left, right = _pairs(rng)
        factor = rng.choice([1, sqrt(2), 1 / pi, exp(-1), rational(rng)])
        total += factor * left - factor * right
    assert decide_constant(total).zero is True, total


@pytest.mark.cases(12)
@pytest.mark.parametrize("seed", range(150))
def test_other_numbers_are_never_called_zero(seed):
    rng = random.Random(1000 + seed)
    total = sympy.Integer(0)
    for _ in range(rng.randint(1, 3)):
        total += rng.choice([1, -1]) * rational(rng) * _pairs(rng)[rng.randint(0, 1)]
    value = digits(total)
    verdict = decide_constant(total)
    if abs(value) > mpmath.mpf(10) ** (10 - DIGITS):
        assert verdict.zero is not True, (total, value)
    else:
        assert verdict.zero is not False, (total, value)
    # a rational that agrees to 30 digits is not the same number
    with mpmath.workdps(DIGITS):
        close = Fraction(int(mpmath.nint(value * 10**30)), 10**30)
        gap = abs(value - mpmath.mpf(close.numerator) / close.denominator)
    if gap > mpmath.mpf(10) ** (10 - DIGITS):
        assert decide_constant(total - Rational(close.numerator, close.denominator)).zero is not True


@pytest.mark.cases(12)
@pytest.mark.parametrize("seed", range(60))
def test_angles_of_products(seed):
    """arg(uv) = arg u + arg v mod 2 pi in Q(sqrt -d), and the neighbours of this relation are not zero."""
    rng = random.Random(seed)
    d = rng.choice([1, 2, 3, 5, 6, 7, 11, 15, 23])
    u, v = [(rng.randint(1, 12), rng.randint(1, 12)) for _ in range(2)]
    product = (u[0] * v[0] - d * u[1] * v[1], u[0] * v[1] + u[1] * v[0])
    if product[0] == 0:
        pytest.skip("the product is imaginary: no tangent")
    angles = [atan(sqrt(d) * Rational(b, a)) for a, b in (u, v, product)]
    shift = 0 if product[0] > 0 else 1
    relation = angles[0] + angles[1] - angles[2] - shift * pi
    assert decide_constant(relation).zero is True
    assert decide_constant(relation + pi / 12).zero is False
    verdict = decide_constant(angles[0] * 2 + angles[1] - angles[2])
    assert verdict.zero is (abs(digits(angles[0] * 2 + angles[1] - angles[2])) < 1e-40)
