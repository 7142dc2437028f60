"""Thresholds of two coordinates without structure, and of more from samples."""

from __future__ import annotations

import numpy as np
import sympy
from numpy.typing import NDArray

from hermite_analytics.codegen import compile
from hermite_analytics.enclosure import Budget
from hermite_analytics.symbols import xi
from hermite_analytics.thresholds.binned import extrapolated_operator
from hermite_analytics.thresholds.engines.montecarlo import sampled_threshold
from hermite_analytics.thresholds.engines.planar import planar_density
from hermite_analytics.thresholds.engines.smoothed import smoothed_density
from hermite_analytics.thresholds.label_quadrature import LabelQuadrature
from hermite_analytics.thresholds.numeric import FLOOR
from hermite_analytics.thresholds.operator import top_eigenvalue
from hermite_analytics.thresholds.outer import adaptive_average
from hermite_analytics.thresholds.planar import planar_label
from hermite_analytics.thresholds.problem import Problem
from hermite_analytics.thresholds.result import Threshold, estimated

__all__ = ["in_bins", "level_curves", "sampled"]

Array = NDArray[np.float64]

_FINER = 3.5  # time of the finer level curves, in that of the coarser
_RAYS = 200  # of the coarser cells
_BINS = 2400
# of a known coordinate, where the label of two others is rounded to bins
_PANELS = (0.0, 0.7, 1.4, 2.2, 3.4, 5.2)
_OUTER_ERROR = 5e-6
_MOST_VALUES = 60
_SAMPLES = 2**17
_WORST_SAMPLED = 0.1  # relative error of an estimate from samples that is still given


def level_curves(problem: Problem, budget: Budget) -> Threshold | None:
    """Two coordinates: integrals over the level curves."""
    if problem.noise is None or problem.known:
        return None
    noise = abs(float(problem.noise))
    at = planar_label(problem.signal.subs(xi, 0) if noise else problem.signal, problem.unknown)
    if at is None:
        return None
    value, lines = at()

    def quadrature(level: int) -> tuple[LabelQuadrature, float]:
        density = planar_density(value, lines=lines, level=level + 1, fine=noise > 0)
        found = (smoothed_density(density, noise) if noise else density).quadrature()
        return found, found.mass_defect

    before = budget.remaining()
    coarse = top_eigenvalue(quadrature(0)[0])
    if _FINER * (before - budget.remaining()) > budget.remaining():
        return None
    found, defect = quadrature(1)
    fine = top_eigenvalue(found)
    error = abs(fine - coarse) + fine * (defect + FLOOR)
    return estimated(fine, error, "a label of two coordinates: its level curves")


def in_bins(problem: Problem, budget: Budget) -> Threshold | None:
    """Two coordinates, for each value of one that is known; or without lines of kinks."""
    if problem.noise != 0 or len(problem.unknown) != 2 or len(problem.known) > 1:
        return None
    kernel = compile(problem.signal, (*problem.unknown, *problem.known), backend="array")

    def operator(*x: float) -> tuple[Array, float]:
        def value(points: Array) -> Array:
            found = np.asarray(kernel(points[:, 0], points[:, 1], *x), dtype=np.float64)
            return np.broadcast_to(found, len(points))

        return extrapolated_operator(value, rays=_RAYS, bins=_BINS)

    if not problem.known:
        matrix, error = operator()
        return estimated(_top(matrix), error, "a label of two coordinates, rounded to bins")
    side = np.array(_PANELS)
    symmetric = _is_symmetric(problem)
    ends = side if symmetric else np.concatenate([-side[:0:-1], side])
    most = _MOST_VALUES if symmetric else 2 * _MOST_VALUES
    matrix, error = adaptive_average(operator, ends.tolist(), tolerance=_OUTER_ERROR, most=most)
    share = 2 if symmetric else 1
    reason = "a label of two coordinates for each value of one known, rounded to bins"
    return estimated(share * _top(matrix), share * error, reason)


def sampled(problem: Problem, budget: Budget) -> Threshold | None:
    """Anything else without known coordinates: samples in sorted bins."""
    if problem.known or problem.noise is None:
        return None
    noise = abs(float(problem.noise))
    unknown = problem.unknown
    kernel = compile(problem.signal.subs(xi, 0) if noise else problem.signal, unknown, backend="array")

    def value(points: Array) -> Array:
        return np.asarray(kernel(*np.ascontiguousarray(points.T)), dtype=np.float64)

    found = sampled_threshold(value, len(unknown), noise=noise, samples=_SAMPLES)
    return estimated(
        found.eigenvalue, 2 * found.standard_error, "samples in sorted bins", worst=_WORST_SAMPLED
    )


def _top(matrix: Array) -> float:
    return float(np.linalg.eigvalsh(matrix)[-1])


def _is_symmetric(problem: Problem) -> bool:
    """Whether changing the sign of all coordinates at most changes that of the label."""
    f = problem.signal
    mirrored = f.xreplace({v: -v for v in (*problem.unknown, *problem.known)})
    return bool(sympy.expand(mirrored - f) == 0 or sympy.expand(mirrored + f) == 0)
