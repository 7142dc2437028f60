"""What ends an enclosure that does not get narrow enough: the time that is left, or the precision."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager

from flint import arb

from hermite_analytics.errors import BudgetExhausted
from hermite_analytics.foundation.clock import (
    Limit,
    TimeEnded,
    by_default,
    check_time,
    has_ended,
    limited,
    seconds_allowed,
)

__all__ = ["MOST_BITS", "bounded", "check", "check_precision", "some_time"]

MOST_BITS = 20_000  # of the working precision
_SECONDS = 10.0


def some_time() -> AbstractContextManager[Limit]:
    """The time that is left where there is a limit, else ten seconds."""
    return by_default(_SECONDS)


@contextmanager
def bounded() -> Iterator[None]:
    """Within, the end of what is left is a `BudgetExhausted`; of a limit that interrupts, a `TimeEnded`."""
    seconds = seconds_allowed()
    try:
        with limited():
            yield
    except TimeEnded:
        check_time()  # a limit around this one
        raise _too_wide(seconds) from None


def check(ball: arb | list[arb] | None = None) -> None:
    """Raise `BudgetExhausted` with the best enclosure so far if no time is left, or as `check_time` does."""
    if has_ended():
        check_time()
        raise _too_wide(seconds_allowed(), ball)


def check_precision(bits: int, ball: arb | list[arb] | None = None) -> None:
    """Raise `BudgetExhausted` with the best enclosure so far if `bits` are more than ever are used."""
    if bits > MOST_BITS:
        raise BudgetExhausted(f"no enclosure of this width with {MOST_BITS} bits", ball)


def _too_wide(seconds: float, ball: arb | list[arb] | None = None) -> BudgetExhausted:
    return BudgetExhausted(f"no enclosure of this width within {seconds:.3g} s", ball)
