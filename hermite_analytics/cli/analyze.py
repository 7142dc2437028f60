"""`hermite-analytics analyze TARGET`, or `--file targets.txt`."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from hermite_analytics.cli.files import Files, with_files
from hermite_analytics.cli.output import json_option, print_json, progress_bar
from hermite_analytics.cli.values import SECONDS
from hermite_analytics.errors import InputError
from hermite_analytics.executors.ordered import require_one
from hermite_analytics.executors.processes import available_cores

if TYPE_CHECKING:
    from hermite_analytics.activation import Activation
    from hermite_analytics.analysis import Analysis, ParametricAnalysis

__all__ = ["command"]


@click.command("analyze")
@click.argument("target", required=False)
@click.option("--where", help='Conditions on parameters of the target, as in "a > 0, b != 1".')
@click.option("--activation", help="Then also whether a network of this activation learns each step.")
@click.option(
    "--file",
    "path",
    type=click.Path(exists=True, dir_okay=False, allow_dash=True),
    help="Targets, one a line; # starts a comment. Prints one JSON line each.",
)
@click.option("--explain", is_flag=True, help="Print the argument for every answer.")
@click.option("--seconds", type=SECONDS, default=60.0, show_default=True, help="Time for a target.")
@click.option("--workers", type=click.IntRange(min=1), help="Processes of --file; by default one a core.")
@click.option("--scheduler", metavar="ADDRESS", help="Lines of --file on the Dask cluster of this scheduler.")
@with_files
@json_option
def command(
    target: str | None,
    where: str | None,
    activation: str | None,
    path: str | None,
    explain: bool,
    seconds: float,
    workers: int | None,
    scheduler: str | None,
    csv_file: str | None,
    plot_file: str | None,
    out_file: str | None,
    as_json: bool,
) -> int:
    """Everything about a TARGET: moments, exponents, staircases, thresholds, each with its evidence.

    What does not end in its share of the time is undecided, and says so. Of a target with parameters, as
    sin(a*z1) + b*He3(z1), the exponents by cases, each with an exact condition. With --file the exit status
    is 2 if a line cannot be analysed; its JSON line then has an "error".
    """
    from hermite_analytics.activation import Activation
    from hermite_analytics.analysis import analyze

    if (target is None) == (path is None):
        given = "neither" if target is None else "both"
        raise InputError(f"{given} of TARGET and --file is given; one of them is accepted")
    files = Files(csv=csv_file, plot=plot_file, out=out_file)
    files.check()
    sigma = None if activation is None else Activation(activation)
    if target is not None:
        if files != Files():
            raise InputError("--csv, --plot and --out belong to --file; one target is printed")
        with progress_bar("analysing"):  # what is asked of an analysis is found when it is asked for
            show = _printer(analyze(target, where=where, activation=sigma, seconds=seconds), explain, as_json)
        show()
        return 0
    if where is not None:
        raise InputError("--where is for the parameters of one TARGET; lines of --file have none")
    require_one(workers, scheduler)
    places = {"workers": workers or available_cores(), "scheduler": scheduler}
    return _lines(path or "", sigma, seconds, places, files)


def _printer(a: Analysis | ParametricAnalysis, explain: bool, as_json: bool) -> Callable[[], None]:
    """What prints the answers that are asked for, once they are found."""
    from hermite_analytics.analysis import Analysis

    if as_json:
        return partial(print_json, a.to_dict())
    if not explain:
        return partial(_print, a, str(a))
    if not isinstance(a, Analysis):
        raise InputError("--explain is for a target without parameters; put values into it")
    return partial(click.echo, a.explain().text)


def _lines(
    path: str, activation: Activation | None, seconds: float, places: Mapping[str, Any], files: Files
) -> int:
    """One JSON line a target, in their order, each as soon as it is there."""
    from hermite_analytics.analysis.tables import Table, TableRow, rows_of

    targets = _targets(path)
    if files.plot is not None and len(targets) < 2:
        raise InputError(
            f"--plot: nothing to draw of {path[:60]}: it has one target; accepted: several lines"
        )
    found: list[TableRow] = []
    with progress_bar(f"analysing {len(targets)} targets") as advance:
        rows = rows_of(targets, activation=activation, seconds=seconds, **places)
        for done, row in enumerate(rows, 1):
            document = row.to_dict()
            click.echo(json.dumps(document, allow_nan=False))
            found.append(row)
            advance(done, len(targets))
    whole = Table(rows=tuple(found))
    files.write(whole.document(), whole.drawing, quiet=True)
    failed = bool(whole.errors)
    return 2 if failed else 0


def _targets(path: str) -> list[str]:
    """The lines that hold a target."""
    try:
        with click.open_file(path, encoding="utf-8-sig") as file:
            texts = [line.partition("#")[0].strip() for line in file]
    except UnicodeDecodeError:
        raise InputError(f"--file {path[:60]!r} is not a text file; UTF-8 is accepted") from None
    return [text for text in texts if text]


def _print(card: object, plain: str) -> None:
    """The card, with colours in a terminal."""
    from rich.console import Console

    console = Console()
    if console.is_terminal:
        console.print(card)
    else:
        click.echo(plain)
