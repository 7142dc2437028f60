"""`solve giant-step`: the parameters of the features after one step."""

from __future__ import annotations

from typing import Any

import click

from hermite_analytics.cli.output import json_option
from hermite_analytics.cli.solve.common import (
    axes_of,
    convention_option,
    models_of,
    problem_options,
    report,
    step_of,
)
from hermite_analytics.cli.values import number_option

__all__ = ["command"]


@click.command("giant-step")
@problem_options
@number_option("alpha0", "n0/d, samples of the step; inf is accepted.", required=True)
@number_option("eta", "Step size over d.", required=True)
@number_option("beta", "p/d, neurons.", required=True)
@number_option("noise", "Variance of the label noise.")
@convention_option
@json_option
@click.pass_context
def command(ctx: click.Context, /, activation: str, target: str, step_convention: str, as_json: bool,
            **lists: Any) -> int:  # fmt: skip
    """Spike strength r, bulk c and overlap gamma after one gradient step of order d."""
    axes = axes_of(ctx, ("alpha0", "eta", "beta", "noise"), lists)
    step = step_of(*models_of(activation, target), axes, step_convention)
    given = {"activation": activation, "target": target, "step_convention": step_convention, **lists}
    return report(step, given, step.records(), as_json)
