"""What flips and exchanges of coordinates leave of T_j(x) = E[He_j(y) f(x + y)], y orthogonal to U.

A flip of z_i fixes U if all rows of U are 0 at i; an exchange does where all rows have equal entries. As a
polynomial in y, T_j is odd in the free coordinates in which f is odd, even in those in which f is even, and
what is left of one power is the same for coordinates that may be exchanged. Its slots are read off that,
without a list of group elements or of entries.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Sequence
from dataclasses import dataclass

import sympy
from sympy import S, Symbol

from hermite_analytics.argument import Fact, Facts
from hermite_analytics.argument.symmetries import (
    EvenInEach,
    EvenInPairs,
    OddInEach,
    SymmetricIn,
    symmetry_of,
)
from hermite_analytics.exponents.spans import Row, Span
from hermite_analytics.gaussian.zero.coordinates import CoordinateSymmetries, kernel

__all__ = ["Allowed", "of_function", "of_label"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Allowed:
    """Vectors that together with U span all slots that the symmetries leave, and what was used."""

    rows: tuple[Row, ...]
    facts: Facts


@dataclass(frozen=True, slots=True)
class _Pattern:
    """The coordinates of odd powers and those of even powers."""

    odd: tuple[int, ...]
    even: tuple[int, ...]


def of_function(
    group: CoordinateSymmetries, variables: Sequence[Symbol], own: Sequence[int], learned: Span, order: int
) -> Allowed:
    """Where f(Rz) = chi f(z).

    Parameters
    ----------
    group : CoordinateSymmetries
        Of f.
    variables : sequence of symbols
    own : sequence of int
        The coordinates that f depends on.
    learned : Span
        U.
    order : int >= 1

    Examples
    --------
    >>> group = CoordinateSymmetries(parities=(-1, -1, -1), classes=((0, 1, 2),))
    >>> z = sympy.symbols("z1:4", real=True)
    >>> [len(of_function(group, z, (0, 1, 2), Span(width=3), k).rows) for k in (2, 3)]
    [0, 3]
    """
    free = _free(own, learned)
    odd = tuple(i for i in group.odd if i in free)
    even = tuple(i for i in group.even if i in free)
    return _allowed(group, variables, own, learned, order, [_Pattern(odd, even)])


def of_label(
    group: CoordinateSymmetries, variables: Sequence[Symbol], own: Sequence[int], learned: Span, order: int
) -> Allowed:
    """The same for E[He_j(y) T(f(x + y))] with any T: only symmetries with f(Rz) = f(z) count.

    Two coordinates in which f is odd may be flipped together: their powers are all even, or all odd.
    """
    free = _free(own, learned)
    odd = tuple(i for i in group.odd if i in free)
    even = tuple(i for i in group.even if i in free)
    if len(odd) < 2:
        return _allowed(group, variables, own, learned, order, [_Pattern((), even)])
    patterns = [_Pattern((), (*odd, *even)), _Pattern(odd, even)]
    found = _allowed(group, variables, own, learned, order, patterns)
    pairs = EvenInPairs(variables=tuple(variables[i] for i in odd))
    facts = (pairs, *(f for f in found.facts if not isinstance(f, OddInEach)))
    return Allowed(rows=found.rows, facts=facts)


def _free(own: Sequence[int], learned: Span) -> set[int]:
    """The coordinates that are orthogonal to U."""
    return {i for i in own if all(row[i] == 0 for row in learned.rows)}


def _allowed(
    group: CoordinateSymmetries,
    variables: Sequence[Symbol],
    own: Sequence[int],
    learned: Span,
    order: int,
    patterns: Sequence[_Pattern],
) -> Allowed:
    rows: dict[tuple[int, ...], None] = {}
    facts: dict[Fact, None] = {}
    for pattern in patterns:
        left = order - len(pattern.odd)
        if left < 0:
            facts.setdefault(_odd(pattern.odd, variables))
            continue
        others = [i for i in own if i not in pattern.odd and i not in pattern.even]
        rows.update(dict.fromkeys((i,) for i in pattern.odd))
        if left >= 2:
            rows.update(dict.fromkeys((i,) for i in (*pattern.even, *others)))
            continue
        even = tuple(i for i in pattern.even if group.parities[i] == 1)
        if even:
            facts.setdefault(_even(even, variables))
        if left == 1:
            flips = _fixing(group.flips, learned) if order == 1 else ()
            moved = [flip for flip in flips if flip & set(others)]
            facts.update(dict.fromkeys(_joint_flip(flip, variables) for flip in moved))
            for places in _classes(group, learned, [i for i in others if not any(i in f for f in moved)]):
                rows.setdefault(places)
                if len(places) > 1:
                    facts.setdefault(_symmetric(places, variables))
    vectors = tuple(tuple(S(int(i in places)) for i in range(learned.width)) for places in rows)
    return Allowed(rows=vectors, facts=tuple(facts))


def _classes(group: CoordinateSymmetries, learned: Span, places: Sequence[int]) -> list[tuple[int, ...]]:
    """The coordinates that may be exchanged without moving U."""
    found: dict[object, list[int]] = {}
    for number, members in enumerate(group.classes):
        for i in members:
            if i in places:
                found.setdefault((number, tuple(row[i] for row in learned.rows)), []).append(i)
    return [tuple(members) for members in found.values()]


def _fixing(flips: Sequence[frozenset[int]], learned: Span) -> tuple[frozenset[int], ...]:
    """A basis of those of their products that fix U."""
    held = {i for row in learned.rows for i, entry in enumerate(row) if entry != 0}
    conditions = [frozenset(n for n, flip in enumerate(flips) if i in flip) for i in held]
    chosen = kernel(conditions, len(flips))
    return tuple(functools.reduce(operator.xor, (flips[n] for n in some)) for some in chosen)


def _joint_flip(places: frozenset[int], variables: Sequence[Symbol], character: int = 1) -> Fact:
    signs = [-1 if i in places else 1 for i in range(len(variables))]
    return symmetry_of(sympy.diag(*signs), character, variables)


def _odd(places: Sequence[int], variables: Sequence[Symbol]) -> Fact:
    if len(places) == 1:
        return _flip(places[0], -1, variables)
    return OddInEach(variables=tuple(variables[i] for i in places))


def _even(places: Sequence[int], variables: Sequence[Symbol]) -> Fact:
    if len(places) == 1:
        return _flip(places[0], 1, variables)
    return EvenInEach(variables=tuple(variables[i] for i in places))


def _symmetric(places: Sequence[int], variables: Sequence[Symbol]) -> Fact:
    if len(places) > 2:
        return SymmetricIn(variables=tuple(variables[i] for i in places))
    i, j = places
    exchange = sympy.eye(len(variables))
    exchange[i, i] = exchange[j, j] = 0
    exchange[i, j] = exchange[j, i] = 1
    return symmetry_of(exchange, 1, variables)


def _flip(place: int, character: int, variables: Sequence[Symbol]) -> Fact:
    return _joint_flip(frozenset((place,)), variables, character)
