"""`ha.expectation`: closed forms with parameters, numbers with evidence, digits that are proved."""

from __future__ import annotations

import math

import mpmath
import pytest
import sympy
from sympy import Rational, pi, sqrt

import hermite_analytics as ha
from hermite_analytics import Evidence, InputError, ParseError, UndefinedQuantity
from hermite_analytics.errors import BudgetExhausted


def test_closed_form_in_the_parameters():
    found = ha.expectation("relu(k + c*z1)**2")
    assert [p.name for p in found.parameters] == ["c", "k"] and found.evidence is Evidence.EXACT
    for k, c in ((0.3, 1.7), (-1.0, -0.5)):  # the sign of c does not matter
        number = found.at({"k": k, "c": c})

        def integrand(z, k=k, c=c):
            return max(k + c * z, 0) ** 2 * mpmath.npdf(z)

        expected = mpmath.quad(integrand, [-12, -k / c, 12])
        assert number.value == pytest.approx(float(expected), rel=1e-13)
        assert number.evidence is Evidence.EXACT and 0 < number.error < 1e-15


def test_gelu():
    found = ha.expectation("gelu(m + s*z1)**2").at({"m": 0, "s": 1})
    assert sympy.expand(found.exact - Rational(1, 3) - sqrt(3) / (6 * pi)) == 0


def test_where_the_closed_form_divides_by_zero():
    # at s = 0 the form is constant: E relu(m)^2 = m^2
    found = ha.expectation("relu(m + s*z1)**2")
    assert found.at({"m": 2, "s": 0}).exact == 4
    assert found.at({"m": -2, "s": 0}).exact == 0


@pytest.mark.parametrize(
    ("text", "top", "power"),
    [("hardtanh(a*z1 + b)**2", 1, 2), ("clip(a*z1 + b, -1, 3/2)", Rational(3, 2), 1)],
)
def test_a_division_by_zero_inside_phi_is_seen(text: str, top: Rational, power: int) -> None:
    # Phi and phi of an infinite argument without a sign are finite: nothing is left to see afterwards
    found = ha.expectation(text)
    for b in (Rational(3, 5), Rational(-2, 5), Rational(2), Rational(0)):
        right = min(max(b, -1), top) ** power
        assert found.at({"a": 0, "b": b}).exact == right, b
        assert found.evalf(20, {"a": 0, "b": b}) == sympy.Float(right, 20), b


@pytest.mark.slow
def test_digits_are_those_of_mpmath():
    with mpmath.workdps(70):
        for text, function in (
            ("tanh(z1)*z1", lambda z: mpmath.tanh(z) * z),
            ("exp(sin(z1))", lambda z: mpmath.exp(mpmath.sin(z))),
        ):
            expected = mpmath.quad(lambda z, f=function: f(z) * mpmath.npdf(z), mpmath.linspace(-17, 17, 35))
            digits = ha.expectation(text).evalf(60)
            assert abs(mpmath.mpf(str(digits)) / expected - 1) < mpmath.mpf(10) ** -58


def test_digits_of_a_closed_form():
    assert str(ha.expectation("max(z1, z2, z3)").evalf(50)) == str(sympy.N(3 / (2 * sqrt(pi)), 50))
    assert str(ha.expectation("sin(12*z1)*z1").evalf(20)) == str(sympy.N(12 * sympy.exp(-72), 20))


def test_zero_is_proved_or_open():
    for text, zero in (("sin(z1*z2)", True), ("tanh(z1)", True), ("sign(z1)*sign(z2+z3)*z1*z2", False)):
        assert ha.expectation(text).at().zero is zero
    assert ha.expectation("tanh(k + z1)").at({"k": 0}).zero is True
    assert ha.expectation("tanh(k + z1)").at({"k": "1e-30"}).zero is False


def test_forms_that_a_person_would_write():
    for text, form in (
        ("step(z1)*step(z1+z2)*step(z1+z2+z3)", "5/16"),  # three arcsines add up to pi/4
        ("max(z1, z2, z3)", "3/(2*sqrt(pi))"),
        ("erf(z1)**2", "2*asin(2/3)/pi"),
        ("relu(k + z1)", "k*Phi(k) + phi(k)"),
        ("gelu(z1)", "1/(2*sqrt(pi))"),
    ):
        assert str(ha.expectation(text)) == form


def test_coincident_thresholds_are_counted_once():
    # E |z/2| step(3 z) = E |z|/4, and a maximum of three forms that meet in 0
    assert ha.expectation("abs(z1/2)*step(3*z1)").exact == sqrt(2) / (4 * sqrt(pi))
    number = ha.expectation("max(z1, -2*z1, -2*z1/3)").at()
    assert number.zero is False and number.exact == 3 * sqrt(2) / (2 * sqrt(pi))


@pytest.mark.slow
def test_kernel():
    kernel = ha.expectation("tanh(k + z1)").compile()
    assert kernel(0.5) == pytest.approx(float(ha.expectation("tanh(k + z1)").at({"k": 0.5})), rel=1e-12)


def test_from_sympy():
    z1, a = sympy.Symbol("z1", real=True), sympy.Symbol("a", real=True)
    assert ha.expectation(sympy.exp(a * z1)).exact == sympy.exp(a**2 / 2)


def test_display():
    found = ha.expectation("relu(k + z1)")
    assert str(found) == "k*Phi(k) + phi(k)"
    assert found._repr_latex_() == r"$k \Phi\left(k\right) + \varphi\left(k\right)$"
    assert r"\mathbb{E}_{z_{1}}" in ha.expectation("tanh(k + z1)").latex


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("exp(z1**2)", r"E\|f\| is infinite: exp\(z1\*\*2\) against a Gaussian"),
        ("exp(z1*z2)", "infinite"),
        ("exp(z1**2/2)*cos(z1)", "infinite"),
        ("exp(z1**2 - z2**2)", "infinite"),
    ],
)
def test_undefined(text, reason):
    with pytest.raises(UndefinedQuantity, match=reason):
        ha.expectation(text)


def test_bad_input():
    with pytest.raises(ParseError, match="log is accepted where"):
        ha.expectation("log(z1)")
    with pytest.raises(InputError, match="is 3; accepted: text"):
        ha.expectation(3)
    found = ha.expectation("relu(k + z1)")
    with pytest.raises(InputError, match="no value for k"):
        found.at()
    with pytest.raises(InputError, match="'m' is not a parameter"):
        found.at({"k": 1, "m": 2})
    with pytest.raises(InputError, match="k is 'inf'"):
        found.at({"k": float("inf")})
    with pytest.raises(InputError, match="digits is 0"):
        found.evalf(0, {"k": 1})


def test_budget_is_kept_and_said():
    hard = ha.expectation("tanh(z1*z2)*tanh(z2*z3 + z1)*abs(z3 + tanh(z1))")
    with pytest.raises((BudgetExhausted, ha.UnsupportedExpression)):
        hard.evalf(60, seconds=0.5)
    number = hard.at(seconds=0.5)
    assert number.evidence in (Evidence.PROVED, Evidence.ESTIMATED, Evidence.UNDECIDED)
    assert number.zero is not True


def test_a_number_is_a_float():
    assert float(ha.expectation("abs(z1)")) == pytest.approx(math.sqrt(2 / math.pi), rel=1e-15)
    with pytest.raises(InputError, match=r"^no value for a; every parameter needs one$"):
        float(ha.expectation("a*z1**2"))
