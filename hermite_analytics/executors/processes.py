"""Executors of this machine: this process, or worker processes with one BLAS thread each."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from numbers import Integral
from typing import ParamSpec, TypeVar

from hermite_analytics.errors import InputError

__all__ = ["SerialExecutor", "available_cores", "worker_pool"]

P = ParamSpec("P")
T = TypeVar("T")

# Not NUMBA_NUM_THREADS: numba refuses a change of it in the parent, which is running.
_THREAD_VARIABLES = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS")


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
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


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
    if not isinstance(workers, Integral) or workers < 1:
        raise InputError(f"workers is {workers!r}; an integer >= 1 is accepted")
    if workers == 1:
        yield SerialExecutor()
        return
    with fresh_processes(workers) as pool:
        try:
            yield pool
        finally:
            pool.shutdown(wait=True, cancel_futures=True)


@contextlib.contextmanager
def fresh_processes(workers: int) -> Iterator[ProcessPoolExecutor]:
    """The processes alone; whoever opens them shuts them down."""
    with _single_threaded_children():
        yield ProcessPoolExecutor(
            max_workers=workers,
            mp_context=multiprocessing.get_context("spawn"),
            initializer=_start_worker,
        )


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
    """Leave Ctrl-C to the coordinator, which keeps what is nearly done, and end with it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    """A coordinator that was killed says nothing to its workers: without this they would wait for ever."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
