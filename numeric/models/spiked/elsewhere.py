"""The points of spiked random features on an executor of the caller."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Executor

import numpy as np

from hermite_analytics.errors import ExecutorEnded
from hermite_analytics.executors.timed import Timed
from hermite_analytics.numeric.models.spiked.points import Layout, Points, Results
from hermite_analytics.numeric.models.spiked.statuses import STATUSES
from hermite_analytics.numeric.spread import left_by, pieces, spread

__all__ = ["Progress", "on_executor"]

Progress = Callable[[int, int], None]


def on_executor(
    one: Callable[[Points], Results],
    layout: Layout,
    points: Points,
    executor: Executor,
    *,
    progress: Progress | None,
    keeps: bool,
) -> Results:
    """Points of one spike stand together, so that few processes make its tables.

    Raises
    ------
    ExecutorEnded
        If it ended, not by its time, and nothing of what it did is kept; else the other points are NaN.
    """
    results = Results(points.count, layout)
    results.code[:] = STATUSES.index(left_by(executor))
    order = np.argsort(points.member, kind="stable")
    places = [order[piece] for piece in pieces(points.count, executor)]
    done = 0
    try:
        found = spread(one, (points.some(chosen) for chosen in places), executor)
        for chosen, part in zip(places, found, strict=True):
            results.put(chosen, part)
            done += chosen.size
            if progress is not None:
                progress(done, points.count)
    except ExecutorEnded:
        if not isinstance(executor, Timed) and not (keeps and done):
            raise
    return results
