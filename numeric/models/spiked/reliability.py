"""How often a readout on spiked features is right where it gives a probability: P(y = 1 | p)."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from hermite_analytics.errors import InputError
from hermite_analytics.foundation.numpy_arrays import Array
from hermite_analytics.foundation.ranges import Range
from hermite_analytics.numeric.checks import checked
from hermite_analytics.numeric.classes import cells_of, no_classes, prediction
from hermite_analytics.numeric.learning_curve import LearningCurve
from hermite_analytics.numeric.losses.loss import Loss
from hermite_analytics.numeric.models.spiked.calibration import frequency_of_mixture
from hermite_analytics.numeric.models.spiked.measures import fields_of
from hermite_analytics.numeric.models.spiked.points import Problem
from hermite_analytics.numeric.models.spiked.tables import Spike, tables

__all__ = ["reliability"]

_SETTLED = 1e-10
_SMALLEST = 1e-25


def reliability(problem: Problem, bias: float, solution: LearningCurve, at: ArrayLike) -> Array:
    """P(y = 1) among fresh samples whose prediction stands for the probability `at`, (ratios..., k).

    Raises
    ------
    InputError
        A probability that the loss does not give; a target without classes.
    """
    if cells_of(problem.target) is None:
        raise InputError(no_classes(problem.target, "reliability"))
    loss = Loss("square") if problem.is_square else problem.loss
    x = prediction(loss, np.atleast_1d(checked("at", at, Range(low=0, high=1))))
    if "norm" in solution.overlaps:  # the rows were those of a step
        problem = replace(problem, bulk="step")
    shape = solution.shape
    count = int(np.prod(shape))
    rows = problem.layout.values(solution.overlaps, shape)
    r, c, gamma = (np.reshape(solution.parameters[name], (count, -1)) for name in ("r", "c", "gamma"))
    biases = np.broadcast_to(solution.extra.get("bias", bias), shape).reshape(count)
    found = np.full((count, x.size), np.nan)
    for i in np.flatnonzero(np.isfinite(np.ravel(solution.test_error)) & np.isfinite(biases)):
        strengths, norms, overlaps = (tuple(map(float, values[i])) for values in (r, c, gamma))
        spike = Spike(r=strengths, c=norms, gamma=overlaps, bias=float(biases[i]))
        found[i] = _at(problem, spike, rows[i : i + 1], x)
    return found.reshape((*shape, x.size))


def _at(problem: Problem, spike: Spike, row: Array, x: Array) -> Array:
    """The table is refined until nothing changes."""
    before = np.full(x.shape, np.nan)
    for table in tables(problem.activation, problem.target, spike, problem.letters):
        cells, fields = fields_of(problem, spike, table, row)
        kept = table.weight > _SMALLEST
        mean, power, overlap = (values[0][kept] for values in fields)
        if not np.all(np.isfinite(power) & (power > 0.0)):
            return np.full(x.shape, np.nan)
        here = replace(cells, edges=cells.edges[kept])
        state = mean, power, overlap
        found, _ = frequency_of_mixture(here, x, table.weight[kept], state, flips=problem.flips)
        if np.all(np.abs(found - before) <= _SETTLED):
            break
        before = found
    return found
