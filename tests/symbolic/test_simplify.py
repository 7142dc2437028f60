"""Closed forms as a person would write them, and the identities that lead there."""

from __future__ import annotations

import pytest
import sympy
from sympy import Abs, I, Rational, asin, atan, erf, erfc, erfi, exp, pi, sqrt

import hermite_analytics as ha
from hermite_analytics.gaussian.angle_forms import shortest_angles
from hermite_analytics.gaussian.enclosure import ball_of
from hermite_analytics.gaussian.parts import real_part
from hermite_analytics.gaussian.polish import polished
from hermite_analytics.gaussian.simplify import tidy
from hermite_analytics.language.functions import Phi, phi

a, b, x = sympy.symbols("a b x", real=True)

PRINTED = {
    # real forms of complex shifts (G10)
    "sign(z1)*sin(2*z1)": "exp(-2)*erfi(sqrt(2))",
    "abs(z1)*cos(w*z1)": "sqrt(2/pi) - w*exp(-w**2/2)*erfi(sqrt(2)*w/2)",
    "Phi(z1)*sin(z1)": "exp(-1/2)*erfi(1/2)/2",
    "step(z1 - 1)*cos(2*z1)": "exp(-2)*re(erfc(sqrt(2)/2 + sqrt(2)*I))/2",
    "step(z1 - 1)*sin(2*z1)": "-exp(-2)*im(erfc(sqrt(2)/2 + sqrt(2)*I))/2",
    "step(1 - z1)*sin(2*z1)": "exp(-2)*im(erfc(sqrt(2)/2 + sqrt(2)*I))/2",
    "Phi(z1 + 1)*cos(z1)": "-exp(-1/2)*re(erfc(1/2 + I/2))/2 + exp(-1/2)",
    # angles
    "max(z1, z2, z3, z4)": "6*atan(sqrt(2))/pi**(3/2)",
    "max(z1, z2, z3, z4, z5)": "15*asin(1/3)/(2*pi**(3/2)) + 5/(4*sqrt(pi))",
    "sign(z1)*sign(z1 + 2*z2)": "2*atan(1/2)/pi",
    "sign(z1)*sign(3*z1 + 4*z2)": "2*asin(3/5)/pi",
    "erf(z1)*sign(z1)": "2*atan(sqrt(2))/pi",
    "erf(a*z1)*sign(z1)": "2*atan(sqrt(2)*a)/pi",
    "erf(z1)**2": "2*asin(2/3)/pi",
    "relu(z1 + z2)*relu(z1 - 2*z2)": "-atan(3)/(2*pi) + 3/(2*pi)",
    "z1*Phi(z1)**3": "3*atan(sqrt(2))/(2*pi**(3/2))",
    # absolute values of parameters
    "relu(k + c*z1)": "k*Phi(k/Abs(c)) + Abs(c)*phi(k/Abs(c))",
    "abs(k + c*z1)": "k*erf(sqrt(2)*k/(2*Abs(c))) + 2*Abs(c)*phi(k/Abs(c))",
    "exp(-abs(a*z1))": "2*exp(a**2/2)*Phi(-Abs(a))",
    # densities and distribution functions
    "abs(z1**2 - 1)": "4*phi(1)",
    "z1*sign(z1 - 1)": "2*phi(1)",
    "max(z1, 0)*max(z1, 1)": "sqrt(2/pi)/2 + Phi(-1)",
    "relu(z1)*exp(z1)": "sqrt(2/pi)/2 + exp(1/2)*Phi(1)",
    "gelu(z1)": "1/(2*sqrt(pi))",
    "gelu(z1)**2": "sqrt(3)/(6*pi) + 1/3",
    "gelu(m + s*z1)": "m*Phi(m/sqrt(s**2 + 1)) + s**2*phi(m/sqrt(s**2 + 1))/sqrt(s**2 + 1)",
    "erf(m + s*z1)": "erf(m/sqrt(2*s**2 + 1))",
    # waves
    "sin(m + s*z1)": "exp(-s**2/2)*sin(m)",
    "sin(m + s*z1)**2": "1/2 - exp(-2*s**2)*cos(2*m)/2",
    "sin(m + s*z1)**3": "3*exp(-s**2/2)*sin(m)/4 - exp(-9*s**2/2)*sin(3*m)/4",
}


