"""Compiled quadratures: the accuracy asked for, hard points, and what is not a number."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

import mpmath
import numpy as np
import pytest
import sympy
from numpy.typing import NDArray
from scipy import special
from sympy import Symbol

import hermite_analytics as ha
from hermite_analytics import Activation, GaussianExpectation
from hermite_analytics.codegen.back_ends import BACK_ENDS
from hermite_analytics.codegen.growth import moderate_half_width, outgrows_every_strip
from hermite_analytics.codegen.kernel import Kernel
from hermite_analytics.language import functions as own
from hermite_analytics.symbols import c, kappa, r, z
from tests.symbolic.codegen.back_ends import others_than
from tests.symbolic.codegen.coefficients import coefficients_kernel, numbers
from tests.symbolic.references import FUNCTIONS, expectation

Array = NDArray[np.float64]


class TestHardPoints:
    """Far from the origin, narrow, wide, and where the integral does not exist."""

    @pytest.mark.cases(1)
    @pytest.mark.parametrize(
        ("name", "point"),
        [
            ("tanh(z)", (3.0, 0.01, 20.0)),
            ("tanh(z)", (0.01, 0.01, 20.0)),
            ("tanh(z)", (0.1, 400.0, 2.0)),
            ("abs(tanh(z))", (3.0, 0.01, 20.0)),
            ("abs(tanh(z))", (-0.02, 100.0, 2.0)),
            ("gelu(z)", (-0.1, 0.01, 20.0)),
            ("erf(z)", (0.02, 0.01, 20.0)),
            ("relu(z)", (0.01, 0.01, 20.0)),
        ],
    )
    def test_large_r_and_narrow_width(self, name: str, point: tuple[float, float, float]) -> None:
        kernel = coefficients_kernel(name, "numba")
        with mpmath.workdps(25):
            kap, cc, rr = numbers(point)
            function, kinks = FUNCTIONS[name]
            mean, width = rr * kap, mpmath.sqrt(cc)
            moved = [(mpmath.mpf(k) - mean) / width for k in kinks]
            fine = [x / 8 - float(mean / width) for x in range(-16, 17)] if float(width) > 2 else []

            def shifted(t: mpmath.mpf) -> mpmath.mpf:
                return function(mean + width * t)

            mu0 = expectation(shifted, [*moved, *fine], 16)
            mu1 = expectation(lambda t: t * shifted(t), [*moved, *fine], 16) / width
            square = expectation(lambda t: shifted(t) ** 2, [*moved, *fine], 16)
            residual = square - mu0**2 - cc * mu1**2
        found = kernel(*point)
        assert found.mu0 == pytest.approx(float(mu0), rel=1e-12, abs=1e-14)
        assert found.mu1 == pytest.approx(float(mu1), rel=1e-11, abs=1e-13 / math.sqrt(point[1]))
        assert found.mu2_squared == pytest.approx(float(residual), abs=1e-13 * float(square) + 1e-17)

    @pytest.mark.slow
    def test_residual_is_never_negative(self) -> None:
        for name in ("relu(z)", "tanh(z)"):
            kernel = coefficients_kernel(name, "numba")
            values = kernel(np.linspace(-4, 4, 81)[:, None], np.asarray([0.01, 0.5, 3.0]), 20.0)
            assert np.all(values.mu2_squared >= 0)
            assert np.all(np.isfinite(values.mu0))

    @pytest.mark.slow
    def test_no_finite_number_for_an_infinite_integral(self) -> None:
        """Across a kink; `test_infinite_expectations` has a smooth integrand."""
        found = ha.conditional_coefficients(Activation("exp(z**2/5)*abs(tanh(z))"))
        clipped = sympy.Max(found.mu2_squared, 0, evaluate=False)
        kernel = ha.compile({**found, "clipped": clipped}, (kappa, c, r), backend="numba")
        assert np.isfinite(kernel(0.5, 0.9, 0.7)).all()
        beyond = kernel(0.5, 1.3, 0.7)  # 2 c/5 > 1/2: E sigma^2 is infinite
        assert np.isfinite([beyond.mu0, beyond.mu1]).all()
        assert not np.isfinite([beyond.mu2_squared, beyond.clipped]).any()
        assert not np.isfinite(kernel(0.5, 2.7, 0.7).mu0)

    @pytest.mark.slow
    def test_mass_far_from_the_origin(self) -> None:
        kernel = ha.compile(GaussianExpectation(sympy.exp(c * z) * sympy.Abs(sympy.tanh(z)), z), (c,))
        with mpmath.workdps(25):
            for t in (5, 15):
                tilted = expectation(lambda x, t=t: abs(mpmath.tanh(x + t)), [-t], 14)
                exact = tilted * mpmath.exp(mpmath.mpf(t) ** 2 / 2)
                assert kernel(t) == pytest.approx(float(exact), rel=1e-12)


M, S = Symbol("m", real=True), Symbol("s", positive=True)
INTEGRANDS: dict[str, tuple[Callable[[Any], Any], Callable[[Array], Array]]] = {
    "tanh": (sympy.tanh, np.tanh),
    "sigmoid": (own.sigmoid, special.expit),
    "softplus": (own.softplus, lambda x: np.log1p(np.exp(-abs(x))) + np.maximum(x, 0)),
    "silu": (own.silu, lambda x: x * special.expit(x)),
    "exp_sin": (lambda x: sympy.exp(sympy.sin(x)), lambda x: np.exp(np.sin(x))),
    "abs_tanh": (lambda x: sympy.Abs(sympy.tanh(x)), lambda x: abs(np.tanh(x))),
    "sign_tanh": (lambda x: sympy.sign(x) * sympy.tanh(x + 1), lambda x: np.sign(x) * np.tanh(x + 1)),
}
MEANS = [-6.0, 0.0, 0.05, 3.1]
WIDTHS = [0.01, 0.1, 0.5, 1.0, 2.0, 4.0, 8.0]
ACCURACIES = [1e-6, 1e-9, 1e-12]


@functools.cache
def moments(name: str, mean: float, width: float) -> tuple[float, float]:
    """(E f, E|f|) at f(mean + width z) to 1e-15 of E|f|: panels that resolve width z, split at zero."""
    step = min(1.0, 1.5 / width)
    edges = step * np.arange(-int(10 / step), int(10 / step) + 1)
    kink = -mean / width
    edges = np.sort([*edges, kink]) if abs(kink) < 10 else edges
    nodes, weights = np.polynomial.legendre.leggauss(24)
    half = 0.5 * np.diff(edges)[:, None]
    t = edges[:-1, None] + half * (1 + nodes)
    terms = (
        half * weights * np.exp(-0.5 * t * t) / math.sqrt(2 * math.pi) * INTEGRANDS[name][1](mean + width * t)
    )
    return math.fsum(terms.ravel()), math.fsum(abs(terms).ravel())


def expectation_kernel(name: str, backend: str, accuracy: float) -> Kernel:
    return ha.compile(
        GaussianExpectation(INTEGRANDS[name][0](M + S * z), z), (M, S), backend=backend, accuracy=accuracy
    )


def check_accuracy(kernel: Kernel, name: str, accuracy: float) -> None:
    """The bound holds relative to E|f|, and rounding comes on top."""
    assert kernel.error_bound == accuracy
    found = kernel(np.asarray(MEANS)[:, None], np.asarray(WIDTHS))
    for row, mean in zip(found, MEANS, strict=True):
        for value, width in zip(row, WIDTHS, strict=True):
            exact, size = moments(name, mean, width)
            assert abs(float(value) - exact) <= (accuracy + 1e-14) * size, (mean, width)


@pytest.mark.cases(3)
@pytest.mark.draws(8, spread=True)  # every integrand and every accuracy
@pytest.mark.parametrize("accuracy", ACCURACIES)
@pytest.mark.parametrize("name", INTEGRANDS)
def test_accuracy_on_arrays(name: str, accuracy: float) -> None:
    check_accuracy(expectation_kernel(name, "array", accuracy), name, accuracy)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "accuracy"), [("exp_sin", 1e-12)])
def test_accuracy_in_numba(name: str, accuracy: float) -> None:
    check_accuracy(expectation_kernel(name, "numba", accuracy), name, accuracy)


@pytest.mark.slow
@pytest.mark.draws(9, spread=True)  # every pair of accuracy and back end once
@pytest.mark.parametrize("backend", others_than("array", "python"))
@pytest.mark.parametrize("accuracy", ACCURACIES)
@pytest.mark.parametrize("name", INTEGRANDS)
def test_accuracy(name: str, accuracy: float, backend: str) -> None:
    check_accuracy(expectation_kernel(name, backend, accuracy), name, accuracy)


def test_error_bound_of_closed_forms_is_zero() -> None:
    for f in (sympy.erf(M + S * z), own.relu(M + S * z), sympy.sign(M + S * z) * z):
        assert ha.compile(GaussianExpectation(f, z), (M, S), backend="array").error_bound == 0.0
    assert ha.compile(M**2, (M,), backend="array").error_bound == 0.0


def lost_and_repaired(kernel: Kernel, *values: Array) -> tuple[Array, Array]:
    """What the vectorised loop gives, and after repair."""
    out = np.empty((len(kernel.outputs), values[0].size))
    lost = kernel._module.over_arrays(out, 0, out.shape[1], *values)
    first = out.copy()
    assert lost == np.isnan(first).sum()
    kernel._module.repair(out, *values)
    return first, out


X = Symbol("x", real=True)


@pytest.mark.slow
def test_points_that_the_vectorised_loop_declines_are_repaired() -> None:
    """Large angles, subnormal logarithms; also where a jump would hide that a point was declined."""
    expressions = {
        "sin": sympy.sin(X),
        "sign": sympy.sign(sympy.sin(X)),
        "step": own.step(sympy.cos(X)),
        "max": sympy.Max(1, 5 * sympy.sin(X)),
        "min": sympy.Min(sympy.Rational(1, 2), sympy.cos(X)),
        "case": sympy.Piecewise((1, sympy.sin(X) > 0), (2, True)),
        "log": sympy.log(X),
    }
    kernel = ha.compile(expressions, (X,))
    x = np.asarray([1e7, 1e7 + 2, 3e15, 4e6 + 0.5, 1e-310, 5e-324, 0.7])
    first, repaired = lost_and_repaired(kernel, x)
    assert np.isnan(first[:6, :4]).all()
    assert np.isnan(first[6, 4:6]).all()
    assert np.isfinite(first[:, 6]).all()
    sine, cosine = np.sin(x), np.cos(x)
    exact = [
        sine,
        np.sign(sine),
        np.heaviside(cosine, 0.0),
        np.maximum(1.0, 5 * sine),
        np.minimum(0.5, cosine),
        np.where(sine > 0, 1.0, 2.0),
        np.log(x),
    ]
    np.testing.assert_allclose(repaired, exact, rtol=1e-14)
    np.testing.assert_array_equal(np.asarray(kernel(x)), repaired)
    scalars = np.asarray([kernel.scalar(t) for t in x]).T
    np.testing.assert_allclose(scalars, repaired, rtol=1e-14)


@pytest.mark.slow
def test_nan_goes_through_on_every_back_end() -> None:
    expressions = {
        "sign": sympy.sign(X),
        "step": own.step(X),
        "max": sympy.Max(1, X),
        "min": sympy.Min(1, X),
        "relu": own.relu(X),
        "leaky": own.leaky_relu(X, sympy.Rational(1, 4)),
        "case": sympy.Piecewise((1, X > 0), (2, X > -1), (3, True)),
    }
    for backend in BACK_ENDS:
        values = ha.compile(expressions, (X,), backend=backend)(np.asarray([math.nan, 0.5]))
        assert all(np.isnan(v[0]) and np.isfinite(v[1]) for v in values), backend


@pytest.mark.slow
def test_scalar_and_vectorised_quadrature_agree() -> None:
    """Where both hold their accuracy they agree to twice of it; a growing integrand is left to the scalar."""
    kernel = ha.compile(GaussianExpectation(sympy.exp(M * z) * sympy.tanh(z), z), (M,))
    x = np.asarray([0.1, 0.5, 1.0, 3.0, 6.0, 12.0])
    first, repaired = lost_and_repaired(kernel, x)
    scalars = np.asarray([kernel.scalar(t)[0] for t in x])
    np.testing.assert_allclose(repaired[0], scalars, rtol=1e-13)
    assert np.isfinite(first[0, :2]).all()
    assert np.isnan(first[0, 4:]).all()  # the mass stands at z = m, where the loop no longer goes
    with mpmath.workdps(25):
        for t, value in zip(x, repaired[0], strict=True):
            exact = expectation(lambda u, t=t: mpmath.tanh(u + mpmath.mpf(float(t)))) * mpmath.exp(
                mpmath.mpf(float(t)) ** 2 / 2
            )
            assert value == pytest.approx(float(exact), rel=2e-12)


@pytest.mark.slow
@pytest.mark.parametrize("backend", others_than("cuda", "python"))
def test_widths_out_of_reach_are_not_numbers(backend: str) -> None:
    """A strip that asks for more than a million nodes: NaN, and soon."""
    kernel = expectation_kernel("tanh", backend, 1e-12)
    values = kernel(0.5, np.asarray([100.0, 1e7, math.inf, math.nan]))
    assert np.isnan(values[1:]).all()
    with mpmath.workdps(20):
        exact = mpmath.erf(mpmath.mpf("0.005") / mpmath.sqrt(2)) * (
            1 - mpmath.pi**2 / 24 / mpmath.mpf(100) ** 2
        )
    assert values[0] == pytest.approx(float(exact), rel=1e-6)


@pytest.mark.slow
def test_two_rules_may_agree_on_the_wrong_number() -> None:
    """E exp(sin(s z + m)) = sum_k I_k(1) E exp(i k x): frequencies that coarse rules take for others."""
    for backend in others_than("cuda", "python"):
        kernel = expectation_kernel("exp_sin", backend, 1e-12)
        for width in (3.0, 8.0, 40.0):
            exact = mpmath.besseli(0, 1) + 2 * mpmath.fsum(
                (-1) ** (k // 2) * mpmath.besseli(k, 1) * mpmath.exp(-((k * width) ** 2) / 2)
                for k in (2, 4, 6)
            )
            assert float(kernel(0.0, width)) == pytest.approx(float(exact), rel=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("backend", others_than("cuda", "python"))
def test_infinite_expectations(backend: str) -> None:
    """exp(s z^2/2) tanh(z)^2 has no mean from s = 1 on."""
    f = sympy.exp(S * z**2 / 2) * sympy.tanh(z) ** 2
    kernel = ha.compile(GaussianExpectation(f, z), (S,), backend=backend)
    with mpmath.workdps(25):
        exact = expectation(lambda t: mpmath.exp(t * t / 4) * mpmath.tanh(t) ** 2, (), 20)
    assert float(kernel(0.5)) == pytest.approx(float(exact), rel=1e-12)
    with np.errstate(over="ignore", invalid="ignore"):
        assert not np.isfinite(kernel(1.5))


def test_waves_limit_the_strip() -> None:
    assert moderate_half_width(sympy.tanh(z), z) == sympy.oo
    wide = moderate_half_width(sympy.sin(2 * z), z)
    assert moderate_half_width(sympy.sin(2 * z) ** 3, z) < wide / 2
    assert moderate_half_width(sympy.sin(2 * z) * sympy.cos(z), z) < wide
    assert moderate_half_width(sympy.sin(2 * z) + sympy.cos(z), z) == wide
    assert moderate_half_width(sympy.exp(sympy.sin(2 * z)), z) < wide / 3
    assert moderate_half_width(sympy.sin(M), z) == sympy.oo
    assert moderate_half_width(sympy.sin(S * z), z).free_symbols == {S}


WAVES_OF_FAST_FUNCTIONS = {
    "sin(exp(z))": (lambda x: np.sin(np.exp(x)), lambda x: np.exp(x) * np.cos(np.exp(x))),
    "sin(sinh(z))": (lambda x: np.sin(np.sinh(x)), lambda x: np.cosh(x) * np.cos(np.sinh(x))),
    "cos(z**4/2)": (lambda x: np.cos(x**4 / 2), lambda x: -2 * x**3 * np.sin(x**4 / 2)),
}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "backend"),
    [("sin(exp(z))", b) for b in others_than("python", "cuda")]
    + [
        pytest.param("sin(sinh(z))", "numba", marks=pytest.mark.draws(0)),  # the path of sin(exp(z))
        ("cos(z**4/2)", "numba"),
    ],
)
def test_waves_of_what_grows_fast(name: str, backend: str) -> None:
    """They have no strip: a small change of the trapezoidal rule says little of its error (5e-9 in mu1)."""
    coefficients = ha.conditional_coefficients(Activation(name))
    means = {"mu0": coefficients.mu0, "mu1": coefficients.mu1}
    kernel = ha.compile(means, (kappa, c, r), backend=backend)
    nodes, weights = np.polynomial.legendre.leggauss(20)
    half = 9.0 / 4000
    t = (half * (2 * np.arange(-2000, 2000)[:, None] + 1 + nodes)).ravel()
    w = np.tile(half * weights, 4000) * np.exp(-0.5 * t * t) / np.sqrt(2 * np.pi)
    at = (np.array([0.0, 1.3, 0.0]), np.array([1.0, 0.7, 0.1]), np.array([1.0, 0.9, 1.0]))
    found = kernel(*at)
    for i, (kap, cc, rr) in enumerate(zip(*at, strict=True)):
        for values, f in zip((found.mu0, found.mu1), WAVES_OF_FAST_FUNCTIONS[name], strict=True):
            y = f(rr * kap + np.sqrt(cc) * t)
            assert abs(values[i] - w @ y) < 2e-12 * (w @ np.abs(y))


def test_which_waves_outgrow_every_strip() -> None:
    fast = (sympy.exp(z), sympy.sinh(2 * z), z**3, own.He(3, z), sympy.sqrt(1 + sympy.exp(z)))
    slow = (z, z**2, sympy.exp(-(z**2)), sympy.log(1 + z**2), sympy.sqrt(1 + z**4), sympy.tanh(sympy.exp(z)))
    assert all(outgrows_every_strip(sympy.tanh(z + sympy.sin(f)), z) for f in fast)
    assert not any(outgrows_every_strip(z * sympy.cos(f) ** 2, z) for f in slow)
    assert not outgrows_every_strip(sympy.exp(-sympy.exp(z)), z)


@pytest.mark.slow
def test_error_functions_limit_the_strip_beside_waves() -> None:
    """erf grows like exp(y^2) off the axis: the strip of a wave alone left an error of 1e-11 here."""
    assert moderate_half_width(sympy.erf(z), z) == sympy.oo
    beside = moderate_half_width(sympy.erf(z) + sympy.cos(z), z)
    assert beside < moderate_half_width(sympy.cos(z), z)
    kernel = ha.compile(GaussianExpectation((sympy.erf(M + z) + sympy.cos(M + z)) ** 2, z), (M,))
    for at in (2.0, 4.2):
        with mpmath.workdps(25):
            exact = expectation(
                lambda t, m=at: (mpmath.erf(m + t) + mpmath.cos(m + t)) ** 2, [-at - 1, -at, 1 - at], 20
            )
        assert float(kernel(at)) == pytest.approx(float(exact), rel=1e-13)


SHARP: dict[str, Callable[[Any], Any]] = {
    "sqrt(abs(z))": lambda x: mpmath.sqrt(abs(x)),
    "abs(z)**(3/2)": lambda x: abs(x) ** mpmath.mpf(1.5),
    "log(abs(z))": lambda x: mpmath.log(abs(x)),
    "log(z**2)**2": lambda x: 4 * mpmath.log(abs(x)) ** 2,
    "relu(z)**(1/10)": lambda x: max(x, mpmath.mpf(0)) ** (mpmath.mpf(1) / 10),
}
SHARP_POINTS = [(0.7, 0.7), (0.0, 1.3), (-3.1, 1.1), (1e-9, 1.0), (7.3, 0.9), (2.0, 1e-6)]


@pytest.mark.cases(3)
@pytest.mark.parametrize(
    ("text", "backend"),
    [(text, backend) for text in SHARP for backend in others_than("cuda", "numba")]
    + [("log(z**2)**2", "numba")],
)
def test_logarithms_and_roots_of_what_vanishes(text: str, backend: str) -> None:
    """E f(m + s z), against tanh-sinh quadrature over x = m + s z on both sides of 0."""
    m, s = Symbol("m", real=True), Symbol("s", positive=True)
    mean = GaussianExpectation(Activation(text).expression.subs(z, m + s * z), z)
    kernel = ha.compile(mean, (m, s), backend=backend)
    for point in SHARP_POINTS[: 1 if backend == "python" else None]:
        found = float(kernel(*map(np.float64, point)))
        assert found == pytest.approx(sharp_mean(text, *point), rel=1e-12)


@functools.cache
def sharp_mean(text: str, mean: float, width: float) -> float:
    """The integral over x of f(x) times the density of m + s z."""
    with mpmath.workdps(25):
        m, s = mpmath.mpf(mean), mpmath.mpf(width)
        ends = sorted({mpmath.mpf(0), *(m + k * s for k in range(-14, 15))})
        return float(mpmath.quad(lambda x: SHARP[text](x) * mpmath.npdf(x, m, s), ends))


def test_no_number_where_a_root_is_divided_by() -> None:
    """|x|^(-1/2) has a mean, but not to the accuracy of these panels: NaN, never a wrong digit."""
    m, s = Symbol("m", real=True), Symbol("s", positive=True)
    mean = GaussianExpectation(1 / sympy.sqrt(sympy.Abs(m + s * z)), z)
    assert math.isnan(float(ha.compile(mean, (m, s), backend="standalone")(0.7, 0.7)))
