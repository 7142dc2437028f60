"""Thresholds of two coordinates without structure, alone or beside a known one, and of more from samples."""

from __future__ import annotations

import contextlib
import dataclasses
import math
from collections.abc import Callable, Sequence

import numpy as np
from sympy import Expr, Float, Mul, Symbol

from hermite_analytics.argument.remarks import remark
from hermite_analytics.errors import UnsupportedExpression
from hermite_analytics.foundation.attempts import attempted
from hermite_analytics.foundation.clock import check_time, remaining, share
from hermite_analytics.foundation.numpy_arrays import Array
from hermite_analytics.gaussian.breakpoints import kink_arguments, real_breakpoints
from hermite_analytics.gaussian.distribution import expanded
from hermite_analytics.label.cases.parts.density import spacing
from hermite_analytics.label.cases.parts.smoothed import smoothed_density
from hermite_analytics.label.cases.plane.case import plane_case
from hermite_analytics.label.cases.plane.lines import planar_label
from hermite_analytics.label.cases.plane.mirrors import mirrors, sector_of
from hermite_analytics.label.cases.plane.plane import PlaneChannel
from hermite_analytics.label.cases.plane.prepared import plane_channel
from hermite_analytics.label.cases.sampled.estimates import sampled_threshold
from hermite_analytics.label.cases.soft.case import soft_label
from hermite_analytics.label.cases.soft.steep import steep_label
from hermite_analytics.label.cases.values.latent import grouped, latent_coordinates
from hermite_analytics.label.function_of_points import function_of_points
from hermite_analytics.label.operator import operator_matrix, top_eigenvalue
from hermite_analytics.label.quadrature import LabelQuadrature
from hermite_analytics.label.reduction.problem import Problem
from hermite_analytics.label.thresholds.numeric import FLOOR, by_points
from hermite_analytics.label.thresholds.outer import adaptive_average
from hermite_analytics.label.thresholds.result import Threshold, estimated
from hermite_analytics.language.functions import step
from hermite_analytics.symbols import xi

__all__ = ["behind_noise", "level_curves", "sampled", "smooth_law"]

_SIZES = (0.25, 0.12)  # of Gaussians for which points are close enough
_SHARP = 1e-6  # relative error by them, above which others are asked too
_SHARE = 0.7  # of the time, for level curves; samples are what is left
_REFINED = {1: 1.0, 2: 1.5}  # of tables for noise, by level
_SAFETY = 2.0  # times the change with the level, of curves behind noise and of few labels
_FINER = 2.0  # time of the finer, in that of the coarser
_MANY_ARCS = 500_000  # of the level curves of all labels
_PANELS = (0.0, 1.0, 2.2, 5.2)  # of a known coordinate
_APART = 0.2  # of their ends from breaks of the label
_BEYOND = 2e-7  # probability of what is farther out
_OUTER_ERROR = 2e-6
_MOST_VALUES = 120
_MOST_LABELS = 24  # between which a known coordinate decides
_SAMPLES = (16, 18, 20)  # binary logarithm, of a replicate; more where few leave too large an error
_MORE = 5.0  # time of the next, in that of the last
_STANDARD_ERRORS = 4  # of eight replicates: the truth is farther off in 0.5 % of the cases
_FEW_ENOUGH = 0.001  # relative error at which more samples are not taken
_WORST_SAMPLED = 0.1  # that is still given


def smooth_law(problem: Problem) -> Threshold | None:
    """Two coordinates with noise added, or one or two with noise inside many values: points off breaks.

    The answer is rough where these are too far apart for a steep law: its error has what their size changes.
    Two coordinates for each value of a known one too.
    """
    count = len(problem.unknown)
    if count == 2 and len(problem.known) == 1 and problem.signal.has(xi):
        return _smooth_given(problem)
    case = soft_label(problem) if count == 2 or (count == 1 and problem.noise is None) else None
    if case is None:
        return None
    coordinates = "one coordinate" if count == 1 else "two coordinates"
    method = remark(f"a label of {coordinates} with noise: its law given {'it' if count == 1 else 'them'}")
    coarse = by_points(case, method, size=_SIZES[0])
    if coarse.alpha.error < _SHARP * coarse.alpha.value:
        return coarse
    found = by_points(case, method, size=_SIZES[1])
    if not found.alpha.error >= _SHARP * found.alpha.value:
        return found
    change = abs(1 / found.alpha.value - 1 / coarse.alpha.value)
    return None if math.isnan(change) else dataclasses.replace(found.widened(change), is_rough=True)


