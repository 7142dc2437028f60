"""The same numbers from every way to call a kernel: threads, broadcasting, kinds of arrays."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
import sympy
from sympy import Symbol

import hermite_analytics as ha
from hermite_analytics import GaussianExpectation
from hermite_analytics.codegen.kernel import Kernel
from hermite_analytics.language import functions as own
from hermite_analytics.symbols import z
from tests.symbolic.codegen.back_ends import others_than

X, Y = Symbol("x", real=True), Symbol("y", real=True)
M, S = Symbol("m", real=True), Symbol("s", positive=True)
EXPRESSIONS = {"closed": own.Phi(X) * sympy.sin(X * Y), "jump": sympy.sign(X - Y) * sympy.exp(-(Y**2))}
SIZES = [0, 1, 127, 128, 129, 4095, 4096, 4097, 50_000]


@pytest.fixture(scope="module")
def serial() -> Kernel:
    return ha.compile(EXPRESSIONS, (X, Y))


@pytest.fixture(scope="module")
def threads() -> Kernel:
    return ha.compile(EXPRESSIONS, (X, Y), parallel=True)


def points(size: int) -> tuple[Any, Any]:
    rng = np.random.default_rng(size)
    return rng.normal(size=size), rng.normal(size=size)


@pytest.mark.slow
@pytest.mark.parametrize("size", SIZES)
def test_threads_change_no_bit(serial: Kernel, threads: Kernel, size: int) -> None:
    x, y = points(size)
    for one, other in zip(serial(x, y), threads(x, y), strict=True):
        assert one.shape == (size,)
        np.testing.assert_array_equal(one, other)


@pytest.mark.slow
def test_threads_repair_what_the_loop_declines(serial: Kernel, threads: Kernel) -> None:
    x, y = points(9000)
    y[[0, 4095, 4096, 8999]] = 1e8  # angles beyond the range of the vectorised sine
    found = threads(x, y).closed
    assert np.isfinite(found).all()
    np.testing.assert_array_equal(found, serial(x, y).closed)


@pytest.mark.slow
def test_threads_and_quadratures() -> None:
    """Blocks of 128 points begin at the same places in either loop (serial: that of `test_quadrature`)."""
    mean = GaussianExpectation(sympy.tanh(M + S * z), z)
    one, other = (
        ha.compile(mean, (M, S), backend="numba", accuracy=1e-12, parallel=p) for p in (False, True)
    )
    x, y = points(4097)
    np.testing.assert_array_equal(one(x, np.abs(y)), other(x, np.abs(y)))


def patterns() -> list[tuple[Any, Any]]:
    """Numbers and arrays in every combination, all of which broadcast to (2, 3) or to less."""
    values = [
        0.7,
        np.asarray(0.7),
        np.asarray([0.7]),
        np.linspace(-1, 1, 3),
        np.linspace(-2, 1, 6).reshape(2, 3),
    ]
    values.append(np.asarray([[0.2], [1.5]]))
    return list(itertools.product(values, values))


@pytest.mark.slow
def test_broadcasting_patterns(serial: Kernel) -> None:
    """Each as the same points one by one, to the last digits: a number is computed with once."""
    for x, y in patterns():
        shape = np.broadcast_shapes(np.shape(x), np.shape(y))
        whole = serial(x, y)
        full = [np.broadcast_to(a, shape).ravel() for a in (x, y)]
        single = np.asarray([serial.scalar(float(a), float(b)) for a, b in zip(*full, strict=True)]).T
        for found, exact in zip(whole, single, strict=True):
            assert np.shape(found) == shape
            np.testing.assert_allclose(np.ravel(found), exact, rtol=4e-15, atol=1e-16)


@pytest.mark.cases(2)
@pytest.mark.parametrize("backend", others_than("numba"))
def test_broadcasting_patterns_elsewhere(serial: Kernel, backend: str) -> None:
    kernel = ha.compile(EXPRESSIONS, (X, Y), backend=backend)
    for x, y in patterns():
        for found, exact in zip(kernel(x, y), serial(x, y), strict=True):
            assert np.shape(found) == np.shape(exact)
            np.testing.assert_allclose(found, exact, rtol=1e-13)


def test_kinds_of_arrays(serial: Kernel) -> None:
    x = np.linspace(-2.0, 2.0, 24)
    expected = serial(x, 0.5).closed
    locked = x.copy()
    locked.setflags(write=False)
    np.testing.assert_array_equal(serial(locked, 0.5).closed, expected)
    strided = np.repeat(x, 3)[::3]
    np.testing.assert_array_equal(serial(strided, 0.5).closed, expected)
    np.testing.assert_array_equal(serial(x[::-1], 0.5).closed, expected[::-1])
    np.testing.assert_array_equal(
        serial(np.asfortranarray(x.reshape(4, 6)), 0.5).closed, expected.reshape(4, 6)
    )
    np.testing.assert_array_equal(serial(list(x), 0.5).closed, expected)
    np.testing.assert_array_equal(serial(x.astype(">f8"), 0.5).closed, expected)


def test_integers_and_single_precision(serial: Kernel) -> None:
    whole = np.arange(-3, 4)
    expected = serial(whole.astype(float), 1.0).closed
    for kind in (np.int8, np.int64, np.float32, np.float16):
        found = serial(whole.astype(kind), 1).closed
        assert found.dtype == np.float64
        np.testing.assert_array_equal(found, expected)
    flags = serial(np.asarray([False, True]), 1.0).closed
    np.testing.assert_array_equal(flags, serial(np.asarray([0.0, 1.0]), 1.0).closed)


def test_arguments_are_left_alone(serial: Kernel) -> None:
    x, y = points(200)
    before = x.copy(), y.copy()
    first = serial(x, y).closed
    serial(2 * x, y)
    np.testing.assert_array_equal(x, before[0])
    np.testing.assert_array_equal(y, before[1])
    assert first.flags.writeable
    np.testing.assert_array_equal(serial(x, y).closed, first)


@pytest.mark.slow
@pytest.mark.parametrize("shape", [(0,), (3, 0), (0, 4, 2)])
def test_empty_arrays(serial: Kernel, threads: Kernel, shape: tuple[int, ...]) -> None:
    for kernel in (serial, threads):
        assert kernel(np.empty(shape), 1.0).jump.shape == shape


def test_integer_arrays_on_the_array_back_end() -> None:
    """A constant that is no integer stays what it is."""
    kernel = ha.compile(
        {"max": sympy.Max(X, sympy.Rational(1, 2)), "step": own.step(X)}, (X,), backend="array"
    )
    values = kernel(np.arange(3))
    np.testing.assert_array_equal(values.max, [0.5, 1.0, 2.0])
    assert values.step.dtype == np.float64
