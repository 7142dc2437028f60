"""Transformations T(Y) of the label and their Hermite tensors E[He_k(z) T(Y)]."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

import sympy
from sympy import Expr, Symbol

from hermite_analytics.argument.moments import Transformation, equal_to, power
from hermite_analytics.coefficient_table import coefficient_table
from hermite_analytics.errors import UndefinedQuantity
from hermite_analytics.evidence import Evidence, Quantity
from hermite_analytics.exponents.contraction import Index, Tensor
from hermite_analytics.exponents.numbers import Numbers
from hermite_analytics.foundation.clock import TimeEnded, allowed, check_time, limited, share
from hermite_analytics.gaussian.coefficients import closed_coefficients, exact_coefficients
from hermite_analytics.gaussian.distribution import expanded
from hermite_analytics.gaussian.integrability import integrability
from hermite_analytics.gaussian.reals import NoClosedForm
from hermite_analytics.gaussian.terms import NotInNormalForm
from hermite_analytics.gaussian.zero.tensors import indices
from hermite_analytics.label.exact.cells import Cell
from hermite_analytics.label.orders.polynomial_powers import polynomial_powers
from hermite_analytics.label_noise import averaged

__all__ = ["TransformedLabel", "indicators", "powers", "tensors_of"]

_DIGITS = 18
_MOST_POWER = 3
_SHARE = 0.4  # of the time left, for one transformation
_CLOSED_SHARE = 0.25  # of the time left, for the closed forms of one table
_TABLE_SHARE = 0.07  # of the time left, for the enclosures of one table
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
    """

    __slots__ = ("_closed", "_enclosed", "_known_closed", "_known_enclosed", "transformation")

    def __init__(
        self, transformation: Transformation, closed: Source, enclosed: Callable[[int], Tensor]
    ) -> None:
        self.transformation, self._closed, self._enclosed = transformation, closed, enclosed
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
            yield TransformedLabel(power(exponent), tensor, tensor)
        return
    for exponent in range(1, _MOST_POWER + 1):
        if integrability(label**exponent, (*variables, *noise)).finite is not True:
            return
        try:
            expression = expanded(label**exponent)
            yield tensors_of(power(exponent), expression, variables, noise, numbers)
        except UndefinedQuantity:
            return


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
    used = tuple(v for v in noise if expression.has(v))
    tables = _Tables(expression, variables, used, numbers)
    return TransformedLabel(transformation, tables.closed, tables.enclosed)


class _Tables:
    """Tables of coefficients up to degree 1, 2, 4, .., so that a low degree costs little."""

    def __init__(
        self,
        expression: Expr,
        variables: tuple[Symbol, ...],
        noise: tuple[Symbol, ...],
        numbers: Numbers,
    ) -> None:
        self._expression, self._variables, self._noise = expression, variables, noise
        self._numbers = numbers
        self._closed: tuple[int, Mapping[Index, Expr]] = 0, {}
        self._enclosed: tuple[int, Mapping[Index, Quantity]] = 0, {}

    def closed(self, degree: int) -> Tensor | None:
        """Of one degree, within a share of the time."""
        if self._noise:
            return None
        if self._closed[0] < degree:
            reached = max(degree, 2 * self._closed[0])
            self._closed = reached, self._closed_up_to(reached)
        wanted = indices(len(self._variables), degree)
        if not all(s in self._closed[1] for s in wanted):
            return None
        found = {s: self._closed[1][s] for s in wanted}
        return {s: x for s, x in found.items() if self._numbers.is_zero(x) is not True}

    def enclosed(self, degree: int) -> Tensor:
        """Of one degree, closed forms and balls."""
        if self._enclosed[0] < degree:
            reached = max(degree, 2 * self._enclosed[0])
            with allowed(share(_TABLE_SHARE)):
                table = coefficient_table(
                    self._expression, self._variables, reached, noise=self._noise, digits=_DIGITS
                )
            self._enclosed = reached, table
        found = {s: q for s, q in self._enclosed[1].items() if sum(s) == degree and not q.zero}
        return {s: self._numbers.letter(q) if q.exact is None else q.exact for s, q in found.items()}

    def _closed_up_to(self, degree: int) -> Mapping[Index, Expr]:
        try:
            with limited(share(_CLOSED_SHARE)):
                try:
                    return exact_coefficients(self._expression, self._variables, degree)
                except NotInNormalForm:
                    return {}
                except NoClosedForm:
                    return closed_coefficients(self._expression, self._variables, degree)
        except TimeEnded as ended:
            check_time()  # a limit around this one
            return ended.found
