"""How a point of any convex loss is solved: Anderson's acceleration, Newton's method, larger ridges.

Acceleration of the linearised step takes a dozen steps where the loss bends everywhere. Where few samples are
at the kink of a hinge the linearisation is worthless: Newton's method with a numerical Jacobian and a line
search then goes on, and where that fails too it comes from larger ridges, where the readout vanishes and the
equations are linear. All of them stop on the same undamped residual.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, Protocol, Self, TypeVar

import numpy as np

from hermite_analytics.foundation.numpy_arrays import Array

__all__ = ["CONVERGED", "DIVERGED", "MAX_STEPS_REACHED", "Outcome", "PointEquations", "PointState", "solved"]

CONVERGED, MAX_STEPS_REACHED, DIVERGED = 0, 1, 2
_MEMORY = 6
_ACCELERATED_STEPS = 80
_NEWTON_STEPS = 80
_JACOBIAN_STEP = 1e-7
_LEAST_SHARE = 1e-4
_ENOUGH = 1e-4  # of the decrease that a full step promises
_CONTINUATIONS = 40
_TOP = 1e9  # the largest ridge to come from, in units of the point's
_WILD = 1e8  # a residual, or a step in units of what moves


class PointState(Protocol):
    """The overlaps of one point."""

    def flat(self) -> Array:
        """All numbers in a row."""

    def like(self, flat: Array) -> Self:
        """The state with these numbers."""

    def units(self) -> Array:
        """The size of each number, > 0."""

    def sound(self) -> bool:
        """Whether all responses and variances are positive."""


S = TypeVar("S", bound=PointState)


class PointEquations(Protocol[S]):
    """The equations of one point."""

    ridge: float

    def step(self, state: S) -> tuple[S, float]:
        """(the next state of the linearised iteration, undamped relative residual)."""

    def defect(self, state: S) -> Array:
        """What vanishes at the solution, each entry in units of its own terms."""

    def with_ridge(self, ridge: float) -> Self:
        """The same point at another ridge."""

    def small(self, like: S) -> S:
        """A state with nearly no readout."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome(Generic[S]):
    """A state with its residual; `steps` counts images, those of Jacobians too."""

    state: S
    residual: float
    steps: int
    code: int


def solved(point: PointEquations[S], start: S, *, tolerance: float, max_steps: int) -> Outcome[S]:
    """The fixed point from a start; each method may take max_steps steps."""
    found = _accelerated(point, start, tolerance, min(max_steps, _ACCELERATED_STEPS))
    steps = found.steps
    for method in (_newton, _continued):
        if found.code == CONVERGED or max_steps <= _ACCELERATED_STEPS:
            break
        found = method(point, start, tolerance)
        steps += found.steps
    return Outcome(state=found.state, residual=found.residual, steps=steps, code=found.code)


def _accelerated(point: PointEquations[S], start: S, tolerance: float, max_steps: int) -> Outcome[S]:
    """Anderson's acceleration of the linearised step."""
    state = start
    history: list[tuple[Array, Array]] = []
    residual = best = np.inf
    for step in range(1, max_steps + 1):
        following, residual = point.step(state)
        moves = np.abs(following.flat() - state.flat()) / np.maximum(state.units(), following.units())
        wild = not (residual < _WILD and np.all(moves < _WILD))
        if wild or residual <= tolerance:
            code = DIVERGED if wild else CONVERGED
            return Outcome(state=state, residual=residual, steps=step, code=code)
        if residual > 10.0 * best:
            history.clear()
        best = min(best, residual)
        history.append((state.flat(), following.flat()))
        del history[:-_MEMORY]
        state = _first_sound(state, state.like(_combined(history, state.units())), following)
    return Outcome(state=state, residual=residual, steps=max_steps, code=MAX_STEPS_REACHED)


def _combined(history: list[tuple[Array, Array]], units: Array) -> Array:
    """Anderson's combination of the last images."""
    old, new = (np.stack(column) for column in zip(*history, strict=True))
    if len(history) == 1:
        found: Array = new[0]
        return found
    errors = (new - old) / units
    shifts = errors[:-1] - errors[-1]
    share, *_ = np.linalg.lstsq(shifts.T, -errors[-1], rcond=1e-10)
    return np.asarray(new[-1] + share @ (new[:-1] - new[-1]))


