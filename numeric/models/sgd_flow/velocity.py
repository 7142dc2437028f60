"""The closed equations of the overlaps M = W W*^T and the correlations Q = W W^T.

One sample moves neuron j by (rate/(p d)) F_j x. With t = samples/d and g = rate/p,

    dM/dt = g E[F z^T],    dQ/dt = g (E[F h^T] + E[h F^T]) + g^2 E[F F^T],

and where rows are normalised after each sample, dM_j - M_j dQ_jj/2 and dQ_jl - Q_jl (dQ_jj + dQ_ll)/2.

Source: arXiv 1806.09588, arXiv 2202.00293; docs/flows.md.
"""

from __future__ import annotations

import functools

import numpy as np
from numpy.typing import NDArray

from hermite_analytics.foundation.numpy_arrays import Array
from hermite_analytics.numeric.models.sgd_flow.averages import Averages

__all__ = ["packed", "unpacked", "velocities"]


def velocities(
    averages: Averages, overlaps: Array, correlations: Array, rate: float, spherical: bool
) -> tuple[Array, Array]:
    """(dM/dt, dQ/dt)."""
    g = rate / overlaps.shape[0]
    along = g * averages.signal
    growth = g * (averages.field + averages.field.T) + g**2 * averages.product
    if not spherical:
        return along, growth
    norm = 0.5 * np.diagonal(growth)
    along = along - norm[:, None] * overlaps
    growth = growth - (norm[:, None] + norm) * correlations
    np.fill_diagonal(growth, 0.0)
    return along, growth


@functools.cache
def _upper(size: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Indices of the upper triangle: every evaluation asks for them twice."""
    rows, columns = np.triu_indices(size)
    rows.setflags(write=False)
    columns.setflags(write=False)
    return rows, columns


def packed(overlaps: Array, correlations: Array) -> Array:
    """M and the upper triangle of Q as one vector."""
    upper = _upper(correlations.shape[0])
    return np.concatenate([overlaps.ravel(), correlations[upper]])


def unpacked(state: Array, neurons: int, directions: int) -> tuple[Array, Array]:
    """(M, Q) of a vector."""
    overlaps = state[: neurons * directions].reshape(neurons, directions)
    correlations = np.empty((neurons, neurons))
    upper = _upper(neurons)
    correlations[upper] = state[neurons * directions :]
    correlations.T[upper] = state[neurons * directions :]
    return overlaps, correlations
