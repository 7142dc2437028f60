"""Solve many points: grouped by their table of functions, refined until settled, shared between threads."""

from __future__ import annotations

import functools
from concurrent.futures import Executor, ThreadPoolExecutor, as_completed
from contextlib import suppress
from dataclasses import dataclass, replace

import numpy as np

from hermite_analytics.codegen.auto_backend.tiers import Solutions
from hermite_analytics.conditional import target_data
from hermite_analytics.executors.processes import available_cores
from hermite_analytics.foundation.kernels_on_disk import by_arrays
from hermite_analytics.foundation.numpy_arrays import Array
from hermite_analytics.numeric.gaussian_rule import PRODUCT_GROWTH, Feature
from hermite_analytics.numeric.models.spiked.changes import UNSETTLED, change_of_errors, relative_change
from hermite_analytics.numeric.models.spiked.elsewhere import Progress, on_executor
from hermite_analytics.numeric.models.spiked.layers import narrow_layers
from hermite_analytics.numeric.models.spiked.measures import measures
from hermite_analytics.numeric.models.spiked.points import Integers, Points, Problem, Results
from hermite_analytics.numeric.models.spiked.statuses import STATUSES
from hermite_analytics.numeric.models.spiked.tables import Spike, Tables, tables
from hermite_analytics.numeric.square_loss import CONVERGED, solve_points
from hermite_analytics.numeric.status import Status

__all__ = ["Progress", "evaluate"]

_ROUNDING, _NEAR_ROUNDING = 1e-13, 1e-9
_GENERAL_ROUNDING = 2e-11  # other losses: the residual shows in the overlaps with the condition of the point
_DIVERGED = STATUSES.index(Status.DIVERGED)
SOLUTIONS = Solutions()  # that this process was asked for
_FEW = 1024  # points below which threads do not pay
_NUMBERS = 200_000  # points times nodes that the equations of letters hold at once


def evaluate(
    problem: Problem,
    points: Points,
    *,
    tolerance: float,
    max_steps: int,
    workers: int | None = None,
    progress: Progress | None = None,
    executor: Executor | None = None,
    keeps: bool = False,
    looks_at: str | None = None,
) -> Results:
    """Results of all points.

    Parameters
    ----------
    looks_at : str, optional
        The one measure that a search asks for: others may be rough then, and probabilities NaN.
    workers : int, optional
        Threads; by default all processors if there are many points.
    progress : callable, optional
        progress(done, total), from the calling thread.
    executor : Executor, optional
        Where the points are solved instead, in pieces.
    keeps : bool
        Whether what was found before the executor ended is an answer; other points say in their code that
        they were not computed.
    """
    if executor is not None:
        one = functools.partial(
            _evaluated, problem, tolerance=tolerance, max_steps=max_steps, looks_at=looks_at
        )
        return on_executor(one, problem.layout, points, executor, progress=progress, keeps=keeps)
    SOLUTIONS.ask(points.count)
    results = Results(points.count, problem.layout)
    method = _Method(tolerance=tolerance, max_steps=max_steps, looks_at=looks_at)
    tasks = list(points.chunks())
    if workers is None:
        workers = 1 if points.count < _FEW else available_cores()
    done = 0
    if workers == 1 or len(tasks) == 1:
        for spike, chosen in tasks:
            _solve_chunk(problem, spike, points, chosen, method, results)
            done += chosen.size
            if progress is not None:
                progress(done, points.count)
        return results
    with ThreadPoolExecutor(workers) as pool:
        running = {
            pool.submit(_solve_chunk, problem, spike, points, chosen, method, results): chosen.size
            for spike, chosen in tasks
        }
        for future in as_completed(running):
            future.result()
            done += running[future]
            if progress is not None:
                progress(done, points.count)
    return results


def _evaluated(
    problem: Problem, points: Points, *, tolerance: float, max_steps: int, looks_at: str | None
) -> Results:
    return evaluate(problem, points, tolerance=tolerance, max_steps=max_steps, workers=1, looks_at=looks_at)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Method:
    """How points are solved; see `evaluate`."""

    tolerance: float
    max_steps: int
    looks_at: str | None

    def sees_signs(self, problem: Problem) -> bool:
        """Whether shares of wrong signs are asked for."""
        return self.looks_at in (None, "misclassification") or problem.is_of_margin


