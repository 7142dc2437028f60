"""The same numbers on every back end, for activations and their conditional coefficients."""

from __future__ import annotations

from typing import Any

import array_api_strict
import mpmath
import numpy as np
import pytest
import sympy

import hermite_analytics as ha
from hermite_analytics import Activation, GaussianExpectation
from hermite_analytics.symbols import z
from tests.symbolic.codegen.back_ends import others_than
from tests.symbolic.codegen.coefficients import POINTS, check_against_reference, coefficients_kernel, numbers
from tests.symbolic.references import CLOSED, FUNCTIONS, OPEN, coefficients

NUMBA_ALWAYS = ["relu(z)", "erf(z)", "gelu(z)", "tanh(z)", "abs(tanh(z))", "min(max(z, -1), 1)"]
FAST_POINTS = [x / 4 for x in range(-24, 25)]


@pytest.mark.slow
@pytest.mark.parametrize("name", NUMBA_ALWAYS)
def test_numba_kernels(name: str) -> None:
    check_against_reference(name, coefficients_kernel(name, "numba"))


@pytest.mark.slow
@pytest.mark.draws(3, spread=True)  # a kernel of its own each
@pytest.mark.parametrize("name", [n for n in FUNCTIONS if n not in NUMBA_ALWAYS])
def test_numba_kernels_of_every_function(name: str) -> None:
    check_against_reference(name, coefficients_kernel(name, "numba"))


@pytest.mark.cases(2)
@pytest.mark.draws(12, spread=True)  # plain Python: a quadrature takes up to 3 s
@pytest.mark.parametrize("name", FUNCTIONS)
def test_standalone_kernels(name: str) -> None:
    check_against_reference(name, coefficients_kernel(name, "standalone"))


@pytest.mark.cases(6)
@pytest.mark.draws(30, spread=True)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_array_kernels(name: str) -> None:
    kernel = coefficients_kernel(name, "array")
    check_against_reference(name, lambda *point: kernel(*(np.asarray(x) for x in point)))


@pytest.mark.cases(2)
@pytest.mark.parametrize(
    "name", ["relu(z)", "erf(z)", "gelu(z)", "sign(z)", "sin(z)", "He(3, z)", "leaky_relu(z, 1/10)"]
)
def test_array_kernels_on_a_strict_namespace(name: str) -> None:
    kernel = coefficients_kernel(name, "array")

    def evaluate(*point: float) -> list[float]:
        return [float(x[0]) for x in kernel(*(array_api_strict.asarray([x]) for x in point))]

    check_against_reference(name, evaluate)


@pytest.mark.cases(12)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_activations_on_arrays(name: str) -> None:
    kernel = Activation(name).function(backend="array")
    for xp in (np, array_api_strict):
        found = kernel(xp.asarray(FAST_POINTS))
        assert found.dtype == xp.float64
        for x, value in zip(FAST_POINTS, found, strict=True):
            exact = FUNCTIONS[name][0](mpmath.mpf(x))
            assert float(value) == pytest.approx(float(exact), rel=1e-12, abs=1e-15)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["tanh(z)*relu(z) + He(3, z)", "leaky_relu(z, 1/10)*sign(z - 1)"])
def test_activations_in_numba(name: str) -> None:
    expression = Activation(name).expression
    kernel = Activation(name).function()
    slope = Activation(name).derivative_function()
    x = np.linspace(-3.1, 2.9, 25)
    exact = [float(expression.subs(z, sympy.Float(t, 25)).evalf(20)) for t in x]
    np.testing.assert_allclose(kernel(x), exact, rtol=1e-12)
    h = 1e-6
    away = np.abs(x) > 0.01
    np.testing.assert_allclose(
        slope(x)[away], ((kernel(x + h) - kernel(x - h)) / (2 * h))[away], rtol=1e-6, atol=1e-8
    )


@pytest.mark.slow
def test_hermite_of_high_degree_keeps_its_digits() -> None:
    kernel = ha.compile(ha.language.functions.He(60, z) / sympy.sqrt(sympy.factorial(60)), (z,))  # type: ignore[attr-defined]
    with mpmath.workdps(60):
        for x in (-7.3, -0.4, 1.1, 5.0):
            exact = mpmath.hermite(60, mpmath.mpf(x) / mpmath.sqrt(2)) / mpmath.mpf(2) ** 30
            exact /= mpmath.sqrt(mpmath.factorial(60))
            assert float(kernel(x)) == pytest.approx(float(exact), rel=1e-11, abs=1e-12)


def test_closed_and_open_lists_are_right() -> None:
    for name in OPEN:
        values = ha.conditional_coefficients(Activation(name)).values()
        assert any(e.has(GaussianExpectation) for e in values)


@pytest.mark.cases(5)
@pytest.mark.draws(12, spread=True)
@pytest.mark.parametrize("name", [n for n in CLOSED if n not in ("relu(z)", "erf(z)", "gelu(z)", "sign(z)")])
def test_closed_coefficients_of_every_function_on_a_strict_namespace(name: str) -> None:
    kernel = coefficients_kernel(name, "array")
    check_against_reference(
        name, lambda *point: [x[0] for x in kernel(*(array_api_strict.asarray([x]) for x in point))]
    )


@pytest.mark.cases(7)
@pytest.mark.draws(16, spread=True)
@pytest.mark.parametrize("name", CLOSED)
def test_closed_coefficients_of_the_reference(name: str) -> None:
    check_against_reference(name, coefficients_kernel(name, "python"))


@pytest.mark.slow
@pytest.mark.draws(3, spread=True)
@pytest.mark.parametrize("name", OPEN)
def test_open_coefficients_of_the_reference(name: str) -> None:
    check_against_reference(name, coefficients_kernel(name, "python"))


@pytest.mark.slow
@pytest.mark.parametrize("backend", others_than("array"))
def test_every_activation_in_one_kernel(backend: str) -> None:
    """The text of an activation is all that changes: one module holds them all."""
    expressions = {f"f{j}": Activation(name).expression for j, name in enumerate(FUNCTIONS)}
    found = ha.compile(expressions, (z,), backend=backend)(np.asarray(FAST_POINTS[::4]))
    for (function, _), values in zip(FUNCTIONS.values(), found, strict=True):
        exact = [float(function(mpmath.mpf(x))) for x in FAST_POINTS[::4]]
        np.testing.assert_allclose(values, exact, rtol=1e-12, atol=1e-15)


@pytest.mark.slow
@pytest.mark.parametrize("namespace", [np, array_api_strict], ids=["numpy", "strict"])
def test_single_precision_of_closed_coefficients(namespace: Any) -> None:
    """To 1e-5 of the size of the terms, in float32 throughout."""
    for name in ("relu(z)", "erf(z)", "gelu(z)", "sign(z)", "sin(z)", "He(3, z)", "tanh(z)"):
        kernel = coefficients_kernel(name, "array")
        for point in POINTS[:3]:
            found = kernel(*(namespace.asarray([x], dtype=namespace.float32) for x in point))
            assert all(v.dtype == namespace.float32 for v in found)
            with mpmath.workdps(25):
                mu0, mu1, mu2_squared, square = coefficients(name, *numbers(point))
            size = 1.0 + float(mpmath.sqrt(square))
            for value, exact in zip(found, (mu0, mu1, mu2_squared), strict=True):
                assert float(value[0]) == pytest.approx(float(exact), abs=1e-5 * size**2), name
