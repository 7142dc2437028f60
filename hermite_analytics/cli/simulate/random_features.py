"""`simulate random-features`: a readout on the features of a first layer that is not trained."""

from __future__ import annotations

from typing import Any

import click

from hermite_analytics.cli.output import json_option
from hermite_analytics.cli.simulate.common import network_options, readout_options, run, run_options
from hermite_analytics.cli.simulate.features import features_option

__all__ = ["command"]


@click.command("random-features")
@network_options
@run_options
@readout_options
@click.option(
    "--loss",
    type=click.Choice(["square", "logistic", "hinge"]),
    default="square",
    show_default=True,
    help="The last two for labels 1 and -1, with the penalty (lambda/2) |a|^2.",
)
@features_option()
@json_option
@click.pass_context
def command(ctx: click.Context, /, as_json: bool, **options: Any) -> int:
    """Features sigma(w.x) with w ~ N(0, I/d), and a readout trained by a convex loss."""
    return run(ctx, "random-features", options, as_json)
