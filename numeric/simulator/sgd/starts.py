"""Where the weights start: with given overlaps, or at random, or without any trace of the target.

"..." in shapes is the axis of the seeds if there are several, else nothing.
"""

from __future__ import annotations

import math

import array_api_compat
import numpy as np
from numpy.typing import NDArray

from hermite_analytics.numeric.simulator.backend import Array, Backend
from hermite_analytics.numeric.simulator.streams import GaussianStream, Purpose, Seeds, unit_rows

__all__ = [
    "INITS",
    "control_directions",
    "initial_weights",
    "teacher_directions",
    "uniform_weights",
    "weights_with_overlaps",
]

Floats = NDArray[np.float64]

INITS = ("zero", "random", "first-direction")


def teacher_directions(seed: Seeds, r: int, d: int) -> Floats:
    """W*: r orthonormal rows, uniform among such, shape (..., r, d)."""
    return _orthonormal(GaussianStream(seed=seed, purpose=Purpose.TEACHER).normals(r, d))


def weights_with_overlaps(seed: Seeds, overlap: Floats, correlations: Floats, directions: Floats) -> Floats:
    """Rows with <w_j, w*_s> = overlap and <w_j, w_l> = correlations, otherwise uniform.

    Parameters
    ----------
    seed : int or tuple of int
    overlap : ndarray, shape (p, r)
    correlations : ndarray, shape (p, p)
        correlations - overlap overlap^T is positive semidefinite.
    directions : ndarray, shape (..., r, d)
        d >= p + r.

    Returns
    -------
    ndarray, shape (..., p, d)
    """
    p, d = overlap.shape[0], directions.shape[-1]
    gaussian = GaussianStream(seed=seed, purpose=Purpose.WEIGHTS).normals(p, d)
    outside = _orthonormal(_without(gaussian, directions))
    values, vectors = np.linalg.eigh(correlations - overlap @ overlap.T)
    root = vectors * np.sqrt(np.maximum(values, 0.0))
    return np.asarray(overlap @ directions + root @ outside)


def initial_weights(seed: Seeds, p: int, directions: Floats, init: str) -> Floats:
    """p rows of norm 1, by their parts in the span of the directions.

    Parameters
    ----------
    seed : int or tuple of int
    p : int
    directions : ndarray, shape (..., r, d)
    init : {"zero", "random", "first-direction"}
        No such part; one of norm exactly 1/sqrt d, in a random direction of the span; the first direction.

    Returns
    -------
    ndarray, shape (..., p, d)

    References
    ----------
    arXiv 2405.15459, the published code.
    """
    r, d = directions.shape[-2:]
    if init == "first-direction":
        return np.repeat(directions[..., :1, :], p, axis=-2)
    stream = GaussianStream(seed=seed, purpose=Purpose.WEIGHTS)
    outside: Floats = _without(stream.normals(p, d), directions)
    outside /= np.linalg.norm(outside, axis=-1, keepdims=True)
    if init == "zero":
        return outside
    inside = stream.normals(p, r, stream=1)
    inside /= math.sqrt(d) * np.linalg.norm(inside, axis=-1, keepdims=True)
    return np.asarray(inside @ directions + math.sqrt(1.0 - 1.0 / d) * outside)


def control_directions(
    backend: Backend, seed: Seeds, count: int, weights: Floats, directions: Floats
) -> Array:
    """Random unit rows, orthogonal to the target's directions and to the initial weights.

    The labels do not depend on x along them, so that weights move there by the noise of the samples alone.

    Parameters
    ----------
    backend : Backend
        Where they are used.
    seed : int or tuple of int
    count : int
    weights, directions : ndarray, shapes (..., p, d) and (..., r, d)

    Returns
    -------
    array of the backend, shape (..., at most count, d)
        As many as there are dimensions left.
    """
    d = weights.shape[-1]
    taken = np.linalg.svd(np.concatenate([directions, weights], axis=-2), full_matrices=False)
    inside = taken.S / taken.S[..., :1] > 1e-10
    span = backend.array(taken.Vh * inside[..., None])  # rows of zeros beside an orthonormal basis
    left = d - int(np.max(np.sum(inside, axis=-1)))
    stream = GaussianStream(seed=seed, purpose=Purpose.CONTROL)
    rows = _without(backend.normals(stream, min(count, left), d), span)
    xp = backend.xp
    return rows / xp.sqrt(xp.sum(rows * rows, axis=-1))[..., None]


def uniform_weights(seed: Seeds, p: int, d: int) -> Floats:
    """Independent rows, uniform on the unit sphere."""
    return unit_rows(GaussianStream(seed=seed, purpose=Purpose.WEIGHTS), p, d)


def _without(rows: Array, span: Array) -> Array:
    """The parts of rows orthogonal to orthonormal rows; twice, to rounding."""
    turned = array_api_compat.array_namespace(rows).matrix_transpose(span)
    once = rows - (rows @ turned) @ span
    return once - (once @ turned) @ span


def _orthonormal(gaussian: Floats) -> Floats:
    """Gram-Schmidt of the rows."""
    q, r = np.linalg.qr(gaussian.mT)
    return np.ascontiguousarray((q * np.sign(np.linalg.diagonal(r))[..., None, :]).mT)
