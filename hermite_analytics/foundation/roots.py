"""Roots of functions of one number between two ends, without loading a library for it."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from hermite_analytics.foundation.numpy_arrays import Array, Function

__all__ = ["root_between", "roots_between"]

_STEPS = 100
_STEPS_OF_ALL = 60
_ROUNDING = 1e-15
_RELATIVE = 4 * 2.0**-52


def root_between(
    function: Callable[[float], float],
    low: float,
    high: float,
    *,
    within: float = 2e-12,
    relative: float = _RELATIVE,
) -> tuple[float, int]:
    """(a root in a bracket, evaluations), by Brent's method: the digits of `scipy.optimize.brentq`.

    Parameters
    ----------
    function : callable
        Of opposite signs at both ends, or 0 at one.
    low, high : float
    within, relative : float > 0
        The root is within `within + relative |root|`.

    Raises
    ------
    ValueError
        If the signs are the same, or the function is NaN somewhere.
    ArithmeticError
        If 100 steps do not suffice.

    Examples
    --------
    >>> root, evaluations = root_between(lambda x: x * x - 2, 0.0, 2.0)
    >>> round(root, 12), evaluations < 12
    (1.414213562373, True)
    """
    before, here = float(low), float(high)
    f_before, f_here = _value(function, before), _value(function, here)
    if f_before == 0:
        return before, 2
    if f_here == 0:
        return here, 2
    if (f_before < 0) == (f_here < 0):
        raise ValueError(f"the function has one sign at both ends, {low} and {high}")
    other, f_other, last, step = before, f_before, here - before, here - before
    for count in range(2, _STEPS + 2):
        if (f_before < 0) != (f_here < 0):
            other, f_other = before, f_before
            last = step = here - before
        if abs(f_other) < abs(f_here):
            before, here, other = here, other, here
            f_before, f_here, f_other = f_here, f_other, f_here
        least = (within + relative * abs(here)) / 2
        half = (other - here) / 2
        if f_here == 0 or abs(half) < least:
            return here, count
        tried = None
        if abs(last) > least and abs(f_here) < abs(f_before):
            tried = _interpolated((before, here, other), (f_before, f_here, f_other))
        if tried is not None and 2 * abs(tried) < min(abs(last), 3 * abs(half) - least):
            last, step = step, tried
        else:
            last = step = half
        before, f_before = here, f_here
        here += step if abs(step) > least else math.copysign(least, half)
        f_here = _value(function, here)
    raise ArithmeticError(f"no root between {low} and {high} after {_STEPS} steps")


def _interpolated(at: tuple[float, float, float], f: tuple[float, float, float]) -> float:
    """The step to the root of a line, or of the inverse parabola, through two or three points.

    Infinite where there is none.
    """
    before, here, other = at
    f_before, f_here, f_other = f
    if before == other:
        return -f_here * (here - before) / (f_here - f_before)
    slope, far = (f_before - f_here) / (before - here), (f_other - f_here) / (other - here)
    below = far * slope * (f_other - f_before)
    return -f_here * (f_other * far - f_before * slope) / below if below else math.inf


def _value(function: Callable[[float], float], x: float) -> float:
    found = float(function(x))
    if math.isnan(found):
        raise ValueError(f"the function is NaN at {x}")
    return found


def roots_between(function: Function, a: Array, b: Array, ends: tuple[Array, Array] | None = None) -> Array:
    """A place in each bracket where a function changes its sign, by the method of Ridders, to rounding.

    Parameters
    ----------
    function : callable
        Of as many places as there are brackets, number by number; it may jump.
    a, b : ndarray, shape (n,)
        a < b; without a change of sign between them an end is returned.
    ends : two ndarrays, optional
        The values there, where they are known.

    Examples
    --------
    >>> power = np.array([2.0, 3.0])
    >>> roots_between(lambda x: x**power - 8, np.ones(2), np.full(2, 5.0)).round(12).tolist()
    [2.828427124746, 2.0]
    """
    f_a, f_b = (function(a), function(b)) if ends is None else ends
    x = np.where(f_a == 0, a, b)
    for _ in range(_STEPS_OF_ALL if len(a) else 0):
        middle = (a + b) / 2
        f_m = function(middle)
        with np.errstate(all="ignore"):
            guess = middle + (middle - a) * np.sign(f_a - f_b) * f_m / np.sqrt(f_m * f_m - f_a * f_b)
        # a root at an end, to rounding, is enclosed by the end and a point beside it
        least = 0.25 * _ROUNDING * np.maximum(1.0, np.abs(middle))
        new = np.where(np.isfinite(guess) & (b - a > 2 * least), np.clip(guess, a + least, b - least), middle)
        f_n = function(new)
        below = new < middle
        p, q = np.where(below, new, middle), np.where(below, middle, new)
        f_p, f_q = np.where(below, f_n, f_m), np.where(below, f_m, f_n)
        as_p, as_q, as_b = (np.sign(f) == np.sign(f_a) for f in (f_p, f_q, f_b))
        second, third = as_p & ~as_q, as_p & as_q & ~as_b
        a, b = np.where(third, q, np.where(second, p, a)), np.where(third, b, np.where(second, q, p))
        f_a, f_b = (
            np.where(third, f_q, np.where(second, f_p, f_a)),
            np.where(third, f_b, np.where(second, f_q, f_p)),
        )
        moved = np.where(new == guess, np.abs(new - x), np.inf)
        settled = np.minimum(moved, b - a) <= _ROUNDING * np.maximum(1.0, np.abs(new))
        x = new
        if settled.all():
            break
    return np.asarray(x)
