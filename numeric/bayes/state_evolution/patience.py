"""When Newton's method is tried in an iteration that converges by itself, if slowly."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Patience"]

_LONGEST_PAUSE = 15


@dataclass(slots=True)
class Patience:
    """Steps without Newton's method, twice as many each time that it fails far from rest."""

    left: int = 0
    pause: int = 0

    def is_over(self) -> bool:
        self.left -= 1
        return self.left < 0

    def begin_again(self, *, lost: bool) -> None:
        self.left = self.pause = min(2 * self.pause + 1, _LONGEST_PAUSE) if lost else 0
