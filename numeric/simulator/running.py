"""Seeds of several protocols, group by group: in this process or in others, until all are done or it ends."""

from __future__ import annotations

import contextlib
import itertools
import math
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from hermite_analytics.errors import ExecutorEnded, InputError
from hermite_analytics.executors.ordered import in_order, on_executor, require_executor, slots
from hermite_analytics.foundation.seconds import require_seconds
from hermite_analytics.numeric.simulator.backend import require_memory, resolve_backend
from hermite_analytics.numeric.simulator.parameters import non_negative_integer, positive_integer
from hermite_analytics.numeric.simulator.protocol import Sample, SimulationProtocol
from hermite_analytics.numeric.simulator.results import Simulation

__all__ = ["Ended", "Progress", "Ran", "run_seeds"]

Progress: TypeAlias = Callable[[float, int], None]
Ended: TypeAlias = Literal["done", "interrupted", "time", "executor"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Ran:
    """What was run.

    Attributes
    ----------
    simulations : tuple of Simulation
        Of the protocols of which at least one seed is done, in their order.
    ended : {"done", "interrupted", "time", "executor"}
        Why there is no more.
    """

    simulations: tuple[Simulation, ...]
    ended: Ended


@dataclass(frozen=True, slots=True, kw_only=True)
class _Group:
    """Seeds of a protocol that run at once."""

    protocol: SimulationProtocol
    number: int
    seeds: range


def run_seeds(
    protocols: Sequence[SimulationProtocol],
    *,
    seeds: int,
    first_seed: int = 0,
    seeds_together: int | None = None,
    seconds: float | None = None,
    executor: Executor | None = None,
    workers: int = 1,
    scheduler: str | None = None,
    progress: Progress | None = None,
) -> Ran:
    """Run protocols, one after the other, over seeds first_seed, ..., first_seed + seeds - 1.

    Parameters
    ----------
    protocols : sequence of SimulationProtocol
    seeds : int >= 1
        Of each.
    first_seed : int >= 0
        first_seed + seeds <= 2**32.
    seeds_together, seconds, executor
        See `simulate`.
    workers : int >= 1
        Processes that share the seeds; 1 is this one.
    scheduler : str, optional
        Address of a Dask scheduler whose workers share them instead.
    progress : callable, optional
        progress(done, total) after each group of seeds; of long seeds in this process within one, too.

    Raises
    ------
    InputError
        If a seed is out of range, the size does not fit into memory, the protocol cannot run several
        seeds at once, or there is no such executor.
    ExecutorEnded, KeyboardInterrupt
        If it ends before a first group of seeds is done; later, what is done is returned.
    """
    wanted = _wanted(seeds, first_seed)
    if seconds is not None:
        require_seconds(seconds)
    if executor is not None:
        require_executor(executor)
    processes = workers if executor is None else slots(executor)
    if scheduler is not None:
        processes = len(wanted) * len(protocols)  # it does not say how many it has
    groups = _groups(protocols, wanted, seeds_together, processes)
    counted = _Counted(count=len(protocols), total=len(wanted) * len(protocols), progress=progress)
    if executor is not None:
        results = on_executor(_run, groups, executor)
    else:
        run = counted.run if workers == 1 and scheduler is None else _run
        results = in_order(run, groups, workers=workers, scheduler=scheduler, lost=_lost)
    ended: Ended = "done"
    try:
        with contextlib.closing(results):  # of the processes that are at work where it ends before
            for group, found in zip(groups, results, strict=True):
                counted.add(group, found)
                if seconds is not None and counted.seconds >= seconds and group is not groups[-1]:
                    ended = "time"
                    break
    except (KeyboardInterrupt, ExecutorEnded) as error:
        if not counted.done:
            raise
        ended = "executor" if isinstance(error, ExecutorEnded) else "interrupted"
    runs = zip(protocols, counted.samples, counted.times, strict=True)
    complete = (
        _simulation(p, found, wanted, spent, next(len(g.seeds) for g in groups if g.protocol is p))
        for p, found, spent in itertools.takewhile(lambda run: run[1], runs)
    )
    return Ran(simulations=tuple(complete), ended=ended)


class _Counted:
    """The samples of each protocol so far, with the seconds that they took."""

    def __init__(self, *, count: int, total: int, progress: Progress | None) -> None:
        self.samples: list[list[Sample]] = [[] for _ in range(count)]
        self.times = [0.0] * count
        self.seconds = 0.0
        self._begun = time.perf_counter()
        self._total, self._progress = total, progress

    @property
    def done(self) -> int:
        """Seeds."""
        return sum(map(len, self.samples))

    def run(self, group: _Group) -> list[Sample]:
        """In this process, with progress within the group."""
        done, total, progress = self.done, self._total, self._progress
        within = None if progress is None else lambda more: progress(done + more, total)
        return group.protocol.run_many(group.seeds, within)

    def add(self, group: _Group, found: list[Sample]) -> None:
        """What a group has found."""
        self.samples[group.number] += found
        now = time.perf_counter() - self._begun
        self.times[group.number] += now - self.seconds
        self.seconds = now
        if self._progress is not None:
            self._progress(self.done, self._total)


def _run(group: _Group) -> list[Sample]:
    return group.protocol.run_many(group.seeds)


def _lost(group: _Group) -> list[Sample]:
    raise ExecutorEnded(
        f"a worker ended without an answer at seeds {group.seeds.start} to {group.seeds.stop - 1} of "
        f"{group.protocol.name} (out of memory, or ended from outside)"
    )


def _groups(
    protocols: Sequence[SimulationProtocol], wanted: range, seeds_together: int | None, processes: int
) -> list[_Group]:
    """A group for each process at least, where there are several."""
    share = math.ceil(len(wanted) * len(protocols) / processes) if processes > 1 else len(wanted)
    together = [min(_together(p, len(wanted), seeds_together), share) for p in protocols]
    return [
        _Group(protocol=p, number=k, seeds=wanted[first : first + one])
        for k, (p, one) in enumerate(zip(protocols, together, strict=True))
        for first in range(0, len(wanted), one)
    ]


def _wanted(seeds: int, first_seed: int) -> range:
    seeds = positive_integer("seeds", seeds)
    first = non_negative_integer("first_seed", first_seed)
    if first + seeds > 2**32:
        raise InputError(f"seeds {first} to {first + seeds - 1} are asked for: they end at 2**32 - 1")
    return range(first, first + seeds)


def _simulation(
    protocol: SimulationProtocol, done: Sequence[Sample], wanted: range, seconds: float, together: int
) -> Simulation:
    samples = {name: np.stack([sample[name] for sample in done]) for name in done[0]}
    return Simulation(
        protocol=protocol.name,
        parameters=protocol.parameters(),
        first_seed=wanted.start,
        samples=samples,
        groups=protocol.groups,
        device=protocol.device,
        seconds=seconds,
        interrupted=len(done) < len(wanted),
        conclusions=protocol.conclusions(samples),
        products=len(done) * protocol.products(),
        seeds_together=together,
    )


def _together(protocol: SimulationProtocol, seeds: int, asked: int | None) -> int:
    """How many seeds to run at once: as asked, or as suits the protocol and fits into memory.

    Raises
    ------
    InputError
        If one seed, or what was asked for, does not fit into memory, or the protocol does not run several.
    """
    best, needed = protocol.seeds_together(), protocol.memory()
    if asked is None:
        require_memory(protocol.device, needed)
        free = resolve_backend(protocol.device).free_memory()
        room = seeds if free is None or not needed else free // (2 * needed)  # not all of what is free
        return max(1, min(seeds, best, room))
    together = min(seeds, positive_integer("seeds_together", asked))
    if together == 1:
        require_memory(protocol.device, needed)
    elif protocol.stacks:
        require_memory(protocol.device, together * needed, "fewer seeds_together, or smaller sizes")
    else:
        raise InputError(
            f"seeds_together is {asked}, but {protocol.name} runs its seeds one after the other with these "
            "parameters: 1 is accepted"
        )
    return together
