"""Hermite coefficients of one variable: known values, closed forms, random expressions, limits, refusals."""

from __future__ import annotations

import time

import mpmath
import pytest
import sympy
from flint import arb
from hypothesis import given, settings
from hypothesis import strategies as st
from sympy import Abs, Rational, S, erf, exp, pi, sign, sin, sqrt, tanh

from hermite_analytics.errors import BudgetExhausted, InputError, UndefinedQuantity, UnsupportedExpression
from hermite_analytics.foundation.clock import allowed
from hermite_analytics.gaussian.digits import expectation_digits
from hermite_analytics.gaussian.enclosure import ball_of, effort, enclose_coefficients
from hermite_analytics.gaussian.enclosure.precision import working_precision
from hermite_analytics.language.functions import He, Phi, gelu, relu, sigmoid, silu, softplus, step
from hermite_analytics.symbols import z
from tests.symbolic.enclosure.facts import ONE_VARIABLE


@pytest.mark.parametrize("name", ONE_VARIABLE)
def test_known_means(name: str) -> None:
    expr, value = ONE_VARIABLE[name]
    ball = enclose_coefficients(expr, z, 0)[0]
    with working_precision(160):
        assert abs(ball - arb(value)) < arb(10) ** -28
        assert ball.rad() <= arb(10) ** -30


