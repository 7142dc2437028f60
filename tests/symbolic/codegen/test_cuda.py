"""CUDA kernels in numba's simulator (see tests/conftest.py), and the same on a device."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import Any, ClassVar

import mpmath
import numpy as np
import pytest
import sympy
from numba import config, cuda
from numpy.typing import NDArray
from sympy import Symbol

import hermite_analytics as ha
from hermite_analytics import Activation, GaussianExpectation, InputError
from hermite_analytics.codegen.cuda_backend import launch
from hermite_analytics.codegen.kernel import Kernel
from hermite_analytics.language import functions as own
from hermite_analytics.symbols import c, kappa, r, z
from tests.symbolic.codegen.coefficients import check_against_reference, coefficients_kernel
from tests.symbolic.references import FUNCTIONS, expectation

X = Symbol("x", real=True)
Y = Symbol("y", real=True)
GRID = np.linspace(-3.1, 2.9, 9)

pytestmark = pytest.mark.skipif(
    not config.ENABLE_CUDASIM and not cuda.is_available(),
    reason="no CUDA device, and NUMBA_ENABLE_CUDASIM is 0: the simulator is off",
)


@pytest.mark.cases(2)
@pytest.mark.parametrize(
    "name",
    ["relu(z)", "erf(z)", "gelu(z)", "sign(z)", "abs(z)", "sin(z)", "He(3, z)", "leaky_relu(z, 1/10)"],
)
def test_closed_coefficients(name: str) -> None:
    check_against_reference(name, coefficients_kernel(name, "cuda"))


@pytest.mark.cases(1)
@pytest.mark.parametrize("name", ["tanh(z)", "softplus(z)", "silu(z)"])
def test_quadrature_in_a_strip(name: str) -> None:
    check_against_reference(name, coefficients_kernel(name, "cuda"))


@pytest.mark.slow
@pytest.mark.draws(12, spread=True)
@pytest.mark.parametrize("name", [n for n in FUNCTIONS if n not in ("relu(z)", "erf(z)", "tanh(z)")])
def test_coefficients_of_every_function(name: str) -> None:
    check_against_reference(name, coefficients_kernel(name, "cuda"))


def test_every_activation() -> None:
    expressions = {f"f{j}": Activation(name).expression for j, name in enumerate(FUNCTIONS)}
    found = ha.compile(expressions, (z,), backend="cuda")(GRID)
    for (function, _), values in zip(FUNCTIONS.values(), found, strict=True):
        exact = [float(function(mpmath.mpf(float(x)))) for x in GRID]
        np.testing.assert_allclose(values, exact, rtol=1e-12, atol=1e-15)


@pytest.mark.cases(1)
@pytest.mark.parametrize("name", ["tanh(z)", "abs(z)*sin(z)", "relu(z + 1/2)", "step(z - 1)"])
def test_dual_kernels(name: str) -> None:
    kernel = ha.dual_kernel(name).conjugate
    points = np.array([-1.0, -1 + 1e-9, -0.4, 0.0, 0.8, 1 - 1e-12, 1.0])
    found, exact = (ha.compile(kernel, ["rho"], backend=b, wrt=["rho"])(points) for b in ("cuda", "python"))
    np.testing.assert_allclose(found.value, exact.value, rtol=1e-12, atol=1e-15)
    np.testing.assert_allclose(found.dvalue_drho, exact.dvalue_drho, rtol=1e-12, atol=1e-15)


@pytest.mark.slow
def test_quadrature_with_a_kink() -> None:
    kernel = ha.compile(GaussianExpectation(sympy.Abs(sympy.tanh(z + X)), z), (X,), backend="cuda")
    with mpmath.workdps(20):
        for x in (-0.7, 0.0, 2.5):
            exact = expectation(lambda t, x=x: abs(mpmath.tanh(t + mpmath.mpf(x))), [-x])
            assert kernel(x) == pytest.approx(float(exact), rel=1e-12)


def test_derivatives() -> None:
    kernel = ha.compile(GaussianExpectation(own.relu(X + Y * z), z), (X, Y), backend="cuda", wrt=(X, Y))
    values = kernel(0.3, 2.0)
    h = mpmath.mpf("0.15")
    assert values.dvalue_dx == pytest.approx(float(mpmath.ncdf(h)), rel=1e-14)
    assert values.dvalue_dy == pytest.approx(float(mpmath.npdf(h)), rel=1e-14)


def test_residual_without_cancellation() -> None:
    kernel = coefficients_kernel("relu(z)", "cuda")
    with mpmath.workdps(60):
        h = mpmath.mpf(10)
        p, q = mpmath.npdf(h), mpmath.erfc(h / mpmath.sqrt(2)) / 2
        # relu at -h is relu at h up to an affine function: tails only
        exact = (h * h + 1) * q - h * p - (p - h * q) ** 2 - q**2
    assert kernel(10.0, 1.0, 1.0).mu2_squared == pytest.approx(float(exact), rel=1e-12)


@pytest.fixture(scope="module")
def kernel() -> Kernel:
    return ha.compile({"sum": X + Y, "product": X * Y}, (X, Y), backend="cuda")


class OnDevice:
    """As far as a launch asks before it copies; arrays of the simulator have no such interface."""

    __cuda_array_interface__: ClassVar[dict[str, Any]] = {}

    def __init__(self, shape: tuple[int, ...]) -> None:
        self.shape = shape


class TestLaunch:
    """Shapes and types, as with the other back ends."""

    def test_broadcasts(self, kernel: Kernel) -> None:
        values = kernel(GRID[:, None], np.asarray([1.0, 2.0]))
        np.testing.assert_array_equal(values.sum, GRID[:, None] + [1.0, 2.0])
        np.testing.assert_array_equal(values.product, GRID[:, None] * [1.0, 2.0])

    def test_numbers_and_integers(self, kernel: Kernel) -> None:
        assert tuple(kernel(2, 3)) == (5.0, 6.0)
        assert np.ndim(kernel(2, 3).sum) == 0
        np.testing.assert_array_equal(kernel(np.arange(4), 2).product, [0.0, 2.0, 4.0, 6.0])

    def test_more_points_than_a_block(self, kernel: Kernel) -> None:
        x = np.linspace(-1.0, 1.0, 301)
        np.testing.assert_array_equal(kernel(x, 2.0).product, 2.0 * x)

    def test_strided_and_empty_arrays(self, kernel: Kernel) -> None:
        grid = np.arange(12.0).reshape(3, 4)
        np.testing.assert_array_equal(kernel(grid.T, 1.0).sum, grid.T + 1.0)
        assert kernel(np.empty((0, 2)), 1.0).sum.shape == (0, 2)

    def test_device_arrays_are_of_one_shape(self, kernel: Kernel) -> None:
        with pytest.raises(InputError, match=r"device arrays of shapes \(9,\), \(3,\) .* give one shape"):
            kernel(OnDevice((9,)), OnDevice((3,)))

    def test_scalar_in_other_device_code(self, kernel: Kernel) -> None:
        scalar = kernel.scalar

        @cuda.jit
        def fill(out: NDArray[np.float64]) -> None:
            i = cuda.grid(1)
            if i < out.size:
                out[i] = scalar(float(i), 3.0)[1]

        out = np.zeros(5)
        fill[1, 8](out)
        np.testing.assert_array_equal(out, 3.0 * np.arange(5))

    def test_pickles(self, kernel: Kernel) -> None:
        again = pickle.loads(pickle.dumps(kernel))
        assert tuple(again(2.0, 3.0)) == (5.0, 6.0)
        assert repr(again) == "<cuda kernel (x, y) -> (sum, product)>"

    def test_wrong_number_of_arguments(self, kernel: Kernel) -> None:
        with pytest.raises(InputError, match=r"takes 2 arguments \(x, y\), 1 given"):
            kernel(1.0)

    def test_without_a_device(self, kernel: Kernel, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(cuda, "is_available", lambda: False)
        with pytest.raises(
            InputError, match="no CUDA device was found; use backend 'numba' or 'array', or set"
        ):
            launch.launch(kernel._module.over_arrays, 2, (1.0, 2.0))


@pytest.mark.parametrize(
    ("build", "exact"),
    [
        (lambda x: sympy.Max(1, x), lambda x: np.maximum(1.0, x)),
        (lambda x: sympy.Min(1, x), lambda x: np.minimum(1.0, x)),
        (sympy.sign, np.sign),
        (own.step, lambda x: np.heaviside(x, 0.0)),
        (lambda x: sympy.Piecewise((1, x < 0), (2 * x, True)), lambda x: np.where(x < 0, 1.0, 2.0 * x)),
    ],
)
def test_nan_and_infinity(build: Callable[..., Any], exact: Callable[..., Any]) -> None:
    x = np.asarray([-np.inf, -1.0, 0.0, 2.0, np.inf, np.nan])
    np.testing.assert_array_equal(ha.compile(build(X), (X,), backend="cuda")(x), exact(x))


_SIMULATED = pytest.mark.skipif(
    bool(config.ENABLE_CUDASIM),
    reason="the simulator is on: NUMBA_ENABLE_CUDASIM=0 on a machine with a device",
)


@pytest.mark.gpu
@_SIMULATED
@pytest.mark.parametrize("name", ["relu(z)", "erf(z)", "gelu(z)", "tanh(z)", "abs(tanh(z))"])
def test_on_a_device(name: str) -> None:
    check_against_reference(name, coefficients_kernel(name, "cuda"))
    points = (np.linspace(-2.0, 2.0, 5000), 0.7, 1.1)
    device, host = (
        ha.compile(ha.conditional_coefficients(Activation(name)), (kappa, c, r), backend=b)(*points)
        for b in ("cuda", "numba")
    )
    for found, expected in zip(device, host, strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-14)


@pytest.mark.gpu
@_SIMULATED
def test_arrays_on_a_device_stay_there(kernel: Kernel) -> None:
    values = kernel(cuda.to_device(GRID), 2.0)
    assert hasattr(values.sum, "copy_to_host")
    np.testing.assert_array_equal(values.sum.copy_to_host(), GRID + 2.0)
