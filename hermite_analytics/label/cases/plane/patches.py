"""A function of two Gaussian coordinates as polynomials on quadrilateral patches.

The plane is cut into cells by a grid and by the lines across which the function is not smooth; each cell is
made of quadrilaterals, images of the unit square; each of those is divided until a polynomial of fixed degree
in both parameters reproduces the function to rounding. Polynomials are kept by their Bernstein coefficients,
whose extremes bound the values.
"""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hermite_analytics.foundation.clock import check_time
from hermite_analytics.foundation.numpy_arrays import Array, Bools, Function
from hermite_analytics.foundation.panels import unit_rule
from hermite_analytics.label.cases.plane.mirrors import PLANE, Sector

__all__ = [
    "NODES",
    "TICKS",
    "Patches",
    "bernstein",
    "cells_between",
    "crossings",
    "cut",
    "fitted",
    "located",
    "patches_of",
    "place",
    "quadrature",
    "sampled",
    "spread_points",
]

NODES = 12  # coefficients in each parameter
HALF_WIDTH = 8.2  # of the square: P(|w_i| > 8.2) = 2e-16
RADIUS = 8.0  # of the disc that the patches cover: all but 1e-14 of the probability, where |w|^4 is 4e3
_CELLS = 18  # along each side of the square
TICKS = np.linspace(-HALF_WIDTH, HALF_WIDTH, _CELLS + 1)  # the lines of the grid
TICKS.flags.writeable = False
_DEPTH = 5  # divisions of a patch
_MOST = 20000  # patches
_ACCURACY = 3e-13  # relative, of the polynomials
_FLAT = 1e-13  # relative range of a constant with its rounding
_SAME = 1e-10
_PARALLEL = 1e-12
_BINOMIALS = np.array([math.comb(NODES - 1, k) for k in range(NODES)], dtype=np.float64)


@dataclass(frozen=True, slots=True, kw_only=True)
class Patches:
    """Polynomials on quadrilaterals.

    Parameters
    ----------
    corners : ndarray, shape (p, 4, 2)
        Images of (0, 0), (1, 0), (0, 1), (1, 1).
    coefficients : ndarray, shape (p, NODES, NODES)
        Bernstein coefficients.
    unresolved : float
        Probability of the patches on which the polynomials are not accurate.
    """

    corners: Array
    coefficients: Array
    unresolved: float


@functools.cache
def _samples() -> tuple[Array, Array, Array, Array]:
    """(Chebyshev nodes, samples -> coefficients, test points, coefficients -> tests) on [0, 1]."""
    x = 0.5 - 0.5 * np.cos(math.pi * (np.arange(NODES) + 0.5) / NODES)
    tests = np.array([0.003, 0.13, 0.41, 0.68, 0.94, 0.998])
    return x, np.asarray(np.linalg.inv(bernstein(x)), dtype=np.float64), tests, bernstein(tests)


def bernstein(x: Array) -> Array:
    """Values of the Bernstein polynomials, shape (len(x), NODES)."""
    m = NODES - 1
    i = np.arange(NODES)
    return np.asarray(_BINOMIALS * x[:, None] ** i * (1 - x[:, None]) ** (m - i))


def place(corners: Array, s: Array, t: Array) -> Array:
    """Points (p, n, 2) of quadrilaterals (p, 4, 2) at parameters (n,)."""
    weights = np.stack([(1 - s) * (1 - t), s * (1 - t), (1 - s) * t, s * t], -1)
    return np.asarray(np.einsum("nk,pkd->pnd", weights, corners))


def located(corners: Array, s: Array, t: Array) -> tuple[Array, Array, Array]:
    """(first and second coordinate, size of the area element), each (p, n).

    Parameters
    ----------
    corners : ndarray, shape (p, 4, 2)
        Of quadrilaterals, bilinear images of the square.
    s, t : ndarray, shape (p, n)
    """
    a, b, c, d = (corners[:, k, :, None] for k in range(4))
    along, up, twist = b - a, c - a, a - b - c + d

    def at(k: int) -> Array:
        return np.asarray(a[:, k] + along[:, k] * s + (up[:, k] + twist[:, k] * s) * t)

    area = _cross(along, up) + _cross(along, twist) * s + _cross(twist, up) * t
    return at(0), at(1), np.abs(area)


