"""Where the weights start: with given overlaps, or at random, or without any trace of the target."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from hermite_analytics.numeric.simulator.streams import GaussianStream, Purpose, unit_rows

__all__ = [
    "INITS",
    "control_directions",
    "initial_weights",
    "teacher_directions",
    "uniform_weights",
    "weights_with_overlaps",
]

Array = NDArray[np.float64]

INITS = ("zero", "random", "first-direction")


def teacher_directions(seed: int, r: int, d: int) -> Array:
    """W*: r orthonormal rows, uniform among such."""
    return _orthonormal(GaussianStream(seed=seed, purpose=Purpose.TEACHER).normals(r, d))


def weights_with_overlaps(seed: int, overlap: Array, correlations: Array, directions: Array) -> Array:
    """Rows with <w_j, w*_s> = overlap and <w_j, w_l> = correlations, otherwise uniform.

    Parameters
    ----------
    seed : int
    overlap : ndarray, shape (p, r)
    correlations : ndarray, shape (p, p)
        correlations - overlap overlap^T is positive semidefinite.
    directions : ndarray, shape (r, d)
        d >= p + r.

    Returns
    -------
    ndarray, shape (p, d)
    """
    p, d = overlap.shape[0], directions.shape[1]
    gaussian = GaussianStream(seed=seed, purpose=Purpose.WEIGHTS).normals(p, d)
    outside = _orthonormal(_without(gaussian, directions))
    values, vectors = np.linalg.eigh(correlations - overlap @ overlap.T)
    root = vectors * np.sqrt(np.maximum(values, 0.0))
    return np.asarray(overlap @ directions + root @ outside)


def initial_weights(seed: int, p: int, directions: Array, init: str) -> Array:
    """p rows of norm 1, by their parts in the span of the directions.

    Parameters
    ----------
    seed : int
    p : int
    directions : ndarray, shape (r, d)
    init : {"zero", "random", "first-direction"}
        No such part; one of norm exactly 1/sqrt d, in a random direction of the span; the first direction.

    Returns
    -------
    ndarray, shape (p, d)

    References
    ----------
    arXiv 2405.15459, the published code.
    """
    r, d = directions.shape
    if init == "first-direction":
        return np.tile(directions[0], (p, 1))
    stream = GaussianStream(seed=seed, purpose=Purpose.WEIGHTS)
    outside = _without(stream.normals(p, d), directions)
    outside /= np.linalg.norm(outside, axis=1, keepdims=True)
    if init == "zero":
        return outside
    inside = stream.normals(p, r, stream=1)
    inside /= math.sqrt(d) * np.linalg.norm(inside, axis=1, keepdims=True)
    return np.asarray(inside @ directions + math.sqrt(1.0 - 1.0 / d) * outside)


def control_directions(seed: int, count: int, weights: Array, directions: Array) -> Array:
    """Random unit rows, orthogonal to the target's directions and to the initial weights.

    The labels do not depend on x along them, so that weights move there by the noise of the samples alone.

    Returns
    -------
    ndarray, shape (at most count, d)
        As many as there are dimensions left.
    """
    d = weights.shape[1]
    taken = np.linalg.svd(np.concatenate([directions, weights]), full_matrices=False)
    span = taken.Vh[taken.S / taken.S[0] > 1e-10]
    stream = GaussianStream(seed=seed, purpose=Purpose.CONTROL)
    rows = _without(stream.normals(min(count, d - span.shape[0]), d), span)
    return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True))


def uniform_weights(seed: int, p: int, d: int) -> Array:
    """Independent rows, uniform on the unit sphere."""
    return unit_rows(GaussianStream(seed=seed, purpose=Purpose.WEIGHTS), p, d)


def _without(rows: Array, span: Array) -> Array:
    """The parts of rows orthogonal to orthonormal rows; twice, to rounding."""
    once = rows - (rows @ span.T) @ span
    return np.asarray(once - (once @ span.T) @ span)


def _orthonormal(gaussian: Array) -> Array:
    """Gram-Schmidt of the rows."""
    q, r = np.linalg.qr(gaussian.T)
    return np.ascontiguousarray((q * np.sign(np.diagonal(r))).T)
