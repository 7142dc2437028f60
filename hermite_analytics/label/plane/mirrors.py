"""Labels of two coordinates that are the same in some mirrors: a sector of the plane is enough.

Two neighbouring mirrors through 0 at an angle of pi/k generate a group of 2k rotations and reflections; the
sector between them meets each orbit once. A single mirror leaves a half-plane.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["Sector", "sector_of"]

Array = NDArray[np.float64]

_SAME = 1e-9  # of angles
_MOST_MIRRORS = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class Sector:
    """The directions from `start` to `start + angle`, one of `copies` that a group permutes.

    Parameters
    ----------
    start, angle : float
    copies : int
        1: the whole plane.
    """

    start: float = 0.0
    angle: float = 2 * math.pi
    copies: int = 1

    @property
    def sides(self) -> list[tuple[float, float, float]]:
        """The lines (a, b, 0) of its sides, a w1 + b w2 >= 0 inside."""
        if self.copies == 1:
            return []
        end = self.start + self.angle
        found = [(-math.sin(self.start), math.cos(self.start), 0.0), (math.sin(end), -math.cos(end), 0.0)]
        return found if self.copies > 2 else found[:1]

    def contains(self, points: Array) -> NDArray[np.bool_]:
        """Which of the points (n, 2) are inside."""
        normals = np.array([side[:2] for side in self.sides]).reshape(-1, 2)
        return np.asarray((points @ normals.T >= 0).all(1))

    def whole(self, moments: Array) -> Array:
        """(..., 6) integrals of 1, w1, w2, w1^2 - 1, w1 w2, w2^2 - 1 over all copies, from those over it."""
        if self.copies == 1:
            return moments
        return np.asarray(moments @ np.sum([_on_channels(r) for r in self._group()], axis=0).T)

    def _group(self) -> list[Array]:
        double = 2 * self.start
        mirror = np.array([[math.cos(double), math.sin(double)], [math.sin(double), -math.cos(double)]])
        found = []
        for k in range(self.copies // 2):
            c, s = math.cos(2 * k * self.angle), math.sin(2 * k * self.angle)
            turn = np.array([[c, -s], [s, c]])
            found += [turn, turn @ mirror]
        return found


def sector_of(normals: Sequence[tuple[float, float]]) -> Sector:
    """The sector between two neighbouring mirrors, given by vectors orthogonal to them.

    Examples
    --------
    >>> sector_of([(1, 0), (0, 1), (1, 1)]).copies, sector_of([(1, 2)]).copies, sector_of([]).copies
    (8, 2, 1)
    """
    lines = sorted((math.atan2(b, a) + math.pi / 2) % math.pi for a, b in normals)
    if not lines:
        return Sector()
    pairs = [(b - a, a) for a, b in itertools.pairwise([*lines, lines[0] + math.pi]) if b - a > _SAME]
    angle, start = min(pairs)
    k = round(math.pi / angle)
    if k > _MOST_MIRRORS or abs(k * angle - math.pi) > k * _SAME:
        return Sector(start=lines[0], angle=math.pi, copies=2)
    return Sector(start=start, angle=math.pi / k, copies=2 * k)


def _on_channels(r: Array) -> Array:
    """What w -> R w does to the moments of (1, w, w w^T - 1)."""
    found = np.zeros((6, 6))
    found[0, 0] = 1.0
    found[1:3, 1:3] = r
    pairs = ((0, 0), (0, 1), (1, 1))
    for column, (i, j) in enumerate(pairs):
        m = np.zeros((2, 2))
        m[i, j] = m[j, i] = 1.0
        turned = r @ m @ r.T
        found[3:, 3 + column] = [turned[a, b] for a, b in pairs]
    return found
