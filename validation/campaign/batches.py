"""The loop behind a campaign: hand out batches of cells, keep results, look whenever a look is complete."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from dataclasses import dataclass

import numpy as np

from hermite_analytics.validation.campaign.store import CellResult, Store
from hermite_analytics.validation.campaign.study_run import StudyRun
from hermite_analytics.validation.campaign.workers import CellError, run_cells
from hermite_analytics.validation.experiments.experiment import Cell
from hermite_analytics.validation.statistics.decision import Comparison, seeds_at_look

__all__ = ["BatchLoop", "Progress"]

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

    Examples
    --------
    >>> state = Progress(cells=30, planned=60, decided=2, claims=5, message="look 1")
    >>> f"{state.cells}/{state.planned} cells, {state.decided}/{state.claims} claims"
    '30/60 cells, 2/5 claims'
    """

    cells: int
    planned: int
    decided: int
    claims: int
    message: str


_Task = tuple[StudyRun, int, list[int]]


class BatchLoop:
    """Hands out batches, collects results, and looks at a study whenever its cells are there.

    Parameters
    ----------
    store : Store
        Read before anything is computed; written after every batch.
    executor : Executor
    in_flight : callable
        How many batches may be out.
    progress : callable, optional
    runs : sequence of StudyRun
    fail_level : float
        Of one look at one claim.
    """

    def __init__(
        self,
        *,
        store: Store,
        executor: Executor,
        in_flight: Callable[[], int],
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
            if not future.cancelled() and future.exception() is None:
                run, size, _ = self._futures[future]
                self._store.save(run.study.experiment.identity, size, future.result())

    def _request(self, run: StudyRun) -> None:
        """Queue the cells of the current look that neither memory nor the store has."""
        missing = run.fetch(self._store)
        self._planned += sum(
            count - (count // 2 if run.look else 0) for count in seeds_at_look(run.study.seeds, run.look)
        )
        run.missing = sum(map(len, missing.values()))
        self._queue.extend((run, size, seeds) for size, seeds in missing.items() if seeds)
        if not run.missing:
            self._ready.append(run)

    def _submit(self) -> None:
        while self._queue and len(self._futures) < self._in_flight():
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
        try:
            cells = future.result()
        except CellError as error:
            cells = error.done
            self._stop(run, f"d = {size}, {error}")
        self._store.save(run.study.experiment.identity, size, cells)
        run.results[size].update({cell.seed: cell for cell in cells})
        run.missing -= len(cells)
        if not run.missing:
            self._ready.append(run)
        self._report(f"{run.study.id}: d = {size}")

    def _stop(self, run: StudyRun, reason: str) -> None:
        """Ask for no more cells of a study; the others go on."""
        run.stopped = run.stopped or reason
        self._queue = deque(task for task in self._queue if task[0] is not run)

    def _look(self, run: StudyRun) -> None:
        """Compare every open claim; ask for the next look if one stays open within the budget."""
        for claim, comparison in run.take_look(self._fail_level):
            self._store.save_look(run.study.claim_id(claim), run.look, _look_record(run, comparison))
        self._report(f"{run.study.id}: look {run.look + 1}")
        if run.next_look():
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


def _look_record(run: StudyRun, comparison: Comparison) -> dict[str, object]:
    """A look as it is stored."""
    numbers = {
        "theory": comparison.theory,
        "simulation": comparison.value,
        "stderr": comparison.stderr,
        "margin": comparison.margin,
        "p_pass": comparison.p_pass,
        "p_fail": comparison.p_fail,
        "power": comparison.power,
    }
    return {
        "status": str(comparison.status),
        "sizes": run.study.sizes,
        "seeds": seeds_at_look(run.study.seeds, run.look),
        **{name: value if math.isfinite(value) else None for name, value in numbers.items()},
    }