@pytest.mark.cases(12)
@pytest.mark.parametrize("text", PRINTED)
def test_printed_forms(text: str) -> None:
    assert str(ha.expectation(text)) == PRINTED[text]


def test_only_one_complex_number_of_a_conjugate_pair_is_shown() -> None:
    for text in ("cos(z1)*abs(z1 - 1)", "step(z1)*exp(z1/2)*sin(z1)", "sin(3*z1)*step(-1 - z1)*z1"):
        found = ha.expectation(text).exact
        shown = found.atoms(erfc)
        assert len(shown) == 1
        (argument,) = shown.pop().args
        assert all(part > 0 for part in argument.as_real_imag())


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("side", [1, -1])
def test_parts_of_erfc(sign: int, side: int) -> None:
    argument = sign * Rational(1, 2) + side * sqrt(2) * I / 3
    for factor in (1, I):
        found = real_part(factor * erfc(argument))
        assert abs(sympy.N(found - sympy.re(factor * erfc(argument).evalf(40)), 30, maxn=60)) < 1e-25
        assert ball_of(found, 100).rel_accuracy_bits() > 80
    assert real_part(I * erfc(I * x)) == erfi(x)


@pytest.mark.parametrize("value", [
    asin(Rational(1, 3)) / pi + Rational(1, 2),
    2 * asin(Rational(1, 3)) - pi,
    3 * asin(Rational(3, 5)) / pi ** Rational(3, 2) - 3 / (2 * sqrt(pi)),
    -asin(sqrt(10) / 10) / 7 + pi / 14,
    asin(-Rational(1, 5)) + pi / 2 - asin(sqrt(5) / 5),
    asin(sqrt(2) / 3) + pi / 2,
    asin(sqrt(sqrt(2) - 1)) + pi / 2,
    asin(Rational(1, 3)) * asin(Rational(2, 3)) + pi * asin(Rational(1, 3)) / 2,
    asin(Rational(1, 3)) ** 2 + pi**2 / 4,
    sqrt(2) * asin(Rational(1, 4)) - 1,
], ids=str)  # fmt: skip
def test_angles_keep_their_value(value: sympy.Expr) -> None:
    found = shortest_angles(value)
    assert abs(sympy.N(found - value, 15, maxn=80)) < 1e-40
    assert len(sympy.Add.make_args(found)) <= len(sympy.Add.make_args(value))
    assert shortest_angles(found) == found


def test_angles() -> None:
    assert shortest_angles(asin(Rational(1, 3)) + pi / 2) == 2 * atan(sqrt(2))
    assert shortest_angles(asin(Rational(1, 3)) - pi / 2) == -atan(2 * sqrt(2))
    assert shortest_angles(asin(Rational(3, 5)) + pi / 2) == 2 * atan(2)
    assert shortest_angles(asin(sqrt(6) / 6)) == asin(sqrt(6) / 6)
    assert polished(asin(a / sqrt(a**2 + 1))) == atan(a)
    assert polished(asin(a / sqrt(a**2 + b**2))) == asin(a / sqrt(a**2 + b**2))  # b = 0 stays allowed


def test_small_identities() -> None:
    assert polished(a**2 * x / Abs(a)) == x * Abs(a)
    assert polished(a**3 / Abs(a)) == a * Abs(a)
    assert polished(a / Abs(a)) == a / Abs(a)
    assert polished(a * exp(Rational(1, 2)) * phi(1)) == a / sqrt(2 * pi)
    assert polished(exp(1) * phi(1)) == exp(1) * phi(1)
    assert polished(a - a * Phi(x)) == a * Phi(-x)
    assert polished(2 - 2 * erf(x)) == 2 * erfc(x)
    assert polished(2 - Phi(x)) == 2 - Phi(x)


def test_a_rational_combination_of_angles_is_that_number() -> None:
    value = (asin(1 / sqrt(3)) + asin(sqrt(Rational(2, 3)))) / (4 * pi) + Rational(3, 16)
    assert tidy(value) == Rational(5, 16)


def test_large_expressions_are_left_alone() -> None:
    large = sympy.Add(*(sympy.sin(a * k) * Phi(b + k) / (k + a) for k in range(1, 200)))
    assert tidy(large) == large
