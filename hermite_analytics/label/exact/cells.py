"""Targets with finitely many values: the cell of each value, as a polynomial in signs.

Every kink is written by the sign of its argument. What is left is free of z exactly where the target is
constant between the zeros of those arguments, and

    1{f = y} = sum over the sign vectors e with f(e) = y of prod_k (1 + e_k sign A_k) / 2,

with a third value, 0, for an argument with kinks that is 0 on an open set, as relu(z) is.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import sympy
from sympy import Dummy, Expr, Rational, S, Symbol

from hermite_analytics.errors import UnsupportedExpression
from hermite_analytics.evidence import Quantity
from hermite_analytics.foundation.clock import check_time
from hermite_analytics.gaussian.distribution import expanded
from hermite_analytics.gaussian.order import compare, sign_of, sorted_distinct
from hermite_analytics.gaussian.quantities import expected_quantity
from hermite_analytics.gaussian.zero.null_sets import nonzero_set
from hermite_analytics.label_noise import averaged
from hermite_analytics.language.kinks import JUMPS, KINKS, by_sign, extreme_by_sign
from hermite_analytics.symbols import xi

__all__ = ["Cell", "finite_cells", "laws_of_values"]

_MOST_SIGNS = 8
_FEW = 3  # coordinates
_GRID = tuple(sympy.Rational(n, 23) for n in (0, 7, -9, 19, -29, 37, -51, 60))


@dataclass(frozen=True, kw_only=True)
class Cell:
    """The set where a target takes one of its values, of positive probability.

    Attributes
    ----------
    label : exact number
    indicator : sympy expression
        1 on the cell and 0 outside, up to a null set.
    variables : tuple of symbols
    probability : Quantity
        Computed when it is asked for.
    """

    label: Expr
    indicator: Expr
    variables: tuple[Symbol, ...]

    @functools.cached_property
    def probability(self) -> Quantity:
        return _probability(sympy.Add(*averaged(self.indicator)), self.variables)


class _Value(NamedTuple):
    """A value, the indicator of its sign vectors, and whether a point is found that takes it."""

    label: Expr
    indicator: Expr
    is_taken: Callable[[], bool]


def finite_cells(expr: Expr, variables: Sequence[Symbol]) -> tuple[Cell, ...] | None:
    """The cells in increasing order of their labels; None for a target that is not piecewise constant.

    Raises
    ------
    UnsupportedExpression
        With more than 8 signs; where it is not decided where a sign's argument vanishes, or whether a value
        is taken.

    Examples
    --------
    >>> from sympy import symbols
    >>> from hermite_analytics.language.functions import step
    >>> z1, z2 = symbols("z1 z2", real=True)
    >>> found = finite_cells(step(z1) * step(z2), [z1, z2])
    >>> [(cell.label, cell.probability.exact) for cell in found]
    [(0, 3/4), (1, 1/4)]
    """
    values = _values(expr, variables)
    if values is None:
        return None
    found = []
    for value in values:
        cell = Cell(label=value.label, indicator=value.indicator, variables=tuple(variables))
        if not value.is_taken():  # the probability, which is seldom asked for, takes longer
            if cell.probability.zero is None:
                raise UnsupportedExpression(
                    f"whether the target takes the value {value.label} is not decided"
                )
            if cell.probability.zero:
                continue
        found.append(cell)
    return tuple(found)


def _values(expr: Expr, variables: Sequence[Symbol]) -> list[_Value] | None:
    """The values of a target on its sign vectors; some may be those of none that has a point."""
    signs = _Signs()
    opened = signs.opened(expr)
    signs.find_zeros()
    opened = signs.reduced(opened)
    if opened.free_symbols.intersection(variables):
        return None
    used = sorted(opened.free_symbols & signs.arguments.keys(), key=lambda s: str(s.name))
    if len(used) > _MOST_SIGNS:
        raise UnsupportedExpression(
            f"the target depends on {len(used)} signs; at most {_MOST_SIGNS} are taken"
        )
    signs.check_arguments(used)
    found = []
    taken = _Taken(tuple(vector[s] for s in used) for vector in signs.at_points(variables))
    for label, vectors in _by_label(opened, {s: signs.values(s) for s in used}):
        indicator = signs.indicator(vectors, used).xreplace({s: sympy.sign(signs.arguments[s]) for s in used})
        wanted = {tuple(vector[s] for s in used) for vector in vectors}
        found.append(_Value(label, indicator, functools.partial(taken.has_one_of, wanted)))
    return found


class _Taken:
    """Sign vectors that are found as far as they are asked for, once for all values."""

    def __init__(self, vectors: Iterator[tuple[Expr, ...]]) -> None:
        self._left, self._met = vectors, set[tuple[Expr, ...]]()

    def has_one_of(self, wanted: set[tuple[Expr, ...]]) -> bool:
        """Whether one of these is among them."""
        if not wanted.isdisjoint(self._met):
            return True
        for vector in self._left:
            self._met.add(vector)
            if vector in wanted:
                return True
        return False


def laws_of_values(expr: Expr, variables: Sequence[Symbol]) -> tuple[tuple[Expr, Expr], ...] | None:
    """(label, P(label | variables)) where noise is inside, in increasing order of the labels.

    None for a target that is not piecewise constant, or where an average over the noise has no closed form,
    or is not decided (`finite_cells`).

    Examples
    --------
    >>> from sympy import sign, symbols
    >>> z = symbols("z", real=True)
    >>> laws_of_values(sign(z + xi), [z])
    ((-1, erfc(sqrt(2)*z/2)/2), (1, erf(sqrt(2)*z/2)/2 + 1/2))
    """
    try:
        values = _values(expr, (*variables, xi))
        found = []
        for value in values or ():
            closed, rest = averaged(sympy.expand(value.indicator))
            if rest != 0:
                return None
            if not value.is_taken():  # the probability, which is seldom asked for, takes longer
                probability = _probability(closed, variables)
                if probability.zero is None:
                    return None
                if probability.zero:
                    continue
            found.append((value.label, closed))
    except UnsupportedExpression:
        return None
    return None if values is None else tuple(found)


def _probability(indicator: Expr, variables: Sequence[Symbol]) -> Quantity:
    """By the factors of separate coordinates, where each has a closed form."""
    from hermite_analytics.exponents.sparse import separate_mean

    if len(variables) > _FEW:
        found = separate_mean(indicator, tuple(variables))
        if found is not None:
            return found
    return expected_quantity(indicator, variables)


class _Signs:
    """Symbols for the signs of the arguments of kinks; the same for an argument and its multiples."""

    def __init__(self) -> None:
        self.arguments: dict[Symbol, Expr] = {}
        self._jumps: set[Symbol] = set()
        self._sometimes_zero: set[Symbol] = set()
        self._unknown: set[Symbol] = set()
        self._symbols: dict[Expr, Symbol] = {}

    def opened(self, expr: Expr) -> Expr:
        """The expression with every kink written by signs."""
        if not expr.args:
            return expr
        arguments = [self.opened(a) for a in expr.args]
        if isinstance(expr, sympy.Max | sympy.Min):
            return self._extreme(expr, arguments)
        if isinstance(expr, KINKS):
            side = self._sign(expr.args[0])
            if not isinstance(expr, JUMPS):  # continuous at 0
                return by_sign(expr, side, arguments=arguments)
            self._jumps |= side.free_symbols
            return by_sign(expr, side, seen=side**2, arguments=arguments)
        return expr.func(*arguments)

    def find_zeros(self) -> None:
        """Which arguments are 0 on an open set, of those whose sign matters there."""
        for symbol in self._jumps:
            seen = nonzero_set(self.arguments[symbol])
            if seen is None:
                self._unknown.add(symbol)
            elif seen != 1:
                self._sometimes_zero.add(symbol)

    def values(self, symbol: Symbol) -> tuple[Expr, ...]:
        """The values of a sign, up to null sets."""
        both = (S.One, S.NegativeOne)
        return (*both, S.Zero) if symbol in self._sometimes_zero else both

    def indicator(self, vectors: Sequence[Mapping[Symbol, Expr]], used: Sequence[Symbol]) -> Expr:
        """That of some sign vectors, expanded."""
        if self._sometimes_zero.intersection(used):
            return sympy.Add(*map(self._corner, vectors)).expand()
        return _of_signs(vectors, used)

    def _corner(self, vector: Mapping[Symbol, Expr]) -> Expr:
        """The indicator of a sign vector."""
        return sympy.Mul(*(self._side(symbol, value) for symbol, value in vector.items())).expand()

    def _side(self, s: Symbol, value: Expr) -> Expr:
        if s not in self._sometimes_zero:
            return (1 + value * s) / 2
        return 1 - s**2 if value == 0 else (s**2 + value * s) / 2

    def reduced(self, expr: Expr) -> Expr:
        """Expanded, with s^2 = 1 or s^3 = s."""
        return expanded(expr).replace(
            lambda e: e.is_Pow and e.base in self.arguments and e.exp.is_Integer,
            lambda e: e.base if e.exp % 2 else e.base**2 if e.base in self._sometimes_zero else S.One,
        )

    def check_arguments(self, used: Sequence[Symbol]) -> None:
        """Refuse an argument of which it is not known where it vanishes."""
        for symbol in self._unknown.intersection(used):
            raise UnsupportedExpression(
                f"the sign of {self.arguments[symbol]} is 0 on a part of the space, or may be"
            )

    def at_points(self, variables: Sequence[Symbol]) -> Iterator[dict[Symbol, Expr]]:
        """The sign vectors at some points where no argument is 0: each is that of an open set."""
        for point in itertools.product(_GRID, repeat=min(len(variables), 3)):
            check_time()
            at = dict(zip(variables, itertools.cycle(point), strict=False))
            with suppress(UnsupportedExpression):
                vector = {s: sympy.Integer(sign_of(a.xreplace(at))) for s, a in self.arguments.items()}
                if 0 not in vector.values():
                    yield vector

    def _extreme(self, expr: Expr, opened: list[Expr]) -> Expr:
        if len(opened) > _MOST_SIGNS + 1:
            raise UnsupportedExpression(
                f"the target depends on {len(opened) - 1} or more signs; at most {_MOST_SIGNS} are taken"
            )
        best, best_opened = expr.args[0], opened[0]
        for other, other_opened in zip(expr.args[1:], opened[1:], strict=True):
            best_opened = extreme_by_sign(expr, best_opened, other_opened, self._sign(best - other))
            best = expr.func(best, other)
        return best_opened

    def _sign(self, argument: Expr) -> Expr:
        """The sign of an argument: a symbol, its negative, or a number."""
        if argument.is_number:
            return sympy.sign(argument)
        _, part = argument.primitive()
        side = -1 if part.could_extract_minus_sign() else 1
        part = side * part
        if part not in self._symbols:
            symbol = Dummy(f"s{len(self._symbols)}", real=True)
            self._symbols[part] = symbol
            self.arguments[symbol] = part
        return side * self._symbols[part]


def _of_signs(vectors: Sequence[Mapping[Symbol, Expr]], used: Sequence[Symbol]) -> Expr:
    """The indicator of some vectors of signs that are never 0, expanded: its Walsh transform."""
    table = np.zeros((2,) * len(used), dtype=np.int64)
    for vector in vectors:
        table[tuple(int(vector[s] == -1) for s in used)] = 1
    for axis in range(len(used)):
        plus, minus = np.moveaxis(table, axis, 0)
        table = np.stack([plus + minus, plus - minus], axis)
    products = {
        place: sympy.Mul(*itertools.compress(used, place))
        for place in itertools.product((0, 1), repeat=len(used))
    }
    return sympy.Add(*(Rational(int(table[at]), table.size) * s for at, s in products.items() if table[at]))


def _vectors(signs: Mapping[Symbol, Sequence[Expr]]) -> Iterator[dict[Symbol, Expr]]:
    for values in itertools.product(*signs.values()):
        check_time()
        yield dict(zip(signs, values, strict=True))


def _by_label(
    opened: Expr, signs: Mapping[Symbol, Sequence[Expr]]
) -> list[tuple[Expr, list[dict[Symbol, Expr]]]]:
    values = [(opened.xreplace(vector), vector) for vector in _vectors(signs)]
    labels = sorted_distinct(value for value, _ in values)
    return [(label, [v for value, v in values if compare(value, label) == 0]) for label in labels]
