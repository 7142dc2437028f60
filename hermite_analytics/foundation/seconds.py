"""What is accepted as a time."""

from __future__ import annotations

import math
import numbers

from hermite_analytics.errors import InputError

__all__ = ["require_seconds"]


def require_seconds(seconds: object, *, finite: bool = False) -> None:
    """Refuse what is no time.

    Raises
    ------
    InputError
        If it is not a number > 0.
    """
    kind = "a finite number" if finite else "a number"
    if not isinstance(seconds, numbers.Real) or isinstance(seconds, bool):
        raise InputError(f"seconds is {repr(seconds)[:40]}; {kind} > 0 is accepted")
    try:
        value = float(seconds)
    except OverflowError:
        value = math.nan
    if not value > 0 or (finite and not value < math.inf):
        raise InputError(f"seconds is {str(seconds)[:40]}; {kind} > 0 is accepted")
