"""`hermite-analytics validate [SUITE] --out DIR`."""

from __future__ import annotations

from typing import Any

import click

from hermite_analytics.cli.output import json_option, print_json, progress_bar

__all__ = ["command"]


@click.command("validate")
@click.argument("suite", default="quick")
@click.option("--out", required=True, type=click.Path(file_okay=False), help="Folder of the report.")
@click.option("--workers", type=click.IntRange(min=1), help="Processes; by default one a core.")
@click.option("--resume", is_flag=True, help="Continue what the folder holds.")
@click.option("--overwrite", is_flag=True, help="Replace our files in the folder.")
@json_option
def command(suite: str, out: str, workers: int | None, resume: bool, overwrite: bool, as_json: bool) -> int:
    """Run the claims of a SUITE (default: quick), theory against simulation, and write a report.

    The folder gets report.html, results.json and the store of all simulated cells.

    Exit status 1 if a claim failed or was inconclusive.
    """
    from hermite_analytics.validation import validate

    with progress_bar(f"validating {suite}") as advance:
        result = validate(
            suite,
            out=out,
            workers=workers,
            resume=resume,
            overwrite=overwrite,
            progress=lambda state: advance(state.cells, state.planned),
        )
    document = result.to_dict()
    if as_json:
        print_json({name: value for name, value in document.items() if name != "schema_version"})
    else:
        for claim in document["claims"]:
            click.echo(_line(claim))
        click.echo(f"{result.passed} passed, {result.failed} failed, {result.inconclusive} inconclusive")
        click.echo(f"report: {result.report}")
    return 0 if result.failed == result.inconclusive == 0 else 1


_SIGNS = {"equal": "", "at_least": "at least ", "at_most": "at most "}


def _line(claim: dict[str, Any]) -> str:
    def number(name: str) -> str:
        value = claim[name]
        return "-" if value is None else f"{value:.5g}"

    return (
        f"{claim['status']:<12} {claim['id']}: theory {_SIGNS[claim['relation']]}{number('theory')}, "
        f"simulation {number('simulation')} ± {number('stderr')}, margin {number('margin')}"
    )
