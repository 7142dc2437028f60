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

from collections.abc import Sequence

import sympy
from sympy import Expr, I, Rational, S, asin, erfc, pi, sqrt

from hermite_analytics.gaussian.gaussian_cell import Orthant
from hermite_analytics.gaussian.law import Form, GaussianLaw, canonical
from hermite_analytics.gaussian.polygons import planar_probability, reduced_triple, spherical_probability
from hermite_analytics.gaussian.reals import NoClosedForm, root, sign_of, standardised
from hermite_analytics.language.functions import OwenT, Phi, Phi2

__all__ = ["orthant_probability", "pair_probability"]


def orthant_probability(law: GaussianLaw, forms: Sequence[Form]) -> Expr:
    """P(all forms > 0), none of them constant under the law.

    Raises
    ------
    NoClosedForm
        If a block has rank 3 or more with thresholds, or rank 4 and more.
    """
    return cell_probability(Orthant.of(law, forms))


def cell_probability(cell: Orthant) -> Expr:
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


def _threshold(cell: Orthant) -> Expr:
    """G1, G4, G10: Phi of mean over standard deviation; a complex mean gives erfc."""
    height, _ = standardised(cell.mean[0], cell.covariance[0][0])
    return erfc(-height / sqrt(2)) / 2 if height.has(I) else Phi(height)


def _merged(cell: Orthant) -> Expr | None:
    """The probability through fewer forms if two of them lie on one line; None if no two do."""
    for i in range(cell.size):
        for j in range(i):
            c = cell.covariance
            if canonical(c[i][j] ** 2 - c[i][i] * c[j][j]) == 0:
                return _merge(cell, i, j)
    return None


def _merge(cell: Orthant, i: int, j: int) -> Expr:
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


def _merge_unordered(cell: Orthant, i: int, j: int, direction: int | None) -> Expr:
    """Two parallel forms whose order depends on the parameters."""
    if direction is None or cell.size > 2:
        raise NoClosedForm("parallel steps whose order is not known")
    heights = [standardised(cell.mean[k], cell.covariance[k][k])[0] for k in (i, j)]
    if direction > 0:
        return Phi(sympy.Min(*heights))
    return sympy.Max(0, Phi(heights[0]) + Phi(heights[1]) - 1)


def _blocks(cell: Orthant) -> list[list[int]]:
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


def _pair(cell: Orthant) -> Expr:
    heights = [standardised(cell.mean[k], cell.covariance[k][k])[0] for k in (0, 1)]
    return pair_probability(heights[0], heights[1], _correlation(cell, 0, 1))


def _correlation(cell: Orthant, i: int, j: int) -> Expr:
    c = cell.covariance
    product = c[i][i] * c[j][j]
    scale = root(canonical(product)) if product.is_number else root(c[i][i]) * root(c[j][j])
    return canonical(c[i][j] / scale)


def pair_probability(h: Expr, k: Expr, rho: Expr) -> Expr:
    """P(X < h, Y < k) at correlation rho in (-1, 1): the shortest closed form that needs no case.

    Sheppard 1899 at h = k = 0 (B1, B9, G16), Owen 1956 where one threshold is 0 or h = +-k (G13, G16); else
    Phi2 (G12), whose expansion by T would need the signs of h and k.
    """
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


def _many(cell: Orthant) -> Expr:
    """Three or more forms, one block, no two on one line: by rank, the cheapest rule first."""
    if _is_uniform_power(cell):
        return Rational(1, cell.size + 1)
    reduced = _first_rank_two_triple(cell)
    if reduced is not None:
        return S.Zero if isinstance(reduced, str) else cell_probability(cell.without(reduced))
    rank = _rank(cell)
    if rank == 2:
        return planar_probability(cell, at_infinity=_recession_cone(cell))
    if cell.is_centred and cell.size == 3:
        return _centred_triple(cell)
    if cell.is_centred and rank == 3:
        return spherical_probability(cell)
    thresholds = "" if cell.is_centred else " with thresholds"
    raise NoClosedForm(f"a product of {cell.size} steps of rank {rank}{thresholds}")


def _centred_triple(cell: Orthant) -> Expr:
    """T1 (Sheppard 1899): 1/8 + (asin r12 + asin r13 + asin r23)/(4 pi), thresholds 0."""
    angles = (asin(_correlation(cell, i, j)) for i in range(3) for j in range(i))
    return Rational(1, 8) + sympy.Add(*angles) / (4 * pi)


def _is_uniform_power(cell: Orthant) -> bool:
    """G18: n centred forms of correlations 1/2 have P = E Phi(z)^n = 1/(n + 1), as Phi(z) is uniform."""
    pairs = ((i, j) for i in range(cell.size) for j in range(i))
    return cell.is_centred and all(_half_correlated(cell, i, j) for i, j in pairs)


def _half_correlated(cell: Orthant, i: int, j: int) -> bool:
    c = cell.covariance
    return sign_of(c[i][j]) == 1 and canonical(4 * c[i][j] ** 2 - c[i][i] * c[j][j]) == 0


def _first_rank_two_triple(cell: Orthant) -> int | str | None:
    for i in range(cell.size):
        for j in range(i):
            for k in range(j):
                found = reduced_triple(cell, i, j, k)
                if found is not None:
                    return found
    return None


def _recession_cone(cell: Orthant) -> Expr:
    """P of the directions in which a planar cell is unbounded."""
    if cell.is_centred:
        raise NoClosedForm("a centred planar cell that does not reduce")
    return cell_probability(cell.centred())


def _rank(cell: Orthant) -> int:
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
