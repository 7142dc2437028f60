"""Closed forms of mu0, mu1, mu2_squared against quadrature and against formulas typed by hand."""

from __future__ import annotations

from collections.abc import Callable

import mpmath
import pytest
import sympy
from sympy import E, Expr, Integer, Rational, asin, cos, erf, exp, pi, sin, sqrt

from hermite_analytics import Activation, GaussianExpectation, UndefinedQuantity, conditional_coefficients
from hermite_analytics.language.functions import OwenT, Phi, phi
from hermite_analytics.symbols import c, kappa, r, z
from tests.symbolic.references import CLOSED, coefficients

POINTS = [  # (kappa, c, r)
    (Rational(7, 10), Rational(13, 10), Integer(1)),
    (Rational(-19, 10), Rational(3, 5), Rational(7, 4)),
    (Integer(0), Rational(9, 4), Integer(2)),
    (Rational(5, 2), Rational(1, 5), Rational(-1, 3)),
]


@pytest.mark.slow
@pytest.mark.draws(12, spread=True)  # every fourth one of each family
@pytest.mark.parametrize("name", CLOSED)
def test_closed_forms_by_quadrature(name: str) -> None:
    found = conditional_coefficients(Activation(name))
    assert not any(e.has(GaussianExpectation) for e in found.values())
    for point in POINTS:
        values = dict(zip((kappa, c, r), point, strict=True))
        with mpmath.workdps(32):
            numbers = [mpmath.mpf(int(v.p)) / int(v.q) for v in point]
            *expected, square = coefficients(name, *numbers)
            for expr, reference in zip(found.values(), expected, strict=True):
                value = sympy.N(expr.subs(values), 25, maxn=200)._to_mpmath(100)
                # the reference subtracts: its digits count on the scale of E sigma^2
                assert mpmath.almosteq(value, reference, 1e-20, 1e-20 * (1 + square))


s, q = r * kappa, sqrt(c)
h = s / sqrt(1 + c)
mean2 = s**2 + c
TABLE: dict[str, tuple[Expr, Expr, Expr]] = {  # mu0, mu1, E sigma^2
    "sign(z)": (erf(s / sqrt(2 * c)), sqrt(2 / (pi * c)) * exp(-(s**2) / (2 * c)), Integer(1)),
    "step(z)": (Phi(s / q), phi(s / q) / q, Phi(s / q)),
    "relu(z)": (
        s * Phi(s / q) + q * phi(s / q),
        Phi(s / q),
        mean2 * Phi(s / q) + s * q * phi(s / q),
    ),
    "abs(z)": (
        s * erf(s / sqrt(2 * c)) + sqrt(2 * c / pi) * exp(-(s**2) / (2 * c)),
        erf(s / sqrt(2 * c)),
        mean2,
    ),
    "sin(z)": (exp(-c / 2) * sin(s), exp(-c / 2) * cos(s), (1 - exp(-2 * c) * cos(2 * s)) / 2),
    "cos(z)": (exp(-c / 2) * cos(s), -exp(-c / 2) * sin(s), (1 + exp(-2 * c) * cos(2 * s)) / 2),
    "exp(z)": (exp(s + c / 2), exp(s + c / 2), exp(2 * s + 2 * c)),
    "erf(z/sqrt(2))": (
        erf(h / sqrt(2)),
        2 * phi(h) / sqrt(1 + c),
        1 - 8 * OwenT(h, 1 / sqrt(1 + 2 * c)),
    ),
    "erf(z)": (
        erf(s / sqrt(1 + 2 * c)),
        2 / sqrt(pi * (1 + 2 * c)) * exp(-(s**2) / (1 + 2 * c)),
        1 - 8 * OwenT(s * sqrt(2 / (1 + 2 * c)), 1 / sqrt(1 + 4 * c)),
    ),
    "Phi(z)": (Phi(h), phi(h) / sqrt(1 + c), Phi(h) - 2 * OwenT(h, 1 / sqrt(1 + 2 * c))),
    "exp(-z**2/2)": (
        exp(-(s**2) / (2 * (1 + c))) / sqrt(1 + c),
        -s / (1 + c) ** Rational(3, 2) * exp(-(s**2) / (2 * (1 + c))),
        exp(-(s**2) / (1 + 2 * c)) / sqrt(1 + 2 * c),
    ),
    "z**3": (
        s**3 + 3 * c * s,
        3 * (s**2 + c),
        s**6 + 15 * c * s**4 + 45 * c**2 * s**2 + 15 * c**3,
    ),
    "He(3, z)": (
        s**3 + 3 * (c - 1) * s,
        3 * (s**2 + c - 1),
        (s**6 + 15 * c * s**4 + 45 * c**2 * s**2 + 15 * c**3)
        - 6 * (s**4 + 6 * c * s**2 + 3 * c**2)
        + 9 * mean2,
    ),
    "leaky_relu(z, 1/4)": (
        Rational(3, 4) * (s * Phi(s / q) + q * phi(s / q)) + s / 4,
        Rational(3, 4) * Phi(s / q) + Rational(1, 4),
        Rational(15, 16) * (mean2 * Phi(s / q) + s * q * phi(s / q)) + mean2 / 16,
    ),
    "gelu(z)": (
        s * Phi(h) + c * phi(h) / sqrt(1 + c),
        Phi(h) + s * phi(h) / (1 + c) ** Rational(3, 2),
        mean2 * (Phi(h) - 2 * OwenT(h, 1 / sqrt(1 + 2 * c)))
        + 2 * s * c * (2 + c) / (1 + c) ** Rational(3, 2) * phi(h) * Phi(h / sqrt(1 + 2 * c))
        + 2 * c**2 / ((1 + c) * sqrt(1 + 2 * c)) * phi(h) * phi(h / sqrt(1 + 2 * c)),
    ),
}


