"""--csv, --plot and --out: what a command found, as files."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

import click

from hermite_analytics.cli.output import json_text
from hermite_analytics.errors import InputError

if TYPE_CHECKING:
    from hermite_analytics.cli.given import Given
    from hermite_analytics.numeric.models.record import Record
    from hermite_analytics.rendering import Drawing, Frame

__all__ = ["Files", "check_drawn", "file_options", "files_of", "rows_frame", "with_files"]

_OF_TABLES = ("", ".csv", ".txt")
_HELP = {
    "csv": ("FILE.csv", "Also write the results as comma-separated values, a flat line each."),
    "plot": ("FILE.pdf|svg|png", "Also draw the results."),
    "out": ("FILE.json", "Also write the JSON document; of `solve`, NAME.npz: columns in place of results."),
}


def file_options() -> list[click.Option]:
    """The three options."""
    return [
        click.Option([f"--{name}", f"{name}_file"], metavar=metavar, help=text)
        for name, (metavar, text) in _HELP.items()
    ]


def with_files(function: Callable[..., int]) -> Callable[..., int]:
    """The three options, on a command that is a function."""
    for name, (metavar, text) in reversed(_HELP.items()):
        function = click.option(f"--{name}", f"{name}_file", metavar=metavar, help=text)(function)
    return function


@dataclass(frozen=True, slots=True, kw_only=True)
class Files:
    """The files asked for; None for one that is not."""

    csv: str | None = None
    plot: str | None = None
    out: str | None = None

    @property
    def most(self) -> int | None:
        """How many rows are printed: a screen of them where a file has them all."""
        return None if self.csv is None and self.out is None else 20

    @property
    def points(self) -> str | None:
        """The file of columns, where one is asked for."""
        return self.out if self.out is not None and self.out.lower().endswith(".npz") else None

    def check(self, *, columns: bool = False) -> None:
        """Refuse names that cannot be, before the work; whether a command writes files of columns."""
        if self.out is not None:
            _check_ending(self.out, columns)
        if self.points is not None and (self.csv is not None or self.plot is not None):
            raise InputError(
                f"--out {self.out} holds columns, and no results are left for --csv and --plot; accepted: "
                "one of these, or --out FILE.json beside them"
            )
        from hermite_analytics.rendering.files import checked_path, figure_path

        if self.plot is not None:
            figure_path(self.plot)
        for path in (self.csv, self.out):
            if path is not None:
                checked_path(path)
        if self.csv is not None and self.csv == self.out:
            raise InputError(f"--csv and --out are both {self.out[:60]!r}; accepted: a name for each")
        if self.csv is not None and PurePath(self.csv).suffix.lower() not in _OF_TABLES:
            raise InputError(
                f"--csv {self.csv[:60]!r} ends in {PurePath(self.csv).suffix[:20]!r}; accepted: NAME.csv, "
                "NAME.txt, NAME without an ending; the JSON document is written by --out FILE.json"
            )

    def write(self, document: Mapping[str, object], drawing: Callable[[], Drawing], *, quiet: bool) -> None:
        """Write those asked for, and say so unless quiet.

        Raises
        ------
        InputError
            If one cannot be written, or there is nothing to draw.
        """
        if self.out is not None:
            from hermite_analytics.rendering.files import write_text

            write_text(self.out, json_text(document) + "\n")
        if self.csv is not None:
            from hermite_analytics.rendering.dataframe import csv_of
            from hermite_analytics.rendering.files import write_text

            drawn = drawing()
            write_text(self.csv, csv_of(drawn.table or drawn.frame))
        if self.plot is not None:
            from hermite_analytics.rendering.plot import Request, plotted

            plotted(drawing(), Request(), None, self.plot)
        written = [name for name in (self.csv, self.plot, self.out) if name is not None]
        if written and not quiet:
            click.echo(f"written: {', '.join(written)}", err=True)


def _check_ending(out: str, columns: bool) -> None:
    """Refuse an --out whose ending promises what is not written."""
    ending = PurePath(out).suffix.lower()
    if ending in ("", ".json") or (columns and ending == ".npz"):
        return
    of_columns = "NAME.npz (columns), " if columns else ""
    raise InputError(
        f"--out {out[:60]!r} ends in {ending[:20]!r}; accepted: NAME.json (the JSON document), {of_columns}"
        "NAME without an ending (JSON); tables are written by --csv FILE.csv"
    )


def check_drawn(given: Given, files: Files) -> None:
    """Refuse to draw one point, before the work.

    Raises
    ------
    InputError
        If --plot is asked for, no number has several values, and no result is a curve.
    """
    from hermite_analytics.numeric.models.parameter import Kind

    record = given.record
    numbers = [p for p in record.parameters if p.kind in (Kind.NUMBERS, Kind.SIZES, Kind.LIST)]
    many = any(isinstance(x := given[p.name], tuple | list) and len(x) > 1 for p in numbers)
    if files.plot is None or many or _is_curve(given):
        return
    swept = [p.name for p in numbers if given.has(p.name)]
    name = next((n for n in ("alpha", *swept) if n in swept), "")
    remedy = f"several values of a flag, as --{name} 0.5,1,2" if name else "--csv and --out"
    raise InputError(
        f"--plot: nothing to draw of {record.name}: no number has several values; accepted: {remedy}"
    )


def _is_curve(given: Given) -> bool:
    """Whether one result has a curve: by its record, or as one of the flags asks for it."""
    from hermite_analytics.numeric.models.parameter import Kind

    record = given.record
    flags = {p.name for p in record.parameters}
    own = record.opened or record.index or (record.against and record.against not in flags)
    asked = (r.name for r in record.results if r.name in flags and record[r.name].kind is Kind.WORDS)
    return bool(own) or any(given.has(name) for name in asked)


def files_of(ctx: click.Context, *, columns: bool = False) -> Files:
    """The files of a parsed command line, their names looked at; whether the command writes columns."""
    files = Files(**{name: ctx.params[f"{name}_file"] for name in _HELP})
    files.check(columns=columns)
    return files


def rows_frame(
    record: Record, rows: Sequence[Mapping[str, Any]], parameters: Mapping[str, object], *, title: str
) -> Frame:
    """The rows of a document as a frame, with what the record knows of their names."""
    from hermite_analytics.rendering import Frame

    named = {name for row in rows for name in row}
    return Frame(
        title=title,
        rows=tuple(rows),
        columns=record.columns(),
        fixed={name: value for name, value in parameters.items() if name not in named},
        sources=record.sources,
    )
