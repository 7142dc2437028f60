"""The special functions that compiled kernels call, against mpmath."""

from __future__ import annotations

import math

import mpmath
import numpy as np
import pytest
from numba import njit
from sympy import Symbol

from hermite_analytics.codegen.array_backend import special as array_special
from hermite_analytics.codegen.numba_backend import special
from hermite_analytics.language import functions as own
from tests.symbolic.codegen.normal_pairs import CORRELATIONS, H, K, pair


def relative(value: float, exact: mpmath.mpf) -> float:
    if exact == 0 or abs(exact) < 1e-307:
        return float(abs(value - exact))
    return float(abs(mpmath.mpf(value) / exact - 1))


@pytest.fixture(autouse=True)
def forty_digits() -> object:
    with mpmath.workdps(40):
        yield


def test_normal_distribution() -> None:
    for x in [*np.linspace(-37, 9, 400), 0.0, -0.0, 1e-300, -1e-20]:
        assert (
            relative(special.normal_cdf(float(x)), mpmath.ncdf(mpmath.mpf(float(x)))) < 1e-13 + 4e-16 * x * x
        )
        assert (
            relative(special.normal_density(float(x)), mpmath.npdf(mpmath.mpf(float(x))))
            < 1e-15 + 4e-16 * x * x
        )
    assert special.normal_cdf(-math.inf) == 0.0
    assert special.normal_cdf(math.inf) == 1.0


def owen(h: float | mpmath.mpf, a: float | mpmath.mpf) -> mpmath.mpf:
    k, b = abs(mpmath.mpf(h)), abs(mpmath.mpf(a))
    if b > 1:  # the identity of the rule sheet
        p, q = mpmath.ncdf(k), mpmath.ncdf(b * k)
        value = (p + q) / 2 - p * q - (0 if b == mpmath.inf else owen(b * k, 1 / b))
        value = value if k > 0 or b < mpmath.inf else mpmath.mpf(1) / 4
    else:
        value = (
            b
            * mpmath.quad(
                lambda u: mpmath.exp(-k * k * (1 + (b * u) ** 2) / 2) / (1 + (b * u) ** 2),
                mpmath.linspace(0, 1, 4),
            )
            / (2 * mpmath.pi)
        )
    return mpmath.sign(a) * value


@pytest.mark.slow
def test_owen() -> None:
    with mpmath.workdps(22):
        for h in (0.0, 1e-8, 0.1, 0.7, 1.5, 2.9, 4.4, 7.0, 15.0, 40.0):
            for a in (0.0, 1e-9, 0.2, 0.9, 1.0, 1.1, 3.0, 25.0, 1e4, 1e12):
                exact = owen(h, a)
                for signs in ((1, 1), (-1, 1), (1, -1)):
                    found = special.owen_t(signs[0] * h, signs[1] * a)
                    assert abs(found - signs[1] * exact) < 1e-15
        for h in (0.0, 0.5, -3.0):
            assert special.owen_t(h, math.inf) == pytest.approx(0.5 * special.normal_cdf(-abs(h)), abs=1e-16)
            assert special.owen_t(h, -math.inf) == pytest.approx(
                -0.5 * special.normal_cdf(-abs(h)), abs=1e-16
            )


def test_owen_with_one_argument_small_stays_relative() -> None:
    for a in (1e-3, 1e-8, 1e-100):
        assert relative(special.owen_t(0.5, a), owen(0.5, a)) < 1e-14


@pytest.mark.slow
@pytest.mark.parametrize("rho", CORRELATIONS)
def test_pair_distribution(rho: float) -> None:
    for h in H:
        for k in K:
            assert abs(special.normal_pair_cdf(h, k, rho) - pair(h, k, rho)) < 2e-15


