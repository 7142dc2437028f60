"""The law of y = g(w) for g homogeneous of positive degree: y = R^a h(u), radius and direction independent.

Given the direction u, the label determines the radius: no critical points, no root finding. The density is an
average over directions, singular only where h has a zero or a kink.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from functools import partial

import numpy as np

from hermite_analytics.foundation.numpy_arrays import Array, Function
from hermite_analytics.foundation.threads import in_threads
from hermite_analytics.label.cases.homogeneous.sphere import sphere_rule
from hermite_analytics.label.cases.parts.density import LabelDensity, channel_count, grid, spacing
from hermite_analytics.label.compiled import compiled

__all__ = ["planar_density", "spatial_density"]

_FARTHEST_RADIUS = 14.0  # beyond it the density is nothing: e^-98
_FARTHEST = 8.7  # radius, beyond that of the mean: P(R > 8.7) = 4e-17 in two dimensions
_ANGLE_SPACING = 0.2  # of the rule of a sector, at level 1
_ANGLE_REACH = 34.0
_WIDEST = 0.8  # sector
_PARTS = 8  # of the labels, for threads
_SAME_HEIGHT = 1e-14  # distance of logarithms
_DEPTH = 38.0  # the least label kept is e^-38, to the power that makes its probability negligible


def planar_density(
    shape: Function, degree: float, breaks: Sequence[float], *, level: float = 1
) -> LabelDensity:
    """The law of g(w) for g homogeneous of positive degree in two coordinates.

    Parameters
    ----------
    shape : function of an array
        theta -> g(cos theta, sin theta).
    degree : float > 0
    breaks : sequence of float
        All zeros and kinks of `shape` in [0, 2 pi); between two of them it has one sign.
    level : float >= 1
        All spacings are divided by it.

    Examples
    --------
    >>> import numpy as np
    >>> law = planar_density(lambda t: np.cos(t) * np.sin(t), 2.0, np.pi / 2 * np.arange(4))  # z1 z2
    >>> nodes = law.quadrature()  # twice E[G_11^2] - E[G_12^2] is ...
    >>> round(float(2 * nodes.weights @ nodes.first[:, 0] ** 2), 12)
    0.0
    """
    cuts, ends = _sectors(np.asarray(breaks, dtype=float))
    h = _ANGLE_SPACING / level
    s = h * np.arange(-int(_ANGLE_REACH / h), int(_ANGLE_REACH / h) + 1)
    lengths = (ends - cuts)[:, None]
    near, far = lengths / (1 + np.exp(-s)), lengths / (1 + np.exp(s))
    angles = np.where(s < 0, cuts[:, None] + near, ends[:, None] - far)
    weights = h * near * far / lengths / (2 * math.pi)
    signs = np.sign(shape(cuts + lengths[:, 0] / 2))[:, None]
    heights = signs * np.abs(shape(angles.ravel()).reshape(angles.shape))
    directions = np.stack([np.cos(angles), np.sin(angles)], -1).reshape(-1, 2)
    return _density(directions, weights.ravel(), heights.ravel(), degree, spacing(level))


def _sectors(breaks: Array) -> tuple[Array, Array]:
    """Beginnings and ends of sectors that the breaks bound, none of them wide."""
    cuts = np.unique(np.mod(breaks, 2 * math.pi)) if len(breaks) else np.zeros(1)
    starts: list[float] = []
    for a, b in itertools.pairwise([*cuts, cuts[0] + 2 * math.pi]):
        starts += np.linspace(a, b, math.ceil((b - a) / _WIDEST) + 1)[:-1].tolist()
    return np.array(starts), np.append(starts[1:], starts[0] + 2 * math.pi)


def spatial_density(value: Function, degree: float, normals: Array, *, level: float = 1) -> LabelDensity:
    """The law of g(w) for g homogeneous of positive degree in three coordinates.

    Parameters
    ----------
    value : function of an array (n, 3)
    degree : float > 0
    normals : ndarray, shape (m, 3)
        Normals of the planes through 0 on which g has a zero or a kink.
    level : float >= 1
        Numbers of nodes are multiplied by it.

    Notes
    -----
    Zeros of g off these planes slow the convergence down; the result says so between two levels.

    Examples
    --------
    >>> import numpy as np
    >>> law = spatial_density(lambda w: np.abs(w).max(axis=1), 1.0, np.eye(3))  # kinks left out
    >>> abs(law.mass - 1) < 1e-3
    True
    """
    directions, weights = sphere_rule(normals, level)
    return _density(directions, weights, value(directions), degree, 2 * spacing(level))


def _density(directions: Array, weights: Array, heights: Array, degree: float, step: float) -> LabelDensity:
    """Average over directions, on one panel for each sign of the label."""
    q = directions.shape[1]
    s = grid(step)
    depth = _DEPTH * max(1.0, degree / q) + 4.0
    nodes = np.nonzero((s > -depth) & (s < 12.0))[0]
    sides = [(sign, float(np.max(sign * heights, initial=0.0))) for sign in (-1.0, 1.0)]
    points, values = [0.0], []
    for sign, height in sides:
        if height <= 0.0:
            continue
        end = height * (_FARTHEST + math.sqrt(q) - math.sqrt(2)) ** degree
        table = np.zeros((len(s), channel_count(q)))
        y = end / (1 + np.exp(-s[nodes]))
        kept = sign * heights > 0
        filled = np.zeros((len(nodes), channel_count(q)))
        given = *_of_equal_height(np.log(sign * heights[kept]), directions[kept], weights[kept]), degree, q
        parts = zip(np.array_split(np.log(y), _PARTS), np.array_split(filled, _PARTS), strict=True)
        in_threads(lambda job: job(), [partial(_average, a, *given, b) for a, b in parts])
        table[nodes] = filled
        values.append(table if sign > 0 else table[::-1])
        points = [*points, end] if sign > 0 else [-end, *points]
    found, places = np.array(values), np.array(points)
    return LabelDensity(
        points=places, values=found, atoms=np.zeros(0), atom_values=np.zeros((0, channel_count(q))), step=step
    )


def _of_equal_height(log_h: Array, directions: Array, weights: Array) -> tuple[Array, Array]:
    """(heights, sums of weights times (1, u, u u^T) over the directions u of each): many by symmetry."""
    rows, columns = np.triu_indices(directions.shape[1])
    second = directions[:, rows] * directions[:, columns]
    moments = weights[:, None] * np.column_stack([np.ones(len(weights)), directions, second])
    order = np.argsort(log_h)
    ordered = log_h[order]
    starts = np.flatnonzero(np.diff(ordered, prepend=-np.inf) > _SAME_HEIGHT)
    return ordered[starts], np.add.reduceat(moments[order], starts, axis=0)


@compiled
def _average(log_y: Array, log_h: Array, moments: Array, degree: float, q: int, out: Array) -> None:
    """Densities of all channels at labels y > 0: averages of R^q e^(-R^2/2)/(a y) times moments of R u."""
    constant = math.log(degree) + math.log(2.0) * (0.5 * q - 1.0) + math.lgamma(0.5 * q)
    reach = np.exp(-log_h / degree)
    found = np.empty(out.shape[1])
    for n in range(log_y.size):
        size, unit = math.exp(log_y[n] / degree), math.exp(-constant - log_y[n])
        found[:] = 0.0
        for m in range(log_h.size):
            r = size * reach[m]
            if not r <= _FARTHEST_RADIUS:
                continue
            weight = r**q * math.exp(-0.5 * r * r)
            found[0] += weight * moments[m, 0]
            for i in range(1, 1 + q):
                found[i] += weight * r * moments[m, i]
            for c in range(1 + q, out.shape[1]):
                found[c] += weight * r * r * moments[m, c]
        c = 1 + q
        for i in range(q):
            found[c] -= found[0]
            c += q - i
        for c in range(out.shape[1]):
            out[n, c] += unit * found[c]
