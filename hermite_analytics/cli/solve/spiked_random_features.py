"""`solve spiked-random-features`: errors and overlaps after the step."""

from __future__ import annotations

from typing import Any

import click

from hermite_analytics.cli.output import json_option, progress_bar
from hermite_analytics.cli.solve.common import (
    axes_of,
    c_of_letters,
    convention_option,
    letters_options,
    models_of,
    problem_options,
    report,
    ridges_of,
    spike_of,
    step_is_given,
    step_of,
    vocabulary_of,
)
from hermite_analytics.cli.values import number_option

__all__ = ["command"]

_RATIOS = ("alpha0", "eta", "r", "c", "gamma", "noise", "beta", "alpha", "ridge")


@click.command("spiked-random-features")
@problem_options
@number_option("alpha", "n/d, samples of the readout.", required=True)
@click.option(
    "--ridge", required=True, metavar="NUMBER[,NUMBER...]|optimal",
    help="lambda of sum (y - a.phi/sqrt p)^2 + lambda |a|^2, or the one of the smallest test error.",
)  # fmt: skip
@number_option("beta", "p/d, neurons.", required=True)
@number_option("alpha0", "n0/d, samples of the step; inf is accepted.")
@number_option("eta", "Step size over d.")
@number_option("r", "Strength of the spike (instead of a step).")
@number_option("c", "Squared norm of a bulk row; with --letters one number, or one a letter.")
@number_option("gamma", "Overlap of spike and target.")
@number_option("noise", "Variance of the label noise.")
@click.option("--loss", default="square", show_default=True, help="square, huber:D, logistic or hinge.")
@letters_options
@convention_option
@json_option
@click.pass_context
def command(ctx: click.Context, /, activation: str, target: str, step_convention: str, letters: str | None,
            bias: str | None, loss: str, ridge: str, as_json: bool, **lists: Any) -> int:  # fmt: skip
    """Test error, training error and overlaps of the readout trained after the step."""
    from hermite_analytics.numeric.spiked_random_features import SpikedRandomFeatures

    given = {"activation": activation, "target": target, "step_convention": step_convention, **lists}
    given |= {"loss": loss, "letters": letters, "bias": bias}
    given["ridge"] = lists["ridge"] = ridge if ridge == "optimal" else ridges_of(ridge)
    model = SpikedRandomFeatures(*models_of(activation, target), loss=loss, **vocabulary_of(letters, bias))
    alone: tuple[str, ...] = ("c",) if letters is not None else ()
    alone += ("ridge",) if ridge == "optimal" else ()
    axes = axes_of(ctx, [name for name in _RATIOS if name not in alone], lists)
    ratios = {"alpha": axes["alpha"], "ridge": ridge if ridge == "optimal" else axes["ridge"]}
    with progress_bar("solving") as progress:
        if step_is_given(axes | ({"c": None} if letters and lists["c"] else {})):
            step = step_of(model.activation, model.target, axes, step_convention)
            solution = model.solve(step=step, progress=progress, **ratios)
        else:
            if letters is not None and lists["c"] is not None:
                axes["c"] = c_of_letters(lists, model.letters)
            spike = spike_of(axes, ("r", "c", "gamma"))
            solution = model.solve(
                beta=axes["beta"], noise=axes.get("noise"), progress=progress, **ratios, **spike
            )
    return report(solution, given, solution.records(), as_json)
