"""What `solve` prints, and its exit status."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import click

from hermite_analytics.cli.files import Files, rows_frame
from hermite_analytics.cli.output import print_json, print_table
from hermite_analytics.cli.solve.found import Found
from hermite_analytics.numeric.models.record import Record
from hermite_analytics.rendering import Column, Drawing, Role

__all__ = ["report"]

_ANSWERED = ("converged", "infinite", "at_border")  # that a limit is infinite is an answer


def report(found: Found, record: Record, files: Files, *, as_json: bool) -> int:
    """Print {"model", "parameters", "results"}, or a table, and write files; the exit status."""
    solution = found.solution
    document = {"model": solution.model, "parameters": found.echo, "results": found.rows}
    for remark in solution.remarks:
        click.echo(remark, err=True)
    if as_json:
        print_json(document)
    else:
        shown = [{name: x for name, x in row.items() if name != "alternatives"} for row in found.rows]
        print_table(shown, title=f"{solution.model}: {solution.cite()}")
    files.write(document, lambda: _drawing(found, record))
    return 0 if all(row["status"] in _ANSWERED for row in found.rows) else 1


def _drawing(found: Found, record: Record) -> Drawing:
    """The rows as the record draws them; of densities their points."""
    rows = [{name: x for name, x in row.items() if name != "alternatives"} for row in found.rows]
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
