"""Candidate isometries R of R^n: signed permutations, plane rotations, and those that permute linear forms.

Nothing here is a proof: every candidate is checked exactly by whoever uses it, and a candidate that is
missing costs a certificate, never a wrong one. The search over forms compares floats for that reason.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from hermite_analytics.gaussian.zero.balls import enclosure
from hermite_analytics.gaussian.zero.elementary import cosine, sine
from hermite_analytics.gaussian.zero.monomials import Form, Monomial, OutOfReach, constant, negated, scaled
from hermite_analytics.gaussian.zero.ring import Ring

__all__ = ["Isometry", "Matrix", "form_isometries", "plane_rotations", "signed_permutations"]

Matrix = tuple[tuple[Form, ...], ...]
Vector = tuple[Form, ...]

_ORDERS = (3, 6, 8, 12, 5, 10, 16, 24, 20)
_MOST_FOUND = 400
_MOST_FORMS = 8
_SEARCH = 10**6
_SAME = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True)
class Isometry:
    """An orthogonal matrix of exact numbers; `plane` = (i, j, m) for the rotation of (z_i, z_j) by 2 pi/m."""

    matrix: Matrix
    plane: tuple[int, int, int] | None = None

    @property
    def signed_permutation(self) -> tuple[tuple[int, int], ...] | None:
        """((column, sign) of each row), or None."""
        rows = []
        for row in self.matrix:
            entries = [(j, entry) for j, entry in enumerate(row) if entry]
            if len(entries) != 1 or entries[0][1] not in (constant(1), constant(-1)):
                return None
            rows.append((entries[0][0], 1 if entries[0][1] == constant(1) else -1))
        return tuple(rows)


def signed_permutations(n: int) -> Iterator[Isometry]:
    """Sign flips first, then exchanges and a cycle; all 2^n n! of them for n <= 4."""
    identity = tuple(range(n))
    yield from (_permutation(identity, signs) for signs in _flips(n) if -1 in signs)
    if n <= 4:
        others = (columns for columns in itertools.permutations(range(n)) if columns != identity)
        pairs = itertools.product(others, list(itertools.product((1, -1), repeat=n)))
        yield from itertools.starmap(_permutation, pairs)
        return
    for columns in ((*identity[1:], 0), identity[::-1]):
        for side in (1, -1):
            yield _permutation(columns, (side,) * n)
    for i, j in itertools.combinations(range(n), 2):
        columns = tuple(j if k == i else i if k == j else k for k in range(n))
        for first, second in itertools.product((1, -1), repeat=2):
            yield _permutation(columns, tuple(first if k == i else second if k == j else 1 for k in range(n)))


def _flips(n: int) -> list[tuple[int, ...]]:
    """Signs of each coordinate: the flip of all first, then those of few; of many coordinates no more."""
    if n <= 6:
        return sorted(itertools.product((1, -1), repeat=n), key=lambda s: (s.count(-1) != n, s.count(-1)))
    return [(-1,) * n, *(tuple(-1 if i == j else 1 for i in range(n)) for j in range(n))]


def _permutation(columns: Sequence[int], signs: Sequence[int]) -> Isometry:
    n = len(columns)
    rows = [[constant(signs[i]) if j == columns[i] else {} for j in range(n)] for i in range(n)]
    return Isometry(matrix=tuple(tuple(row) for row in rows))


def plane_rotations(n: int) -> Iterator[Isometry]:
    """Rotations of each coordinate plane by 2 pi/m, m = 3, 5, 6, 8, 10, 12, 16, 20, 24."""
    ring = Ring()
    for i, j in itertools.combinations(range(n), 2):
        for m in _ORDERS:
            angle: Form = {Monomial(pi=Fraction(1)): Fraction(2, m)}
            c, s = cosine(ring, angle), sine(ring, angle)
            rows = [[constant(int(a == b)) for b in range(n)] for a in range(n)]
            rows[i][i], rows[i][j], rows[j][i], rows[j][j] = c, negated(s), s, c
            yield Isometry(matrix=tuple(tuple(row) for row in rows), plane=(i, j, m))


def form_isometries(forms: Sequence[Vector], n: int) -> Iterator[Isometry]:
    """Isometries that carry each form to a multiple of another: first block by block, then all at once."""
    if not forms or len(forms) > _MOST_FORMS:
        return
    ring = Ring(_SEARCH)
    identity = tuple(tuple(constant(int(a == b)) for b in range(n)) for a in range(n))
    cosines = _cosines(forms)
    blocks = _blocks(cosines)
    domains = [*(blocks if len(blocks) > 1 else ()), list(range(len(forms)))]
    for domain in domains:
        for images in itertools.islice(_assignments(cosines, domain), _MOST_FOUND):
            for side in (1, -1):
                try:
                    matrix = _extension(ring, forms, images, side, n)
                except OutOfReach:
                    matrix = None
                if matrix is not None and matrix != identity:
                    yield Isometry(matrix=matrix)


def _cosines(forms: Sequence[Vector]) -> list[list[float]]:
    """Of the angles between any two."""
    floats = [[float(enclosure(x, 64)) for x in form] for form in forms]
    lengths = [math.hypot(*v) for v in floats]
    return [
        [
            sum(a * b for a, b in zip(u, v, strict=True)) / (p * q)
            for v, q in zip(floats, lengths, strict=True)
        ]
        for u, p in zip(floats, lengths, strict=True)
    ]


def _blocks(cosines: Sequence[Sequence[float]]) -> list[list[int]]:
    """Classes of forms that are linked by non-zero inner products."""
    left, blocks = set(range(len(cosines))), []
    while left:
        block, frontier = set(), {min(left)}
        while frontier:
            block |= frontier
            frontier = {j for i in frontier for j in left - block if abs(cosines[i][j]) > _SAME}
        blocks.append(sorted(block))
        left -= block
    return blocks


def _assignments(
    cosines: Sequence[Sequence[float]], domain: Sequence[int]
) -> Iterator[list[tuple[int, int]]]:
    """Signed permutations ((image, sign) of each form) of the forms of `domain` that preserve all cosines."""
    images = [(i, 1) for i in range(len(cosines))]
    fixed = [i for i in range(len(cosines)) if i not in domain]

    def extend(position: int, used: frozenset[int]) -> Iterator[list[tuple[int, int]]]:
        if position == len(domain):
            yield list(images)
            return
        i = domain[position]
        for j in domain:
            if j in used:
                continue
            for s in (1, -1):
                earlier = [*fixed, *domain[:position]]
                if all(
                    abs(s * images[k][1] * cosines[j][images[k][0]] - cosines[i][k]) < _SAME for k in earlier
                ):
                    images[i] = (j, s)
                    yield from extend(position + 1, used | {j})
        images[i] = (i, 1)

    yield from extend(0, frozenset())


def _extension(
    ring: Ring, forms: Sequence[Vector], images: Sequence[tuple[int, int]], side: int, n: int
) -> Matrix | None:
    """R with l_i(Rz) = +-(|l_i|/|l_j|) l_j(z) for a basis of forms, and R = side on their complement."""
    basis = _independent(ring, forms)
    if len(basis) == n and side < 0:
        return None
    rows = [forms[i] for i in basis]
    targets = []
    for i in basis:
        j, s = images[i]
        inverse = ring.inverse(_dot(ring, forms[j], forms[j]))
        if inverse is None:
            return None
        ratio = ring.root(ring.multiply(_dot(ring, forms[i], forms[i]), inverse))
        targets.append(tuple(scaled(ring.multiply(ratio, x), Fraction(s)) for x in forms[j]))
    gram = [[_dot(ring, u, v) for v in rows] for u in rows]
    solved = _solve(ring, gram, [[*target, *row] for target, row in zip(targets, rows, strict=True)])
    if solved is None:
        return None
    result = []
    for k in range(n):
        line = []
        for j in range(n):
            inside = [ring.multiply(rows[b][k], solved[b][j]) for b in range(len(basis))]
            shadow = [ring.multiply(rows[b][k], solved[b][n + j]) for b in range(len(basis))]
            outside = ring.subtract(constant(int(k == j)), ring.add(shadow))
            line.append(ring.add([*inside, scaled(outside, Fraction(side))]))
        result.append(tuple(line))
    return tuple(result)


def _dot(ring: Ring, u: Vector, v: Vector) -> Form:
    return ring.add(ring.multiply(a, b) for a, b in zip(u, v, strict=True))


def _independent(ring: Ring, forms: Sequence[Vector]) -> list[int]:
    """A maximal independent set of forms, by elimination."""
    chosen: list[int] = []
    for i in range(len(forms)):
        rows = [forms[b] for b in (*chosen, i)]
        gram = [[_dot(ring, u, v) for v in rows] for u in rows]
        if _solve(ring, gram, [[] for _ in rows]) is not None:
            chosen.append(i)
    return chosen


def _solve(
    ring: Ring, matrix: Sequence[Sequence[Form]], right: Sequence[Sequence[Form]]
) -> list[list[Form]] | None:
    """matrix^{-1} right by Gauss-Jordan elimination; None for a singular matrix."""
    n = len(matrix)
    rows = [[*a, *b] for a, b in zip(matrix, right, strict=True)]
    for k in range(n):
        pivot = next((i for i in range(k, n) if rows[i][k]), None)
        if pivot is None:
            return None
        rows[k], rows[pivot] = rows[pivot], rows[k]
        inverse = ring.inverse(rows[k][k])
        if inverse is None:
            raise OutOfReach("the inverse of a pivot")
        rows[k] = [ring.multiply(inverse, x) for x in rows[k]]
        for i in range(n):
            if i != k and rows[i][k]:
                factor = rows[i][k]
                rows[i] = [
                    ring.subtract(x, ring.multiply(factor, y)) for x, y in zip(rows[i], rows[k], strict=True)
                ]
    return [row[n:] for row in rows]
