"""`solve random-features`: empirical risk minimisation on random features."""

from __future__ import annotations

from typing import Any

import click

from hermite_analytics.cli.output import json_option
from hermite_analytics.cli.solve.common import axes_of, models_of, problem_options, report
from hermite_analytics.cli.values import number_option

__all__ = ["command"]


@click.command("random-features")
@problem_options
@number_option("alpha", "n/d, samples.", required=True)
@number_option("beta", "p/d, neurons.", required=True)
@number_option("ridge", "lambda of sum (y - a.phi/sqrt p)^2 + lambda |a|^2.", required=True)
@number_option("noise", "Variance of the label noise.")
@click.option(
    "--loss",
    default="square",
    show_default=True,
    help='square, huber:D, logistic, hinge, or a convex function of y and x such as "log(cosh(y - x))".',
)
@click.option(
    "--degree",
    type=int,
    default=1,
    show_default=True,
    help="k of n, p ~ d^k; alpha and beta are then over the number of harmonics of degree k.",
)
@json_option
@click.pass_context
def command(ctx: click.Context, /, activation: str, target: str, loss: str, degree: int, as_json: bool,
            **lists: Any) -> int:  # fmt: skip
    """Test error, training error and overlaps of a readout of random features."""
    from hermite_analytics.numeric.losses import Loss
    from hermite_analytics.numeric.random_features.model import RandomFeatures

    axes = axes_of(ctx, ("alpha", "beta", "ridge", "noise"), lists)
    model = RandomFeatures(*models_of(activation, target), loss=Loss(loss), degree=degree)
    solution = model.solve(**axes)
    rows = solution.records()
    given = {"activation": activation, "target": target, "loss": loss, "degree": degree, **lists}
    return report(solution, given, rows, as_json)
