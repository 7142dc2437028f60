"""The sums of F over labels that are constant on regions: intervals, regions of the plane, boxes.

    F = sum over labels E_omega[Z g g^T],  omega ~ N(0, M),

with Z and g = d log Z/d omega of N(omega, I - M) from the boundaries of the region, on a grid of omega.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence

import numpy as np

from hermite_analytics.foundation.numpy_arrays import Array
from hermite_analytics.foundation.threads import in_threads
from hermite_analytics.numeric.bayes.maps.gaussian_grid import normal_nodes
from hermite_analytics.numeric.bayes.maps.plane_sums import omega_step

__all__ = ["Probabilities", "region_sums"]

Probabilities = Callable[[Array, Array], tuple[Array, Array]]

_NEGLIGIBLE = (1e-12, 1e-15)  # probability of a point of the grid, by level
_ROWS = 4000  # points omega at once
_TINY = 1e-14  # probability of a label that rounding may hide


def region_sums(
    probabilities: Probabilities, axes: Array, overlaps: Array, *, level: int, half: Sequence[bool]
) -> Array:
    """F of the constant labels, shape (q, q), in the axes of M; parameters as in `overlap_sums`.

    Parameters
    ----------
    probabilities : function of omega, shape (n, q), and V
        Z of every label, shape (n, k), and its derivative in omega, shape (n, k, q).
    axes : ndarray, shape (q, q)
        The axes of M, as columns.
    overlaps : ndarray, shape (q,)
        Its eigenvalues, in [0, 1).
    """
    q = len(axes)
    places, weights = zip(
        *(_grid(float(m), level, h, q) for m, h in zip(overlaps, half, strict=True)), strict=True
    )
    weight = functools.reduce(np.multiply.outer, weights).ravel()
    t = np.stack([x.ravel() for x in np.meshgrid(*places, indexing="ij")], axis=1)
    keep = weight > _NEGLIGIBLE[level]
    omega, weight = (t[keep] * np.sqrt(overlaps)) @ axes.T, weight[keep]
    variance = np.eye(q) - (axes * overlaps) @ axes.T

    def part(start: int) -> Array:
        rows = slice(start, start + _ROWS)
        z, slope = probabilities(omega[rows], variance)
        with np.errstate(divide="ignore", invalid="ignore"):
            scaled = np.where(z[..., None] > _TINY, slope / np.sqrt(z)[..., None], 0.0)
        return np.asarray(np.einsum("n,nki,nkj->ij", weight[rows], scaled, scaled))

    found = np.asarray(sum(in_threads(part, range(0, len(omega), _ROWS))))
    return np.asarray(axes.T @ found @ axes)


def _grid(m: float, level: int, half: bool, q: int) -> tuple[Array, Array]:
    """Points of t and their probabilities."""
    if m <= 0:
        return np.zeros(1), np.ones(1)
    step, reach = omega_step(m, level, coordinates=q)
    return normal_nodes(step, reach + step, half=half, between=True)
