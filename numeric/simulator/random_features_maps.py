"""The features of a first layer: of the network, of its Gaussian equivalent, and of the tangent kernel.

All are scaled so that a readout with coefficients of order 1 has predictions of order 1:

    network      phi_j(x) = (sigma(w_j.x) - shift)/sqrt p
    equivalent   phi_j(x) = (mu0 - shift + mu1 w_j.x + mu2 xi_j)/sqrt p, xi fresh for every sample
    tangent      phi_jk(x) = sigma'(w_j.x) x_k/sqrt(p d)

with E sigma = mu0, E z sigma = mu1 and E sigma^2 = mu0^2 + mu1^2 + mu2^2. The p d tangent features are never
formed: their kernel is (x.x'/d) (1/p) sum_j sigma'(w_j.x) sigma'(w_j.x'). "..." in shapes is the axis of the
seeds if there are several, else nothing.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hermite_analytics.errors import InputError
from hermite_analytics.numeric.simulator.backend import Array, Backend, solve_positive
from hermite_analytics.numeric.simulator.data import Samples, chunks
from hermite_analytics.numeric.simulator.functions import Elementwise
from hermite_analytics.numeric.simulator.readout import Readout
from hermite_analytics.numeric.simulator.streams import GaussianStream, Purpose, Seeds

__all__ = ["FEATURES", "FirstLayer", "check_features", "tangent_errors"]

FEATURES = ("network", "equivalent", "tangent")


def check_features(name: str) -> str:
    """The name, or InputError."""
    if name not in FEATURES:
        raise InputError(f"features is {name!r}: accepted are {', '.join(map(repr, FEATURES))}")
    return name


@dataclass(frozen=True, slots=True, kw_only=True)
class FirstLayer:
    """Weights with an activation, and the constants of its Gaussian equivalent.

    Parameters
    ----------
    backend : Backend
    weights : array, shape (..., p, d)
        In the working precision.
    activation, derivative : callable
        sigma and sigma', elementwise.
    mean, slope, residual : float
        mu0, mu1 and mu2 >= 0.
    shift : float
        Subtracted from sigma: mu0 for centred features, else 0.
    seed : int or tuple of int
        Of the equivalent's noise xi.
    """

    backend: Backend
    weights: Array
    activation: Elementwise
    derivative: Elementwise
    mean: float
    slope: float
    residual: float
    shift: float
    seed: Seeds

    def rows(self, features: str, x: Array, *, first: int, purpose: Purpose) -> Array:
        """Features "network" or "equivalent" of the samples first, first + 1, ...

        Parameters
        ----------
        features : {"network", "equivalent"}
        x : array, shape (..., count, d)
        first : int
        purpose : Purpose
            Of the noise xi: that of the readout's or of the test data.

        Returns
        -------
        array, shape (..., count, p)
        """
        p = self.weights.shape[-2]
        fields = x @ self.backend.xp.matrix_transpose(self.weights)
        if features == "network":
            return (self.activation(fields) - self.shift) / math.sqrt(p)
        stream = GaussianStream(seed=self.seed, purpose=purpose)
        noise = self.backend.normals(stream, x.shape[-2], p, first_row=first)
        return (self.mean - self.shift + self.slope * fields + self.residual * noise) / math.sqrt(p)

    def tangent_kernel(self, x: Array, other: Array) -> Array:
        """The kernel of the tangent features of one seed, shape (count, other count), in float64."""
        p, d = self.weights.shape
        slopes = self.backend.wide(self.derivative(x @ self.weights.T))
        others = self.backend.wide(self.derivative(other @ self.weights.T))
        return (self.backend.wide(x @ other.T) / d) * (slopes @ others.T / p)


def tangent_errors(
    layer: FirstLayer,
    training: Samples,
    testing: Samples,
    *,
    sizes: Sequence[int],
    ridges: Sequence[float],
    n_test: int,
    chunk_rows: int,
) -> Readout:
    """Ridge regression on the tangent features, sum (y - a.phi)^2 + ridge |a|^2, by their kernel.

    Memory is of order n^2 + n d for the largest n.

    Parameters
    ----------
    layer : FirstLayer
    training, testing : Samples
        Nested training sets; labels without noise for the test.
    sizes : sequence of int >= 1
    ridges : sequence of float > 0
    n_test, chunk_rows : int >= 1

    Returns
    -------
    Readout
        Errors alone: mean squares of y - yhat.

    Raises
    ------
    ConvergenceError
        If a ridge is below the rounding error of the kernel.
    """
    backend = layer.backend
    xp = backend.xp
    x, y = training.rows(0, max(sizes))
    y = backend.wide(y)
    kernel = layer.tangent_kernel(x, x)
    grid = (len(sizes), len(ridges))
    train = np.empty(grid)
    columns: list[Array] = []
    for place in np.ndindex(*grid):
        n, ridge = sizes[place[0]], ridges[place[1]]
        identity = xp.eye(n, dtype=xp.float64, device=backend.place)
        multipliers = solve_positive(xp, kernel[:n, :n] + ridge * identity, y[:n])
        train[place] = ridge**2 * float(multipliers @ multipliers) / n
        columns.append(xp.concat([multipliers, backend.zeros(x.shape[0] - n)]))
    readouts = xp.stack(columns, axis=1)
    squares = backend.zeros(len(columns))
    for first, count in chunks(0, n_test, chunk_rows):
        fresh, labels = testing.rows(first, count)
        residuals = backend.wide(labels)[:, None] - layer.tangent_kernel(fresh, x) @ readouts
        squares += xp.sum(residuals * residuals, axis=0)
    test = np.reshape(backend.host(squares) / n_test, grid)
    return Readout(coefficients=None, test_error=test, train_error=train, square_error=test, wrong_signs=None)
