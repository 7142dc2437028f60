"""Numbers from outside, read exactly."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal
from numbers import Rational
from typing import TypeAlias

import mpmath
import numpy as np
import sympy
from numpy.typing import NDArray
from sympy import Expr

from hermite_analytics.errors import InputError, ParseError
from hermite_analytics.language.evaluation import reference_function
from hermite_analytics.language.parser import parse

__all__ = ["NumberLike", "RowsLike", "exact_number"]

NumberLike: TypeAlias = Expr | Rational | Decimal | float | str
"""A number from outside: exact, a decimal, or the text of a constant."""
RowsLike: TypeAlias = NDArray[np.generic] | Iterable[Iterable[NumberLike]]
"""A matrix from outside, row by row."""


def exact_number(value: NumberLike, name: str) -> Expr:
    """An exact real number from a number, a decimal or the text of a constant.

    Floats are read as the decimals that they print (0.1 is 1/10).

    Raises
    ------
    InputError
        If it is not a finite real number; the message calls it `name`.

    Examples
    --------
    >>> exact_number(0.1, "k"), exact_number("sqrt(2)/2", "k"), exact_number("Phi(3)", "k")
    (1/10, sqrt(2)/2, Phi(3))
    """
    if isinstance(value, Expr) and value.is_number and not value.has(sympy.Float):
        number = value
    else:
        try:
            number = parse(str(value), lambda _: None, accepted="numbers")
        except ParseError:
            number = sympy.nan
    if not (number.is_number and number.is_extended_real and _is_finite(number)):
        raise InputError(f"{name} is {str(value)[:40]!r}; a finite number is accepted")
    return number


def _is_finite(number: Expr) -> bool:
    """By its value where sympy does not know, as of phi(1)."""
    if number.is_finite is not None:
        return bool(number.is_finite)
    return bool(mpmath.isfinite(reference_function(number, ())()))
