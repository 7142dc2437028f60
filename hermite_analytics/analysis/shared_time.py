"""A time budget that several computations share, whenever they are asked for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from hermite_analytics.activation import shortened
from hermite_analytics.errors import InputError
from hermite_analytics.foundation.budget import Budget
from hermite_analytics.foundation.clock import limited
from hermite_analytics.foundation.timer import Timer

__all__ = ["SharedTime"]

_LEAST = 0.05  # seconds that a part has in any case: what needs no search is answered
_SPARE = 0.5  # seconds, shared, for what was begun within the time


class SharedTime:
    """Seconds of computing (of a `Timer`) for named parts; time between two parts is not counted.

    A part may use its weight's share of what is left for the parts that have not run: what quick parts
    leave over is there for slow ones. A part that needs more goes on, but not longer than all that is left:
    the clock that is set for it (`calculus.clock`) then ends it.

    Parameters
    ----------
    seconds : float > 0
    weights : mapping of str to float > 0

    Examples
    --------
    >>> clock = SharedTime(12, {"mean": 1, "threshold": 3})
    >>> with clock.part("mean") as seconds:
    ...     round(seconds, 3)
    3.0
    >>> with clock.part("threshold") as seconds:
    ...     round(seconds)
    12
    """

    def __init__(self, seconds: float, weights: Mapping[str, float]) -> None:
        if not (isinstance(seconds, int | float) and 0 < seconds < float("inf")):
            raise InputError(f"seconds is {shortened(str(seconds))}; a finite number > 0 is accepted")
        self.seconds = float(seconds)
        self.left = self.seconds
        self._spare = _SPARE
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
        timer = Timer()
        try:
            with limited(Budget(seconds=max(self.left + self._spare, _LEAST))):
                yield max(min(share, 1.0) * self.left, _LEAST)
        finally:
            left = self.left - timer.seconds()
            self.left, self._spare = max(left, 0.0), self._spare + min(left, 0.0)
            self._weights.pop(name, None)
