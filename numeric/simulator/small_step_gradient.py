"""Gradient steps on the first layer of p^(-1/2) sum_j a_j (sigma(w_j.x) - shift), over streamed data."""

from __future__ import annotations

import math

from hermite_analytics.numeric.simulator.backend import Array
from hermite_analytics.numeric.simulator.data import Samples, chunks
from hermite_analytics.numeric.simulator.random_features_maps import FirstLayer

__all__ = ["small_steps"]


def small_steps(
    layer: FirstLayer,
    readout: Array,
    data: Samples,
    *,
    samples: int,
    length: float,
    steps: int,
    fresh: bool,
    chunk_rows: int,
) -> Array:
    """Weights after the steps w_j += length a_j (1/n) sum_i (y_i - f(x_i)) sigma'(w_j.x_i) x_i.

    That is W + length sqrt(p) G with G = -(gradient of half the mean square loss).

    Parameters
    ----------
    layer : FirstLayer
        Its features are centred by `shift`, and so is f.
    readout : array, shape (p,)
        a, entries of order 1/sqrt p.
    data : Samples
    samples : int >= 1
        n of every step.
    length : float
    steps : int >= 0
    fresh : bool
        Whether each step uses its own table of the data, or all the first one.
    chunk_rows : int >= 1
        Samples held at once; changes the result by rounding only.

    Returns
    -------
    array of float64, shape (p, d)
    """
    backend = layer.backend
    p, d = layer.weights.shape
    weights = backend.wide(layer.weights)
    scale = length / samples * backend.wide(readout)
    for step in range(steps):
        narrow = backend.narrow(weights)
        gradient = backend.zeros(p, d)
        for first, count in chunks(0, samples, chunk_rows):
            x, y = data.rows(first, count, step=step if fresh else 0)
            fields = x @ narrow.T
            residuals = y - (layer.activation(fields) - layer.shift) @ readout / math.sqrt(p)
            gradient += backend.wide((residuals[:, None] * layer.derivative(fields)).T @ x)
        weights = weights + scale[:, None] * gradient
    return weights