@pytest.mark.cases(3)
@pytest.mark.parametrize("name", TABLE)
def test_closed_forms_by_hand(name: str) -> None:
    found = conditional_coefficients(Activation(name))
    mu0, mu1, square = TABLE[name]
    by_hand = (mu0, mu1, square - mu0**2 - c * mu1**2)
    for point in POINTS:
        values = dict(zip((kappa, c, r), point, strict=True))
        for expr, reference in zip(found.values(), by_hand, strict=True):
            difference = sympy.N((expr - reference).subs(values), 10, maxn=60)
            assert abs(difference) < 1e-28


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("relu(z)", (0.8879941358872854, 0.7303727144565288, 0.08906924591500287)),
        ("erf(z/sqrt(2))", (0.3556076563549545, 0.4729490309643939, 0.03265359360184228)),
        ("sign(z)", (0.46074542891305775, 0.5795895934887925, 0.35101232379106767)),
        ("sin(z)", (0.3363111229371857, 0.3992826337605253, 0.1733281865381309)),
        ("step(z)", (0.7303727144565288, 0.28979479674439634, 0.08775308094776688)),
    ],
)
def test_known_answers(name: str, expected: tuple[float, float, float]) -> None:
    values = {kappa: Rational(7, 10), c: Rational(13, 10), r: 1}
    found = [float(e.subs(values).evalf(20)) for e in conditional_coefficients(Activation(name)).values()]
    assert found == pytest.approx(expected, rel=0, abs=1e-14)


def test_the_forms_that_a_person_would_write() -> None:
    printed = {
        "relu(z)": ("sqrt(c)*phi(kappa*r/sqrt(c)) + kappa*r*Phi(kappa*r/sqrt(c))", "Phi(kappa*r/sqrt(c))"),
        "erf(z)": ("erf(kappa*r/sqrt(2*c + 1))", None),
        "sin(z)": ("exp(-c/2)*sin(kappa*r)", "exp(-c/2)*cos(kappa*r)"),
        "sign(z)": ("erf(sqrt(2)*kappa*r/(2*sqrt(c)))", None),
        "z**2": ("c + kappa**2*r**2", "2*kappa*r"),
        "exp(z)": ("exp(c/2 + kappa*r)", "exp(c/2 + kappa*r)"),
    }
    for name, (mean, slope) in printed.items():
        found = conditional_coefficients(Activation(name))
        assert str(found.mu0) == mean
        assert slope is None or str(found.mu1) == slope


def test_linear_activations_leave_no_residual() -> None:
    found = conditional_coefficients(Activation("2*z - 1"))
    assert found.mu2_squared == 0
    assert (found.mu0, found.mu1) == (2 * kappa * r - 1, 2)


