"""`simulate small-step`: gradient steps of order 1 on the first layer, then a ridge readout."""

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
)
from hermite_analytics.cli.simulate.features import features_option
from hermite_analytics.cli.values import number_option

__all__ = ["command"]


@click.command("small-step")
@network_options
@run_options
@readout_options
@number_option("eta", "Step size, of order 1.", required=True)
@number_option("alpha0", "n0/d, samples of a step; as many as the readout's by default.")
@integer_option("n0", "Samples of a step, instead of --alpha0.")
@integer_option("steps", "Number of steps; 1 by default.")
@click.option(
    "--batches",
    type=click.Choice(["same", "fresh"]),
    default="same",
    show_default=True,
    help="Whether several steps use one batch or a new one each.",
)
@number_option("eta-power", "a: steps of size eta p^a; 1/2 is the large step.")
@integer_option("gradient-factor", "2 for the gradient of the undivided loss.")
@features_option()
@json_option
@click.pass_context
def command(ctx: click.Context, /, as_json: bool, **options: Any) -> int:
    """Gradient steps on the first layer, then ridge regression on fresh data, without and with them."""
    return run(ctx, "small-step", options, as_json)
