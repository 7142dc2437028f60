"""Seconds of work: not those that other programs take, and not for ever."""

import threading
import time

import pytest

from hermite_analytics.foundation.budget import Budget
from hermite_analytics.foundation.timer import Timer


class Clocks:
    """Processor and wall, moved by hand."""

    def __init__(self, monkeypatch):
        self.processor = self.wall = 100.0
        monkeypatch.setattr(time, "thread_time", lambda: self.processor)
        monkeypatch.setattr(time, "monotonic", lambda: self.wall)

    def go_on(self, *, processor, wall):
        self.processor += processor
        self.wall += wall


@pytest.fixture
def clocks(monkeypatch):
    return Clocks(monkeypatch)


def test_time_of_other_programs_does_not_count(clocks):
    timer = Timer()
    clocks.go_on(processor=2, wall=7)
    assert timer.seconds() == 2 and timer.has_passed(2) and not timer.has_passed(2.1)


def test_waiting_ends_too(clocks):
    timer = Timer()
    clocks.go_on(processor=0, wall=8)
    assert timer.seconds() == 2


def test_another_thread_sees_the_wall(clocks):
    timer, seen = Timer(), []
    clocks.go_on(processor=2, wall=3)
    assert not timer.has_passed(3)  # what was read last here says nothing there
    other = threading.Thread(target=lambda: seen.extend([timer.seconds(), timer.has_passed(3)]))
    other.start()
    other.join()
    assert seen == [3, True]


def test_budgets_are_kept_in_these_seconds(clocks):
    budget = Budget(seconds=10)
    clocks.go_on(processor=4, wall=12)
    part = budget.part(0.5)
    assert (budget.remaining(), part.seconds) == (6, 3)
    clocks.go_on(processor=7, wall=7)
    assert budget.remaining() == part.remaining() == 0


def test_the_processor_is_read_only_where_its_time_may_have_come(clocks, monkeypatch):
    timer, read = Timer(), []
    monkeypatch.setattr(time, "thread_time", lambda: read.append(1) or clocks.processor)
    for _ in range(4):
        clocks.go_on(processor=0.5, wall=2)
        assert not timer.has_passed(10)
    assert not read
    clocks.go_on(processor=1, wall=2)  # ten on the wall, three of them here
    assert not timer.has_passed(10) and len(read) == 1
    clocks.go_on(processor=6, wall=6.5)  # nine and a half at most
    assert not timer.has_passed(10) and len(read) == 1
    clocks.go_on(processor=1, wall=1)
    assert timer.has_passed(10) and len(read) == 2
