"""Space cut along planes into cells with smooth coordinates that reach their faces at infinity.

A cell is {a + E u} with each u_k in (0, inf), (0, L) or R: u = log(1 + e^s), L/(1 + e^-s) or s takes all s
in R^3 to it. A function that is smooth in the cell up to its faces is smooth in s, and a Gaussian density
times the Jacobian decays exponentially in all directions: equal steps in s integrate it to high accuracy,
whatever happens across the faces, and resolve what happens beside them on all scales.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from hermite_analytics.foundation.numpy_arrays import Array, Bools

__all__ = ["FARTHEST", "Cell", "Mapped", "Plane", "cells_between"]

Plane = tuple[float, float, float, float]

_SAME = 1e-11
_CLOSE = 1e-6  # planes that count as one
_INSIDE = 1e-9
_CLOSEST = -13.0  # least s: what is left out has a probability of e^-13 times the width of a cell
FARTHEST = 6.4  # |w| beyond which nothing is integrated
_LONGEST = 4.0  # of an interval: longer ones are divided
_MOST_PLANES = 9
_DIRECTIONS = 4096


@dataclass(frozen=True, slots=True, kw_only=True)
class Mapped:
    """A cell at the nodes of a lattice.

    Attributes
    ----------
    points : ndarray, shape (n1, n2, n3, 3)
        w(s).
    jacobian : ndarray, shape (n1, n2, n3)
        |det dw/ds|.
    slopes : function of the gradient of a label in w, shape (n1, n2, n3, 3)
        Its derivatives by s, shape (3, n1, n2, n3).
    """

    points: Array
    jacobian: Array
    slopes: Callable[[Array], Array]


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """The points a + E u with 0 < u_k < L_k, or any u_k.

    Attributes
    ----------
    corner : ndarray, shape (3,)
        a.
    edges : ndarray, shape (3, 3)
        E, its columns the edges. The rows of its inverse have length 1: u_k is the distance from a face.
    lengths : ndarray, shape (3,)
        L, inf for half-lines and lines.
    whole : ndarray of bool, shape (3,)
        Whether u_k may have any value.
    kinks : ndarray of bool, shape (3, 2)
        Whether the faces u_k = 0 and u_k = L_k are planes that were given.
    """

    corner: Array
    edges: Array
    lengths: Array
    whole: Bools
    kinks: Bools

    def axis(self, k: int, step: float) -> Array:
        """Equal steps of s_k that reach all of the cell with |w| < 6.4."""
        far = -_CLOSEST
        if np.isinf(self.lengths[k]):
            far = FARTHEST - float(np.linalg.inv(self.edges)[k] @ self.corner)
        if self.whole[k]:  # from a corner where u_k is 0
            return np.asarray(step * np.arange(-np.ceil(far / step), np.ceil(far / step) + 1))
        return np.asarray(np.arange(_CLOSEST, max(2.0, far) + step, step))

    def distances(self, k: int, s: Array) -> tuple[Array, Array]:
        """(u_k, its derivative) at s_k."""
        if self.whole[k]:
            return s, np.ones_like(s)
        rise = np.asarray(1 / (1 + np.exp(-s)))
        if np.isinf(self.lengths[k]):
            return np.asarray(np.logaddexp(0.0, s)), rise
        return np.asarray(self.lengths[k] * rise), self.lengths[k] * rise * (1 - rise)

    def mapped(self, axes: Sequence[Array]) -> Mapped:
        """The cell at all nodes of three axes of s."""
        u, rise = zip(*(self.distances(k, s) for k, s in enumerate(axes)), strict=True)
        rises = np.broadcast_arrays(*(r.reshape(np.roll([-1, 1, 1], k)) for k, r in enumerate(rise)))
        volume = abs(float(np.linalg.det(self.edges)))
        return Mapped(
            points=self.places(np.stack(np.meshgrid(*u, indexing="ij"), -1)),
            jacobian=volume * rises[0] * rises[1] * rises[2],
            slopes=lambda gradient: np.moveaxis(gradient @ self.edges, -1, 0) * np.stack(rises),
        )

    def places(self, u: Array) -> Array:
        """The points w at u, shape (..., 3)."""
        return np.asarray(self.corner + u @ self.edges.T)

    def slopes(self, u: Array, gradient: Array) -> Array:
        """A gradient in w at u as the derivatives by u, both of shape (..., 3)."""
        return np.asarray(gradient @ self.edges)

    def inner_point(self) -> Array:
        """A point off all faces."""
        return self.places(np.where(np.isinf(self.lengths), 1.0, 0.5 * self.lengths))

    def holds(self, points: Array) -> Bools:
        """Whether points, shape (..., 3), are inside."""
        u = (points - self.corner) @ np.linalg.inv(self.edges).T
        return np.asarray(np.all((self.whole | (u > 0)) & (u < self.lengths), axis=-1))

    def planes(self, k: int, places: Array) -> list[Plane]:
        """The planes on which u_k has one of these values."""
        inward = np.linalg.inv(self.edges)[k]
        a, b, c = (float(x) for x in inward)
        return [(a, b, c, float(inward @ self.corner + place)) for place in places]


def cells_between(
    planes: Sequence[Plane], smooth: Sequence[Plane] = (), *, cut: bool = False
) -> tuple[Cell, ...] | None:
    """Cells of which no inner point lies on one of the planes a w1 + b w2 + c w3 = d.

    Planes of at most three directions that are independent give products of intervals, others cones; None
    where they are neither of the first kind nor all through 0, or more than nine. Further planes that are no
    kinks divide products only; with `cut` one through 0 does where a coordinate has none.

    Examples
    --------
    >>> len(cells_between([])), len(cells_between([(1, 0, 0, 0.5)]))
    (1, 2)
    >>> len(cells_between([], cut=True))
    8
    >>> len(cells_between([(1, -1, 0, 0), (0, 1, -1, 0), (1, 0, -1, 0)]))  # of max(z1, z2, z3)
    12
    >>> cells_between([(1, 0, 0, 0), (0, 1, 0, 0), (1, 1, 0, 1)]) is None
    True
    """
    if len(planes) > _MOST_PLANES:
        return None
    normals, offsets = _unit(planes)
    directions: list[Array] = []
    for n in normals:
        if not any(_parallel(n, d) for d in directions):
            directions.append(n)
    if len(directions) <= 3 and np.linalg.matrix_rank(np.array(directions).reshape(-1, 3)) == len(directions):
        return _products(directions, normals, offsets, list(zip(*_unit(smooth), strict=True)), cut)
    if any(abs(c) > _SAME for c in offsets):
        return None
    return _cones(np.array(directions))


def _unit(planes: Sequence[Plane]) -> tuple[list[Array], list[float]]:
    rows = [np.array(p, dtype=np.float64) for p in planes]
    rows = [r / np.linalg.norm(r[:3]) for r in rows]
    return [r[:3] for r in rows], [float(r[3]) for r in rows]


def _parallel(a: Array, b: Array) -> bool:
    return float(np.abs(np.cross(a, b)).max()) < _SAME


def _products(
    directions: list[Array],
    normals: Sequence[Array],
    offsets: Sequence[float],
    smooth: Sequence[tuple[Array, float]],
    cut: bool,
) -> tuple[Cell, ...]:
    """Intervals of three coordinates, ended by the planes; a line or two halves where there are none."""
    base = np.array(_completed(directions))
    given = [(n, c, True) for n, c in zip(normals, offsets, strict=True)]
    found = _along(base, [*given, *((n, c, False) for n, c in smooth)])
    none = {0.0: False} if cut else {}
    sides = [_intervals(dict(sorted(places.items())) or none) for places in found]
    inverse = np.linalg.inv(base)
    cells = []
    for parts in itertools.product(*sides):
        start, way, lengths, kinks, whole = (np.array(x) for x in zip(*parts, strict=True))
        corner, edges = inverse @ start, inverse * way
        cells.append(Cell(corner=corner, edges=edges, lengths=lengths, whole=whole, kinks=kinks))
    return tuple(cells)


def _along(base: Array, planes: Sequence[tuple[Array, float, bool]]) -> list[dict[float, bool]]:
    """For each of three directions the places of the planes across it, and whether they are kinks."""
    found: list[dict[float, bool]] = [{} for _ in base]
    for n, c, kink in planes:
        k = next((i for i, d in enumerate(base) if _parallel(n, d)), None)
        if k is None:
            continue
        place = c * float(np.sign(n @ base[k]))
        if not any(abs(place - x) < _CLOSE for x in found[k]):
            found[k][place] = kink
    return found


def _completed(directions: Sequence[Array]) -> list[Array]:
    """Three independent directions: those that are there, and axes as far as possible from them."""
    found = list(directions)
    while len(found) < 3:
        rest = np.eye(3)
        for q in np.linalg.qr(np.array(found).T)[0].T if found else []:
            rest = rest - np.outer(rest @ q, q)
        sizes = np.round(np.linalg.norm(rest, axis=1), 9)
        found.append(np.eye(3)[int(np.argmax(sizes))])
    return found


Interval = tuple[float, float, float, tuple[bool, bool], bool]


def _intervals(kinks: dict[float, bool]) -> list[Interval]:
    """(start, direction, length, whether its ends are kinks, whether it has none) between places."""
    if not kinks:
        return [(0.0, 1.0, np.inf, (False, False), True)]
    places = list(kinks)
    found: list[Interval] = [
        (places[0], -1.0, np.inf, (kinks[places[0]], False), False),
        (places[-1], 1.0, np.inf, (kinks[places[-1]], False), False),
    ]
    for low, high in itertools.pairwise(places):
        count = int(np.ceil((high - low) / _LONGEST))
        for j in range(count):
            length = (high - low) / count
            found.append(
                (
                    low + j * length,
                    1.0,
                    length,
                    (j == 0 and kinks[low], j == count - 1 and kinks[high]),
                    False,
                )
            )
    return found


def _cones(directions: Array) -> tuple[Cell, ...]:
    """Simplicial cones between planes through 0; planes are added where they leave a line in common."""
    given = len(directions)
    null = np.linalg.svd(directions)[2][np.linalg.matrix_rank(directions) :]
    normals = np.concatenate([directions, null])
    points = np.random.default_rng(0).standard_normal((_DIRECTIONS, 3))
    sides = np.unique(np.sign(points @ normals.T), axis=0)
    rays = [np.cross(a, b) for a, b in itertools.combinations(normals, 2)]
    unit = np.array([x * r / np.linalg.norm(r) for r in rays for x in (1, -1)])
    cells = []
    for side in sides:
        inside = unit[np.all(unit @ (normals * side[:, None]).T > -_INSIDE, axis=1)]
        corners = _in_order(inside)
        for j in range(1, len(corners) - 1):
            cells.append(_cone(np.array([corners[0], corners[j], corners[j + 1]]), normals[:given]))
    return tuple(cells)


def _in_order(rays: Array) -> Array:
    """Distinct rays of a cone, by their angle around its middle."""
    distinct: list[Array] = []
    for r in rays:
        if not any(np.abs(r - x).max() < _INSIDE for x in distinct):
            distinct.append(r)
    found = np.array(distinct)
    middle = found.mean(0)
    across = np.linalg.svd(middle[None])[2][1:]
    x, y = (found / (found @ middle)[:, None] @ across.T).T
    return np.asarray(found[np.argsort(np.arctan2(y, x))])


def _cone(rays: Array, planes: Array) -> Cell:
    inward = np.linalg.inv(rays.T)
    inward = inward / np.linalg.norm(inward, axis=1, keepdims=True)
    kinks = [[any(_parallel(n, p) for p in planes), False] for n in inward]
    return Cell(
        corner=np.zeros(3),
        edges=np.linalg.inv(inward),
        lengths=np.full(3, np.inf),
        whole=np.zeros(3, dtype=bool),
        kinks=np.array(kinks),
    )
