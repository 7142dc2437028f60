"""The time that an exact computation may take.

Rules have no budget of their own: who calls them sets a clock with `limited`, and the inner loops look at it
with `check_time`. What the loops raise, `TimeEnded`, is not a `NoClosedForm`: nothing that stands for "no
rule applies" catches it, so that no cache ever keeps an interrupted computation as a negative answer.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Protocol

from sympy import Expr

__all__ = ["TIME_ENDED", "Clock", "TimeEnded", "check_time", "limited"]

TIME_ENDED = "the time for a closed form ended"


class Clock(Protocol):
    """What says how long an exact computation may still take; a `Budget` is one."""

    def has_ended(self) -> bool:
        """Whether no time is left: asked by inner loops."""


class TimeEnded(Exception):
    """The clock ran out before the rules were through: whether there is a closed form is open.

    Parameters
    ----------
    found : mapping, optional
        Hermite coefficients that were finished, by index.
    """

    def __init__(self, found: Mapping[tuple[int, ...], Expr] | None = None) -> None:
        super().__init__(TIME_ENDED)
        self.found = {} if found is None else dict(found)


_clocks: ContextVar[tuple[Clock, ...]] = ContextVar("clocks", default=())


@contextmanager
def limited(clock: Clock) -> Iterator[None]:
    """Within this block the rules stop when `clock`, or one set around it, has run out.

    Examples
    --------
    >>> import sympy
    >>> from hermite_analytics.gaussian.closed_form import closed_form
    >>> from hermite_analytics.foundation.budget import Budget
    >>> from hermite_analytics.symbols import z
    >>> with limited(Budget(seconds=5)):
    ...     closed_form(sympy.sign(z) * z**3, [z])
    2*sqrt(2)/sqrt(pi)
    """
    token = _clocks.set((*_clocks.get(), clock))
    try:
        yield
    finally:
        _clocks.reset(token)


def check_time() -> None:
    """Raise `TimeEnded` if a clock that was set has run out; without one, go on."""
    for clock in _clocks.get():
        if clock.has_ended():
            raise TimeEnded
