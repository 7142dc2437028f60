"""Which moments are finite: True and False are proofs, None is "not decided"."""

from __future__ import annotations

import time

import pytest
import sympy
from sympy import (
    Abs,
    Max,
    Rational,
    Symbol,
    cos,
    cosh,
    erf,
    erfc,
    exp,
    log,
    sign,
    sin,
    sinh,
    sqrt,
    symbols,
    tanh,
)

from hermite_analytics import Target
from hermite_analytics.errors import InputError, UndefinedQuantity
from hermite_analytics.gaussian.integrability import Integrability, integrability
from hermite_analytics.gaussian.integrability.cells import Logistic, Mills, Soft, tail
from hermite_analytics.gaussian.integrability.steps import TooManySteps, charge, counted
from hermite_analytics.language.functions import (
    He,
    Phi,
    gelu,
    phi,
    relu,
    sigmoid,
    silu,
    softplus,
    step,
)

z1, z2, z3, z4 = VARIABLES = symbols("z1:5", real=True)
a, b, r, kappa = symbols("a b r kappa", real=True)
c = Symbol("c", positive=True)
HALF = Rational(1, 2)

ONE_VARIABLE = {
    # expression: {order: finite}
    exp(z1**2 / 2): {1: False},
    exp(z1**2 / 8): {1: True, 2: True, 3: True, 4: False},
    exp(-(z1**4)): {1: True},
    exp(z1**4): {1: False},
    exp(z1**3): {1: False},
    exp(-(Abs(z1) ** 3)): {1: True},
    exp(Abs(z1) ** 3): {1: False},
    exp(z1**2 / 2 - Abs(z1)): {1: True, 2: False},
    exp(z1**2 / 2 - z1): {1: False},
    exp(z1**2 / 2 - z1) * step(z1): {1: True},
    exp(z1**2 / 2) * cos(z1): {1: False},
    exp(z1**2 / 2) * sign(z1): {1: False},
    exp(z1**2 / 2) * step(z1) * step(1 - z1): {1: True, 5: True},
    exp(z1**2) * step(z1) * step(-z1): {1: True},
    exp(z1**2 / 2) * relu(1 - Abs(z1)): {1: True, 3: True},
    z1 * exp(z1**2 / 4 + 3 * z1): {1: True, 2: False},
    exp(z1**2 / 5 - 3 * Abs(z1)): {2: True, 3: False},
    exp(relu(z1) ** 2 / 3): {1: True, 2: False},
    exp(sign(z1) * z1**2 / 3): {1: True, 2: False},
    exp(z1 * silu(z1) / 4): {1: True, 2: False},
    He(3, exp(z1**2 / 20)): {3: True, 4: False},
    sinh(z1) ** 3: {1: True},
    gelu(z1) * exp(z1 / 2): {1: True},
    sqrt(cosh(z1**2 / 3)): {2: True, 3: False},
    Max(z1, exp(z1**2 / 5)): {2: True, 3: None},
}
TAILS = {
    exp(z1**2 / 2) * erfc(Abs(z1)): {1: True},
    exp(z1**2 / 2) * erfc(z1): {1: False},
    exp(z1**2) * (erf(z1) - 1) * step(z1): {1: True},
    exp(2 * z1**2) * (erf(z1) - 1) * step(z1): {1: False},
    exp(z1**2) * Phi(-Abs(z1)): {1: False},
    exp(z1**2) * Phi(-Abs(z1)) ** 2: {1: True, 2: True},
    exp(z1**2) * phi(z1) ** 2: {1: True},
    exp(z1**2 / 2) / cosh(z1): {1: True, 2: False},
    exp(z1**2 / 2) * sigmoid(-Abs(z1)): {1: True},
    exp(z1**2 / 2) / (1 + z1**2): {1: True, 2: False},
    exp(z1**2 / 2) / sqrt(1 + z1**2): {1: False},
}
TOWERS = {
    exp(exp(z1)): {1: False},
    exp(exp(exp(z1))): {1: False},
    exp(-exp(z1)): {1: True},
    exp(-exp(z1**2)): {1: True},
    exp(z1 - exp(z1)): {1: True},
    exp(exp(z1) - exp(2 * z1)): {1: True},
    exp(exp(-Abs(z1))): {1: True},
    exp(cosh(z1)): {1: False},
    exp(z1**2 / 8 + exp(z1)) * cosh(2 * z1 + 1): {1: False},
    exp(sinh(z1)): {1: False},
    cosh(exp(z1)): {1: False},
    exp(exp(z1 + z2)): {1: False},
    exp(-cosh(z1) * z2**2): {1: True},
    tanh(exp(z1**2)): {1: True},
    exp(tanh(z1) * 5): {1: True},
    exp(sin(z1**3)): {1: True},
    exp(softplus(z1)): {1: True},
    exp(softplus(z1**2) / 3): {1: True, 2: False},
    exp(erf(z1) * z2): {1: True},
    exp(z1 * sin(z1)): {1: True},
    exp(1 / z1): {1: None},
    exp(z2 * log(Abs(z1))): {1: None},
    exp(z1**2 * sin(z1)): {1: None},
}
SINGULAR = {
    1 / z1: {1: False},
    1 / z1**2: {1: False},
    1 / (z1 + z2): {1: False},
    z2 / z1: {1: False},
    cos(z1) / z1: {1: False},
    sin(z1) / z1: {1: None},
    1 / (z1**2 - 1): {1: False},
    step(z1 - 1) / z1: {1: True, 4: True},
    1 / (1 + z1**2): {1: True, 7: True},
    1 / (z1**2 - 2 * z1 + 2): {3: True},
    1 / (2 + cos(z1)): {3: True},
    Abs(z1) ** -HALF: {1: True, 2: False},
    1 / sqrt(Abs(z1 + z2) * Abs(z1 - z2)): {1: True, 2: False},
    exp(z1**2 / 3) / sqrt(Abs(z1)): {1: True},
    (Abs(z1) * Abs(z2) * Abs(z1 + z2)) ** Rational(-2, 3): {1: None},
    (Abs(z1) * Abs(z2) * Abs(z1 + z2)) ** Rational(-1, 2): {1: True},
    log(Abs(z1)): {1: True, 30: True},
    log(Abs(z1**2 - z2)): {2: True},
    log(sqrt(z1**2 + z2**2)): {1: True, 4: True},
    z1 * log(sqrt(Abs(z1 + z2)) ** Rational(1, 3)): {2: True},
    log(1 + z1**2): {1: True, 5: True},
    log(1 + exp(z1**2)): {4: True},
    sqrt(1 + z1**2): {1: True, 9: True},
}
SEVERAL_VARIABLES = {
    exp(z1 * z2 / 2): {1: True, 2: False},
    exp(z1 * z2): {1: False},
    exp(sqrt(2) * z1 * z2 / 2): {1: True},
    exp(z1**2 - z2**2): {1: False},
    exp(z1**2 / 4) * cos(z2): {1: True, 2: False},
    cosh(z1 * z2 / 3): {2: True, 3: False},
    exp(z1 * z2) * step(z1) * step(-z2): {1: True, 9: True},
    exp(z2**2) * step(z1) * step(1 - z1): {1: False},
    exp(z1**2 / 2 + z1) * step(1 - z2) * step(z2) * step(-z1): {1: True},
    exp((z1 - z2) ** 2 / 2) * step(z1) * step(z2): {1: False},
    exp((z1 - z2) ** 2 / 2 - z1 - z2) * step(z1) * step(z2): {1: True},
    exp(z1**2 / 2 + Abs(z2) - 2 * Abs(z1)): {1: True},
    exp((z1 + z2) ** 2 / 4): {1: False},
    exp((z1 + z2) ** 2 / 5): {1: True},
    exp(Abs(z1 * z2) / 2): {1: True, 2: False},
    exp(Abs(z1**2 - z2**2) / 3): {1: True, 2: False},
    exp(relu(z1) * relu(z2)): {1: False},
    exp(relu(z1) * relu(-z2) / 2): {1: True, 2: False},
    exp(-(z1**4) + z2**2 / 4): {1: True, 2: False},
    exp(-(z1**4) + 5 * z1**2 + z1 * z2 + z2**2 / 4): {1: True, 2: False},
    exp(-(z1**2) * z2**2): {1: True},
    exp(z1**2) * log(1 + z2**2): {1: False},
    (Phi(z1) + Phi(z2) + cosh(z3)) ** 20 * exp(z1**2 / 8): {1: True, 4: None},
    exp(z1**2 * z2): {1: False},
    exp(z1 * z2 * z3): {1: False},
    exp((z1 + z2 + z3) ** 2 / 7): {1: True},
    exp((z1 + z2 + z3) ** 2 / 6): {1: False},
    exp(z1 * z2 - z1 * z3 + z2 * z3) * step(z1) * step(-z2) * step(z3): {1: True, 10: True},
    exp(z1 * z2 + z1 * z3 + z2 * z3) * step(z1) * step(-z2) * step(z3): {1: False},
    exp(z1 * z2 - z1 * z3 + z2 * z3 + z3**2 / 2) * step(z1) * step(-z2) * step(z3): {1: None},
    exp(Max(z1, z2, z3) ** 2 / 3): {1: True, 2: False},
    exp(z1**2) * tanh(z1 * z2): {1: False},
    exp(z1**2) * (2 + sin(z2)): {1: False},
    exp(z1**2 / 3) * relu(z1**3 - z2 - 1): {1: True},
    sign(z1 * z2 * z3) * z4**4 * z1**40: {1: True, 8: True},
    (z1 + z2 + z3 + z4) ** 90 * exp(z1**2 / 4): {1: True, 2: False},
}
CANCELLING = {
    (sin(z1) ** 2 + cos(z1) ** 2 - 1) * exp(z1**2): {1: True},
    (sin(z1 + 1) - sin(1) * cos(z1) - cos(1) * sin(z1)) * exp(z1**2): {1: True},
    (cosh(z1) - exp(z1) / 2 - exp(-z1) / 2) * exp(z1**2): {1: True},
    (Phi(z1) + Phi(-z1) - 1) * exp(z1**2): {1: True},
    (Abs(z1) - relu(z1) - relu(-z1)) * exp(z1**2): {1: True},
    exp(z1**2) - exp(z1**2 + z2): {1: False},
    exp(z1**2) * (tanh(z1) + 2): {1: False},
    exp(z1**2) - exp(z1**2 + sin(z1)): {1: None},
}
PARAMETERS = {
    exp(a * z1**2): {1: None},
    exp(-c * z1**2): {1: True},
    exp(z1**2 - c * z2**2): {1: False},
    exp(a * z1): {3: True},
    exp(z1**2 / 4 + a * z2): {1: True, 2: False},
    exp(z1**2 / 2 + a * z1): {1: False},
    exp(z1**2 / 2 - c * Abs(z1)): {1: True},
    exp(z1**2 / 2 - a * Abs(z1)): {1: None},
    c * exp(z1**2): {1: False},
    a * exp(z1**2): {1: None},
    exp(z1**2 + a * z2) - exp(z1**2): {1: None},
    exp(z1**2) * sin(a * z2): {1: None},
    exp(z1**2) * (a + b * z2): {1: None},
    relu(r * kappa + sqrt(c) * z1) ** 2: {1: True, 4: True},
    exp(relu(r * kappa + sqrt(c) * z1)): {1: True},
    exp(z1**2) * relu(r * kappa + sqrt(c) * z1): {1: False},
    exp(z1**2 / 3) * relu(r * kappa + sqrt(c) * z1) * step(r * kappa + sqrt(c) * z1): {1: True},
}
GROUPS = [ONE_VARIABLE, TAILS, TOWERS, SINGULAR, SEVERAL_VARIABLES, CANCELLING, PARAMETERS]
CASES = [(e, n, finite) for group in GROUPS for e, orders in group.items() for n, finite in orders.items()]


