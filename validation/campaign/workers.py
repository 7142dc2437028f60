"""Where cells are computed: in this process, or in worker processes with one BLAS thread each."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from typing import ParamSpec, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from hermite_analytics.errors import HermiteAnalyticsError, InputError
from hermite_analytics.validation.campaign.store import CellResult
from hermite_analytics.validation.experiments.experiment import Cell

__all__ = ["CellError", "SerialExecutor", "available_cores", "run_cells", "worker_pool"]

P = ParamSpec("P")
T = TypeVar("T")

# Not NUMBA_NUM_THREADS: numba refuses a change of it in the parent, which is running.
_THREAD_VARIABLES = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS")


class CellError(HermiteAnalyticsError):
    """A simulation ended with an error; those of the batch before it are in `done`."""

    def __init__(self, message: str, done: list[CellResult]) -> None:
        super().__init__(message, done)  # both, so that it pickles
        self.done = done

    def __str__(self) -> str:
        return str(self.args[0])


def run_cells(cell: Cell, seeds: Sequence[int]) -> list[CellResult]:
    """Run the seeds of one cell one after the other; the result depends on nothing but the two arguments.

    Raises
    ------
    CellError
        If one of them raises an error, whatever it is.
    """
    results: list[CellResult] = []
    for seed in seeds:
        start = time.process_time()
        try:
            numbers = cell.run(seed)
        except Exception as error:
            kind = "" if isinstance(error, HermiteAnalyticsError) else f"{type(error).__name__}: "
            raise CellError(f"seed {seed}: {kind}{error}", results) from error
        results.append(CellResult(seed=seed, result=_plain(numbers), seconds=time.process_time() - start))
    return results


def _plain(numbers: Mapping[str, ArrayLike]) -> dict[str, object]:
    """Arrays as nested lists, numbers that are not finite as None."""
    plain: dict[str, object] = {}
    for name, value in numbers.items():
        array = np.asarray(value, dtype=float)
        values = array.astype(object)
        values[~np.isfinite(array)] = None
        plain[name] = values.tolist()
    return plain


class SerialExecutor(Executor):
    """Run each task in this process, at once."""

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """Run the task and return its finished future."""
        future: Future[T] = Future()
        try:
            future.set_result(fn(*args, **kwargs))
        except Exception as error:
            future.set_exception(error)
        return future


def available_cores() -> int:
    """Cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return max(1, len(os.sched_getaffinity(0)))
    return os.cpu_count() or 1


@contextlib.contextmanager
def worker_pool(workers: int) -> Iterator[Executor]:
    """Open an executor: this process for one worker, else fresh processes with one BLAS thread each.

    Processes are spawned, not forked (forking a process that runs threads can deadlock). Thread limits must
    stand in the environment before numpy loads, hence here and not in the worker; it is restored at the end.

    Raises
    ------
    InputError
        If `workers` is not at least 1.
    """
    if workers < 1:
        raise InputError(f"workers is {workers}; an integer >= 1 is needed")
    if workers == 1:
        yield SerialExecutor()
        return
    with _single_threaded_children():
        pool = ProcessPoolExecutor(
            max_workers=workers,
            mp_context=multiprocessing.get_context("spawn"),
            initializer=_start_worker,
        )
        try:
            yield pool
        finally:
            pool.shutdown(wait=True, cancel_futures=True)


@contextlib.contextmanager
def _single_threaded_children() -> Iterator[None]:
    before = {name: os.environ.get(name) for name in _THREAD_VARIABLES}
    os.environ.update(dict.fromkeys(_THREAD_VARIABLES, "1"))
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


def _start_worker() -> None:
    """Leave Ctrl-C to the coordinator, which keeps the batches that are nearly done, and end with it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    """A coordinator that was killed says nothing to its workers: without this they would wait for ever."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
