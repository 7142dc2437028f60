"""Gaussian inputs with single-index labels, made chunk by chunk."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from hermite_analytics.numeric.simulator.backend import Array, Backend
from hermite_analytics.numeric.simulator.functions import Elementwise
from hermite_analytics.numeric.simulator.streams import GaussianStream, Purpose

__all__ = ["SingleIndexData", "chunks", "default_chunk_rows"]


@dataclass(frozen=True, slots=True, kw_only=True)
class SingleIndexData:
    """An endless data set: x ~ N(0, I_d), y = g(theta.x) + sqrt(noise) xi; row i is always the same sample.

    Parameters
    ----------
    backend : Backend
    direction : array, shape (d,)
        theta, a unit vector.
    link : callable
        g, elementwise.
    seed : int
    purpose : Purpose
        Of the inputs.
    noise_purpose : Purpose or None
        Of the label noise xi ~ N(0, 1); None gives labels without noise.
    noise : float >= 0
        The variance of the label noise.
    """

    backend: Backend
    direction: Array
    link: Elementwise
    seed: int
    purpose: Purpose
    noise_purpose: Purpose | None = None
    noise: float = 0.0

    def rows(self, first: int, count: int, *, step: int = 0) -> tuple[Array, Array]:
        """Samples first, ..., first + count - 1.

        Returns
        -------
        x : array, shape (count, d)
        y : array, shape (count,)
        """
        dtype = self.backend.dtype
        inputs = GaussianStream(seed=self.seed, purpose=self.purpose)
        x = self.backend.array(
            inputs.normals(count, self.direction.shape[0], first_row=first, step=step, dtype=dtype)
        )
        y = self.link(x @ self.direction)
        if self.noise_purpose is not None and self.noise > 0:
            errors = GaussianStream(seed=self.seed, purpose=self.noise_purpose)
            xi = errors.normals(count, 1, first_row=first, step=step, dtype=dtype)[:, 0]
            y = y + math.sqrt(self.noise) * self.backend.array(xi)
        return x, y


def chunks(start: int, stop: int, chunk_rows: int) -> Iterator[tuple[int, int]]:
    """The range start, ..., stop - 1 in pieces: (first, count), count <= chunk_rows."""
    for first in range(start, stop, chunk_rows):
        yield first, min(chunk_rows, stop - first)


def default_chunk_rows(d: int, p: int) -> int:
    """Rows a chunk: enough for fast matrix products, few enough for about 16 MB of inputs and features."""
    return max(256, 2**21 // (d + 2 * p))
