"""The quadrature of the reference back end: mass far out, narrow features, and what has no number."""

from __future__ import annotations

import math

import mpmath
import pytest
import sympy
from sympy import Symbol

import hermite_analytics as ha
from hermite_analytics import GaussianExpectation
from hermite_analytics.codegen.python_backend import quadrature
from hermite_analytics.symbols import z

M, S = Symbol("m", real=True), Symbol("s", positive=True)


@pytest.mark.parametrize("mean", [3.0, 30.0])
def test_mass_far_out(mean: float) -> None:
    """E exp((m + z)^2/4) = sqrt(2) exp(m^2/2): at m = 30 the integrand is largest at 30."""
    kernel = ha.compile(GaussianExpectation(sympy.exp((M + z) ** 2 / 4), z), (M,), backend="python")
    with mpmath.workdps(30):
        (found,) = quadrature.expectation(lambda x: (mpmath.exp((mean + x) ** 2 / 4),), [], None, 1)
        exact = mpmath.sqrt(2) * mpmath.exp(mpmath.mpf(mean) ** 2 / 2)
        assert abs(found / exact - 1) < mpmath.mpf("1e-20")
    assert float(kernel(mean)) == pytest.approx(float(exact), rel=1e-14)


def test_mass_between_two_ends() -> None:
    """E exp(m z) z^2 = (1 + m^2) exp(m^2/2), with 1e-9 and more of it beyond 16."""
    with mpmath.workdps(30):
        (found,) = quadrature.expectation(lambda x: (x * x * mpmath.exp(10 * x),), [], None, 1)
        assert abs(found / (101 * mpmath.exp(50)) - 1) < mpmath.mpf("1e-20")


@pytest.mark.parametrize("width", ["0.02", "0.004", "0.0007"])
def test_narrow_features_in_wide_panels(width: str) -> None:
    """E w/(w^2 + z^2) = sqrt(pi/2) exp(w^2/2) erfc(w/sqrt(2)), a pole w from the line."""
    with mpmath.workdps(30):
        w = mpmath.mpf(width)
        (found,) = quadrature.expectation(lambda x: (w / (w * w + x * x),), [], None, 1)
        exact = mpmath.sqrt(mpmath.pi / 2) * mpmath.exp(w * w / 2) * mpmath.erfc(w / mpmath.sqrt(2))
        assert abs(found / exact - 1) < mpmath.mpf("1e-20")


def test_an_infinite_mean_has_no_number() -> None:
    """E exp(z^2) is infinite: before, the integral up to 16 was given."""
    kernel = ha.compile(
        GaussianExpectation(sympy.exp(S * z**2) * sympy.tanh(z) ** 2, z), (S,), backend="python"
    )
    assert math.isnan(float(kernel(1.0)))


@pytest.mark.slow
def test_what_does_not_converge_has_no_number() -> None:
    """A jump that is not among the breakpoints: halved panels leave 1e-4 of it open."""
    with mpmath.workdps(30):
        (found,) = quadrature.expectation(lambda x: (mpmath.sign(3 * x - 1),), [], None, 1)
        assert mpmath.isnan(found)
        (found,) = quadrature.expectation(lambda x: (mpmath.sign(3 * x - 1),), [mpmath.mpf(1) / 3], None, 1)
        assert abs(found - mpmath.erfc(mpmath.sqrt(2) / 6) + 1) < mpmath.mpf("1e-25")


@pytest.mark.slow
def test_coefficients_of_a_steep_activation_over_a_wide_law() -> None:
    """atan(20 x), x ~ N(2, 30), by panels cut at the steep part: mu0 was 6e-8 off and mu1 8e-5."""
    found = ha.compile(ha.conditional_coefficients("atan(20*z)"), (ha.kappa, ha.c, ha.r), backend="python")(
        2.0, 30.0, 1.0
    )
    with mpmath.workdps(25):
        s, q = mpmath.mpf(2), mpmath.sqrt(30)
        near = [sign * mpmath.mpf(2) ** k / 160 for k in range(13) for sign in (-1, 1)]
        edges = sorted({s - 14 * q, s + 14 * q, *(x for x in near if abs(x - s) < 14 * q)})
        mu0 = mpmath.quad(lambda x: mpmath.atan(20 * x) * mpmath.npdf(x, s, q), edges)
        mu1 = mpmath.quad(lambda x: 20 / (1 + 400 * x * x) * mpmath.npdf(x, s, q), edges)
    assert float(found.mu0) == pytest.approx(float(mu0), rel=1e-14)
    assert float(found.mu1) == pytest.approx(float(mu1), rel=1e-14)