def _solve_chunk(
    problem: Problem,
    spike: Spike,
    points: Points,
    chosen: Integers,
    method: _Method,
    results: Results,
    layers: tuple[Feature, ...] = (),
) -> None:
    """Refine the quadrature at each point until no result of it changes by more than the tolerance.

    Each refinement also widens the range: an infinite average keeps growing. Without a ridge, and with fewer
    samples than neurons, samples are weighed by 1/(mu1^2 + mu2^2), of which E over N(0, 1) is infinite for
    relu and sign if r^2 >= c.

    Points whose signs change within narrow layers begin again, each with panels of its own there.
    """
    scale, tolerance, max_steps = target_data(problem.target)[2], method.tolerance, method.max_steps
    layout = problem.layout
    settled = max(tolerance, _ROUNDING if problem.is_square else _GENERAL_ROUNDING)
    left = chosen
    before: Array | None = None
    start = np.full((left.size, layout.packed), np.nan)
    changed = np.full(left.size, np.inf)
    for level, table in enumerate(tables(problem.activation, problem.target, spike, problem.letters, layers)):
        count = left.size
        out = np.full((count, layout.size), np.nan) if before is None else before.copy()
        outputs = (out, np.empty(count), np.empty(count, dtype=np.int64), np.empty(count, dtype=np.int64))
        _solve_table(problem, spike, table, points.part(left), tolerance, max_steps, start, level, outputs)
        _, residual, steps, code = outputs
        results.values[left], results.residual[left], results.code[left] = out, residual, code
        results.steps[left] = np.maximum(results.steps[left], steps)
        found = measures(problem, spike, table, out, calibrates=method.looks_at is None)
        errors_before, results.measures[left] = results.measures[left], found
        if before is None:
            before = out
            continue
        relative = relative_change(before, out, scale, layout)
        change = np.fmax(relative, change_of_errors(errors_before[:, :2], found[:, :2], scale))
        # a calibration error is known to fewer digits, and refines nothing
        results.numerical_error[left] = np.fmax(change, np.abs(found[:, 2] - errors_before[:, 2]))
        # what two halvings of the panels do not halve is rounding (levels 0 and 1 are of one size)
        rounding = (level > 2) & (change < _NEAR_ROUNDING) & (change > 0.5 * changed)
        going = ~((change <= settled) | (code != 0) | rounding)
        if (
            level == 1 and not layers and method.sees_signs(problem)
        ):  # two tables that both miss a layer agree, and are both wrong
            for place, its in narrow_layers(problem, spike, table, out, code == 0):
                going[place] = False
                alone = left[place : place + 1]
                _solve_chunk(problem, spike, points, alone, method, results, its)
        left, start, before, changed = left[going], start[going], out[going], change[going]
        relative = relative[going]
        if left.size == 0:
            break
    if len(spike.r) > 1:  # what did not settle may be a step: beyond the last change are the next ones
        results.numerical_error[left] /= PRODUCT_GROWTH - 1.0
    overflown = chosen[(results.code[chosen] == 0) & ~np.all(np.isfinite(results.values[chosen, :2]), axis=1)]
    for endless in (left[relative > UNSETTLED], overflown):
        results.values[endless] = results.measures[endless] = np.nan
        results.code[endless] = _DIVERGED
    results.numerical_error[overflown] = np.nan


def _solve_flipped(
    problem: Problem,
    spike: Spike,
    table: Tables,
    part: tuple[Array, Array, Array, Array],
    tolerance: float,
    max_steps: int,
    start: Array,
    level: int,
    outputs: tuple[Array, Array, Integers, Integers],
) -> None:
    """The square loss sees noise and `kept` times the target: `kept` times what it sees of more noise."""
    kept = problem.kept
    alpha, beta, ridge, noise = part
    plain = replace(problem, flips=0.0)
    louder = (noise + 1.0 - kept**2) / kept**2
    _solve_table(
        plain, spike, table, (alpha, beta, ridge, louder), tolerance, max_steps, start, level, outputs
    )
    powers = {"test_error": 2, "train_error": 2, "q1": 2, "q2": 2, "V1": 0, "V2": 0}
    for name, place in problem.layout.blocks().items():
        outputs[0][:, place] *= kept ** powers.get(name, 1)


