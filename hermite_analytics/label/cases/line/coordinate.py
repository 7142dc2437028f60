"""The variable that labels along a line are functions of: a Gaussian coordinate, or a radius."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from hermite_analytics.foundation.numpy_arrays import Array

__all__ = ["GAUSSIAN", "Coordinate", "radius"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Coordinate:
    """A variable, with what its values say of the vector that it belongs to.

    Attributes
    ----------
    log_density : function of an array
    low, high : float
        Ends beyond which the density is negligible.
    moments : function of an array z, shape (n,), and of E[v], shape (p,), and E[v v^T - I]
        E[u | z], shape (n, q), and E[u u^T - I | z] of the vector u, of which v are further coordinates that
        do not depend on z.
    """

    log_density: Callable[[Array], Array]
    low: float
    high: float
    moments: Callable[[Array, Array, Array], tuple[Array, Array]]


def _beside(z: Array, first: Array, second: Array) -> tuple[Array, Array]:
    """u = (z, v)."""
    means = np.column_stack([z, np.tile(first, (len(z), 1))])
    found = np.empty((len(z), means.shape[1], means.shape[1]))
    found[:, 0, 0] = z * z - 1
    found[:, 0, 1:] = found[:, 1:, 0] = z[:, None] * first
    found[:, 1:, 1:] = second
    return means, found


GAUSSIAN = Coordinate(
    log_density=lambda z: -0.5 * z * z - 0.5 * math.log(2 * math.pi), low=-9.5, high=9.5, moments=_beside
)


@functools.cache
def radius(dimension: int) -> Coordinate:
    """The norm of a standard Gaussian vector.

    Examples
    --------
    >>> first, second = radius(2).moments(np.array([2.0]), np.zeros(0), np.zeros((0, 0)))
    >>> first.tolist(), second.tolist()
    ([[0.0, 0.0]], [[[1.0, 0.0], [0.0, 1.0]]])
    """
    constant = math.log(2.0) * (dimension / 2 - 1) + math.lgamma(dimension / 2)

    def log_density(r: Array) -> Array:
        with np.errstate(divide="ignore"):
            return np.asarray((dimension - 1) * np.log(r) - 0.5 * r * r - constant)

    def moments(r: Array, first: Array, second: Array) -> tuple[Array, Array]:
        return np.zeros((len(r), dimension)), (r * r / dimension - 1)[:, None, None] * np.eye(dimension)

    return Coordinate(log_density=log_density, low=0.0, high=9.5 + math.sqrt(dimension), moments=moments)
