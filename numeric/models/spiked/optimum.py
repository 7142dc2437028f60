"""The best ridge (of the test error) and the learned bias (of the training objective), over all minima."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from hermite_analytics.conditional import conditional_coefficients, feature_points, target_data
from hermite_analytics.foundation.numpy_arrays import Array, Integers
from hermite_analytics.numeric.best_ridge import (
    COARSE,
    FEWER_RIDGES,
    RIDGES,
    best_ridges,
    listed,
)
from hermite_analytics.numeric.minima import local_minima
from hermite_analytics.numeric.models.spiked.points import Points, Problem, Results

__all__ = ["Choice", "best_bias", "best_ridge", "ridges_of"]

Solve = Callable[..., Results]
"""Results of points; with a name those of a search, see `evaluate`."""
_BIASES = 61
_REACH = 4.0  # standard deviations of r kappa + sqrt(c) z
_ROUNDING = 1e-14
_SAME = 1e-9
_DIFFERENT = 1e-6
_INFINITE, _MULTIPLE, _AT_BORDER = 3, 4, 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """Results at the points, with what was chosen for each."""

    results: Results
    points: Points
    bias: Array | None = None
    alternatives: tuple[tuple[Mapping[str, float], ...], ...] | None = None


def _at(points: Points, owner: Integers, **changed: Any) -> Points:
    """The points of these indices, with some ratios changed."""
    part = {name: getattr(points, name)[owner] for name in ("alpha", "beta", "ridge", "noise", "member")}
    return replace(points, **(part | changed))


def _on_grid(points: Points, grid: Array, values: Callable[[Integers, Array], Array]) -> Array:
    owner = np.repeat(np.arange(points.count), grid.size)
    return values(owner, np.tile(grid, points.count)).reshape(points.count, grid.size)


def ridges_of(problem: Problem) -> Array:
    """Where minima are looked for."""
    return RIDGES if problem.is_square else FEWER_RIDGES


def best_ridge(problem: Problem, points: Points, solve: Solve, measure: str) -> Choice:
    """The ridge in [0, inf] of the smallest error: every local minimum of a grid, and both ends.

    The ends are the limits lambda -> 0 (where it exists) and lambda -> infinity after d -> infinity, of the
    square loss; other losses, which take a second a point, are looked at on a shorter grid.
    """
    everyone = np.arange(points.count)

    def error(owner: Integers, ridge: Array) -> Array:
        return solve(_at(points, owner, ridge=ridge), measure).error(measure)

    at_zero = at_infinity = None
    if problem.is_square:
        at_infinity = error(everyone, np.full(points.count, np.inf))
        exists = points.alpha != points.beta
        if conditional_coefficients(problem.activation).mu2_squared != 0 and np.any(exists):
            at_zero = np.full(points.count, np.inf)
            at_zero[exists] = error(everyone[exists], np.zeros(exists.sum()))
    found = best_ridges(
        points.count,
        error,
        at_zero=at_zero,
        at_infinity=at_infinity,
        rounding=(_ROUNDING if problem.is_square else COARSE) * target_data(problem.target)[2],
        grid=ridges_of(problem),
    )
    chosen = replace(points, ridge=np.where(np.isnan(found.ridge), 1.0, found.ridge))
    results = solve(chosen)
    results.code[found.at_border & (results.code == 0)] = _AT_BORDER
    values = {measure: found.minima.value}
    return Choice(
        results=results,
        points=chosen,
        alternatives=listed(found.minima, points.count, "ridge", math.exp, **values),
    )


def best_bias(problem: Problem, points: Points, solve: Solve) -> Choice:
    """The bias of the smallest training objective, which the readout and the bias minimise together.

    A minimum at the end of the range of the search is reported as infinite; two equal minima whose test
    errors differ as multiple solutions.
    """

    def at(owner: Integers, bias: Array) -> Results:
        return solve(_with_bias(points, owner, bias))

    def objective(owner: Integers, bias: Array) -> Array:
        results = at(owner, bias)
        return _objective(results, _at(points, owner), 1.0 if problem.is_square else 0.5)

    grid = _bias_grid(problem, points)
    minima = local_minima(objective, grid, _on_grid(points, grid, objective))
    bias, value = minima.best(points.count)
    everyone = np.arange(points.count)
    found = np.isfinite(bias)
    results = at(everyone, np.where(found, bias, 0.0))
    test = at(minima.owner, minima.place).values[:, 0] if minima.owner.size else np.empty(0)
    span = grid[-1] - grid[0]
    at_the_end = ~found | (np.abs(bias) > grid[-1] - 1e-3 * span)
    results.code[at_the_end & (results.code == 0)] = _INFINITE
    results.values[at_the_end] = results.measures[at_the_end] = np.nan
    equal = np.abs(minima.value - value[minima.owner]) <= _SAME * np.abs(value[minima.owner])
    for index in np.flatnonzero(equal):
        owner = minima.owner[index]
        if abs(test[index] - results.values[owner, 0]) > _DIFFERENT * abs(test[index]):
            results.code[owner] = _MULTIPLE
    return Choice(
        results=results,
        points=points,
        bias=np.where(at_the_end, np.nan, bias),
        alternatives=listed(minima, points.count, "bias", float, objective=minima.value, test_error=test),
    )


def _with_bias(points: Points, owner: Integers, bias: Array) -> Points:
    keys = np.stack([points.member[owner].astype(np.float64), bias], axis=1)
    unique, member = np.unique(keys, axis=0, return_inverse=True)
    spikes = [replace(points.spikes[int(index)], bias=float(b)) for index, b in unique]
    return replace(_at(points, owner), spikes=spikes, member=member.ravel().astype(np.int64))


def _objective(results: Results, points: Points, share: float) -> Array:
    """Mean training loss and penalty, lambda |a|^2 times `share`.

    Where the ridgeless limit interpolates, the norm of the readout.
    """
    norm = np.sum(results.values[:, results.layout.blocks()["q2"]], axis=1)
    train = results.values[:, 1]
    interpolates = (points.ridge == 0.0) & (points.alpha < points.beta)
    found: Array = np.where(
        interpolates, norm, train + share * points.ridge * points.beta / points.alpha * norm
    )
    return found


def _bias_grid(problem: Problem, points: Points) -> Array:
    inner, _ = feature_points(problem.activation, problem.target)
    rows = np.array(problem.letters.values)
    widest = max(float(np.sqrt(np.max(np.sum((rows * s.r) ** 2, axis=1)) + max(s.c))) for s in points.spikes)
    end = _REACH * widest + max((abs(x) for x in inner), default=0.0)
    return np.linspace(-end, end, _BIASES)
