"""The one clock: seconds of work, limits within limits, shares, threads."""

from __future__ import annotations

import gc
import math
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

import pytest

from hermite_analytics.errors import InputError
from hermite_analytics.foundation import clock, threads
from hermite_analytics.foundation.clock import (
    Limit,
    TimeEnded,
    allowed,
    by_default,
    check_time,
    finishing,
    for_other_threads,
    has_ended,
    limited,
    remaining,
    seconds_allowed,
    share,
    within,
)
from hermite_analytics.foundation.threads import in_threads
from tests.symbolic.ticks import Ticks

_PATIENCE = 60  # seconds on the wall, for another thread


class Clocks:
    """Processor and wall, moved by hand; each thread has its own processor."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.wall, self._used = 100.0, threading.local()
        fake = SimpleNamespace(thread_time=lambda: self.processor, monotonic=lambda: self.wall)
        monkeypatch.setattr(clock, "time", fake)

    @property
    def processor(self) -> float:
        return getattr(self._used, "seconds", 0.0)

    def go_on(self, *, processor: float, wall: float) -> None:
        self._used.seconds = self.processor + processor
        self.wall += wall


@pytest.fixture
def clocks(monkeypatch: pytest.MonkeyPatch) -> Clocks:
    return Clocks(monkeypatch)


def test_time_of_other_programs_does_not_count(clocks: Clocks) -> None:
    with allowed(2) as limit:
        clocks.go_on(processor=1.5, wall=5)
        assert limit.used() == 1.5 and not limit.has_ended()
        clocks.go_on(processor=0.5, wall=2)
        assert limit.used() == 2 and limit.has_ended()


def test_waiting_ends_too(clocks: Clocks) -> None:
    with limited(2):
        clocks.go_on(processor=0, wall=7)
        assert remaining() == 0.25
        clocks.go_on(processor=0, wall=1)
        with pytest.raises(TimeEnded):
            check_time()


def test_another_thread_sees_the_wall(clocks: Clocks) -> None:
    limit = Limit(3, interrupts=True)
    seen: list[object] = []
    clocks.go_on(processor=2, wall=3)
    assert not limit.has_ended()  # what was read last here says nothing there
    other = threading.Thread(target=lambda: seen.extend([limit.used(), limit.has_ended()]))
    other.start()
    other.join()
    assert seen == [3, True]


def test_the_processor_is_read_only_where_its_time_may_have_come(
    clocks: Clocks, monkeypatch: pytest.MonkeyPatch
) -> None:
    limit, read = Limit(10, interrupts=True), []
    monkeypatch.setattr(clock.time, "thread_time", lambda: read.append(1) or clocks.processor)
    for _ in range(4):
        clocks.go_on(processor=0.5, wall=2)
        assert not limit.has_ended()
    assert not read
    clocks.go_on(processor=1, wall=2)  # ten on the wall, three of them here
    assert not limit.has_ended() and len(read) == 1
    clocks.go_on(processor=6, wall=6.5)  # nine and a half at most
    assert not limit.has_ended() and len(read) == 1
    clocks.go_on(processor=1, wall=1)
    assert limit.has_ended() and len(read) == 2


def test_without_a_limit_there_is_no_end() -> None:
    check_time()
    assert remaining() == seconds_allowed() == share(0.5) == math.inf and not has_ended()
    with limited():
        check_time()
        assert remaining() == math.inf


def test_limits_within_limits(clocks: Clocks) -> None:
    with limited(10):
        clocks.go_on(processor=4, wall=4)
        with limited(8) as longer, limited(5) as shorter:
            assert (longer.seconds, longer.is_cut) == (6, True)
            assert (shorter.seconds, shorter.is_cut) == (5, False)
            assert remaining() == seconds_allowed() == 5
        with limited(8):
            assert seconds_allowed() == 10
        with allowed() as rest:
            assert rest.seconds == 6


def test_whose_end_interrupts(clocks: Clocks) -> None:
    with allowed(10):
        with limited(3):
            clocks.go_on(processor=3, wall=3)
            with pytest.raises(TimeEnded):
                check_time()
        check_time()
        clocks.go_on(processor=7, wall=7)
        check_time()  # what is allowed ends without a word ..
        assert has_ended() and remaining() == 0
        with pytest.raises(TimeEnded), limited(5):  # .. and leaves nothing to what it holds
            check_time()
    with limited(1), allowed(9):
        clocks.go_on(processor=1, wall=1)
        with pytest.raises(TimeEnded):
            check_time()


def test_shares(clocks: Clocks) -> None:
    with allowed(8):
        clocks.go_on(processor=4, wall=4)
        assert share(0.25) == 1
        with allowed(share(0.25)):
            assert share(0.5) == 0.5
        clocks.go_on(processor=4, wall=4)
        assert 0 < share(0.5) < 1e-6
        with limited(share(0.5)):
            clocks.go_on(processor=1e-6, wall=1e-6)
            with pytest.raises(TimeEnded):
                check_time()


def test_a_tenth_more_to_finish(clocks: Clocks) -> None:
    with allowed(10):
        clocks.go_on(processor=10, wall=10)
        with finishing():
            check_time()
            assert remaining() == pytest.approx(1) and not has_ended()
            clocks.go_on(processor=1.5, wall=1.5)
            with pytest.raises(TimeEnded):
                check_time()
        with pytest.raises(TimeEnded), finishing():  # all that finish share the tenth
            check_time()
    with limited(10), finishing():  # no more than where the end interrupts
        assert remaining() == 10


def test_a_default_is_for_where_no_limit_is(clocks: Clocks) -> None:
    with by_default(10):
        assert remaining() == 10
    with allowed(30), by_default(10):
        assert remaining() == 30


@pytest.mark.parametrize("seconds", [0, -1, math.nan])
def test_what_is_no_time(seconds: float) -> None:
    with pytest.raises(InputError, match=f"seconds is {seconds}; a number > 0 is accepted"):
        limited(seconds)
    with pytest.raises(InputError):
        allowed(seconds)


def test_ends_around_one_another() -> None:
    with within(Ticks(10**9)):
        with within(Ticks(1)), pytest.raises(TimeEnded):
            check_time()
        check_time()
    with within(Ticks(1)), within(Ticks(10**9)), pytest.raises(TimeEnded):
        check_time()
    check_time()


def test_other_threads_have_the_limits_and_are_charged(clocks: Clocks) -> None:
    """Both threads are in their part at once; each uses two seconds of its processor."""
    both = threading.Barrier(2, timeout=_PATIENCE)

    def part(_: int) -> float:
        both.wait()
        left = remaining()
        clocks.go_on(processor=2, wall=0)
        return left

    with limited(10):
        assert in_threads(part, range(2)) == [10, 10]
        assert remaining() == 6  # the time of both
        assert in_threads(part, range(2)) == [6, 6]
        assert remaining() == 2


def test_the_end_stops_all_threads(clocks: Clocks) -> None:
    done: list[int] = []
    both = threading.Barrier(2, timeout=_PATIENCE)

    def part(number: int) -> None:
        if number < 2:
            both.wait()
        done.append(number)
        clocks.go_on(processor=4, wall=4)

    with pytest.raises(TimeEnded), limited(10):
        in_threads(part, range(100))
    assert 2 <= len(done) <= 4


def test_an_end_inside_a_part_of_another_thread(clocks: Clocks) -> None:
    """`check_time` interrupts in the thread that works, whichever it is."""
    both = threading.Barrier(2, timeout=_PATIENCE)
    caller = threading.get_ident()
    interrupted: list[bool] = []

    def part(_: int) -> None:
        both.wait()
        if threading.get_ident() == caller:
            return
        clocks.go_on(processor=11, wall=11)
        try:
            check_time()
        except TimeEnded:
            interrupted.append(True)
            raise

    with pytest.raises(TimeEnded), limited(10):
        in_threads(part, range(threads.THREADS))
    assert interrupted == [True]


def test_real_threads_count_too() -> None:
    def work(_: int) -> None:
        end = time.thread_time() + 0.05
        while time.thread_time() < end:
            pass

    with allowed(1000) as limit:
        in_threads(work, range(2))
    assert limit.used() >= 0.1  # twice 0.05: not a bound of speed, but what was used


def test_compilation_does_not_count():
    """Most of the work of this call is compilation."""
    import numba

    with allowed(1e6) as outer, limited(1e6) as inner:

        @numba.njit
        def compiled(x):
            return x * math.sin(x) + math.gamma(abs(x) + 1)

        start = time.thread_time()
        assert compiled(0.5) == 0.5 * math.sin(0.5) + math.gamma(1.5)
        spent = time.thread_time() - start
        assert max(outer.used(), inner.used()) < 0.5 * spent


def test_full_collections_do_not_count():
    """Of a process that holds much: else what it was asked before ends short proofs."""
    gc.freeze()  # what is held besides
    held = [[k] for k in range(300_000)]
    with allowed(1e6) as outer, limited(1e6) as inner:
        start = time.thread_time()
        for _ in range(10):
            gc.collect()
        spent = time.thread_time() - start
        assert max(outer.used(), inner.used()) < 0.5 * spent
    assert len(held) == 300_000


def test_compilation_in_another_thread_is_not_charged():
    import numba

    with allowed(1e6) as outer, ThreadPoolExecutor(1) as pool:
        block = for_other_threads()

        def job():
            @numba.njit
            def compiled(x):
                return x * math.cos(x) + math.gamma(abs(x) + 2)

            start = time.thread_time()
            with block():
                compiled(0.5)
            return time.thread_time() - start

        spent = pool.submit(job).result()
        assert outer._elsewhere < 0.5 * spent
