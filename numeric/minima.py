"""Global minimisation of many functions of one number at once: a grid, then every local minimum of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["Minima", "local_minima"]

Array = NDArray[np.float64]
Integers = NDArray[np.int64]
Function = Callable[[Integers, Array], Array]
_GOLDEN = 0.5 * (np.sqrt(5.0) - 1.0)


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


def local_minima(
    function: Function, grid: Array, on_grid: Array, *, steps: int = 44, rounding: float = 0.0
) -> Minima:
    """All local minima on the grid, each refined by golden section between its neighbours.

    Parameters
    ----------
    function : callable
        (owners, places) -> values: the functions of these indices at these places.
    grid : shape (g,), increasing
    on_grid : shape (count, g)
        Values on the grid; NaN counts as infinite.
    steps : int
        Of golden section; the bracket shrinks by 0.618 a step.
    rounding : float
        Of the values: a minimum less deep than that beside a lower one is none.

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
    left, right = grid[np.maximum(cell - 1, 0)], grid[np.minimum(cell + 1, grid.size - 1)]
    best_place, best_value = grid[cell].copy(), values[owner, cell]
    a, b = right - _GOLDEN * (right - left), left + _GOLDEN * (right - left)
    at_a, at_b = function(owner, a), function(owner, b)
    for _ in range(steps):
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
    return Minima(owner=owner, place=best_place, value=best_value)


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
