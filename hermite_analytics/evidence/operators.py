"""The operators of a number with an error: each is one operation on closed forms and on balls."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any, cast

import sympy
from flint import arb
from sympy import Expr

from hermite_analytics.errors import UndefinedQuantity
from hermite_analytics.rendering.numbers import ActsAsNumber, is_left_to

if TYPE_CHECKING:
    from hermite_analytics.evidence.quantity import Number, Quantity

__all__ = ["ComputesWithErrors", "Operation"]

Operation = Callable[..., Expr | arb]


class ComputesWithErrors(ActsAsNumber):
    """The operators of `Quantity`, whose `combined` makes a number of an operation on numbers."""

    __slots__ = ()
    exact: Expr | None
    value: float
    error: float
    zero: bool | None

    def _sympy_(self) -> Expr:
        raise NotImplementedError

    def _known(self) -> str:
        raise NotImplementedError

    def _quantity(self, other: Number) -> Quantity:
        raise NotImplementedError

    def _combined(self, parts: tuple[Quantity, ...], operation: Operation) -> Quantity:
        raise NotImplementedError

    def __neg__(self) -> Quantity:
        return self._of_itself(operator.neg)

    def __pos__(self) -> Quantity:
        return cast("Quantity", self)

    def __abs__(self) -> Quantity:
        return self._of_itself(abs)

    def __add__(self, other: Number) -> Quantity:
        return self._with(other, operator.add)

    def __radd__(self, other: Number) -> Quantity:
        return self._with(other, operator.add, second=True)

    def __sub__(self, other: Number) -> Quantity:
        return self._with(other, operator.sub)

    def __rsub__(self, other: Number) -> Quantity:
        return self._with(other, operator.sub, second=True)

    def __mul__(self, other: Number) -> Quantity:
        return self._with(other, operator.mul)

    def __rmul__(self, other: Number) -> Quantity:
        return self._with(other, operator.mul, second=True)

    def __truediv__(self, other: Number) -> Quantity:
        return self._with(other, operator.truediv)

    def __rtruediv__(self, other: Number) -> Quantity:
        return self._with(other, operator.truediv, second=True)

    def __pow__(self, power: Number) -> Quantity:
        if isinstance(power, int):
            return (self if power >= 0 else _divisor(self))._of_itself(lambda x: x**power)
        return self._with(power, operator.pow)

    def __rpow__(self, base: Number) -> Quantity:
        return self._with(base, operator.pow, second=True)

    def __floordiv__(self, other: Number) -> Quantity:
        return _floor(self / other)

    def __rfloordiv__(self, other: Number) -> Quantity:
        return _floor(self.__rtruediv__(other))

    def __mod__(self, other: Number) -> Quantity:
        return cast("Quantity", self) - other * (self // other)

    def __rmod__(self, other: Number) -> Quantity:
        return (-self * self.__rfloordiv__(other)).__radd__(other)

    def __divmod__(self, other: Number) -> tuple[Quantity, Quantity]:
        return self // other, self % other

    def __rdivmod__(self, other: Number) -> tuple[Quantity, Quantity]:
        return self.__rfloordiv__(other), self.__rmod__(other)

    def __floor__(self) -> int:
        return int(_floor(cast("Quantity", self)))

    def __ceil__(self) -> int:
        return -int(_floor(-self))

    def __trunc__(self) -> int:
        return self.__ceil__() if self.value < 0 else self.__floor__()

    def _of_itself(self, operation: Operation) -> Quantity:
        return self._combined((cast("Quantity", self),), operation)

    def _with(self, other: Number, operation: Operation, *, second: bool = False) -> Quantity:
        if is_left_to(other):
            return NotImplemented  # type: ignore[no-any-return]
        if getattr(other, "free_symbols", ()):
            pair = (other, self._sympy_()) if second else (self._sympy_(), other)
            return cast("Quantity", operation(*pair))  # symbols stay symbols
        mine, theirs = cast("Quantity", self), self._quantity(other)
        first, last = (theirs, mine) if second else (mine, theirs)
        if operation is operator.truediv:
            last = _divisor(last)
        if operation is operator.pow:
            first = _positive(first)
        return self._combined((first, last), operation)


def _divisor(quantity: Any) -> Any:
    if quantity.zero or (quantity.zero is None and abs(quantity.value) <= quantity.error):
        known = "is 0" if quantity.zero else "may be 0 within its error"
        raise UndefinedQuantity(f"a division by {quantity._known()}, which {known}")
    return quantity


def _positive(quantity: Quantity) -> Quantity:
    if quantity.value - quantity.error <= 0:
        raise UndefinedQuantity(
            f"a power of {quantity._known()}; with an exponent that is no integer the base is to be positive"
        )
    return quantity


def _floor(quantity: Quantity) -> Quantity:
    """The largest integer below, where the error leaves one; infinities and NaN as they are."""
    if not math.isfinite(quantity.value):
        return quantity
    whole = None if quantity.exact is None else sympy.floor(quantity.exact)
    if not isinstance(whole, sympy.Integer):
        middle, error = Fraction(quantity.value), Fraction(quantity.error)
        whole, last = math.floor(middle - error), math.floor(middle + error)
        if whole != last:
            known = quantity._known()
            raise UndefinedQuantity(f"the integer below {known} is not decided: {whole} or {last}")
    below = quantity._quantity(whole)
    return replace(below, evidence=quantity.evidence, reason=quantity.reason)
