"""The law of a label of two coordinates as tables between its singular values, for what follows: noise."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable

import numpy as np

from hermite_analytics.foundation.numpy_arrays import Array, Integers
from hermite_analytics.label.cases.parts.density import LabelDensity, grid
from hermite_analytics.label.cases.parts.marching import fill_panel
from hermite_analytics.label.cases.plane.level_curves import LevelCurves
from hermite_analytics.label.cases.plane.places import LabelPlaces, panel_places

__all__ = ["tabulated"]

Curves = Callable[[LabelPlaces], LevelCurves]

_CORE = 12.0  # |s| of the nodes of a panel that are always evaluated
_NEAREST = (
    1e-14  # distance of labels from critical values, in the panel's length: closer ones are extrapolated
)
_PEAKS = 6  # rounds of divisions of a panel at the peak of the density
_ALTERNATION = 1e-4  # probability: difference of the sums over even and over odd nodes of a panel
_NEAREST_PEAK = 1e-7


def tabulated(curves_of: Curves, singular: Array, atoms: Array, moments: Array, step: float) -> LabelDensity:
    """Tables of a label from its level curves.

    Parameters
    ----------
    curves_of : function of labels
    singular : ndarray
        Labels between which the law of y is smooth. At other peaks of the density the panels are divided.
    atoms, moments : ndarray, shapes (k,) and (k, 6)
        Labels of positive probability; it and E[w; y], E[w w^T - I; y].
    step : float
        The distance of nodes.
    """
    panels = [p for ends in itertools.pairwise(singular) for p in _divided(*ends, curves_of, step)]
    points = np.array([*singular[:1], *(high for _, high, _ in panels)])
    values = np.array([table for _, _, table in panels]).reshape(len(panels), len(grid(step)), 6)
    return LabelDensity(points=points, values=values, atoms=atoms, atom_values=moments, step=step)


def _divided(
    low: float, high: float, curves_of: Curves, step: float, rounds: int = _PEAKS
) -> list[tuple[float, float, Array]]:
    """Tables of a panel, divided where the density has a peak that twice the step would not see."""
    s = grid(step)
    table = _table(low, high, curves_of, step)
    share = (high - low) / (2 + np.exp(s) + np.exp(-s)) * table[:, 0]
    if rounds == 0 or step * abs(share[::2].sum() - share[1::2].sum()) <= _ALTERNATION:
        return [(low, high, table)]
    k = int(np.argmax(share))
    peak = low + (high - low) / (1 + math.exp(-s[k]))
    if min(peak - low, high - peak) <= _NEAREST_PEAK * (high - low):
        return [(low, high, table)]
    below = _divided(low, peak, curves_of, step, rounds - 1)
    return below + _divided(peak, high, curves_of, step, rounds - 1)


def _table(low: float, high: float, curves_of: Curves, step: float) -> Array:
    """The densities at the nodes of a panel."""
    s, length = grid(step), high - low
    places, _ = panel_places(np.array(low), np.array(high), s)
    table = np.zeros((len(s), 6))

    def evaluate(nodes: Integers) -> None:
        table[nodes] = curves_of(places.chosen(nodes)).moments()

    fill_panel(evaluate, table[:, 0], length, step, core=_CORE, farthest=-math.log(_NEAREST))
    _extend(table, s)
    return table


def _extend(values: Array, s: Array) -> None:
    """Continue a table towards both ends like the power of the distance that it shows there."""
    filled = np.nonzero(values[:, 0] > 0)[0]
    if len(filled) < 20:
        return
    for end, inner, outside in (
        (filled[0], filled[8], np.arange(filled[0])),
        (filled[-1], filled[-9], np.arange(filled[-1] + 1, len(s))),
    ):
        power = np.log(values[end, 0] / values[inner, 0]) / abs(s[end] - s[inner])
        distance = np.abs(s[outside] - s[end])
        values[outside] = values[end] * np.exp(min(power, 0.95) * distance)[:, None]
