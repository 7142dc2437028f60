"""(matrix + shift) x = right for one symmetric matrix and many shifts: the whole path of a ridge.

One or a few shifts take a Cholesky factorisation each. For many the matrix is reduced once, by orthogonal
transformations, to a tridiagonal one T (a third of the work of its eigenvectors); each shift is then a solve
with T + shift, whose cost is linear, and all solutions are rotated back together. On devices, whose libraries
have no such reduction, the eigenvectors are taken.
"""

from __future__ import annotations

from collections.abc import Sequence

import array_api_compat
import numpy as np
from numpy.typing import NDArray
from scipy.linalg import lapack

from hermite_analytics.errors import ConvergenceError
from hermite_analytics.foundation.arrays import Namespace
from hermite_analytics.numeric.simulator.backend import Array, solve_positive
from hermite_analytics.numeric.simulator.philox import compiled

__all__ = ["solve_shifted"]

# A reduction costs as much as 6 Cholesky solves, eigenvectors as much as 15 (measured at size 200 to 2000).
_REDUCTION_FROM = 6
_EIGENVECTORS_FROM = 15

Floats = NDArray[np.float64]


def solve_shifted(xp: Namespace, matrix: Array, right: Array, shifts: Sequence[float]) -> Array:
    """Solve (matrix + shift) x = right for each shift, and for each matrix of a stack.

    Parameters
    ----------
    xp : module
        The arrays' namespace.
    matrix : array of float64, shape (..., size, size)
        Symmetric, positive semidefinite.
    right : array of float64, shape (..., size)
    shifts : sequence of float > 0

    Returns
    -------
    array of float64, shape (..., shifts, size)

    Raises
    ------
    ConvergenceError
        If a shifted matrix is not positive definite to its precision.
    """
    if array_api_compat.is_numpy_namespace(xp) and right.ndim > 1:
        return np.stack([solve_shifted(xp, one, its, shifts) for one, its in zip(matrix, right, strict=True)])
    if array_api_compat.is_numpy_namespace(xp) and len(shifts) >= _REDUCTION_FROM and right.size > 2:
        return _by_reduction(matrix, right, np.asarray(shifts, dtype=np.float64))
    shifts = [float(shift) for shift in shifts]
    place = array_api_compat.device(matrix)
    if len(shifts) >= _EIGENVECTORS_FROM:
        values, vectors = xp.linalg.eigh(matrix)
        rotated = xp.matrix_transpose(vectors) @ right[..., None]
        added = values[..., None] + xp.asarray(shifts, dtype=xp.float64, device=place)
        return xp.matrix_transpose(vectors @ (rotated / added))
    identity = xp.eye(matrix.shape[-1], dtype=xp.float64, device=place)
    solutions = [solve_positive(xp, matrix + shift * identity, right) for shift in shifts]
    return xp.stack(solutions, axis=-2)


def _by_reduction(matrix: Floats, right: Floats, shifts: Floats) -> Floats:
    """matrix = Q T Q^T with Householder vectors below the diagonal: Q acts on all rows but the first."""
    work, _ = lapack.dsytrd_lwork(right.size, lower=1)
    vectors, diagonal, off, scales, _ = lapack.dsytrd(matrix.T, lower=1, lwork=int(work))
    reflectors = np.asfortranarray(vectors[1:, :-1])
    rotated = _rotated("T", reflectors, scales, right[:, None])[:, 0]
    solutions = np.empty((right.size, shifts.size))
    if not _tridiagonal(diagonal, off, rotated, shifts, solutions):
        raise ConvergenceError(
            "the ridge is below the rounding error of the Gram matrix: use float64 or a larger ridge"
        )
    return _rotated("N", reflectors, scales, solutions).T


def _rotated(transpose: str, reflectors: Floats, scales: Floats, columns: Floats) -> Floats:
    """Q^T or Q times columns."""
    below = np.asfortranarray(columns[1:])
    query = lapack.dormqr("L", transpose, reflectors, scales, below, -1)[1]
    turned, _, _ = lapack.dormqr("L", transpose, reflectors, scales, below, int(query[0]))
    return np.concatenate([columns[:1], turned])


@compiled
def _tridiagonal(diagonal: Floats, off: Floats, right: Floats, shifts: Floats, out: Floats) -> bool:
    """(T + shift) x = right for all shifts at once, by L D L^T; False if a pivot is not positive."""
    size, count = out.shape
    factors = np.empty((size, count))
    pivot = np.empty(count)
    for k in range(count):
        pivot[k] = diagonal[0] + shifts[k]
        out[0, k] = right[0]
        if not pivot[k] > 0.0:
            return False
    for i in range(1, size):
        for k in range(count):
            factor = off[i - 1] / pivot[k]
            factors[i, k] = factor
            out[i, k] = right[i] - factor * out[i - 1, k]
            out[i - 1, k] /= pivot[k]
            pivot[k] = diagonal[i] + shifts[k] - factor * off[i - 1]
            if not pivot[k] > 0.0:
                return False
    for k in range(count):
        out[size - 1, k] /= pivot[k]
    for i in range(size - 2, -1, -1):
        for k in range(count):
            out[i, k] -= factors[i + 1, k] * out[i + 1, k]
    return True
