"""`solve small-step`: spikes and risks of one gradient step of order 1."""

from __future__ import annotations

from typing import Any

import click

from hermite_analytics.cli.output import json_option
from hermite_analytics.cli.solve.common import axes_of, models_of, problem_options, report
from hermite_analytics.cli.values import number_option

__all__ = ["command"]


@click.command("small-step")
@problem_options
@number_option("alpha", "n/d, samples of the step and of the readout.", required=True)
@number_option("beta", "p/d, neurons.", required=True)
@number_option("ridge", "lambda of sum (y - a.phi/sqrt p)^2 + lambda |a|^2.", required=True)
@number_option("eta", "Step size.", required=True)
@number_option("noise", "Variance of the label noise.")
@click.option(
    "--gradient-factor",
    type=click.Choice(["1", "2"]),
    default="1",
    show_default=True,
    help="2 for the gradient of the undivided square loss, which is twice as long.",
)
@json_option
@click.pass_context
def command(ctx: click.Context, /, activation: str, target: str, gradient_factor: str, as_json: bool,
            **lists: Any) -> int:  # fmt: skip
    """Spikes of weights and kernel, and the risk without and with the step; the activation is centred."""
    from hermite_analytics.numeric.small_step.model import SmallStep

    axes = axes_of(ctx, ("alpha", "beta", "ridge", "eta", "noise"), lists)
    model = SmallStep(*models_of(activation, target), gradient_factor=int(gradient_factor))
    solution = model.solve(**axes)
    if solution.scope != "theorem":
        click.echo(f"outside the theorem: {solution.scope}", err=True)
    rows = solution.records()
    given = {"activation": activation, "target": target, "gradient_factor": int(gradient_factor), **lists}
    return report(solution, given, rows if as_json else [_flat(row) for row in rows], as_json)


def _flat(row: dict[str, Any]) -> dict[str, Any]:
    """Columns of a table: the two spikes have the same names."""
    flat: dict[str, Any] = {}
    for name, value in row.items():
        nested = name in ("weights", "kernel")
        flat |= {f"{name} {n}": v for n, v in value.items()} if nested else {name: value}
    return flat
