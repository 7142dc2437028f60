"""A step that its own time ends: what stands after it is done in its place."""

from __future__ import annotations

from types import TracebackType

from hermite_analytics.foundation.clock import Limit, TimeEnded, check_time, limited

__all__ = ["attempted"]


class attempted:
    """As `limited`, but the end of its time ends the block alone; that of a limit around it interrupts.

    Parameters
    ----------
    seconds : float > 0, optional
        By default all that is left.

    Examples
    --------
    >>> def first(seconds):
    ...     with attempted(seconds):
    ...         while True:
    ...             check_time()
    ...     return "what is left"
    >>> first(0.01)
    'what is left'
    >>> with limited(0.01):
    ...     first(8)
    Traceback (most recent call last):
    ...
    hermite_analytics.foundation.clock.TimeEnded: the time for a closed form ended
    """

    __slots__ = ("_block",)

    def __init__(self, seconds: float | None = None) -> None:
        self._block = limited(seconds)

    def __enter__(self) -> Limit:
        return self._block.__enter__()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool:
        self._block.__exit__(kind, error, trace)
        if kind is None or not issubclass(kind, TimeEnded):
            return False
        check_time()
        return True
