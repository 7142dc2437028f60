"""This process as an executor that ends with a time."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import BrokenExecutor, Executor, Future
from typing import ParamSpec, TypeVar

from hermite_analytics.errors import InputError
from hermite_analytics.executors.processes import SerialExecutor
from hermite_analytics.foundation.clock import Limit, TimeEnded, excuse_compilation, within
from hermite_analytics.foundation.seconds import require_seconds

__all__ = ["Timed", "executor_of"]

P = ParamSpec("P")
T = TypeVar("T")


class Timed(SerialExecutor):
    """Run each task at once, in this process, until the time ends: then tasks are lost.

    Parameters
    ----------
    seconds : float > 0
        From the first task on, of the processor; compiling kernels does not count.

    Examples
    --------
    >>> Timed(60).submit(max, 1, 2).result()
    2
    """

    _max_workers = 1

    def __init__(self, seconds: float) -> None:
        require_seconds(seconds)
        self._seconds = float(seconds)
        self._limit: Limit | None = None

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """Run the task and return its finished future."""
        if self._limit is None:
            excuse_compilation()
            self._limit = Limit(self._seconds, interrupts=True)
        if not self._limit.has_ended():
            with within(self._limit):
                found = super().submit(fn, *args, **kwargs)
            if not isinstance(found.exception(), TimeEnded):
                return found
        lost: Future[T] = Future()
        lost.set_exception(BrokenExecutor("the time ended"))
        return lost


def executor_of(executor: Executor | None, seconds: float | None) -> Executor | None:
    """The executor of the caller, or this process for so long, or None.

    Raises
    ------
    InputError
        If both are given, or seconds is no number > 0.
    """
    if seconds is None:
        return executor
    if executor is not None:
        raise InputError("seconds and executor exclude each other: a time is that of this process")
    return Timed(seconds)
