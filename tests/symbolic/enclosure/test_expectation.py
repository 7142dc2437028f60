"""Expectations over several variables: blocks, rotations, tensor rules, planes with kinks, limits."""

from __future__ import annotations

import itertools
import time

import mpmath
import pytest
import sympy
from flint import arb
from hypothesis import given, settings
from hypothesis import strategies as st
from sympy import Abs, Rational, S, cos, erfc, exp, sign, sin, tanh

from hermite_analytics.errors import BudgetExhausted, UndefinedQuantity, UnsupportedExpression
from hermite_analytics.foundation.clock import allowed
from hermite_analytics.gaussian.enclosure import (
    ball_of,
    effort,
    enclose,
    enclose_coefficients,
    separate_from_zero,
)
from hermite_analytics.gaussian.enclosure.blocks import independent_blocks
from hermite_analytics.gaussian.enclosure.forms import rotated
from hermite_analytics.gaussian.enclosure.precision import working_precision
from hermite_analytics.language.functions import He, Phi, relu, sigmoid, softplus, step
from hermite_analytics.symbols import variable
from tests.symbolic.enclosure.facts import TWO_VARIABLES

z1, z2, z3, z4 = (variable(i) for i in range(1, 5))


@pytest.mark.cases(1)
@pytest.mark.parametrize("name", TWO_VARIABLES)
def test_known_values(name: str) -> None:
    expr, value = TWO_VARIABLES[name]
    ball = enclose(expr, (z1, z2), digits=29)
    with working_precision(160):
        assert abs(ball - arb(value)) < arb(10) ** -28
        assert ball.rad() <= arb(10) ** -29


def test_three_variables_that_need_two() -> None:
    """The forms span a plane, where the kinks are lines."""
    ball = enclose(relu(z1 + z2) * relu(z1 + z3), (z1, z2, z3), digits=20)
    assert ball.overlaps(arb("0.60899778104422935808899658249") + arb(0, arb(10) ** -28))


def test_three_variables_in_blocks() -> None:
    assert enclose(exp(z1) * cos(z2) * z1 * He(2, z2) + z3, (z1, z2, z3)).overlaps(arb(-1))


def test_tanh_tanh_by_mehler() -> None:
    """E tanh(u) tanh(v) = sum rho^k mu_k^2/k!, with the tail of Parseval's sum as the error."""
    rho = Rational(3, 5)
    ball = enclose(tanh(z1) * tanh(rho * z1 + Rational(4, 5) * z2), (z1, z2))
    mu = enclose_coefficients(tanh(z1), z1, 100)
    second = enclose(tanh(z1) ** 2, z1)
    with working_precision(160):
        terms = [c * c / arb(k).fac() for k, c in enumerate(mu)]
        total = sum((t * (arb(3) / 5) ** k for k, t in enumerate(terms)), arb(0))
        rest = (arb(3) / 5) ** 101 * (second - sum(terms, arb(0)))
        assert ball.overlaps(total + arb(0, abs(rest).upper()))
        assert ball.rad() < arb(10) ** -30


def test_three_coupled_variables() -> None:
    expr = tanh(z1) * tanh(z1 + z2) * tanh(z2 + z3) * tanh(z3)
    ball = enclose(expr, (z1, z2, z3), digits=8)
    assert ball.overlaps(arb("0.10030446462537") + arb(0, arb(10) ** -12))


def test_sums_and_products() -> None:
    ball = enclose((tanh(z1) + z2) ** 2 * (1 + z3**2) + softplus(z4), (z1, z2, z3, z4), digits=25)
    expected = 2 * (1 + enclose(tanh(z1) ** 2, z1)) + enclose(softplus(z1), z1)
    assert ball.overlaps(expected)
    assert ball.rad() <= arb(10) ** -25


def test_one_linear_form_in_many_variables() -> None:
    ball = enclose(tanh((z1 + z2 + z3 + z4) / 2) ** 2, (z1, z2, z3, z4))
    assert ball.overlaps(enclose(tanh(z1) ** 2, z1))


def test_blocks() -> None:
    terms = independent_blocks(exp(z1**2 / 8 - z2) * z3 + z1, (z1, z2, z3))
    assert sorted(len(t) for t in terms) == [1, 3]


def test_rotation_keeps_rational_forms_only() -> None:
    assert rotated(tanh(z1 + sympy.sqrt(2) * z2) * z1, (z1, z2)) is None
    found = rotated(tanh(z1 + z2) * sin(z1 - z2), (z1, z2))
    assert found is not None
    assert len(independent_blocks(found[0], found[1])[0]) == 2


def test_new_names_alone_are_no_rotation() -> None:
    four = tuple(variable(i) for i in (1, 2, 3, 4))
    joined = sympy.Max(*four) * step(four[0] + 2 * four[1] - four[2])
    assert rotated(joined, four) is None
    with pytest.raises(UnsupportedExpression, match="couples 4 variables"):
        enclose(joined, four)


def test_a_ball_that_says_nothing_is_no_width_of_a_strip() -> None:
    narrow = erfc(2 * z2 / 3 + z1 / 3) * Phi(-exp(-3 * (3 * z2 + Rational(2, 3)) ** 2) / 2)
    ball = enclose(narrow, (z1, z2), digits=8)
    assert abs(ball - arb("0.4706067342")) < 1e-8


