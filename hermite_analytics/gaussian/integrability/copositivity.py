"""Whether a quadratic form is positive on a cone of rays and lines, exactly.

Lines are removed by orthogonalisation with respect to the form. On the rays the criterion is that of
Hadeler (1983).
If all proper principal submatrices of A are strictly copositive, A is not so exactly if det A <= 0 and the
adjugate is positive; if they are copositive, A is not so exactly if det A < 0 and the adjugate is >= 0.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from hermite_analytics.gaussian.integrability.geometry import MAX_RAYS, Number, Undecided, Vector, dot, sign
from hermite_analytics.gaussian.integrability.steps import charge

__all__ = ["Positivity", "positivity"]

Matrix = Sequence[Sequence[Number]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Positivity:
    """Sign of v.M v on a cone.

    Attributes
    ----------
    sign : int
        1: positive except at 0; 0: never negative, zero on `directions`; -1: negative at the first of them.
    directions : tuple of vectors
        For 0 the minimal zeros (every other zero is a sum of them), or the first zero on a line.
    line : bool
        Whether the first direction belongs to a line of the cone, so that its opposite does too.
    """

    sign: int
    directions: tuple[Vector, ...] = ()
    line: bool = False


def positivity(matrix: Matrix, rays: Sequence[Vector], lines: Sequence[Vector]) -> Positivity:
    """Decide the sign of v.M v for v in cone(rays) + span(lines).

    Raises
    ------
    Undecided
        If a sign depends on parameters, or the cone has too many rays.

    Examples
    --------
    >>> one = Fraction(1)
    >>> m = ((one, -2 * one), (-2 * one, one))
    >>> positivity(m, [(one, 0 * one), (0 * one, -one)], []).sign
    1
    >>> positivity(m, [], [(one, 0 * one), (0 * one, one)]).sign
    -1
    """
    kept: list[tuple[Vector, Vector, Number]] = []  # vector, M vector, value
    charge((len(lines) + len(rays)) * len(matrix) ** 2)
    for line in lines:
        w = _orthogonal(line, kept)
        image = _apply(matrix, w)
        value = dot(w, image)
        s = sign(value)
        if s <= 0:
            return Positivity(sign=s, directions=(w,), line=True)
        kept.append((w, image, value))
    clean = [_orthogonal(r, kept) for r in rays]
    if len(clean) > MAX_RAYS:
        raise Undecided("a cone with too many rays")
    gram = [[dot(r, _apply(matrix, q)) for q in clean] for r in clean]
    return _on_orthant(gram, clean)


def _apply(matrix: Matrix, vector: Vector) -> Vector:
    return tuple(dot(row, vector) for row in matrix)


def _orthogonal(vector: Vector, kept: list[tuple[Vector, Vector, Number]]) -> Vector:
    for w, image, value in kept:
        factor = dot(image, vector) / value
        vector = tuple(x - factor * y for x, y in zip(vector, w, strict=True))
    return vector


def _on_orthant(gram: Matrix, rays: Sequence[Vector]) -> Positivity:
    zeros: list[tuple[frozenset[int], Vector]] = []
    for size in range(1, len(rays) + 1):
        for support in itertools.combinations(range(len(rays)), size):
            part = [[gram[i][j] for j in support] for i in support]
            inside = any(z <= set(support) for z, _ in zeros)
            s, weights = _interior(part, strict=not inside)
            if s > 0:
                continue
            vector = tuple(
                sum((w * rays[i][k] for w, i in zip(weights, support, strict=True)), Fraction(0))
                for k in range(len(rays[0]))
            )
            if s < 0:
                return Positivity(sign=-1, directions=(vector,))
            zeros.append((frozenset(support), vector))
    if not zeros:
        return Positivity(sign=1)
    return Positivity(sign=0, directions=tuple(v for _, v in zeros))


def _interior(part: Matrix, *, strict: bool) -> tuple[int, Vector]:
    """(sign, positive weights where the form is <= 0), proper submatrices being copositive (strictly so)."""
    determinant = _determinant(part)
    s = sign(determinant)
    if s > 0 or (s == 0 and not strict):
        return 1, ()
    n = len(part)
    adjugate = [[_cofactor(part, i, j) for j in range(n)] for i in range(n)]
    signs = [sign(x) for row in adjugate for x in row]
    if min(signs) < (1 if strict else 0):
        return 1, ()
    return s, _negative_weights(adjugate)


def _negative_weights(adjugate: Matrix) -> Vector:
    """A column of the adjugate with A w = det(A) e_i and w_i > 0: then w.A w = det(A) w_i."""
    for i, row in enumerate(adjugate):
        if sign(row[i]) > 0:
            return tuple(row)
    raise Undecided("a degenerate quadratic form on a cone")


def _cofactor(matrix: Matrix, i: int, j: int) -> Number:
    minor = [[x for c, x in enumerate(row) if c != j] for r, row in enumerate(matrix) if r != i]
    return (-1) ** (i + j) * _determinant(minor)


def _determinant(matrix: Matrix) -> Number:
    """By elimination; 1 for the empty matrix."""
    charge(len(matrix) ** 3)
    rows = [list(r) for r in matrix]
    result: Number = Fraction(1)
    while rows:
        k = next((i for i, r in enumerate(rows) if sign(r[0]) != 0), None)
        if k is None:
            return Fraction(0)
        pivot = rows.pop(k)
        result = result * pivot[0] * (-1) ** k
        rows = [[x - r[0] / pivot[0] * y for x, y in zip(r[1:], pivot[1:], strict=True)] for r in rows]
    return result
