"""Leading singular values and vectors of weights and features."""

from __future__ import annotations

from typing import NamedTuple

import array_api_compat
import scipy.linalg

from hermite_analytics.numeric.simulator.backend import Array, Backend

__all__ = ["Leading", "leading_singular"]


class Leading(NamedTuple):
    """The two largest singular values of a matrix, and the right and left singular vectors of the first."""

    first: float
    second: float
    right: Array
    left: Array


def leading_singular(backend: Backend, matrix: Array) -> Leading:
    """The two largest singular values of a matrix, from the smaller of its two Gram matrices.

    Parameters
    ----------
    backend : Backend
    matrix : array of float64, shape (rows, columns)
        At least two of each.

    Returns
    -------
    Leading
        Relative error of the values of order 1e-15 (values far below the largest are not asked for).
    """
    xp = backend.xp
    rows, columns = matrix.shape
    tall = rows >= columns
    values, vectors = _top_pairs(backend, matrix.T @ matrix if tall else matrix @ matrix.T)
    first, second = (max(float(values[-k]), 0.0) ** 0.5 for k in (1, 2))
    one = vectors[:, -1]
    other = matrix @ one if tall else one @ matrix
    other = other / xp.sqrt(other @ other)
    return Leading(first, second, one if tall else other, other if tall else one)


def _top_pairs(backend: Backend, gram: Array) -> tuple[Array, Array]:
    """The last eigenpairs of a symmetric matrix, at least two, in ascending order."""
    if not array_api_compat.is_numpy_namespace(backend.xp):
        values, vectors = backend.xp.linalg.eigh(gram)
        return values, vectors
    size = gram.shape[0]
    found: tuple[Array, Array] = scipy.linalg.eigh(
        gram, subset_by_index=[size - 2, size - 1], check_finite=False
    )
    return found
