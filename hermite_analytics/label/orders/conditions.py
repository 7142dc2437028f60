"""Linear conditions on symmetric tensors, and the isometries that are tried first."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

import sympy
from sympy import Expr, Matrix, S

from hermite_analytics.exponents.contraction import Tensor, contract
from hermite_analytics.exponents.spans import Row

__all__ = ["filled", "flips_and_exchanges", "orthogonal", "traces"]

_MOST_FLIPPED = 6


def orthogonal(rows: Sequence[Row], others: Sequence[Row]) -> bool:
    """Whether all rows are orthogonal to all others."""
    pairs = itertools.product(rows, others)
    return all(sympy.expand(sum(a * b for a, b in zip(u, v, strict=True))) == 0 for u, v in pairs)


def filled(tensor: Tensor, first: Sequence[Row], rest: Sequence[Row], slots: int) -> list[Expr]:
    """The numbers T[first.., u..] for all u in the rest of the slots."""
    for row in first:
        tensor = contract(tensor, row)
    chosen = itertools.combinations_with_replacement(rest, slots)
    return [_value(tensor, rows) for rows in chosen]


def traces(tensor: Tensor, block: Sequence[Row], pairs: int, rest: Sequence[Row], order: int) -> list[Expr]:
    """The numbers tr_W^m T[u, ..] for all u."""
    for _ in range(pairs):
        tensor = _trace(tensor, block)
    chosen = itertools.combinations_with_replacement(rest, order - 2 * pairs)
    return [_value(tensor, rows) for rows in chosen]


def _trace(tensor: Tensor, block: Sequence[Row]) -> Tensor:
    """The sum of T[e, e, ..] over an orthonormal basis of a block."""
    total: dict[tuple[int, ...], Expr] = {}
    for row in block:
        length = sympy.Add(*(x**2 for x in row))
        for index, entry in contract(contract(tensor, row), row).items():
            total[index] = sympy.expand(total.get(index, S.Zero) + entry / length)
    return {index: entry for index, entry in total.items() if entry != 0}


def _value(tensor: Tensor, rows: Sequence[Row]) -> Expr:
    """T[u1, .., uk], all slots filled."""
    for row in rows:
        tensor = contract(tensor, row)
    return sympy.expand(next(iter(tensor.values()), S.Zero))


def flips_and_exchanges(n: int) -> Iterator[Matrix]:
    """Sign flips, and exchanges of two variables with a common sign; for many variables the smallest."""
    most = n if n <= _MOST_FLIPPED else 2
    for size in range(1, most + 1):
        for flipped in itertools.combinations(range(n), size):
            yield sympy.diag(*(-1 if i in flipped else 1 for i in range(n)))
    for i, j in itertools.combinations(range(n), 2):
        for side in (1, -1):
            matrix = sympy.eye(n)
            matrix[i, i] = matrix[j, j] = 0
            matrix[i, j] = matrix[j, i] = side
            yield matrix
