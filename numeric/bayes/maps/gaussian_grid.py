"""Trapezoid rules for Gaussian variables, whose error falls exponentially, and grids of vectors.

Grids are in the axes of a covariance, as fine as the integrand asks for.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

__all__ = ["FARTHEST", "NOTHING", "REACH", "STEP", "TINY", "gaussian_grid", "normal_grid", "normal_nodes"]

Array = NDArray[np.float64]

STEP = (0.5, 0.4)  # in the least of the standard deviation and the width of the integrand, by level
FARTHEST = (5.6, 6.6)  # standard deviations
NOTHING = 1e-14  # variance below which a coordinate is fixed
REACH = 8.6  # standard deviations
TINY = 1e-290
_NEGLIGIBLE = 1e-15


def normal_nodes(step: float, reach: float = REACH) -> tuple[Array, Array]:
    """The trapezoid rule for N(0, 1)."""
    half = math.ceil(reach / step)
    t = np.asarray(np.arange(-half, half + 1) * step, dtype=np.float64)
    return t, step * np.exp(-0.5 * t * t) / math.sqrt(2 * math.pi)


def normal_grid(width: float, level: int) -> tuple[Array, Array]:
    """The same for functions that are smooth on a scale."""
    return normal_nodes(STEP[level] * min(1.0, width), FARTHEST[level])


def gaussian_grid(values: Array, axes: Array, widths: Array, level: int) -> tuple[Array, Array]:
    """Nodes, shape (n, p), and weights for N(0, axes diag(values) axes^T).

    Parameters
    ----------
    values : ndarray, shape (p,)
        Variances along the columns of `axes`.
    widths : ndarray, shape (p,)
        The scale on which functions are smooth along each of them.

    Examples
    --------
    >>> nodes, weights = gaussian_grid(np.array([2.0, 0.0]), np.eye(2), np.ones(2), 1)
    >>> round(float(weights @ nodes[:, 0] ** 4), 6), bool(np.all(nodes[:, 1] == 0))
    (12.0, True)
    """
    columns, factors = [], []
    for variance, width in zip(values, widths, strict=True):
        if variance <= NOTHING:
            t, w = np.zeros(1), np.ones(1)
        else:
            t, w = normal_grid(float(width) / math.sqrt(variance), level)
        columns.append(math.sqrt(max(float(variance), 0.0)) * t)
        factors.append(w)
    nodes = np.stack(np.meshgrid(*columns, indexing="ij"), -1).reshape(-1, len(values))
    weights = np.stack(np.meshgrid(*factors, indexing="ij"), -1).prod(-1).ravel()
    keep = weights > _NEGLIGIBLE * weights.max()
    return np.ascontiguousarray(nodes[keep] @ axes.T), np.asarray(weights[keep])
