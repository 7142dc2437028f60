"""Compiled work, or that of long arrays, on two processors, one of them the calling thread's.

Its limits count the time of both.
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

__all__ = ["ONE_EACH", "THREADS", "halves", "in_threads"]

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


def in_threads(function: Callable[[Part], Result], parts: Iterable[Part]) -> list[Result]:
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
                    except IndexError:  # the other thread has taken the last one
                        return
                    found[place] = function(part)
        except BaseException:
            waiting.clear()
            raise

    if len(waiting) < 2:
        work(nullcontext)
        return [found[place] for place in sorted(found)]
    with ONE_EACH, ThreadPoolExecutor(THREADS - 1) as pool:
        block = for_other_threads()
        others = [pool.submit(contextvars.copy_context().run, work, block) for _ in range(THREADS - 1)]
        work(nullcontext)
        for other in others:
            other.result()
    return [found[place] for place in sorted(found)]


def halves(count: int) -> list[slice]:
    """As many slices of so many rows as there are threads."""
    ends = [count * k // THREADS for k in range(THREADS + 1)]
    return [slice(a, b) for a, b in itertools.pairwise(ends)]
