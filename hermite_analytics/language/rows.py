"""Matrices of exact numbers from outside, row by row."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import sympy
from sympy import Expr

from hermite_analytics.errors import InputError, RoundedNumbers
from hermite_analytics.language.numbers import RowsLike, exact_number

__all__ = ["Rows", "exact_rows", "recognised"]

Rows = tuple[tuple[Expr, ...], ...]

_SHORT = 8  # digits of a decimal that is taken to be meant as it stands
_LARGEST = 1000  # denominator of a fraction that is looked for
_ROUNDINGS = 4  # units in the last place that a float may be off


def exact_rows(given: RowsLike, name: str, *, exact: bool = False, level: int = 2) -> Rows:
    """The rows of a matrix, exact.

    Floats are the decimals that they print. Those of more than 8 digits were rounded by somebody, which is
    told, unless `exact` finds what they are near.

    Parameters
    ----------
    given : matrix, shape (rows, columns)
    name : str
        What a message calls it.
    exact : bool
        Whether a float within 4 units in the last place of a fraction of denominator 1000 at most, or of the
        square root of one, stands for that number.
    level : int
        How many calls above the user stands, to whom a warning is told.

    Raises
    ------
    InputError
        If it is no matrix of finite numbers; one without rows is one.

    Warns
    -----
    RoundedNumbers
        If it has floats of more than 8 digits that are kept as decimals.

    Examples
    --------
    >>> exact_rows([[0.6, 0.8]], "directions"), exact_rows([[0.7071067811865476]], "directions", exact=True)
    (((3/5, 4/5),), ((sqrt(2)/2,),))
    """
    entries = _entries(given, name)
    kept: list[str] = []
    rows = tuple(tuple(_number(x, f"an entry of {name}", exact, kept) for x in row) for row in entries)
    if kept:
        warnings.warn(_kept_as_decimals(name, kept, exact=exact), RoundedNumbers, level)
    return rows


def _entries(given: RowsLike, name: str) -> list[list[Any]]:
    """Rows of one length, as they were given."""
    try:
        raw = given.tolist() if hasattr(given, "tolist") else given
        entries = [list(row) if not isinstance(row, str) else [None] for row in raw]
    except TypeError:
        raise InputError(f"{name} is not a matrix; a list of rows of numbers is accepted") from None
    if any(isinstance(x, list | tuple | np.ndarray) or x is None for row in entries for x in row):
        raise InputError(f"{name} is not a matrix; a list of rows of numbers is accepted")
    if len({len(row) for row in entries}) > 1 or [] in entries:
        raise InputError(
            f"{name} has {len(entries)} rows of lengths {sorted({len(row) for row in entries})}; "
            "rows of one length are accepted"
        )
    return entries


def _kept_as_decimals(name: str, kept: Sequence[str], *, exact: bool) -> str:
    remedy = (
        f"none is near a fraction of denominator {_LARGEST} at most or the root of one"
        if exact
        else "exact=True takes each for the fraction or square root of a fraction that it is near"
    )
    shown = ", ".join(kept[:2]) + (", ..." if len(kept) > 2 else "")
    return f"{name} has floats that are kept as the decimals {shown}; {remedy}"


def recognised(value: float) -> Expr | None:
    """The fraction, or the square root of one, that a float is near; None if there is none.

    Examples
    --------
    >>> recognised(1 / 3), recognised(-(0.3**0.5)), recognised(2**0.25)
    (1/3, -sqrt(30)/10, None)
    """
    room = _ROUNDINGS * Fraction(np.spacing(abs(value)).item())
    size = abs(Fraction(value))
    near = size.limit_denominator(_LARGEST)
    sign = -1 if value < 0 else 1
    if abs(size - near) <= room:
        return sign * sympy.Rational(near.numerator, near.denominator)
    near = (size * size).limit_denominator(_LARGEST)
    if abs(size * size - near) <= 2 * size * room:
        return sign * sympy.sqrt(sympy.Rational(near.numerator, near.denominator))
    return None


def _number(value: Any, name: str, exact: bool, kept: list[str]) -> Expr:
    number = exact_number(value, name)
    is_rounded = isinstance(value, float | np.floating) and _digits(value) > _SHORT
    if not is_rounded:
        return number
    found = recognised(float(value)) if exact else None
    if found is None:
        kept.append(str(value))
        return number
    return found


def _digits(value: float | np.floating[Any]) -> int:
    """Significant digits of the shortest decimal."""
    mantissa = str(value).lower().partition("e")[0]
    return len(mantissa.replace(".", "").strip("-0"))
