"""Trapezoid rules for Gaussian variables, whose error falls exponentially, and grids of vectors.

Grids are in the axes of a covariance, as fine as the integrand asks for.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "FARTHEST",
    "NOTHING",
    "STEP",
    "TINY",
    "equal_steps",
    "gaussian_grid",
    "normal_grid",
    "normal_nodes",
    "omega_nodes",
]

Array = NDArray[np.float64]

STEP = (0.5, 0.4)  # in the least of the standard deviation and the width of the integrand, by level
FARTHEST = (5.6, 6.6)  # standard deviations
NOTHING = 1e-14  # variance below which a coordinate is fixed
_REACH = 8.6  # standard deviations
TINY = 1e-290
_NEGLIGIBLE = 1e-15


def equal_steps(
    step: float, reach: float, *, half: bool = False, between: bool = False
) -> tuple[Array, Array]:
    """Nodes of the line up to `reach`, and their widths: the trapezoid rule.

    The error for a Gaussian of standard deviation s is 2 exp(-2 (pi s/step)^2) of it, and what is beyond.

    Parameters
    ----------
    half : bool
        Only t >= 0, each for -t too.
    between : bool
        Off the point 0, on which boundaries like to lie.

    Examples
    --------
    >>> for t, w in (equal_steps(1.0, 2.0), equal_steps(1.0, 2.0, half=True, between=True)):
    ...     print(t.tolist(), w.tolist())
    [-2.0, -1.0, 0.0, 1.0, 2.0] [1.0, 1.0, 1.0, 1.0, 1.0]
    [0.5, 1.5] [2.0, 2.0]
    """
    count = math.ceil(reach / step)
    places = np.arange(0 if half else -count, count + (not between)) + (0.5 if between else 0.0)
    t = np.asarray(step * places, dtype=np.float64)
    return t, np.asarray(np.where(t == 0, step, 2 * step if half else step), dtype=np.float64)


def normal_nodes(
    step: float, reach: float = _REACH, *, half: bool = False, between: bool = False
) -> tuple[Array, Array]:
    """The same for t ~ N(0, 1), in standard deviations."""
    t, widths = equal_steps(step, reach, half=half, between=between)
    return t, widths * np.exp(-0.5 * t * t) / math.sqrt(2 * math.pi)


def omega_nodes(
    m: float, step: float, reach: float = _REACH, *, half: bool = False, between: bool = False
) -> tuple[Array, Array]:
    """The same for functions of omega = m^(1/2) t that are smooth on the scale (1 - m)^(1/2) of omega.

    Parameters
    ----------
    step : float
        In the lesser of that scale and the standard deviation of omega.
    """
    if m <= 0:
        return np.zeros(1), np.ones(1)
    return normal_nodes(step * min(1.0, math.sqrt((1 - m) / m)), reach, half=half, between=between)


def normal_grid(width: float, level: int) -> tuple[Array, Array]:
    """For functions that are smooth on a scale, in standard deviations."""
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
