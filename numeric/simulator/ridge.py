"""Ridge regression on streamed features, along a whole learning curve.

a(n, lambda) = argmin sum_{i<n} (y_i - a.phi_i)^2 + lambda |a|^2, with nested samples: the rows of a small n
are the first rows of a large one, so that one pass serves every n. The smaller of the two systems is solved:
(Phi^T Phi + lambda) a = Phi^T y, or a = Phi^T u with (Phi Phi^T + lambda) u = y.

Features and labels may be stacks, of several seeds: "..." in shapes is their first axis, or nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from hermite_analytics.errors import ConvergenceError
from hermite_analytics.numeric.simulator.backend import Array, Backend
from hermite_analytics.numeric.simulator.data import chunks
from hermite_analytics.numeric.simulator.shifted_systems import solve_shifted

__all__ = ["RidgeCurve", "ridge_curve"]

Rows: TypeAlias = Callable[[int, int], tuple[Array, Array]]
"""(first, count) -> features of shape (..., count, width) and labels of shape (..., count)."""

# float32 products lose a ridge below this share of the mean eigenvalue of the Gram matrix: at 1e-5 of it the
# test error is off by 7e-5 of itself, and below that by no bound.
_LEAST_FLOAT32_RIDGE = 1e-5


@dataclass(frozen=True, slots=True, kw_only=True)
class RidgeCurve:
    """Readouts over a grid of sample sizes and ridges.

    Attributes
    ----------
    coefficients : array of float64, shape (..., sizes, ridges, width)
    train_error : ndarray, shape (..., sizes, ridges)
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
    gram_dtype: str | None = None,
) -> RidgeCurve:
    """Fit ridge readouts for every size and ridge.

    Memory: width^2, and width max(n) for the sizes n < width. In float32 the products within a chunk are
    float32 and everything else float64. Many ridges cost little more than a few: see `shifted_systems`.

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
    gram_dtype : {"float64", "float32"}, optional
        Of the products Phi^T Phi or Phi Phi^T; by default that of the backend.

    Returns
    -------
    RidgeCurve

    Raises
    ------
    ConvergenceError
        If a ridge is below the rounding error of the Gram matrix; of float32 products below 1e-5 of its mean
        eigenvalue.
    """
    xp = backend.xp
    solutions: dict[int, tuple[Array, NDArray[np.float64]]] = {}
    precise = "float64" in (backend.dtype, gram_dtype)
    moments = _Moments(backend, precise)
    head: list[tuple[Array, Array]] = []
    start = 0
    for stop in sorted(set(sizes)):
        for first, count in chunks(start, stop, chunk_rows):
            features, labels = rows(first, count)
            if precise:
                features, labels = backend.wide(features), backend.wide(labels)
            if stop < width:
                head.append((features, labels))
            if max(sizes) >= width:
                moments.add(features, labels)
        solutions[stop] = _dual(backend, head, ridges, precise) if stop < width else moments.solve(ridges)
        start = stop
    return RidgeCurve(
        coefficients=xp.stack([solutions[size][0] for size in sizes], axis=-3),
        train_error=np.stack([solutions[size][1] for size in sizes], axis=-2),
    )


class _Moments:
    """Phi^T Phi, Phi^T y and |y|^2 of the samples so far."""

    def __init__(self, backend: Backend, precise: bool) -> None:
        self.backend = backend
        self.precise = precise
        self.samples = 0
        self.gram: Array = None
        self.cross: Array = None
        self.square: Array = None

    def add(self, features: Array, labels: Array) -> None:
        xp, wide = self.backend.xp, self.backend.wide
        turned = xp.matrix_transpose(features)
        gram = wide(turned @ features)  # numpy sees the symmetry and does half the work
        cross = wide((turned @ labels[..., None])[..., 0])
        square = xp.sum(labels * labels, axis=-1, dtype=xp.float64)
        if self.samples:
            self.gram += gram
            self.cross += cross
            self.square = self.square + square
        else:
            self.gram, self.cross, self.square = gram, cross, square
        self.samples += labels.shape[-1]

    def solve(self, ridges: Sequence[float]) -> tuple[Array, NDArray[np.float64]]:
        if not self.precise:
            _check_precision(self.backend, self.gram, ridges)
        xp = self.backend.xp
        coefficients = solve_shifted(xp, self.gram, self.cross, ridges)
        fitted = xp.sum((coefficients @ self.gram) * coefficients, axis=-1)
        crossed = (coefficients @ self.cross[..., None])[..., 0]
        residuals = self.square[..., None] - 2 * crossed + fitted
        return coefficients, self.backend.host(residuals) / self.samples


def _dual(
    backend: Backend, head: list[tuple[Array, Array]], ridges: Sequence[float], precise: bool
) -> tuple[Array, NDArray[np.float64]]:
    xp = backend.xp
    features = xp.concat([features for features, _ in head], axis=-2)
    labels = backend.wide(xp.concat([labels for _, labels in head], axis=-1))
    kernel = backend.wide(features @ xp.matrix_transpose(features))
    if not precise:
        _check_precision(backend, kernel, ridges)
    multipliers = solve_shifted(xp, kernel, labels, ridges)
    # The residuals are y - K u = lambda u: no cancellation, however small the training error.
    squares = backend.host(xp.sum(multipliers * multipliers, axis=-1))
    return multipliers @ backend.wide(features), np.square(ridges) * squares / labels.shape[-1]


def _check_precision(backend: Backend, gram: Array, ridges: Sequence[float]) -> None:
    """Refuse a ridge that the rounding of float32 products would drown."""
    size = gram.shape[-1]
    least = _LEAST_FLOAT32_RIDGE * float(backend.xp.max(backend.xp.linalg.trace(gram))) / size
    if min(ridges) < least:
        raise ConvergenceError(
            f"ridge is {min(ridges):g}, which float32 products of the features lose: use dtype "
            f"'float64', or a ridge >= {least:.2g} (1e-5 of the mean eigenvalue of their Gram matrix)"
        )
