"""Sums and products of exponents: those of their numbers."""

from __future__ import annotations

import math
from typing import Literal, TypeAlias

import sympy
from sympy import Expr

from hermite_analytics.errors import UndefinedQuantity
from hermite_analytics.rendering.numbers import ActsAsNumber

__all__ = ["ComputesAsInteger"]

Number: TypeAlias = "int | float | ComputesAsInteger"
"""Others as well where they compute with numbers: the results are theirs."""


class ComputesAsInteger(ActsAsNumber):
    """A natural number or infinity, with the results of its operators as plain numbers; for `Exponent`.

    Raises
    ------
    UndefinedQuantity
        Where it is not decided, for then there is no number to compute with.
    """

    __slots__ = ()
    value: int | Literal["inf"] | None

    def __int__(self) -> int:
        raise NotImplementedError

    @property
    def _number(self) -> int | float:
        if self.value is None:
            raise UndefinedQuantity(f"the exponent is {self}: it is no number to compute with")
        return math.inf if self.value == "inf" else self.value

    def __index__(self) -> int:
        return int(self)

    def _sympy_(self) -> Expr:
        return sympy.sympify(self._number, strict=True)

    def __neg__(self) -> int | float:
        return -self._number

    def __abs__(self) -> int | float:
        return self._number

    def __add__(self, other: Number) -> int | float:
        return self._number + _plain(other)

    def __radd__(self, other: int | float) -> int | float:
        return other + self._number

    def __sub__(self, other: Number) -> int | float:
        return self._number - _plain(other)

    def __rsub__(self, other: int | float) -> int | float:
        return other - self._number

    def __mul__(self, other: Number) -> int | float:
        return self._number * _plain(other)

    def __rmul__(self, other: int | float) -> int | float:
        return other * self._number

    def __truediv__(self, other: Number) -> int | float:
        return self._number / _plain(other)

    def __rtruediv__(self, other: int | float) -> int | float:
        return other / self._number

    def __floordiv__(self, other: Number) -> int | float:
        return self._number // _plain(other)

    def __mod__(self, other: Number) -> int | float:
        return self._number % _plain(other)

    def __pow__(self, other: Number) -> int | float:
        found: int | float = self._number ** _plain(other)
        return found

    def __rpow__(self, other: int | float) -> int | float:
        found: int | float = other**self._number
        return found


def _plain(other: Number) -> int | float:
    return other._number if isinstance(other, ComputesAsInteger) else other
