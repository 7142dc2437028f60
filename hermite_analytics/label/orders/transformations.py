"""Transformations T(Y) of the label and their Hermite tensors E[He_k(z) T(Y)]."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

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


@dataclass(frozen=True, slots=True, eq=False)
class TransformedLabel:
    """The Hermite tensors C_k(T(y)) of one transformation of the label, computed when they are asked for.

    Parameters
    ----------
    transformation : Transformation
        T.
    closed : callable
        The tensor of a degree in closed form, without the entries that are proved to be 0, or None where one
        of the others has none; kept.
    enclosed : callable
        The same with letters for enclosed numbers.
    is_quick : bool
        Whether all enclosures are of integrals over one line.
    """

    transformation: Transformation
    closed: Source
    enclosed: Callable[[int], Tensor]
    is_quick: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "closed", functools.cache(self.closed))
        object.__setattr__(self, "enclosed", functools.cache(self.enclosed))

    def tensor(self, degree: int) -> Tensor:
        """The entries that are not proved to be 0."""
        closed = self.closed(degree)
        return self.enclosed(degree) if closed is None else closed

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
