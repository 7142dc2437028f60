"""Checks of ratios and parameters: one sentence that says what was given and what is accepted."""

from __future__ import annotations

import math
import os
from numbers import Integral, Real
from typing import Any, SupportsFloat

import numpy as np
from numpy.typing import NDArray

from hermite_analytics.errors import InputError
from hermite_analytics.foundation.ranges import ANY, Range, numbers_of

__all__ = [
    "check_method",
    "checked",
    "free_memory",
    "grid_shape",
    "number",
    "on_one_grid",
    "one_number",
    "read_texts",
    "take_one_direction",
]

_SHOWN = 60  # letters of a value
_NUMBERS = 40  # of 8 bytes that a point takes at least, with what is found at it


def checked(name: str, value: object, within: Range = ANY) -> NDArray[np.float64]:
    """`value` as a float64 array inside a range.

    Raises
    ------
    InputError
        Naming the parameter, the first value outside, and the accepted range.
    """
    if value is None:
        raise InputError(f"{name} is None; a number or an array of numbers is accepted")
    if isinstance(value, str):
        value = _read(name, value)
    array = _floats(name, value)
    if array.size == 0:
        raise InputError(f"{name} is empty; a number or an array of numbers is accepted")
    below = array <= within.low if within.open_low else array < within.low
    above = array >= within.high if within.open_high else array > within.high
    bad = np.isnan(array) | below | above
    if not within.infinite:
        bad |= np.isinf(array)
    if np.any(bad):
        first = array[bad].flat[0]
        raise InputError(f"{name} is {first:g}; accepted: {_accepted(name, within)}")
    return array


def _floats(name: str, value: object) -> NDArray[np.float64]:
    """Dates are no numbers, nor is what a mask hides."""
    try:
        if not (np.ma.is_masked(value) or np.asarray(value).dtype.kind in "mM"):
            return np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        pass
    shown = " ".join(repr(value).split())
    shown = shown if len(shown) <= _SHOWN else shown[:_SHOWN] + ".."
    raise InputError(f"{name} is {shown}; a number or an array of numbers is accepted")


def one_number(name: str, value: object, within: Range = ANY) -> float:
    """As `checked`, of one number.

    Raises
    ------
    InputError
        Naming the parameter and what is accepted.
    """
    array = checked(name, value, within)
    if array.ndim:
        raise InputError(f"{name} has shape {array.shape}; accepted: one number")
    return float(array)


def number(name: str, value: object) -> float:
    """A real number of whatever type; a text is none.

    Raises
    ------
    InputError
        Naming the parameter.
    """
    if isinstance(value, SupportsFloat) and np.ndim(value) == 0:  # type: ignore[arg-type]
        return float(value)
    raise InputError(f"{name} is {value!r}; accepted: a number")


def integer(name: str, value: object, least: int, most: int | None = None) -> int:
    """An integer of whatever type, numpy's too.

    Raises
    ------
    InputError
        Naming the parameter and what is accepted.
    """
    if isinstance(value, Integral) and not isinstance(value, bool):
        number = int(value)
        if least <= number and (most is None or number <= most):
            return number
    accepted = f"an integer from {least} to {most}" if most is not None else f"an integer >= {least}"
    raise InputError(f"{name} is {value!r}; accepted: {accepted}")


def check_method(tolerance: object, max_steps: object) -> None:
    """Refuse a tolerance or a number of steps that no solver takes.

    Raises
    ------
    InputError
        A tolerance outside (0, 1), steps that are no integer >= 1.
    """
    if not (isinstance(tolerance, Real) and 0.0 < _float(tolerance) < 1.0):
        raise InputError(f"tolerance is {tolerance!r}; accepted: a number between 0 and 1")
    if not (isinstance(max_steps, Integral) and int(max_steps) >= 1):
        raise InputError(f"max_steps is {max_steps!r}; accepted: an integer >= 1")


def _float(value: Real) -> float:
    try:
        return float(value)
    except OverflowError:
        return math.inf


def _read(name: str, text: str) -> tuple[float, ...] | float:
    """Numbers of a text, as the command line takes them."""
    try:
        numbers = numbers_of(text)
    except InputError as error:
        raise InputError(f"{name} is {text[:40]!r}: {error}") from None
    return numbers[0] if len(numbers) == 1 else numbers


def grid_shape(**shapes: tuple[int, ...]) -> tuple[int, ...]:
    """The broadcast shape of arguments.

    Raises
    ------
    InputError
        Shapes that do not broadcast, with their names; a grid that does not fit into memory.
    """
    try:
        shape = np.broadcast_shapes(*shapes.values())
    except ValueError:
        shown = ", ".join(f"{name} {found}" for name, found in shapes.items() if found)
        raise InputError(
            f"the shapes do not broadcast: {shown}; for a grid give one a column, as alpha=[[1], [2]]"
        ) from None
    count, free = math.prod(shape), free_memory()
    if free is not None and 8 * _NUMBERS * count > free:
        largest = max(shapes, key=lambda name: math.prod(shapes[name]))
        raise InputError(
            f"a grid of {count:.3g} points takes some {8e-9 * _NUMBERS * count:.3g} GB, and "
            f"{1e-9 * free:.3g} GB are free: solve parts of {largest} one after the other"
        )
    return shape


def on_one_grid(**values: NDArray[Any]) -> dict[str, NDArray[Any]]:
    """The arguments broadcast against each other; raises as `grid_shape`."""
    shape = grid_shape(**{name: array.shape for name, array in values.items()})
    return {name: np.broadcast_to(array, shape) for name, array in values.items()}


def free_memory() -> int | None:
    """What the system can still give; the page counts of sysconf where there is no /proc."""
    try:
        with open("/proc/meminfo", encoding="ascii") as file:
            for line in file:
                if line.startswith("MemAvailable:"):
                    return 1024 * int(line.split()[1])
    except (OSError, ValueError):
        pass
    try:
        return os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, OSError, ValueError):
        return None


def take_one_direction(model: Any) -> None:
    """Replace the target by that of one coordinate, and refuse others; in `__post_init__` only.

    Raises
    ------
    InputError
        If the target has more directions.
    UndefinedQuantity
        If E f^2 is infinite, or cannot be shown to be finite.
    """
    object.__setattr__(model, "target", model.target.in_one_coordinate())
    model.target.single_index()


def read_texts(model: object, **kinds: type) -> None:
    """Replace each named field that says what is meant by the object of that kind; in `__post_init__` only.

    Raises
    ------
    InputError
        If a field is neither of its kind nor what that is made from (a text, a sympy expression, Hermite
        coefficients).
    """
    for name, kind in kinds.items():
        value = getattr(model, name)
        if isinstance(value, kind):
            continue
        if isinstance(value, str | np.ndarray) or hasattr(value, "free_symbols") or callable(value):
            object.__setattr__(model, name, kind(value))
        else:
            article = "an" if kind.__name__[0] in "AEIOU" else "a"
            raise InputError(f"{name} is {value!r}; {article} {kind.__name__} or its text is accepted")


def _accepted(name: str, within: Range) -> str:
    finite = "" if within.infinite else "finite numbers "
    if np.isinf(within.high):
        return f"{finite}{within.condition(name) or 'of any sign'}"
    return within.condition(name)
