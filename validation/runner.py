"""`validate`: run a suite into a folder and write its report."""

from __future__ import annotations

import contextlib
import json
import os
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path

from hermite_analytics.errors import InputError
from hermite_analytics.executors.ordered import require_one
from hermite_analytics.executors.processes import available_cores, worker_pool
from hermite_analytics.validation.campaign.campaign import Campaign, Progress
from hermite_analytics.validation.campaign.folder import check_folder, open_folder, read_folder, replace_file
from hermite_analytics.validation.campaign.outcomes import StudyOutcome
from hermite_analytics.validation.campaign.provenance import code_version, environment
from hermite_analytics.validation.campaign.results import ValidationResult
from hermite_analytics.validation.campaign.store import RunRecord, Store
from hermite_analytics.validation.report.command_line import run_command
from hermite_analytics.validation.report.junit import junit_text
from hermite_analytics.validation.report.report import render_report
from hermite_analytics.validation.report.summary import claim_results
from hermite_analytics.validation.suites.library import find_suite
from hermite_analytics.validation.suites.study import Study, Suite

__all__ = ["draw_report", "run_suite", "validate"]

# How often the record of a session is brought up to date while it runs.
_RECORD_SECONDS = 5.0


def validate(
    suite: str = "quick",
    *,
    out: str | os.PathLike[str],
    workers: int | None = None,
    scheduler: str | None = None,
    resume: bool = False,
    overwrite: bool = False,
    only: Sequence[str] = (),
    progress: Callable[[Progress], None] | None = None,
) -> ValidationResult:
    """Test a suite of claims by simulation; report, results and the store go into a folder.

    Parameters
    ----------
    suite : str
        Name of a suite that comes with the library, or the path of a file of claims (``.toml``).
    out : path
        A new or empty folder; one that holds earlier results needs `resume` or `overwrite`.
    workers : int >= 1, optional
        Processes, by default one for each core; 1 computes in this process. With more than one, call this
        under ``if __name__ == "__main__":`` in a script.
    scheduler : str, optional
        Address of a Dask scheduler whose workers compute, in place of `workers`.
    resume : bool
        Use the cells that the folder holds.
    overwrite : bool
        Delete the earlier results (and nothing else) and start again.
    only : sequence of str
        Ids of studies or claims ("study", "study/claim"); all by default.
    progress : callable, optional
        Called with a `Progress` as batches come in.

    Returns
    -------
    ValidationResult
        Claims with status `passed`, `failed` or `inconclusive`. It depends on neither `workers` nor
        interruptions. A study whose simulation ends with an error stands in `stopped`; the others go on.

    Raises
    ------
    InputError
        If there is no such suite, study or claim, the file of claims has a fault, or the folder, the number
        of workers or the scheduler is not acceptable.
    StoreError
        If the folder cannot be written or its store is damaged.
    KeyboardInterrupt
        What was computed is kept; `resume` goes on.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     result = validate("quick", out=folder, workers=1, only=["step-erf-beta-2/gamma"])
    ...     files = sorted(path.name for path in Path(folder).iterdir())
    >>> [str(claim.status) for claim in result.claims], "report.html" in files
    (['passed'], True)
    """
    check_folder(Path(out), resume=resume, overwrite=overwrite)  # before the suite, which takes seconds
    return run_suite(
        find_suite(suite),
        Path(out),
        workers=workers,
        scheduler=scheduler,
        resume=resume,
        overwrite=overwrite,
        only=only,
        progress=progress,
    )


def run_suite(
    suite: Suite,
    out: Path,
    *,
    workers: int | None = None,
    scheduler: str | None = None,
    resume: bool = False,
    overwrite: bool = False,
    only: Sequence[str] = (),
    progress: Callable[[Progress], None] | None = None,
) -> ValidationResult:
    """As `validate`, for any suite of claims.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from hermite_analytics.validation import load_suite
    >>> with TemporaryDirectory() as folder:
    ...     result = run_suite(load_suite("quick"), Path(folder), workers=1, only=["step-erf-beta-2/gamma"])
    >>> [str(claim.status) for claim in result.claims]
    ['passed']
    """
    campaign = Campaign(selected(suite, only))
    with _workers(workers, scheduler) as pool:
        # a fault of a claim is found before the folder is touched
        campaign.solve(pool.executor if pool.solves else None)
        with open_folder(out, code=code_version(), resume=resume, overwrite=overwrite) as store:
            outcomes, runs = _computed(campaign, store, pool, progress)
    result = _result(suite, outcomes, out, runs)
    _write(suite, result, outcomes, only)
    return result


def _computed(
    campaign: Campaign, store: Store, pool: _Pool, progress: Callable[[Progress], None] | None
) -> tuple[tuple[StudyOutcome, ...], tuple[RunRecord, ...]]:
    """The outcomes of a campaign, and the records of the sessions that worked on its store."""
    session = _Session(store, pool.text, progress)
    try:
        outcomes = campaign.run(store, pool.executor, in_flight=pool.in_flight, progress=session.advance)
    finally:
        session.record()
    return outcomes, store.runs()


