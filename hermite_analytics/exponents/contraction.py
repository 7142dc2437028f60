"""Contractions of symmetric tensors, stored by multi-index: C_n[i1..in] = c_S with S counting the indices."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from sympy import Expr, Rational, S

from hermite_analytics.exponents.spans import Row

__all__ = [
    "Index",
    "Slot",
    "Tensor",
    "contract",
    "contractions",
    "named_slots",
    "slots",
    "symmetric_product",
    "transformed",
    "vectors_of",
]

Index = tuple[int, ...]
Tensor = Mapping[Index, Expr]  # entries that are 0 are left out


def contract(tensor: Tensor, vector: Sequence[Expr]) -> dict[Index, Expr]:
    """C[v, ., ...]: one slot filled, one degree less.

    Examples
    --------
    >>> contract({(2, 0): S(2), (1, 1): S(3)}, (S(1), S(-1)))
    {(1, 0): -1, (0, 1): 3}
    """
    result: dict[Index, Expr] = {}
    for index, entry in tensor.items():
        for i, power in enumerate(index):
            if power and vector[i] != 0:
                lower = (*index[:i], power - 1, *index[i + 1 :])
                result[lower] = result.get(lower, S.Zero) + vector[i] * entry
    return {index: entry for index, entry in result.items() if entry != 0}


@dataclass(frozen=True, slots=True)
class Slot:
    """A vector C_n[., v.., u..], and what stands in its other slots.

    Attributes
    ----------
    vector : row
    index : tuple of int or None
        These are unit vectors, so many of each coordinate; None where they are `rows`.
    rows : tuple of rows
    """

    vector: Row
    index: Index | None
    rows: tuple[Row, ...]


def contractions(tensor: Tensor, rows: Sequence[Row], times: int) -> Iterator[Tensor]:
    """C[v1, .., vm, ., ...] for all multisets of m = `times` rows, as far as they do not cancel."""
    return (contracted for contracted, _ in _contractions(tensor, rows, times))


def _contractions(
    tensor: Tensor, rows: Sequence[Row], times: int, used: tuple[Row, ...] = ()
) -> Iterator[tuple[Tensor, tuple[Row, ...]]]:
    """The same with the rows of each."""
    if times == 0:
        yield tensor, used
        return
    for i, row in enumerate(rows):
        smaller = contract(tensor, row)
        if smaller:
            yield from _contractions(smaller, rows[i:], times - 1, (*used, row))


def slots(tensor: Tensor, learned: Sequence[Row], unlearned: Sequence[Row], order: int) -> Iterator[Row]:
    """The vectors C_n[., v.., u..]: `order` - 1 slots in unlearned directions, the others in learned ones.

    Together with the learned directions they span what a step of this order learns from C_n.
    """
    return (slot.vector for slot in named_slots(tensor, learned, unlearned, order))


def named_slots(
    tensor: Tensor, learned: Sequence[Row], unlearned: Sequence[Row], order: int
) -> Iterator[Slot]:
    """The same with what stands in the other slots."""
    if not tensor:
        return
    degree, width = sum(next(iter(tensor))), len(next(iter(tensor)))
    outside = _axes(unlearned)
    if outside is not None and _axes(learned) is not None:
        inside = [i for i in range(width) if i not in outside]
        crossing = {s: x for s, x in tensor.items() if degree - sum(s[i] for i in inside) == order}
        for index, vector in _vectors(crossing, width, outside):
            yield Slot(vector=vector, index=index, rows=())
        return
    for inner, below in _contractions(tensor, learned, degree - order):
        for last, others in _contractions(inner, unlearned, order - 1):
            yield Slot(vector=_row(last, width), index=None, rows=(*others, *below))


def vectors_of(tensor: Tensor, width: int) -> Iterator[Row]:
    """The vectors C[., e.., e..] with unit vectors e in all slots but one: what the tensor spans."""
    return (vector for _, vector in _vectors(tensor, width, range(width)))


def _vectors(tensor: Tensor, width: int, places: Iterable[int]) -> Iterator[tuple[Index, Row]]:
    """The vectors C[., e.., e..] with their entries at some places, those that are not 0, by the e."""
    vectors: dict[Index, dict[int, Expr]] = {}
    chosen = tuple(places)
    for index, entry in tensor.items():
        for i in chosen:
            if index[i]:
                lower = (*index[:i], index[i] - 1, *index[i + 1 :])
                vectors.setdefault(lower, {})[i] = entry
    for index, vector in vectors.items():
        yield index, tuple(vector.get(i, S.Zero) for i in range(width))


def _axes(rows: Sequence[Row]) -> set[int] | None:
    """The places of unit vectors; None if others are among the rows."""
    found = set()
    for row in rows:
        places = [i for i, x in enumerate(row) if x != 0]
        if len(places) != 1:
            return None
        found.update(places)
    return found


def symmetric_product(rows: Sequence[Row], width: int) -> dict[Index, Expr]:
    """The symmetric tensor T with T(x) = (v1.x)...(vj.x)."""
    product: dict[Index, Expr] = {(0,) * width: S.One}
    for row in rows:
        longer: dict[Index, Expr] = {}
        for index, entry in product.items():
            for i, x in enumerate(row):
                if x != 0:
                    higher = (*index[:i], index[i] + 1, *index[i + 1 :])
                    longer[higher] = longer.get(higher, S.Zero) + x * entry
        product = longer
    whole = math.factorial(len(rows))
    weights = {s: Rational(math.prod(map(math.factorial, s)), whole) for s in product}
    return {s: weights[s] * entry for s, entry in product.items() if entry != 0}


def transformed(tensor: Tensor, columns: Sequence[Row], indices: Sequence[Index]) -> dict[Index, Expr]:
    """The tensor T[R., .., R.] with the given columns of R, at the given indices."""
    width = len(columns)
    result = {}
    for index in indices:
        inner: Tensor = tensor
        for column, power in zip(columns, index, strict=True):
            for _ in range(power):
                inner = contract(inner, column)
        entry = inner.get((0,) * width, S.Zero)
        if entry != 0:
            result[index] = entry
    return result


def _row(vector: Tensor, width: int) -> Row:
    return tuple(vector.get(tuple(int(i == j) for j in range(width)), S.Zero) for i in range(width))
