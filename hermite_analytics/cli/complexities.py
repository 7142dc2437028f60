"""`hermite-analytics complexities TARGET`."""

from __future__ import annotations

import click

from hermite_analytics.cli.output import json_option, print_json
from hermite_analytics.cli.values import SECONDS

__all__ = ["command"]


@click.command("complexities")
@click.argument("target")
@click.option("--seconds", type=SECONDS, default=60.0, show_default=True, help="Time allowed.")
@json_option
def command(target: str, seconds: float, as_json: bool) -> int:
    """How many samples each class of algorithms needs to learn a TARGET.

    Exit status 1 if one of the exponents is not decided.
    """
    from hermite_analytics.evidence import Evidence
    from hermite_analytics.learning.requirements import complexities

    table = complexities(target, seconds=seconds)
    if as_json:
        print_json(table.to_dict())
    else:
        click.echo(str(table))
    return int(any(row.exponent.evidence is Evidence.UNDECIDED for row in table))
