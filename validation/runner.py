"""`validate`: run a suite into a folder and write its report."""

from __future__ import annotations

import hashlib
import json
import os
import platform
import shlex
import time
from collections.abc import Callable, Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version
from importlib.resources import files
from pathlib import Path

import hermite_analytics as ha
from hermite_analytics.errors import StoreError
from hermite_analytics.validation.campaign import Campaign, Progress
from hermite_analytics.validation.claims import Suite
from hermite_analytics.validation.loading import load_suite
from hermite_analytics.validation.outcomes import ClaimOutcome, StudyOutcome
from hermite_analytics.validation.report import render_report
from hermite_analytics.validation.results import ClaimResult, LookResult, ValidationResult
from hermite_analytics.validation.store import open_folder
from hermite_analytics.validation.workers import available_cores, worker_pool

__all__ = ["code_version", "run_suite", "validate"]


def validate(
    suite: str = "quick",
    *,
    out: str | os.PathLike[str],
    workers: int | None = None,
    resume: bool = False,
    overwrite: bool = False,
    progress: Callable[[Progress], None] | None = None,
) -> ValidationResult:
    """Test a suite of claims by simulation; report, results and the store go into a folder.

    Parameters
    ----------
    suite : str
        Name of a suite that comes with the library.
    out : path
        A new or empty folder; one that holds earlier results needs `resume` or `overwrite`.
    workers : int >= 1, optional
        Processes, by default one for each core; 1 computes in this process. With more than one, call this
        under ``if __name__ == "__main__":`` in a script.
    resume : bool
        Use the cells that the folder holds.
    overwrite : bool
        Delete the earlier results (and nothing else) and start again.
    progress : callable, optional
        Called with a `Progress` as batches come in.

    Returns
    -------
    ValidationResult
        Claims with status `passed`, `failed` or `inconclusive`. It depends on neither `workers` nor
        interruptions.

    Raises
    ------
    InputError
        If there is no such suite, or the folder or the number of workers is not acceptable.
    StoreError
        If the folder cannot be written or its store is damaged.
    KeyboardInterrupt
        What was computed is kept; `resume` goes on.
    """
    return run_suite(
        load_suite(suite),
        Path(out),
        workers=workers,
        resume=resume,
        overwrite=overwrite,
        progress=progress,
    )


def run_suite(
    suite: Suite,
    out: Path,
    *,
    workers: int | None = None,
    resume: bool = False,
    overwrite: bool = False,
    progress: Callable[[Progress], None] | None = None,
) -> ValidationResult:
    """As `validate`, for any suite of claims."""
    start = time.perf_counter()
    count = available_cores() if workers is None else workers
    with (
        worker_pool(count) as executor,
        open_folder(out, code=code_version(), resume=resume, overwrite=overwrite) as store,
    ):
        outcomes = Campaign(suite.studies).run(
            store, executor, in_flight=1 if count == 1 else 2 * count, progress=progress
        )
    result = ValidationResult(
        suite=suite.name,
        claims=tuple(_claim_result(outcome, claim) for outcome in outcomes for claim in outcome.claims),
        report=out / "report.html",
        seconds=time.perf_counter() - start,
        environment=_environment(count),
    )
    _write(suite, result, outcomes)
    return result


def code_version() -> str:
    """Version of the code that computes cells: the package's, and a hash of the simulator's source."""
    digest = hashlib.sha256()
    folder = files("hermite_analytics.numeric") / "simulator"
    for entry in sorted(folder.iterdir(), key=lambda entry: entry.name):
        if entry.name.endswith(".py"):
            digest.update(entry.name.encode() + entry.read_bytes())
    return f"{ha.__version__}+{digest.hexdigest()[:12]}"


def _claim_result(outcome: StudyOutcome, claim: ClaimOutcome) -> ClaimResult:
    looks = claim.decision.looks
    fit = looks[-1].fit
    return ClaimResult(
        id=outcome.study.claim_id(claim.claim),
        statement=claim.claim.statement,
        source=claim.claim.source,
        argument=claim.claim.argument,
        observable=claim.claim.observable_text,
        status=claim.decision.status,
        relation=claim.claim.relation,
        theory=claim.theory,
        simulation=fit.intercept,
        stderr=fit.stderr,
        margin=claim.margin,
        numerical_error=claim.numerical_error,
        df=fit.df,
        chi2=fit.chi2,
        inflation=fit.inflation,
        curvature=fit.curvature,
        slope=fit.slope,
        exponents=claim.claim.exponents,
        sizes=outcome.study.sizes,
        seeds=tuple(cell.count for cell in claim.cells),
        looks=tuple(
            LookResult(
                seeds=tuple(seeds * 2**index for seeds in outcome.study.seeds),
                simulation=look.fit.intercept,
                stderr=look.fit.stderr,
                status=look.status,
            )
            for index, look in enumerate(looks)
        ),
        p_pass=claim.decision.p_pass,
        p_fail=claim.decision.p_fail,
        holm_p=claim.holm_p,
        discriminating=claim.discriminating,
        mutants=claim.mutants,
    )


def _environment(workers: int) -> Mapping[str, str]:
    """Versions and machine, without names of host or user."""
    versions = {}
    for package in ("numpy", "scipy", "numba"):
        try:
            versions[package] = version(package)
        except PackageNotFoundError:
            continue
    return {
        "hermite_analytics": code_version(),
        "Python": platform.python_version(),
        **versions,
        "system": f"{platform.system()} {platform.machine()}",
        "workers": str(workers),
    }


def _write(suite: Suite, result: ValidationResult, outcomes: Sequence[StudyOutcome]) -> None:
    folder = result.report.parent
    command = f"hermite-analytics validate {suite.name} --out {shlex.quote(str(folder))} --overwrite"
    try:
        document = json.dumps(result.to_dict(), indent=1, allow_nan=False)
        _replace(folder / "results.json", document + "\n")
        _replace(result.report, render_report(suite.title, result, outcomes, command))
    except OSError as error:
        raise StoreError(f"{folder} cannot be written: {error.strerror or error}") from error


def _replace(path: Path, text: str) -> None:
    """Write a file as a whole or not at all."""
    draft = path.with_name(f".{path.name}.draft")
    draft.write_text(text, encoding="utf-8")
    draft.replace(path)
