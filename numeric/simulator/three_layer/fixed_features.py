"""No feature learning: the spectrum of the second moments of the labels, and kernel ridge regression."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TypeAlias

from hermite_analytics.numeric.simulator.backend import Array, Backend, solve_positive
from hermite_analytics.numeric.simulator.data import IndexData, chunks

__all__ = ["kernel_side", "quadratic_kernel_error", "spectral_directions"]

Prediction: TypeAlias = Callable[[Array], Array]


def spectral_directions(data: IndexData, samples: int, count: int, chunk_rows: int) -> Array:
    """Eigenvectors of (1/n) sum_i y_i (x_i x_i^T - I) of the eigenvalues largest in modulus.

    They stand for one step of the first layer from small weights, along the quadratic part of the target.

    Parameters
    ----------
    data : IndexData
        Its first `samples` are used.
    samples, count, chunk_rows : int >= 1

    Returns
    -------
    array of float64, shape (count, d)
        Orthonormal rows.
    """
    backend = data.backend
    xp = backend.xp
    d = data.directions.shape[1]
    moments, total = backend.zeros(d, d), 0.0
    for first, rows in chunks(0, samples, chunk_rows):
        x, y = data.rows(first, rows)
        moments += backend.wide(x.T @ (y[:, None] * x))
        total += backend.total(y)
    identity = xp.eye(d, dtype=xp.float64, device=backend.place)
    moments = (moments + moments.T) / (2 * samples) - total / samples * identity
    values, vectors = xp.linalg.eigh(moments)
    largest = xp.argsort(xp.abs(values), descending=True)[:count]
    return xp.take(vectors, largest, axis=1).T


def kernel_side(d: int, samples: int) -> int:
    """Side of the matrix that kernel ridge regression solves with: samples or quadratic monomials."""
    return min(samples, 1 + d + d * (d + 1) // 2)


def quadratic_kernel_error(
    training: IndexData, testing: IndexData, *, samples: int, tests: int, ridge: float, chunk_rows: int
) -> float:
    """Test error of ridge regression with the kernel (x.x')^2 + x.x' + 1.

    Coefficients u solve (K + ridge n) u = y, or, with fewer monomials than samples, those of the monomials
    solve (Phi^T Phi + ridge n) b = Phi^T y, where K = Phi Phi^T.

    Parameters
    ----------
    training, testing : IndexData
    samples, tests : int >= 1
        n, and fresh samples.
    ridge : float > 0
    chunk_rows : int >= 1

    Returns
    -------
    float
        Mean of (y - yhat)^2 over the fresh samples.

    References
    ----------
    arXiv 2502.13961, the published code (the kernel is not divided by powers of d).
    """
    backend = training.backend
    d = training.directions.shape[1]
    monomials = kernel_side(d, samples) < samples
    fit = _fit_monomials if monomials else _fit_kernel
    predict = fit(training, samples, ridge * samples, chunk_rows)
    square = 0.0
    for first, count in chunks(0, tests, chunk_rows):
        x, y = testing.rows(first, count)
        residual = backend.wide(y) - predict(x)
        square += backend.total(residual * residual)
    return square / tests


def _fit_kernel(training: IndexData, samples: int, shift: float, chunk_rows: int) -> Prediction:
    backend = training.backend
    xp = backend.xp
    x, y = training.rows(0, samples)
    inputs = backend.wide(x)
    matrix = _kernel(inputs, inputs) + shift * xp.eye(samples, dtype=xp.float64, device=backend.place)
    multipliers = solve_positive(xp, matrix, backend.wide(y))
    return lambda fresh: _kernel(backend.wide(fresh), inputs) @ multipliers


def _fit_monomials(training: IndexData, samples: int, shift: float, chunk_rows: int) -> Prediction:
    backend = training.backend
    xp = backend.xp
    side = kernel_side(training.directions.shape[1], samples)
    gram, cross = backend.zeros(side, side), backend.zeros(side)
    for first, count in chunks(0, samples, max(1, min(chunk_rows, 2**24 // side))):
        x, y = training.rows(first, count)
        features = _monomials(backend, backend.wide(x))
        gram += features.T @ features
        cross += features.T @ backend.wide(y)
    matrix = gram + shift * xp.eye(side, dtype=xp.float64, device=backend.place)
    coefficients = solve_positive(xp, matrix, cross)
    return lambda fresh: _monomials(backend, backend.wide(fresh)) @ coefficients


def _kernel(left: Array, right: Array) -> Array:
    products = left @ right.T
    return (products + 1.0) * products + 1.0


def _monomials(backend: Backend, x: Array) -> Array:
    """Phi with Phi Phi^T = K: 1, x_i, x_i^2 and sqrt(2) x_i x_j, shape (count, 1 + d + d (d + 1)/2)."""
    xp = backend.xp
    d = x.shape[1]
    columns = [0.0 * x[:, :1] + 1.0, x]
    for i in range(d):
        columns += [x[:, i : i + 1] ** 2, math.sqrt(2.0) * x[:, i : i + 1] * x[:, i + 1 :]]
    return xp.concat(columns, axis=1)
