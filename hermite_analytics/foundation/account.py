"""Seconds for several computations that are asked for one by one, whenever that is."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from hermite_analytics.foundation.clock import limited
from hermite_analytics.foundation.seconds import require_seconds

__all__ = ["Account"]

_LEAST = 0.01  # of the seconds, that a part has in any case: what needs no search is answered
_SPARE = 0.1  # of the seconds, shared, for what was begun within them


class Account:
    """Seconds of computing for named parts; time between two parts is not counted.

    A part may use its weight's share of what is left for the parts that have not run: what quick parts
    leave over is there for slow ones. A part that needs more goes on, but not longer than all that is left:
    `check_time` then ends it.

    Parameters
    ----------
    seconds : float > 0
    weights : mapping of str to float > 0

    Examples
    --------
    >>> account = Account(12, {"mean": 1, "threshold": 3})
    >>> with account.part("mean") as seconds:
    ...     round(seconds, 3)
    3.0
    >>> with account.part("threshold") as seconds:
    ...     round(seconds)
    12
    """

    def __init__(self, seconds: float, weights: Mapping[str, float]) -> None:
        require_seconds(seconds, finite=True)
        self.seconds = float(seconds)
        self.left = self.seconds
        self._least, self._spare = _LEAST * self.seconds, _SPARE * self.seconds
        self._weights = dict(weights)

    @contextmanager
    def part(self, name: str) -> Iterator[float]:
        """The seconds that this part may use; what it uses is taken off, also where it is interrupted.

        Raises
        ------
        TimeEnded
            From within, when all time that is left has been used.
        """
        share = self._weights.get(name, 1.0) / (sum(self._weights.values()) or 1.0)
        with limited(max(self.left + self._spare, self._least)) as limit:
            try:
                yield max(min(share, 1.0) * self.left, self._least)
            finally:
                left = self.left - limit.used()
                self.left, self._spare = max(left, 0.0), self._spare + min(left, 0.0)
                self._weights.pop(name, None)
