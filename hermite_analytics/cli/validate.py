"""`hermite-analytics validate [SUITE | FILE.toml] --out DIR`."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from hermite_analytics.cli.output import json_option, print_json, progress_bar

if TYPE_CHECKING:
    from hermite_analytics.validation import ValidationResult
    from hermite_analytics.validation.campaign.results import ClaimResult

__all__ = ["command"]


@click.command("validate")
@click.argument("suite", default="quick", metavar="[SUITE | FILE.toml]")
@click.option("--out", required=True, type=click.Path(file_okay=False), help="Folder of the report.")
@click.option("--workers", type=click.IntRange(min=1), help="Processes; by default one a core.")
@click.option("--scheduler", metavar="ADDRESS", help="Compute on the Dask cluster of this scheduler.")
@click.option("--only", multiple=True, metavar="ID", help="A study or a claim; may be repeated.")
@click.option("--resume", is_flag=True, help="Continue what the folder holds.")
@click.option("--overwrite", is_flag=True, help="Replace our files in the folder.")
@click.option(
    "--report-only", is_flag=True, help="Draw the report of what the folder holds, even during a run."
)
@json_option
def command(
    suite: str,
    out: str,
    workers: int | None,
    scheduler: str | None,
    only: tuple[str, ...],
    resume: bool,
    overwrite: bool,
    report_only: bool,
    as_json: bool,
) -> int:
    """Run the claims of a SUITE (default: quick) or of a file, theory against simulation, and report.

    The folder gets report.html, results.json, junit.xml and the store of all simulated cells.

    Exit status 1 if a claim failed or was inconclusive.
    """
    if report_only:
        result = _draw(suite, out, only, given=(workers, scheduler, resume, overwrite))
    else:
        result = _run(suite, out, workers, scheduler, only, resume, overwrite)
    if as_json:
        document = result.to_dict()
        print_json({name: value for name, value in document.items() if name != "schema_version"})
    else:
        for claim in result.claims:
            click.echo(_line(claim))
        click.echo(f"{result.passed} passed, {result.failed} failed, {result.inconclusive} inconclusive")
        for study, reason in result.stopped.items():
            click.echo(f"stopped      {study}: {reason}")
        if not result.complete:
            click.echo("cells are still missing; --resume computes them")
        click.echo(f"report: {result.report}")
    return 0 if result.failed == result.inconclusive == 0 else 1


def _run(
    suite: str,
    out: str,
    workers: int | None,
    scheduler: str | None,
    only: Sequence[str],
    resume: bool,
    overwrite: bool,
) -> ValidationResult:
    from hermite_analytics.validation import validate

    with progress_bar(f"validating {suite}") as advance:
        return validate(
            suite,
            out=out,
            workers=workers,
            scheduler=scheduler,
            resume=resume,
            overwrite=overwrite,
            only=only,
            progress=lambda state: advance(state.cells, state.planned),
        )


def _draw(suite: str, out: str, only: Sequence[str], *, given: Sequence[object]) -> ValidationResult:
    from hermite_analytics.errors import InputError
    from hermite_analytics.validation import draw_report

    if any(given):
        raise InputError("--report-only computes nothing; give only --out, --only and --json with it")
    return draw_report(suite, out, only=only)


_SIGNS = {"equal": "", "at_least": "at least ", "at_most": "at most "}


def _line(claim: ClaimResult) -> str:
    return (
        f"{claim.status!s:<12} {claim.id}: theory {_SIGNS[claim.relation]}{_number(claim.theory)}, "
        f"simulation {_number(claim.simulation)} ± {_number(claim.stderr)}, margin {_number(claim.margin)}"
    )


def _number(value: float) -> str:
    return f"{value:.5g}" if math.isfinite(value) else "-"
