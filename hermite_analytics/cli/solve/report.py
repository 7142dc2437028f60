"""What `solve` prints, and its exit status."""

from __future__ import annotations

import click

from hermite_analytics.cli.output import print_json, print_table
from hermite_analytics.cli.solve.found import Found

__all__ = ["report"]

_ANSWERED = ("converged", "infinite", "at_border")  # that a limit is infinite is an answer


def report(found: Found, *, as_json: bool) -> int:
    """Print {"model", "parameters", "results"}, or a table; the exit status."""
    solution = found.solution
    for remark in solution.remarks:
        click.echo(remark, err=True)
    if as_json:
        print_json({"model": solution.model, "parameters": found.echo, "results": found.rows})
    else:
        shown = [{name: x for name, x in row.items() if name != "alternatives"} for row in found.rows]
        print_table(shown, title=f"{solution.model}: {solution.cite()}")
    return 0 if all(row["status"] in _ANSWERED for row in found.rows) else 1