def _cross(u: Array, v: Array) -> Array:
    return np.asarray(u[:, 0] * v[:, 1] - u[:, 1] * v[:, 0])


def fitted(function: Function, corners: Array) -> tuple[Array, Array, Array]:
    """(values at nodes of quadrilaterals, Bernstein coefficients, how far off these are), one row each."""
    x, fit, tests, check = _samples()

    def on_grid(places: Array) -> Array:
        s, t = (a.ravel() for a in np.meshgrid(places, places, indexing="ij"))
        found = function(place(corners, s, t).reshape(-1, 2))
        return np.asarray(found.reshape(len(corners), len(places), len(places)))

    with np.errstate(all="ignore"):
        samples, exact = on_grid(x), on_grid(tests)
    coefficients = fit @ samples @ fit.T
    return samples, coefficients, np.abs(check @ coefficients @ check.T - exact).max((1, 2))


def patches_of(value: Function, lines: Sequence[Sequence[float]], sector: Sector = PLANE) -> Patches:
    """The function on the square |w_i| < 8.2, but for what is too far out to matter.

    Parameters
    ----------
    value : function of an array (n, 2)
    lines : sequence of (a, b, c)
        The lines a w1 + b w2 = c across which the function is not smooth.
    sector : Sector
        The part of the plane that is covered.
    """
    corners = _quadrilaterals(tuple(tuple(map(float, line)) for line in (*lines, *sector.sides)))
    corners = corners[sector.contains(corners.mean(1))]
    done, found, unresolved, typical = [], [], 0.0, 0.0
    for depth in range(_DEPTH + 1):
        check_time()
        corners = corners[_likely(corners)]
        if not len(corners):
            break
        samples, coefficients, error = fitted(value, corners)
        good = error <= _ACCURACY * np.abs(samples).max((1, 2))
        if depth == _DEPTH or 4 * np.count_nonzero(~good) > _MOST:
            unresolved = float(_probability(corners[~good]).sum())
            good[:] = True
        top, bottom = samples.max((1, 2)), samples.min((1, 2))
        typical = float(np.median(np.abs(samples))) if depth == 0 else typical
        flat = top - bottom <= np.maximum(_FLAT * np.maximum(np.abs(top), np.abs(bottom)), 1e-15 * typical)
        coefficients[flat] = samples[flat].mean((1, 2), keepdims=True)
        done.append(corners[good])
        found.append(coefficients[good])
        corners = _quarters(corners[~good])
    return Patches(corners=np.concatenate(done), coefficients=np.concatenate(found), unresolved=unresolved)


def quadrature(corners: Array, nodes: int) -> tuple[Array, Array]:
    """Points (p, n, 2) and probabilities (p, n) of Gauss's rule on each quadrilateral."""
    x, weights = unit_rule(nodes)
    s, t = (a.ravel() for a in np.meshgrid(x, x, indexing="ij"))
    u, v, area = located(corners, s[None], t[None])
    density = np.exp(-0.5 * (u * u + v * v)) / (2 * math.pi)
    return np.stack([u, v], axis=2), area * np.outer(weights, weights).ravel() * density


def spread_points(corners: Array, longest: float, nodes: int) -> tuple[Array, Array]:
    """Points (n, 2) and probabilities by Gauss's rule on quadrilaterals whose sides are at most so long."""
    parts = [np.zeros((0, 4, 2))]
    while len(corners):
        sides = corners[:, [1, 3, 2, 0]] - corners[:, [0, 1, 3, 2]]
        short = np.linalg.norm(sides, axis=2).max(1) <= longest
        parts.append(corners[short])
        corners = _quarters(corners[~short]) if not short.all() else corners[:0]
    points, p = quadrature(np.concatenate(parts), nodes)
    return points.reshape(-1, 2), p.ravel()


def sampled(patches: Patches, nodes: int) -> tuple[Array, Array, Array]:
    """(points, shape (p, n, 2), values, probabilities), both (p, n), by Gauss's rule on each patch."""
    basis = bernstein(unit_rule(nodes)[0])
    values = basis @ patches.coefficients @ basis.T
    points, p = quadrature(patches.corners, nodes)
    return points, values.reshape(len(values), -1), p


