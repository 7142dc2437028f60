"""The points of a solver in pieces on an executor of the caller."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import Executor
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from hermite_analytics.errors import ExecutorEnded
from hermite_analytics.executors.ordered import on_executor, require_executor, slots
from hermite_analytics.executors.timed import Timed
from hermite_analytics.numeric.solution import Solution
from hermite_analytics.numeric.status import NOT_COMPUTED, TIME_ENDED, Status

__all__ = ["flat_results", "left_by", "pieces", "raise_if_ended", "results_kept"]

Array = NDArray[Any]
Flat = dict[str, Array]
A = TypeVar("A")
R = TypeVar("R")
_PIECES, _LARGEST = 128, 8192
_EACH = 4  # pieces for each process
_CODES = {Status.NOT_COMPUTED: NOT_COMPUTED, Status.TIME_ENDED: TIME_ENDED}


def pieces(count: int, executor: Executor) -> list[NDArray[np.int64]]:
    """Places of the points of each piece: 128 pieces of many points, four a process of many processes."""
    size = min(max(count // max(_PIECES, _EACH * slots(executor)), 1), _LARGEST)
    return [np.arange(first, min(first + size, count)) for first in range(0, count, size)]


def results_kept(
    function: Callable[[A], R],
    arguments: Iterable[A],
    executor: Executor | None,
    *,
    keeps: bool = True,
    each: Callable[[int, R], None] | None = None,
) -> list[R]:
    """function(argument) of each, in order, as far as the executor came.

    Processes elsewhere compute by compiled kernels, so that digits do not depend on who did what; without an
    executor, or by a `Timed` one, this process does as it always does.

    Parameters
    ----------
    keeps : bool
        Whether results before the end are an answer; those before a time ended always are.
    each : callable, optional
        each(how many there are, the last one), from the calling thread.

    Raises
    ------
    InputError
        If the executor takes no tasks.
    ExecutorEnded
        If it ended before the last result, it was not the time, and nothing is kept.
    """
    is_timed = isinstance(executor, Timed)
    task = functools.partial(_compiled, function) if executor is not None and not is_timed else function
    found: list[R] = []
    try:
        for result in map(task, arguments) if executor is None else on_executor(task, arguments, executor):
            found.append(result)
            if each is not None:
                each(len(found), result)
    except ExecutorEnded:
        if not is_timed and not (keeps and found):
            raise
    return found


def _compiled(function: Callable[[A], R], argument: A) -> R:
    from hermite_analytics.codegen.auto_backend.tiers import compiled_at_once

    with compiled_at_once():
        return function(argument)


def flat_results(
    function: Callable[[Flat], Flat], points: Mapping[str, Array], executor: Executor | None, *, keeps: bool
) -> Flat:
    """function(points), on the executor where there is one: arrays with an entry a point.

    Parameters
    ----------
    function : callable
        Of points, shape (k,) each, to results of k entries; importable by name, or a method of what pickles.
        Statuses are the codes in "code".
    points : mapping of str to ndarray, shape (n,)
    keeps : bool
        Whether what was computed before the executor ended is an answer: the rest has the code of
        `Status.NOT_COMPUTED` then, see `raise_if_ended`. What a `Timed` one leaves always has the code of
        `Status.TIME_ENDED`.

    Raises
    ------
    ExecutorEnded
        If the executor ended, it was not the time, and nothing is kept.
    """
    if executor is None:
        return function(dict(points))
    require_executor(executor)
    count = next(iter(points.values())).size
    places = pieces(count, executor)
    jobs = ({name: values[chosen] for name, values in points.items()} for chosen in places)
    parts = results_kept(function, jobs, executor, keeps=keeps)
    if not parts:
        parts = [function({name: values[:0] for name, values in points.items()})]
    code = _CODES[left_by(executor)]
    return {name: _joined([part[name] for part in parts], count, name, code) for name in parts[0]}


def left_by(executor: Executor | None) -> Status:
    """The status of points that an executor did not come to."""
    return Status.TIME_ENDED if isinstance(executor, Timed) else Status.NOT_COMPUTED


def _joined(parts: list[Array], count: int, name: str, code: int) -> Array:
    """The entries of all points; of those that are missing what says that nothing is known."""
    found = np.concatenate(parts)
    missing = count - len(found)
    if missing == 0:
        return found
    if found.dtype.kind == "f":
        rest = np.full((missing, *found.shape[1:]), np.nan)
    else:
        rest = np.full((missing, *found.shape[1:]), code if name == "code" else 0, dtype=found.dtype)
    return np.concatenate([found, rest])


def raise_if_ended(solution: Solution) -> None:
    """Raise `ExecutorEnded` with the solution, if there are points that were not computed."""
    missing = int(np.sum(np.asarray(solution.status) == Status.NOT_COMPUTED))
    if missing:
        raise ExecutorEnded(
            f"the executor ended: {missing} of {np.size(solution.status)} points were not computed; the "
            "others are in `solution` of this error",
            solution,
        )
