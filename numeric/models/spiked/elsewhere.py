"""The points of spiked random features on an executor of the caller."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Executor

import numpy as np

from hermite_analytics.numeric.models.spiked.points import Layout, Points, Results
from hermite_analytics.numeric.models.spiked.statuses import STATUSES
from hermite_analytics.numeric.spread import left_by, pieces, results_kept

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

    def put(done: int, part: Results) -> None:
        results.put(places[done - 1], part)
        if progress is not None:
            progress(sum(chosen.size for chosen in places[:done]), points.count)

    results_kept(one, (points.some(chosen) for chosen in places), executor, keeps=keeps, each=put)
    return results
