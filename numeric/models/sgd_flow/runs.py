"""The runs of a flow: from starts to states, with their errors."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from hermite_analytics.foundation.numpy_arrays import Array
from hermite_analytics.numeric.models.sgd_flow.averages import Averages
from hermite_analytics.numeric.models.sgd_flow.integrate import Run, integrated
from hermite_analytics.numeric.models.sgd_flow.rule import MOST_LEVEL
from hermite_analytics.numeric.models.sgd_flow.table import OverlapTable
from hermite_analytics.numeric.models.sgd_flow.velocity import packed, unpacked, velocities
from hermite_analytics.numeric.status import Status, code_of

__all__ = ["Flow", "single_velocity"]

Flat = dict[str, NDArray[Any]]
AveragesOf = Callable[[Array, Array, float, int], Averages]
_LOCAL = 1e-2  # tolerance of a step, relative to that of the overlaps
_COARSER = 10.0
_LEAST_ACCURACY = {4: 1e-5}  # of what is called converged, quadrature included, by the number of variables
_ELSE = 1e-6
_MOST_LEVELS = {2: MOST_LEVEL, 3: 3, 4: 2}  # by the number of variables
_MANY_VARIABLES_TOLERANCE = 1e-7  # the least over three and four variables


class _Velocity(Protocol):
    def __call__(self, state: Array, level: int) -> Array: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Flow:
    """The runs of a model at its times.

    Attributes
    ----------
    table : callable, or None
        Of one neuron and one direction on the sphere: from rate and noise to the table of its drift.
    pinned : bool
        Whether overlap 0 is stationary: rounding of the table does not move it then.
    averages : callable
        From the rate to the averages of any neurons and directions.
    variables : int
        Of the quadrature behind them; 0 for closed forms.
    noise : float
        That of the target itself.
    times : ndarray
        Increasing.
    """

    table: Callable[[float, float], OverlapTable] | None
    pinned: bool
    averages: Callable[[float], AveragesOf]
    variables: int
    spherical: bool
    noise: float
    times: Array
    tolerance: float
    max_steps: int

    def __call__(self, points: Flat) -> Flat:
        """The states at the times, one row a run.

        Parameters
        ----------
        points : dict of ndarrays
            See `Starts`.

        Returns
        -------
        dict of ndarrays
            overlap, shape (n, times, p, r), correlations, (n, times, p, p), and code, residual, error and
            evaluations.
        """
        return self._networks(points) if self.table is None else self._single(points, self.table)

    def _single(self, points: Flat, table: Callable[[float, float], OverlapTable]) -> Flat:
        """One neuron and one direction, from the table of its drift."""
        runs = _Runs(points["rate"].size, self.times.size, 1, 1)
        runs.correlations[:] = 1.0
        for i in range(points["rate"].size):
            rate, m0 = float(points["rate"][i]), points["overlap"][i].reshape(1)
            found = table(rate, float(points["noise"][i]) + self.noise)
            right = single_velocity(found, rate, self.pinned)
            shifted = single_velocity(found, rate, self.pinned, is_moved=True)
            local = _LOCAL * self.tolerance
            best = integrated(right, m0, self.times, tolerance=local, max_evaluations=self.max_steps)
            rough = _COARSER * local
            coarse = integrated(right, m0, self.times, tolerance=rough, max_evaluations=self.max_steps)
            moved = integrated(shifted, m0, self.times, tolerance=local, max_evaluations=self.max_steps)
            residual = _difference(best, coarse)
            error = max(residual, _difference(best, moved))
            if runs.keep(i, best, residual, error, self.tolerance, _ELSE):
                runs.overlap[i] = best.states[:, :, None]
        return runs.flat()

    def _networks(self, points: Flat) -> Flat:
        """Any neurons and directions: the quadrature is refined until overlaps agree."""
        tolerance = self.tolerance
        if self.variables > 2:
            tolerance = max(tolerance, _MANY_VARIABLES_TOLERANCE)
        count, p, r = points["overlap"].shape
        runs = _Runs(count, self.times.size, p, r)
        for i in range(count):
            rate, noise = float(points["rate"][i]), float(points["noise"][i]) + self.noise
            of = self.averages(rate)

            def velocity(
                state: Array, level: int, of: AveragesOf = of, noise: float = noise, rate: float = rate
            ) -> Array:
                m, q = unpacked(state, p, r)
                return packed(*velocities(of(m, q, noise, level), m, q, rate, self.spherical))

            start = packed(points["overlap"][i], points["correlations"][i])
            best, residual, error = _refined(
                velocity, start, self.times, self.variables, tolerance, self.max_steps
            )
            if runs.keep(i, best, residual, error, tolerance, _LEAST_ACCURACY.get(self.variables, _ELSE)):
                for t, state in enumerate(best.states):
                    runs.overlap[i, t], runs.correlations[i, t] = unpacked(state, p, r)
        return runs.flat()


def single_velocity(
    table: OverlapTable, rate: float, pinned: bool, *, is_moved: bool = False
) -> Callable[[Array], Array]:
    """dm/dt as a function of the overlap; `is_moved` by the errors of the table, away from 0."""
    offset = float(table(np.zeros(1))[0, 0]) if pinned else 0.0
    by = table.errors if is_moved else np.zeros(2)

    def velocity(m: Array) -> Array:
        drift, noise = table(m)
        side = np.sign(m) if pinned else 1.0
        moved = by[0] * side + 0.5 * rate * np.abs(m) * by[1] * side
        return np.asarray(rate * (drift - offset + moved) - 0.5 * rate * rate * m * noise)

    return velocity


class _Runs:
    """What was found, one row a run; the states have an axis of times next."""

    def __init__(self, count: int, times: int, p: int, r: int) -> None:
        self.overlap = np.full((count, times, p, r), np.nan)
        self.correlations = np.full((count, times, p, p), np.nan)
        self.residual, self.error = np.full((2, count), np.nan)
        self.code, self.evaluations = np.zeros((2, count), dtype=np.int64)

    def keep(
        self, i: int, run: Run, residual: float, error: float, tolerance: float, accuracy: float
    ) -> bool:
        """Whether the run is an answer."""
        status = _judged(run, residual, error, tolerance, accuracy)
        self.residual[i], self.error[i] = residual, error
        self.code[i], self.evaluations[i] = code_of(status), run.evaluations
        return status == Status.CONVERGED

    def flat(self) -> Flat:
        return vars(self)


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
    if change > _LEAST_ACCURACY.get(variables, _ELSE):
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


def _judged(run: Run, residual: float, error: float, tolerance: float, accuracy: float) -> Status:
    if run.status != Status.CONVERGED:
        return run.status
    fine = residual <= tolerance and error <= max(tolerance, accuracy)
    return Status.CONVERGED if fine else Status.MAX_STEPS_REACHED