def _smooth_given(problem: Problem) -> Threshold | None:
    [x] = problem.known

    def operator(value: float) -> tuple[Array, float]:
        signal = problem.signal.xreplace({x: Float(value)})
        case = soft_label(dataclasses.replace(problem, signal=signal, known=()))
        if case is None:
            raise UnsupportedExpression("the law of the label is not smooth for each value of what is known")
        coarse, fine = (operator_matrix(LabelQuadrature.of_nodes(case.label_nodes(k))) for k in (0, 1))
        return fine, float(np.linalg.norm(fine - coarse, 2))

    method = remark("a label of two coordinates with noise for each value of one known: its law given them")
    with attempted(share(_SHARE)):
        matrix, error = _over_one(operator, problem, _cells(problem))
        return estimated(_top(matrix), error, method)
    return None  # samples are left


def behind_noise(problem: Problem) -> Threshold | None:
    """Two coordinates with too little noise for points of the plane: level curves, seen through it."""
    case = soft_label(problem) if len(problem.unknown) == 2 else None
    steep = None if case is None else steep_label(problem, case)
    if steep is None:
        return None
    method = remark("a label of two coordinates: its level curves, seen through noise")
    return by_points(steep, method, safety=_SAFETY)


def level_curves(problem: Problem) -> Threshold | None:
    """Two coordinates, or one and the noise inside; also for each value of a known one: level curves."""
    coordinates = _coordinates(problem)
    if len(coordinates) != 2 or len(problem.known) > 1 or (problem.known and problem.noise != 0):
        return None
    with attempted(share(_SHARE)):
        if problem.known:
            return _curves_given(problem)
        noise = abs(float(problem.noise or 0))
        signal = problem.signal.subs(xi, 0) if noise else problem.signal
        case = plane_case(signal, coordinates, hidden=problem.noise is None)
        return None if case is None else _curves(case, noise)
    return None


def _coordinates(problem: Problem) -> tuple[Symbol, ...]:
    """Those that the label is a function of; noise inside it is the last one."""
    return (*problem.unknown, xi) if problem.noise is None else problem.unknown


def _curves(case: PlaneChannel, noise: float) -> Threshold | None:
    def law(level: int) -> LabelQuadrature:
        if noise:
            return smoothed_density(case.tables(spacing(_REFINED[level])), noise).quadrature()
        return case.quadrature(level)

    before = remaining()
    level = 2 if noise or case.count < _MANY_ARCS else 1  # of so many the next level takes half a minute
    coarse = top_eigenvalue(law(level - 1))
    if _FINER * (before - remaining()) > remaining():
        return None
    found = law(level)
    fine = top_eigenvalue(found)
    error = abs(fine - coarse) + max(1.0, fine) * found.loss + fine * FLOOR
    return estimated(fine, error, remark("a label of two coordinates: its level curves"))


def _curves_given(problem: Problem) -> Threshold | None:
    at = planar_label(problem.signal, problem.unknown, problem.known)
    if at is None:
        return None
    sector = sector_of(mirrors(problem.signal, problem.unknown, problem.known))

    cells = _cells(problem)

    def operator(x: float) -> tuple[Array, float]:
        channel = plane_channel(*at(x), sector=sector, coarse=cells is None)
        found = channel.quadrature(0 if cells is None else 1)
        matrix = operator_matrix(found)
        error = found.loss * max(1.0, _top(matrix))
        if cells is not None:  # no rule over x shows how fine those at x are
            error += _SAFETY * float(np.linalg.norm(matrix - operator_matrix(channel.quadrature(0)), 2))
        return matrix, error

    matrix, error = _over_one(operator, problem, cells)
    method = remark("a label of two coordinates for each value of one known: its level curves")
    return estimated(_top(matrix), error, method)


