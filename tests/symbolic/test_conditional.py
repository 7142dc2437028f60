"""Conditional coefficients, averages of the teacher, Hermite data."""

from __future__ import annotations

import math
from collections.abc import Callable

import mpmath
import numpy as np
import pytest
import sympy
from sympy import Rational

from hermite_analytics import (
    Activation,
    GaussianExpectation,
    Target,
    compile,
    conditional_coefficients,
    teacher_averages,
)
from hermite_analytics.conditional import feature_points, hermite_data, spiked_features_kernel
from hermite_analytics.symbols import c, gamma, kappa, r, z
from tests.symbolic.references import coefficients, expectation


def test_a_mapping_in_a_fixed_order() -> None:
    found = conditional_coefficients(Activation("relu(z)"))
    assert list(found) == ["mu0", "mu1", "mu2_squared"]
    assert len(found) == 3
    assert found["mu1"] is found.mu1
    assert dict(found) == {"mu0": found.mu0, "mu1": found.mu1, "mu2_squared": found.mu2_squared}
    assert "mu2" not in found
    with pytest.raises(KeyError):
        found["mu2"]
    assert conditional_coefficients(Activation("relu(z)")) is found


@pytest.mark.slow
@pytest.mark.parametrize("name", ["tanh(z)", "abs(tanh(z))", "silu(z)", "softplus(z)"])
def test_coefficients_without_closed_form_have_digits(name: str) -> None:
    point = (Rational(7, 10), Rational(13, 10), Rational(1))
    found = conditional_coefficients(Activation(name))
    with mpmath.workdps(30):
        numbers = [mpmath.mpf(int(v.p)) / int(v.q) for v in point]
        *expected, _ = coefficients(name, *numbers)
    values = dict(zip((kappa, c, r), point, strict=True))
    for expr, reference in zip(found.values(), expected, strict=True):
        assert float(expr.subs(values).evalf(18)) == pytest.approx(float(reference), rel=1e-14)


def test_slope_of_an_activation_with_jumps_is_by_parts() -> None:
    found = conditional_coefficients(Activation("tanh(z) + step(z)*sigmoid(z)"))
    value = float(found.mu1.subs({kappa: Rational(1, 2), c: 1, r: 1}).evalf(15))

    def sigma(x: float) -> float:
        return math.tanh(x) + (x > 0) / (1 + math.exp(-x))

    x = np.linspace(-11, 11, 2_000_001)
    weight = np.exp(-(x**2) / 2) / math.sqrt(2 * math.pi) * (x[1] - x[0])
    u = 0.5 + x
    values = np.tanh(u) + (u > 0) / (1 + np.exp(-u))
    assert value == pytest.approx(float(np.sum(x * values * weight)), abs=1e-5)
    assert sigma(0.0) == 0.0


TEACHERS = {
    "sin(z1)": (mpmath.sin, ()),
    "He(3, z1) - z1": (lambda x: x**3 - 4 * x, ()),
    "sign(z1)": (mpmath.sign, (0,)),
    "relu(z1) + xi": (lambda x: max(x, mpmath.mpf(0)), (0,)),
    "tanh(z1)": (mpmath.tanh, ()),
    "abs(z1)*tanh(z1)": (lambda x: abs(x) * mpmath.tanh(x), (0,)),
    "5/2": (lambda x: mpmath.mpf(5) / 2, ()),
}


@pytest.mark.slow
@pytest.mark.parametrize("text", TEACHERS)
@pytest.mark.parametrize(
    "point", [(Rational(7, 10), Rational(4, 5)), (Rational(-3, 2), Rational(1, 4)), (1, 0)]
)
def test_teacher_averages(text: str, point: tuple[Rational, Rational]) -> None:
    function, kinks = TEACHERS[text]
    found = teacher_averages(Target(text))
    assert list(found) == ["h", "h1", "hh"]
    with mpmath.workdps(25):
        kap, gam = (mpmath.mpf(sympy.Rational(v).p) / sympy.Rational(v).q for v in point)
        width = mpmath.sqrt(1 - gam**2)
        moved = [(k - gam * kap) / width for k in kinks]

        def teacher(x: mpmath.mpf) -> mpmath.mpf:
            return function(gam * kap + width * x)

        expected = (
            expectation(teacher, moved),
            expectation(lambda x: x * teacher(x), moved),
            expectation(lambda x: teacher(x) ** 2, moved),
        )
    for expr, reference in zip(found.values(), expected, strict=True):
        value = float(expr.subs({kappa: point[0], gamma: point[1]}).evalf(18))
        assert value == pytest.approx(float(reference), rel=1e-14, abs=1e-16)


