"""Cells of rank 2 (polygons, with thresholds) and rank 3 (spherical polygons, centred).

In rank 2, with h_i the signed distance of the edge of form i from the origin (positive inside), t1 < t2 its
ends along the edge, and H = |h_i|,

    P = P(recession cone) + sum_i sgn(h_i) [F(H, t2/H) - F(H, t1/H)],   F(H, x) = atan(x)/(2 pi) - T(H, x).

In rank 3 the area of the spherical polygon is the sum of its angles minus (n - 2) pi.

Source: docs/theory.md, "Catalogue", B10, T4 (polygons: D. B. Owen 1956).
"""

from __future__ import annotations

import itertools

import sympy
from sympy import Expr, Rational, S, asin, atan, oo, pi

from hermite_analytics.gaussian.gaussian_cell import Orthant
from hermite_analytics.gaussian.law import canonical
from hermite_analytics.gaussian.reals import NoClosedForm, root, sign_of
from hermite_analytics.language.functions import OwenT, Phi

__all__ = ["planar_probability", "reduced_triple", "spherical_probability"]

EMPTY = "empty"


def reduced_triple(cell: Orthant, i: int, j: int, k: int) -> int | str | None:
    """Which of three forms of rank 2 follows from the two others; "empty" if they exclude each other.

    None if the three are independent, or none follows (a bounded or truncated cell).
    """
    c = cell.covariance
    determinant = canonical(c[i][i] * c[j][j] - c[i][j] ** 2)
    a = canonical((c[k][i] * c[j][j] - c[k][j] * c[i][j]) / determinant)
    b = canonical((c[k][j] * c[i][i] - c[k][i] * c[i][j]) / determinant)
    if canonical(c[k][k] - a * c[k][i] - b * c[k][j]) != 0:
        return None
    d = canonical(cell.mean[k] - a * cell.mean[i] - b * cell.mean[j])  # form k = a form i + b form j + d
    of_i, of_j, of_gap = _known_sign(a), _known_sign(b), _known_sign(d)
    if min(of_i, of_j, of_gap) >= 0:
        return k
    if max(of_i, of_j, of_gap) <= 0:
        return EMPTY
    if of_gap <= 0 and (of_i, of_j) == (1, -1):
        return i
    if of_gap <= 0 and (of_i, of_j) == (-1, 1):
        return j
    return None


def _known_sign(x: Expr) -> int:
    side = sign_of(x)
    if side is None:
        raise NoClosedForm("steps whose order is not known")
    return side


def planar_probability(cell: Orthant, *, at_infinity: Expr) -> Expr:
    """B10 (Owen 1956): P of a cell of rank 2 with thresholds, from that of its recession cone.

    The order of any two ends of an edge must be decidable.
    """
    total = at_infinity
    c = cell.covariance
    area = root(canonical(c[0][0] * c[1][1] - c[0][1] ** 2))
    for i in range(cell.size):
        ends = _edge(cell, i)
        side = _known_sign(cell.mean[i])
        if ends is None or side == 0:
            continue
        distance = abs(cell.mean[i]) / root(c[i][i])
        low, high = (x if x.is_infinite else x * c[i][i] * area / abs(cell.mean[i]) for x in ends)
        total += side * (_edge_mass(distance, high) - _edge_mass(distance, low))
    return total


def _edge(cell: Orthant, i: int) -> tuple[Expr, Expr] | None:
    """Ends of the edge on form i = 0, in units of standard deviation of form i times the root of the area."""
    c = cell.covariance
    low, high = -oo, oo
    for k in range(cell.size):
        if k == i:
            continue
        # form k on the line of form i: height + slope t, slope over the common positive factor
        slope = canonical(c[k][0] * c[i][1] - c[i][0] * c[k][1])
        height = canonical(cell.mean[k] - cell.mean[i] * c[i][k] / c[i][i])
        direction = _known_sign(slope)
        if direction == 0:
            if sign_of(height) != 1:
                return None
            continue
        end = canonical(-height / slope)
        if direction > 0:
            low = end if low is -oo or _less(low, end) else low
        else:
            high = end if high is oo or _less(end, high) else high
    if low is not -oo and high is not oo and not _less(low, high):
        return None
    return low, high


def _less(a: Expr, b: Expr) -> bool:
    return _known_sign(canonical(b - a)) > 0


def _edge_mass(distance: Expr, x: Expr) -> Expr:
    if x is oo:
        return Rational(1, 4) - Phi(-distance) / 2
    if x is -oo:
        return Phi(-distance) / 2 - Rational(1, 4)
    return atan(x) / (2 * pi) - OwenT(distance, x)


def spherical_probability(cell: Orthant) -> Expr:
    """T4 (Girard): P of a centred cell of rank 3 in which no three forms are dependent."""
    c = cell.covariance
    angles = [
        pi / 2 + asin(c[i][j] / root(canonical(c[i][i] * c[j][j])))
        for i, j in itertools.combinations(range(cell.size), 2)
        if _is_vertex(cell, i, j)
    ]
    if not angles:
        return S.Zero
    return (sympy.Add(*angles) - (len(angles) - 2) * pi) / (4 * pi)


def _is_vertex(cell: Orthant, i: int, j: int) -> bool:
    """Whether all other forms have one sign along the ray on which forms i and j vanish."""
    c = cell.covariance
    determinant = canonical(c[i][i] * c[j][j] - c[i][j] ** 2)

    def conditional(k: int, m: int) -> Expr:
        """Cov(form k, form m | forms i and j), times the determinant."""
        correction = (
            c[k][i] * (c[j][j] * c[m][i] - c[i][j] * c[m][j])
            + c[k][j] * (c[i][i] * c[m][j] - c[i][j] * c[m][i])
        )  # fmt: skip
        return canonical(c[k][m] * determinant - correction)

    others = [k for k in range(cell.size) if k not in (i, j)]
    first = others[0]
    sides = {sign_of(conditional(k, first)) for k in others}
    if None in sides or 0 in sides:
        raise NoClosedForm("a spherical cell with an undecided vertex")
    return sides == {1}
