"""Saddle points on a grid: points shared between threads, quadratures refined until no result changes."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from hermite_analytics.foundation.numpy_arrays import Array, Integers
from hermite_analytics.numeric.losses.loss import Loss
from hermite_analytics.numeric.models.random_features.saddle import COLUMNS, solve_saddle

__all__ = ["Grid", "refined"]

Teacher = tuple[Array, Array, Array]
_MOST_LEVELS = 4
_ROUNDING = 2e-11
_PER_THREAD = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Grid:
    """Flat results of a grid: `values` in the order of `saddle.COLUMNS`."""

    count: int
    values: Array = field(init=False)
    residual: Array = field(init=False)
    steps: Array = field(init=False)
    code: Array = field(init=False)
    numerical_error: Array = field(init=False)

    def __post_init__(self) -> None:
        for name, array in (
            ("values", np.full((self.count, len(COLUMNS)), np.nan)),
            ("residual", np.full(self.count, np.inf)),
            ("steps", np.zeros(self.count, dtype=np.int64)),
            ("code", np.ones(self.count, dtype=np.int64)),
            ("numerical_error", np.full(self.count, np.nan)),
        ):
            object.__setattr__(self, name, array)


def refined(
    loss: Loss,
    teacher_at: Callable[[int], Teacher],
    ratios: tuple[Array, Array, Array, Array],
    *,
    channel: Any,
    intercept: bool,
    features: tuple[Array, Array],
    constants: tuple[float, float],
    tolerance: float,
    max_steps: int,
    base: float = 0.0,
) -> Grid:
    """Solve all points at level 0, 1, ... of the quadratures, until one more level changes nothing.

    Parameters
    ----------
    teacher_at : callable
        The labels at a level.
    ratios, channel, intercept, features, constants
        Of `solve_saddle`; constants are mu1^2 and mu2^2.
    base : float
        The kink of a hinge from which the predictions are counted; 0 for none, and for other losses.
    """
    grid = Grid(count=ratios[0].size)
    left = np.arange(grid.count)
    for level in range(_MOST_LEVELS):
        teacher = teacher_at(level)
        before = grid.values[left]

        def solve(chosen: Integers, level: int = level, teacher: Teacher = teacher) -> None:
            alpha, beta, ridge, extra = (np.ascontiguousarray(r[chosen]) for r in ratios)
            out, residual = np.empty((chosen.size, len(COLUMNS))), np.empty(chosen.size)
            steps, code = np.empty(chosen.size, dtype=np.int64), np.empty(chosen.size, dtype=np.int64)
            solve_saddle(
                loss.proximal, loss.corners, base or loss.parameter, teacher, channel, intercept, features,
                *constants, (alpha, beta, ridge, extra), level, base != 0.0,
                np.ascontiguousarray(grid.values[chosen, :4]), tolerance, max_steps,
                out, residual, steps, code,
            )  # fmt: skip
            grid.values[chosen], grid.residual[chosen], grid.code[chosen] = out, residual, code
            grid.steps[chosen] += steps

        _share(solve, left)
        if level > 0:
            grid.numerical_error[left] = _change(before, grid.values[left])
            done = grid.numerical_error[left] <= max(tolerance, _ROUNDING)
            left = left[~(done | (grid.code[left] != 0))]
        if left.size == 0:
            break
    return grid


def _share(task: Callable[[Integers], None], points: Integers) -> None:
    """Run a task that holds no lock on parts of the points, one a thread."""
    workers = min(os.cpu_count() or 1, points.size // _PER_THREAD)
    if workers < 2:
        task(points)
        return
    with ThreadPoolExecutor(workers) as pool:
        for done in [pool.submit(task, part) for part in np.array_split(points, 4 * workers) if part.size]:
            done.result()


def _change(before: Array, after: Array) -> Array:
    """Largest change of V, Q, M, the mean, the loss and the share of wrong signs (0 without classes)."""
    size = np.abs(after[:, :6])
    size[:, 2:4] = np.maximum(size[:, 2:4], np.sqrt(size[:, 1:2]))
    size[:, 4:] = np.maximum(size[:, 4:], 1e-2)
    size[size == 0.0] = 1.0  # a readout that vanishes
    found: Array = np.max(np.abs(after[:, :6] - before[:, :6]) / size, axis=1)
    return found
