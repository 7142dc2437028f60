"""How far a run is: its work so far, and what is known to come."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

__all__ = ["Work"]


@dataclass(slots=True, kw_only=True, eq=False)
class Work:
    """Counted in gradients of the smallest sample; a gradient of one of four times as many points is four.

    Attributes
    ----------
    progress : callable, optional
        progress(done, total); the total grows where more is begun.
    done, total : int
    """

    progress: Callable[[int, int], None] | None = None
    done: int = 0
    total: int = 0

    def expect(self, more: int) -> None:
        """So much was begun."""
        self.total += more
        self._say()

    def add(self, more: int) -> None:
        """So much was done."""
        self.done += more
        self._say()

    def close(self) -> None:
        """What was begun is done, or given up."""
        self.done = self.total
        self._say()

    def _say(self) -> None:
        if self.progress is not None:
            self.progress(self.done, self.total)
