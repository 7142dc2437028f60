"""`GaussianExpectation` as a sympy expression."""

from __future__ import annotations

import pickle

import mpmath
import pytest
import sympy
from sympy import Rational, Symbol, cos, exp, pi, sin, sqrt, tanh

from hermite_analytics import GaussianExpectation, UndefinedQuantity
from hermite_analytics.symbols import c, kappa, z
from tests.symbolic.references import expectation

a, b = Symbol("a", real=True), Symbol("b", real=True)


def mean(expr: sympy.Expr) -> GaussianExpectation:
    return GaussianExpectation(expr, z)


def test_parts() -> None:
    node = mean(tanh(a + b * z))
    assert node.integrand == tanh(a + b * z)
    assert node.variables == (z,)
    assert node.free_symbols == {a, b}
    assert node.bound_symbols == [z]
    assert node.is_extended_real
    assert GaussianExpectation(sin(z), [z]) == mean(sin(z))


def test_expectation_is_linear() -> None:
    first, second = sympy.Abs(z), exp(z) * z
    together = mean(a * first - 3 * second).doit()
    apart = a * mean(first).doit() - 3 * mean(second).doit()
    assert sympy.expand(together - apart) == 0
    value = mean(2 * tanh(z) ** 2 - exp(z) * z).evalf(25)
    assert abs(value - (2 * mean(tanh(z) ** 2) - mean(exp(z) * z)).evalf(25)) < 1e-22


def test_constants() -> None:
    assert mean(a * pi).doit() == a * pi
    assert mean(sympy.Integer(3)).doit() == 3
    assert mean(sqrt(2) / 3).evalf(30) == (sqrt(2) / 3).evalf(30)


def test_doit_leaves_what_no_rule_covers() -> None:
    node = mean(tanh(a + z))
    assert node.doit() is node
    assert (1 + 2 * node).doit() == 1 + 2 * node
    assert (node + mean(z**2)).doit() == node + 1


@pytest.mark.slow
@pytest.mark.parametrize("digits", [15, 30, 60])
def test_evalf(digits: int) -> None:
    found = mean(tanh(Rational(1, 3) + z) ** 2).evalf(digits)
    with mpmath.workdps(digits + 15):
        reach = 14 if digits < 40 else 24
        expected = expectation(lambda t: mpmath.tanh(mpmath.mpf(1) / 3 + t) ** 2, (), reach)
        assert mpmath.almosteq(found._to_mpmath(4 * digits), expected, mpmath.mpf(10) ** (1 - digits))


def test_evalf_keeps_the_digits_of_a_small_mean() -> None:
    small = tanh(z) * exp(z) - tanh(z) * exp(z) * (1 - Rational(1, 10**12) * z)
    found = mean(small).evalf(20)
    assert abs(found * 10**12 / mean(z * tanh(z) * exp(z)).evalf(20) - 1) < 1e-17
    tail = mean(1 - tanh(60 + z / 10) ** 2).evalf(20)  # 1 - (1 - 2e-52)
    assert abs(tail / (4 * exp(-120 + Rational(1, 50))).evalf(20) - 1) < 1e-18
    odd = mean(sympy.sin(z - Rational(1, 10**20)) * tanh(z) ** 2).evalf(15)
    expected = -(mean(cos(z) * tanh(z) ** 2).evalf(20)) / 10**20
    assert abs(odd / expected - 1) < 1e-13


def test_free_parameters_have_no_digits() -> None:
    node = mean(tanh(a + z))
    assert node.evalf() == node
    assert (node + pi).evalf(20).has(GaussianExpectation)
    assert node.subs(a, 0).doit() == 0


@pytest.mark.slow
def test_derivative_in_a_parameter() -> None:
    node = mean(tanh(a + b * z))
    assert node.diff(a) == mean(1 - tanh(a + b * z) ** 2)
    assert node.diff(Symbol("other")) == 0
    assert node.diff(z) == 0
    point = {a: Rational(1, 5), b: Rational(3, 4)}
    with mpmath.workdps(30):  # by parts, without a derivative: E[x f(a + b x)]/b
        numeric = expectation(lambda x: x * mpmath.tanh(mpmath.mpf("0.2") + x * 3 / 4)) * 4 / 3
        assert mpmath.almosteq(node.diff(a).subs(point).evalf(20)._to_mpmath(80), numeric, 1e-18)
    assert mean(exp(a * z)).diff(a).doit() == a * exp(a**2 / 2)


def test_substitution_leaves_the_bound_variable_alone() -> None:
    node = mean(tanh(a + z))
    assert node.subs(z, 3) == node
    assert (z + node).subs(z, 3) == 3 + node
    assert (sin(z) + mean(sin(z) * a)).subs(sin(z), 5) == 5 + mean(sin(z) * a)
    assert (z**2 + mean(a * z**2)).subs(z**2, 7) == 7 + mean(a * z**2)


def test_substitution_does_not_capture() -> None:
    node = mean((a + z) ** 2)
    moved = node.subs(a, z)  # the new z is free, the old one bound
    assert moved.free_symbols == {z}
    assert sympy.expand(moved.doit()) == z**2 + 1
    moved = node.subs(a, 2 * z + b)
    assert sympy.expand(moved.doit() - ((2 * z + b) ** 2 + 1)) == 0
    assert node.subs({a: b, b: 1}, simultaneous=True) == mean((b + z) ** 2)


def test_equality_and_hash() -> None:
    assert mean(tanh(a + z)) == mean(tanh(z + a))
    assert hash(mean(tanh(a + z))) == hash(mean(tanh(z + a)))
    assert mean(tanh(z)) != GaussianExpectation(tanh(kappa), kappa)
    assert len({mean(tanh(z)), mean(tanh(z)), mean(tanh(z) ** 2)}) == 2


def test_pickles() -> None:
    expr = 2 * mean(tanh(a + sqrt(c) * z)) + 1
    assert pickle.loads(pickle.dumps(expr)) == expr


def test_printing() -> None:
    assert str(mean(tanh(a + z))) == "E[tanh(a + z)]"
    assert sympy.latex(mean(z**2)) == r"\mathbb{E}_{z}\left[z^{2}\right]"
    assert sympy.latex(mean(tanh(z)) ** 2) == r"\mathbb{E}_{z}\left[\tanh{\left(z \right)}\right]^{2}"


def test_several_variables() -> None:
    y = Symbol("y", real=True)
    node = GaussianExpectation(tanh(y * z), (y, z))
    assert node.doit() == 0  # odd in z
    square = GaussianExpectation(tanh(y * z) ** 2, (y, z))
    assert square.doit() is square
    assert GaussianExpectation(z**2, (y, z)).doit() == 1


def test_infinite_expectations_have_no_digits() -> None:
    with pytest.raises(UndefinedQuantity, match="is infinite"):
        mean(exp(z**2) * tanh(z) ** 2).evalf()
