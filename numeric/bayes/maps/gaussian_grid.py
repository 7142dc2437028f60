"""Trapezoid rules for Gaussian variables, whose error falls exponentially, and grids of vectors.

Grids are in the axes of a covariance, as fine as the integrand asks for.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from hermite_analytics.foundation.numpy_arrays import Array
from hermite_analytics.foundation.roots import roots_between

__all__ = [
    "FARTHEST",
    "NOTHING",
    "STEP",
    "TINY",
    "equal_steps",
    "gaussian_grid",
    "graded_nodes",
    "normal_grid",
    "normal_nodes",
    "omega_nodes",
]

STEP = (0.5, 0.4)  # in the least of the standard deviation and the width of the integrand, by level
FARTHEST = (5.6, 6.6)  # standard deviations
NOTHING = 1e-14  # variance below which a coordinate is fixed
_REACH = 8.6  # standard deviations
_BULK = 1.1  # spacing of graded nodes far from their places, in steps
_NEAR = 3.0  # widths from a place
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


def graded_nodes(
    step: float, width: float, places: Sequence[float] | Array, reach: float
) -> tuple[Array, Array]:
    """For t ~ N(0, 1) and functions that change at some places alone, on a scale `width`, however small.

    Equal steps in t/_BULK + sum of _NEAR asinh((t - place)/(_NEAR width)): spacings are step * width up to
    some widths from a place, and grow with the distance beyond.

    Examples
    --------
    >>> t, w = graded_nodes(0.5, 1e-3, (1.0,), 6.5)  # E tanh((t - 1)/1e-3) is P(t > 1) - P(t < 1)
    >>> len(t), round(float(w @ np.tanh((t - 1) / 1e-3)), 6)
    (124, -0.682689)
    """
    ends = np.array(places)

    def number(t: Array) -> Array:
        return np.asarray(t / _BULK + _NEAR * np.arcsinh((t[:, None] - ends) / (_NEAR * width)).sum(1))

    low, high = number(np.array([-reach, reach]))
    count = math.ceil((high - low) / step)
    wanted = low + (np.arange(count) + 0.5) * ((high - low) / count)
    t = roots_between(lambda t: number(t) - wanted, np.full(count, -reach), np.full(count, reach))
    slope = 1 / _BULK + (1 / np.sqrt(width**2 + ((t[:, None] - ends) / _NEAR) ** 2)).sum(1)
    return t, (high - low) / count / slope * np.exp(-0.5 * t * t) / math.sqrt(2 * math.pi)


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
