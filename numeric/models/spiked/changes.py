"""By how much results change when their quadratures are refined."""

from __future__ import annotations

import functools

import numpy as np

from hermite_analytics.foundation.numpy_arrays import Array
from hermite_analytics.numeric.models.spiked.points import Layout

__all__ = ["UNSETTLED", "change_of_errors", "relative_change"]

UNSETTLED = 1e-2  # relative change by the last refinement beyond which an average has no value


def change_of_errors(before: Array, after: Array, scale: float) -> Array:
    """Largest change of a measure, relative to E g^2; what is not known does not change."""
    gaps = np.where(np.isnan(before) | np.isnan(after) | np.isinf(after), 0.0, np.abs(after - before))
    found: Array = np.max(gaps / (scale if scale > 0 else 1.0), axis=1)
    return found


def relative_change(before: Array, after: Array, scale: float, layout: Layout) -> Array:
    """Largest change of a result of each point.

    Errors relative to E g^2; overlaps to the largest of their kind or 1; responses to the largest of theirs.
    With several letters the single m, zeta, q1, q2 are left out: letters whose mean maps are nearly dependent
    leave them undetermined, and what follows from them is determined all the same.
    """
    starts, compared, least = _blocks(layout, scale if scale > 0 else 1.0)
    with np.errstate(invalid="ignore", divide="ignore"):
        gaps = np.abs(after - before)
        gaps[np.isinf(before) & np.isinf(after)] = 0.0
        changes = np.maximum.reduceat(gaps, starts, axis=1)[:, compared]
        sizes = np.maximum(np.maximum.reduceat(np.abs(after), starts, axis=1)[:, compared], least)
        relative = np.where((sizes == 0.0) & (changes == 0.0), 0.0, changes / sizes)
    return np.asarray(relative.max(axis=1))


@functools.lru_cache(maxsize=64)
def _blocks(layout: Layout, scale: float) -> tuple[list[int], list[int], Array]:
    """(where blocks begin, those that are compared, the least size of each of these)."""
    blocks = layout.blocks()
    skipped = ("m", "zeta", "q1", "q2") if layout.letters > 1 else ()
    compared = [name for name in blocks if name not in skipped]
    least = {"test_error": scale, "train_error": scale, "V1": 0.0, "V2": 0.0}
    return (
        [place.start for place in blocks.values()],
        [j for j, name in enumerate(blocks) if name in compared],
        np.array([least.get(name, 1.0) for name in compared]),
    )
