"""The second layer: ridge regression on the features of a first layer, and its errors."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from array_api_compat import array_namespace
from numpy.typing import NDArray

from hermite_analytics.numeric.simulator.backend import Array
from hermite_analytics.numeric.simulator.data import IndexData, chunks
from hermite_analytics.numeric.simulator.functions import Elementwise
from hermite_analytics.numeric.simulator.gradient_step import preactivations
from hermite_analytics.numeric.simulator.ridge import ridge_curve

__all__ = ["Readout", "fit_readout"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Readout:
    """Second layers over a grid of sample sizes and ridges, and their errors.

    Attributes
    ----------
    coefficients : array of float64, shape (..., sizes, ridges, p)
        a; "..." is the axis of the seeds if there are several, else nothing.
    train_error : ndarray, shape (..., sizes, ridges)
        Mean of (y - yhat)^2 over the training samples, noise included, penalty excluded.
    test_error : ndarray, shape (..., sizes, ridges)
        Mean of (g - yhat)^2 over fresh samples.
    wrong_signs : ndarray, shape (..., sizes, ridges)
        Fraction of these with g yhat <= 0.
    """

    coefficients: Array
    train_error: NDArray[np.float64]
    test_error: NDArray[np.float64]
    wrong_signs: NDArray[np.float64]

    def reshape(self, grid: tuple[int, ...]) -> Readout:
        """The same over another shape of the grid (without the axes of length 1 that no one asked for)."""
        width = self.coefficients.shape[-1]
        shape = (*self.train_error.shape[:-2], *grid)
        xp = array_namespace(self.coefficients)
        return Readout(
            coefficients=xp.reshape(self.coefficients, (*shape, width)),
            train_error=self.train_error.reshape(shape),
            test_error=self.test_error.reshape(shape),
            wrong_signs=self.wrong_signs.reshape(shape),
        )


def fit_readout(
    weights: Array,
    *,
    activation: Elementwise,
    training: IndexData,
    testing: IndexData,
    sizes: Sequence[int],
    ridges: Sequence[float],
    n_test: int,
    chunk_rows: int,
    biases: Array | None = None,
    gram_dtype: str | None = None,
) -> Readout:
    """Fit yhat = a.sigma(W x + b)/sqrt p by ridge regression, and measure the errors.

    a = argmin sum_{i<=n} (y_i - a.phi_i/sqrt p)^2 + lambda |a|^2:
    docs/theory.md, "Conventions".

    Parameters
    ----------
    weights : array, shape (..., p, d)
        W, in the working precision; with a first axis if the data have several seeds.
    activation : callable
        sigma, elementwise.
    training, testing : IndexData
        `testing` without label noise.
    sizes : sequence of int >= 1
        n; the training sets are nested.
    ridges : sequence of float > 0
        lambda.
    n_test, chunk_rows : int >= 1
    biases : array, shape (p,), optional
        b, in the working precision.
    gram_dtype : {"float64", "float32"}, optional
        See `ridge_curve`.

    Returns
    -------
    Readout

    Raises
    ------
    ConvergenceError
        If a ridge is below the rounding error of the Gram matrix.
    """
    backend = training.backend
    xp = backend.xp
    p = weights.shape[-2]
    scale = 1 / math.sqrt(p)

    def features(x: Array) -> Array:
        return scale * activation(preactivations(x, weights, biases))

    def training_rows(first: int, count: int) -> tuple[Array, Array]:
        x, y = training.rows(first, count)
        return features(x), y

    curve = ridge_curve(
        backend,
        training_rows,
        width=p,
        sizes=sizes,
        ridges=ridges,
        chunk_rows=chunk_rows,
        gram_dtype=gram_dtype,
    )
    rows = xp.reshape(curve.coefficients, (*weights.shape[:-2], -1, p))
    columns = xp.matrix_transpose(backend.narrow(rows))
    squares, signs = backend.zeros(*rows.shape[:-1]), backend.zeros(*rows.shape[:-1])
    for first, count in chunks(0, n_test, chunk_rows):
        x, y = testing.rows(first, count)
        guess = features(x) @ columns
        residuals = y[..., None] - guess
        signs += xp.sum(xp.astype(y[..., None] * guess <= 0, xp.float64), axis=-2)
        squares += xp.sum(residuals * residuals, axis=-2, dtype=xp.float64)
    return Readout(
        coefficients=curve.coefficients,
        train_error=curve.train_error,
        test_error=np.reshape(backend.host(squares) / n_test, curve.train_error.shape),
        wrong_signs=np.reshape(backend.host(signs) / n_test, curve.train_error.shape),
    )
