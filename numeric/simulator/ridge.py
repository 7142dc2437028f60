"""Ridge regression on streamed features, along a whole learning curve.

a(n, lambda) = argmin sum_{i<n} (y_i - a.phi_i)^2 + lambda |a|^2, with nested samples: the rows of a small n
are the first rows of a large one, so that one pass serves every n. The smaller of the two systems is solved:
(Phi^T Phi + lambda) a = Phi^T y, or a = Phi^T u with (Phi Phi^T + lambda) u = y.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from hermite_analytics.numeric.simulator.backend import Array, Backend, solve_positive
from hermite_analytics.numeric.simulator.data import chunks

__all__ = ["RidgeCurve", "ridge_curve"]

Rows: TypeAlias = Callable[[int, int], tuple[Array, Array]]
"""(first, count) -> features of shape (count, width) and labels of shape (count,)."""

# One symmetric eigendecomposition costs as much as 15 Cholesky solves (measured at width 200 to 1000).
_EIGENVALUES_FROM = 15


@dataclass(frozen=True, slots=True, kw_only=True)
class RidgeCurve:
    """Readouts over a grid of sample sizes and ridges.

    Attributes
    ----------
    coefficients : array of float64, shape (sizes, ridges, width)
    train_error : ndarray, shape (sizes, ridges)
        (1/n) sum_i (y_i - a.phi_i)^2, without the penalty.
    """

    coefficients: Array
    train_error: NDArray[np.float64]


def ridge_curve(
    backend: Backend,
    rows: Rows,
    *,
    width: int,
    sizes: Sequence[int],
    ridges: Sequence[float],
    chunk_rows: int,
) -> RidgeCurve:
    """Fit ridge readouts for every size and ridge.

    Memory: width^2, and width max(n) for the sizes n < width. In float32 the products within a chunk are
    float32 and everything else float64.

    Parameters
    ----------
    backend : Backend
    rows : callable
        The features and labels of samples first, ..., first + count - 1.
    width : int
        Features a sample.
    sizes : sequence of int >= 1
        In any order.
    ridges : sequence of float > 0
        lambda of the sum convention above.
    chunk_rows : int >= 1

    Returns
    -------
    RidgeCurve

    Raises
    ------
    ConvergenceError
        If a ridge is below the rounding error of the Gram matrix.
    """
    xp = backend.xp
    solutions: dict[int, tuple[list[Array], list[float]]] = {}
    moments = _Moments(backend, width)
    head: list[tuple[Array, Array]] = []
    start = 0
    for stop in sorted(set(sizes)):
        for first, count in chunks(start, stop, chunk_rows):
            features, labels = rows(first, count)
            if stop < width:
                head.append((features, labels))
            if max(sizes) >= width:
                moments.add(features, labels)
        solutions[stop] = _dual(backend, head, ridges) if stop < width else moments.solve(ridges)
        start = stop
    return RidgeCurve(
        coefficients=xp.stack([xp.stack(solutions[size][0]) for size in sizes]),
        train_error=np.array([solutions[size][1] for size in sizes]),
    )


class _Moments:
    """Phi^T Phi, Phi^T y and |y|^2 of the samples so far."""

    def __init__(self, backend: Backend, width: int) -> None:
        self.backend = backend
        self.samples = 0
        self.gram = backend.zeros(width, width)
        self.cross = backend.zeros(width)
        self.square = 0.0

    def add(self, features: Array, labels: Array) -> None:
        self.samples += labels.shape[0]
        self.gram += self.backend.wide(
            features.T @ features
        )  # numpy sees the symmetry and does half the work
        self.cross += self.backend.wide(features.T @ labels)
        self.square += self.backend.total(labels * labels)

    def solve(self, ridges: Sequence[float]) -> tuple[list[Array], list[float]]:
        coefficients = _regularised_solutions(self.backend, self.gram, self.cross, ridges)
        residuals = [
            self.square - 2 * float(a @ self.cross) + float(a @ (self.gram @ a)) for a in coefficients
        ]
        return coefficients, [residual / self.samples for residual in residuals]


def _dual(
    backend: Backend, head: list[tuple[Array, Array]], ridges: Sequence[float]
) -> tuple[list[Array], list[float]]:
    features = backend.xp.concat([features for features, _ in head])
    labels = backend.wide(backend.xp.concat([labels for _, labels in head]))
    kernel = backend.wide(features @ features.T)
    multipliers = _regularised_solutions(backend, kernel, labels, ridges)
    wide = backend.wide(features)
    # The residuals are y - K u = lambda u: no cancellation, however small the training error.
    errors = [ridge**2 * float(u @ u) / labels.shape[0] for ridge, u in zip(ridges, multipliers, strict=True)]
    return [wide.T @ u for u in multipliers], errors


def _regularised_solutions(
    backend: Backend, matrix: Array, right: Array, ridges: Sequence[float]
) -> list[Array]:
    """(matrix + ridge)^{-1} right for each ridge; matrix symmetric, positive semidefinite."""
    xp = backend.xp
    if len(ridges) >= _EIGENVALUES_FROM:
        values, vectors = xp.linalg.eigh(matrix)
        rotated = vectors.T @ right
        return [vectors @ (rotated / (values + ridge)) for ridge in ridges]
    identity = xp.eye(matrix.shape[0], dtype=xp.float64, device=backend.place)
    return [solve_positive(xp, matrix + ridge * identity, right) for ridge in ridges]
