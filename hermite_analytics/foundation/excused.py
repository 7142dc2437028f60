"""What does not count as time of a computation: compiling, and full collections of memory."""

from __future__ import annotations

import _thread
import contextlib
import gc
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from types import FrameType
from typing import Protocol

__all__ = ["Excused", "interrupted"]

_FULL = 2  # the generation of a full collection; small ones are part of the work


_AGAIN = 0.01  # seconds until an interruption is told again
_DEEP = 5  # frames


class _Event(Protocol):
    """Of numba: something began or ended."""

    is_start: bool
    is_end: bool


class _Limit(Protocol):
    def excuse(self, processor: float, wall: float) -> None: ...


class Excused:
    """Hears what begins and ends, and excuses the outermost of a thread.

    Parameters
    ----------
    limits : callable
        Those of the thread that asks.
    """

    def __init__(self, limits: Callable[[], Iterable[_Limit]]) -> None:
        self._limits = limits
        self._here = threading.local()
        self._hears_numba = False

    def listen(self) -> None:
        """From now on; to numba where it is loaded."""
        if self.collection not in gc.callbacks:
            gc.callbacks.append(self.collection)
        events = sys.modules.get("numba.core.event")
        if events is not None and not self._hears_numba:
            self._hears_numba = True
            events.Listener.register(Excused)
            events.register("numba:compile", self)

    def notify(self, event: _Event) -> None:
        """Of a compilation."""
        if event.is_start:
            self._begin()
        elif event.is_end:
            self._end()

    @contextlib.contextmanager
    def block(self) -> Iterator[None]:
        """A part of the work of this thread."""
        self._begin()
        try:
            yield
        finally:
            self._end()

    def collection(self, phase: str, info: Mapping[str, int]) -> None:
        """Of a collection of memory."""
        if info["generation"] == _FULL:
            (self._begin if phase == "start" else self._end)()

    def _begin(self) -> None:
        open_ = self._here.__dict__.setdefault("open", [])
        open_.append((time.thread_time(), time.monotonic()))

    def _end(self) -> None:
        open_ = self._here.__dict__.setdefault("open", [])
        if not open_:
            return
        processor, wall = open_.pop()
        if not open_:
            for limit in self._limits():
                limit.excuse(time.thread_time() - processor, time.monotonic() - wall)


def interrupted(signal_number: int, frame: FrameType | None) -> None:
    """A handler of SIGINT that raises KeyboardInterrupt, but not while it would be lost.

    Python ignores what is raised by those that hear of collections, and a signal that comes during one is
    told to them first. Such a one is told again a moment later.
    """
    for _ in range(_DEEP):
        if frame is None:
            break
        if frame.f_code is Excused.collection.__code__:
            again = threading.Timer(_AGAIN, _thread.interrupt_main)
            again.daemon = True
            again.start()
            return
        frame = frame.f_back
    raise KeyboardInterrupt
