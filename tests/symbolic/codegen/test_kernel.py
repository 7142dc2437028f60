"""What callers of kernels may rely on: the manners of a ufunc."""

from __future__ import annotations

import ast
import math
import pickle
import re

import array_api_strict
import mpmath
import numpy as np
import pytest
import sympy
from numba import njit
from sympy import Symbol

import hermite_analytics as ha
from hermite_analytics import Activation, GaussianExpectation, InputError
from hermite_analytics.symbols import c, kappa, r, z
from tests.symbolic.codegen.coefficients import coefficients_kernel
from tests.symbolic.references import expectation


@pytest.fixture(scope="module")
def kernel() -> object:
    return coefficients_kernel("relu(z)", "numba")


class TestManners:
    """One cheap kernel: what callers may rely on."""

    def test_named_tuple(self, kernel) -> None:  # type: ignore[no-untyped-def]
        values = kernel(0.7, 1.3, 1.0)
        assert values._fields == ("mu0", "mu1", "mu2_squared")
        assert values.mu0 == values[0] == pytest.approx(0.8879941358872854, abs=1e-15)

    def test_broadcasting(self, kernel) -> None:  # type: ignore[no-untyped-def]
        grid = kernel(np.linspace(-1, 1, 5)[:, None], np.asarray([0.5, 1.0, 2.0]), 1)
        assert all(a.shape == (5, 3) and a.dtype == np.float64 for a in grid)
        assert grid.mu1[2, 1] == kernel(0, 1, 1).mu1
        assert kernel(np.ones((0, 2)), 1.0, 1.0).mu0.shape == (0, 2)
        assert np.ndim(kernel(np.float32(0.5), 1, 2).mu0) == 0
        with pytest.raises(ValueError, match="shape"):
            kernel(np.ones(2), np.ones(3), 1.0)

    def test_strided_and_integer_arrays(self, kernel) -> None:  # type: ignore[no-untyped-def]
        x = np.arange(12).reshape(3, 4)
        np.testing.assert_array_equal(kernel(x.T, 1, 1).mu0, kernel(x.astype(float), 1.0, 1.0).mu0.T)

    def test_wrong_number_of_arguments(self, kernel) -> None:  # type: ignore[no-untyped-def]
        with pytest.raises(InputError, match=r"takes 3 arguments \(kappa, c, r\), 2 given"):
            kernel(1.0, 2.0)

    def test_called_from_compiled_code(self, kernel) -> None:  # type: ignore[no-untyped-def]
        scalar = kernel.scalar

        @njit
        def total(n: int) -> float:
            result = 0.0
            for j in range(n):
                result += scalar(0.1 * j, 1.0, 1.0)[1]
            return result

        assert total(10) == pytest.approx(float(np.sum(kernel(0.1 * np.arange(10), 1.0, 1.0).mu1)), rel=1e-14)

    def test_pickles(self, kernel) -> None:  # type: ignore[no-untyped-def]
        again = pickle.loads(pickle.dumps(kernel))
        assert again.source == kernel.source
        assert again(0.7, 1.3, 1.0) == tuple(kernel(0.7, 1.3, 1.0))
        assert repr(again) == "<numba kernel (kappa, c, r) -> (mu0, mu1, mu2_squared)>"

    def test_source_is_readable(self, kernel) -> None:  # type: ignore[no-untyped-def]
        tree = ast.parse(kernel.source)
        assert "mu1 = Phi(kappa*r/sqrt(c))" in ast.get_docstring(tree, clean=False)
        for name in ("scalar", "point"):
            (body,) = (ast.unparse(f) for f in tree.body if isinstance(f, ast.FunctionDef) and f.name == name)
            assert body.count("math.sqrt(c)") == 1  # shared by the three outputs

    def test_one_expression_gives_one_array(self) -> None:
        kernel = ha.compile(sympy.sin(z) ** 2, ["z"], backend="array")
        np.testing.assert_allclose(kernel(np.asarray([0.0, 1.0])), np.sin([0.0, 1.0]) ** 2, rtol=1e-15)


def test_array_kernels_broadcast_their_constants() -> None:
    coefficient = {"constant": sympy.Integer(2), "slope": r * kappa, "both": c + kappa}
    kernel = ha.compile(coefficient, (kappa, c, r), backend="array")
    for xp in (np, array_api_strict):
        values = kernel(xp.ones((4, 1)), xp.ones(3), xp.asarray(2.0))
        assert all(v.shape == (4, 3) for v in values)
        assert float(values.constant[3, 2]) == 2.0
    single = kernel(*(np.ones(2, dtype=np.float32) for _ in range(3)))
    assert all(v.dtype == np.float32 for v in single)


