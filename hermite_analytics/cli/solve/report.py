"""What `solve` prints, and its exit status."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import click

from hermite_analytics.cli.files import Files, rows_frame
from hermite_analytics.cli.output import print_json, print_table
from hermite_analytics.cli.solve.found import Found
from hermite_analytics.cli.solve.sweep import Stored
from hermite_analytics.numeric.models.record import Record
from hermite_analytics.rendering import Column, Drawing, Role
from hermite_analytics.rendering.shown import beside

__all__ = ["report", "report_file"]

_ANSWERED = ("converged", "infinite", "at_border")


def report(found: Found, record: Record, files: Files, *, as_json: bool) -> int:
    """Print {"model", "parameters", "results"}, or a table, and write files; the exit status."""
    solution, rows = found.solution, found.rows()
    document = {"model": solution.model, "parameters": found.echo, "results": rows}
    for remark in solution.remarks:
        click.echo(remark, err=True)
    if as_json:
        print_json(document)
    else:
        values = {name for name, column in record.columns().items() if column.role is Role.VALUE}
        shown = [_readable(row, values) for row in rows]
        print_table(shown, title=f"{solution.model}: {solution.cite()}", most=files.most)
    files.write(document, lambda: _drawing(rows, found, record), quiet=as_json)
    return _exit_status(row["status"] for row in rows)


def _readable(row: Mapping[str, Any], values: Collection[str]) -> dict[str, object]:
    """A row for people: values that are no larger than the row's error stand with it."""
    error = row.get("numerical_error")
    within = error if isinstance(error, float) else 0.0
    return {
        name: beside(x, within) if name in values else x for name, x in row.items() if name != "alternatives"
    }


def report_file(stored: Stored, *, as_json: bool) -> int:
    """Print what stands in a file of columns, and how its points ended; the exit status."""
    document = {
        "model": stored.said.model,
        "parameters": stored.echo,
        "file": stored.path,
        "points": sum(stored.statuses.values()),
        "axes": stored.shape,
        "statuses": stored.statuses,
    }
    for remark in stored.said.remarks:
        click.echo(remark, err=True)
    if as_json:
        print_json(document)
    else:
        rows = [{"status": status, "points": count} for status, count in stored.statuses.items()]
        print_table(rows, title=f"{stored.said.model}: {stored.path}; {stored.said.cite()}")
    return _exit_status(stored.statuses)


def _exit_status(statuses: Iterable[str]) -> int:
    """0 where all points have an answer; that a limit is infinite is one."""
    return 0 if all(status in _ANSWERED for status in statuses) else 1


def _drawing(found_rows: Sequence[Mapping[str, Any]], found: Found, record: Record) -> Drawing:
    """The rows as the record draws them; of densities their points."""
    rows = [{name: x for name, x in row.items() if name != "alternatives"} for row in found_rows]
    frame = rows_frame(record, rows, found.echo, title=found.solution.model)
    if rows and "density" in rows[0]:
        points = [
            {**_without_density(row), "eigenvalue": x, "density": y}
            for row in rows
            for x, y in row["density"]
        ]
        known = {**frame.columns, "eigenvalue": Column(name="eigenvalue", role=Role.PARAMETER)}
        dense = replace(frame, rows=tuple(points), columns=known)
        return Drawing(frame=dense, values=("density",), against="eigenvalue")
    return record.drawing(frame)


def _without_density(row: Mapping[str, object]) -> dict[str, object]:
    return {name: x for name, x in row.items() if name not in ("density", "outliers", "growing")}
