"""One function for many arguments over processes: results in order, and nothing lost."""

from __future__ import annotations

import itertools
import multiprocessing
import os
import signal
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from typing import TypeVar

from hermite_analytics.errors import InputError

__all__ = ["cores", "in_order"]

_AHEAD = 3  # arguments handed out for each process, at work or waiting

A = TypeVar("A")
R = TypeVar("R")


def cores() -> int:
    """The processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def in_order(
    function: Callable[[A], R], arguments: Iterable[A], *, workers: int, lost: Callable[[A], R]
) -> Iterator[R]:
    """function(argument) of each argument, in their order, as soon as it is there.

    Arguments are asked for as they are needed: no more than a few a process wait for their turn.

    Parameters
    ----------
    function : callable
        Importable by name, as the processes are started afresh.
    workers : int >= 1
        Processes; 1 computes in this one.
    lost : callable
        The result of an argument whose process ended without an answer.

    Raises
    ------
    InputError
        If there are no workers.
    """
    if workers < 1:
        raise InputError(f"workers is {workers}; an integer >= 1 is accepted")
    rest = iter(arguments)
    first = list(itertools.islice(rest, _AHEAD * workers))
    if workers == 1 or len(first) < 2:
        yield from map(function, itertools.chain(first, rest))
        return
    while first:
        with _processes(min(workers, len(first))) as pool:
            waiting = deque((argument, pool.submit(function, argument)) for argument in first)
            first = []
            while waiting:
                argument, future = waiting.popleft()
                yield _result(future, function, argument, lost)
                for new in () if first else itertools.islice(rest, 1):
                    try:
                        waiting.append((new, pool.submit(function, new)))
                    except BrokenProcessPool:
                        first = [new]  # of the next pool; those that wait have a process each


def _result(future: Future[R], function: Callable[[A], R], argument: A, lost: Callable[[A], R]) -> R:
    """The result; after a process has died each argument left has one of its own, to tell who kills it."""
    try:
        return future.result()
    except BrokenProcessPool:
        pass
    try:
        with _processes(1) as alone:
            return alone.submit(function, argument).result()
    except BrokenProcessPool:
        return lost(argument)


@contextmanager
def _processes(workers: int) -> Iterator[ProcessPoolExecutor]:
    """Processes that leave Ctrl-C to this one, and that do not outlive the block."""
    pool = ProcessPoolExecutor(
        workers,
        mp_context=multiprocessing.get_context("spawn"),
        initializer=signal.signal,
        initargs=(signal.SIGINT, signal.SIG_IGN),
    )
    try:
        yield pool
    except BaseException:  # interrupted, or the reader of the results stopped early
        running = list((pool._processes or {}).values())
        pool.shutdown(wait=False, cancel_futures=True)
        for process in running:
            process.terminate()
        raise
    pool.shutdown()