def test_outputs_of_array_kernels_share_nothing_that_is_written_into() -> None:
    """An argument, or one array of two outputs, is read-only; others are the caller's."""
    x = np.linspace(0.0, 1.0, 5)
    kernel = ha.compile({"itself": z, "one": sympy.sin(z), "other": sympy.sin(z)}, (z,), backend="array")
    itself, one, other = kernel(x)
    for values, expected in ((itself, x), (one, np.sin(x)), (other, np.sin(x))):
        np.testing.assert_allclose(values, expected, rtol=1e-15)
    assert not np.shares_memory(itself, x) or not itself.flags.writeable
    assert not np.shares_memory(one, other) or not (one.flags.writeable or other.flags.writeable)


def test_array_kernels_take_numbers() -> None:
    kernel = coefficients_kernel("relu(z)", "array")
    assert float(kernel(0.7, 1.3, 1).mu0) == pytest.approx(0.8879941358872854, abs=1e-15)


def test_no_expanded_powers() -> None:
    kernel = ha.compile({"he": Activation("He(40, z)").expression, "power": z**30}, (z,), backend="array")
    assert "special.hermite(xp, 40.0, z)" in kernel.source
    assert "z ** 30" in kernel.source
    products = re.findall(r"z(?: \* z)+", ha.compile(z**8, (z,), backend="array").source)
    assert max(len(p.split("*")) for p in products) == 8


MEANS = ("k", "width", "lambda", "first", "t_1", "i")
WIDTHS = ("node", "step_size", "class", "values", "mean_1", "out")


@pytest.mark.slow
def test_names_of_arguments_do_not_clash_with_generated_names() -> None:
    """Names of the generated code and of Python, all in one kernel."""
    symbols = [Symbol(n, real=True) for n in (*MEANS, *WIDTHS)]
    a, b = sympy.Add(*symbols[:6]), sympy.Add(*symbols[6:])
    node = GaussianExpectation(sympy.tanh(a + b * z), z)
    kernel = ha.compile(
        {"one": node, "two": node**2 + sympy.sin(a) ** 2 + sympy.exp(sympy.sin(a) ** 2)}, symbols
    )
    assert kernel.arguments == (*MEANS, *WIDTHS)
    mean, width = [0.3, -0.7, 0.2, 1.1, -0.5, 0.4], [0.1, 0.6, -0.2, 0.4, 0.8, -0.5]
    exact_mean, exact_width = (mpmath.fsum(map(mpmath.mpf, part)) for part in (mean, width))
    with mpmath.workdps(20):
        exact = expectation(lambda x: mpmath.tanh(exact_mean + exact_width * x))
    found = kernel(*mean, *width)
    assert found.one == pytest.approx(float(exact), rel=1e-13)
    sine = math.sin(exact_mean) ** 2
    assert found.two == pytest.approx(float(exact) ** 2 + sine + math.exp(sine), rel=1e-13)


def test_symbols_with_odd_names() -> None:
    a = Symbol(r'\alpha "quoted"', real=True)
    kernel = ha.compile(a**2 + 1, (a,), backend="array")
    assert float(kernel(np.asarray(3.0))) == 10.0


@pytest.mark.slow
def test_operations_count_once() -> None:
    """The formula of mu2_squared repeats its parts: counted at each use they were too many to compile."""
    kernel = coefficients_kernel("relu(1-abs(z**2-2))", "array")
    places, variance = np.asarray([0.7, 1.6, 3.0]), 0.5
    found, deviation = kernel(places, variance, 1.0), math.sqrt(0.5)
    edges = [side * math.sqrt(k) for side in (-1, 1) for k in (1, 2, 3)]
    for at, *values in zip(places, found.mu0, found.mu1, found.mu2_squared, strict=True):
        nodes, weights = gaussian_panels([(e - at) / deviation for e in edges])
        sigma = np.maximum(1 - np.abs((at + deviation * nodes) ** 2 - 2), 0)
        mu0, mu1 = weights @ sigma, weights @ (nodes * sigma) / deviation
        expected = mu0, mu1, weights @ sigma**2 - mu0**2 - variance * mu1**2
        np.testing.assert_allclose(values, expected, rtol=1e-10, atol=1e-12)


def gaussian_panels(edges: list[float]) -> tuple[np.ndarray, np.ndarray]:
    """Nodes and weights of N(0, 1), by Gauss-Legendre between the edges."""
    x, w = np.polynomial.legendre.leggauss(40)
    ends = np.sort([-12.0, -6.0, 0.0, 6.0, 12.0, *np.clip(edges, -12, 12)])
    half, middle = np.diff(ends) / 2, (ends[1:] + ends[:-1]) / 2
    nodes = (middle[:, None] + half[:, None] * x).ravel()
    weights = (half[:, None] * w).ravel() * np.exp(-(nodes**2) / 2) / math.sqrt(2 * math.pi)
    return nodes, weights
