"""How long a computation has taken, whatever else the machine does."""

from __future__ import annotations

import threading
import time

__all__ = ["Timer"]

_MOST_BY_THE_WALL = 4.0


class Timer:
    """Seconds since it was made: processor time of this thread, or a quarter of the time on the wall if more.

    Time limits are kept in these seconds, so that a busy machine gives the answer that a free one gives; it
    may then take up to four times as long, and no more. On a free machine the two clocks agree.

    Examples
    --------
    >>> timer = Timer()
    >>> 0 <= timer.seconds() < 1
    True
    """

    __slots__ = ("_processor", "_thread", "_wall")

    def __init__(self) -> None:
        self._thread = threading.get_ident()
        self._processor = time.thread_time()
        self._wall = time.monotonic()

    def seconds(self) -> float:
        """What has passed; in another thread than that of its making, the time on the wall."""
        on_the_wall = time.monotonic() - self._wall
        if threading.get_ident() != self._thread:
            return on_the_wall
        return max(time.thread_time() - self._processor, on_the_wall / _MOST_BY_THE_WALL)

    def has_passed(self, seconds: float) -> bool:
        """Whether more than this has passed."""
        return self.seconds() > seconds
