"""Moments of the powers of polynomials in which each coordinate stands once, as z1 (1 + z2 (1 + z3)).

A sum of polynomials of separate coordinates, a product of them, or a polynomial of one coordinate:

    E[(A + B)^p He_S] = sum_q C(p, q) E[A^q He_{S_A}] E[B^(p-q) He_{S_B}],
    E[(A B)^p He_S] = E[A^p He_{S_A}] E[B^p He_{S_B}].

No power is ever expanded.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from flint import fmpq, fmpq_poly

from hermite_analytics.exponents.contraction import Index
from hermite_analytics.foundation.clock import check_time

__all__ = ["Nested", "nested"]

Terms = Mapping[Index, fmpq]


@dataclass(frozen=True, slots=True, eq=False)
class Nested:
    """A polynomial as a tree over separate coordinates; a moment is remembered by its power and its own S.

    Attributes
    ----------
    places : tuple of int
        Its coordinates.
    """

    places: tuple[int, ...]
    _known: dict[tuple[int, Index], fmpq] = field(default_factory=dict, init=False, repr=False)

    def moment(self, power: int, index: Index) -> fmpq:
        """E[f^p He_S], S with an entry for each coordinate of the whole."""
        key = power, tuple(index[i] for i in self.places)
        if key not in self._known:
            check_time()
            self._known[key] = self._moment(power, index)
        return self._known[key]

    def _moment(self, power: int, index: Index) -> fmpq:
        raise NotImplementedError


@dataclass(frozen=True, slots=True, eq=False)
class _Single(Nested):
    polynomial: fmpq_poly

    def _moment(self, power: int, index: Index) -> fmpq:
        s = index[self.places[0]] if self.places else 0
        coefficients = (self.polynomial**power).coeffs()
        return sum((c * one_moment(s, a) for a, c in enumerate(coefficients) if (a - s) % 2 == 0), fmpq(0))


@dataclass(frozen=True, slots=True, eq=False)
class _Sum(Nested):
    first: Nested
    second: Nested

    def _moment(self, power: int, index: Index) -> fmpq:
        parts = (
            math.comb(power, q) * self.first.moment(q, index) * self.second.moment(power - q, index)
            for q in range(power + 1)
        )
        return sum(parts, fmpq(0))


@dataclass(frozen=True, slots=True, eq=False)
class _Product(Nested):
    first: Nested
    second: Nested

    def _moment(self, power: int, index: Index) -> fmpq:
        return self.first.moment(power, index) * self.second.moment(power, index)


def nested(terms: Terms) -> Nested | None:
    """The tree of a polynomial that is given as {powers: coefficient}; None for what is no such tree.

    Examples
    --------
    >>> tree = nested({(1, 0): fmpq(1), (1, 1): fmpq(1)})  # z1 (1 + z2)
    >>> [tree.moment(p, (0, 1)) for p in (1, 2)]
    [0, 2]
    """
    places = tuple(sorted({i for powers in terms for i, a in enumerate(powers) if a}))
    if len(places) <= 1:
        highest = max((powers[i] for powers in terms for i in places), default=0)
        coefficients = [fmpq(0)] * (highest + 1)
        for powers, c in terms.items():
            coefficients[powers[places[0]] if places else 0] += c
        return _Single(places, fmpq_poly(coefficients))
    blocks = _blocks(terms)
    if len(blocks) > 1:
        parts = [nested(block) for block in blocks]
        return None if None in parts else functools.reduce(_added, [p for p in parts if p is not None])
    return _factored(terms, places)


def _added(a: Nested, b: Nested) -> Nested:
    return _Sum((*a.places, *b.places), a, b)


def _blocks(terms: Terms) -> list[dict[Index, fmpq]]:
    """The terms that are joined by common coordinates; the constant by itself."""
    groups: list[tuple[set[int], dict[Index, fmpq]]] = []
    for powers, c in terms.items():
        own = {i for i, a in enumerate(powers) if a}
        joined = [g for g in groups if g[0] & own]
        groups = [g for g in groups if not g[0] & own]
        merged = {powers: c}
        for names, others in joined:
            own |= names
            merged |= others
        groups.append((own, merged))
    return [block for _, block in groups]


def _factored(terms: Terms, places: Sequence[int]) -> Nested | None:
    """z_i^a (..) with the rest free of z_i."""
    for i in places:
        exponents = {powers[i] for powers in terms}
        if len(exponents) == 1:
            [a] = exponents
            rest = nested({(*powers[:i], 0, *powers[i + 1 :]): c for powers, c in terms.items()})
            if rest is None:
                return None
            return _Product((i, *rest.places), _Single((i,), fmpq_poly([0] * a + [1])), rest)
    return None


@functools.cache
def one_moment(s: int, a: int) -> int:
    """E[He_s(z) z^a] = a!/(m! 2^m), m = (a - s)/2, for s of the parity of a."""
    m = (a - s) // 2
    return 0 if a < s else math.factorial(a) // (math.factorial(m) * 2**m)