def sampled(problem: Problem) -> Threshold | None:
    """Anything else: samples, for each of some values of what is known; noise is one more coordinate."""
    asked, known = len(problem.unknown), len(problem.known)
    coordinates = (*problem.unknown, *((xi,) if problem.signal.has(xi) else ()))
    at = function_of_points(problem.signal, (*coordinates, *problem.known))

    def value(points: Array) -> Array:
        check_time()
        return at(points)

    hidden = len(coordinates) - asked
    top, error, used = 0.0, math.inf, 0.0
    for samples in _SAMPLES:
        begun = remaining()
        if error < _FEW_ENOUGH * top or _MORE * used > begun:
            break
        found = sampled_threshold(value, asked, hidden=hidden, known=known, samples=samples)
        top, error = found.eigenvalue, _STANDARD_ERRORS * found.standard_error + found.bias
        used = begun - remaining()
    method = remark("samples by their label" + (f" for values of {known} known" if known else ""))
    return estimated(top, error, method, worst=_WORST_SAMPLED)


def _cells(problem: Problem) -> list[tuple[float, float]] | None:
    """(probability, one of its points) for each label, where the known coordinate decides between a few."""
    try:
        latent = latent_coordinates(problem.signal, problem.known)
    except UnsupportedExpression:  # more pieces than are looked for
        return None
    groups = grouped(problem.signal, latent) if latent else {}
    if not 0 < len(groups) <= _MOST_LABELS:
        return None
    return [
        (sum(cell.probability for [cell] in cells), float(cells[0][0].point)) for cells in groups.values()
    ]


def _over_one(
    operator: Callable[[float], tuple[Array, float]],
    problem: Problem,
    cells: Sequence[tuple[float, float]] | None,
) -> tuple[Array, float]:
    """(the mean of an operator over the known coordinate, its error)."""
    if cells is not None:
        found = [(p, *operator(x)) for p, x in cells]
        return np.asarray(sum(p * matrix for p, matrix, _ in found)), sum(p * error for p, _, error in found)
    share = 2 if _is_symmetric(problem) else 1
    matrix, error = adaptive_average(
        operator,
        _ends(_breaks(problem.signal, problem.known[0]), is_half=share == 2),
        tolerance=_OUTER_ERROR / share,
        most=2 * _MOST_VALUES // share,
    )
    return share * matrix, share * error + _BEYOND * max(1.0, share * _top(matrix))


def _ends(breaks: Sequence[float], *, is_half: bool) -> list[float]:
    last = _PANELS[-1]
    plain = _PANELS if is_half else (*(-x for x in _PANELS[:0:-1]), *_PANELS)
    kept = [b for b in breaks if plain[0] < b < last]
    inner = [x for x in plain[1:-1] if all(abs(x - b) > _APART for b in kept)]
    return sorted({plain[0], *inner, *kept, last})


def _breaks(signal: Expr, known: Symbol) -> list[float]:
    """Where the label breaks as a function of the known coordinate, whatever the others are.

    Those that are not found are left to the error of the rule.
    """
    try:
        arguments = kink_arguments(signal, known)
    except UnsupportedExpression:  # infinitely many, or some that move with the others
        return []
    found: set[float] = set()
    for factor in {f for a in arguments for f in Mul.make_args(a) if f.free_symbols == {known}}:
        with contextlib.suppress(UnsupportedExpression):
            found |= {float(b) for b in real_breakpoints(step(factor), known)}
    return sorted(found)


def _top(matrix: Array) -> float:
    return float(np.linalg.eigvalsh(matrix)[-1])


def _is_symmetric(problem: Problem) -> bool:
    """Whether changing the sign of all coordinates at most changes that of the label."""
    f = problem.signal
    mirrored = f.xreplace({v: -v for v in (*problem.unknown, *problem.known)})
    return bool(expanded(mirrored - f) == 0 or expanded(mirrored + f) == 0)
