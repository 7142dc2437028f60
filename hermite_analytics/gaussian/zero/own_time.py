"""A limit of its own for a part of a search, inside the clocks that callers have set."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from hermite_analytics.foundation.clock import Clock, TimeEnded, check_time, limited
from hermite_analytics.gaussian.zero.monomials import OutOfReach

__all__ = ["own_time"]


@contextmanager
def own_time(clock: Clock) -> Iterator[None]:
    """Within, the end of `clock` is an `OutOfReach`; that of a clock which a caller set stays a `TimeEnded`.

    Raises
    ------
    OutOfReach, TimeEnded
    """
    try:
        with limited(clock):
            yield
    except TimeEnded:
        check_time()
        raise OutOfReach("more time than allowed") from None
