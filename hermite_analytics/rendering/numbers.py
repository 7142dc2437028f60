"""Answers that are numbers act as numbers in numpy, pandas, `round` and format specifications."""

from __future__ import annotations

import math
import numbers
import operator
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import DTypeLike, NDArray

__all__ = ["ActsAsNumber", "is_left_to"]

_OPERATIONS: dict[str, Callable[..., object]] = {
    "add": operator.add,
    "subtract": operator.sub,
    "multiply": operator.mul,
    "divide": operator.truediv,
    "less": operator.lt,
    "less_equal": operator.le,
    "greater": operator.gt,
    "greater_equal": operator.ge,
    "equal": operator.eq,
    "not_equal": operator.ne,
}


def is_left_to(other: object) -> bool:
    """Whether an operator with this operand is left to it, as it is an array."""
    return bool(getattr(other, "shape", ()))


class ActsAsNumber:
    """What a number of this library is for others: a float, with its own operators beside single numbers.

    In arrays it is its value in floating point, and functions of numpy are those of the value.
    """

    __slots__ = ()

    def __float__(self) -> float:
        raise NotImplementedError

    def __repr__(self) -> str:
        evidence = getattr(self, "evidence", "")
        return f"{type(self).__name__}({self._shown()}, {evidence})"

    def _shown(self) -> str:
        """The number in a line: with its digits where it is a formula, its error where it is none."""
        text, value, error = str(self), float(self), getattr(self, "error", 0.0)
        if math.isfinite(value) and not text.lstrip("-").isdigit():
            estimated = text == f"{value:.15g}"
            if not estimated:
                return f"{text} = {value:.15g}"
            return f"{text} \N{PLUS-MINUS SIGN} {error:.1g}" if error else text
        return text

    def __round__(self, digits: int | None = None) -> float:
        return round(float(self), digits)

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> NDArray[np.float64]:
        import numpy as np

        return np.array(float(self), dtype=dtype)

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: object, **options: object) -> Any:
        single = not any(getattr(x, "shape", ()) for x in inputs)
        if method == "__call__" and single and not options and ufunc.__name__ in _OPERATIONS:
            return _OPERATIONS[ufunc.__name__](*(x.item() if hasattr(x, "item") else x for x in inputs))
        plain = (float(x) if isinstance(x, ActsAsNumber) else x for x in inputs)
        return getattr(ufunc, method)(*plain, **options)


numbers.Number.register(ActsAsNumber)
