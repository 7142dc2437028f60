"""mu2_squared where the difference that defines it cancels, against the difference in hundreds of digits."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable
from typing import Any

import mpmath
import numpy as np
import pytest
import sympy
from sympy import Symbol

import hermite_analytics as ha
from hermite_analytics import Activation
from hermite_analytics.codegen.kernel import Kernel
from hermite_analytics.gaussian.residual import Guarded, residual_integral
from hermite_analytics.language import functions as own
from hermite_analytics.symbols import c, kappa, r, z
from tests.symbolic.codegen.back_ends import others_than
from tests.symbolic.references import FUNCTIONS, expectations

Number = Any
UNDERFLOW = 1e-290

# activation: breakpoints, and (slope, offset) of each piece
PIECES: dict[str, tuple[list[Number], list[tuple[Number, Number]]]] = {
    "relu(z)": ([0], [(0, 0), (1, 0)]),
    "abs(z)": ([0], [(-1, 0), (1, 0)]),
    "leaky_relu(z, 1/10)": ([0], [(mpmath.mpf(1) / 10, 0), (1, 0)]),
    "sign(z)": ([0], [(0, -1), (0, 1)]),
    "step(z)": ([0], [(0, 0), (0, 1)]),
    "step(z - 1)": ([1], [(0, 0), (0, 1)]),
    "min(max(z, -1), 1)": ([-1, 1], [(0, -1), (1, 0), (0, 1)]),
}
SMOOTH = ["erf(z)", "gelu(z)", "sin(z)"]
OPEN = ["tanh(z)", "softplus(z)"]
FAR = [-20.0, -10.0, -6.0, 6.0, 10.0, 20.0]
NARROW = [(0.7, 1e-4), (0.7, 1e-6), (-0.3, 1e-6), (0.1, 1e-4)]


def upper_tail(h: Number) -> Number:
    return mpmath.erfc(h / mpmath.sqrt(2)) / 2


def of_pieces(name: str, mean: Number, scale: Number) -> tuple[Number, Number]:
    """(residual, E f^2) of a piecewise linear function from moments of intervals."""
    points, lines = PIECES[name]
    edges = [-mpmath.inf, *((p - mean) / scale for p in points), mpmath.inf]
    first = by_parts = second = mpmath.mpf(0)
    for (low, high), (slope, offset) in zip(itertools.pairwise(edges), lines, strict=True):
        density = [mpmath.npdf(e) if mpmath.isfinite(e) else mpmath.mpf(0) for e in (low, high)]
        edge = [
            e * d if mpmath.isfinite(e) else mpmath.mpf(0) for e, d in zip((low, high), density, strict=True)
        ]
        m0 = upper_tail(low) - upper_tail(high)
        m1 = density[0] - density[1]
        m2 = m0 + edge[0] - edge[1]
        a, b = slope * scale, slope * mean + offset
        first += a * m1 + b * m0
        by_parts += a * m2 + b * m1
        second += a * a * m2 + 2 * a * b * m1 + b * b * m0
    return second - first**2 - by_parts**2, second


def of_sine(mean: Number, scale: Number) -> tuple[Number, Number]:
    v = scale**2
    second = (1 - mpmath.exp(-2 * v) * mpmath.cos(2 * mean)) / 2
    first = mpmath.exp(-v / 2) * mpmath.sin(mean)
    slope = mpmath.exp(-v / 2) * mpmath.cos(mean)
    return second - first**2 - v * slope**2, second


@functools.cache
def reference(name: str, mean: float, variance: float) -> tuple[Number, Number]:
    """(residual, E f^2)."""
    if name in (*SMOOTH, "tanh(z)") and mean > 0.0:  # odd, or even up to an affine function
        return reference(name, -mean, variance)
    if name in PIECES:
        with mpmath.workdps(400):
            return of_pieces(name, mpmath.mpf(mean), mpmath.sqrt(mpmath.mpf(variance)))
    if name == "sin(z)":
        with mpmath.workdps(80):
            return of_sine(mpmath.mpf(mean), mpmath.sqrt(mpmath.mpf(variance)))
    # erf + 1 has the residual of erf, and as it is small at negative means, nothing is lost in the difference
    function = FUNCTIONS[name][0] if name != "erf(z)" else lambda x: mpmath.erfc(-x)
    far = abs(mean) > 10.0
    with mpmath.workdps(44):
        m, s = mpmath.mpf(mean), mpmath.sqrt(mpmath.mpf(variance))

        def integrands(t: Number) -> tuple[Number, ...]:
            value = function(m + s * t)
            return value, t * value, value**2

        first, by_parts, second = expectations(integrands, (), 30 if far else 15)
        return second - first**2 - by_parts**2, second


def check(name: str, evaluate: Callable[..., Number], points: list[tuple[float, float]]) -> None:
    """Relative 1e-12 where there is a closed form; else what rounding of tanh(x) leaves.

    The integrand of an open residual is the square of a difference of numbers of size 1, so that its root
    errs by about 1e-16: relative digits end where the residual is 1e-32 of E f^2.
    """
    for mean, variance in points:
        exact, second = reference(name, mean, variance)
        found = float(evaluate(mean, variance, 1.0)[2])
        assert found >= 0.0, (name, mean, variance)
        tolerance = 1e-12 * exact + UNDERFLOW
        if name in OPEN:
            tolerance += 1e-14 * mpmath.sqrt(exact * second) + 1e-30 * second
        assert abs(found - exact) <= tolerance, (name, mean, variance, found, float(exact))


def points_of(name: str) -> list[tuple[float, float]]:
    far = [(m, 1.0) for m in FAR if name in PIECES or abs(m) <= 10.0]
    return [*far, *NARROW, (0.4, 0.9)]


@functools.cache
def kernel(name: str, backend: str) -> Kernel:
    return ha.compile(ha.conditional_coefficients(Activation(name)), (kappa, c, r), backend=backend)


@pytest.mark.cases(1)
@pytest.mark.draws(16, spread=True)
@pytest.mark.parametrize("name", [*PIECES, *SMOOTH, *OPEN])
@pytest.mark.parametrize("backend", others_than("numba", "python"))
def test_relative_digits(name: str, backend: str) -> None:
    check(name, kernel(name, backend), points_of(name))


@pytest.mark.cases(2)
@pytest.mark.parametrize("name", ["relu(z)", "sign(z)", "erf(z)"])
def test_relative_digits_of_the_reference(name: str) -> None:
    check(name, kernel(name, "python"), [(6.0, 1.0), (-20.0, 1.0), (0.7, 1e-6)])


@pytest.mark.cases(1)
@pytest.mark.parametrize("name", ["relu(z)", "tanh(z)", "min(max(z, -1), 1)"])
def test_relative_digits_in_numba(name: str) -> None:
    """By the vectorised loop and, where that declines, by the scalar code."""
    compiled = kernel(name, "numba")
    check(name, compiled, points_of(name))
    check(name, compiled.scalar, points_of(name)[:3])


@pytest.mark.parametrize("backend", ["array", "numba"])
def test_a_jump_away_from_0_in_short_rows(backend: str) -> None:
    """Exponents that were multiplied out gave 0 times infinity."""
    check(
        "step(z - 1)", kernel("step(z - 1)", backend), [(1.2, 0.003), (1.3, 0.002), (-1.0, 0.2), (10.7, 0.03)]
    )


@pytest.mark.slow
@pytest.mark.draws(4, spread=True)
@pytest.mark.parametrize("backend", others_than("cuda", "numba"))
@pytest.mark.parametrize("name", SMOOTH)
def test_relative_digits_at_twenty_widths(name: str, backend: str) -> None:
    check(name, kernel(name, backend), [(-20.0, 1.0), (20.0, 1.0)])


@pytest.mark.slow
@pytest.mark.draws(7, spread=True)
@pytest.mark.parametrize("backend", ["numba", "python"])
@pytest.mark.parametrize("name", [*PIECES, *SMOOTH, *OPEN])
def test_relative_digits_of_every_function(name: str, backend: str) -> None:
    points = points_of(name) if backend == "numba" or name not in OPEN else [(6.0, 1.0), (0.7, 1e-4)]
    check(name, kernel(name, backend), points)


@pytest.mark.cases(5)
@pytest.mark.parametrize("name", [*PIECES, *SMOOTH, *OPEN])
def test_never_negative(name: str) -> None:
    grid = kernel(name, "array")(np.linspace(-30, 30, 61)[:, None], np.asarray([1e-6, 1e-2, 1.0, 9.0]), 1.0)
    assert np.all(grid.mu2_squared >= 0.0)


@pytest.mark.parametrize("name", ["z", "z**2", "He(3, z)", "2*z - 1"])
def test_polynomials(name: str) -> None:
    values = kernel(name, "array")(np.asarray([-3.0, 0.2]), 0.5, 1.0).mu2_squared
    expected = {"z": 0.0, "2*z - 1": 0.0, "z**2": 2 * 0.5**2}
    if name in expected:
        np.testing.assert_allclose(values, expected[name], rtol=1e-14)
    assert np.all(values >= 0.0)


MEAN, SCALE = Symbol("mean", real=True), Symbol("scale", positive=True)


@pytest.mark.cases(1)
@pytest.mark.draws(5, spread=True)
@pytest.mark.parametrize(
    "name",
    [
        "relu(z)",
        "abs(z)",
        "leaky_relu(z, 1/10)",
        "sign(z)",
        "step(z)",
        "min(max(z, -1), 1)",
        *SMOOTH,
        "phi(z)",
    ],
)
def test_residual_integral(name: str) -> None:
    """The integral of each class against the difference by direct quadrature."""
    expression = Activation(name).expression
    integral = residual_integral(expression, z, MEAN, SCALE)
    assert isinstance(integral, sympy.Integral)
    v, start, end = integral.limits[0]
    assert (start, end) == (0, sympy.pi / 4)
    integrand = sympy.lambdify(
        (v, MEAN, SCALE), integral.function.rewrite(sympy.exp), modules=[OWN, "mpmath"]
    )
    for mean, variance in ((0.4, 0.9), (-1.5, 0.25))[: 2 if name in PIECES else 1]:
        exact, _ = reference(name, mean, variance)
        with mpmath.workdps(25):
            m, s = mpmath.mpf(mean), mpmath.sqrt(mpmath.mpf(variance))
            panels = [0, *(mpmath.pi / 4 / 2**k for k in range(9, -1, -1))]
            found = mpmath.quad(lambda t, m=m, s=s: integrand(t, m, s) if t else mpmath.mpf(0), panels)
            assert abs(found / exact - 1) < 1e-15, (name, mean)


OWN = {"phi": mpmath.npdf, "Phi": mpmath.ncdf}


@pytest.mark.parametrize(
    "name", ["tanh(z)", "softplus(z)", "relu(z) + sign(z)", "abs(z)**3", "relu(z)*erf(z)"]
)
def test_no_residual_integral(name: str) -> None:
    assert residual_integral(Activation(name).expression, z, MEAN, SCALE) is None


def test_guarded_is_its_value_in_exact_arithmetic() -> None:
    x = Symbol("x", real=True)
    guarded = Guarded(sympy.exp(x) - 1 - x, 1 + abs(x), x**2 / 2)
    assert guarded.doit() == guarded.value == sympy.exp(x) - 1 - x
    assert str(guarded) == str(sympy.exp(x) - 1 - x)
    assert guarded.subs(x, 0).evalf() == 0
    derivative = guarded.diff(x)
    assert isinstance(derivative, Guarded)
    assert derivative.value == sympy.exp(x) - 1
    assert derivative.args[2] == x
    assert derivative.args[3] == guarded.value


@pytest.mark.parametrize("backend", others_than("numba"))
def test_guarded_falls_back_where_the_difference_is_small(backend: str) -> None:
    x = Symbol("x", real=True)
    series = x**2 / 2 + x**3 / 6 + x**4 / 24
    compiled = ha.compile(Guarded(sympy.exp(x) - 1 - x, 1 + abs(x), series), (x,), backend=backend)
    for value in (1e-9, -1e-5, 1.0):
        with mpmath.workdps(40):
            exact = mpmath.exp(mpmath.mpf(value)) - 1 - mpmath.mpf(value)
        assert float(compiled(value)) == pytest.approx(float(exact), rel=1e-13)


def test_far_derivative_of_the_residual() -> None:
    """d mu2_squared/d kappa of relu at h = 8: the derivative of the guarded formula is guarded too."""
    compiled = ha.compile(
        ha.conditional_coefficients(Activation("relu(z)")), (kappa, c, r), backend="array", wrt=(kappa,)
    )
    for h in (3.0, 8.0, -8.0):
        with mpmath.workdps(120):
            exact = mpmath.diff(lambda m: of_pieces("relu(z)", m, mpmath.mpf(1))[0], mpmath.mpf(h))
        assert float(compiled(h, 1.0, 1.0).dmu2_squared_dkappa) == pytest.approx(float(exact), rel=1e-11)


def test_own_functions_are_those_of_the_language() -> None:
    assert own.phi.__name__ in OWN
    assert own.Phi.__name__ in OWN


def test_polynomial_residuals_are_not_negative() -> None:
    """2 c^2 ((1 + 3m)^2 + 3c), expanded in the kernel: rounding is larger than 3c near m = -1/3."""
    kernel = ha.compile(
        ha.conditional_coefficients(Activation("z**2 + z**3")), (kappa, c, r), backend="array"
    )
    near = np.linspace(-0.33333334, -0.33333332, 1001)
    residual = kernel(near, np.asarray(1e-18), np.asarray(1.0)).mu2_squared
    assert np.all(residual >= 0.0)
    assert np.any(residual == 0.0)  # where the formula itself is negative
