"""`simulate amp`: approximate message passing, beside `solve state-evolution`."""

from __future__ import annotations

from typing import Any

import click

from hermite_analytics.cli.output import json_option
from hermite_analytics.cli.simulate.common import integer_option, run, run_options
from hermite_analytics.cli.simulate.estimation_options import estimation_options
from hermite_analytics.cli.values import number_option

__all__ = ["command"]


@click.command("amp")
@estimation_options
@run_options
@click.option(
    "--start",
    type=click.Choice(["uninformed", "informed", "spectral"]),
    default="uninformed",
    show_default=True,
    help="A small random estimate, a share of the teacher, or the spectral estimate.",
)
@number_option("start-overlap", "Squared overlap of the start.")
@integer_option("iterations", "At most; 200 by default.")
@number_option("tolerance", "On the change of the estimate; 1e-5 by default.")
@number_option("damping", "Share of the old estimate that is kept; 0 by default.")
@integer_option("damping-steps", "Steps that are damped; all by default.")
@json_option
@click.pass_context
def command(ctx: click.Context, /, as_json: bool, **options: Any) -> int:
    """Bayes-optimal AMP on n = alpha d labels of a teacher."""
    return run(ctx, "amp", options, as_json)