@pytest.mark.cases(12)
@pytest.mark.parametrize(("expr", "order", "finite"), CASES, ids=str)
def test_moments(expr: sympy.Expr, order: int, finite: bool | None) -> None:
    found = integrability(expr, VARIABLES, order)
    assert found.finite is finite, found.reason
    assert found.reason and "\n" not in found.reason


def test_reasons() -> None:
    reasons = {
        exp(z1**2): "E|f| is infinite: exp(z1**2) against a Gaussian",
        1 / (z1 + z2): "E|f| is infinite: 1/(z1 + z2) is not integrable at z1 + z2 = 0",
        exp(exp(z1)): "E|f| is infinite: exp of a function that grows like an exponential",
        relu(z1) ** 3: "|f| grows at most like a polynomial",
        exp(z1): "|f| grows at most like exp(C|z|^p) with p < 2",
        exp(a * z1**2): "not decided: the sign of 1 - 2*a is not known",
        a * exp(z1**2): "not decided: a may be 0; otherwise E|f| is infinite: exp(z1**2) against a Gaussian",
    }
    for expr, reason in reasons.items():
        assert integrability(expr, VARIABLES).reason == reason
    assert integrability(1 / sqrt(Abs(z1)), [z1], 2).reason == (
        "E|f|^2 is infinite: 1/sqrt(z1) is not integrable at z1 = 0"
    )


