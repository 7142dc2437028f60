"""Time that passes by looks at it, so that tests of its end measure none."""

from __future__ import annotations

import itertools
from types import SimpleNamespace

import pytest

from hermite_analytics.foundation import clock
from hermite_analytics.foundation.clock import Limit


class Ticks(Limit):
    """A limit that interrupts after it was asked `left` times."""

    def __init__(self, left: int) -> None:
        super().__init__(1000, interrupts=True)
        self.left, self.asked = left, 0

    def has_ended(self) -> bool:
        self.asked, self.left = self.asked + 1, self.left - 1
        return self.left <= 0


def let_time_tick(monkeypatch: pytest.MonkeyPatch) -> None:
    """From now on every look at the wall takes a second, of the processor too."""
    looks = itertools.count()
    now = [0.0]

    def wall() -> float:
        now[0] = float(next(looks))
        return now[0]

    monkeypatch.setattr(clock, "time", SimpleNamespace(monotonic=wall, thread_time=lambda: now[0]))
