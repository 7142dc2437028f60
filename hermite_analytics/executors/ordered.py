"""One function for many arguments on an executor: results in order, in bounded memory, and nothing lost."""

from __future__ import annotations

import itertools
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import BrokenExecutor, CancelledError, Executor, Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from numbers import Integral
from typing import TypeVar

from hermite_analytics.errors import ExecutorEnded, InputError
from hermite_analytics.executors.cluster import ClusterExecutor, cluster_pool
from hermite_analytics.executors.processes import fresh_processes

__all__ = ["in_order", "on_executor", "require_executor", "require_one", "slots"]

_AHEAD = 3  # arguments handed out for each process, at work or waiting
_LOST_BY_DASK = ("KilledWorker", "FutureCancelledError", "FutureLostError")  # it need not be installed
_UNKNOWN = 64  # processes of an executor that does not say how many it has

A = TypeVar("A")
R = TypeVar("R")


def in_order(
    function: Callable[[A], R],
    arguments: Iterable[A],
    *,
    workers: int = 1,
    scheduler: str | None = None,
    lost: Callable[[A], R],
) -> Generator[R]:
    """function(argument) of each argument, in their order, as soon as it is there.

    Arguments are asked for as they are needed: no more than a few a process wait for their turn.

    Parameters
    ----------
    function : callable
        Importable by name, as the processes are started afresh.
    workers : int >= 1
        Processes; 1 computes in this one.
    scheduler : str, optional
        Address of a Dask scheduler whose workers compute instead.
    lost : callable
        The result of an argument whose process ended without an answer.

    Raises
    ------
    InputError
        If there are no workers, or no scheduler there.
    ExecutorEnded
        If the cluster is lost.
    """
    if scheduler is not None:
        with cluster_pool(scheduler) as cluster:
            yield from on_executor(function, arguments, cluster)
        return
    if not isinstance(workers, Integral) or workers < 1:
        raise InputError(f"workers is {workers!r}; an integer >= 1 is accepted")
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


def on_executor(function: Callable[[A], R], arguments: Iterable[A], executor: Executor) -> Generator[R]:
    """The same on an executor of the caller, who starts and ends it.

    Parameters
    ----------
    function : callable
        Importable by name where the executor has processes of its own.
    executor : Executor
        Of `concurrent.futures`, or anything with its `submit`.

    Raises
    ------
    InputError
        If it has no `submit`.
    ExecutorEnded
        If it ended before the last result was there.
    """
    require_executor(executor)
    rest = iter(arguments)
    waiting: deque[Future[R]] = deque()
    refused: ExecutorEnded | None = None  # no more tasks are taken; what was handed out may still end well
    try:
        while True:
            room = 0 if refused else max(_AHEAD * slots(executor) - len(waiting), 0)
            try:
                waiting.extend(_submitted(executor, function, new) for new in itertools.islice(rest, room))
            except ExecutorEnded as error:
                refused = error
            if not waiting:
                break
            yield _found(waiting.popleft())
        if refused is not None:
            raise refused
    finally:
        for future in waiting:
            future.cancel()


def require_executor(executor: object) -> None:
    """Refuse what no task can be handed to."""
    if not callable(getattr(executor, "submit", None)):
        raise InputError(
            f"executor is a {type(executor).__name__} without submit; accepted: an executor of "
            "concurrent.futures, or anything with its submit"
        )


def require_one(workers: int | None, scheduler: str | None) -> None:
    """Refuse both."""
    if workers is not None and scheduler is not None:
        raise InputError("workers and scheduler exclude each other; give one of them")


def _submitted(executor: Executor, function: Callable[[A], R], argument: A) -> Future[R]:
    try:
        return executor.submit(function, argument)
    except RuntimeError as error:  # broken, or shut down
        raise _ended(error) from error


def _found(future: Future[R]) -> R:
    try:
        return future.result()
    except (BrokenExecutor, CancelledError) as error:
        raise _ended(error) from error
    except Exception as error:
        if type(error).__name__ in _LOST_BY_DASK:
            raise _ended(error) from error
        raise


def _ended(error: BaseException) -> ExecutorEnded:
    reason = " ".join(str(error).split())[:120] or type(error).__name__
    return ExecutorEnded(f"the executor ended before all was computed ({reason})")


def slots(executor: Executor) -> int:
    """Tasks that an executor works at together, as far as it says; a cluster may grow and shrink."""
    if isinstance(executor, ClusterExecutor):
        return executor.slots()
    known = getattr(executor, "_max_workers", None)
    return known if isinstance(known, int) else _UNKNOWN


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
    with fresh_processes(workers) as pool:
        try:
            yield pool
        except BaseException:  # interrupted, or the reader of the results stopped early
            running = list((pool._processes or {}).values())
            pool.shutdown(wait=False, cancel_futures=True)
            for process in running:
                process.terminate()
            raise
        pool.shutdown()
