"""The Hermite tensors of a function from those of its parts, without arrays of r^k entries.

    f = sum_t a_t prod_p g_tp(z_B),      c_S = sum_t a_t prod_p E[He_{S_B} g_tp],

the blocks B of coordinates of one product disjoint. A tensor is listed by the products of the entries of
small tensors, from the lowest degree at which each part has one: the product of 12 signs has the lowest
degree 12, and one entry there.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence
from typing import Protocol

import sympy
from sympy import Expr, Symbol

from hermite_analytics.evidence import Evidence, Quantity
from hermite_analytics.exponents.contraction import Index, Tensor
from hermite_analytics.exponents.leaves import Leaf
from hermite_analytics.exponents.numbers import Numbers
from hermite_analytics.exponents.terms import Product, product, summands
from hermite_analytics.foundation.clock import check_time
from hermite_analytics.gaussian.quantities import constant_quantity
from hermite_analytics.symbols import variable, xi

__all__ = ["SparseTensors", "separate_mean"]

_HIGHEST = 40  # degree up to which entries are counted


class Part(Protocol):
    """A function of z1, .., zm whose tensors are known."""

    def tensor(self, degree: int, *, closed: bool = False) -> Tensor | None:
        """The entries that are not proved to be 0; None if a closed form is asked for and missing."""

    def numbers_of(self, degree: int) -> Iterator[Quantity]:
        """The numbers up to a degree that were asked for."""

    def most(self, degree: int) -> int:
        """A bound on the number of entries."""

    @property
    def is_separate(self) -> bool:
        """Whether all numbers are integrals over one line."""

    def symmetric_zeros(self, degree: int) -> list[Index]:
        """Some S of this degree at which a symmetry was what proved that the number is 0."""


class SparseTensors:
    """C_k = E[He_k(z) f(z, xi)] for all k that are asked for, entries that are proved to be 0 left out.

    Equal functions of different coordinates share their numbers: tanh(z1) + 2 tanh(z2) has C_1 = (m, 2m),
    which spans (1, 2) whatever m is; tanh(z1) (z2^2 - 1) has c_(1, 0) = m 0, which no ball would show.

    Parameters
    ----------
    expression : sympy expression
    variables : tuple of symbols
    numbers : Numbers
        Where the letters of enclosed numbers are kept.

    Examples
    --------
    >>> z = tuple(variable(i) for i in range(1, 13))
    >>> tensors = SparseTensors(sympy.sign(sympy.Mul(*z)), z, Numbers())
    >>> tensors.tensor(11), tensors.tensor(12)
    ({}, {(1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1): 64/pi**6})
    """

    def __init__(
        self,
        expression: Expr,
        variables: tuple[Symbol, ...],
        numbers: Numbers,
        parts: dict[Expr, Part] | None = None,
    ) -> None:
        self._variables, self._numbers = variables, numbers
        self._parts: dict[Expr, Part] = {} if parts is None else parts
        terms = summands(expression, variables) if expression != 0 else []
        self._terms: list[Product] = [product(term, variables) for term in terms]
        self._known: dict[tuple[int, bool], Tensor | None] = {}

    def tensor(self, degree: int, *, closed: bool = False) -> Tensor | None:
        """The entries of C_k that are not proved to be 0.

        Parameters
        ----------
        degree : int >= 0
        closed : bool
            Only closed forms: None where an entry has none.
        """
        key = degree, closed
        if key not in self._known:
            self._known[key] = self._sum(degree, closed)
        return self._known[key]

    def numbers_of(self, degree: int) -> Iterator[Quantity]:
        """The numbers up to a degree that were asked for."""
        for piece in dict.fromkeys(p.function for term in self._terms for p in term.pieces):
            yield from self._part(piece).numbers_of(degree)

    def evidence(self, degree: int) -> Evidence:
        """EXACT if all numbers up to this degree are closed forms, else PROVED."""
        exact = all(q.evidence is Evidence.EXACT for q in self.numbers_of(degree))
        return Evidence.EXACT if exact else Evidence.PROVED

    def most(self, degree: int) -> int:
        """A bound on the number of entries of C_k."""
        return sum(self._most_of(term)[degree] for term in self._terms)

    @functools.cached_property
    def is_separate(self) -> bool:
        """Whether all numbers are integrals over one line."""
        pieces = {piece.function for term in self._terms for piece in term.pieces}
        return all(self._part(piece).is_separate for piece in pieces)

    def symmetric_zeros(self, degree: int) -> list[Index]:
        """Some S of this degree at which a part alone vanishes by a symmetry."""
        found = []
        for term in self._terms:
            for piece in term.pieces:
                part = self._part(piece.function)
                zeros = part.symmetric_zeros(degree)
                found += [self._placed(index, piece.places) for index in zeros]
        return found

    def _sum(self, degree: int, closed: bool) -> Tensor | None:
        total: dict[Index, list[Expr]] = {}
        for term in self._terms:
            check_time()
            entries = self._of_product(term, degree, closed)
            if entries is None:
                return None
            for index, entry in entries.items():
                total.setdefault(index, []).append(entry)
        sums = {
            index: entries[0] if len(entries) == 1 else sympy.Add(*entries)
            for index, entries in total.items()
        }
        is_zero = self._numbers.is_zero
        return {s: x for s, x in sums.items() if len(total[s]) == 1 or (x != 0 and is_zero(x) is not True)}

    def _of_product(self, term: Product, degree: int, closed: bool) -> Tensor | None:
        """The entries of one product: for each part a degree above its lowest one."""
        parts = [self._part(piece.function) for piece in term.pieces]
        lowest, spare = [], degree
        for part in parts:
            low = next((d for d in range(spare + 1) if part.tensor(d, closed=closed) != {}), None)
            if low is None:
                return {}
            lowest.append(low)
            spare -= low
        zero = (0,) * len(self._variables)
        products: dict[int, dict[Index, Expr]] = {spare: {zero: term.factor}}
        for piece, part, low in zip(term.pieces, parts, lowest, strict=True):
            following: dict[int, dict[Index, Expr]] = {}
            for left, entries in products.items():
                for more in range(left + 1):
                    check_time()
                    tensor = part.tensor(low + more, closed=closed)
                    if tensor is None:
                        return None
                    longer = following.setdefault(left - more, {})
                    for (index, x), (own, y) in ((a, b) for a in entries.items() for b in tensor.items()):
                        longer[_filled(index, own, piece.places)] = x * y
            products = following
        return products.get(0, {})

    def _most_of(self, term: Product) -> tuple[int, ...]:
        return _convolved(tuple(self._part(piece.function) for piece in term.pieces))

    def _part(self, function: Expr) -> Part:
        if function not in self._parts:
            width = len(function.free_symbols - {xi})
            own = tuple(variable(j + 1) for j in range(width))
            if function.is_Add and len(summands(function, own)) > 1:
                self._parts[function] = SparseTensors(function, own, self._numbers, self._parts)
            else:
                self._parts[function] = Leaf(function, own, self._numbers)
        return self._parts[function]

    def _placed(self, index: Index, places: Sequence[int]) -> Index:
        return _filled((0,) * len(self._variables), index, places)


def separate_mean(expression: Expr, variables: tuple[Symbol, ...]) -> Quantity | None:
    """E[f] of a sum of products over separate coordinates in closed form; None where there is none.

    Examples
    --------
    >>> z = tuple(variable(i) for i in range(1, 13))
    >>> print(separate_mean(sympy.Abs(sympy.Mul(*z)) / 2, z))
    32/pi**6
    """
    tensors = SparseTensors(expression, variables, Numbers())
    found = tensors.tensor(0, closed=True)
    return None if found is None else constant_quantity(sympy.Add(*found.values()))


@functools.lru_cache(maxsize=512)
def _convolved(parts: tuple[Part, ...]) -> tuple[int, ...]:
    counts = [1] + [0] * _HIGHEST
    for part in parts:
        own = [part.most(d) for d in range(_HIGHEST + 1)]
        counts = [sum(counts[d - k] * own[k] for k in range(d + 1)) for d in range(_HIGHEST + 1)]
    return tuple(counts)


def _filled(index: Index, own: Index, places: Sequence[int]) -> Index:
    """The index with the powers of a part at its places."""
    found = list(index)
    for place, power in zip(places, own, strict=True):
        found[place] = power
    return tuple(found)