def _solve_table(
    problem: Problem,
    spike: Spike,
    table: Tables,
    part: tuple[Array, Array, Array, Array],
    tolerance: float,
    max_steps: int,
    start: Array,
    level: int,
    outputs: tuple[Array, Array, Integers, Integers],
) -> None:
    if problem.flips > 0.0 and problem.is_square:
        _solve_flipped(problem, spike, table, part, tolerance, max_steps, start, level, outputs)
        return
    if problem.bulk == "step":
        _solve_step(problem, spike, table, part, tolerance, max_steps, level, outputs)
        return
    if problem.is_uniform:
        _solve_uniform(table, spike, part, tolerance, max_steps, start, outputs)
        return
    from hermite_analytics.numeric.models.spiked.letter_bulk import Vocabulary
    from hermite_analytics.numeric.models.spiked.letter_loss import LetterPoints, only_the_mean, solve_letters

    out, residual, steps, code = outputs
    ridge, noise = part[2], part[3]
    if not problem.is_square:
        _solve_general(problem, spike, table, part, tolerance, max_steps, level, outputs)
        return
    infinite = np.isinf(ridge) | (problem.bulk == "none")
    out[infinite] = only_the_mean(table, noise[infinite])
    residual[infinite], steps[infinite], code[infinite] = 0.0, 0, 0
    rest = np.flatnonzero(~infinite)
    vocabulary = Vocabulary(
        fraction=np.array(problem.letters.fractions),
        c=np.array(spike.c),
        orthogonal=problem.bulk == "orthogonal",
    )
    for some in np.array_split(rest, max(1, -(-rest.size * table.weight.size // _NUMBERS))):
        if some.size:
            points = LetterPoints.of(*(x[some] for x in part))
            first = start[some]
            with np.errstate(over="ignore", divide="ignore", invalid="ignore"):  # an infinite ridgeless limit
                found = solve_letters(
                    table, vocabulary, points, first, tolerance=tolerance, max_steps=max_steps
                )
            out[some], residual[some], steps[some], code[some] = found
            start[some] = first


def _solve_uniform(
    table: Tables,
    spike: Spike,
    part: tuple[Array, Array, Array, Array],
    tolerance: float,
    max_steps: int,
    start: Array,
    outputs: tuple[Array, Array, Integers, Integers],
) -> None:
    """All neurons alike: by arrays for the first points of a process, without compiling anything."""
    arguments = (table.columns(), spike.c[0], *part, tolerance, max_steps, start, *outputs)
    if SOLUTIONS.are_few:
        out, code, before = outputs[0], outputs[3], start.copy()
        # Python's own numbers raise where compiled ones go on, and products underflow in another order
        with suppress(ArithmeticError, ValueError), by_arrays(), np.errstate(all="ignore"):
            solve_points(*arguments)
            if np.isfinite(out[code == CONVERGED, :2]).all():
                return
        start[:] = before
    solve_points(*arguments)


def _solve_step(
    problem: Problem,
    spike: Spike,
    table: Tables,
    part: tuple[Array, Array, Array, Array],
    tolerance: float,
    max_steps: int,
    level: int,
    outputs: tuple[Array, Array, Integers, Integers],
) -> None:
    """Rows as a step makes them, point by point, from the isotropic rows of the same norm.

    These are the answer where no step was made, where the features see nothing of the rows but their norm,
    and at an infinite ridge.
    """
    from hermite_analytics.numeric.models.spiked.step_points import functions_of, solve_step_point
    from hermite_analytics.numeric.models.spiked.step_rows import step_rows

    out, residual, steps, code = outputs
    plain = np.full((part[0].size, 9), np.nan)
    start = np.full((part[0].size, 2), np.nan)
    _solve_uniform(table, spike, part, tolerance, max_steps, start, (plain, residual, steps, code))
    out[:, :9], out[:, 9] = plain, 0.0
    functions = functions_of(problem.activation, spike, table)
    if spike.step is None or spike.step[0] == 0.0 or spike.step[1] == 0.0 or functions.is_blind:
        return
    rows = step_rows(problem.activation, problem.target, spike.step, level)
    for index in np.flatnonzero((code == 0) & np.isfinite(part[2])):
        alpha, beta, ridge, noise = (float(x[index]) for x in part)
        first = (float(start[index, 0]), float(start[index, 1]))
        found = solve_step_point(
            functions, rows, (alpha, beta, ridge, noise), first, tolerance=tolerance, max_steps=max_steps
        )
        out[index], residual[index], steps[index], code[index] = found


def _solve_general(
    problem: Problem,
    spike: Spike,
    table: Tables,
    part: tuple[Array, Array, Array, Array],
    tolerance: float,
    max_steps: int,
    level: int,
    outputs: tuple[Array, Array, Integers, Integers],
) -> None:
    """Any convex loss, point by point: each starts from its neighbour, the first from the square loss."""
    from hermite_analytics.numeric.models.spiked.general_loss import general_point
    from hermite_analytics.numeric.models.spiked.letter_bulk import Vocabulary
    from hermite_analytics.numeric.models.spiked.letter_loss import LetterPoints, Products, solve_letters
    from hermite_analytics.numeric.models.spiked.teacher import teacher_at

    out, residual, steps, code = outputs
    vocabulary = Vocabulary(
        fraction=np.array(problem.letters.fractions),
        c=np.array(spike.c),
        orthogonal=problem.bulk == "orthogonal",
    )
    teacher = teacher_at(problem.loss, problem.target, spike, table, level, flips=problem.flips)
    products = Products(table)
    unknown = np.full((part[0].size, problem.layout.packed), np.nan)
    squares, *_ = solve_letters(
        table, vocabulary, LetterPoints.of(*part), unknown, tolerance=1e-6, max_steps=max_steps
    )
    for index in range(part[0].size):
        known = level > 0 and not np.any(np.isnan(out[index]))
        found = general_point(
            problem.loss, table, products, teacher, vocabulary, [x[index] for x in part],
            out[index] if known else squares[index], kept=problem.kept, tolerance=tolerance,
            max_steps=max_steps,
        )  # fmt: skip
        out[index], residual[index], steps[index], code[index] = found
        if code[index] != 0:
            out[index] = np.nan