def _likely(corners: Array) -> Bools:
    """Patches that are not too far from the origin to matter."""
    centre = corners.mean(1)
    radius = np.linalg.norm(corners - centre[:, None], axis=2).max(1)
    return np.asarray(np.linalg.norm(centre, axis=1) - radius < RADIUS)


def _probability(corners: Array) -> Array:
    """Roughly, of each patch."""
    d = corners[:, 3] - corners[:, 0], corners[:, 2] - corners[:, 1]
    area = 0.5 * np.abs(d[0][:, 0] * d[1][:, 1] - d[0][:, 1] * d[1][:, 0])
    return np.asarray(area * np.exp(-0.5 * (corners.mean(1) ** 2).sum(1)) / (2 * math.pi))


def _quarters(corners: Array) -> Array:
    """Each quadrilateral divided in four."""
    parts = []
    for a in (0.0, 0.5):
        for b in (0.0, 0.5):
            s, t = np.array([a, a + 0.5, a, a + 0.5]), np.array([b, b, b + 0.5, b + 0.5])
            parts.append(place(corners, s, t))
    return np.concatenate(parts)


@functools.lru_cache(maxsize=64)
def _quadrilaterals(lines: tuple[tuple[float, ...], ...]) -> Array:
    """The grid; cells that a line crosses become quadrilaterals around the centres of their parts.

    Functions of one known coordinate ask for the same ones at each of its values.
    """
    found = []
    for x0, x1 in itertools.pairwise(TICKS):
        for y0, y1 in itertools.pairwise(TICKS):
            parts = [np.array([[x0, y0], [x1, y0], [x1, y1], [x0, y1]])]
            parts = cells_between(parts, lines)
            if len(parts) == 1:
                p = parts[0]
                found.append(p[[0, 1, 3, 2]] if len(p) == 4 else p)
                continue
            found += [quad for part in parts for quad in _around_centre(part)]
    corners = np.array(found)
    corners.flags.writeable = False
    return corners


def _around_centre(polygon: Array) -> list[Array]:
    """A convex polygon as one quadrilateral for each vertex."""
    centre, middles = polygon.mean(0), 0.5 * (polygon + np.roll(polygon, -1, axis=0))
    return [np.array([polygon[i], middles[i], middles[i - 1], centre]) for i in range(len(polygon))]


def crossings(lines: Sequence[Sequence[float]]) -> list[tuple[tuple[int, int], tuple[float, float]]]:
    """(which two lines a w1 + b w2 = c, where they cross) of all that are not parallel.

    Examples
    --------
    >>> crossings([(1, 0, 2), (2, 0, 1), (1, 1, 0)])
    [((0, 2), (2.0, -2.0)), ((1, 2), (0.5, -0.5))]
    """
    found = []
    for (i, (a, b, c)), (j, (d, e, f)) in itertools.combinations(enumerate(lines), 2):
        determinant = a * e - b * d
        if abs(determinant) > _PARALLEL * math.hypot(a, b) * math.hypot(d, e):
            found.append(((i, j), ((c * e - b * f) / determinant, (a * f - c * d) / determinant)))
    return found


def cells_between(cells: list[Array], lines: Sequence[Sequence[float]]) -> list[Array]:
    """The parts of convex polygons between lines a w1 + b w2 = c."""
    for a, b, c in lines:
        cells = [part for cell in cells for part in cut(cell, np.array([a, b]), c)]
    return cells


def cut(cell: Array, normal: Array, offset: float) -> list[Array]:
    """The parts of a convex polygon on both sides of a line."""
    heights = (cell @ normal - offset) / np.linalg.norm(normal)
    if heights.min() >= -_SAME or heights.max() <= _SAME:
        return [cell]
    parts = []
    for sign in (1.0, -1.0):
        vertices = []
        for i, a in enumerate(cell):
            b, ha, hb = cell[(i + 1) % len(cell)], sign * heights[i], sign * heights[(i + 1) % len(cell)]
            if ha >= -_SAME:
                vertices.append(a)
            if (ha > _SAME and hb < -_SAME) or (ha < -_SAME and hb > _SAME):
                vertices.append(a + (b - a) * (ha / (ha - hb)))
        parts.append(np.array(vertices))
    return parts
