"""A quadrature rule on the sphere, cut along great circles.

The planes cut the sphere into convex cells; each is a fan of triangles around its centre, and each triangle
the image of a square on which the double exponential rule takes what happens at edges and corners.
"""

from __future__ import annotations

import itertools
import math

import numpy as np

from hermite_analytics.foundation.numpy_arrays import Array
from hermite_analytics.label.cases.plane.patches import cut

__all__ = ["sphere_rule"]

_SAME = 1e-12
_NODES = 20  # in each direction of a triangle, at level 1
_REACH = 3.0  # of the double exponential rule


def sphere_rule(normals: Array, level: float) -> tuple[Array, Array]:
    """Nodes (n, 3) on the unit sphere and weights that sum to 1.

    Parameters
    ----------
    normals : ndarray, shape (m, 3)
        Normals of the planes that cut the sphere; the coordinate planes cut it too.
    level : float >= 1
        Nodes in each direction are multiplied by it.

    Examples
    --------
    >>> import numpy as np
    >>> nodes, weights = sphere_rule(np.eye(3), 2)
    >>> round(float(weights.sum()), 8), round(float(weights @ nodes[:, 0] ** 2), 8)
    (1.0, 0.33333333)
    """
    unit = [np.asarray(n, dtype=float) / np.linalg.norm(n) for n in [*np.eye(3), *np.asarray(normals)]]
    planes: list[Array] = []
    for n in unit:
        if all(1 - abs(float(n @ p)) > _SAME for p in planes):
            planes.append(n)
    cells = [
        np.array([a * np.eye(3)[0], b * np.eye(3)[1], c * np.eye(3)[2]])
        for a, b, c in itertools.product((1.0, -1.0), repeat=3)
    ]
    for n in planes[3:]:
        cells = [part for cell in cells for part in _cut(cell, n)]
    rules = [_triangle(a, b, c, level) for cell in cells for a, b, c in _fan(cell)]
    return np.concatenate([r[0] for r in rules]), np.concatenate([r[1] for r in rules])


def _cut(cell: Array, normal: Array) -> list[Array]:
    """The parts of a convex spherical polygon, vertices in order, on both sides of a plane."""
    return [part / np.linalg.norm(part, axis=1, keepdims=True) for part in cut(cell, normal, 0.0)]


def _fan(cell: Array) -> list[tuple[Array, Array, Array]]:
    centre = cell.sum(0) / np.linalg.norm(cell.sum(0))
    return [(centre, cell[i], cell[(i + 1) % len(cell)]) for i in range(len(cell))]


def _triangle(a: Array, b: Array, c: Array, level: float) -> tuple[Array, Array]:
    """Nodes and weights on a spherical triangle whose edge (b, c) and its corners may be singular."""
    t, dt = np.linspace(-_REACH, _REACH, round(2 * _NODES * level) + 1, retstep=True)
    x = 0.5 * math.pi * np.sinh(t)
    near, far = 1 / (1 + np.exp(-2 * x)), 1 / (1 + np.exp(2 * x))
    weight = dt * math.pi * np.cosh(t) * near * far
    edge = far[:, None] * b + near[:, None] * c
    inward, along = np.meshgrid(np.arange(len(t)), np.arange(len(t)), indexing="ij")
    points = far[inward][..., None] * a + near[inward][..., None] * edge[along]
    norms = np.linalg.norm(points, axis=-1)
    area = abs(float(np.linalg.det(np.array([a, b, c])))) * near[inward] / norms**3
    weights = weight[inward] * weight[along] * area / (4 * math.pi)
    return (points / norms[..., None]).reshape(-1, 3), weights.ravel()