def closed_forms() -> dict[str, tuple[sympy.Expr, list[sympy.Expr]]]:
    t = Rational(2, 3)
    density = exp(-(t**2) / 2) / sqrt(2 * pi)
    return {
        "exp": (exp(z / 2), [S.Half**k * exp(Rational(1, 8)) for k in range(31)]),
        "sin": (sin(2 * z), [(0 if k % 2 == 0 else (-1) ** (k // 2) * 2**k * exp(-2)) for k in range(31)]),
        "step": (step(z - t), [Phi(-t)] + [He(k - 1, t) * density for k in range(1, 31)]),
        "relu": (
            relu(z),
            [1 / sqrt(2 * pi), S.Half]
            + [-He(k - 2, S.Zero) * (-1) ** (k + 1) / sqrt(2 * pi) for k in range(2, 31)],
        ),
        "Phi": (
            Phi(z),
            [S.Half]
            + [(-1) ** (k - 1) * He(k - 1, S.Zero) / sqrt(2) ** k / sqrt(2 * pi) for k in range(1, 31)],
        ),
        "weight": (
            exp(-(z**2) / 2),
            [
                0 if k % 2 else (-S.Half) ** (k // 2) * sympy.factorial2(max(k - 1, 1)) / sqrt(2)
                for k in range(31)
            ],
        ),
        "He_12": (He(12, z), [sympy.factorial(12) if k == 12 else 0 for k in range(31)]),
    }


@pytest.mark.parametrize("name", closed_forms())
@pytest.mark.parametrize("digits", [30, 60])
def test_all_orders(name: str, digits: int) -> None:
    expr, values = closed_forms()[name]
    balls = enclose_coefficients(expr, z, 30, digits=digits)
    for k, (ball, value) in enumerate(zip(balls, values, strict=True)):
        exact = ball_of(sympy.sympify(value, strict=True), 400)
        with working_precision(400):
            scale = arb(k).fac().sqrt()
            assert ball.overlaps(exact), (name, k)
            assert ball.rad() <= scale * arb(10) ** -digits


def test_two_ways_agree_at_high_order() -> None:
    """The trapezoidal rule and the panels, on the same function: tanh and sign(z) |tanh|."""
    smooth = enclose_coefficients(tanh(z), z, 120)
    kinked = enclose_coefficients(sign(z) * Abs(tanh(z)), z, 120)
    for k, (a, b) in enumerate(zip(smooth, kinked, strict=True)):
        with working_precision(200):
            assert a.overlaps(b)
            assert max(a.rad(), b.rad()) <= arb(10) ** -30 * arb(k).fac().sqrt()
    assert all(c == 0 for c in smooth[::2])


def test_parseval() -> None:
    balls = enclose_coefficients(sigmoid(z), z, 200, digits=20)
    with working_precision(100):
        total = sum((c * c / arb(k).fac() for k, c in enumerate(balls)), arb(0))
        second = enclose_coefficients(sigmoid(z) ** 2, z, 0, digits=25)[0]
        assert abs(second - total) < arb(10) ** -19


def test_small_numbers() -> None:
    ball = enclose_coefficients(sin(12 * z), z, 1, digits=40)[1]
    assert ball > 0
    assert ball.overlaps(ball_of(12 * exp(-72), 200))


ATOMS = [
    z,
    tanh(z),
    sin(2 * z),
    sigmoid(z + 1),
    softplus(z),
    silu(z),
    gelu(z),
    erf(z),
    Phi(2 * z - 1),
    exp(-(z**2) / 3),
]
KINKED = [Abs(z - S.Half), relu(z), sign(z + 1), step(z**2 - 2), sympy.Max(z, tanh(2 * z) + 1)]
OUTER = [
    sin,
    tanh,
    lambda u: 1 / (1 + u**2),
    lambda u: exp(sin(u)),
    lambda u: u**2,
    sigmoid,
    lambda u: sqrt(1 + u**2),
]


@st.composite
def expressions(draw: st.DrawFn) -> sympy.Expr:
    pool = st.sampled_from(ATOMS + KINKED)
    scalar = st.integers(-6, 6).filter(bool).map(lambda n: Rational(n, 3))
    expr = draw(scalar) * draw(pool) + draw(scalar) * draw(pool)
    if draw(st.booleans()):
        expr = expr * draw(pool)
    return draw(st.sampled_from(OUTER))(expr) if draw(st.booleans()) else expr


@pytest.mark.slow
@settings(max_examples=8, deadline=None, derandomize=True)
@given(expressions(), st.integers(0, 4))
def test_random_expressions(expr: sympy.Expr, degree: int) -> None:
    """The ball contains what an independent adaptive quadrature finds."""
    if z not in expr.free_symbols:
        return
    ball = enclose_coefficients(expr, z, degree, digits=18)[degree]
    value, error = expectation_digits(He(degree, z) * expr, (z,), 80)
    with working_precision(120):
        size = arb(mpmath.nstr(abs(error), 5)) * 8 + arb(10) ** -19
        assert ball.overlaps(arb(mpmath.nstr(value, 30)) + arb(0, size)), expr
        assert ball.rad() <= arb(10) ** -18 * 5


@pytest.mark.parametrize(
    ("expr", "error", "message"),
    [
        (exp(z**2), UndefinedQuantity, "is infinite"),
        (exp(z**2 / 2), UndefinedQuantity, "is infinite"),
        (exp(z**4), UndefinedQuantity, "is infinite"),
        (1 / z, UndefinedQuantity, "is infinite"),
        (1 / z**2, UndefinedQuantity, "is infinite"),
        (exp(z**2 / 2) * sympy.cos(z), UndefinedQuantity, "is infinite"),
        (exp(z**2 / 2) * sign(z), UndefinedQuantity, "is infinite"),
        (exp(z**3), UndefinedQuantity, "is infinite"),
        (tanh(sympy.Symbol("a") * z), UnsupportedExpression, "a is free"),
        (sympy.gamma(z), UnsupportedExpression, "no rigorous bound of gamma"),
        (sympy.log(Abs(z)), UnsupportedExpression, "not shown to be positive"),
    ],
    ids=str,
)
def test_refusals(expr: sympy.Expr, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        enclose_coefficients(expr, z, 2)


def test_bad_arguments() -> None:
    with pytest.raises(InputError, match="not -1 and 30"):
        enclose_coefficients(tanh(z), z, -1)


def test_the_end_of_the_time() -> None:
    start = time.process_time()
    with pytest.raises(BudgetExhausted, match=r"within 0\.2 s"), allowed(0.2):
        enclose_coefficients(Abs(sin(40 * z)) * tanh(z), z, 60, digits=200)
    assert time.process_time() - start < 60  # only a loop that never looks at the time gets there


def test_the_end_of_the_precision(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(effort, "MOST_BITS", 64)
    with pytest.raises(BudgetExhausted, match="with 64 bits"):
        enclose_coefficients(tanh(z), z, 5, digits=30)


def test_constants_need_no_rule() -> None:
    balls = enclose_coefficients(sqrt(2) + 0 * z, z, 3)
    assert balls[0].overlaps(ball_of(sqrt(2), 200)) and all(c == 0 for c in balls[1:])
