"""Polyhedral cells {l_i > 0} of affine forms: whether they are empty, and their directions to infinity.

All numbers are exact: fractions, or algebraic numbers whose signs are proved.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TypeAlias

from sympy import Expr, Rational

from hermite_analytics.gaussian.integrability.steps import charge
from hermite_analytics.gaussian.reals import sign_of

__all__ = ["Form", "Polyhedron", "Undecided", "dot", "exact", "interior_point", "null_space", "sign"]

MAX_FORMS = 120
MAX_RAYS = 6
_ALGEBRAIC = 200  # steps that the sign of a number that is not a fraction counts for

Number: TypeAlias = Fraction | Expr
"""A fraction, or the expression of a number that is irrational or carries parameters."""
Vector = tuple[Number, ...]


class Undecided(Exception):
    """No rule decides; the message says what is open."""


def exact(x: Expr) -> Number:
    """A fraction where the number is rational, else the expression."""
    return Fraction(int(x.p), int(x.q)) if x.is_Rational else x


def sign(x: Number) -> int:
    """-1, 0 or 1, proved.

    Raises
    ------
    Undecided
        If it depends on a parameter or is not told from zero.
    """
    if isinstance(x, Fraction | int):
        return (x > 0) - (x < 0)
    charge(_ALGEBRAIC)
    found = sign_of(x)
    if found is None:
        raise Undecided(f"the sign of {x} is not known")
    return found


def dot(a: Sequence[Number], b: Sequence[Number]) -> Number:
    """sum_i a_i b_i."""
    return sum((x * y for x, y in zip(a, b, strict=True)), Fraction(0))


@dataclass(frozen=True, slots=True)
class Form:
    """The affine form slope . z + offset."""

    slope: Vector
    offset: Number

    def __neg__(self) -> Form:
        return Form(tuple(-a for a in self.slope), -self.offset)


def null_space(rows: Sequence[Sequence[Number]], n: int) -> list[Vector]:
    """A basis of {v : rows v = 0}, by elimination."""
    reduced, pivots = _echelon(rows, n)
    basis = []
    for free in (j for j in range(n) if j not in pivots):
        vector = [Fraction(0)] * n
        vector[free] = Fraction(1)
        for row, pivot in zip(reduced, pivots, strict=True):
            vector[pivot] = -row[free]
        basis.append(tuple(vector))
    return basis


def _echelon(rows: Sequence[Sequence[Number]], n: int) -> tuple[list[list[Number]], list[int]]:
    charge(len(rows) * n * min(len(rows), n))
    left = [list(r) for r in rows]
    done: list[list[Number]] = []
    pivots: list[int] = []
    for column in range(n):
        k = next((i for i, r in enumerate(left) if sign(r[column]) != 0), None)
        if k is None:
            continue
        row = left.pop(k)
        row = [x / row[column] for x in row]
        left = [[x - r[column] * y for x, y in zip(r, row, strict=True)] for r in left]
        done = [[x - r[column] * y for x, y in zip(r, row, strict=True)] for r in done]
        done.append(row)
        pivots.append(column)
    return done, pivots


def interior_point(forms: Sequence[Form], n: int) -> Vector | None:
    """A point with all forms > 0, or None if there is none (Fourier-Motzkin elimination).

    Examples
    --------
    >>> one = Fraction(1)
    >>> interior_point([Form((one,), -one), Form((-one,), 2 * one)], 1)
    (Fraction(3, 2),)
    >>> interior_point([Form((one,), -one), Form((-one,), one)], 1) is None
    True
    """
    if n == 0:
        return () if all(sign(f.offset) > 0 for f in forms) else None
    if len(forms) > MAX_FORMS:
        raise Undecided("the kinks cut the space into too many cells")
    lower: list[Form] = []
    upper: list[Form] = []
    rest: list[Form] = []
    for form in forms:
        s = sign(form.slope[-1])
        shorter = Form(form.slope[:-1], form.offset)
        if s == 0:
            rest.append(shorter)
        else:  # the bound of the last variable, as a form of the others
            a = form.slope[-1]
            bound = Form(tuple(-x / a for x in shorter.slope), -shorter.offset / a)
            (lower if s > 0 else upper).append(bound)
    charge(n * (len(forms) + len(upper) * len(lower)))
    for high, low in itertools.product(upper, lower):
        slope = tuple(x - y for x, y in zip(high.slope, low.slope, strict=True))
        rest.append(Form(slope, high.offset - low.offset))
    point = interior_point(list(dict.fromkeys(rest)), n - 1)
    if point is None:
        return None
    lows = [dot(f.slope, point) + f.offset for f in lower]
    highs = [dot(f.slope, point) + f.offset for f in upper]
    return (*point, _between(lows, highs))


def _between(lows: list[Number], highs: list[Number]) -> Number:
    low = functools.reduce(lambda x, y: y if sign(y - x) > 0 else x, lows) if lows else None
    high = functools.reduce(lambda x, y: y if sign(y - x) < 0 else x, highs) if highs else None
    if low is None:
        return Fraction(0) if high is None else high - 1
    return low + 1 if high is None else (low + high) / 2


@dataclass(frozen=True, slots=True)
class Polyhedron:
    """The open polyhedron where all forms are positive.

    `point` lies in it, or `direction` inside its recession cone; both are None where it may be empty because
    offsets carry parameters.
    """

    forms: tuple[Form, ...]
    dimension: int
    point: Vector | None
    direction: Vector | None
    _rays: list[tuple[list[Vector], list[Vector]]] = field(default_factory=list, compare=False, repr=False)

    @classmethod
    def of(cls, forms: Sequence[Form], n: int) -> Polyhedron | None:
        """The cell, or None if it is empty."""
        kept = tuple(dict.fromkeys(forms))
        direction = interior_point([Form(f.slope, Fraction(0)) for f in kept], n)
        if all(isinstance(f.offset, Fraction) or f.offset.is_number for f in kept):
            point = interior_point(kept, n)
            return None if point is None else cls(kept, n, point, direction)
        return cls(kept, n, None, direction)

    def sign_of(self, form: Form) -> int | None:
        """The sign of a form on the cell, None if both signs occur or it is not known."""
        if form in self.forms or -form in self.forms:
            return 1 if form in self.forms else -1
        for s, opposite in ((1, -form), (-1, form)):
            try:
                if Polyhedron.of((*self.forms, opposite), self.dimension) is None:
                    return s
            except Undecided:
                return None
        return None

    def touches(self, form: Form) -> bool:
        """Whether form = 0 cuts the cell or is a facet of it."""
        j = next(i for i, a in enumerate(form.slope) if sign(a) != 0)
        remaining = []
        for other in self.forms:  # on form = 0, with the j-th variable left out
            factor = other.slope[j] / form.slope[j]
            differences = [x - factor * y for x, y in zip(other.slope, form.slope, strict=True)]
            slope = (*differences[:j], *differences[j + 1 :])
            offset = other.offset - factor * form.offset
            if any(sign(x) for x in slope) or sign(offset) != 0:
                remaining.append(Form(slope, offset))
        return interior_point(remaining, self.dimension - 1) is not None

    def stays_away_from(self, form: Form) -> bool:
        """Whether the closure of the cell has no point with form = 0, at infinity neither."""
        if self.point is None:
            return False
        s = sign(dot(form.slope, self.point) + form.offset)
        rays, lines = self.directions()
        return (
            all(sign(dot(form.slope, x) + form.offset) == s != 0 for x in self.vertices())
            and all(sign(dot(form.slope, r)) in (0, s) for r in rays)
            and not any(sign(dot(form.slope, v)) for v in lines)
        )

    def directions(self) -> tuple[list[Vector], list[Vector]]:
        """(extreme rays, basis of the lines) of the recession cone."""
        if not self._rays:
            self._rays.append(_directions(tuple(f.slope for f in self.forms), self.dimension))
        return self._rays[0]

    def ways(self) -> list[Vector]:
        """Extreme rays and lines of the recession cone, the lines both ways."""
        rays, lines = self.directions()
        return [*rays, *lines, *(tuple(-x for x in v) for v in lines)]

    def vertices(self) -> list[Vector]:
        """Vertices in the coordinates that the forms span (the origin if there are no forms)."""
        n = self.dimension
        rows = [f.slope for f in self.forms]
        pivots = _echelon(rows, n)[1]
        found: list[Vector] = []
        for chosen in itertools.combinations(self.forms, len(pivots)):
            augmented = [[*(f.slope[j] for j in pivots), -f.offset] for f in chosen]
            solved, used = _echelon(augmented, len(pivots) + 1)
            if used != list(range(len(pivots))):
                continue
            values = {p: row[-1] for p, row in zip(pivots, solved, strict=True)}
            x = tuple(values.get(j, Fraction(0)) for j in range(n))
            if all(sign(dot(f.slope, x) + f.offset) >= 0 for f in self.forms):
                found.append(x)
        return found


def _directions(rows: tuple[Vector, ...], n: int) -> tuple[list[Vector], list[Vector]]:
    pivots = _echelon(rows, n)[1]
    short = [tuple(r[j] for j in pivots) for r in rows]
    m = len(pivots)
    rays: list[Vector] = []
    for chosen in itertools.combinations(short, m - 1) if m else ():
        kernel = null_space(chosen, m)
        if len(kernel) != 1:
            continue
        for s in (1, -1):
            ray = tuple(s * x for x in kernel[0])
            if all(sign(dot(r, ray)) >= 0 for r in short) and not any(_parallel(ray, r) for r in rays):
                rays.append(ray)
    wide = [_placed(r, pivots, n) for r in rays]
    return wide, null_space(rows, n)


def _parallel(a: Vector, b: Vector) -> bool:
    return all(sign(a[i] * b[j] - a[j] * b[i]) == 0 for i in range(len(a)) for j in range(i)) and (
        sign(dot(a, b)) > 0
    )


def _placed(short: Vector, places: list[int], n: int) -> Vector:
    values = dict(zip(places, short, strict=True))
    return tuple(values.get(j, Fraction(0)) for j in range(n))


def as_expr(x: Number) -> Expr:
    """Back to sympy."""
    return Rational(x.numerator, x.denominator) if isinstance(x, Fraction | int) else x
