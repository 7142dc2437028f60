"""Symmetric tensors that satisfy linear conditions, such as T[R., .., R.] = chi T, and what they span."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

import sympy
from sympy import Expr, Matrix, S

from hermite_analytics.exponents.contraction import Tensor, symmetric_product, transformed
from hermite_analytics.exponents.numbers import Numbers
from hermite_analytics.exponents.spans import Row, Span, complement, extended
from hermite_analytics.gaussian.zero.tensors import indices

__all__ = ["combinations", "defects", "fixes", "outside", "satisfying", "tensors_on"]

_LARGEST = 200  # unknowns of the equations


def outside(numbers: Numbers, learned: Span, own: Span) -> tuple[Row, ...]:
    """A basis of the directions orthogonal to U in the span of U and a function's own directions."""
    everything, decided = extended(numbers, learned, own.rows)
    if not decided:
        return complement(learned).rows
    beyond = complement(everything)
    away, _ = extended(numbers, learned, beyond.rows)
    return complement(away).rows


def tensors_on(rows: Sequence[Row], width: int, order: int) -> list[Tensor] | None:
    """A basis of the symmetric tensors on the span of some rows; None where there are too many."""
    if rows and math.comb(len(rows) + order - 1, order) > _LARGEST:
        return None
    chosen = itertools.combinations_with_replacement(rows, order)
    return [symmetric_product(product, width) for product in chosen]


def fixes(matrix: Matrix, row: Row, side: int = 1) -> bool:
    """Whether R v = side * v.

    Examples
    --------
    >>> fixes(sympy.diag(1, -1), (S(0), S(2))), fixes(sympy.diag(1, -1), (S(0), S(2)), -1)
    (False, True)
    """
    moved = matrix * Matrix(row)
    return all(
        a == b or sympy.expand(a - b) == 0 for a, b in zip(moved, (side * x for x in row), strict=True)
    )


def defects(tensors: Sequence[Tensor], matrix: Matrix, character: int, order: int) -> list[list[Expr]]:
    """The entries of T[R., .., R.] - chi T for each tensor."""
    n = matrix.shape[0]
    columns = [tuple(matrix[:, j]) for j in range(n)]
    wanted = indices(n, order)
    found = []
    for tensor in tensors:
        image = transformed(tensor, columns, wanted)
        found.append([image.get(s, S.Zero) - character * tensor.get(s, S.Zero) for s in wanted])
    return found


def satisfying(
    numbers: Numbers, tensors: Sequence[Tensor], conditions: Sequence[Sequence[Expr]]
) -> list[Tensor]:
    """A basis of the combinations of the tensors for which all linear conditions vanish.

    Parameters
    ----------
    conditions : list of rows
        For each tensor the values of the conditions, in the same order. One that is not decided is left out.
    """
    equations = [row for row in zip(*conditions, strict=True) if any(x != 0 for x in row)]
    if not equations:
        return list(tensors)
    weights = complement(extended(numbers, Span(width=len(tensors)), equations)[0]).rows
    return combinations(tensors, weights)


def combinations(tensors: Sequence[Tensor], weights: Sequence[Row]) -> list[Tensor]:
    """The linear combinations of the tensors with these rows of weights."""
    return [_combined(tensors, row) for row in weights]


def _combined(tensors: Sequence[Tensor], weights: Row) -> Tensor:
    total: dict[tuple[int, ...], Expr] = {}
    for weight, tensor in zip(weights, tensors, strict=True):
        if weight != 0:
            for index, entry in tensor.items():
                total[index] = total.get(index, S.Zero) + weight * entry
    return {index: entry for index, entry in total.items() if entry != 0}
