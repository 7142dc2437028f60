"""`hermite-analytics second-layer TARGET`."""

from __future__ import annotations

import click

from hermite_analytics.cli.output import json_option, print_json
from hermite_analytics.cli.values import SECONDS
from hermite_analytics.errors import InputError

__all__ = ["command"]


@click.command("second-layer")
@click.argument("target")
@click.option("--samples-power", required=True, help="k1 in n ~ d^k1 samples, a number >= 0.")
@click.option("--width-power", required=True, help="k2 in p ~ d^k2 neurons, a number >= 0; 0 for p ~ 1.")
@click.option(
    "--learned",
    help='Rows of what the first layer learned, such as "1,0,0;0,1,0", or "none"; by default one step.',
)
@click.option("--seconds", type=SECONDS, default=30.0, show_default=True, help="Time allowed.")
@json_option
def command(
    target: str, samples_power: str, width_power: str, learned: str | None, seconds: float, as_json: bool
) -> int:
    """The part of a TARGET that the second layer fits, and the error that is left, d -> infinity.

    Exit status 1 if the error is not exact or proved.
    """
    from hermite_analytics.evidence import Evidence
    from hermite_analytics.learning.second_layer_fit import second_layer

    found = second_layer(target, samples_power, width_power, _rows(learned), seconds=seconds)
    if as_json:
        print_json(found.to_dict())
    else:
        click.echo(str(found))
    return int(found.error.evidence in (Evidence.ESTIMATED, Evidence.UNDECIDED))


def _rows(text: str | None) -> list[list[str]] | None:
    if text is None:
        return None
    if text.strip().lower() == "none":
        return []
    rows = [[entry.strip() for entry in row.split(",")] for row in text.split(";")]
    if not all(all(row) for row in rows):
        raise InputError(f'--learned is {text[:40]!r}; accepted: rows such as "1,0,0;0,1,0", or none')
    return rows
