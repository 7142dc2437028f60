"""The ridge of the smallest error, over all local minima of a wide range and its two limits."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from hermite_analytics.errors import InputError
from hermite_analytics.foundation.numpy_arrays import Array, Integers
from hermite_analytics.numeric.minima import Minima, local_minima

__all__ = [
    "COARSE",
    "FEWER_RIDGES",
    "MEASURES",
    "RIDGES",
    "Alternatives",
    "Best",
    "BestRidge",
    "best_ridges",
    "listed",
    "looked_for",
    "measure_of",
    "with_best_ridge",
]

Measure = Callable[[Integers, Array], Array]
Points = dict[str, Array]
Alternatives: TypeAlias = tuple[tuple[Mapping[str, float], ...], ...]
MEASURES = ("test_error", "square_error", "misclassification")
RIDGES = np.geomspace(1e-9, 1e9, 73)
FEWER_RIDGES = np.geomspace(1e-3, 1e3, 13)
"""Where a point takes a second."""
COARSE = 1e-12
"""What an error of a loss without closed form is known to, of E y^2."""
ROUNDING = 1e-14
"""What an error in closed form is known to, of E y^2."""
_WORD = "optimal"
_CONVERGED = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class BestRidge:
    """What was found for each point.

    Attributes
    ----------
    ridge : shape (count,)
        0 or inf where the limit is as good as any; NaN where no ridge has an answer.
    at_border : shape (count,)
        Whether the error is the smallest at an end of the grid, the limit beyond being unknown or worse.
    minima : Minima
        Over log(ridge).
    """

    ridge: Array
    at_border: NDArray[np.bool_]
    minima: Minima


@dataclass(frozen=True, slots=True, kw_only=True)
class Best:
    """Results at the best ridges, and all local minima."""

    ridge: Array
    results: Points
    alternatives: Alternatives


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
    """
    scale = np.log(grid)

    def on_the_scale(owner: Integers, place: Array) -> Array:
        return measure(owner, np.exp(place))

    owner = np.repeat(np.arange(count), scale.size)
    on_grid = on_the_scale(owner, np.tile(scale, count)).reshape(count, scale.size)
    minima = local_minima(on_the_scale, scale, on_grid, rounding=rounding)
    place, value = minima.best(count)
    value = np.where(np.isnan(value), np.inf, value)
    ridge = np.exp(place)
    at_border = np.zeros(count, dtype=bool)
    known = np.where(np.isnan(on_grid), np.inf, on_grid)
    for end, limit, answer in ((0, at_zero, 0.0), (-1, at_infinity, np.inf)):
        there = np.full(count, np.inf) if limit is None else np.where(np.isnan(limit), np.inf, limit)
        is_limit = np.isfinite(there) & (there <= value + rounding)
        # the end of the grid stands for what lies beyond it
        stands_in = ~is_limit & np.isfinite(known[:, end]) & (known[:, end] <= value + rounding)
        ridge = np.where(is_limit, answer, np.where(stands_in, grid[end], ridge))
        at_border = np.where(is_limit, False, at_border | stands_in)
        value = np.fmin(value, there)
    return BestRidge(ridge=ridge, at_border=at_border, minima=minima)


def with_best_ridge(
    flat: Points,
    measure: str,
    solve: Callable[[Points], Points],
    *,
    power: float,
    at_border: int,
    limits: bool = True,
) -> Best:
    """Results at the ridge of the smallest measure of each point.

    Parameters
    ----------
    flat : mapping of str to arrays, shape (count,)
        The ratios.
    measure : str
        The result that is made small.
    solve : callable
        Results at ratios, their codes among them.
    power : float
        E y^2, the scale of errors.
    at_border : int
        The code of a point whose error falls towards an end of the grid, beyond which nothing is known.
    limits : bool
        Whether `solve` takes the ridges 0 and infinity, as closed forms do; else errors are known
        to `COARSE`.
    """
    count = flat["ridge"].size

    def at(owner: Integers, ridge: Array) -> Points:
        return solve({name: np.ascontiguousarray(flat[name][owner]) for name in flat} | {"ridge": ridge})

    def error(owner: Integers, ridge: Array) -> Array:
        return at(owner, ridge)[measure]

    everyone = np.arange(count)
    found = best_ridges(
        count,
        error,
        at_zero=error(everyone, np.zeros(count)) if limits else None,
        at_infinity=error(everyone, np.full(count, np.inf)) if limits else None,
        rounding=(ROUNDING if limits else COARSE) * power,
    )
    results = at(everyone, np.where(np.isnan(found.ridge), 1.0, found.ridge))
    stands = found.at_border & (results["code"] == _CONVERGED)
    results["code"] = np.where(stands, at_border, results["code"])
    return Best(
        ridge=found.ridge,
        results=results,
        alternatives=listed(found.minima, count, "ridge", math.exp, **{measure: found.minima.value}),
    )


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
