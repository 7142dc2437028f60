"""Transformations T(Y) of the label and their Hermite tensors E[He_k(z) T(Y)]."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterator, Sequence

import sympy
from sympy import Expr, Symbol

from hermite_analytics.argument.moments import Transformation, equal_to, power
from hermite_analytics.errors import UndefinedQuantity
from hermite_analytics.evidence import Evidence
from hermite_analytics.exponents.contraction import Tensor
from hermite_analytics.exponents.numbers import Numbers
from hermite_analytics.exponents.sparse import SparseTensors
from hermite_analytics.foundation.clock import allowed, share
from hermite_analytics.gaussian.distribution import expanded
from hermite_analytics.gaussian.integrability import integrability
from hermite_analytics.label.exact.cells import Cell
from hermite_analytics.label.orders.polynomial_powers import polynomial_powers
from hermite_analytics.label_noise import averaged
from hermite_analytics.symbols import xi

__all__ = ["TransformedLabel", "indicators", "powers", "tensors_of"]

_MOST_POWER = 3
_MOST_OF_PRODUCT = 6
_MOST_TERMS = 1000  # of a power of a sum
_SHARE = 0.4  # of the time left, for one transformation
Source = Callable[[int], Tensor | None]


class TransformedLabel:
    """The Hermite tensors C_k(T(y)) of one transformation of the label, computed when they are asked for.

    Parameters
    ----------
    transformation : Transformation
        T.
    closed : callable
        The tensor of a degree in closed form, or None where there is none.
    enclosed : callable
        The same with letters for enclosed numbers.
    is_quick : bool
        Whether all enclosures are of integrals over one line.
    """

    __slots__ = ("_closed", "_enclosed", "_known_closed", "_known_enclosed", "is_quick", "transformation")

    def __init__(
        self,
        transformation: Transformation,
        closed: Source,
        enclosed: Callable[[int], Tensor],
        *,
        is_quick: bool = False,
    ) -> None:
        self.transformation, self._closed, self._enclosed = transformation, closed, enclosed
        self.is_quick = is_quick
        self._known_closed: dict[int, Tensor | None] = {}
        self._known_enclosed: dict[int, Tensor] = {}

    def closed(self, degree: int) -> Tensor | None:
        """The entries that are not proved to be 0, all in closed form; None where one has none."""
        if degree not in self._known_closed:
            self._known_closed[degree] = self._closed(degree)
        return self._known_closed[degree]

    def tensor(self, degree: int) -> Tensor:
        """The entries that are not proved to be 0."""
        closed = self.closed(degree)
        if closed is not None:
            return closed
        if degree not in self._known_enclosed:
            self._known_enclosed[degree] = self._enclosed(degree)
        return self._known_enclosed[degree]

    def evidence(self, degree: int) -> Evidence:
        """EXACT if all numbers of this degree are closed forms, else PROVED."""
        return Evidence.PROVED if self.closed(degree) is None else Evidence.EXACT


def powers(
    label: Expr,
    variables: tuple[Symbol, ...],
    noise: tuple[Symbol, ...],
    numbers: Numbers,
) -> Iterator[TransformedLabel]:
    """y, y^2, y^3, as far as their moments are finite; of a rational polynomial up to y^8."""
    exact = None if noise else polynomial_powers(label, variables)
    if exact is not None:
        for exponent, tensor in exact:
            yield TransformedLabel(power(exponent), tensor, functools.partial(_known, tensor))
        return
    terms = len(sympy.Add.make_args(label))
    for exponent in range(1, (_MOST_POWER if terms > 1 else _MOST_OF_PRODUCT) + 1):
        if exponent > 1 and math.comb(terms + exponent - 1, exponent) > _MOST_TERMS:
            return
        if integrability(label**exponent, (*variables, *noise)).finite is not True:
            return
        try:
            expression = expanded(label**exponent)
            yield tensors_of(power(exponent), expression, variables, noise, numbers)
        except UndefinedQuantity:
            return


def _known(tensor: Source, degree: int) -> Tensor:
    return tensor(degree) or {}


def indicators(
    cells: Sequence[Cell],
    variables: tuple[Symbol, ...],
    noise: tuple[Symbol, ...],
    numbers: Numbers,
) -> list[TransformedLabel]:
    """1{y = v} for all values v but the first: they span all transformations but the constants."""
    return [tensors_of(equal_to(c.label), c.indicator, variables, noise, numbers) for c in cells[1:]]


def tensors_of(
    transformation: Transformation,
    expression: Expr,
    variables: tuple[Symbol, ...],
    noise: tuple[Symbol, ...],
    numbers: Numbers,
) -> TransformedLabel:
    """The tensors of one function of the label; enclosed numbers become letters."""
    with allowed(share(_SHARE)):
        expression = sympy.Add(*averaged(expression))
    tensors = SparseTensors(expression, variables, numbers)
    return TransformedLabel(
        transformation,
        functools.partial(tensors.tensor, closed=True),
        functools.partial(_known, tensors.tensor),
        is_quick=tensors.is_separate and not expression.has(xi),
    )
