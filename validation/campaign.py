"""Run the cells of a suite on any executor, look by look, until each claim is decided or its budget is spent.

Look k of a study uses the seeds 0 .. n 2^k - 1 of each size, whoever computed them and when: neither the
number of workers nor an interruption can change a decision.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from typing import Any

import numpy as np

from hermite_analytics.errors import HermiteAnalyticsError, InputError
from hermite_analytics.validation.claims import Cell, Study
from hermite_analytics.validation.decision import FAIL_LEVEL, MAX_LOOKS, Comparison, seeds_at_look
from hermite_analytics.validation.outcomes import StudyOutcome, conclude
from hermite_analytics.validation.store import CellResult, Store
from hermite_analytics.validation.study_run import StudyRun
from hermite_analytics.validation.workers import run_cells

__all__ = ["Campaign", "Progress"]

# Long enough that handing out a batch costs nothing, short enough to balance over the workers at the end.
BATCH_SECONDS = 0.5
FIRST_BATCH = 4
LARGEST_BATCH = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """How far a campaign is.

    Parameters
    ----------
    cells : int
        Cells that are there, those found in the store included.
    planned : int
        Cells that the looks started so far need; it grows while claims stay undecided.
    decided, claims : int
        Claims passed or failed, and claims in all.
    message : str
        What happened last, in a few words.
    """

    cells: int
    planned: int
    decided: int
    claims: int
    message: str


_Task = tuple[StudyRun, int, list[int]]


class Campaign:
    """A grid of (claim, size, seed).

    Parameters
    ----------
    studies : sequence of Study
        With distinct ids and distinct (experiment, size) pairs.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from hermite_analytics.validation.store import open_folder
    >>> from hermite_analytics.validation.workers import SerialExecutor
    >>> with TemporaryDirectory() as folder, open_folder(Path(folder), code="example") as store:
    ...     Campaign([]).run(store, SerialExecutor())
    ()
    """

    def __init__(self, studies: Sequence[Study]) -> None:
        ids = [study.id for study in studies]
        if len(set(ids)) < len(ids):
            raise InputError(f"the studies {ids} must have distinct ids")
        identities = [study.experiment.identity for study in studies]
        if len(set(identities)) < len(identities):
            raise InputError(f"two of the studies {ids} are the same experiment; make them one study")
        self.studies = tuple(studies)

    def run(
        self,
        store: Store,
        executor: Executor,
        *,
        in_flight: int = 1,
        progress: Callable[[Progress], None] | None = None,
    ) -> tuple[StudyOutcome, ...]:
        """Run until every claim is decided or out of budget.

        Parameters
        ----------
        store : Store
            Cells that it holds are not computed again; new ones are written batch by batch.
        executor : Executor
            Any of `concurrent.futures`; tasks and results pickle.
        in_flight : int >= 1
            Batches handed out at a time; twice the number of workers keeps them busy.
        progress : callable, optional
            Called with a `Progress` in this thread.

        Returns
        -------
        tuple of StudyOutcome

        Raises
        ------
        KeyboardInterrupt
            After the batches in flight were kept.
        HermiteAnalyticsError
            If a worker process died.
        """
        runs = [StudyRun.start(study) for study in self.studies]
        claims = max(1, sum(len(study.claims) for study in self.studies))
        loop = _Loop(
            store=store,
            executor=executor,
            in_flight=in_flight,
            progress=progress,
            runs=runs,
            fail_level=FAIL_LEVEL / (MAX_LOOKS * claims),
        )
        try:
            loop.run()
        except KeyboardInterrupt:
            loop.keep_what_is_done()
            raise
        except BrokenProcessPool as error:
            raise HermiteAnalyticsError(
                "a worker process ended unexpectedly (out of memory, killed, or started from a script "
                "without `if __name__ == '__main__':`); what was done is kept: resume, or use one worker"
            ) from error
        return conclude(runs)


class _Loop:
    """Hands out batches, collects results, and looks at a study whenever its cells are there."""

    def __init__(
        self,
        *,
        store: Store,
        executor: Executor,
        in_flight: int,
        progress: Callable[[Progress], None] | None,
        runs: Sequence[StudyRun],
        fail_level: float,
    ) -> None:
        self._store = store
        self._executor = executor
        self._in_flight = in_flight
        self._progress = progress
        self._runs = runs
        self._fail_level = fail_level
        self._queue: deque[_Task] = deque()
        self._futures: dict[Future[list[CellResult]], _Task] = {}
        self._cells: dict[tuple[str, int], Cell] = {}
        self._planned = 0
        self._ready: deque[StudyRun] = deque()

    def run(self) -> None:
        """Until nothing is queued, running or waiting for its look."""
        for run in self._runs:
            self._request(run)
        while self._queue or self._futures or self._ready:
            while self._ready:
                self._look(self._ready.popleft())
            self._submit()
            if self._futures:
                done, _ = wait(self._futures, return_when=FIRST_COMPLETED)
                for future in done:
                    self._collect(future)

    def keep_what_is_done(self) -> None:
        """Cancel what has not started, and save the rest."""
        started = [future for future in self._futures if not future.cancel()]
        done, _ = wait(started, timeout=20 * BATCH_SECONDS)
        for future in done:
            if future.exception() is None:
                run, size, _ = self._futures[future]
                self._store.save(run.study.experiment.identity, size, future.result())

    def _request(self, run: StudyRun) -> None:
        """Queue the cells of the current look that neither memory nor the store has."""
        for size in run.study.sizes:
            seeds = run.seeds(size, run.look)
            new = [seed for seed in seeds if seed not in run.results[size]]
            self._planned += len(new)
            run.results[size].update(self._store.load(run.study.experiment.identity, size, new))
            missing = [seed for seed in new if seed not in run.results[size]]
            run.missing += len(missing)
            if missing:
                self._queue.append((run, size, missing))
        if not run.missing:
            self._ready.append(run)

    def _submit(self) -> None:
        while self._queue and len(self._futures) < self._in_flight:
            run, size, seeds = self._queue.popleft()
            count = self._batch(run, size)
            batch, rest = seeds[:count], seeds[count:]
            if rest:
                self._queue.appendleft((run, size, rest))
            future = self._executor.submit(run_cells, self._cell(run, size), batch)
            self._futures[future] = (run, size, batch)

    def _cell(self, run: StudyRun, size: int) -> Cell:
        """The simulation at a size, made once."""
        key = (run.study.id, size)
        if key not in self._cells:
            self._cells[key] = run.study.experiment.cell(size)
        return self._cells[key]

    def _batch(self, run: StudyRun, size: int) -> int:
        """Cells a batch; the first ones of a size tell how long one takes."""
        known = [cell.seconds for cell in run.results[size].values()]
        if not known:
            return FIRST_BATCH
        return int(np.clip(BATCH_SECONDS / max(float(np.median(known)), 1e-6), 1, LARGEST_BATCH))

    def _collect(self, future: Future[list[CellResult]]) -> None:
        run, size, _ = self._futures.pop(future)
        cells = future.result()
        self._store.save(run.study.experiment.identity, size, cells)
        run.results[size].update({cell.seed: cell for cell in cells})
        run.missing -= len(cells)
        if not run.missing:
            self._ready.append(run)
        self._report(f"{run.study.id}: d = {size}")

    def _look(self, run: StudyRun) -> None:
        """Compare every open claim; ask for the next look if one stays open within the budget."""
        for claim in run.open_claims():
            comparison = run.compare(claim, run.look, fail_level=self._fail_level)
            run.comparisons[claim.id].append(comparison)
            self._store.save_look(run.study.claim_id(claim), run.look, _look_record(run, comparison))
        self._report(f"{run.study.id}: look {run.look + 1}")
        if run.open_claims() and run.look + 1 < run.study.looks:
            run.look += 1
            self._request(run)

    def _report(self, message: str) -> None:
        if self._progress is None:
            return
        claims = sum(len(run.study.claims) for run in self._runs)
        undecided = sum(len(run.open_claims()) for run in self._runs)
        cells = sum(len(results) for run in self._runs for results in run.results.values())
        self._progress(
            Progress(
                cells=cells, planned=self._planned, decided=claims - undecided, claims=claims, message=message
            )
        )


def _look_record(run: StudyRun, comparison: Comparison) -> dict[str, Any]:
    """A look as it is stored."""
    fit = comparison.fit
    numbers = {
        "theory": comparison.theory,
        "simulation": fit.intercept,
        "stderr": fit.stderr,
        "df": fit.df,
        "margin": comparison.margin,
        "p_pass": comparison.p_pass,
        "p_fail": comparison.p_fail,
    }
    return {
        "status": str(comparison.status),
        "sizes": run.study.sizes,
        "seeds": seeds_at_look(run.study.seeds, run.look),
        **{name: value if math.isfinite(value) else None for name, value in numbers.items()},
    }
