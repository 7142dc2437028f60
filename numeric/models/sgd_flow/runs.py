"""The runs of a flow: from starts to states, with their errors."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from hermite_analytics.numeric.models.sgd_flow.averages import Averages
from hermite_analytics.numeric.models.sgd_flow.integrate import Run, integrated
from hermite_analytics.numeric.models.sgd_flow.rule import MOST_LEVEL
from hermite_analytics.numeric.models.sgd_flow.starts import Starts
from hermite_analytics.numeric.models.sgd_flow.table import OverlapTable
from hermite_analytics.numeric.models.sgd_flow.velocity import packed, unpacked, velocities
from hermite_analytics.numeric.status import Status

__all__ = ["MANY_VARIABLES_TOLERANCE", "Outcome", "network_flow", "single_flow", "single_velocity"]

Array = NDArray[np.float64]
AveragesOf = Callable[[Array, Array, float, int], Averages]
_LOCAL = 1e-2  # tolerance of a step, relative to that of the overlaps
_COARSER = 10.0
_LEAST_ACCURACY = 1e-6  # of what is called converged, quadrature included
_MOST_LEVELS = {2: MOST_LEVEL, 3: 3, 4: 2}  # by the number of variables
MANY_VARIABLES_TOLERANCE = 1e-7  # the least over three and four variables


class _Velocity(Protocol):
    def __call__(self, state: Array, level: int) -> Array: ...


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Outcome:
    """One row a start; the states have an axis of times next."""

    overlap: Array
    correlations: Array
    status: list[Status]
    residual: Array
    error: Array
    evaluations: NDArray[np.int64]


def single_flow(
    table: Callable[[float, float], OverlapTable],
    own_noise: float,
    starts: Starts,
    times: Array,
    pinned: bool,
    tolerance: float,
    max_steps: int,
) -> Outcome:
    """One neuron and one direction, from the table of its drift.

    Parameters
    ----------
    table : callable
        Of rate and noise.
    pinned : bool
        Whether overlap 0 is stationary: rounding of the table does not move it then.
    """
    runs = starts.rate.size
    overlap, residual, error = (
        np.full((runs, times.size), np.nan),
        np.full(runs, np.nan),
        np.full(runs, np.nan),
    )
    status, evaluations = [Status.CONVERGED] * runs, np.zeros(runs, dtype=np.int64)
    for i in range(runs):
        rate, m0 = float(starts.rate[i]), starts.overlap[i].reshape(1)
        found = table(rate, float(starts.noise[i]) + own_noise)
        right = single_velocity(found, rate, 0.0, pinned)
        shifted = single_velocity(found, rate, found.error, pinned)
        local = _LOCAL * tolerance
        best = integrated(right, m0, times, tolerance=local, max_evaluations=max_steps)
        coarse = integrated(right, m0, times, tolerance=_COARSER * local, max_evaluations=max_steps)
        moved = integrated(shifted, m0, times, tolerance=local, max_evaluations=max_steps)
        residual[i] = _difference(best, coarse)
        error[i] = max(residual[i], _difference(best, moved))
        overlap[i], status[i] = best.states[:, 0], _judged(best, residual[i], error[i], tolerance)
        evaluations[i] = best.evaluations
        if status[i] != Status.CONVERGED:
            overlap[i] = np.nan
    return Outcome(
        overlap=overlap[:, :, None, None],
        correlations=np.ones((runs, times.size, 1, 1)),
        status=status,
        residual=residual,
        error=error,
        evaluations=evaluations,
    )


def single_velocity(table: OverlapTable, rate: float, shift: float, pinned: bool) -> Callable[[Array], Array]:
    """dm/dt as a function of the overlap, the drift moved by `shift`."""
    offset = float(table(np.zeros(1))[0, 0]) if pinned else 0.0

    def velocity(m: Array) -> Array:
        drift, noise = table(m)
        moved = shift * (np.sign(m) if pinned else 1.0)
        return np.asarray(rate * (drift - offset + moved) - 0.5 * rate**2 * m * noise)

    return velocity


def network_flow(
    averages: Callable[[float], AveragesOf],
    spherical: bool,
    own_noise: float,
    starts: Starts,
    times: Array,
    variables: int,
    tolerance: float,
    max_steps: int,
) -> Outcome:
    """Any neurons and directions: the quadrature, over so many variables, is refined until overlaps agree."""
    runs, p, r = starts.overlap.shape
    overlap, correlations = (
        np.full((runs, times.size, p, r), np.nan),
        np.full((runs, times.size, p, p), np.nan),
    )
    residual, error = np.full(runs, np.nan), np.full(runs, np.nan)
    status, evaluations = [Status.CONVERGED] * runs, np.zeros(runs, dtype=np.int64)
    for i in range(runs):
        rate, noise = float(starts.rate[i]), float(starts.noise[i]) + own_noise
        of = averages(rate)

        def velocity(
            state: Array, level: int, of: AveragesOf = of, noise: float = noise, rate: float = rate
        ) -> Array:
            m, q = unpacked(state, p, r)
            return packed(*velocities(of(m, q, noise, level), m, q, rate, spherical))

        start = packed(starts.overlap[i], starts.correlations[i])
        best, residual[i], error[i] = _refined(velocity, start, times, variables, tolerance, max_steps)
        status[i] = _judged(best, residual[i], error[i], tolerance)
        evaluations[i] = best.evaluations
        if status[i] == Status.CONVERGED:
            for t, state in enumerate(best.states):
                overlap[i, t], correlations[i, t] = unpacked(state, p, r)
    return Outcome(
        overlap=overlap,
        correlations=correlations,
        status=status,
        residual=residual,
        error=error,
        evaluations=evaluations,
    )


def _refined(
    velocity: _Velocity,
    start: Array,
    times: Array,
    variables: int,
    tolerance: float,
    max_steps: int,
) -> tuple[Run, float, float]:
    """The run at the first level that the coarser one agrees with, its residual and error."""
    level = _first_level(velocity, start, tolerance, _MOST_LEVELS.get(variables, 1))
    local = _LOCAL * tolerance
    before = integrated(
        partial(velocity, level=level - 1),
        start,
        times,
        tolerance=_COARSER * local,
        max_evaluations=max_steps,
    )
    while True:
        run = integrated(
            partial(velocity, level=level), start, times, tolerance=local, max_evaluations=max_steps
        )
        change = _difference(run, before)
        if change <= tolerance or run.status != Status.CONVERGED:
            return run, change, change
        if level >= _MOST_LEVELS.get(variables, 1):
            break
        before, level = run, level + 1
    if change > _LEAST_ACCURACY:
        return run, change, change
    coarse = integrated(
        partial(velocity, level=level), start, times, tolerance=_COARSER * local, max_evaluations=max_steps
    )
    return run, _difference(run, coarse), change


def _first_level(velocity: _Velocity, start: Array, tolerance: float, most: int) -> int:
    before = velocity(start, 0)
    for level in range(1, most):
        after = velocity(start, level)
        if float(np.abs(after - before).max()) <= tolerance * max(1.0, float(np.abs(after).max())):
            return level
        before = after
    return most


def _difference(one: Run, other: Run) -> float:
    """The largest change of a state; NaN where one of the two stopped."""
    return float(np.abs(one.states - other.states).max(initial=0.0))


def _judged(run: Run, residual: float, error: float, tolerance: float) -> Status:
    if run.status != Status.CONVERGED:
        return run.status
    fine = residual <= tolerance and error <= max(tolerance, _LEAST_ACCURACY)
    return Status.CONVERGED if fine else Status.MAX_STEPS_REACHED
