"""The time that one overlap takes to reach a level."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from hermite_analytics.foundation.numpy_arrays import Array
from hermite_analytics.numeric.models.sgd_flow.runs import single_velocity
from hermite_analytics.numeric.models.sgd_flow.starts import Starts
from hermite_analytics.numeric.models.sgd_flow.table import OverlapTable

__all__ = ["passage_time", "passage_times"]

_SCAN = 4001


def passage_time(velocity: Callable[[Array], Array], start: float, level: float) -> float:
    """The first time with |m| = level under dm/dt = velocity(m); infinite if a fixed point comes first.

    The overlap moves one way all the time, so that the time is the integral of dm/velocity(m).
    """
    from scipy.integrate import solve_ivp

    if abs(start) >= level:
        return 0.0
    side = float(np.sign(velocity(np.array([start]))[0]))
    if side == 0.0:
        return math.inf
    angles = np.linspace(math.asin(start), side * math.asin(level), _SCAN)
    if np.any(side * velocity(np.sin(angles)) <= 0.0):
        return math.inf

    def slope(m: float, t: Array) -> Array:
        return 1.0 / velocity(np.array([m]))

    found = solve_ivp(slope, (start, side * level), [0.0], "DOP853", rtol=1e-11, atol=1e-12)
    return float(found.y[0, -1])


def passage_times(
    table: Callable[[float, float], OverlapTable],
    own_noise: float,
    starts: Starts,
    pinned: bool,
    level: float,
) -> Array:
    """The same for each start, shape (starts,); `table` is that of a rate and a variance of the noise.

    Raises
    ------
    ConvergenceError
        If the averages of a table are not settled.
    """
    found = np.empty(starts.rate.size)
    for i, (rate, noise) in enumerate(zip(starts.rate.tolist(), starts.noise.tolist(), strict=True)):
        velocity = single_velocity(table(rate, noise + own_noise).settled(), rate, pinned)
        found[i] = passage_time(velocity, float(starts.overlap[i, 0, 0]), level)
    return found
