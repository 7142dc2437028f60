"""`export solve random-features`: ridge regression on random features."""

from __future__ import annotations

import click

from hermite_analytics.cli.export.solve.common import default_option, print_file, values_of
from hermite_analytics.cli.output import json_option
from hermite_analytics.cli.solve.common import models_of, problem_options

__all__ = ["command"]


@click.command("random-features")
@problem_options
@default_option("beta", "p/d, neurons.")
@default_option("ridge", "lambda of sum (y - a.phi/sqrt p)^2 + lambda |a|^2.")
@default_option("noise", "Variance of the label noise; 0 where it is not given.")
@click.option("--degree", type=int, default=1, show_default=True, help="k of n, p ~ d^k.")
@json_option
def command(activation: str, target: str, degree: int, as_json: bool, **numbers: str | None) -> int:
    """A file that takes --alpha and what is not given here, for the square loss."""
    from hermite_analytics.numeric.exported.random_features import random_features_file
    from hermite_analytics.numeric.random_features.model import RandomFeatures

    model = RandomFeatures(*models_of(activation, target), degree=degree)
    text = random_features_file(model, values_of(numbers))
    given = {"activation": activation, "target": target, "degree": degree, **numbers}
    return print_file("random-features", given, text, as_json)
