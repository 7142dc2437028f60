"""The special functions of standalone files, numpy alone, against mpmath."""

from __future__ import annotations

import math

import mpmath
import numpy as np
import pytest

from hermite_analytics.codegen.standalone_backend import special
from tests.symbolic.codegen.normal_pairs import CORRELATIONS, H, K, pair
from tests.symbolic.codegen.test_special import owen

POINTS = np.concatenate(
    [np.linspace(-6, 27, 500), [0.0, -0.0, 1e-300, -1e-12, 1.0, 2 * math.pi, -40.0, 50.0]]
)


def worst(function, exact, points=POINTS, smallest=1e-300):
    """Largest relative error."""
    found = function(np.asarray(points))
    with mpmath.workdps(30):
        pairs = [(f, exact(mpmath.mpf(float(x)))) for x, f in zip(points, found, strict=True)]
        return max(float(abs(f - e) / abs(e)) if abs(e) > smallest else float(abs(f - e)) for f, e in pairs)


def test_error_functions():
    assert worst(special.erf, mpmath.erf) < 2e-15
    assert worst(special.erfc, mpmath.erfc) < 2e-15


@pytest.mark.parametrize("function", [special.erf, special.erfc, special.normal_cdf, special.sigmoid])
def test_ends_and_nan(function):
    with np.errstate(all="ignore"):
        low, high, nan = function(np.array([-np.inf, np.inf, np.nan]))
    assert (low, high) == {"erf": (-1, 1), "erfc": (2, 0)}.get(function.__name__, (0, 1))
    assert np.isnan(nan)


def test_normal_distribution():
    x = np.linspace(-37, 9, 400)
    found = special.normal_cdf(x)
    with mpmath.workdps(30):
        for t, f in zip(x, found, strict=True):  # -x/sqrt(2) is rounded: a relative error of x^2 units
            assert abs(f / mpmath.ncdf(mpmath.mpf(float(t))) - 1) < 1e-14 + 4e-16 * t * t
    assert worst(special.normal_density, mpmath.npdf, np.linspace(-8, 8, 99)) < 1e-14


def test_sigmoid_and_softplus():
    x = [-700.0, -40.0, -1.0, 0.0, 1e-9, 2.0, 50.0, 800.0]
    assert worst(special.sigmoid, lambda t: 1 / (1 + mpmath.exp(-t)), x) < 1e-15
    assert worst(special.softplus, lambda t: mpmath.log1p(mpmath.exp(t)), x) < 1e-15


def test_owen():
    with mpmath.workdps(22), np.errstate(all="ignore"):
        for h in (0.0, 1e-8, 0.1, 0.7, 2.9, 7.0, 40.0):
            for a in (0.0, 1e-9, 0.2, 1.0, 1.1, 25.0, 1e12, math.inf):
                exact = owen(h, a)
                for sign in (1.0, -1.0):
                    found = special.owen_t(np.float64(sign * h), np.float64(sign * a))
                    assert abs(found - sign * exact) < 1e-15, (h, a)


@pytest.mark.slow
@pytest.mark.parametrize("rho", CORRELATIONS)
def test_pair_distribution(rho):
    """P(X <= h, Y <= k) as an integral over X of P(Y <= k | X)."""
    h, k = np.meshgrid(H, K)
    with np.errstate(all="ignore"):
        found = special.normal_pair_cdf(h, k, np.float64(rho))
    for a, b, f in zip(h.flat, k.flat, found.flat, strict=True):
        assert abs(f - pair(float(a), float(b), rho)) < 2e-15, (a, b)


@pytest.mark.parametrize("rho", [-1.0, 1.0])
def test_pairs_on_a_line(rho):
    for a in H:
        for b in K:
            exact = mpmath.ncdf(min(a, b)) if rho > 0 else max(mpmath.ncdf(a) + mpmath.ncdf(b) - 1, 0)
            with np.errstate(all="ignore"):
                found = special.normal_pair_cdf(np.float64(a), np.float64(b), np.float64(rho))
            assert abs(found - exact) < 2e-15, (a, b)


def test_conditional_and_density_of_a_pair():
    h, k = 0.7, -0.4
    for rho in (-0.9, 0.3, 0.99):
        with mpmath.workdps(25):
            r = mpmath.mpf(rho)
            root = mpmath.sqrt(1 - r**2)
            given = mpmath.ncdf((k - r * h) / root)
            bell = mpmath.exp(-(mpmath.mpf(h) ** 2 - 2 * r * h * k + mpmath.mpf(k) ** 2) / (2 * root**2))
        x, y, z = np.float64(h), np.float64(k), np.float64(rho)
        assert float(special.normal_given_cdf(y, x, z)) == pytest.approx(float(given), rel=1e-13)
        assert float(special.pair_bell(x, y, z)) == pytest.approx(float(bell), rel=1e-13)
        density = float(bell / (2 * mpmath.pi * root))
        assert float(special.normal_pair_density(x, y, z)) == pytest.approx(density, rel=1e-13)


def test_polynomials():
    x = np.linspace(-1, 1, 9)
    assert special.hermite(5, 3 * x) == pytest.approx(
        (3 * x) ** 5 - 10 * (3 * x) ** 3 + 15 * 3 * x, abs=1e-12
    )
    assert special.hermite(0, x).tolist() == [1.0] * 9
    assert special.hermite_sum((1.0, 2.0, 3.0), x) == pytest.approx(1 + 2 * x + 3 * (x**2 - 1))
    beyond = np.array([-1.5, 0.5, np.nan])
    assert np.isnan(special.chebyshev_sum([1.0, 0.5, 0.25], beyond)).tolist() == [True, False, True]
    assert special.chebyshev_sum([1.0, 0.5, 0.25], x) == pytest.approx(1 + 0.5 * x + 0.25 * (2 * x**2 - 1))


def test_angle_sum_takes_the_panel_of_the_angle():
    edges, rows = [0.0, 1.0, math.pi], [[1.0, 2.0], [3.0, 4.0]]
    for x in (-1.0, -0.3, math.cos(1.0), 0.9, 1.0):
        angle = math.acos(x)
        k = int(angle >= 1.0)
        u = (2 * angle - edges[k] - edges[k + 1]) / (edges[k + 1] - edges[k])
        assert float(special.angle_sum(edges, rows, np.float64(x))) == pytest.approx(
            rows[k][0] + rows[k][1] * u
        )
    assert np.isnan(special.angle_sum(edges, rows, np.array([1.1, np.nan]))).all()