def test_pair_distribution_at_the_edges() -> None:
    cdf, both = special.normal_cdf, special.normal_pair_cdf
    for h, k in ((0.3, -1.2), (-0.5, -0.4), (1.0, 2.0), (0.0, 0.0)):
        assert both(h, k, 1.0) == cdf(min(h, k))
        assert both(h, k, -1.0) == pytest.approx(max(0.0, cdf(h) + cdf(k) - 1.0), abs=1e-16)
        assert both(h, k, 0.0) == pytest.approx(cdf(h) * cdf(k), abs=1e-16)
        assert both(h, k, 0.7) == pytest.approx(both(k, h, 0.7), abs=1e-15)
    assert both(0.0, 0.0, 0.5) == pytest.approx(1 / 3, abs=1e-16)
    assert both(math.inf, 0.3, 0.5) == cdf(0.3)
    assert both(0.3, math.inf, -0.5) == cdf(0.3)
    assert both(-math.inf, 0.3, 0.5) == 0.0
    assert both(1e-200, -1e-200, 0.5) == pytest.approx(1 / 3, abs=1e-15)
    assert both(1e-310, -1e-310, -0.5) == pytest.approx(1 / 6, abs=1e-13)  # these have few digits


X = Symbol("x", real=True)
ODD_AND_EVEN_ENDS = [
    -800.0,
    -745.0,
    -60.0,
    -37.0,
    -20.0,
    -1.0,
    -1e-12,
    0.0,
    1e-12,
    0.5,
    3.0,
    37.0,
    60.0,
    800.0,
]


@pytest.mark.parametrize("x", ODD_AND_EVEN_ENDS)
def test_logistic_family(x: float) -> None:
    t = mpmath.mpf(x)
    exact = 1 / (1 + mpmath.exp(-t))
    assert relative(special.sigmoid(x), exact) < 1e-13
    assert relative(special.softplus(x), mpmath.log1p(mpmath.exp(t))) < 1e-13
    arrays = np.asarray([x])
    assert relative(float(array_special.sigmoid(np, arrays)[0]), exact) < 1e-13
    assert relative(float(array_special.softplus(np, arrays)[0]), mpmath.log1p(mpmath.exp(t))) < 1e-13
    assert relative(float(array_special.normal_cdf(np, arrays)[0]), mpmath.ncdf(t)) < 1e-13 + 4e-16 * x * x


def test_reference_values_of_the_logistic_family() -> None:
    for x in ODD_AND_EVEN_ENDS:
        t = mpmath.mpf(x)
        exact = mpmath.exp(t) / (1 + mpmath.exp(t))
        assert mpmath.almosteq(own.sigmoid(X)._value(t), exact, 1e-38)
        assert mpmath.almosteq(own.silu(X)._value(t), t * exact, 1e-38)


@pytest.mark.parametrize("degree", [0, 1, 2, 7, 60])
def test_hermite_recurrence(degree: int) -> None:
    for x in (-6.1, -1.3, 0.0, 0.2, 2.5, 9.0):
        exact = mpmath.hermite(degree, mpmath.mpf(x) / mpmath.sqrt(2)) / mpmath.mpf(2) ** (
            mpmath.mpf(degree) / 2
        )
        scale = abs(exact) + mpmath.sqrt(mpmath.factorial(degree)) * mpmath.exp(mpmath.mpf(x) ** 2 / 4)
        assert abs(special.hermite(float(degree), x) - exact) < 1e-13 * scale
        found = array_special.hermite(np, float(degree), np.asarray([x]))
        assert abs(float(found[0]) - exact) < 1e-13 * scale


def test_steps() -> None:
    assert [special.sign(x) for x in (-2.0, 0.0, 3.0)] == [-1.0, 0.0, 1.0]
    assert [special.step(x) for x in (-2.0, 0.0, 3.0)] == [0.0, 0.0, 1.0]
    assert [special.leaky_relu(x, 0.5) for x in (-2.0, 0.0, 3.0)] == [-1.0, 0.0, 3.0]
    x = np.asarray([-2.0, 0.0, 3.0])
    assert list(array_special.step(np, x)) == [0.0, 0.0, 1.0]
    assert list(array_special.leaky_relu(np, x, 0.5)) == [-1.0, 0.0, 3.0]
    assert list(array_special.maximum(np, x, 1.0)) == [1.0, 1.0, 3.0]
    assert list(array_special.minimum(np, 1.0, x)) == [-2.0, 0.0, 1.0]


