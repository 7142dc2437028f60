"""The time that a computation may take: one, of the thread that computes, never passed on as a parameter.

`allowed(seconds)` says how much there is: inner steps ask what is left with `remaining` and take a `share`
of it. `limited(seconds)` also interrupts: `check_time`, which every long loop calls, raises `TimeEnded` at
its end. What nests never has more than what is left around it. `TimeEnded` is not a `NoClosedForm`: nothing
that stands for "no rule applies" catches it, so that no cache ever keeps an interrupted computation as a
negative answer.

Seconds are those of the processor, of this thread and of the threads that work for it (`threads`), or a
quarter of those on the wall if these are more. A busy machine so gives the answer that a free one gives; it
may take up to four times as long, and no more. On a free machine the two agree. Compiling kernels does not
count: an answer is the same on the first day after an installation as on the second. Nor do full collections
of memory, which take seconds in a process that holds much: what it was asked before changes no answer.
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING

from hermite_analytics.foundation.excused import Excused
from hermite_analytics.foundation.seconds import require_seconds

if TYPE_CHECKING:
    from sympy import Expr

__all__ = [
    "TIME_ENDED",
    "Limit",
    "TimeEnded",
    "allowed",
    "by_default",
    "check_time",
    "excuse_compilation",
    "excused",
    "finishing",
    "for_other_threads",
    "has_ended",
    "limited",
    "remaining",
    "seconds_allowed",
    "share",
    "time_of",
    "within",
]

TIME_ENDED = "the time for a closed form ended"
_MOST_BY_THE_WALL = 4.0
_SHORTEST = 1e-9
_RESERVE = 0.1  # of the seconds of a limit, after its end, to finish what it left


class TimeEnded(Exception):
    """The time ran out before the rules were through: whether there is a closed form is open.

    Parameters
    ----------
    found : mapping, optional
        Hermite coefficients that were finished, by index.
    """

    def __init__(self, found: Mapping[tuple[int, ...], Expr] | None = None) -> None:
        super().__init__(TIME_ENDED)
        self.found = {} if found is None else dict(found)


def time_of(seconds: float) -> str:
    """What ended a step that had so many.

    Examples
    --------
    >>> time_of(3.75347), time_of(1e-9)
    ('the time of 3.75 seconds ended', 'no time was left')
    """
    return f"the time of {seconds:.3g} seconds ended" if seconds > _SHORTEST else "no time was left"


class Limit:
    """Seconds from now on; made by `limited` and `allowed`, which give it to their blocks.

    Parameters
    ----------
    seconds : float >= 0
    interrupts : bool
        Whether `check_time` raises at the end.

    Attributes
    ----------
    is_cut : bool
        Whether there were fewer seconds left than were asked for.
    """

    __slots__ = (
        "_elsewhere",
        "_lock",
        "_own",
        "_processor",
        "_read",
        "_read_at",
        "_thread",
        "_wall",
        "interrupts",
        "is_cut",
        "seconds",
    )

    def __init__(self, seconds: float, *, interrupts: bool, is_cut: bool = False) -> None:
        self.seconds, self.interrupts, self.is_cut = seconds, interrupts, is_cut
        self._thread, self._lock = threading.get_ident(), threading.RLock()  # a collection may come anywhere
        self._processor = time.thread_time()
        self._wall = self._read_at = time.monotonic()
        self._read = self._own = self._elsewhere = 0.0

    def processor(self) -> float:
        """Seconds of the processor that its own thread has used."""
        return time.thread_time() - self._processor

    def used(self) -> float:
        """Seconds since it was made; in a thread that does not work for its own, those on the wall."""
        wall = time.monotonic()
        if threading.get_ident() != self._thread:
            return wall - self._wall
        with self._lock:
            self._own = self.processor()
            self._read_at = wall
            self._read = max(self._own + self._elsewhere, (wall - self._wall) / _MOST_BY_THE_WALL)
            return self._read

    def remaining(self) -> float:
        """Seconds left, not below 0."""
        return max(self.seconds - self.used(), 0.0)

    def with_reserve(self) -> float:
        """Seconds left with a tenth more than was given, not below 0."""
        return max((1 + _RESERVE) * self.seconds - self.used(), 0.0)

    def has_ended(self) -> bool:
        """Whether nothing remains: for inner loops, at the price of a look at the wall.

        The processor's time, which costs more to read, passes no faster than that on the wall: it is read
        again only where the one that was read last may have come as far. Another thread sees the wall.
        """
        if threading.get_ident() == self._thread:
            soonest = self._read + time.monotonic() - self._read_at
            if soonest < self.seconds:
                return False
        return self.used() >= self.seconds

    def elsewhere(self) -> Limit:
        """What is left of it as a limit of another thread, which works for its own."""
        left = self.seconds - self._own - self._elsewhere
        return Limit(max(left, 0.0), interrupts=self.interrupts)

    def excuse(self, processor: float, wall: float) -> None:
        """Seconds of this thread that do not count."""
        with self._lock:
            self._processor += processor
            self._wall += wall

    def charge(self, seconds: float) -> None:
        """Seconds of the processor that another thread has worked for this one."""
        with self._lock:
            self._elsewhere += seconds
            self._read += seconds


_limits: ContextVar[tuple[Limit, ...]] = ContextVar("limits", default=())


def limited(seconds: float | None = None) -> AbstractContextManager[Limit]:
    """Within this block `check_time` raises `TimeEnded` after `seconds`, or when what is left around is used.

    Parameters
    ----------
    seconds : float > 0, optional
        By default all that is left.

    Raises
    ------
    InputError
        If there are none.

    Examples
    --------
    >>> import sympy
    >>> from hermite_analytics.gaussian.closed_form import closed_form
    >>> from hermite_analytics.symbols import z
    >>> with limited(5):
    ...     closed_form(sympy.sign(z) * z**3, [z])
    2*sqrt(2)/sqrt(pi)
    """
    return _inner(seconds, interrupts=True)


def allowed(seconds: float | None = None) -> AbstractContextManager[Limit]:
    """Within this block there are `seconds`, or what is left around it; nothing is interrupted at their end.

    For computations that hand back what they have: they look at `remaining`, and limit their steps.

    Examples
    --------
    >>> with allowed(8):
    ...     with limited(share(0.5)) as step:
    ...         round(step.seconds, 3), round(remaining(), 3)
    (4.0, 4.0)
    >>> with allowed(1), allowed(8):
    ...     remaining() <= 1
    True
    """
    return _inner(seconds, interrupts=False)


def by_default(seconds: float) -> AbstractContextManager[Limit]:
    """As `allowed` where no limit is around; where there is one, all that it leaves."""
    return allowed(None if _limits.get() else seconds)


@contextmanager
def finishing() -> Iterator[Limit]:
    """Within this block there is a tenth more than what was allowed around it, and its end interrupts.

    To finish, or to give up in order, what the end left undone. A limit that interrupts stays as it is.

    Examples
    --------
    >>> with allowed(1), finishing():
    ...     round(remaining(), 2)
    1.1
    """
    around = _limits.get()
    ends = [limit.remaining() if limit.interrupts else limit.with_reserve() for limit in around]
    end = Limit(min(ends, default=math.inf), interrupts=True)
    token = _limits.set((*(limit for limit in around if limit.interrupts), end))
    try:
        yield end
    finally:
        _limits.reset(token)


def _inner(seconds: float | None, *, interrupts: bool) -> AbstractContextManager[Limit]:
    if seconds is not None:
        require_seconds(seconds)
    excuse_compilation()
    left = remaining()
    asked = math.inf if seconds is None else seconds
    return within(Limit(min(asked, left), interrupts=interrupts, is_cut=left < asked))


_EXCUSED = Excused(_limits.get)


def excuse_compilation() -> None:
    """From now on what numba compiles does not count, nor full collections of memory."""
    _EXCUSED.listen()


def excused() -> AbstractContextManager[None]:
    """Within this block no time passes for the limits of this thread: what is loaded once a process."""
    return _EXCUSED.block()


@contextmanager
def within(limit: Limit) -> Iterator[Limit]:
    """Within this block the limit holds, beside those around it."""
    token = _limits.set((*_limits.get(), limit))
    try:
        yield limit
    finally:
        _limits.reset(token)


def remaining() -> float:
    """Seconds left: of all limits around, the least; infinite where there are none."""
    return min((limit.remaining() for limit in _limits.get()), default=math.inf)


def seconds_allowed() -> float:
    """What the innermost limit gave that was not cut, used or not; infinite where there is none."""
    return next((limit.seconds for limit in reversed(_limits.get()) if not limit.is_cut), math.inf)


def has_ended() -> bool:
    """Whether nothing remains; cheaper to ask than how much does."""
    return any(limit.has_ended() for limit in _limits.get())


def share(part: float) -> float:
    """Seconds for the next step: `part` in (0, 1] of those that are left; more than 0 also at the end."""
    return max(part * remaining(), _SHORTEST)


def check_time() -> None:
    """Raise `TimeEnded` if the time of a limit that interrupts is over; without one, go on."""
    for limit in _limits.get():
        if limit.interrupts and limit.has_ended():
            raise TimeEnded


def for_other_threads() -> Callable[[], AbstractContextManager[None]]:
    """Called in the thread that asks: blocks for another thread, in which its limits hold and are charged.

    Examples
    --------
    >>> from concurrent.futures import ThreadPoolExecutor
    >>> with limited(5), ThreadPoolExecutor(1) as pool:
    ...     block = for_other_threads()
    ...     def job() -> bool:
    ...         with block():
    ...             return 0 < remaining() <= 5
    ...     pool.submit(job).result()
    True
    """
    around = _limits.get()
    for limit in around:
        limit.used()

    @contextmanager
    def block() -> Iterator[None]:
        meter = Limit(math.inf, interrupts=False)
        token = _limits.set((*(limit.elsewhere() for limit in around), meter))
        try:
            yield
        finally:
            _limits.reset(token)
            used = meter.processor()
            for limit in around:
                limit.charge(used)

    return block
