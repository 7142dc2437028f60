"""A limit of its own for a part of a search, inside the time that callers allow."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from hermite_analytics.foundation.clock import Limit, TimeEnded, check_time, limited
from hermite_analytics.gaussian.zero.monomials import OutOfReach

__all__ = ["own_time"]


@contextmanager
def own_time(seconds: float) -> Iterator[Limit]:
    """Within, the end of the seconds is an `OutOfReach`; where fewer are left around, a `TimeEnded`.

    What is out of reach stays so and is remembered; what callers had no time for is not.

    Raises
    ------
    OutOfReach, TimeEnded
    """
    limit: Limit | None = None
    try:
        with limited(seconds) as limit:
            yield limit
    except TimeEnded:
        check_time()
        if limit is not None and limit.is_cut:
            raise
        raise OutOfReach("more time than allowed") from None
