"""Ordinary differential equations at the asked times, with a count of evaluations and a status."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from hermite_analytics.foundation.clock import check_time
from hermite_analytics.foundation.numpy_arrays import Array
from hermite_analytics.numeric.status import Status

__all__ = ["Run", "integrated"]

_FINEST = 3e-14  # below it steps are rounding


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Run:
    """States at the times, shape (times, n); NaN after the integration stopped."""

    states: Array
    evaluations: int
    status: Status


class _Stopped(Exception):
    def __init__(self, status: Status) -> None:
        super().__init__(status)
        self.status = status


def integrated(
    velocity: Callable[[Array], Array], start: Array, times: Array, *, tolerance: float, max_evaluations: int
) -> Run:
    """The states of dy/dt = velocity(y) from y(0) = start, at increasing times >= 0.

    Runge-Kutta of order 8 (Dormand and Prince), the local error below `tolerance` in every step.

    Raises
    ------
    TimeEnded
        If a limit of time that surrounds the call ends.
    """
    from scipy.integrate import solve_ivp

    count = 0

    def right_hand_side(t: float, y: Array) -> Array:
        nonlocal count
        count += 1
        check_time()
        if count > max_evaluations:
            raise _Stopped(Status.MAX_STEPS_REACHED)
        found = velocity(y)
        if not np.all(np.isfinite(found)):
            raise _Stopped(Status.DIVERGED)
        return found

    local = max(tolerance / math.sqrt(start.size), _FINEST)
    states = np.full((times.size, start.size), np.nan)
    status, y, now = Status.CONVERGED, start, 0.0
    for index, time in enumerate(times):
        if time > now:
            try:
                with np.errstate(over="ignore", invalid="ignore"):
                    found = solve_ivp(right_hand_side, (now, time), y, "DOP853", rtol=local, atol=local)
            except _Stopped as stop:
                status = stop.status
                break
            if not found.success:
                status = Status.DIVERGED
                break
            y, now = found.y[:, -1], float(time)
        states[index] = y
    return Run(states=states, evaluations=count, status=status)
