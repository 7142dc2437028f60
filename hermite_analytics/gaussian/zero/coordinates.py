"""What the exchanges and flips of single coordinates do to a function, without a list of group elements.

Flips of z_i with f(.., -z_i, ..) = chi_i f generate a group of sign changes; coordinates that may be
exchanged form classes, on each of which all permutations are symmetries. Any number of coordinates costs as
many checks as there are coordinates and classes, where a list of signed permutations has 2^r r! members.
"""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from flint import arb, fmpq
from sympy import Add, Dummy, Expr, Function, Max, Min, Mul, Symbol

from hermite_analytics.foundation.attempts import attempted
from hermite_analytics.foundation.clock import Limit
from hermite_analytics.gaussian.zero.balls import enclosure
from hermite_analytics.gaussian.zero.monomials import Form, OutOfReach, negated
from hermite_analytics.gaussian.zero.own_time import own_time
from hermite_analytics.gaussian.zero.piecewise import merged_signs
from hermite_analytics.gaussian.zero.reader import read
from hermite_analytics.gaussian.zero.ring import Ring
from hermite_analytics.language.kinks import KINKS

__all__ = ["CoordinateSymmetries", "coordinate_symmetries", "kernel"]

_BITS = 96
_MOST_READ = 12  # coordinates of a function that canonical forms are asked about
_OPERATIONS = 60_000  # of canonical forms, for all flips and exchanges together
_SECONDS = 0.5
_MOVED = Function("moved", real=True)  # an extreme that is another one than before
_OWN, _OTHER = Dummy("own", real=True), Dummy("other", real=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class CoordinateSymmetries:
    """Flips and exchanges of coordinates that are verified.

    Attributes
    ----------
    parities : tuple of 1, -1 or None
        chi_i of the flip of z_i alone: f is even or odd in z_i; None where neither was shown.
    classes : tuple of tuples of int
        The places of coordinates that may be exchanged with each other; they are a partition.
    flips : tuple of frozensets of int
        Places that may be flipped together, which leaves f: a basis of what the parities of its terms allow.
    """

    parities: tuple[int | None, ...]
    classes: tuple[tuple[int, ...], ...]
    flips: tuple[frozenset[int], ...] = ()

    @property
    def odd(self) -> tuple[int, ...]:
        """The coordinates in which f is odd."""
        return tuple(i for i, chi in enumerate(self.parities) if chi == -1)

    @property
    def even(self) -> tuple[int, ...]:
        """The coordinates in which f is even, those on which it does not depend among them."""
        return tuple(i for i, chi in enumerate(self.parities) if chi == 1)

    def representative(self, index: Sequence[int]) -> tuple[int, ...]:
        """The one of all indices that exchanges make of this one that falls within each class."""
        found = list(index)
        for places in self.classes:
            for place, power in zip(places, sorted((index[i] for i in places), reverse=True), strict=True):
                found[place] = power
        return tuple(found)


def coordinate_symmetries(expression: Expr, variables: tuple[Symbol, ...]) -> CoordinateSymmetries:
    """The flips and exchanges of coordinates that leave f, or change its sign.

    Parameters
    ----------
    expression : sympy expression
        f; other symbols are left alone.
    variables : tuple of symbols
        z.

    Examples
    --------
    >>> from sympy import sign, symbols
    >>> z = symbols("z1:5", real=True)
    >>> found = coordinate_symmetries(sign(z[0] * z[1] * z[2]) * z[3] ** 2, z)
    >>> found.parities, found.classes
    ((-1, -1, -1, 1), ((0, 1, 2), (3,)))
    """
    with attempted():
        return _found(expression, variables)
    n = len(variables)
    return CoordinateSymmetries(parities=(None,) * n, classes=tuple((i,) for i in range(n)))


@functools.lru_cache(maxsize=512)
def _found(expression: Expr, variables: tuple[Symbol, ...]) -> CoordinateSymmetries:
    reader = _Reader(expression, variables)
    parities = tuple(_parity(reader, v) for v in variables)
    classes: list[list[int]] = []
    marks = [_mark(expression, variables, v) for v in variables]
    for i in range(len(variables)):
        same = (c for c in classes if parities[c[0]] == parities[i] and marks[c[0]] == marks[i])
        home = next((c for c in same if _may_exchange(reader, variables[c[-1]], variables[i])), None)
        if home is None:
            classes.append([i])
        else:
            home.append(i)
    return CoordinateSymmetries(
        parities=parities, classes=tuple(map(tuple, classes)), flips=_joint_flips(expression, variables)
    )


def _joint_flips(expression: Expr, variables: tuple[Symbol, ...]) -> tuple[frozenset[int], ...]:
    """Of a sum of products of functions of single coordinates: those that leave each term."""
    if not expression.is_Add:
        return ()
    odd, moved = list[frozenset[int]](), set[int]()
    for term in expression.args:
        signs: dict[int, int] = {}
        for factor in Mul.make_args(term):
            used = [i for i, v in enumerate(variables) if factor.has(v)]
            chi = _of_one(factor, variables[used[0]]) if len(used) == 1 else None
            if chi is None:
                moved.update(used)
            elif used:
                signs[used[0]] = signs.get(used[0], 1) * chi
        odd.append(frozenset(i for i, chi in signs.items() if chi == -1))
    return kernel([*odd, *(frozenset((i,)) for i in moved)], len(variables))


def _of_one(factor: Expr, v: Symbol) -> int | None:
    return next((chi for chi in (1, -1) if _is_plain(factor, {v: -v}, chi)), None)


def kernel(conditions: Sequence[frozenset[int]], count: int) -> tuple[frozenset[int], ...]:
    """A basis of the sets of numbers below `count` that have an even share with each condition.

    Examples
    --------
    >>> [sorted(found) for found in kernel([frozenset({0}), frozenset({0, 1, 2})], 4)]
    [[1, 2], [3]]
    """
    pivots: dict[int, frozenset[int]] = {}
    for condition in conditions:
        row = condition
        for pivot, other in pivots.items():
            if pivot in row:
                row = row ^ other
        if row:
            first = min(row)
            pivots = {p: other ^ row if first in other else other for p, other in pivots.items()}
            pivots[first] = row
    free = [i for i in range(count) if i not in pivots]
    return tuple(frozenset({i, *(p for p, row in pivots.items() if i in row)}) for i in free)


class _Reader:
    """Compares f with itself at moved coordinates: as sympy writes it, else by canonical forms."""

    def __init__(self, expression: Expr, variables: tuple[Symbol, ...]) -> None:
        self.expression = expression
        self._ring = Ring(_OPERATIONS)
        self._seconds = _SECONDS
        parameters = expression.free_symbols - set(variables)
        moves = any(a.free_symbols & parameters for a in expression.atoms(*KINKS))
        self._may_read = len(expression.free_symbols) <= _MOST_READ and not moves
        names = sorted({s.name for s in expression.free_symbols} | {v.name for v in variables})
        self._point = {
            name: arb(fmpq(37 * k * k + 11 * k + 5, 61 + 7 * k)) / 17 for k, name in enumerate(names, 1)
        }

    def character(self, images: dict[Symbol, Expr], possible: Sequence[int]) -> int | None:
        """chi, one of the possible ones, if f at the images is chi f."""
        for chi in possible:
            if _is_plain(self.expression, images, chi):
                return chi
        return self._by_forms(images, possible) if self._may_read else None

    def _by_forms(self, images: dict[Symbol, Expr], possible: Sequence[int]) -> int | None:
        if self._seconds <= 0:
            return None
        start = Limit(self._seconds, interrupts=False)
        try:
            with own_time(self._seconds):
                possible = [chi for chi in possible if self._may_have(images, chi)]
                moved = self.expression.xreplace(images)
                form = merged_signs(self._ring, read(self._ring, moved)) if possible else {}
                if 1 in possible and form == self._merged:
                    return 1
                return -1 if -1 in possible and form == negated(self._merged) else None
        except (OutOfReach, RecursionError):
            return None
        finally:
            self._seconds -= start.used()

    def _may_have(self, images: dict[Symbol, Expr], character: int) -> bool:
        """Whether the values at one point in general position allow it: they reject, and accept nothing."""
        moved = dict(self._point)
        for v, image in images.items():
            name = next(iter(image.free_symbols)).name
            moved[v.name] = self._point[name] if image.is_Symbol else -self._point[name]
        there = enclosure(self._form, _BITS, moved)
        return bool((there - character * self._value).contains(0))

    @functools.cached_property
    def _form(self) -> Form:
        return read(self._ring, self.expression)

    @functools.cached_property
    def _merged(self) -> Form:
        return merged_signs(self._ring, self._form)

    @functools.cached_property
    def _value(self) -> arb:
        return enclosure(self._form, _BITS, self._point)


def _is_plain(expression: Expr, images: dict[Symbol, Expr], character: int) -> bool:
    """Whether sympy writes f at the images as chi f; of a sum only the terms that move are written."""
    if expression.is_Add:
        touched = [a for a in expression.args if a.has(*images)]
        if character == -1 and len(touched) < len(expression.args):
            return False
        moved = Counter(_moved(a, images) for a in touched)
        return moved == Counter(character * a for a in touched)
    return bool(_moved(expression, images) == character * expression)


def _moved(expression: Expr, images: dict[Symbol, Expr]) -> Expr:
    """f at the images; sympy compares all pairs of arguments of a new max, which is left aside."""
    if not expression.has(*images):
        return expression
    if not expression.args:
        return images.get(expression, expression)
    arguments = [_moved(a, images) for a in expression.args]
    if isinstance(expression, Max | Min):
        return expression if set(arguments) == set(expression.args) else _MOVED(*arguments)
    return expression.func(*arguments)


def _parity(reader: _Reader, v: Symbol) -> int | None:
    return reader.character({v: -v}, (1, -1)) if reader.expression.has(v) else 1


def _may_exchange(reader: _Reader, v: Symbol, w: Symbol) -> bool:
    return reader.character({v: w, w: v}, (1,)) == 1


def _mark(expression: Expr, variables: tuple[Symbol, ...], v: Symbol) -> object:
    """What two coordinates have in common that sympy exchanges; nothing is asked where there are few."""
    if len(variables) <= _MOST_READ:
        return None
    images = {w: _OWN if w == v else _OTHER for w in variables}
    parts = expression.args if isinstance(expression, Add | Mul | Max | Min) else (expression,)
    touched = [a.xreplace(images) for a in parts if a.has(v)]
    return frozenset(Counter(touched).items())
