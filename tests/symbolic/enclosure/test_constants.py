"""Balls of closed forms: against mpmath, limits, complex parts, roots, refusals."""

from __future__ import annotations

import flint
import mpmath
import pytest
import sympy
from flint import acb, arb
from hypothesis import given, settings
from hypothesis import strategies as st
from sympy import CRootOf, E, I, Rational, S, Symbol, exp, im, pi, re, sqrt

from hermite_analytics.errors import InputError, UnsupportedExpression
from hermite_analytics.gaussian.enclosure import ball_of
from hermite_analytics.gaussian.enclosure.precision import working_precision
from hermite_analytics.gaussian.quantities import constant_quantity
from hermite_analytics.language import functions as own

x = Symbol("x")

CLOSED_FORMS = [
    sqrt(3) / (6 * pi) + Rational(1, 3),
    exp(-Rational(25, 8)) * sympy.erfi(5 * sqrt(2) / 4),
    Rational(3, 2) / pi ** Rational(3, 2) * sympy.atan(sqrt(2)),
    sympy.asin(Rational(3, 5)) + sympy.acos(Rational(1, 7)) ** 3 - E**2,
    sympy.erfc(3) + sympy.erf(1) + sympy.gamma(Rational(1, 3)) + sympy.log(7),
    sympy.sinh(1) * sympy.cosh(2) + sympy.tanh(3) + sympy.tan(1) + sympy.cos(1) * sympy.sin(2),
    Rational(2, 7) ** Rational(-5, 3),
    own.phi(1) - own.Phi(-2) + own.He(5, sqrt(2)),
    own.OwenT(Rational(1, 2), 3) + own.OwenT(7, Rational(9, 4)) - own.OwenT(2, Rational(-1, 3)),
    own.Phi2(1, -1, Rational(1, 2)) + own.Phi2(-3, Rational(1, 2), Rational(-9, 10)),
    own.Phi2(2, 2, Rational(99, 100)),
    own.sigmoid(-3) + own.softplus(-50) + own.silu(2) + own.gelu(-4),
    sympy.Max(sqrt(2), E / 2) + sympy.Abs(sympy.sin(4)) + own.relu(-E) + own.leaky_relu(-pi, Rational(1, 10)),
    sympy.sign(sqrt(2) - Rational(141421356, 10**8)) * own.step(pi - 3),
    re((1 - 2 * I) ** Rational(-1, 2)),
    im(exp(I * sqrt(2)) * (1 + I) ** 3),
]


@pytest.mark.cases(10)
@pytest.mark.parametrize("expr", CLOSED_FORMS, ids=str)
@pytest.mark.parametrize("prec", [64, 300])
def test_against_mpmath(expr: sympy.Expr, prec: int) -> None:
    ball = ball_of(expr, prec)
    with mpmath.workdps(120):
        value = mpmath.mpmathify(sympy.N(expr, 110))
    with working_precision(400):
        reference = arb(mpmath.nstr(value, 100)) + arb(0, arb(10) ** -95)
        assert ball.overlaps(reference)
        assert ball.rad() <= abs(reference) * arb(2) ** (20 - prec)


def test_complex_normal_distribution() -> None:
    inner = re(own.Phi(-1 + 2 * I), evaluate=False)
    assert ball_of(exp(-2) * inner, 120).str(25, radius=False) == "-0.1090965934820091413455330"


def test_unit_correlation() -> None:
    for rho, h, k, expected in [
        (1, 1, 2, own.Phi(1)),
        (-1, 1, 2, own.Phi(1) + own.Phi(2) - 1),
        (-1, -2, -1, S.Zero),
    ]:
        assert ball_of(own.Phi2(h, k, rho), 100).overlaps(ball_of(expected, 100))


@settings(max_examples=30, deadline=None)
@given(
    st.fractions(-3, 3, max_denominator=20),
    st.fractions(-3, 3, max_denominator=20),
    st.fractions(Rational(-19, 20), Rational(19, 20), max_denominator=20),
)
def test_phi2_by_owen(h: object, k: object, rho: object) -> None:
    """Phi2(h, k; rho) + Phi2(h, -k; -rho) = Phi(h): both sides of one half-plane."""
    a, b, r = (sympy.Rational(str(v)) for v in (h, k, rho))
    with working_precision(80):
        left = ball_of(own.Phi2(a, b, r), 80) + ball_of(own.Phi2(a, -b, -r), 80)
        assert left.overlaps(ball_of(own.Phi(a), 80))
        assert left.rad() < arb(10) ** -20


@settings(max_examples=30, deadline=None)
@given(st.fractions(0, 6, max_denominator=9), st.fractions(Rational(1, 9), 9, max_denominator=9))
def test_owen_reflection(h: object, a: object) -> None:
    """T(h, a) + T(ah, 1/a) = (Phi(h) + Phi(ah))/2 - Phi(h) Phi(ah) for a > 0, h >= 0."""
    b, c = sympy.Rational(str(h)), sympy.Rational(str(a))
    left = ball_of(own.OwenT(b, c) + own.OwenT(b * c, 1 / c), 80)
    right = ball_of((own.Phi(b) + own.Phi(b * c)) / 2 - own.Phi(b) * own.Phi(b * c), 80)
    assert left.overlaps(right)


def test_owen_keeps_relative_accuracy() -> None:
    ball = ball_of(own.OwenT(20, 3), 100)
    assert ball.rel_accuracy_bits() > 80


@pytest.mark.cases(2)
@pytest.mark.parametrize("index", range(5))
def test_roots(index: int) -> None:
    """Each root solves its equation, and is the one that sympy numbers so."""
    root = CRootOf(x**5 - x - 1, index)
    real, imaginary = ball_of(re(root), 200), (ball_of(im(root), 200) if index else arb(0))
    near = complex(sympy.N(root, 15))
    with working_precision(200):
        value = acb(real, imaginary)
        assert (value**5 - value - 1).contains(0)
        assert abs(value - acb(near.real, near.imag)) < arb(10) ** -12


def test_precision_is_put_back() -> None:
    before = flint.ctx.prec
    ball_of(pi, 500)
    assert flint.ctx.prec == before


def test_the_precision_of_a_caller_changes_no_error() -> None:
    """What is left beside the nearest double: that of pi^2/4 was an ulp off with 53 bits, more with 20."""
    found = []
    for bits in (20, 53, 200):
        with working_precision(bits):
            found.append(constant_quantity(pi**2 / 4))
    assert len({q.error for q in found}) == 1
    with working_precision(200):
        exact = ball_of(pi**2 / 4, 200)
        assert 0 <= found[0].error - abs(exact - arb(found[0].value)) < 1e-22


@pytest.mark.parametrize(
    ("expr", "message"),
    [
        (x + 1, "x is free"),
        (sympy.LambertW(3), "no ball of LambertW"),
        (sympy.Float(0.5) + pi, "no ball of Float"),
        (sympy.sign(sympy.sin(1) ** 2 + sympy.cos(1) ** 2 - 1, evaluate=False), "is not decided"),
        (sympy.Pow(-2, Rational(1, 3), evaluate=False), "no finite real ball"),
        (I + 1, "no ball of ImaginaryUnit"),
    ],
)
def test_refusals(expr: sympy.Expr, message: str) -> None:
    with pytest.raises(UnsupportedExpression, match=message):
        ball_of(expr, 100)


def test_bad_precision() -> None:
    with pytest.raises(InputError, match="at least 2, not 0"):
        ball_of(pi, 0)
