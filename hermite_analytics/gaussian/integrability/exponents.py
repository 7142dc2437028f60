"""Whether exp(e(z)) is integrable over a cell, for a polynomial e.

For e of degree 2, e = -z.M z/2 + a.z, on the recession cone K of the cell:

    v.M v > 0 on K                                   finite, with room for factors exp(C|z|^p), p < 2
    v.M v < 0 for some v in K                        infinite
    v.M v >= 0, zero on v_1, ..., v_k (and sums)     finite if (a - M b).v_i < 0 for all points b of the cell
                                                 infinite if it is > 0 somewhere, or 0 everywhere

Source: docs/theory.md, "Integrability".
"""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

import sympy
from sympy import Expr, S

from hermite_analytics.gaussian.integrability.copositivity import positivity
from hermite_analytics.gaussian.integrability.geometry import (
    Form,
    Number,
    Polyhedron,
    Undecided,
    Vector,
    as_expr,
    dot,
    exact,
    interior_point,
    sign,
)
from hermite_analytics.gaussian.integrability.steps import charge
from hermite_analytics.gaussian.integrability.terms import Poly, poly_product, poly_sum

__all__ = ["Verdict", "is_bounded_above", "judge", "quadratic_parts", "rates", "total_degree"]


BOWL = sympy.Integer(10**6)


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """Integral of exp(e) over a cell.

    Attributes
    ----------
    finite : bool or None
    strict : bool
        Finite with room for factors exp(C|z|^p), p < 2.
    direction : vector or None
        Infinite along this direction (along w or -w for some w where it is None),
    base : vector or None
        from this point on (any point of the cell where it is None),
    flat : bool
        where the exponent does not change at all.
    edge : bool
        Infinite if nothing else stands in the integrand: along some rays the exponent falls at a rate that
        vanishes on a facet of the cell only (as in exp(-x y), x, y > 0).
    """

    finite: bool | None
    strict: bool = False
    direction: Vector | None = None
    base: Vector | None = None
    flat: bool = False
    edge: bool = False


def total_degree(poly: Poly) -> int:
    """Degree; 0 of the zero polynomial."""
    return max((sum(m) for m in poly), default=0)


def quadratic_parts(poly: Poly, n: int) -> tuple[list[list[Number]], Vector, Number]:
    """(M, a, c) with poly = -z.M z/2 + a.z + c."""
    matrix: list[list[Number]] = [[Fraction(0)] * n for _ in range(n)]
    linear: list[Number] = [Fraction(0)] * n
    constant: Number = Fraction(0)
    for monomial, coefficient in poly.items():
        c = exact(coefficient)
        places = [i for i, k in enumerate(monomial) for _ in range(k)]
        if not places:
            constant = c
        elif len(places) == 1:
            linear[places[0]] = c
        elif places[0] == places[1]:
            matrix[places[0]][places[0]] = -2 * c
        else:
            i, j = places
            matrix[i][j] = matrix[j][i] = -c
    return matrix, tuple(linear), constant


def judge(exponent: Poly, cell: Polyhedron) -> Verdict:
    """Decide the integral of exp(exponent) over the cell.

    Raises
    ------
    Undecided
        If a sign depends on a parameter, or no rule covers the exponent.
    """
    if total_degree(exponent) > 2:
        return _known_to_exist(_judge_high_degree(exponent, cell), cell)
    return _known_to_exist(_judge_quadratic(exponent, cell), cell)


def _known_to_exist(verdict: Verdict, cell: Polyhedron) -> Verdict:
    """An infinite integral needs a cell that is not empty."""
    if verdict.finite is False and cell.point is None and cell.direction is None:
        return Verdict(finite=None)
    return verdict


def _judge_quadratic(exponent: Poly, cell: Polyhedron) -> Verdict:
    n = cell.dimension
    matrix, linear, _ = quadratic_parts(exponent, n)
    if _is_definite(matrix):  # then the cell does not matter
        return Verdict(finite=True, strict=True)
    rays, lines = cell.directions()
    found = positivity(matrix, rays, lines)
    if found.sign > 0:
        return Verdict(finite=True, strict=True)
    if found.sign < 0:
        return Verdict(finite=False, direction=found.directions[0])
    if found.line:
        return _on_a_null_line(matrix, linear, found.directions[0], cell)
    return _on_null_rays(matrix, linear, found.directions, cell)


def _is_definite(matrix: Sequence[Sequence[Number]]) -> bool:
    """Whether v.M v > 0 on the whole space, for rational M."""
    charge(len(matrix) ** 2)
    rational = all(isinstance(x, Fraction) for row in matrix for x in row)
    return rational and _has_positive_pivots(tuple(tuple(row) for row in matrix))


