"""The Hermite tensors of one function that is no sum and no product of functions of separate coordinates.

Of few coordinates a table up to a degree. Of many only what flips and exchanges of coordinates leave: an
index S of the wrong parity is never looked at, and of the indices of one orbit a single one is computed.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterator, Mapping, Sequence
from typing import TypeVar

from sympy import Expr, Symbol
from sympy.utilities.iterables import multiset_permutations

from hermite_analytics.coefficient_table import coefficient_table, hermite_product
from hermite_analytics.evidence import Evidence, Quantity
from hermite_analytics.exponents.contraction import Index, Tensor
from hermite_analytics.exponents.numbers import Numbers
from hermite_analytics.foundation.clock import TimeEnded, allowed, check_time, limited, share
from hermite_analytics.gaussian.association import second_coefficient
from hermite_analytics.gaussian.coefficients import closed_coefficients, count, exact_coefficients
from hermite_analytics.gaussian.enclosure import nonzero_coefficients
from hermite_analytics.gaussian.extremes import extreme_coefficient, is_extreme_of_separate
from hermite_analytics.gaussian.quantities import quantity_of_ball, total
from hermite_analytics.gaussian.reals import NoClosedForm
from hermite_analytics.gaussian.terms import NotInNormalForm
from hermite_analytics.gaussian.zero.coordinates import CoordinateSymmetries, coordinate_symmetries
from hermite_analytics.gaussian.zero.tensors import indices
from hermite_analytics.symbols import xi

__all__ = ["Leaf"]

_FEW = 3  # coordinates of which all coefficients up to a degree are computed together
_MOST_TOGETHER = 1000  # coefficients of one table
_DIGITS = 18
_DIGITS_TOGETHER = 8  # of functions of several coordinates: whether a number is 0 is asked
_BOXED = 3  # coordinates, and the noise
_BOX_DEGREE = 4
_SHARE = 0.6  # of the time left, for one table
_CLOSED_SHARE = 0.4  # of the time left, for closed forms alone
T = TypeVar("T")


class Leaf:
    """E[He_S g] of a function g of z1, .., zm, and of the label noise.

    Parameters
    ----------
    function : sympy expression
    variables : tuple of symbols
        z1, .., zm; g depends on all of them.
    numbers : Numbers

    Examples
    --------
    >>> from sympy import sin, symbols
    >>> z = symbols("z1:3", real=True)
    >>> Leaf(sin(z[0] + z[1]), z, Numbers()).tensor(1)
    {(1, 0): exp(-1), (0, 1): exp(-1)}
    """

    def __init__(self, function: Expr, variables: tuple[Symbol, ...], numbers: Numbers) -> None:
        self._function, self._variables = function, variables
        self._numbers = numbers
        self._reached = -1
        self._found: dict[Index, Quantity] = {}
        self._closed_reached = -1
        self._closed: dict[Index, Expr] = {}
        self._tensors: dict[tuple[int, bool], Tensor | None] = {}
        self._symmetries: CoordinateSymmetries | None = None
        self._counts: list[int] = []

    def tensor(self, degree: int, *, closed: bool = False) -> Tensor | None:
        """The entries of C_k that are not proved to be 0; None if a closed form is asked for and missing."""
        key = degree, closed
        if key not in self._tensors:
            self._tensors[key] = self._closed_entries(degree) if closed else self._entries(degree)
        return self._tensors[key]

    def numbers_of(self, degree: int) -> Iterator[Quantity]:
        """The numbers up to a degree that were asked for."""
        return (q for s, q in self._found.items() if sum(s) <= degree)

    def symmetric_zeros(self, degree: int) -> list[Index]:
        """The S of this degree at which a symmetry was what proved that the number is 0."""
        return [
            s for s, q in self._found.items() if sum(s) == degree and q.zero and q.evidence is Evidence.PROVED
        ]

    def most(self, degree: int) -> int:
        """A bound on the number of entries: the indices of the right parity in each coordinate."""
        if degree >= len(self._counts):
            self._counts = _counted(self._group.parities, max(degree, 2 * len(self._counts)))
        return self._counts[degree]

    @property
    def is_separate(self) -> bool:
        """Whether all numbers are integrals over one line."""
        return len(self._variables) < 2 or is_extreme_of_separate(self._function)

    @property
    def _group(self) -> CoordinateSymmetries:
        if self._symmetries is None:
            self._symmetries = coordinate_symmetries(self._function, self._variables)
        return self._symmetries

    def _entries(self, degree: int) -> Tensor:
        self._reach(degree)
        found = {s: q for s, q in self._found.items() if sum(s) == degree and not q.zero}
        return self._spread({s: self._letter(s, q) if q.exact is None else q.exact for s, q in found.items()})

    def _closed_entries(self, degree: int) -> Tensor | None:
        if self._function.has(xi):
            return None
        wanted = [s for s in self._wanted(degree) if sum(s) == degree]
        if self._closed_reached < degree:
            self._closed_reached = degree
            everything = self._wanted(degree)
            self._closed |= self._in_closed_form([s for s in everything if s not in self._closed], degree)
        if not all(s in self._closed for s in wanted):
            return None
        found = {s: self._closed[s] for s in wanted}
        return self._spread({s: x for s, x in found.items() if self._numbers.is_zero(x) is not True})

    def _in_closed_form(self, wanted: list[Index], degree: int) -> Mapping[Index, Expr]:
        if is_extreme_of_separate(self._function):
            self._reach(degree)
            return {s: self._found[s].exact for s in wanted if self._found[s].exact is not None}
        try:
            with limited(share(_CLOSED_SHARE)):
                try:
                    return exact_coefficients(self._function, self._variables, degree, wanted=wanted)
                except NotInNormalForm:
                    return {}
                except NoClosedForm:
                    return closed_coefficients(self._function, self._variables, degree, wanted=wanted)
        except TimeEnded as ended:
            check_time()  # a clock that was set around this one
            return ended.found

    def _reach(self, degree: int) -> None:
        """The numbers up to this degree, of a function of few coordinates some more."""
        if degree <= self._reached:
            return
        reached = degree
        if len(self._variables) <= _FEW:
            reached = max(degree, 2 * self._reached)
            while reached > degree and count(len(self._variables), reached) > _MOST_TOGETHER:
                reached -= 1
        wanted = [s for s in self._wanted(reached) if s not in self._found]
        self._found |= self._table(wanted, reached)
        self._reached = reached

    def _wanted(self, degree: int) -> list[Index]:
        """All indices up to a degree; of many coordinates one of each orbit."""
        if len(self._variables) <= _FEW:
            return [s for d in range(degree + 1) for s in indices(len(self._variables), d)]
        return [s for d in range(degree + 1) for s in representatives(self._group, d)]

    def _table(self, wanted: list[Index], degree: int) -> Mapping[Index, Quantity]:
        z = self._variables
        with allowed(share(_SHARE)):
            if is_extreme_of_separate(self._function):
                return {s: extreme_coefficient(self._function, z, s, digits=_DIGITS) for s in wanted}
            closed, left = self._function.as_independent(xi, as_Add=True)
            table_of = functools.partial(  # an estimate proves nothing
                coefficient_table,
                variables=z,
                degree=degree,
                wanted=wanted,
                digits=_DIGITS_TOGETHER,
                estimates=False,
            )
            table = table_of(closed)
            if left == 0:
                table = {s: (self._by_size(s) or q) if q.zero is None else q for s, q in table.items()}
            else:
                noisy = table_of(left, noise=(xi,))
                table = {index: total([q, noisy[index]]) for index, q in table.items()}
            undecided = [s for s, q in table.items() if q.zero is None]
            return {**table, **self._by_boxes(undecided)}

    def _by_boxes(self, undecided: list[Index]) -> dict[Index, Quantity]:
        """Those that balls of the function on boxes show to be nonzero; it may jump along curves."""
        noise = (xi,) if self._function.has(xi) else ()
        everything = (*self._variables, *noise)
        if len(everything) > _BOXED:
            return {}
        padded = {(*s, *(0 for _ in noise)): s for s in undecided if sum(s) <= _BOX_DEGREE}
        found = nonzero_coefficients(self._function, everything, padded)
        return {padded[s]: quantity_of_ball(ball) for s, ball in found.items()}

    def _by_size(self, index: Index) -> Quantity | None:
        """E[He_2(z_i) g] of a function that grows or falls with |z_i|, whose enclosure did not exclude 0."""
        if sum(index) != 2 or max(index) != 2:
            return None
        z = self._variables[index.index(2)]
        ball = second_coefficient(self._function, z, [v for v in self._variables if v != z])
        return None if ball is None else quantity_of_ball(ball)

    def _spread(self, found: Mapping[Index, T]) -> dict[Index, T]:
        """The numbers of all indices of the orbits."""
        if len(self._variables) <= _FEW:
            return dict(found)
        return {s: x for first, x in found.items() for s in orbit(self._group, first)}

    def _letter(self, index: Index, q: Quantity) -> Expr:
        return self._numbers.letter(q, mean_of=hermite_product(index, self._variables) * self._function)


def representatives(group: CoordinateSymmetries, degree: int) -> Iterator[Index]:
    """One index S, |S| = degree, of each orbit, of the parity that the flips leave.

    Examples
    --------
    >>> group = CoordinateSymmetries(parities=(-1, -1, None), classes=((0, 1), (2,)))
    >>> list(representatives(group, 4))
    [(1, 1, 2), (3, 1, 0)]
    """
    found: list[tuple[int, dict[int, int]]] = [(degree, {})]
    for places in group.classes:
        chi = group.parities[places[0]]
        first, by = {1: (0, 2), -1: (1, 2), None: (0, 1)}[chi]
        found = [
            (left - sum(powers), {**chosen, **dict(zip(places, powers, strict=True))})
            for left, chosen in found
            for powers in _decreasing(len(places), left, first, by)
        ]
    for left, chosen in found:
        if left == 0:
            yield tuple(chosen[i] for i in range(len(group.parities)))


def _counted(parities: Sequence[int | None], most: int) -> list[int]:
    """How many indices of the right parity in each coordinate have each degree up to the largest."""
    counts = [1] + [0] * most
    for chi in parities:
        first, by = {1: (0, 2), -1: (1, 2), None: (0, 1)}[chi]
        shifted = [0] * first + counts[: most + 1 - first]
        for d in range(by, most + 1):
            shifted[d] += shifted[d - by]
        counts = shifted
    return counts


def _decreasing(
    size: int, most: int, first: int, by: int, largest: int | None = None
) -> Iterator[tuple[int, ...]]:
    """The sequences that do not increase, of numbers first, first + by, .., with a sum of at most `most`."""
    if size == 0:
        yield ()
        return
    top = most - (size - 1) * first
    top = top if largest is None else min(top, largest)
    for power in range(first, top + 1, by):
        for rest in _decreasing(size - 1, most - power, first, by, power):
            yield (power, *rest)


def orbit(group: CoordinateSymmetries, index: Index) -> Iterator[Index]:
    """All indices that exchanges make of this one.

    Examples
    --------
    >>> group = CoordinateSymmetries(parities=(None,) * 3, classes=((0, 1, 2),))
    >>> list(orbit(group, (1, 0, 0)))
    [(0, 0, 1), (0, 1, 0), (1, 0, 0)]
    """
    arranged = [list(multiset_permutations(sorted(index[i] for i in places))) for places in group.classes]
    for chosen in itertools.product(*arranged):
        found = list(index)
        for places, powers in zip(group.classes, chosen, strict=True):
            for place, power in zip(places, powers, strict=True):
                found[place] = power
        yield tuple(found)