def test_constants_and_what_is_not_real() -> None:
    assert integrability(a + 1, VARIABLES) == Integrability(True, "f is a constant")
    assert integrability(exp(z1**2) - exp(z1**2), VARIABLES).finite is True
    for expr in (sympy.I * z1, log(z1), sqrt(z1), sympy.gamma(z1)):
        assert integrability(expr, VARIABLES).finite is None


def test_variables_without_assumptions_are_real() -> None:
    z = Symbol("z")
    assert integrability(exp(Abs(z) ** 2 / 3), [z]).finite is True
    assert integrability(exp(Abs(z) ** 2 / 3), [z], 2).finite is False


@pytest.mark.parametrize("order", [0, -1, HALF - 1, sqrt(2)])
def test_orders_that_are_refused(order: object) -> None:
    with pytest.raises(InputError, match="the order of a moment is a positive rational number"):
        integrability(z1, [z1], order)  # type: ignore[arg-type]


def test_broken_orders() -> None:
    assert integrability(exp(z1**2), [z1], Rational(1, 3)).finite is True
    assert integrability(exp(z1**2), [z1], HALF).finite is False


def test_many_kinks_are_left_open_or_decided_without_cells() -> None:
    forms = [z1 + k * z2 + j for k in range(-4, 5) for j in range(4)]
    network = sympy.Add(*(relu(form) for form in forms))
    assert integrability(network**3, VARIABLES, 2).finite is True
    found = integrability(exp(network**2 / 10**6), VARIABLES)
    assert found.reason == "not decided: more than 16 kinks"


