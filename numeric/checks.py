"""Checks of ratios and parameters: one sentence that says what was given and what is accepted."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hermite_analytics.errors import InputError
from hermite_analytics.symbols import Expr

__all__ = ["checked", "read_texts"]


def checked(
    name: str,
    value: object,
    *,
    low: float = -np.inf,
    high: float = np.inf,
    open_low: bool = False,
    infinite: bool = False,
) -> NDArray[np.float64]:
    """`value` as a float64 array inside [low, high] (or (low, high] with `open_low`).

    Raises
    ------
    InputError
        Naming the parameter, the first value outside, and the accepted range.
    """
    try:
        array = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError(f"{name} is {value!r}; a number or an array of numbers is accepted") from None
    bad = np.isnan(array) | (array < low) | (array > high)
    if open_low:
        bad |= array == low
    if not infinite:
        bad |= np.isinf(array)
    if np.any(bad):
        first = array[bad].flat[0]
        raise InputError(f"{name} is {first:g}; accepted: {_range(name, low, high, open_low, infinite)}")
    return array


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
        if isinstance(value, str | Expr | np.ndarray) or (callable(value) and not isinstance(value, kind)):
            object.__setattr__(model, name, kind(value))
        elif not isinstance(value, kind):
            article = "an" if kind.__name__[0] in "AEIOU" else "a"
            raise InputError(f"{name} is {value!r}; {article} {kind.__name__} or its text is accepted")


def _range(name: str, low: float, high: float, open_low: bool, infinite: bool) -> str:
    finite = "" if infinite else "finite numbers "
    if np.isinf(high):
        if np.isinf(low):
            return f"{finite}of any sign".strip()
        return f"{finite}{name} {'>' if open_low else '>='} {low:g}"
    return f"{low:g} {'<' if open_low else '<='} {name} <= {high:g}"
