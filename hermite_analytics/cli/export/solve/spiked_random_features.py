"""`export solve spiked-random-features`: the curve after a giant step."""

from __future__ import annotations

import click

from hermite_analytics.cli.export.solve.common import default_option, print_file, values_of
from hermite_analytics.cli.output import json_option
from hermite_analytics.cli.solve.common import convention_option, models_of, problem_options

__all__ = ["command"]


@click.command("spiked-random-features")
@problem_options
@default_option("alpha0", "n0/d, samples of the step.")
@default_option("eta", "Step size over d.")
@default_option("r", "Strength of the spike (instead of a step).")
@default_option("c", "Squared norm of a bulk row.")
@default_option("gamma", "Overlap of spike and target.")
@default_option("beta", "p/d, neurons.")
@default_option("ridge", "lambda of sum (y - a.phi/sqrt p)^2 + lambda |a|^2.")
@default_option("noise", "Variance of the label noise; 0 where it is not given.")
@convention_option
@json_option
def command(activation: str, target: str, step_convention: str, as_json: bool, **numbers: str | None) -> int:
    """A file that takes --alpha and what is not given here, for the square loss."""
    from hermite_analytics.numeric.exported.spiked import spiked_file
    from hermite_analytics.numeric.spiked_random_features import SpikedRandomFeatures

    model = SpikedRandomFeatures(*models_of(activation, target))
    text = spiked_file(model, values_of(numbers), step_convention=step_convention)
    given = {"activation": activation, "target": target, "step_convention": step_convention, **numbers}
    return print_file("spiked-random-features", given, text, as_json)