MANY = symbols("z1:13", real=True)
SECONDS = 60.0  # of processor time: only an analysis without end gets there, and no speed is measured


def _form(i: int) -> sympy.Expr:
    return sympy.Add(*((7 * i * j % 11 - 5) * x for j, x in enumerate(MANY[:8])))


HARD = {
    "powers of Hermite polynomials": (exp(z1**2 / 3) * He(150, z1 + z2), True),
    "Hermite of exponentials": (exp(z1**2 / 3) * He(200, exp(z1) + z2), True),
    "Hermite, too large": (exp(z1**2) * He(200, z1 + z2), False),
    "maximum of eight": (exp(z1**2 / 3) * Max(*MANY[:8]), True),
    "six soft kinks": (exp(z1**2 / 3) * sympy.Mul(*(gelu(x) for x in MANY[:6])), True),
    "squared maximum of twelve": (exp(Max(*MANY) ** 2 / 8), None),
    "ten kinks in eight variables": (
        exp(z1 * z2 / 4)
        * sympy.Mul(
            *(relu(sum((7 * i * j % 11 - 5) * x for j, x in enumerate(MANY[:8]))) for i in range(1, 11))
        ),
        None,
    ),
    "a cubic exponent with kinks": (exp(z1 * z2 * z3 / 10) * relu(z1 + z2 + z3 + z4) * relu(z1 - z2), False),
}


@pytest.mark.cases(1)
@pytest.mark.parametrize("name", HARD)
def test_hard_questions_end_soon(name: str) -> None:
    expr, finite = HARD[name]
    start = time.process_time()
    found = integrability(expr, MANY)
    assert time.process_time() - start < SECONDS
    assert found.finite is finite
    assert integrability(expr, MANY) == found  # no clock decides


@pytest.mark.slow
def test_steps_are_counted() -> None:
    assert integrability(exp(Max(*MANY) ** 2 / 8), MANY).reason == "not decided: more than 250000 steps"
    with counted(100):
        charge(100)
        with pytest.raises(TooManySteps):
            charge(1)
    charge(10**9)  # outside of a decision nothing is counted


def test_a_density_of_anything_is_bounded() -> None:
    text = "exp(z1*z2/8)*cosh(z2) + sinh(z2)*phi(-3*leaky_relu(3*z1 + 1, 1/10)*sqrt(2 + (3*z1 - 2)**2))"
    assert Target(text).dimension == 2
    assert Target("exp(z1**2)*phi(2*z1)").dimension == 1  # its decay counts as well
    with pytest.raises(UndefinedQuantity, match=r"E\|f\| is infinite"):
        Target("exp(z1**2)*phi(z1)")


@pytest.mark.parametrize("function", [Phi, sigmoid, softplus, tanh, erf, erfc, silu, gelu])
def test_tails_are_the_function(function):
    """Also of functions that are formulas in others: with what falls like an exponential written out."""
    t = Symbol("t", real=True)
    for side in (-1, 1):
        form = tail(function(t), side)
        form = form.replace(Mills, lambda x: exp(x**2 / 2) * Phi(-x))
        form = form.replace(Logistic, lambda x: exp(x) * sigmoid(-x))
        form = form.replace(Soft, lambda x: exp(x) * softplus(-x))
        for size in (Rational(1, 3), Rational(7, 2)):
            exact = function(side * size).evalf(30)
            assert abs(form.subs(t, side * size).evalf(30) - exact) < 1e-25
