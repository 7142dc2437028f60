"""Checks of what a user gives, and the step from ratios to integer sizes."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from operator import index
from typing import SupportsFloat, TypeAlias, TypeVar

import numpy as np

from hermite_analytics.errors import InputError
from hermite_analytics.foundation.ranges import numbers_of

__all__ = [
    "Reals",
    "Sizes",
    "as_tuple",
    "finite",
    "grid_shape",
    "listed",
    "non_negative",
    "non_negative_integer",
    "one_or_many",
    "positive",
    "positive_integer",
    "ratio_of",
    "rows_of",
    "size_from",
    "sizes_from",
    "unit_directions",
]

Reals: TypeAlias = float | Sequence[float]
Sizes: TypeAlias = int | Sequence[int]
Number = TypeVar("Number", int, float)


def finite(name: str, value: float) -> float:
    """A finite real number, or InputError."""
    return _real(name, value, -math.inf, "a finite number")


def positive(name: str, value: float) -> float:
    """A finite number > 0, or InputError."""
    return _real(name, value, math.nextafter(0.0, 1.0), "a number > 0")


def non_negative(name: str, value: float) -> float:
    """A finite number >= 0, or InputError."""
    return _real(name, value, 0.0, "a number >= 0")


def positive_integer(name: str, value: int) -> int:
    """An integer >= 1, or InputError."""
    return _integer(name, value, 1)


def non_negative_integer(name: str, value: int) -> int:
    """An integer >= 0, or InputError."""
    return _integer(name, value, 0)


def one_or_many(
    check: Callable[[str, Number], Number], name: str, value: Number | Sequence[Number]
) -> Number | tuple[Number, ...]:
    """Check one value, or each value of a sequence, which becomes a tuple; InputError if it is empty."""
    if not isinstance(value, Sequence | np.ndarray) or isinstance(value, str):
        return check(name, value)
    if len(value) == 0:
        raise InputError(f"{name} is an empty sequence: a number or a sequence of numbers is accepted")
    return tuple(check(name, item) for item in value)


def listed(name: str, value: object) -> object:
    """A value as it is; of a text that lists numbers or has a range, the numbers, whole ones as integers.

    Raises
    ------
    InputError
        If a part of the text is neither a number nor a range.

    Examples
    --------
    >>> listed("alpha", "0.5:1.5:3"), listed("d", "20,40"), listed("d", "20")
    ((0.5, 1, 1.5), (20, 40), '20')
    """
    if not isinstance(value, str) or not {":", ","} & set(value):
        return value
    try:
        numbers = numbers_of(value)
    except InputError as error:
        raise InputError(f"{name} is {value!r:.60}: {error}") from None
    return tuple(int(x) if x.is_integer() else x for x in numbers)


def size_from(name: str, size: int | None, ratio_name: str, ratio: float | None, d: int) -> int:
    """A size given as itself or as its ratio to d; see `sizes_from`."""
    if size is not None and ratio is None:
        return positive_integer(name, size)
    if ratio is not None and size is None:
        return _rounded(positive(ratio_name, ratio), d)
    raise _exactly_one(name, size, ratio_name)


def sizes_from(name: str, size: Sizes | None, ratio_name: str, ratio: Reals | None, d: int) -> Sizes:
    """One or several sizes, given as themselves or as their ratios to d.

    Parameters
    ----------
    name, ratio_name : str
        What the two are called in messages.
    size : int >= 1, sequence of such, or None
    ratio : float > 0, sequence of such, or None
        Exactly one of `size` and `ratio` is not None.
    d : int >= 1

    Returns
    -------
    int or tuple of int
        ratio d, rounded to an integer, at least 1.

    Raises
    ------
    InputError
        If both or none are given, or a value is out of range.
    """
    if size is not None and ratio is None:
        return one_or_many(positive_integer, name, size)
    if ratio is not None and size is None:
        ratios = one_or_many(positive, ratio_name, ratio)
        return (
            tuple(_rounded(item, d) for item in ratios) if isinstance(ratios, tuple) else _rounded(ratios, d)
        )
    raise _exactly_one(name, size, ratio_name)


def ratio_of(size: Sizes, d: int) -> Reals:
    """The actual ratio, or ratios, of sizes to d."""
    return [item / d for item in size] if isinstance(size, Sequence) else size / d


def as_tuple(value: Number | Sequence[Number]) -> tuple[Number, ...]:
    """The values of a sequence, or the one value."""
    return tuple(value) if isinstance(value, Sequence) else (value,)


def grid_shape(*values: object) -> tuple[int, ...]:
    """The shape of results over a grid: one axis for each value that is a sequence."""
    return tuple(len(value) for value in values if isinstance(value, Sequence))


def rows_of(directions: Sequence[Sequence[float]] | None) -> tuple[tuple[float, ...], ...]:
    """Directions as rows; none if none are given.

    Raises
    ------
    InputError
        If they are no list of rows.
    """
    given: Sequence[Sequence[float]] = () if directions is None else directions
    if np.ndim(given) == 0 or any(np.ndim(row) != 1 for row in given):
        shown = " ".join(repr(given).split())
        raise InputError(f"directions is {shown:.60}; accepted: rows of numbers, as [[1, 0], [1, 1]]")
    return tuple(tuple(row) for row in given)


def unit_directions(rows: Sequence[Sequence[float]], width: int) -> tuple[tuple[float, ...], ...]:
    """Rows of `width` numbers, divided by their norms; the axes if there are none.

    Raises
    ------
    InputError
        If a row has another length, or is zero.

    Examples
    --------
    >>> unit_directions([[3, 4]], 2), unit_directions([], 1)
    (((0.6, 0.8),), ((1.0,),))
    """
    if not rows:
        return tuple(tuple(float(i == j) for j in range(width)) for i in range(width))
    if any(len(row) != width for row in rows):
        lengths = ", ".join(str(k) for k in sorted({len(row) for row in rows}))
        raise InputError(f"directions has rows of {lengths} numbers: the target has {width} indices")
    checked = [[finite("an entry of directions", x) for x in row] for row in rows]
    norms = [math.hypot(*row) for row in checked]
    if not all(norms):
        raise InputError("directions has a row of zeros: a direction is accepted")
    return tuple(tuple(x / norm for x in row) for row, norm in zip(checked, norms, strict=True))


def _rounded(ratio: float, d: int) -> int:
    return max(1, round(ratio * d))


def _exactly_one(name: str, size: object, ratio_name: str) -> InputError:
    given = "none is" if size is None else "both are"
    return InputError(f"{given} given of {ratio_name} and {name}: exactly one is accepted")


def _integer(name: str, value: int, least: int) -> int:
    try:
        number = least - 1 if isinstance(value, bool) else index(value)
    except TypeError:
        number = least - 1
    if number < least:
        raise InputError(f"{name} is {value!r}: an integer >= {least} is accepted")
    return number


def _real(name: str, value: SupportsFloat, least: float, accepted: str) -> float:
    try:
        number = math.nan if isinstance(value, bool | str) else float(value)
    except (TypeError, ValueError, OverflowError):
        number = math.nan
    if not math.isfinite(number) or number < least:
        raise InputError(f"{name} is {value!r}: {accepted} is accepted")
    return number