def test_callable_from_compiled_code() -> None:
    @njit
    def both(x: float) -> float:
        return special.sigmoid(x) + special.normal_cdf(x)

    assert both(0.0) == 1.0


@pytest.mark.parametrize("rho", [-1.0, -1 + 1e-15, -1 + 1e-9, -0.7, 0.0, 0.3, 1 - 1e-6, 1 - 1e-12, 1.0])
def test_functions_of_a_pair(rho: float) -> None:
    """Against their definitions at 60 digits, and their limits at the ends."""
    r = mpmath.mpf(rho)
    for h in (-3.0, -0.25, 0.0, 0.5, 2.0):
        for k in (-2.0, -0.5, 0.0, 0.25, 0.5, 2.0, 3.0):
            equal = mpmath.mpf(k) == r * h
            with mpmath.workdps(60):
                square = (1 - r) * (1 + r)
                if square:
                    given = mpmath.ncdf((k - r * h) / mpmath.sqrt(square))
                    bell = mpmath.exp(
                        -(mpmath.mpf(h) ** 2 - 2 * r * h * k + mpmath.mpf(k) ** 2) / (2 * square)
                    )
                    density = bell / (2 * mpmath.pi * mpmath.sqrt(square))
                else:
                    given = mpmath.mpf(0.5 if equal else k > r * h)
                    bell = mpmath.exp(-(mpmath.mpf(h) ** 2) / 2) if equal else mpmath.mpf(0)
                    density = mpmath.inf if equal else mpmath.mpf(0)
            expected = [float(x) for x in (given, bell, density)]
            x = np.array([rho])
            arrays = [f(np, a, b, x)[0] for f, a, b in _pair_functions(array_special, h, k)]
            scalars = [f(a, b, rho) for f, a, b in _pair_functions(special, h, k)]
            for found in (scalars, arrays):
                assert found == pytest.approx(expected, rel=2e-13, abs=1e-16)
    for f, a, b in _pair_functions(special, 0.3, 0.2):
        assert math.isnan(f(a, b, 1.5)) and math.isnan(f(math.nan, b, 0.5))


def _pair_functions(module: object, h: float, k: float) -> list[tuple[object, float, float]]:
    given, bell, density = (
        getattr(module, name) for name in ("normal_given_cdf", "pair_bell", "normal_pair_density")
    )
    return [(given, k, h), (bell, h, k), (density, h, k)]


@pytest.mark.parametrize("name", ["numpy", "torch", "array_api_strict"])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_extremes_of_numbers_and_of_arrays_without_axes(name, dtype):
    library = pytest.importorskip(name)
    largest, smallest = array_special.maximum, array_special.minimum
    kind, nan = getattr(library, dtype), math.nan
    numbers = (np.dtype(dtype).type(-1.5),) if name == "numpy" else ()
    for x in (*numbers, library.asarray(-1.5, dtype=kind), library.asarray([-1.5], dtype=kind)):
        for found, expected in (
            (largest(library, x, 0.0), 0.0),
            (largest(library, 0.0, x), 0.0),
            (largest(library, x, x), -1.5),
            (smallest(library, x, 0.0), -1.5),
            (smallest(library, -2.0, x), -2.0),
        ):
            assert found.dtype == kind
            assert np.asarray(found).ravel().tolist() == [expected]
    first, second = (library.asarray(x, dtype=kind) for x in ([nan, 1.0], [0.0, nan]))
    assert np.isnan(np.asarray(largest(library, first, second))).all()
    assert np.isnan(np.asarray(smallest(library, second, 0.0))).tolist() == [False, True]
