"""Targets y = g(h) with h = d_eff^(-1/2) sum_i a_i p(w_i.x) and p = sum_k He_k/k!, and their data."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hermite_analytics.numeric.simulator.backend import Array, Backend
from hermite_analytics.numeric.simulator.data import IndexData
from hermite_analytics.numeric.simulator.functions import Elementwise
from hermite_analytics.numeric.simulator.sgd.starts import teacher_directions
from hermite_analytics.numeric.simulator.streams import GaussianStream, Purpose

__all__ = ["TreeTarget", "inner_directions"]


def inner_directions(d: int, epsilon: float) -> int:
    """d_eff = floor(d^epsilon)."""
    return max(1, int(math.pow(d, epsilon) + 1e-9))


@dataclass(frozen=True, slots=True, kw_only=True)
class TreeTarget:
    """One target.

    Parameters
    ----------
    backend : Backend
    directions : array, shape (d_eff, d)
        w_i, orthonormal.
    signs : array, shape (d_eff,)
        a_i.
    degrees : tuple of int
        Of the Hermite polynomials in p.
    link : callable
        g, elementwise.

    References
    ----------
    arXiv 2502.13961, with He_k/k! in p as in the published code.
    """

    backend: Backend
    directions: Array
    signs: Array
    degrees: tuple[int, ...]
    link: Elementwise

    @classmethod
    def draw(
        cls, backend: Backend, seed: int, *, d: int, inner: int, degrees: tuple[int, ...], link: Elementwise
    ) -> TreeTarget:
        """The target of a seed: uniform directions and signs."""
        signs = GaussianStream(seed=seed, purpose=Purpose.TEACHER).normals(1, inner, stream=1)[0]
        return cls(
            backend=backend,
            directions=backend.array(teacher_directions(seed, inner, d)),
            signs=backend.array(np.sign(signs)),
            degrees=degrees,
            link=link,
        )

    def hidden(self, x: Array) -> Array:
        """h of inputs (count, d), shape (count,)."""
        return self._hidden_of_indices(x @ self.directions.T)

    def data(self, seed: int, purpose: Purpose, noise_purpose: Purpose | None, noise: float) -> IndexData:
        """An endless data set with labels g(h) + sqrt(noise) xi."""
        xp = self.backend.xp
        return IndexData(
            backend=self.backend,
            directions=self.directions,
            link=lambda *z: self.link(self._hidden_of_indices(xp.stack(z, axis=1))),
            seed=seed,
            purpose=purpose,
            noise_purpose=noise_purpose,
            noise=noise,
        )

    def _hidden_of_indices(self, z: Array) -> Array:
        return _hermite_sum(z, self.degrees) @ self.signs / math.sqrt(self.signs.shape[0])


def _hermite_sum(z: Array, degrees: Sequence[int]) -> Array:
    """sum_k He_k(z)/k!, by (k + 1) h_(k+1) = z h_k - h_(k-1) for h_k = He_k/k!."""
    previous, current = 0.0 * z, 0.0 * z + 1.0
    total = current if 0 in degrees else previous
    for k in range(max(degrees)):
        previous, current = current, (z * current - previous) / (k + 1)
        if k + 1 in degrees:
            total = total + current
    return total
