"""`simulate three-layer`: a target of three layers, learned by one, two or three layers."""

from __future__ import annotations

from typing import Any

import click

from hermite_analytics.cli.output import json_option
from hermite_analytics.cli.simulate.common import integer_option, run, run_options
from hermite_analytics.cli.values import NUMBERS, number_option

__all__ = ["command"]


def _listed(ctx: click.Context, param: click.Parameter, value: tuple[float, ...]) -> list[float]:
    """Degrees are one value, not a list of runs."""
    return [int(x) if x == int(x) else x for x in value]


@click.command("three-layer")
@click.option(
    "--degrees",
    type=NUMBERS,
    required=True,
    callback=_listed,
    help="Hermite degrees of the inner polynomial, such as 2,3.",
)
@number_option("epsilon", "The target has d^epsilon inner directions.", required=True)
@number_option("kappa", "log n / log d, samples.")
@integer_option("n", "Samples, instead of --kappa.")
@click.option(
    "--scenario",
    type=click.Choice(["1", "2", "3", "proxy"]),
    required=True,
    help="Kernel ridge regression; two layers; three layers; the spectrum that a first layer sees.",
)
@click.option("--link", default="tanh(3*z)", show_default=True, help="g of y = g(h).")
@run_options
@integer_option("p1", "Neurons of the first layer; by default d^1.98, a 15th of it in scenario 2.")
@integer_option("p2", "Neurons of the second layer; by default 100.")
@integer_option("first-steps", "Gradient steps on the first layer.")
@integer_option("second-steps", "Gradient steps on the second layer.")
@number_option("rate", "Step size, in units of the published one.")
@number_option("ridge", "lambda of sum (y - yhat)^2 + lambda n |a|^2; by default 1.")
@number_option("noise", "Variance of the label noise.")
@json_option
@click.pass_context
def command(ctx: click.Context, /, as_json: bool, **options: Any) -> int:
    """Overlap of the first layer with the target's directions, and the test error."""
    return run(ctx, "three-layer", options, as_json)
