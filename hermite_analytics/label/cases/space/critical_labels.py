"""Where the law of y = g(w1, w2, w3) may not be smooth: critical points of g and of its restrictions."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from hermite_analytics.foundation.numpy_arrays import Array, Bools
from hermite_analytics.label.cases.space.columns import Region
from hermite_analytics.label.cases.space.wedges import Plane

__all__ = ["CriticalPoints", "critical_points"]

Piece = Callable[[Array], tuple[Array, Array]]

_FAR = 5.5  # |w| beyond which a critical point has no influence: density e^-15
_INFINITE = (30.0, 31.7)  # distances at which a label that tends to a limit has reached it
_NODES = 18  # of starts along an axis
_STEPS = 40
_DIFFERENCE = 1e-5
_LONGEST = 0.4  # of a step
_SMALL = 1e-8
_ROUNDING = 1e-12
_BESIDE = 1e-6
_FLAT = 1e-290  # second derivatives that are none
_DEGENERATE = 1e-4  # of the largest second derivative
_MOST = 100  # starts of one search
_SAME = 1e-6


@dataclass(frozen=True, slots=True, kw_only=True)
class CriticalPoints:
    """Critical points in one cell.

    Attributes
    ----------
    labels : ndarray
        The values there, not merged.
    lines : tuple of (a, b, c, d)
        Planes a w1 + b w2 + c w3 = d parallel to faces that hold lines of critical points along an edge.
    planes : tuple of (a, b, c, d)
        Those through any critical point.
    inside : bool
        Whether there are any but those of faces and edges on which the label is constant.
    """

    labels: Array
    lines: tuple[Plane, ...]
    planes: tuple[Plane, ...]
    inside: bool


def critical_points(cell: Region, piece: Piece) -> CriticalPoints:
    """Critical points in a cell, in the faces, edges and corners of kinks, and infinitely far along edges.

    A Newton iteration from the nodes of a grid at which the gradient is least.

    Examples
    --------
    >>> from hermite_analytics.label.cases.space.wedges import cells_between
    >>> cell = cells_between([])[-1]
    >>> ball = lambda w: (((w - 1) ** 2).sum(-1), 2 * (w - 1))
    >>> found = critical_points(cell, ball)
    >>> bool(np.abs(found.labels).max() < 1e-12), found.lines, len(found.planes)
    (True, (), 3)
    """
    labels = []
    holding: list[Plane] = []
    planes: list[Plane] = []
    inside = False
    for fixed in _faces(cell):
        y, points, lines = _values(cell, piece, fixed)
        labels.append(y)
        of_label = all(abs(u) == _INFINITE[0] for u in fixed.values())
        inside = inside or (len(points) > 0 and (of_label or not lines.all()))
        if not fixed:
            along = [lines[:, [j for j in range(3) if j != k]].any(axis=1) & ~lines[:, k] for k in range(3)]
            holding = _planes(cell, points, along)
            planes = _planes(cell, points, [~lines[:, k] for k in range(3)])
    return CriticalPoints(
        labels=np.concatenate(labels), lines=tuple(holding), planes=tuple(planes), inside=inside
    )


def _faces(cell: Region) -> Iterator[dict[int, float]]:
    """The coordinates u that are fixed: none, or combinations of those of faces that are kinks or far."""
    choices = []
    for k in range(3):
        ends = [0.0, float(cell.lengths[k])]
        real = [e for e, kink in zip(ends, cell.kinks[k], strict=True) if kink]
        far = [_INFINITE[0]] if np.isinf(cell.lengths[k]) else []
        choices.append([None, *real, *far, *([-_INFINITE[0]] if cell.whole[k] else [])])
    for chosen in itertools.product(*choices):
        yield {k: float(e) for k, e in enumerate(chosen) if e is not None}


def _values(cell: Region, piece: Piece, fixed: dict[int, float]) -> tuple[Array, Array, Bools]:
    """(labels, points u, whether they are on a line of such points along each edge)."""
    from scipy.ndimage import minimum_filter  # slow to load

    free = [k for k in range(3) if k not in fixed]
    axes = [np.array([fixed[k]]) if k in fixed else _starts(cell, k) for k in range(3)]
    u = np.stack(np.meshgrid(*axes, indexing="ij"), -1)
    size = np.linalg.norm(_slopes(cell, piece, u)[..., free], axis=-1)
    size = np.where(np.isfinite(size), size, np.inf)
    typical = float(np.median(size)) if free else 1.0
    if free:
        least = (size == minimum_filter(size, size=3, mode="nearest")) & np.isfinite(size)
        u = u[least][np.argsort(size[least], kind="stable")[:_MOST]]
        u = _settled(cell, piece, u, free)
    u = u.reshape(-1, 3)
    keep = _is_critical(cell, piece, u, fixed, _SMALL * typical)
    u = u[keep]
    second = np.abs(_hessian(cell, piece, u, free)).max(axis=1, initial=0.0) if len(u) else np.zeros((0, 3))
    lines = second <= _DEGENERATE * second.max(axis=1, keepdims=True, initial=1e-300)
    y = piece(cell.places(u))[0]
    return np.asarray(y[np.isfinite(y)]), u, lines


def _starts(cell: Region, k: int) -> Array:
    length = cell.lengths[k]
    x = (np.arange(_NODES) + 0.5) / _NODES
    if cell.whole[k]:
        return np.asarray(np.concatenate([-_FAR * x[::-1] ** 1.5, _FAR * x**1.5]))
    return np.asarray(_FAR * x**1.5 if np.isinf(length) else length * x)


def _slopes(cell: Region, piece: Piece, u: Array) -> Array:
    """The derivatives along the edges."""
    return np.asarray(cell.slopes(u, piece(cell.places(u))[1]))


def _hessian(cell: Region, piece: Piece, u: Array, free: list[int]) -> Array:
    if not free:
        return np.zeros((len(u), 0, 0))
    units = _DIFFERENCE * np.eye(3)[free][:, None]
    ahead, behind = _slopes(cell, piece, np.stack([u + units, u - units]))
    return np.asarray(np.moveaxis((ahead - behind)[..., free] / (2 * _DIFFERENCE), 0, -1))


def _settled(cell: Region, piece: Piece, u: Array, free: list[int]) -> Array:
    """Where Newton's method comes to rest."""
    for _ in range(_STEPS):
        here = _slopes(cell, piece, u)[:, free]
        hessian = _hessian(cell, piece, u, free)
        good = np.isfinite(hessian).all((1, 2)) & np.isfinite(here).all(1)
        u, here, hessian = u[good].copy(), here[good], hessian[good]
        if not len(u):
            break
        hessian[np.abs(hessian).max((1, 2)) < _FLAT] = 0.0  # no step, where its inverse would overflow
        step = np.einsum("nij,nj->ni", np.linalg.pinv(hessian, rcond=1e-7), here)
        least = np.where(cell.whole[free], -np.inf, -_LONGEST)
        u[:, free] = np.maximum(u[:, free] - np.clip(step, -_LONGEST, _LONGEST), least)
        if np.abs(step).max() < _ROUNDING:
            break
    return u


