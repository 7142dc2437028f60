"""Compiled work, or that of long arrays, on two processors or more, one of them the calling thread's.

Its limits count the time of all.
"""

from __future__ import annotations

import contextvars
import functools
import itertools
import threading
from collections import deque
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, TypeVar

from hermite_analytics.foundation.clock import check_time, for_other_threads

if TYPE_CHECKING:
    from threadpoolctl import ThreadpoolController, threadpool_limits

__all__ = ["ONE_EACH", "THREADS", "halves", "in_threads", "threads_of_products"]

THREADS = 2

Part = TypeVar("Part")
Result = TypeVar("Result")


class _OneEach:
    """While threads work here, matrix products stay in the thread that asks for them.

    Else each of them would wake as many threads as there are processors, which then wait for each other.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._count = 0
        self._limit: threadpool_limits | None = None

    def __enter__(self) -> None:
        with self._lock:
            if self._count == 0:
                self._limit = _libraries().limit(limits=1, user_api="blas")
            self._count += 1

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._count -= 1
            if self._count == 0 and self._limit is not None:
                self._limit.restore_original_limits()


@functools.cache
def _libraries() -> ThreadpoolController:
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()


ONE_EACH = _OneEach()
"""Within this block matrix products take one thread: those of a few rows are slower on more."""


def threads_of_products() -> int:
    """How many threads a matrix product takes; 1 within `ONE_EACH` and in the processes of a pool."""
    blas = _libraries().select(user_api="blas").lib_controllers
    return max((int(library.num_threads) for library in blas), default=1)


def in_threads(
    function: Callable[[Part], Result], parts: Iterable[Part], threads: int = THREADS
) -> list[Result]:
    """The results for all parts, in order; the time is looked at between parts, in each thread.

    Context variables, limits of time among them, are handed on to the other threads.

    Raises
    ------
    TimeEnded
        Where a limit around the call ends: parts that are not begun then are left out.

    Examples
    --------
    >>> in_threads(lambda n: n * n, range(5))
    [0, 1, 4, 9, 16]
    """
    waiting = deque(enumerate(parts))
    found: dict[int, Result] = {}

    def work(block: Callable[[], AbstractContextManager[None]]) -> None:
        try:
            while waiting:
                with block():
                    check_time()
                    try:
                        place, part = waiting.popleft()
                    except IndexError:  # another thread has taken the last one
                        return
                    found[place] = function(part)
        except BaseException:
            waiting.clear()
            raise

    others = min(threads, len(waiting)) - 1
    if others < 1:
        work(nullcontext)
        return [found[place] for place in sorted(found)]
    with ONE_EACH, ThreadPoolExecutor(others) as pool:
        block = for_other_threads()
        tasks = [pool.submit(contextvars.copy_context().run, work, block) for _ in range(others)]
        work(nullcontext)
        for task in tasks:
            task.result()
    return [found[place] for place in sorted(found)]


def halves(count: int) -> list[slice]:
    """As many slices of so many rows as there are threads."""
    ends = [count * k // THREADS for k in range(THREADS + 1)]
    return [slice(a, b) for a, b in itertools.pairwise(ends)]