@functools.lru_cache(maxsize=256)
def _has_positive_pivots(matrix: tuple[tuple[Fraction, ...], ...]) -> bool:
    rows = [list(row) for row in matrix]
    while rows:
        pivot = rows.pop(0)
        if pivot[0] <= 0:
            return False
        rows = [[x - r[0] / pivot[0] * y for x, y in zip(r[1:], pivot[1:], strict=True)] for r in rows]
    return True


def _slope_along(matrix: Sequence[Sequence[Number]], linear: Vector, v: Vector) -> Form:
    """b -> (a - M b).v, the rate of the exponent along b + t v where v.M v = 0."""
    return Form(tuple(-dot(row, v) for row in matrix), dot(linear, v))


def _on_a_null_line(matrix: list[list[Number]], linear: Vector, w: Vector, cell: Polyhedron) -> Verdict:
    rate = _slope_along(matrix, linear, w)
    rays, lines = cell.directions()
    for u in (*lines, *rays):
        mixed = -dot(rate.slope, u)
        if sign(mixed) != 0:  # M is indefinite on the plane of u and w
            own = dot(u, [dot(row, u) for row in matrix])
            s = -(own + 1) / (2 * mixed)
            return Verdict(finite=False, direction=tuple(x + s * y for x, y in zip(u, w, strict=True)))
    if not any(sign(x) for x in rate.slope):
        try:
            s = sign(rate.offset)
        except Undecided:  # the exponent grows in one of the two directions, or stays the same
            return Verdict(finite=False)
        return Verdict(finite=False, direction=tuple(s * x for x in w) if s else w, flat=s == 0)
    for s, side in ((1, rate), (-1, -rate)):
        base = interior_point((*cell.forms, side), cell.dimension)
        if base is not None:
            return Verdict(finite=False, direction=tuple(s * x for x in w), base=base)
    return Verdict(finite=None)


def _on_null_rays(
    matrix: list[list[Number]], linear: Vector, directions: Sequence[Vector], cell: Polyhedron
) -> Verdict:
    edge = False
    for v in directions:
        rate = _slope_along(matrix, linear, v)
        if not any(sign(x) for x in rate.slope):
            s = sign(rate.offset)
            if s >= 0:
                return Verdict(finite=False, direction=v, flat=s == 0)
            continue
        base = interior_point((*cell.forms, rate), cell.dimension)
        if base is not None:
            return Verdict(finite=False, direction=v, base=base)
        if any(sign(dot(rate.slope, x) + rate.offset) >= 0 for x in cell.vertices()):
            edge = True
            if cell.touches(rate):
                return Verdict(finite=None, edge=True)
    return Verdict(finite=None if edge else True)


def _judge_high_degree(exponent: Poly, cell: Polyhedron) -> Verdict:
    """By the sign of the leading form, tried on directions of the cone; falling parts are dropped."""
    falls_on_all = True
    for v in _candidates(cell):
        found = _judge_direction(exponent, v, cell)
        if found.finite is False:
            return found
        falls_on_all &= found.finite is True
    rays, lines = cell.directions()
    if not (rays or lines) or (cell.dimension == 1 and falls_on_all):
        return Verdict(finite=True, strict=True)
    rest = {m: c for m, c in exponent.items() if sum(m) <= 2 or not _falls(m, c)}
    if len(rest) < len(exponent):
        bound = judge(_with_bowls(rest, exponent), cell)
        if bound.finite:
            return bound
    raise Undecided("the exponential of a polynomial whose leading part does not decide")


def _judge_direction(exponent: Poly, v: Vector, cell: Polyhedron) -> Verdict:
    """Of the integral along rays in one direction alone: finite where the leading form falls."""
    moved = [i for i, x in enumerate(v) if x != 0]
    if len(moved) == 1 and not any(m[moved[0]] for m in exponent):
        return Verdict(finite=False, direction=v, flat=True)
    degree = total_degree(exponent)
    leading = sign(exact(_value({m: c for m, c in exponent.items() if sum(m) == degree}, v)))
    if leading > 0:
        return Verdict(finite=False, direction=v)
    if leading < 0:
        return Verdict(finite=True)
    for start in _starts(cell):
        found = Verdict(finite=False, direction=v, base=start)
        if leading_sign(rates(exponent, found, cell)) > 0:
            return found
    return Verdict(finite=None)