def _first_sound(state: S, *candidates: S) -> S:
    """The first sound candidate, else the middle between the state and the last one."""
    for candidate in candidates:
        if candidate.sound():
            return candidate
    return state.like(0.5 * (state.flat() + candidates[-1].flat()))


def _newton(point: PointEquations[S], start: S, tolerance: float) -> Outcome[S]:
    """Newton's method on the defect, with a line search on its norm."""
    state, defect, steps = start, point.defect(start), 1
    for _ in range(_NEWTON_STEPS):
        residual = point.step(state)[1]
        steps += 1
        if residual <= tolerance:
            return Outcome(state=state, residual=residual, steps=steps, code=CONVERGED)
        direction = _direction(point, state, defect)
        steps += direction.size
        moved = _searched(point, state, defect, direction) if np.all(np.isfinite(direction)) else None
        if moved is None:
            return Outcome(state=state, residual=residual, steps=steps, code=MAX_STEPS_REACHED)
        state, defect, tried = moved
        steps += tried
    return Outcome(state=state, residual=point.step(state)[1], steps=steps, code=MAX_STEPS_REACHED)


def _direction(point: PointEquations[S], state: S, defect: Array) -> Array:
    """The Newton step; directions that no equation sees are left out."""
    flat, units = state.flat(), state.units()
    jacobian = np.empty((defect.size, flat.size))
    for j in range(flat.size):
        change = np.zeros(flat.size)
        change[j] = _JACOBIAN_STEP * units[j]
        jacobian[:, j] = (point.defect(state.like(flat + change)) - defect) / _JACOBIAN_STEP
    if not np.all(np.isfinite(jacobian)):
        return np.full(flat.size, np.nan)
    step, *_ = np.linalg.lstsq(jacobian, -defect, rcond=1e-13)
    return np.asarray(step * units)


def _searched(
    point: PointEquations[S], state: S, defect: Array, direction: Array
) -> tuple[S, Array, int] | None:
    """(state, defect, tries) where the norm of the defect falls, or None."""
    size, share, tries = float(np.linalg.norm(defect)), 1.0, 0
    while share > _LEAST_SHARE:
        candidate = state.like(state.flat() + share * direction)
        if candidate.sound():
            tries += 1
            found = point.defect(candidate)
            if np.linalg.norm(found) < (1.0 - _ENOUGH * share) * size:
                return candidate, found, tries
        share *= 0.4
    return None


def _continued(point: PointEquations[S], start: S, tolerance: float) -> Outcome[S]:
    """Up to the first ridge that a small readout solves, then down to the one of the point."""
    ridge, factor, steps = point.ridge, 10.0, 0
    while True:
        ridge *= 10.0
        above = point.with_ridge(ridge)
        found = _either(above, above.small(start), tolerance)
        if found.code == CONVERGED or ridge > _TOP * point.ridge:
            break
        steps += found.steps
    for _ in range(_CONTINUATIONS):
        steps += found.steps
        if found.code != CONVERGED or factor < 1.02:
            break
        following = max(point.ridge, ridge / factor)
        trial = _either(point.with_ridge(following), found.state, tolerance)
        if trial.code == CONVERGED:
            found, ridge = trial, following
            if ridge == point.ridge:
                return Outcome(
                    state=found.state, residual=found.residual, steps=steps + trial.steps, code=CONVERGED
                )
        else:
            steps += trial.steps
            factor = np.sqrt(factor)
    residual = point.step(found.state)[1]
    return Outcome(state=found.state, residual=residual, steps=steps, code=MAX_STEPS_REACHED)


def _either(point: PointEquations[S], start: S, tolerance: float) -> Outcome[S]:
    found = _accelerated(point, start, tolerance, _ACCELERATED_STEPS)
    return found if found.code == CONVERGED else _newton(point, start, tolerance)
