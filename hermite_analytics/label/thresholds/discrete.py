"""Labels of finitely many values: the operator M -> sum_y G_y M G_y / p_y with exact entries.

G_y = E[(w w^T - I) 1{y}], p_y = P(y): closed forms where the calculus of cells has them, else balls.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import sympy
from flint import arb
from numpy.typing import NDArray
from sympy import Dummy, Expr, S

from hermite_analytics.argument.remarks import remark
from hermite_analytics.argument.sentences import Math
from hermite_analytics.errors import UnsupportedExpression
from hermite_analytics.evidence import Evidence, Quantity
from hermite_analytics.foundation.clock import allowed, share
from hermite_analytics.foundation.numpy_arrays import Array
from hermite_analytics.gaussian.distribution import expanded
from hermite_analytics.gaussian.enclosure import ball_of
from hermite_analytics.gaussian.quantities import expected_quantity, weakest
from hermite_analytics.label.exact.cells import Cell, finite_cells
from hermite_analytics.label.operator import symmetric_basis
from hermite_analytics.label.reduction.problem import Problem
from hermite_analytics.label.thresholds.result import (
    Threshold,
    estimated,
    exact_threshold,
    infinite_threshold,
    no_threshold,
)
from hermite_analytics.label_noise import averaged
from hermite_analytics.language import functions as own
from hermite_analytics.symbols import xi

__all__ = ["CellMoments", "by_finite_values", "cell_moments"]

_BITS = 96
_ROUNDING = 1e-13
_LARGEST = 200  # operations of an eigenvalue that is tidied
_SHARE = 0.6  # of the time left, for exact moments of cells


@dataclass(frozen=True, slots=True, kw_only=True)
class CellMoments:
    """P(y) and E[(w w^T - I) 1{y}] for one value y of the label."""

    label: Expr
    probability: Quantity
    second: tuple[tuple[Quantity, ...], ...]


_SUMMAND = Math("G_y (x) G_y / p_y", r"G_y \otimes G_y / p_y")
_NOTHING = Math("E[w w^T - I | y] = 0", r"\mathbb{E}[w w^{\top} - I \mid y] = 0")


def by_finite_values(problem: Problem) -> Threshold | None:
    """The threshold of a label of finitely many values without known coordinates; None for other labels.

    Examples
    --------
    >>> from sympy import symbols
    >>> w1, w2 = symbols("w1 w2", real=True)
    >>> f = sympy.sign(w1) * sympy.sign(w2)
    >>> by_finite_values(Problem(signal=f, unknown=(w1, w2), known=())).alpha.exact
    pi**2/4
    """
    if problem.known or problem.noise not in (0, None):
        return None
    with allowed(share(_SHARE)):
        found = cell_moments(problem)
        return None if found is None else _of_cells(found)


def _of_cells(found: Sequence[CellMoments]) -> Threshold:
    numbers = [q for cell in found for q in (cell.probability, *(x for row in cell.second for x in row))]
    if any(q.evidence is Evidence.UNDECIDED for q in numbers):
        return no_threshold(remark("a moment of a cell of the label is not known"))
    method = remark(f"a label of {len(found)} values: the sum of ", _SUMMAND, " over them")
    if all(q.exact is not None for q in numbers):
        exact = _exact_top(found)
        if exact is not None:
            if exact == 0:
                return infinite_threshold(remark(_NOTHING, " for each value"))
            return exact_threshold(_tidied(1 / exact), method)
    top, error = _enclosed_top(found)
    return estimated(top, error, method, evidence=_evidence(numbers))


def _evidence(numbers: Sequence[Quantity]) -> Evidence:
    weak = weakest(numbers)
    return Evidence.PROVED if weak is Evidence.EXACT else weak


def cell_moments(problem: Problem) -> list[CellMoments] | None:
    """The cells of the signal, additive noise left out, with their moments; None if there are none."""
    signal = problem.signal.subs(xi, 0) if problem.noise not in (0, None) else problem.signal
    variables = (*problem.unknown, *((xi,) if signal.has(xi) else ()))
    try:
        cells = finite_cells(signal, variables)
    except UnsupportedExpression:
        return None
    return None if cells is None else [_moments(cell, problem) for cell in cells]


def _moments(cell: Cell, problem: Problem) -> CellMoments:
    w = problem.unknown
    found = {}
    for i in range(len(w)):
        for j in range(i + 1):
            weight = w[i] ** 2 - 1 if i == j else w[i] * w[j]
            integrand = sympy.Add(*averaged(expanded(weight * cell.indicator)))
            used = [v for v in (*w, xi) if integrand.has(v)]
            found[i, j] = found[j, i] = expected_quantity(integrand, used)
    rows = tuple(tuple(found[i, j] for j in range(len(w))) for i in range(len(w)))
    return CellMoments(label=cell.label, probability=cell.probability, second=rows)


def _exact_top(cells: Sequence[CellMoments]) -> Expr | None:
    """The largest eigenvalue of the operator, block by block; None if its block has no formula."""
    q = len(cells[0].second)
    matrices = [sympy.Matrix(q, q, lambda i, j, c=c: c.second[i][j].exact) for c in cells]
    masses: list[Expr] = [c.probability.exact for c in cells]
    if len(cells) == 2:  # G_0 = -G_1: the operator is M -> G_1 M G_1 / (p_0 p_1)
        size = _top_exact(matrices[1], absolute=True)
        return None if size is None else size**2 / (masses[0] * masses[1])
    basis = [_exact_basis(i, j, q) for i in range(q) for j in range(i + 1)]
    n = len(basis)
    entries = sympy.zeros(n, n)
    for a in range(n):
        for b in range(a + 1):
            parts = [(basis[a] * g * basis[b] * g).trace() / p for g, p in zip(matrices, masses, strict=True)]
            entries[a, b] = entries[b, a] = sympy.Add(*(sympy.expand(x) for x in parts))
    return _top_exact(entries)


def _exact_basis(i: int, j: int, q: int) -> sympy.Matrix:
    size = S.One if i == j else 1 / sympy.sqrt(2)
    return sympy.Matrix(q, q, lambda a, b: size if (a, b) in ((i, j), (j, i)) else S.Zero)


def _top_exact(matrix: sympy.Matrix, *, absolute: bool = False) -> Expr | None:
    """The largest eigenvalue, or the largest absolute value of one, of a symmetric matrix."""
    from scipy.sparse.csgraph import connected_components

    values = np.array([[float(x) for x in matrix.row(a)] for a in range(matrix.rows)])
    scale = max(float(np.abs(values).max()), 1e-300)
    count, labels = connected_components(np.abs(values) > 1e-14 * scale)
    blocks = [np.flatnonzero(labels == k) for k in range(count)]

    def top(block: NDArray[np.intp]) -> float:
        found = np.linalg.eigvalsh(values[np.ix_(block, block)])
        return float(np.abs(found).max() if absolute else found[-1])

    best = max(blocks, key=top)
    block, wanted = matrix.extract(best.tolist(), best.tolist()), top(best)
    candidates = _eigenvalues(block)
    close = [x for x in candidates if abs(abs(float(x)) - wanted) < 1e-9 * scale]
    return close[0] if close else None


def _eigenvalues(block: sympy.Matrix) -> list[Expr]:
    """Those with a formula: of one or two rows all; of more the common sum of the rows, and simple roots."""
    if block.rows == 1:
        return [block[0, 0]]
    if block.rows == 2:
        mean, half = (block[0, 0] + block[1, 1]) / 2, sympy.expand((block[0, 0] - block[1, 1]) / 2)
        root = block[0, 1] if half == 0 else sympy.sqrt(half**2 + block[0, 1] ** 2)
        return [mean + root, mean - root]
    sums = [sympy.expand(sum(block.row(i))) for i in range(block.rows)]
    found = [sums[0]] if all(sympy.expand(x - sums[0]) == 0 for x in sums) else []
    if sum(sympy.count_ops(x) for x in block) <= _LARGEST:
        t = Dummy("t")
        _, factors = sympy.factor_list(block.charpoly(t).as_expr(), t)
        for factor, _ in factors:
            poly = sympy.Poly(factor, t)
            if poly.degree() <= 2:
                found += list(sympy.roots(poly))
    return found


def _tidied(x: Expr) -> Expr:
    """With one Phi for both signs of an argument."""
    x = x.replace(
        lambda e: isinstance(e, own.Phi) and e.args[0].is_negative, lambda e: 1 - own.Phi(-e.args[0])
    )
    return sympy.factor(sympy.together(x)) if sympy.count_ops(x) <= _LARGEST else x


def _enclosed_top(cells: Sequence[CellMoments]) -> tuple[float, float]:
    """(largest eigenvalue, bound on its error): Weyl's inequality with the radii of the entries."""
    q = len(cells[0].second)
    basis = symmetric_basis(q)
    middle = np.zeros((len(basis), len(basis)))
    radius = 0.0
    for cell in cells:
        p = _ball(cell.probability)
        entries = [[_ball(x) for x in row] for row in cell.second]
        g = np.array([[float(x.mid()) for x in row] for row in entries])
        size = float(np.linalg.norm(g))
        slack = float(np.linalg.norm([[float(x.rad()) for x in row] for row in entries]))
        mass, wrong = float(p.mid()), float(p.rad())
        middle += _sandwich(g, basis) / mass
        least = mass - wrong
        radius += ((2 * size + slack) * slack + size**2 * wrong / mass) / least if least > 0 else np.inf
    return float(np.linalg.eigvalsh(middle)[-1]), radius + _ROUNDING * float(np.abs(middle).sum())


def _ball(quantity: Quantity) -> arb:
    if quantity.exact is not None:
        return ball_of(quantity.exact, _BITS)
    return arb(quantity.value, quantity.error)


def _sandwich(g: Array, basis: Array) -> Array:
    return np.asarray(np.einsum("aij,jk,bkl,li->ab", basis, g, basis, g))