def mean(expr: Expr) -> Expr:
    return GaussianExpectation(expr, z).doit()


EXPECTATIONS: list[tuple[Expr, Expr]] = [
    (z**6, Integer(15)),
    (sympy.Abs(z), sqrt(2) / sqrt(pi)),
    (sympy.Abs(z) ** 3, 2 * sqrt(2 / pi)),
    (exp(-sympy.Abs(z)), 2 * exp(Rational(1, 2)) * Phi(-1)),
    (erf(z) ** 2, 2 / pi * asin(Rational(2, 3))),
    (erf(z) * sympy.sign(z), 2 / pi * sympy.atan(sqrt(2))),
    (sin(z) ** 2, (1 - exp(-2)) / 2),
    (z * sin(z), exp(-Rational(1, 2))),
    (z**2 * exp(-(z**2)), 1 / (3 * sqrt(3))),
    (cos(z) * exp(-(z**2) / 2), exp(-Rational(1, 4)) / sqrt(2)),
    (Phi(z) ** 2, Rational(1, 3)),
    (Phi(z) ** 4, Rational(1, 5)),
    (z * Phi(z), 1 / (2 * sqrt(pi))),
    ((z * Phi(z)) ** 2, Rational(1, 3) + sqrt(3) / (6 * pi)),
    (exp(2 * z), E**2),
    (z**3 * exp(z), 4 * sqrt(E)),
    (sympy.Max(z, 0) * sympy.Max(-z, 0), Integer(0)),
    (sympy.Max(z, 1), Phi(1) + phi(1)),
    (sympy.Abs(z**2 - 1), 4 * phi(1)),
    (sympy.Max(z, 1, z**2), 1 + 2 * phi(1)),
    (sympy.Min(sympy.Max(z, -1), 1) ** 2, 1 - 2 * phi(1)),
    (sympy.sign(z**3 - z) * z, 2 * (2 * exp(-Rational(1, 2)) - 1) / sqrt(2 * pi)),
    (sympy.tanh(z), Integer(0)),
    (z * sympy.tanh(z) ** 2, Integer(0)),
    (sin(z) ** 3 * sympy.tanh(z) ** 2, Integer(0)),
]


@pytest.mark.parametrize(("expr", "expected"), EXPECTATIONS, ids=lambda e: str(e))
def test_expectations_without_parameters(expr: Expr, expected: Expr) -> None:
    found = mean(expr)
    assert not found.has(GaussianExpectation)
    assert abs(sympy.N(found - expected, 15, maxn=60)) < 1e-30


@pytest.mark.parametrize("name", ["tanh", "sigmoid", "softplus", "silu"])
def test_functions_without_closed_form_stay_expectations(name: str) -> None:
    for expr in conditional_coefficients(Activation(name)).values():
        assert expr.has(GaussianExpectation)


@pytest.mark.parametrize("name", ["sign(sin(z))", "sin(z**2)", "abs(z**5 - z - 1)", "abs(sin(z))"])
def test_what_no_rule_covers_still_has_digits(name: str) -> None:
    activation = Activation(name)
    node = GaussianExpectation(activation.expression, z)
    value = node.doit()
    assert sympy.N(value, 15) == pytest.approx(float(sympy.N(node, 15)), rel=1e-14)


def test_infinite_expectations_are_refused() -> None:
    for expr in (exp(z**2), exp(z**2 / 2) * z, exp(z**2 / 2) * cos(z)):
        with pytest.raises(UndefinedQuantity, match=r"E\|f\| is infinite"):
            mean(expr)


def test_terms_that_cancel_are_combined_before_integrability_is_judged() -> None:
    expr = (exp(z**2) + z) ** 2 - exp(2 * z**2) - 2 * z * exp(z**2)
    assert mean(expr) == 1
    waves = exp(z**2) * (cos(z) ** 2 + sin(z) ** 2 - 1)  # zero: nothing is claimed of it
    assert mean(waves).has(GaussianExpectation) or mean(waves) == 0


def test_hermite_orthogonality() -> None:
    def he(k: int) -> Callable[[Expr], Expr]:
        from hermite_analytics.language.functions import He

        return lambda x: He(k, x)

    for j in range(6):
        for k in range(6):
            expected = sympy.factorial(k) if j == k else 0
            assert mean(he(j)(z) * he(k)(z)) == expected
