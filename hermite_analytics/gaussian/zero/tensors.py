"""What a symmetry says of the tensor C_k: linear equations for its entries, solved exactly.

C_k is read as the polynomial P(x) = <C_k, x^{(x) k}> = sum_S (k!/S!) c_S x^S. If f(Rz) = chi f(z) with R
orthogonal, then P(Rx) = chi P(x). An entry vanishes if it vanishes on all solutions of these equations.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from fractions import Fraction

from flint import fmpq, fmpq_mat

from hermite_analytics.foundation.clock import check_time
from hermite_analytics.gaussian.zero.isometries import Isometry, Matrix
from hermite_analytics.gaussian.zero.monomials import Form, Monomial, constant, is_algebraic
from hermite_analytics.gaussian.zero.ring import Ring

__all__ = ["forced_zeros", "indices", "is_forced_by_cycle"]

Index = tuple[int, ...]
Character = tuple[Isometry, int]
_LARGEST = 220  # unknowns of the elimination
_HALF = Fraction(1, 2)


def indices(n: int, degree: int) -> list[Index]:
    """All multi-indices S with |S| = degree of n >= 0 coordinates.

    Examples
    --------
    >>> indices(2, 1), indices(0, 0), indices(0, 1)
    ([(1, 0), (0, 1)], [()], [])
    """
    if n == 0:
        return [] if degree else [()]
    if n == 1:
        return [(degree,)]
    return [(first, *rest) for first in range(degree, -1, -1) for rest in indices(n - 1, degree - first)]


def is_forced_by_cycle(symmetry: Character, index: Index) -> bool:
    """For a signed permutation: whether following the index around its cycle multiplies c_S by -1.

    Examples
    --------
    >>> from hermite_analytics.gaussian.zero.isometries import signed_permutations
    >>> minus = next(signed_permutations(2))
    >>> is_forced_by_cycle((minus, -1), (2, 0)), is_forced_by_cycle((minus, -1), (1, 0))
    (True, False)
    """
    isometry, character = symmetry
    rows = isometry.signed_permutation
    if rows is None:
        return False
    current, total = index, 1
    for _ in range(math.lcm(*range(1, len(index) + 1))):
        moved = [0] * len(index)
        total *= character
        for (column, sign), power in zip(rows, current, strict=True):
            moved[column] = power
            total *= sign if power % 2 else 1
        current = tuple(moved)
        if current == index:
            return total < 0
    return False


def forced_zeros(symmetries: Sequence[Character], n: int, degree: int) -> frozenset[Index]:
    """The S of this degree for which the symmetries together force c_S = 0.

    None of them where the elimination would be too large.
    """
    basis = indices(n, degree)
    radicals = _radical_basis(symmetries)
    if radicals is None or len(basis) * len(radicals) > _LARGEST:
        return frozenset()
    place = {index: k for k, index in enumerate(basis)}
    rows = [row for symmetry in symmetries for row in _equations(symmetry, basis, place, radicals)]
    if not rows:
        return frozenset()
    check_time()
    reduced, rank = fmpq_mat(len(rows), len(basis) * len(radicals), [x for row in rows for x in row]).rref()
    pivots = set()
    for i in range(rank):
        entries = [j for j in range(reduced.ncols()) if reduced[i, j] != 0]
        if len(entries) == 1:
            pivots.add(entries[0])
    return frozenset(index for index in basis if place[index] in pivots)


def _radical_basis(symmetries: Sequence[Character]) -> list[Monomial] | None:
    """The products of the square roots in the matrices, 1 first; None for other irrationals.

    Rotations of a coordinate plane need none: their equations are rational.
    """
    primes: set[int] = set()
    for isometry, _ in symmetries:
        if isometry.plane is not None:
            continue
        for entry in itertools.chain(*isometry.matrix):
            if not is_algebraic(entry) or any(e != _HALF for m in entry for _, e in m.radical):
                return None
            primes |= {p for m in entry for p, _ in m.radical}
    ordered = sorted(primes)
    subsets = itertools.chain.from_iterable(
        itertools.combinations(ordered, r) for r in range(len(ordered) + 1)
    )
    return [Monomial(radical=tuple((p, _HALF) for p in subset)) for subset in subsets]


def _equations(
    symmetry: Character, basis: Sequence[Index], place: dict[Index, int], radicals: Sequence[Monomial]
) -> Iterator[list[fmpq]]:
    """Rational equations for the unknowns (radical, S), radical-major."""
    isometry, character = symmetry
    size = len(basis)
    if isometry.plane is not None:
        for row in _rotation_equations(isometry.plane, character, basis):
            for block in range(len(radicals)):
                yield [fmpq(0)] * (block * size) + row + [fmpq(0)] * ((len(radicals) - block - 1) * size)
        return
    ring = Ring(10**7)
    columns = _images(ring, isometry.matrix, basis)
    equations: dict[tuple[int, Monomial], list[fmpq]] = {}
    for k, (index, image) in enumerate(zip(basis, columns, strict=True)):
        image = dict(image)
        image[index] = ring.subtract(image.get(index, {}), constant(character))
        weight = Fraction(math.factorial(sum(index)), math.prod(math.factorial(s) for s in index))
        for target, coefficient in image.items():
            for block, radical in enumerate(radicals):
                for monomial, c in ring.multiply(coefficient, {radical: weight}).items():
                    row = equations.setdefault((place[target], monomial), [fmpq(0)] * (size * len(radicals)))
                    row[block * size + k] = fmpq(c.numerator, c.denominator)
    yield from equations.values()


Polynomial = dict[Index, Form]


def _images(ring: Ring, matrix: Matrix, basis: Sequence[Index]) -> list[Polynomial]:
    """(Rx)^S for each S, expanded."""
    n = len(matrix)
    unit = tuple([0] * n)
    linear: list[Polynomial] = []
    for row in matrix:
        linear.append({tuple(int(j == k) for k in range(n)): entry for j, entry in enumerate(row) if entry})
    powers: list[list[Polynomial]] = [[{unit: constant(1)}] for _ in range(n)]
    for i in range(n):
        for _ in range(max(index[i] for index in basis)):
            powers[i].append(_multiply(ring, powers[i][-1], linear[i]))
    images = []
    for index in basis:
        product = powers[0][index[0]]
        for i in range(1, n):
            product = _multiply(ring, product, powers[i][index[i]])
        images.append(product)
    return images


def _multiply(ring: Ring, a: Polynomial, b: Polynomial) -> Polynomial:
    total: Polynomial = {}
    for s, x in a.items():
        for t, y in b.items():
            key = tuple(p + q for p, q in zip(s, t, strict=True))
            total[key] = ring.add((total.get(key, {}), ring.multiply(x, y)))
    return total


def _rotation_equations(
    plane: tuple[int, int, int], character: int, basis: Sequence[Index]
) -> Iterator[list[fmpq]]:
    """With w = x_i + i x_j: the coefficient of w^p wbar^q vanishes unless e^{2 pi i (p - q)/m} = chi."""
    i, j, m = plane
    groups: dict[tuple[Index, int], list[int]] = {}
    for k, index in enumerate(basis):
        rest = tuple(0 if a in (i, j) else s for a, s in enumerate(index))
        groups.setdefault((rest, index[i] + index[j]), []).append(k)
    for (_, total), members in groups.items():
        for p in range(total + 1):
            check_time()
            if _is_allowed(2 * p - total, m, character):
                continue
            for part in (0, 1):  # real and imaginary part
                row = [fmpq(0)] * len(basis)
                for k in members:
                    index = basis[k]
                    weight = Fraction(math.factorial(sum(index)), math.prod(math.factorial(s) for s in index))
                    value = weight * _krawtchouk(index[i], index[j], p)
                    turned = index[j] % 4  # (1/i)^b
                    if turned % 2 == part:
                        value *= -1 if turned in (1, 2) else 1
                        row[k] = fmpq(value.numerator, value.denominator) / 2**total
                if any(x != 0 for x in row):
                    yield row


def _is_allowed(frequency: int, m: int, character: int) -> bool:
    if character > 0:
        return frequency % m == 0
    return m % 2 == 0 and frequency % m == m // 2


def _krawtchouk(a: int, b: int, p: int) -> int:
    """Coefficient of w^p in (w + wbar)^a (w - wbar)^b."""
    return sum(
        math.comb(a, p - t) * math.comb(b, t) * (-1) ** (b - t) for t in range(max(0, p - a), min(b, p) + 1)
    )
