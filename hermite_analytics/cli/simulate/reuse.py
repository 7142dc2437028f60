"""`simulate reuse`: gradient descent that sees a sample more than once."""

from __future__ import annotations

from typing import Any

import click

from hermite_analytics.cli.output import json_option
from hermite_analytics.cli.simulate.common import integer_option, network_options, run, run_options
from hermite_analytics.cli.simulate.sgd_common import METHODS, descent_options, parsed_readout
from hermite_analytics.cli.values import NUMBERS, number_option

__all__ = ["command"]


@click.command("reuse")
@network_options
@run_options
@number_option(
    "rate", "gamma: a batch moves w_j by (gamma/(p d)) sum F_j x. By default 0.01 p, with batches 0.2 p."
)
@click.option(
    "--time",
    type=NUMBERS,
    help="Output times of one run, in fresh samples/d. By default 50, with batches the time of one.",
)
@descent_options(loss="square", spherical=False)
@number_option(
    "reuse", "K: each batch is used K times (an integer >= 2); or the look-ahead kappa, by default 0.1."
)
@click.option(
    "--method",
    type=click.Choice(METHODS),
    help="By default batch-reuse with an integer --reuse >= 2, extra-gradient otherwise.",
)
@number_option("alpha", "n/d, samples of a batch.")
@integer_option("n", "Samples of a batch, instead of --alpha; by default 1.")
@click.option(
    "--init",
    type=click.Choice(["zero", "random", "first-direction"]),
    default="zero",
    show_default=True,
    help="Parts of the initial weights along the target: none, of norm 1/sqrt d, or w*_1 itself.",
)
@json_option
@click.pass_context
def command(ctx: click.Context, /, as_json: bool, **options: Any) -> int:
    """Overlaps when samples are used again: extra-gradient steps, repeated batches, full batches."""
    return run(ctx, "reuse", options, as_json, parsed={"readout": parsed_readout(options["readout"])})
