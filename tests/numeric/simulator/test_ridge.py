"""Ridge regression: both systems, every grid and every chunk give the least-squares solution."""

import re

import numpy as np
import pytest

from hermite_analytics.errors import ConvergenceError
from hermite_analytics.numeric.simulator.backend import resolve_backend
from hermite_analytics.numeric.simulator.ridge import ridge_curve

WIDTH = 24
RANDOM = np.random.default_rng(3)
FEATURES = RANDOM.normal(size=(80, WIDTH)) / np.sqrt(WIDTH)
LABELS = RANDOM.normal(size=80)


def fit(sizes, ridges, chunk_rows=7, dtype="float64"):
    backend = resolve_backend("cpu", dtype)

    def rows(first, count):
        part = slice(first, first + count)
        return backend.array(FEATURES[part]), backend.array(LABELS[part])

    return ridge_curve(backend, rows, width=WIDTH, sizes=sizes, ridges=ridges, chunk_rows=chunk_rows)


def least_squares(n, ridge):
    """Ridge as ordinary least squares on augmented data: another algorithm (QR), no normal equations."""
    matrix = np.vstack([FEATURES[:n], np.sqrt(ridge) * np.eye(WIDTH)])
    right = np.concatenate([LABELS[:n], np.zeros(WIDTH)])
    a = np.linalg.lstsq(matrix, right)[0]
    return a, np.mean((LABELS[:n] - FEATURES[:n] @ a) ** 2)


@pytest.mark.parametrize("count", [3, 20])  # Cholesky for each ridge, or one reduction
def test_primal_and_dual_are_least_squares(count):
    sizes = [60, 9, WIDTH, WIDTH - 1, 80, 1]  # in no order, on both sides of n = width
    ridges = list(np.geomspace(1e-4, 3, count))
    curve = fit(sizes, ridges)
    assert curve.coefficients.shape == (6, count, WIDTH)
    for i, n in enumerate(sizes):
        for j, ridge in enumerate(ridges):
            a, error = least_squares(n, ridge)
            assert np.allclose(curve.coefficients[i, j], a, rtol=0, atol=1e-9)
            assert curve.train_error[i, j] == pytest.approx(error, rel=1e-8, abs=1e-12)


def test_dual_training_error_has_no_cancellation():
    _, exact = least_squares(10, 1e-9)
    assert fit([10], [1e-9]).train_error[0, 0] == pytest.approx(exact, rel=1e-5)
    assert exact < 1e-15


@pytest.mark.parametrize("chunk_rows", [1, 13, 1000])
def test_chunks_change_rounding_only(chunk_rows):
    ours, other = fit([10, 50], [0.1]), fit([10, 50], [0.1], chunk_rows)
    assert np.allclose(ours.coefficients, other.coefficients, rtol=1e-11, atol=1e-13)
    assert np.allclose(ours.train_error, other.train_error, rtol=1e-11)


def test_curve_is_the_separate_fits():
    curve = fit([10, 30, 70], [0.1, 1.0])
    for i, n in enumerate((10, 30, 70)):
        for j, ridge in enumerate((0.1, 1.0)):
            alone = fit([n], [ridge])
            assert np.allclose(curve.coefficients[i, j], alone.coefficients[0, 0], rtol=1e-11, atol=1e-13)


def test_float32_products_float64_sums():
    single, double = fit([10, 50], [0.1], dtype="float32"), fit([10, 50], [0.1])
    assert single.coefficients.dtype == np.float64
    assert np.allclose(single.coefficients, double.coefficients, rtol=0, atol=1e-5)
    assert not np.array_equal(single.coefficients, double.coefficients)


def test_ridge_below_rounding_is_refused():
    backend = resolve_backend("cpu")

    def rows(first, count):  # a Gram matrix of rank one and trace 1e9
        return np.full((count, WIDTH), 1e3), np.ones(count)

    with pytest.raises(
        ConvergenceError, match=r"^the ridge is below the rounding error of the Gram matrix: use"
    ):
        ridge_curve(backend, rows, width=WIDTH, sizes=[50], ridges=[1e-12], chunk_rows=50)


@pytest.mark.parametrize("size", [10, 50])  # dual, primal
def test_small_ridge_in_float32_is_refused(size):
    gram = FEATURES[:size].T @ FEATURES[:size]
    least = 1e-5 * np.trace(gram) / min(size, WIDTH)
    fit([size], [1.01 * least], dtype="float32")
    message = (
        f"ridge is {0.99 * least:g}, which float32 products of the features lose: use dtype 'float64', "
        f"or a ridge >= {least:.2g} (1e-5 of the mean eigenvalue of their Gram matrix)"
    )
    with pytest.raises(ConvergenceError, match=f"^{re.escape(message)}$"):
        fit([size], [1.0, 0.99 * least], dtype="float32")
