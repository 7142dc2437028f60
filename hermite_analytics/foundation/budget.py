"""How long an enclosure may take: a clock that every loop looks at."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from flint import arb

from hermite_analytics.errors import HermiteAnalyticsError, InputError
from hermite_analytics.foundation.clock import TimeEnded, check_time, limited
from hermite_analytics.foundation.timer import Timer

__all__ = ["Budget", "BudgetExhausted"]

_SHORTEST = 1e-9


class BudgetExhausted(HermiteAnalyticsError, TimeoutError):
    """The time or the precision allowed was used up.

    Parameters
    ----------
    message : str
    ball : arb, list of arb or None
        The best enclosure reached, if any: rigorous, but wider than what was asked.
    """

    def __init__(self, message: str, ball: arb | list[arb] | None = None) -> None:
        super().__init__(message)
        self.ball = ball


class Budget:
    """A limit on the time and the precision of one or several enclosures.

    Parameters
    ----------
    seconds : float > 0
        Of a `Timer`: processor time, at most four times as long by the wall clock. It starts when the budget
        is made, and runs on through all calls that are given the same budget.
    max_precision : int
        Largest working precision in bits.

    Examples
    --------
    >>> Budget(seconds=3).remaining() <= 3
    True
    """

    __slots__ = ("_timer", "max_precision", "seconds")

    def __init__(self, *, seconds: float = 10, max_precision: int = 20000) -> None:
        if not seconds > 0:
            raise InputError(f"a budget needs a positive number of seconds, not {seconds}")
        if max_precision < 2:
            raise InputError(f"a budget needs a precision of at least 2 bits, not {max_precision}")
        self.seconds = seconds
        self.max_precision = max_precision
        self._timer = Timer()

    def remaining(self) -> float:
        """Seconds left, not below zero."""
        return max(self.seconds - self._timer.seconds(), 0)

    def has_ended(self) -> bool:
        """Whether nothing remains; cheaper to ask than how much does."""
        return self._timer.has_passed(self.seconds)

    def part(self, share: float) -> Budget:
        """A budget of its own for the next step: `share` in (0, 1] of the seconds left here."""
        return Budget(seconds=max(share * self.remaining(), _SHORTEST), max_precision=self.max_precision)

    @contextmanager
    def limits(self) -> Iterator[None]:
        """Within, `check_time` looks at this budget too, and its end is a `BudgetExhausted`."""
        try:
            with limited(self):
                yield
        except TimeEnded:
            check_time()  # a clock that was set around this one
            raise BudgetExhausted(f"no enclosure of this width within {self.seconds} s") from None

    def check(self, ball: arb | list[arb] | None = None) -> None:
        """Raise `BudgetExhausted` with the best enclosure so far if the time is over."""
        if self.has_ended():
            raise BudgetExhausted(f"no enclosure of this width within {self.seconds} s", ball)

    def check_precision(self, bits: int, ball: arb | list[arb] | None = None) -> None:
        """Raise `BudgetExhausted` if `bits` is beyond what is allowed."""
        if bits > self.max_precision:
            raise BudgetExhausted(f"no enclosure of this width with {self.max_precision} bits", ball)