def draw_report(
    suite: Suite | str, out: str | os.PathLike[str], *, only: Sequence[str] = ()
) -> ValidationResult:
    """Write the report of the cells that a folder holds, while a campaign runs there or after it.

    Parameters
    ----------
    suite, out, only
        As `validate`.

    Returns
    -------
    ValidationResult
        A claim whose first look is not complete is inconclusive, without numbers.

    Raises
    ------
    InputError
        If the folder holds no results of this library.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> nothing = Suite(name="nothing", title="Nothing", studies=())
    >>> with TemporaryDirectory() as folder:
    ...     _ = run_suite(nothing, Path(folder), workers=1)
    ...     result = draw_report(nothing, folder)
    >>> len(result.claims)
    0
    """
    chosen = find_suite(suite) if isinstance(suite, str) else suite
    folder = Path(out)
    with read_folder(folder, code=code_version()) as store:
        outcomes = Campaign(selected(chosen, only)).replay(store)
        result = _result(chosen, outcomes, folder, store.runs())
    _write(chosen, result, outcomes, only)
    return result


def selected(suite: Suite, only: Sequence[str]) -> tuple[Study, ...]:
    """The studies of a suite cut down to some of its studies and claims.

    Raises
    ------
    InputError
        If an id names neither a study nor a claim of the suite.
    """
    if not only:
        return suite.studies
    known = {study.id: study for study in suite.studies}
    names = {*known, *(study.claim_id(claim) for study in suite.studies for claim in study.claims)}
    for name in only:
        if name not in names:
            shown = ", ".join(list(known)[:8]) + (", ..." if len(known) > 8 else "")
            raise InputError(f"{name!r} is not a study or claim of {suite.name!r}; its studies are {shown}")
    studies = []
    for study in suite.studies:
        claims = [claim for claim in study.claims if {study.id, study.claim_id(claim)}.intersection(only)]
        if claims:
            studies.append(replace(study, claims=tuple(claims)))
    return tuple(studies)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Pool:
    """Where cells are computed."""

    executor: Executor
    in_flight: int | Callable[[], int]
    text: str
    solves: bool
    """Whether the theories are solved there too."""


@contextlib.contextmanager
def _workers(workers: int | None, scheduler: str | None) -> Iterator[_Pool]:
    """This process, a pool of processes, or a cluster."""
    require_one(workers, scheduler)
    if scheduler is not None:
        from hermite_analytics.executors.cluster import cluster_pool

        with cluster_pool(scheduler, code=code_version) as cluster:
            yield _Pool(
                executor=cluster,
                in_flight=lambda: 2 * cluster.slots(),
                text=f"Dask, {cluster.slots()} threads",
                solves=False,
            )
        return
    count = available_cores() if workers is None else workers
    with worker_pool(count) as executor:
        in_flight = 1 if count == 1 else 2 * count
        yield _Pool(executor=executor, in_flight=in_flight, text=str(count), solves=count > 1)


@dataclass(slots=True)
class _Session:
    """Wall time of this run, kept in the store as it goes on: a killed run leaves it behind."""

    store: Store
    workers: str
    progress: Callable[[Progress], None] | None
    started: str = field(default_factory=lambda: datetime.now(UTC).isoformat(timespec="seconds"))
    clock: float = field(default_factory=time.perf_counter)
    recorded: float = 0.0

    def advance(self, state: Progress) -> None:
        """Pass a progress report on."""
        now = time.perf_counter()
        if now - self.recorded > _RECORD_SECONDS:
            self.record()
        if self.progress is not None:
            self.progress(state)

    def record(self) -> None:
        """Write the record of this session."""
        self.recorded = time.perf_counter()
        self.store.save_run(
            RunRecord(
                started=self.started,
                seconds=self.recorded - self.clock,
                environment=environment(self.workers),
            )
        )


def _result(
    suite: Suite, outcomes: Sequence[StudyOutcome], folder: Path, runs: Sequence[RunRecord]
) -> ValidationResult:
    return ValidationResult(
        suite=suite.name,
        claims=claim_results(outcomes),
        report=folder / "report.html",
        seconds=sum(run.seconds for run in runs),
        environment=runs[-1].environment if runs else environment("0"),
        complete=all(outcome.complete for outcome in outcomes),
        stopped={outcome.study.id: outcome.stopped for outcome in outcomes if outcome.stopped},
    )


def _write(
    suite: Suite, result: ValidationResult, outcomes: Sequence[StudyOutcome], only: Sequence[str]
) -> None:
    folder = result.report.parent
    command = run_command(suite.name, folder, only=only)
    document = json.dumps(result.to_dict(), indent=1, allow_nan=False)
    replace_file(folder / "results.json", document + "\n")
    replace_file(folder / "junit.xml", junit_text(result))
    replace_file(result.report, render_report(suite, result, outcomes, command))
