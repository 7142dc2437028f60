"""Gaussian inputs with labels that depend on a few directions, made chunk by chunk."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Protocol

from scipy.special import ndtri

from hermite_analytics.numeric.simulator.backend import Array, Backend
from hermite_analytics.numeric.simulator.functions import Elementwise
from hermite_analytics.numeric.simulator.streams import GaussianStream, Purpose, Seeds

__all__ = ["IndexData", "Samples", "chunks", "default_chunk_rows"]

_CHUNK_NUMBERS = 2**24
_CHUNK_NUMBERS_ON_DEVICE = 2**26
_LEAST_ROWS = 256


class Samples(Protocol):
    """Inputs with labels, made chunk by chunk; row i is always the same sample."""

    def rows(self, first: int, count: int, *, step: int = 0) -> tuple[Array, Array]:
        """x of shape (..., count, d) and y of shape (..., count)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexData:
    """An endless data set: x ~ N(0, I_d), y = g(theta_1.x, ..., theta_r.x) + sqrt(noise) xi.

    Row i is always the same sample. Several seeds make a data set each, stacked along a first axis.

    Parameters
    ----------
    backend : Backend
    directions : array, shape (r, d), or (seeds, r, d)
        Orthonormal rows theta_1, ..., theta_r.
    link : callable
        g, of r + hidden arrays, elementwise.
    seed : int or tuple of int
    purpose : Purpose
        Of the inputs.
    noise_purpose : Purpose or None
        Of the label noise xi ~ N(0, 1); None gives labels without noise.
    noise : float >= 0
        The variance of the label noise.
    flips : float in [0, 1/2)
        Share of labels 1 and -1 that have the other sign before noise is added; without noise the labels are
        E[y|x], (1 - 2 flips) times the others.
    hidden : 0 or 1
        Whether g has one argument more, N(0, 1): label noise that is not additive.
    """

    backend: Backend
    directions: Array
    link: Elementwise
    seed: Seeds
    purpose: Purpose
    noise_purpose: Purpose | None = None
    noise: float = 0.0
    flips: float = 0.0
    hidden: int = 0

    def rows(self, first: int, count: int, *, step: int = 0) -> tuple[Array, Array]:
        """Samples first, ..., first + count - 1 of table `step`.

        Returns
        -------
        x : array, shape (count, d), or (seeds, count, d)
        y : array, shape (count,), or (seeds, count)
        """
        inputs = GaussianStream(seed=self.seed, purpose=self.purpose)
        r, d = self.directions.shape[-2:]
        x = self.backend.normals(inputs, count, d, first_row=first, step=step)
        fields = x @ self.backend.xp.matrix_transpose(self.directions)
        indices = [fields[..., k] for k in range(r)]
        if self.hidden:
            return x, self._noisy(indices, first, step)
        y = self.link(*indices)
        if self.noise_purpose is None:
            return x, y if self.flips == 0.0 else (1.0 - 2.0 * self.flips) * y
        if self.noise > 0 or self.flips > 0:
            errors = GaussianStream(seed=self.seed, purpose=self.noise_purpose)
            xi = self.backend.normals(errors, count, 2 if self.flips > 0 else 1, first_row=first, step=step)
            if self.flips > 0:
                y = self.backend.xp.where(xi[..., 1] < ndtri(self.flips), -y, y)
            if self.noise > 0:
                y = y + math.sqrt(self.noise) * xi[..., 0]
        return x, y

    def _noisy(self, indices: list[Array], first: int, step: int) -> Array:
        """Labels with a noise inside of g, and an additive one if any."""
        assert self.noise_purpose is not None
        stream = GaussianStream(seed=self.seed, purpose=self.noise_purpose)
        normals = self.backend.normals(stream, indices[0].shape[-1], 2, first_row=first, step=step)
        y = self.link(*indices, normals[..., 1])
        return y + math.sqrt(self.noise) * normals[..., 0] if self.noise > 0 else y

    def apart(self) -> list[IndexData]:
        """The data set of each of several seeds, or the one of one seed."""
        if not isinstance(self.seed, tuple):
            return [self]
        return [
            replace(self, seed=seed, directions=self.directions[k, ...]) for k, seed in enumerate(self.seed)
        ]


def chunks(start: int, stop: int, chunk_rows: int) -> Iterator[tuple[int, int]]:
    """The range start, ..., stop - 1 in pieces: (first, count), count <= chunk_rows."""
    for first in range(start, stop, chunk_rows):
        yield first, min(chunk_rows, stop - first)


def default_chunk_rows(d: int, p: int, device: str = "cpu") -> int:
    """Rows a chunk: so many numbers of inputs and features that sums over chunks cost little."""
    room = _CHUNK_NUMBERS if device in ("cpu", "torch") else _CHUNK_NUMBERS_ON_DEVICE
    return max(_LEAST_ROWS, room // (d + 2 * p))
