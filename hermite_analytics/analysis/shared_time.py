"""A time budget that several computations share, whenever they are asked for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from hermite_analytics.activation import shortened
from hermite_analytics.calculus.timer import Timer
from hermite_analytics.errors import InputError

__all__ = ["SharedTime"]

_LEAST = 0.05  # seconds that a part has in any case: what needs no search is answered


class SharedTime:
    """Seconds of computing (of a `Timer`) for named parts; time between two parts is not counted.

    A part may use its weight's share of what is left for the parts that have not run: what quick parts
    leave over is there for slow ones.

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
        self._weights = dict(weights)

    @contextmanager
    def part(self, name: str) -> Iterator[float]:
        """The seconds that this part may use; what it uses is taken off, also where it is interrupted."""
        share = self._weights.get(name, 1.0) / (sum(self._weights.values()) or 1.0)
        timer = Timer()
        try:
            yield max(min(share, 1.0) * self.left, _LEAST)
        finally:
            self.left = max(self.left - timer.seconds(), 0.0)
            self._weights.pop(name, None)
