"""By how much results change when their quadratures are refined."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hermite_analytics.numeric.models.spiked.points import Layout

__all__ = ["change_of_errors", "relative_change"]

Array = NDArray[np.float64]


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
    worst = np.zeros(after.shape[0])
    skipped = ("m", "zeta", "q1", "q2") if layout.letters > 1 else ()
    with np.errstate(invalid="ignore", divide="ignore"):
        for name, place in layout.blocks().items():
            if name in skipped:
                continue
            old, new = before[:, place], after[:, place]
            size = np.max(np.abs(new), axis=1)
            if name in ("test_error", "train_error"):
                size = np.maximum(size, scale if scale > 0 else 1.0)
            elif name not in ("V1", "V2"):
                size = np.maximum(size, 1.0)
            change = np.max(np.abs(new - old), axis=1, initial=0.0, where=~(np.isinf(old) & np.isinf(new)))
            worst = np.maximum(worst, np.where((size == 0.0) & (change == 0.0), 0.0, change / size))
    return worst
