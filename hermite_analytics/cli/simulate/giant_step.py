"""`simulate giant-step`: gradient steps on the first layer, then a ridge readout."""

from __future__ import annotations

from typing import Any

import click

from hermite_analytics.cli.output import json_option
from hermite_analytics.cli.simulate.common import (
    integer_option,
    network_options,
    readout_options,
    run,
    run_options,
    simulated_vocabulary,
)
from hermite_analytics.cli.values import number_option
from hermite_analytics.errors import InputError

__all__ = ["command"]

_DIRECTIONS = 'rows of numbers, as "1,1;1,-1"'


@click.command("giant-step")
@network_options
@run_options
@readout_options
@number_option("eta", "Step size over d; by default an effective step of d^((l-1)/2) for n0 >= d^l.")
@number_option("alpha0", "n0/d, samples of a step.")
@integer_option("n0", "Samples of a step, instead of --alpha0; by default those of the readout.")
@click.option(
    "--step-convention",
    type=click.Choice(["paper", "notebook", "mean-field"]),
    default="paper",
    show_default=True,
    help="Effective step eta/beta, eta, or eta/p.",
)
@click.option("--steps", type=click.IntRange(min=1), default=1, show_default=True)
@click.option("--batch", type=click.Choice(["fresh", "reused"]), default="fresh", show_default=True)
@click.option(
    "--init",
    type=click.Choice(["equal", "symmetric"]),
    help="Neurons alike, or in pairs that cancel (the default for several steps).",
)
@click.option("--letters", metavar="W:FRACTION,...", help="Values of the first readout with their fractions.")
@click.option("--bias", metavar="B,...", help="Bias of all neurons, or one a letter.")
@click.option(
    "--bias-from",
    type=click.Choice(["start", "readout"]),
    default="start",
    show_default=True,
    help="Whether the steps know the biases, or the readout alone.",
)
@click.option("--directions", metavar="ROW;ROW", help="Measure overlaps along these, not along the axes.")
@json_option
@click.pass_context
def command(ctx: click.Context, /, as_json: bool, **options: Any) -> int:
    """Gradient steps on the first layer, then (with --n or --alpha) ridge regression of the readout."""
    rows = options.pop("directions")
    parsed = simulated_vocabulary(options["letters"], options.pop("bias"))
    if rows is not None:
        parsed["directions"] = _rows(rows)
    return run(ctx, "giant-step", options, as_json, parsed=parsed)


def _rows(text: str) -> list[list[float]]:
    try:
        return [[float(entry) for entry in row.split(",")] for row in text.split(";")]
    except ValueError:
        raise InputError(f"--directions is {text[:40]!r}; accepted: {_DIRECTIONS}") from None
