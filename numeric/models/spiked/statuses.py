"""What the codes of flat results mean."""

from __future__ import annotations

from hermite_analytics.numeric.status import Status

__all__ = ["STATUSES"]

STATUSES = (
    Status.CONVERGED,
    Status.MAX_STEPS_REACHED,
    Status.DIVERGED,
    Status.INFINITE,
    Status.MULTIPLE_SOLUTIONS,
    Status.AT_BORDER,
    Status.NOT_COMPUTED,
    Status.TIME_ENDED,
)
