"""Global minimisation of many functions of one number at once: a grid, then every local minimum of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hermite_analytics.foundation.numpy_arrays import Array, Integers

__all__ = ["Minima", "local_minima"]

Function = Callable[[Integers, Array], Array]
_GOLDEN = 0.5 * (np.sqrt(5.0) - 1.0)
_DOUBLES = 1e-15  # relative rounding of values
_NEWTON_STEPS = 2
_SMOOTH = 0.1  # fourth differences over second ones: of a kink they are alike


@dataclass(frozen=True, slots=True, kw_only=True)
class Minima:
    """Local minima of all functions.

    Attributes
    ----------
    owner : shape (k,)
        The function that each belongs to.
    place, value : shape (k,)
    """

    owner: Integers
    place: Array
    value: Array

    def best(self, count: int) -> tuple[Array, Array]:
        """(place, value) of the lowest minimum of each function; NaN where there is none."""
        place, value = np.full(count, np.nan), np.full(count, np.nan)
        for index in np.argsort(-self.value, kind="stable"):
            place[self.owner[index]] = self.place[index]
            value[self.owner[index]] = self.value[index]
        return place, value


def local_minima(function: Function, grid: Array, on_grid: Array, *, rounding: float = 0.0) -> Minima:
    """All local minima on the grid, each refined by golden section and then by Newton's method.

    Near a minimum values differ by squares: golden section alone stops at the root of their rounding. The
    derivatives of a polynomial through five points, a fifth root of the rounding apart, lead to a place that
    is known to nearly all digits, and with it whatever else is asked there. Where no step is taken, golden
    section goes on.

    Parameters
    ----------
    function : callable
        (owners, places) -> values: the functions of these indices at these places.
    grid : shape (g,), increasing
    on_grid : shape (count, g)
        Values on the grid; NaN counts as infinite.
    rounding : float
        Of the values, where it is more than that of doubles: a minimum less deep than that beside a lower
        one is none.

    Returns
    -------
    Minima
        Also the ends of the grid where the values fall towards them.
    """
    values = np.where(np.isnan(on_grid), np.inf, on_grid)
    beyond = np.full((values.shape[0], 1), np.inf)
    padded = np.concatenate([beyond, values, beyond], axis=1)
    low = (values < padded[:, :-2]) & (values <= padded[:, 2:]) & np.isfinite(values)
    if rounding > 0:
        for k in np.flatnonzero(low.sum(1) > 1):
            low[k] = _deep(values[k], low[k], rounding)
    owner, cell = np.nonzero(low)
    ends = grid[np.maximum(cell - 1, 0)], grid[np.minimum(cell + 1, grid.size - 1)]
    level = np.maximum(rounding, _DOUBLES * np.abs(values[owner, cell]))
    relative = np.clip(level / np.maximum(np.abs(values[owner, cell]), 1e-300), _DOUBLES, 1.0)
    start = grid[cell].copy(), values[owner, cell]
    place, value = _golden(function, owner, ends, start, float((relative**0.2).min(initial=1.0)))
    spacing = 0.5 * relative**0.2 * (ends[1] - ends[0])
    taken = np.zeros(owner.size, dtype=bool)
    for _ in range(_NEWTON_STEPS):
        place, value, taken = _newton(function, owner, ends, (place, value), spacing, level)
    rest = np.flatnonzero(~taken)  # kinks, ends of the range: values alone show the place
    if rest.size:
        brackets = ends[0][rest], ends[1][rest]
        deep = float((relative[rest] ** 0.6).min())
        place[rest], value[rest] = _golden(function, owner[rest], brackets, (place[rest], value[rest]), deep)
    return Minima(owner=owner, place=place, value=value)


def _golden(
    function: Function, owner: Integers, ends: tuple[Array, Array], best: tuple[Array, Array], share: float
) -> tuple[Array, Array]:
    """(place, value) by golden section, until that share of the brackets is left."""
    (left, right), (best_place, best_value) = ends, best
    a, b = right - _GOLDEN * (right - left), left + _GOLDEN * (right - left)
    at_a, at_b = function(owner, a), function(owner, b)
    for _ in range(int(np.ceil(np.log(share) / np.log(_GOLDEN)))):
        shrink = at_a < at_b
        left, right = np.where(shrink, left, a), np.where(shrink, b, right)
        a_next = right - _GOLDEN * (right - left)
        b_next = left + _GOLDEN * (right - left)
        new = np.where(shrink, a_next, b_next)
        at_new = function(owner, new)
        a, b = np.where(shrink, new, b), np.where(shrink, a, new)
        at_a, at_b = np.where(shrink, at_new, at_b), np.where(shrink, at_a, at_new)
        better = at_new < best_value
        best_place, best_value = np.where(better, new, best_place), np.where(better, at_new, best_value)
    return best_place, best_value


def _newton(
    function: Function,
    owner: Integers,
    ends: tuple[Array, Array],
    best: tuple[Array, Array],
    spacing: Array,
    level: Array,
) -> tuple[Array, Array, NDArray[np.bool_]]:
    """(place, value, taken) by a step of Newton's method, where five points fit into the bracket.

    It is taken if the points show no kink, if it is no longer than they reach, and if it does not climb by
    more than rounding.
    """
    place, value = best
    better = np.zeros(owner.size, dtype=bool)
    inside = np.flatnonzero(
        (place - 2.0 * spacing >= ends[0]) & (place + 2.0 * spacing <= ends[1]) & (spacing > 0.0)
    )
    if inside.size == 0:
        return place, value, better
    h, who = spacing[inside], owner[inside]
    far, near, here, close, last = (function(who, place[inside] + k * h) for k in range(-2, 3))
    slope = (far - 8.0 * near + 8.0 * close - last) / (12.0 * h)
    bend = (-far + 16.0 * near - 30.0 * here + 16.0 * close - last) / (12.0 * h**2)
    with np.errstate(divide="ignore", invalid="ignore"):
        step = np.where(bend > 0.0, -slope / bend, np.inf)
    fourth = far - 4.0 * near + 6.0 * here - 4.0 * close + last
    smooth = np.abs(fourth) <= _SMOOTH * bend * h**2
    taken = smooth & (np.abs(step) <= 2.0 * h)  # no NaN, no infinity
    if not np.any(taken):
        return place, value, better
    moved, at_moved = place.copy(), value.copy()
    chosen = inside[taken]
    moved[chosen] = place[chosen] + step[taken]
    at_moved[chosen] = function(owner[chosen], moved[chosen])
    better[chosen] = at_moved[chosen] <= value[chosen] + 4.0 * level[chosen]
    return np.where(better, moved, place), np.where(better, at_moved, value), better


def _deep(values: Array, low: NDArray[np.bool_], rounding: float) -> NDArray[np.bool_]:
    """The minima from which any way to a lower one climbs by more than rounding; of equal ones the first."""
    kept: list[int] = []
    for cell in np.flatnonzero(low)[np.argsort(values[low], kind="stable")]:
        climbs = (float(values[min(cell, j) : max(cell, j) + 1].max() - values[cell]) for j in kept)
        if all(climb > rounding for climb in climbs):
            kept.append(int(cell))
    found = np.zeros_like(low)
    found[kept] = True
    return found