FACTORS = [
    tanh(z1 + z2 / 2),
    relu(z1 - z2),
    Abs(z2),
    sigmoid(z1),
    sign(z1 + z2),
    sin(z1 * z2),
    step(z2 - S.Half),
    sympy.Max(z1, z2),
    Phi(z1 - z2),
    z1,
]


@pytest.mark.slow
@settings(max_examples=8, deadline=None, derandomize=True)
@given(st.lists(st.sampled_from(FACTORS), min_size=2, max_size=3, unique=True))
def test_random_products_in_the_plane(factors: list[sympy.Expr]) -> None:
    """Against Gauss-Legendre panels in polar coordinates, where all kinks through the origin are rays."""
    expr = sympy.Mul(*factors)
    ball = enclose(expr, (z1, z2), digits=10)
    if expr.has(step):
        return
    assert abs(ball - arb(str(polar(expr)))) < 1e-9


def polar(expr: sympy.Expr) -> mpmath.mpf:
    """E f in polar coordinates, panels between multiples of pi/4."""
    own = {
        "relu": lambda t: max(t, 0),
        "sigmoid": lambda t: 1 / (1 + mpmath.exp(-t)),
        "Phi": mpmath.ncdf,
    }
    function = sympy.lambdify(
        (z1, z2), expr, modules=[own, {"Abs": abs, "Max": max, "sign": mpmath.sign}, "mpmath"]
    )
    angles, radii = rule([k * mpmath.pi / 4 for k in range(9)], 16), rule([0, 2, 4, 6, 9], 16)
    total = mpmath.mpf(0)
    for angle, a in angles:
        c, s = mpmath.cos(angle), mpmath.sin(angle)
        total += a * sum(b * r * mpmath.exp(-r * r / 2) * function(r * c, r * s) for r, b in radii)
    return total / (2 * mpmath.pi)


def rule(edges: list[mpmath.mpf], count: int) -> list[tuple[mpmath.mpf, mpmath.mpf]]:
    import numpy as np

    x, w = np.polynomial.legendre.leggauss(count)
    nodes = []
    for low, high in itertools.pairwise(edges):
        nodes += [
            ((low + high) / 2 + (high - low) / 2 * float(t), (high - low) / 2 * float(v))
            for t, v in zip(x, w, strict=True)
        ]
    return nodes


@pytest.mark.parametrize(
    ("expr", "variables", "error", "message"),
    [
        (exp(z1 * z2), (z1, z2), UndefinedQuantity, "is infinite"),
        (exp(z1**2 - z2**2), (z1, z2), UndefinedQuantity, "infinite"),
        (1 / (z1 + z2), (z1, z2), UndefinedQuantity, "no expectation of 1/\\(z1 \\+ z2\\)"),
        (Abs(z2 - tanh(z1)), (z1, z2), UnsupportedExpression, "straight lines"),
        (tanh(z1 * z2 + z3 * z4), (z1, z2, z3, z4), UnsupportedExpression, "couples 4 variables"),
        (sign(z1 * z2 * z3) * z1 * z2 * z3, (z1, z2, z3), UnsupportedExpression, "kinks of .* more than one"),
        (tanh(z1 + z2), (z1,), UnsupportedExpression, "z2 is free"),
        (exp(z1**2) * z2 - z1, (z1, z2), UnsupportedExpression, "has no expectation by itself"),
    ],
    ids=str,
)
def test_refusals(expr: sympy.Expr, variables: tuple, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        enclose(expr, variables)


@pytest.mark.slow
def test_the_best_ball_is_handed_on_at_the_end() -> None:
    expr = tanh(z1) * tanh(z1 + z2) * tanh(z2 + z3) * tanh(z3)
    start = time.process_time()
    with pytest.raises(BudgetExhausted) as caught, allowed(4):
        enclose(expr, (z1, z2, z3), digits=60)
    assert time.process_time() - start < 60  # only a loop that never looks at the time gets there
    assert caught.value.ball.overlaps(arb("0.10030446462537") + arb(0, arb(10) ** -12))


def test_a_proof_of_nonzero() -> None:
    expr = sin(12 * z1) * z1
    verdict, ball = separate_from_zero(lambda bits: enclose(expr, z1, digits=bits * 3 // 10))
    assert verdict is True and ball > 0
    assert ball.overlaps(ball_of(12 * exp(-72), 400))


def test_zero_is_never_proved_by_a_ball(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(effort, "MOST_BITS", 2000)
    zero = sympy.sin(1) ** 2 + sympy.cos(1) ** 2 - 1
    verdict, ball = separate_from_zero(lambda bits: ball_of(zero, bits))
    assert verdict is None
    assert ball.contains(0) and ball.rad() < 1e-200


def test_exact_zero() -> None:
    assert separate_from_zero(lambda bits: enclose(tanh(z1) * z2, (z1, z2)))[0] is None
    assert enclose(tanh(z1) * z2, (z1, z2)) == 0


def test_exhaustion_inside_the_decision() -> None:
    def narrow(bits: int) -> arb:
        if bits > 100:
            raise BudgetExhausted("no time", arb(2))
        return arb(0, 1)

    assert separate_from_zero(narrow) == (True, arb(2))
