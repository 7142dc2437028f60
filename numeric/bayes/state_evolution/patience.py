"""When Newton's method is tried in an iteration that converges by itself, if slowly."""

from __future__ import annotations

import math
from dataclasses import dataclass

__all__ = ["Patience"]

_LONGEST_PAUSE = 15
_STALLED = 0.9  # share of a residual


@dataclass(slots=True)
class Patience:
    """Steps without Newton's method, twice as many each time that it fails far from rest."""

    left: int = 0
    pause: int = 0
    before: float = math.inf  # the residual at the last step of Newton's method

    def is_over(self) -> bool:
        self.left -= 1
        return self.left < 0

    def is_in_vain(self, residual: float) -> bool:
        """Whether that step left nearly all of it, as where directions turn in which it does not move."""
        found = residual > _STALLED * self.before
        self.before = math.inf if found else residual
        return found

    def begin_again(self, *, lost: bool) -> None:
        self.left = self.pause = min(2 * self.pause + 1, _LONGEST_PAUSE) if lost else 0
