"""P(all forms are positive) under a Gaussian law: the terminals of the recursion.

Forms on one line merge to one threshold or an interval, independent blocks factorise, and the rank of a
block decides the rest, not its number of forms:

    one form             Phi(h)                                                  (G1, G4)
    two forms            Owen's T where a threshold vanishes or both agree, else Phi2 (G12, G13, G16)
    rank 2               polygons                                                (B10)
    rank 3, centred      spherical polygons                                      (T1, T4)
    centred, rho = 1/2   1/(n + 1)                                               (G18)

Source: docs/theory.md, "Catalogue".
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import sympy
from sympy import Expr, I, Rational, S, asin, erfc, pi, sqrt

from hermite_analytics.calculus.law import Form, GaussianLaw, canonical
from hermite_analytics.calculus.reals import NoClosedForm, root, sign_of, standardised
from hermite_analytics.language.functions import OwenT, Phi, Phi2

__all__ = ["Cell", "orthant_probability", "pair_probability"]


@dataclass(frozen=True, slots=True)
class Cell:
    """Jointly Gaussian forms, all to be positive: their means and covariances."""

    mean: tuple[Expr, ...]
    covariance: tuple[tuple[Expr, ...], ...]

    @classmethod
    def of(cls, law: GaussianLaw, forms: Sequence[Form]) -> Cell:
        """The cell of forms that are not constant."""
        rows = [law.covariances_with(f) for f in forms]
        covariance = tuple(
            tuple(canonical(sympy.Add(*(x * y for x, y in zip(a.slope, row, strict=True)))) for row in rows)
            for a in forms
        )
        return cls(tuple(law.mean_of(f) for f in forms), covariance)

    @property
    def size(self) -> int:
        return len(self.mean)

    def part(self, chosen: Sequence[int]) -> Cell:
        """The cell of some of the forms."""
        return Cell(
            tuple(self.mean[i] for i in chosen),
            tuple(tuple(self.covariance[i][j] for j in chosen) for i in chosen),
        )

    def without(self, i: int) -> Cell:
        return self.part([j for j in range(self.size) if j != i])

    def shifted(self, i: int, change: Expr) -> Cell:
        """Form i plus a constant."""
        mean = (*self.mean[:i], canonical(self.mean[i] + change), *self.mean[i + 1 :])
        return Cell(mean, self.covariance)

    def centred(self) -> Cell:
        """The same forms with means 0: the directions in which the cell is unbounded."""
        return Cell((S.Zero,) * self.size, self.covariance)

    @property
    def is_centred(self) -> bool:
        return all(m == 0 for m in self.mean)


def orthant_probability(law: GaussianLaw, forms: Sequence[Form]) -> Expr:
    """P(all forms > 0), none of them constant under the law.

    Raises
    ------
    NoClosedForm
        If a block has rank 3 or more with thresholds, or rank 4 and more.
    """
    return cell_probability(Cell.of(law, forms))


def cell_probability(cell: Cell) -> Expr:
    """P of a cell: merge, split into independent blocks, then by rank."""
    if cell.size == 0:
        return S.One
    if cell.size == 1:
        return _threshold(cell)
    merged = _merged(cell)
    if merged is not None:
        return merged
    blocks = _blocks(cell)
    if len(blocks) > 1:
        return sympy.Mul(*(cell_probability(cell.part(b)) for b in blocks))
    if any(m.has(I) for m in cell.mean):
        raise NoClosedForm("several steps under a complex shift")
    if cell.size == 2:
        return _pair(cell)
    return _many(cell)


def _threshold(cell: Cell) -> Expr:
    height, _ = standardised(cell.mean[0], cell.covariance[0][0])
    return erfc(-height / sqrt(2)) / 2 if height.has(I) else Phi(height)


def _merged(cell: Cell) -> Expr | None:
    """The probability through fewer forms if two of them lie on one line; None if no two do."""
    for i in range(cell.size):
        for j in range(i):
            c = cell.covariance
            if canonical(c[i][j] ** 2 - c[i][i] * c[j][j]) == 0:
                return _merge(cell, i, j)
    return None


def _merge(cell: Cell, i: int, j: int) -> Expr:
    """Form j is ratio * form i + gap."""
    ratio = canonical(cell.covariance[i][j] / cell.covariance[i][i])
    gap = canonical(cell.mean[j] - ratio * cell.mean[i])
    direction, side = sign_of(ratio), sign_of(gap)
    if direction is None or side is None:
        return _merge_unordered(cell, i, j, direction)
    if direction > 0:
        return cell_probability(cell.without(j if side >= 0 else i))
    if side <= 0:
        return S.Zero
    inner = cell_probability(cell.without(j))
    return inner - cell_probability(cell.shifted(i, canonical(gap / ratio)).without(j))


def _merge_unordered(cell: Cell, i: int, j: int, direction: int | None) -> Expr:
    """Two parallel forms whose order depends on the parameters."""
    if direction is None or cell.size > 2:
        raise NoClosedForm("parallel steps whose order is not known")
    heights = [standardised(cell.mean[k], cell.covariance[k][k])[0] for k in (i, j)]
    if direction > 0:
        return Phi(sympy.Min(*heights))
    return sympy.Max(0, Phi(heights[0]) + Phi(heights[1]) - 1)


def _blocks(cell: Cell) -> list[list[int]]:
    """Connected components of the correlations."""
    left = set(range(cell.size))
    blocks = []
    while left:
        block = [min(left)]
        left.remove(block[0])
        for i in block:
            linked = [j for j in sorted(left) if cell.covariance[i][j] != 0]
            block += linked
            left -= set(linked)
        blocks.append(sorted(block))
    return blocks


def _pair(cell: Cell) -> Expr:
    heights = [standardised(cell.mean[k], cell.covariance[k][k])[0] for k in (0, 1)]
    return pair_probability(heights[0], heights[1], _correlation(cell, 0, 1))


def _correlation(cell: Cell, i: int, j: int) -> Expr:
    c = cell.covariance
    product = c[i][i] * c[j][j]
    scale = root(canonical(product)) if product.is_number else root(c[i][i]) * root(c[j][j])
    return canonical(c[i][j] / scale)


def pair_probability(h: Expr, k: Expr, rho: Expr) -> Expr:
    """P(X < h, Y < k) at correlation rho in (-1, 1): the shortest closed form that needs no case."""
    if h == 0 and k == 0:
        return Rational(1, 4) + asin(rho) / (2 * pi)
    if h == 0 or k == 0:
        t = k if h == 0 else h
        return Phi(t) / 2 + OwenT(t, rho / root(canonical(1 - rho**2)))
    if canonical(h - k) == 0:
        return Phi(h) - 2 * OwenT(h, root(canonical((1 - rho) / (1 + rho))))
    if canonical(h + k) == 0:
        return 2 * OwenT(h, root(canonical((1 + rho) / (1 - rho))))
    return Phi2(h, k, rho)


def _many(cell: Cell) -> Expr:
    """Three or more forms, one block, no two on one line."""
    from hermite_analytics.calculus import polygons

    if cell.is_centred and all(_half_correlated(cell, i, j) for i in range(cell.size) for j in range(i)):
        return Rational(1, cell.size + 1)
    reduced = _first_rank_two_triple(cell, polygons.reduced_triple)
    if reduced is not None:
        return S.Zero if isinstance(reduced, str) else cell_probability(cell.without(reduced))
    rank = _rank(cell)
    if rank == 2:
        return polygons.planar_probability(cell)
    if cell.is_centred and cell.size == 3:
        return Rational(1, 8) + sympy.Add(*_angles(cell)) / (4 * pi)
    if cell.is_centred and rank == 3:
        return polygons.spherical_probability(cell)
    thresholds = "" if cell.is_centred else " with thresholds"
    raise NoClosedForm(f"a product of {cell.size} steps of rank {rank}{thresholds}")


def _angles(cell: Cell) -> list[Expr]:
    return [asin(_correlation(cell, i, j)) for i in range(3) for j in range(i)]


def _half_correlated(cell: Cell, i: int, j: int) -> bool:
    c = cell.covariance
    return sign_of(c[i][j]) == 1 and canonical(4 * c[i][j] ** 2 - c[i][i] * c[j][j]) == 0


def _first_rank_two_triple(
    cell: Cell, reduce: Callable[[Cell, int, int, int], int | str | None]
) -> int | str | None:
    for i in range(cell.size):
        for j in range(i):
            for k in range(j):
                found = reduce(cell, i, j, k)
                if found is not None:
                    return found
    return None


def _rank(cell: Cell) -> int:
    """Rank of the covariance, by elimination."""
    rows = [list(row) for row in cell.covariance]
    rank = 0
    for column in range(cell.size):
        pivot = next((r for r in range(rank, cell.size) if rows[r][column] != 0), None)
        if pivot is None:
            continue
        rows[rank], rows[pivot] = rows[pivot], rows[rank]
        for r in range(rank + 1, cell.size):
            if rows[r][column] != 0:
                factor = rows[r][column] / rows[rank][column]
                rows[r] = [canonical(x - factor * y) for x, y in zip(rows[r], rows[rank], strict=True)]
        rank += 1
    return rank
