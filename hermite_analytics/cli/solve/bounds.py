"""`solve bounds`: upper and lower bound of the test error."""

from __future__ import annotations

from typing import Any

import click

from hermite_analytics.cli.output import json_option
from hermite_analytics.cli.solve.common import (
    axes_of,
    c_of_letters,
    convention_option,
    letters_options,
    models_of,
    problem_options,
    report,
    spike_of,
    step_is_given,
    step_of,
    vocabulary_of,
)
from hermite_analytics.cli.values import grid, in_given_order, number_option
from hermite_analytics.errors import InputError

__all__ = ["command"]


@click.command("bounds")
@problem_options
@number_option("r", "Strength of the spike.")
@number_option("c", "Squared norm of a bulk row; 1 with --optimise-step.")
@number_option("gamma", "Overlap of spike and target; 1 with --optimise-step.")
@number_option("alpha0", "n0/d, samples of the step; inf is accepted.")
@number_option("eta", "Step size over d.")
@number_option("beta", "p/d, neurons.")
@click.option("--optimise-step", is_flag=True, help="Minimise each bound over the strength of the spike.")
@letters_options
@convention_option
@json_option
@click.pass_context
def command(ctx: click.Context, /, activation: str, target: str, step_convention: str, optimise_step: bool,
            letters: str | None, bias: str | None, as_json: bool, **lists: Any) -> int:  # fmt: skip
    """Upper and lower bound of the test error over ridge and sample ratios."""
    from hermite_analytics.numeric.bounds import Bounds

    model = Bounds(*models_of(activation, target), **vocabulary_of(letters, bias))
    alone = () if letters is None else ("c",)
    axes = axes_of(ctx, [n for n in ("alpha0", "eta", "beta", "r", "c", "gamma") if n not in alone], lists)
    of_letters = {} if letters is None or lists["c"] is None else {"c": c_of_letters(lists, model.letters)}
    given = {"activation": activation, "target": target, "step_convention": step_convention, **lists}
    given |= {"letters": letters, "bias": bias}
    rows: list[dict[str, Any]] = []
    if optimise_step:
        refused = [f"--{n}" for n in ("r", "alpha0", "eta", "beta") if n in axes]
        if refused:
            raise InputError(f"--optimise-step looks for r: it takes --c and --gamma, not {refused[0]}")
        for point in grid([n for n in in_given_order(ctx, ("c", "gamma")) if n not in alone], lists):
            solution = model.solve(optimise_step=True, **({"c": 1.0, "gamma": 1.0} | of_letters | point))
            rows += solution.records()
    elif step_is_given(axes | of_letters):
        step = step_of(model.activation, model.target, axes, step_convention)
        solution = model.solve(step=step)
        rows = _with_axes(solution.records(), axes)
    else:
        solution = model.solve(**spike_of(axes | of_letters, ("r", "c", "gamma")))
        rows = solution.records()
    return report(solution, given, rows, as_json)


def _with_axes(rows: list[dict[str, Any]], axes: dict[str, Any]) -> list[dict[str, Any]]:
    return [{n: float(v[j]) for n, v in axes.items()} | row for j, row in enumerate(rows)]
