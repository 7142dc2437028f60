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

    __slots__ = ("_processor", "_read", "_read_at", "_thread", "_wall")

    def __init__(self) -> None:
        self._thread = threading.get_ident()
        self._processor = time.thread_time()
        self._wall = self._read_at = time.monotonic()
        self._read = 0.0

    def seconds(self) -> float:
        """What has passed; in another thread than that of its making, the time on the wall."""
        wall = time.monotonic()
        if threading.get_ident() != self._thread:
            return wall - self._wall
        passed = max(time.thread_time() - self._processor, (wall - self._wall) / _MOST_BY_THE_WALL)
        self._read, self._read_at = passed, wall
        return passed

    def has_passed(self, seconds: float) -> bool:
        """Whether this or more has passed: for inner loops, at the price of a look at the wall.

        The processor's time, which costs more to read, passes no faster than that on the wall: it is read
        again only where the one that was read last may have come as far. Another thread sees the wall.
        """
        if threading.get_ident() == self._thread:
            soonest = self._read + time.monotonic() - self._read_at
            if soonest < seconds:
                return False
        return self.seconds() >= seconds
