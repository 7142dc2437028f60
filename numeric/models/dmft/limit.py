"""The limit d -> infinity: quadratures for the first steps, then Sobol points in replicates."""

from __future__ import annotations

import contextlib

import numpy as np

from hermite_analytics.foundation.clock import TimeEnded, allowed, check_time, finishing, share
from hermite_analytics.foundation.numpy_arrays import Array
from hermite_analytics.numeric.models.dmft.fresh import fresh_errors
from hermite_analytics.numeric.models.dmft.limit_run import Averages, Diverged, LimitRun, require_bounded
from hermite_analytics.numeric.models.dmft.place import Place
from hermite_analytics.numeric.models.dmft.quadrature import Quadrature
from hermite_analytics.numeric.models.dmft.refine import refined
from hermite_analytics.numeric.models.dmft.rows import Moments
from hermite_analytics.numeric.models.dmft.sampled import by_sampling
from hermite_analytics.numeric.models.dmft.weights import Weights
from hermite_analytics.numeric.models.dmft.work import Work

__all__ = ["solve_limit", "test_errors"]

_QUADRATURE_GOAL, _QUADRATURE_ERROR = 5e-9, 1e-6
_SHARES = 0.4, 0.2  # of the tolerance, asked of a step; the second if the errors together are too large
_FEW = 3  # variables: more digits than asked for cost nothing
_QUADRATURE_TIME, _SAMPLE_TIME = 0.6, 0.9  # of what is left: for samples, and for errors on fresh samples
_MOST_QUADRATURES = 16  # steps, of which so many at most are by quadrature


def solve_limit(
    quadrature: Quadrature, place: Place, start: Weights, *, tolerance: float, seed: int, work: Work
) -> LimitRun:
    """Run the recursion over all gradients of the usage.

    Parameters
    ----------
    quadrature : Quadrature
    place : Place
        Of sampled rows; quadratures are the processor's.
    start : Weights
        Without any step.
    tolerance : float
        More points are taken until the error is below it, or the next sample would take too long.
    seed : int
        Of the Sobol points.
    work : Work
    """
    network, steps = quadrature.network, quadrature.usage.steps
    p, r = network.readout.size, network.problem.dimension
    run = LimitRun(
        overlap=np.full((steps + 1, p, r), np.nan),
        norm=np.full((steps + 1, p, p), np.nan),
        readout=np.full((steps + 1, p), np.nan),
        train=np.full((steps + 1, 2), np.nan),
        error=np.full((steps + 1, 2), np.nan),
        averages=[Averages.QUADRATURE] * (steps + 1),
    )
    with np.errstate(over="ignore", invalid="ignore"):
        try:
            for part in _SHARES:
                start.cut(1)
                del start.increments[:]
                with allowed(share(_QUADRATURE_TIME)):
                    first, limited = _by_quadrature(quadrature, start, run, tolerance, part * tolerance, work)
                room = tolerance if first > steps else 0.5 * tolerance  # samples add to it
                if limited or np.nanmax(run.error[: first + 1]) <= room:
                    break
        except Diverged as end:
            run.end(int(end.args[0]))
            start.cut(int(end.args[0]))
            first = steps + 1
        run.weights = [start]
        if first <= steps:
            with allowed(share(_SAMPLE_TIME)):
                by_sampling(quadrature, place, run, first, tolerance, seed, work)
    return run


def _by_quadrature(
    quadrature: Quadrature, weights: Weights, run: LimitRun, tolerance: float, least: float, work: Work
) -> tuple[int, bool]:
    """Go as far as quadratures do; returns the first step whose averages are open.

    Each step is asked for the error `least`, and goes if it is below the tolerance. The second result is
    whether finest rules have an error above it, so that asking a step for less is of no use.
    """
    limited = False
    steps, r = quadrature.usage.steps, quadrature.network.problem.dimension
    work.expect(sum(quadrature.can_train(t) for t in range(min(steps, _MOST_QUADRATURES) + 1)))
    shadow = weights.copy()  # the same run with all quadratures a level finer, to first order
    for t in range(steps + 1):
        run.overlap[t], run.norm[t] = weights.overlap(t, r), weights.product(t, t)
        run.readout[t] = weights.readout
        moved = [shadow.overlap(t, r) - run.overlap[t], shadow.product(t, t) - run.norm[t]]
        moved.append(shadow.readout - run.readout[t])
        run.error[t, 0] = max(np.max(np.abs(m)) for m in moved)
        if not quadrature.can_train(t):
            return t, limited

        def evaluate(levels: tuple[int, ...], t: int = t) -> tuple[Array, int]:
            found, count = quadrature.averages(weights, t, levels)
            return found if t < steps else found[-2:], count

        variables = quadrature.variables(t)
        goal = least if variables > _FEW else min(least, _QUADRATURE_GOAL)
        smooth = variables if quadrature.network.problem.is_smooth else 0
        effect = _effects(weights) if t < steps else 1.0
        best = refined(evaluate, quadrature.first_levels(variables), goal, geometric=smooth, effect=effect)
        if not np.all(np.isfinite(best.numbers)):
            raise Diverged(t + 1)
        limited |= best.finest > tolerance
        if not best.error <= max(tolerance, _QUADRATURE_ERROR):
            return t, limited
        work.add(1)
        run.train[t] = best.numbers[-2:]
        run.error[t, 1] = np.max(np.abs(best.shift[-2:])) + run.error[t, 0]
        if t < steps:
            p, features = weights.last.shape
            weights.advance(Moments.of_averages(best.numbers, p, features))
            shadow.advance(Moments.of_averages(best.numbers + best.shift, p, features))
            require_bounded(weights)
    return steps + 1, limited


def _effects(weights: Weights) -> Array:
    """What errors of E[g x^T], E[g gamma^T], E[g g^T], E[l' sigma] and the two errors do to what is next."""
    p, features = weights.last.shape
    size = p * p * (len(weights.increments) + 1)
    step = abs(weights.method.eta)
    effects = [step * weights.alpha, step * weights.alpha**0.5, abs(weights.method.readout_eta), 1.0]
    return np.repeat(effects, [p * features, size, p, 2])


def test_errors(
    quadrature: Quadrature, run: LimitRun, times: list[int], tolerance: float
) -> tuple[Array, Array]:
    """Errors on fresh samples at some times, shape (times, 2), and their own errors.

    They may take a tenth more than the time; NaN where that ended.
    """
    values, errors = np.full((len(times), 2), np.nan), np.full((len(times), 2), np.nan)
    goal = 0.1 * tolerance
    if quadrature.can_test() and quadrature.test_variables <= _FEW:
        goal = min(goal, _QUADRATURE_GOAL)
    with contextlib.suppress(TimeEnded), finishing():
        for place, t in enumerate(times):
            if np.all(np.isfinite(run.norm[t])):
                check_time()
                values[place], errors[place] = fresh_errors(
                    quadrature, run.readout[t], run.overlap[t], run.norm[t], goal
                )
    return values, errors