def _with_bowls(rest: Poly, exponent: Poly) -> Poly:
    """What is left, and -N z_i^2 for each -z_i^d with d > 2 that was dropped: -z^d < C - N z^2 for any N."""
    bowls: list[Poly] = []
    for m in exponent:
        if m not in rest and sum(1 for k in m if k) == 1:
            bowls.append({tuple(2 * int(k > 0) for k in m): -BOWL})
    return poly_sum([rest, *bowls])


def _falls(monomial: tuple[int, ...], coefficient: Expr) -> bool:
    return all(k % 2 == 0 for k in monomial) and any(monomial) and sign(exact(coefficient)) <= 0


def _starts(cell: Polyhedron) -> Iterator[Vector | None]:
    """Points of the cell, from which to look along a direction."""
    yield cell.point
    if cell.point is not None:
        for w in cell.ways():
            yield tuple(x + y for x, y in zip(cell.point, w, strict=True))


def _candidates(cell: Polyhedron) -> Iterator[Vector]:
    """Directions of the recession cone: rays, lines both ways, and some sums of them."""
    basis = cell.ways()
    yield from basis
    for i, v in enumerate(basis):
        for w in basis[:i]:
            for k in (1, 3):
                for x, y in ((1, k), (k, 1)):
                    yield tuple(x * p + y * q for p, q in zip(v, w, strict=True))
    if len(basis) > 2:
        yield tuple(sum(x, Fraction(0)) for x in zip(*basis[: cell.dimension], strict=True))


def _value(poly: Poly, v: Vector) -> Expr:
    point = [as_expr(x) for x in v]
    return sympy.Add(
        *(c * sympy.Mul(*(x**k for x, k in zip(point, m, strict=True) if k)) for m, c in poly.items())
    )


def is_bounded_above(poly: Poly, cell: Polyhedron) -> bool:
    """Whether the polynomial is shown to have an upper bound on the cell."""
    rest = {m: c for m, c in poly.items() if any(m)}
    try:
        if all(_falls(m, c) for m, c in rest.items()):
            return True
        if total_degree(rest) > 2:
            return False
        matrix, linear, _ = quadratic_parts(rest, cell.dimension)
        rays, lines = cell.directions()
        if total_degree(rest) == 1:
            return all(sign(dot(linear, r)) <= 0 for r in rays) and not any(
                sign(dot(linear, v)) for v in lines
            )
        if positivity(matrix, rays, lines).sign > 0:
            return True
        return _is_concave(matrix, linear)
    except Undecided:
        return False


def _is_concave(matrix: list[list[Number]], linear: Vector) -> bool:
    """M >= 0 on the whole space with a orthogonal to its kernel."""
    n = len(linear)
    kept: list[tuple[Vector, Vector, Number]] = []
    for i in range(n):
        w: Vector = tuple(Fraction(int(i == j)) for j in range(n))
        for other, image, value in kept:
            factor = dot(image, w) / value
            w = tuple(x - factor * y for x, y in zip(w, other, strict=True))
        image = tuple(dot(row, w) for row in matrix)
        value = dot(w, image)
        s = sign(value)
        if s < 0 or (s == 0 and (any(sign(x) for x in image) or sign(dot(linear, w)))):
            return False
        if s > 0:
            kept.append((w, image, value))
    return True


def rates(poly: Poly, verdict: Verdict, cell: Polyhedron) -> Poly:
    """The polynomial along b + t v as one in (t, s), without what is constant in t.

    b is the base of the verdict, a point of the cell, or s times a direction inside its cone.
    """
    n = cell.dimension
    v = verdict.direction or (Fraction(0),) * n
    base, inner = verdict.base or cell.point, (Fraction(0),) * n
    if base is None:
        base, inner = (Fraction(0),) * n, cell.direction or inner
    lines: list[Poly] = [
        {m: as_expr(x) for m, x in (((0, 0), b), ((1, 0), w), ((0, 1), d)) if x != 0}
        for b, w, d in zip(base, v, inner, strict=True)
    ]
    parts: list[Poly] = []
    for monomial, coefficient in poly.items():
        part: Poly = {(0, 0): coefficient}
        for line, k in zip(lines, monomial, strict=True):
            for _ in range(k):
                part = poly_product(part, line)
        parts.append(part)
    return {m: c for m, c in poly_sum(parts).items() if m[0]}


def leading_sign(rate: Poly) -> int:
    """Sign of the leading coefficient, t before s; 0 of the zero polynomial."""
    return sign(exact(rate[max(rate)])) if rate else 0


def difference(a: Poly, b: Poly) -> Poly:
    """a - b."""
    return poly_sum([a, {m: S.NegativeOne * c for m, c in b.items()}])
