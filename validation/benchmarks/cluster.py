"""What a cluster of many workers does to the one process that hands out pieces and takes results.

    python -m hermite_analytics.validation.benchmarks.cluster [--task 0.006] [--entry 7e-7]

The order of `solve(..., executor=)` and of `--scheduler` runs as it is, on workers of a simulated time:
handing a piece out and taking its result keep the coordinator busy for a time `task` and for `entry` a point,
the worker for the time of its points, which varies from piece to piece. The defaults are those of Dask
2026.8 in one process with its scheduler, for results of 80 bytes a point.

On paper: pieces of s points of tau seconds keep at most s tau/(task + s entry) workers busy. Larger pieces
help up to s = task/entry; beyond tau/entry workers nothing does: cheap points are for one machine.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable
from concurrent.futures import Executor, Future
from dataclasses import dataclass
from typing import Any

import click
import numpy as np

from hermite_analytics.executors.ordered import on_executor

__all__ = ["Costs", "busy_share", "most_workers"]

_ROUNDS = 20  # pieces of each worker
_SPREAD = 0.3  # of the logarithm of the time of a piece
_WORKERS = (16, 128, 1000, 4000)
_SIZES = (1, 64, 1024, 8192)
_POINTS = (("a phase diagram, square loss", 6.6e-6), ("a hinge loss", 2e-3), ("a state evolution", 1.0))


@dataclass(frozen=True, slots=True, kw_only=True)
class Costs:
    """Seconds of the coordinator.

    Attributes
    ----------
    task, entry : float
        Of each piece, and of each point in it.
    """

    task: float
    entry: float


def most_workers(size: int, seconds: float, costs: Costs) -> float:
    """How many workers pieces of a size keep busy, on paper.

    Examples
    --------
    >>> most_workers(100, 1e-2, Costs(task=1e-3, entry=0.0))
    1000.0
    """
    return size * seconds / (costs.task + size * costs.entry)


def busy_share(workers: int, size: int, seconds: float, costs: Costs, *, seed: int = 0) -> float:
    """The share of the time that workers compute, by simulation.

    Parameters
    ----------
    workers : int >= 1
    size : int >= 1
        Points of a piece.
    seconds : float > 0
        Of a point, in the mean.
    """
    cluster = _Cluster(workers, costs, size)
    times = np.random.default_rng(seed).lognormal(-(_SPREAD**2) / 2, _SPREAD, _ROUNDS * workers)
    for _ in on_executor(_taking, (size * seconds * times).tolist(), cluster):
        pass
    return cluster.worked / (workers * cluster.now)


class _Cluster(Executor):
    """Workers of a simulated time; a task is the seconds that it takes."""

    def __init__(self, workers: int, costs: Costs, size: int) -> None:
        self._max_workers = workers
        self._free = [0.0] * workers  # when each is free, a heap
        self._cost = costs.task + size * costs.entry
        self.now = self.worked = 0.0

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        seconds = fn(*args, **kwargs)
        self.now += self._cost / 2
        end = max(heapq.heappop(self._free), self.now) + seconds
        heapq.heappush(self._free, end)
        self.worked += seconds
        return _Result(self, end, self._cost / 2)


class _Result(Future[Any]):
    def __init__(self, cluster: _Cluster, end: float, cost: float) -> None:
        super().__init__()
        self._known = cluster, end, cost

    def result(self, timeout: float | None = None) -> float:
        cluster, end, cost = self._known
        cluster.now = max(cluster.now, end) + cost
        return end


def _taking(seconds: float) -> float:
    return seconds


@click.command(help=__doc__)
@click.option("--task", default=6e-3, show_default=True, help="Seconds of the coordinator for a piece.")
@click.option("--entry", default=7e-7, show_default=True, help="Seconds of the coordinator for a point.")
def main(task: float, entry: float) -> None:
    costs = Costs(task=task, entry=entry)
    click.echo("share of the time that workers are busy; in brackets how many can be, on paper\n")
    for name, seconds in _POINTS:
        click.echo(f"{name}: {seconds:g} s a point, never more than {math.floor(seconds / entry)} workers")
        click.echo("  points a piece" + "".join(f"{w:>9} workers" for w in _WORKERS))
        for size in _SIZES:
            shares = [busy_share(workers, size, seconds, costs) for workers in _WORKERS]
            limit = f"({most_workers(size, seconds, costs):.3g})"
            click.echo(f"  {size:>6} {limit:>10}" + "".join(f"{s:>17.2f}" for s in shares))


if __name__ == "__main__":
    main()
