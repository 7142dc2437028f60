"""The ridge of the smallest error, over all local minima of a wide range and its two limits."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hermite_analytics.errors import InputError
from hermite_analytics.numeric.minima import Minima, local_minima

__all__ = [
    "COARSE",
    "FEWER_RIDGES",
    "FEWER_STEPS",
    "MEASURES",
    "RIDGES",
    "STEPS",
    "BestRidge",
    "best_ridges",
    "listed",
    "looked_for",
    "measure_of",
]

Array = NDArray[np.float64]
Integers = NDArray[np.int64]
Measure = Callable[[Integers, Array], Array]
MEASURES = ("test_error", "square_error", "misclassification")
RIDGES = np.geomspace(1e-9, 1e9, 73)
FEWER_RIDGES = np.geomspace(1e-3, 1e3, 13)
"""Where a point takes a second."""
STEPS, FEWER_STEPS = 44, 30
"""Of golden section: to 1e-9 and 1e-6 of log(ridge)."""
COARSE = 1e-12
"""What an error of a loss without closed form is known to, of E y^2."""
_WORD = "optimal"


@dataclass(frozen=True, slots=True, kw_only=True)
class BestRidge:
    """What was found for each point.

    Attributes
    ----------
    ridge : shape (count,)
        0 or inf where the limit is as good as any; NaN where no ridge has an answer.
    at_border : shape (count,)
        Whether the error is the smallest at an end of the grid beyond which no limit is known.
    minima : Minima
        Over log(ridge).
    """

    ridge: Array
    at_border: NDArray[np.bool_]
    minima: Minima


def measure_of(ridge: object) -> str | None:
    """Which error a ridge "optimal", "optimal:misclassification" minimises; None for numbers, also as text.

    Raises
    ------
    InputError
        Of another text.
    """
    if not isinstance(ridge, str) or any(character.isdigit() for character in ridge):
        return None
    word, colon, measure = ridge.partition(":")
    if word != _WORD or (colon and measure not in MEASURES):
        named = ", ".join(f"'{_WORD}:{name}'" for name in MEASURES[1:])
        raise InputError(f"ridge is {ridge!r}; accepted: numbers >= 0, '{_WORD}', {named}")
    return measure or MEASURES[0]


def looked_for(measure: str, grid: Array) -> str:
    """What was optimised, as a solution says it."""
    return f"ridge for {measure.replace('_', ' ')}, from {grid[0]:g} to {grid[-1]:g}"


def best_ridges(
    count: int,
    measure: Measure,
    *,
    at_zero: Array | None = None,
    at_infinity: Array | None = None,
    rounding: float,
    steps: int = STEPS,
    grid: Array = RIDGES,
) -> BestRidge:
    """The ridges in [0, inf] of the smallest measure: every local minimum of a grid, and both limits.

    Parameters
    ----------
    count : int
        Of points.
    measure : callable
        (owners, ridges) -> values at these points; NaN where there is no answer.
    at_zero, at_infinity : arrays of shape (count,), optional
        The limits lambda -> 0 and, after d -> infinity, lambda -> infinity; inf or NaN where there is none.
    rounding : float
        Of the measure: by how much a limit may seem worse and is taken all the same; a minimum less deep than
        that beside a lower one is none.
    grid : array
        Where minima are looked for.
    steps : int
        Of golden section between the neighbours on the grid.
    """
    scale = np.log(grid)

    def on_the_scale(owner: Integers, place: Array) -> Array:
        return measure(owner, np.exp(place))

    owner = np.repeat(np.arange(count), scale.size)
    on_grid = on_the_scale(owner, np.tile(scale, count)).reshape(count, scale.size)
    minima = local_minima(on_the_scale, scale, on_grid, steps=steps, rounding=rounding)
    place, value = minima.best(count)
    value = np.where(np.isnan(value), np.inf, value)
    ridge = np.exp(place)
    at_border = np.zeros(count, dtype=bool)
    known = np.where(np.isnan(on_grid), np.inf, on_grid)
    for end, limit, answer in ((0, at_zero, 0.0), (-1, at_infinity, np.inf)):
        there = np.full(count, np.inf) if limit is None else np.where(np.isnan(limit), np.inf, limit)
        is_limit = np.isfinite(there) & (there <= value + rounding)
        # without a limit the end of the grid stands for it
        stands_in = ~np.isfinite(there) & np.isfinite(known[:, end]) & (known[:, end] <= value + rounding)
        ridge = np.where(is_limit, answer, np.where(stands_in, grid[end], ridge))
        at_border = np.where(is_limit, False, at_border | stands_in)
        value = np.fmin(value, there)
    return BestRidge(ridge=ridge, at_border=at_border, minima=minima)


def listed(
    minima: Minima, count: int, name: str, scale: Callable[[float], float], **values: Array
) -> tuple[tuple[dict[str, float], ...], ...]:
    """The local minima of each point by increasing place, each with its place and these values."""
    found: list[list[dict[str, float]]] = [[] for _ in range(count)]
    for index in np.argsort(minima.place, kind="stable"):
        entry = {name: float(scale(float(minima.place[index])))}
        entry |= {key: float(column[index]) for key, column in values.items()}
        found[minima.owner[index]].append(entry)
    return tuple(tuple(entries) for entries in found)