def test_hermite_data_of_known_pairs() -> None:
    data = hermite_data(Activation("tanh(z)"), Target("sin(z1)"))
    assert data.slope == pytest.approx(0.605705509602, abs=1e-12)
    assert data.slope_variance == pytest.approx(0.0975237380859, abs=1e-12)
    assert data.target_slope == pytest.approx(0.606530659713, abs=1e-12)
    assert data.target_second_moment == pytest.approx(0.432332358382, abs=1e-12)
    assert data.target_mean == 0.0
    again = hermite_data(Activation("erf(z/sqrt(2))"), Target("tanh(z1) + xi"))
    assert again.slope == pytest.approx(1 / math.sqrt(math.pi), rel=1e-15)
    assert again.slope_variance == pytest.approx(2 / (math.pi * math.sqrt(3)) - 1 / math.pi, rel=1e-14)
    assert again.target_second_moment == pytest.approx(0.394294490398, abs=1e-12)
    sine = hermite_data(Activation("sin"), Target("z1**2"))
    assert sine.slope == pytest.approx(math.exp(-0.5), rel=1e-15)
    assert sine.slope_variance == pytest.approx((1 + math.exp(-2)) / 2 - math.exp(-1), rel=1e-14)
    assert (sine.target_mean, sine.target_slope, sine.target_second_moment) == (1.0, 0.0, 3.0)


def test_slope_variance_of_a_linear_activation_is_zero() -> None:
    assert hermite_data(Activation("3*z + 1"), Target("z1")).slope_variance == 0.0


def test_feature_points() -> None:
    inner, outer = feature_points(Activation("relu(z - 1/2)*tanh(z)"), Target("sign(z1) + abs(z1 - 2) + xi"))
    assert inner == (0.5,)
    assert outer == (0.0, 2.0)


@pytest.mark.slow
def test_the_solvers_kernel(spiked_kernel) -> None:  # type: ignore[no-untyped-def]
    kernel = spiked_kernel("relu(z)")
    assert kernel.arguments == ("kappa", "c", "r", "gamma")
    assert kernel.outputs == ("mu0", "mu1", "mu2_squared", "h", "h1", "hh")
    values = kernel(0.7, 1.3, 1.0, 0.5)
    assert values.mu2_squared == pytest.approx(0.08906924591500287, abs=1e-15)
    assert values.h == pytest.approx(0.35, abs=1e-16)
    assert values.h1 == pytest.approx(math.sqrt(0.75), abs=1e-16)
    assert values.hh == pytest.approx(0.35**2 + 0.75, abs=1e-15)


@pytest.mark.slow
def test_the_residual_of_a_linear_network_is_exactly_zero() -> None:
    kernel = spiked_features_kernel(Activation("2*z"), Target("z1"))
    assert np.all(kernel(np.linspace(-3, 3, 7), 0.3, 1.7, 0.2).mu2_squared == 0.0)


@pytest.mark.slow
def test_mean_slope_is_the_derivative_of_the_mean() -> None:
    s = r * kappa
    for name in ("relu(z)", "gelu(z)", "sin(z)*exp(-z**2/2)"):
        found = conditional_coefficients(Activation(name))
        moved = (
            found.mu0.diff(kappa).subs({kappa: Rational(3, 5), c: Rational(6, 5), r: Rational(4, 3)}).doit()
        )
        slope = (found.mu1 * r).subs({kappa: Rational(3, 5), c: Rational(6, 5), r: Rational(4, 3)})
        assert abs(sympy.N(moved - slope, 15)) < 1e-14
    assert GaussianExpectation(z * sympy.tanh(s + z), z).free_symbols == {kappa, r}


@pytest.mark.parametrize("text", ["log(abs(z))", "sqrt(abs(z))"])
def test_slope_of_an_activation_without_a_bounded_slope(text: str) -> None:
    """By parts: E[1/x] exists as a limit only, and E z sigma(x)/sqrt(c) is it."""
    f = {"log(abs(z))": lambda x: mpmath.log(abs(x)), "sqrt(abs(z))": lambda x: mpmath.sqrt(abs(x))}[text]
    kernel = compile(conditional_coefficients(text).kernel_form(), (kappa, c, r), backend="array")
    found = kernel(np.array([0.5]), 1.2, 1.1)
    with mpmath.workdps(20):
        mean, root = mpmath.mpf("0.55"), mpmath.sqrt(mpmath.mpf("1.2"))
        edges = [-12, -4, -mean / root, 4, 12]

        def average(g: Callable[[mpmath.mpf, mpmath.mpf], mpmath.mpf]) -> mpmath.mpf:
            return mpmath.quad(lambda u: g(u, f(mean + root * u)) * mpmath.npdf(u), edges)

        mu0, slope = average(lambda _, y: y), average(lambda u, y: u * y) / root
        rest = average(lambda _, y: y * y) - mu0**2 - root**2 * slope**2
    assert [float(v[0]) for v in found] == pytest.approx([float(v) for v in (mu0, slope, rest)], rel=1e-12)


@pytest.mark.parametrize("backend", ["array", "python"])
def test_residual_of_a_logarithm_at_its_pole(backend: str) -> None:
    """No tangent is asked for there: Var log|z| = pi^2/8, and E |z| - (E |z|^(1/2))^2."""
    root_mean = 2**0.25 * math.gamma(0.75) / math.sqrt(math.pi)
    rest = {"log(abs(z))": math.pi**2 / 8, "sqrt(abs(z))": math.sqrt(2 / math.pi) - root_mean**2}
    for text, expected in rest.items():
        kernel = compile(conditional_coefficients(text).kernel_form(), (kappa, c, r), backend=backend)
        found = kernel(0.0, 1.0, 0.0)
        assert float(found.mu1) == pytest.approx(0, abs=1e-14)
        assert float(found.mu2_squared) == pytest.approx(expected, rel=1e-12)