def _is_critical(cell: Region, piece: Piece, u: Array, fixed: dict[int, float], small: float) -> Bools:
    """At rest, inside the cell or on its faces, not too far; without slope where it is infinitely far."""
    free = [k for k in range(3) if k not in fixed]
    far = [k for k, place in fixed.items() if abs(place) == _INFINITE[0]]
    near = np.array([k not in far for k in range(3)])
    keep = np.all((cell.whole | (u >= -_BESIDE)) & (u <= cell.lengths + _BESIDE), axis=1)
    keep &= np.linalg.norm(cell.places(np.where(near, u, 0.0)), axis=1) < _FAR
    keep &= np.all(np.abs(_slopes(cell, piece, u)[:, [*free, *far]]) <= small, axis=1)
    if far:
        farther = u.copy()
        farther[:, far] *= _INFINITE[1] / _INFINITE[0]
        keep &= np.all(np.abs(_slopes(cell, piece, farther)[:, far]) <= small, axis=1)
    return np.asarray(keep)


def _planes(cell: Region, points: Array, chosen: list[Bools]) -> list[Plane]:
    """The planes u_k = const through the points chosen for each k."""
    found: list[Plane] = []
    for k in range(3):
        places = np.sort(points[chosen[k], k])
        found += cell.planes(k, places[np.diff(places, prepend=-np.inf) > _SAME])
    return found
