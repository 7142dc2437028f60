"""A limit on the work of one decision: steps are counted, so that equal questions have equal answers."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

__all__ = ["MAX_STEPS", "TooManySteps", "charge", "counted"]

MAX_STEPS = 250_000  # products of fractions; about a second

_left: ContextVar[list[int]] = ContextVar("_left")


class TooManySteps(Exception):
    """The decision would take too long."""


@contextmanager
def counted(limit: int = MAX_STEPS) -> Iterator[None]:
    """Within, `charge` raises `TooManySteps` once the charges add up to more than `limit`."""
    token = _left.set([limit])
    try:
        yield
    finally:
        _left.reset(token)


def charge(steps: int) -> None:
    """Count some steps of the decision at hand; outside of one nothing is counted."""
    left = _left.get(None)
    if left is not None:
        left[0] -= steps
        if left[0] < 0:
            raise TooManySteps
