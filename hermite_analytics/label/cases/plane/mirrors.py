"""Labels of two coordinates that are the same in some mirrors: a sector of the plane is enough.

Mirrors are reflections that leave the label as it is, proved term by term; so are the turn by pi, which makes
half of the plane enough, and maps that change the label's sign, which make positive labels enough.

Two neighbouring mirrors through 0 at an angle of pi/k generate a group of 2k rotations and reflections; the
sector between them meets each orbit once. A single mirror leaves a half-plane.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import sympy
from sympy import Expr, Symbol

from hermite_analytics.foundation.clock import check_time
from hermite_analytics.foundation.numpy_arrays import Array, Bools
from hermite_analytics.gaussian.distribution import expanded
from hermite_analytics.gaussian.enclosure.forms import affine_slopes, with_plain_forms
from hermite_analytics.label.symmetries import LabelSymmetry

__all__ = ["PLANE", "Sector", "mirrors", "sector_of", "sector_of_label"]

_SAME = 1e-9  # of angles
_EXACT = 1e-12  # of lengths that make a candidate; the proof is exact
_MOST_FORMS = 8
_MOST_MIRRORS = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class Sector:
    """The directions from `start` to `start + angle`, one of `copies` that a group permutes.

    Parameters
    ----------
    start, angle : float
    copies : int
        1: the whole plane.
    turned : bool
        The two copies of a half-plane are not mirror images: one is the other one turned by pi.
    """

    start: float = 0.0
    angle: float = 2 * math.pi
    copies: int = 1
    turned: bool = False

    @property
    def folds(self) -> list[tuple[float, float, float]]:
        """Those sides that are mirrors: critical points of the label along them are some of the plane."""
        return [] if self.turned else self.sides

    @property
    def sides(self) -> list[tuple[float, float, float]]:
        """The lines (a, b, 0) of its sides, a w1 + b w2 >= 0 inside."""
        if self.copies == 1:
            return []
        end = self.start + self.angle
        found = [(-math.sin(self.start), math.cos(self.start), 0.0), (math.sin(end), -math.cos(end), 0.0)]
        return found if self.copies > 2 else found[:1]

    def contains(self, points: Array) -> Bools:
        """Which of the points (n, 2) are inside."""
        normals = np.array([side[:2] for side in self.sides]).reshape(-1, 2)
        return np.asarray((points @ normals.T >= 0).all(1))

    def group(self) -> list[Array]:
        """The rotations and reflections that take it to its copies, itself first; shape (2, 2) each."""
        if self.copies == 1:
            return [np.eye(2)]
        if self.turned:
            return [np.eye(2), -np.eye(2)]
        double = 2 * self.start
        mirror = np.array([[math.cos(double), math.sin(double)], [math.sin(double), -math.cos(double)]])
        found = []
        for k in range(self.copies // 2):
            c, s = math.cos(2 * k * self.angle), math.sin(2 * k * self.angle)
            turn = np.array([[c, -s], [s, c]])
            found += [turn, turn @ mirror]
        return found


PLANE = Sector()


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


def sector_of_label(
    signal: Expr, unknown: tuple[Symbol, Symbol], symmetries: Sequence[LabelSymmetry]
) -> Sector:
    """Between its mirrors; half of the plane for a label without any that is the same at w and -w.

    Examples
    --------
    >>> from hermite_analytics.label.symmetries import label_symmetries
    >>> a, b = sympy.symbols("a b", real=True)
    >>> signal = sympy.sin(2 * a) * sympy.sin(b)
    >>> half = sector_of_label(signal, (a, b), label_symmetries(signal, (a, b)))
    >>> half.copies, half.turned
    (2, True)
    """
    found = sector_of(mirrors(signal, unknown))
    if found.copies > 1 or not any(s.sign > 0 and np.array_equal(s.matrix, -np.eye(2)) for s in symmetries):
        return found
    return Sector(start=0.0, angle=math.pi, copies=2, turned=True)


def mirrors(
    signal: Expr, unknown: tuple[Symbol, ...], known: tuple[Symbol, ...] = ()
) -> list[tuple[float, float]]:
    """Vectors orthogonal to the lines in which the label is its own mirror image, whatever is known.

    Candidates are the mirrors that exchange two of the linear forms that it is made of, or turn one around;
    a mirror that is not recognised costs time only.

    Examples
    --------
    >>> a, b, x = sympy.symbols("a b x", real=True)
    >>> mirrors(sympy.tanh(a + x) + sympy.tanh(b + x), (a, b), (x,))
    [(1.0, -1.0)]
    """
    if len(unknown) != 2:
        return []
    names = (*unknown, *known)
    plain = with_plain_forms(signal, names)
    forms = list(dict.fromkeys(s for s in affine_slopes(signal, unknown) if any(x != 0 for x in s)))
    if len(forms) > _MOST_FORMS:
        return []
    candidates = [c for a in forms for c in (a, (-a[1], a[0]))]
    for a, b in itertools.combinations(forms, 2):
        if abs(_length(a) - _length(b)) <= _EXACT * _length(a):
            candidates += [(a[0] - b[0], a[1] - b[1]), (a[0] + b[0], a[1] + b[1])]
    found: list[tuple[float, float]] = []
    for a, b in candidates:
        check_time()
        normal = (float(a), float(b))
        known_already = any(abs(normal[0] * n[1] - normal[1] * n[0]) <= _EXACT for n in found)
        if (a != 0 or b != 0) and not known_already and _is_mirror(plain, unknown, names, (a, b)):
            found.append(normal)
    return found


def _length(form: tuple[Expr, ...]) -> float:
    return float(sum(float(x) ** 2 for x in form))


def _is_mirror(
    plain: Expr, unknown: tuple[Symbol, ...], names: tuple[Symbol, ...], normal: tuple[Expr, Expr]
) -> bool:
    size = sympy.expand(normal[0] ** 2 + normal[1] ** 2)
    along = (normal[0] * unknown[0] + normal[1] * unknown[1]) * sympy.radsimp(2 / size)
    images = {w: sympy.expand(w - n * along) for w, n in zip(unknown, normal, strict=True)}
    mirrored = with_plain_forms(plain.xreplace(images), names)
    return bool(mirrored == plain or expanded(mirrored - plain) == 0)
