"""`simulate spiked-random-features`: ridge regression on features with a given spike."""

from __future__ import annotations

from typing import Any

import click

from hermite_analytics.cli.output import json_option
from hermite_analytics.cli.simulate.common import (
    network_options,
    readout_options,
    run,
    run_options,
    simulated_vocabulary,
)
from hermite_analytics.cli.values import number_option

__all__ = ["command"]


@click.command("spiked-random-features")
@network_options
@run_options
@readout_options
@number_option("r", "Strength of the spike.", required=True)
@number_option("c", "Squared norm of a bulk row.", required=True)
@number_option("gamma", "Overlap of spike and target.", required=True)
@click.option("--letters", metavar="W:FRACTION,...", help="Values omega of the neurons with their fractions.")
@click.option("--bias", metavar="B,...", help="Bias of all neurons, or one a letter.")
@json_option
@click.pass_context
def command(ctx: click.Context, /, as_json: bool, **options: Any) -> int:
    """Ridge regression on features sigma(w_k.x + r omega_k v.x + b_k)."""
    parsed = simulated_vocabulary(options["letters"], options.pop("bias"))
    return run(ctx, "spiked-random-features", options, as_json, parsed=parsed)
