"""Where the sign of a prediction changes along the spike faster than the nodes of a table see.

Given kappa a prediction is N(m, Q). A large ridge leaves little of Q beside m, and the share of wrong signs
is then nearly a step of kappa at the zeros of m, of width sqrt(Q)/|m'|: a table gets narrow panels there.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from hermite_analytics.foundation.numpy_arrays import Array
from hermite_analytics.numeric.classes import cells_of
from hermite_analytics.numeric.gaussian_rule import PANEL_WIDTH, Feature
from hermite_analytics.numeric.models.spiked.measures import fields_of
from hermite_analytics.numeric.models.spiked.points import Problem
from hermite_analytics.numeric.models.spiked.tables import Spike, Tables

__all__ = ["narrow_layers"]

# Half a panel: where a node costs much it pays to put few where they are needed. The square loss has cheap
# nodes in tables that many points share: those between which a layer can hide, a sixteenth of a panel apart.
_NARROW, _HIDDEN = 0.5 * PANEL_WIDTH, PANEL_WIDTH / 16.0
_NARROWEST = 1e-6
_AT_ONCE = 200_000  # points times nodes


def narrow_layers(
    problem: Problem, spike: Spike, table: Tables, rows: Array, chosen: NDArray[np.bool_]
) -> Iterator[tuple[int, tuple[Feature, ...]]]:
    """Solved points that have layers, each with them; none for a target without classes.

    None for several spikes either: their product rules of two sizes do not miss a layer alike, and what they
    do not settle is in the stated error.

    Parameters
    ----------
    rows : ndarray, shape (points, size of the layout)
    chosen : ndarray of bool, shape (points,)
    """
    if len(spike.r) > 1 or cells_of(problem.target) is None:
        return
    places = np.flatnonzero(chosen & np.all(np.isfinite(rows), axis=1))
    narrow, count = _HIDDEN if problem.is_square else _NARROW, max(1, _AT_ONCE // table.weight.size)
    kappa = table.kappa[0]
    for first in range(0, places.size, count):
        some = places[first : first + count]
        _, (mean, power, _) = fields_of(problem, spike, table, rows[some])
        change = np.abs(np.diff(mean, axis=1))
        widths = np.sqrt(power[:, :-1]) * np.diff(kappa) / np.maximum(change, 1e-300)
        turns = (mean[:, 1:] > 0.0) != (mean[:, :-1] > 0.0)
        for i in np.flatnonzero(np.any(turns & (widths < narrow), axis=1)):
            at = np.flatnonzero(turns[i] & (widths[i] < narrow))
            centers = kappa[at] + np.diff(kappa)[at] * np.abs(mean[i, at]) / change[i, at]
            yield (
                int(some[i]),
                tuple(
                    Feature(center=float(c), width=max(float(w), _NARROWEST))
                    for c, w in zip(centers, widths[i, at], strict=True)
                ),
            )
