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
from hermite_analytics.cli.values import number_option
from hermite_analytics.errors import InputError

__all__ = ["command"]

_SPIKE = {"c": 1.0, "gamma": 1.0}


@click.command("bounds")
@problem_options
@number_option("r", "Strength of the spike.")
@number_option("c", "Squared norm of a bulk row; 1 with --optimise-step.")
@number_option("gamma", "Overlap of spike and target; 1 with --optimise-step.")
@number_option("alpha0", "n0/d, samples of the step; inf is accepted.")
@number_option("eta", "Step size over d.")
@number_option("beta", "p/d, neurons.")
@click.option(
    "--optimise-step", is_flag=True, help="Minimise each bound over the strength of the spike, or over --eta."
)
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
    if optimise_step and "r" in axes:
        raise InputError("--optimise-step looks for r: it takes --c and --gamma, or --alpha0 and --beta")
    from_step = step_is_given(axes | of_letters)
    rows: list[dict[str, Any]] = []
    if optimise_step:
        for point in _points(axes):
            # of a step the size is what is looked for: any --eta will do
            step = {"step": _step(model, {"eta": 1.0} | point, step_convention)} if from_step else None
            own = _SPIKE | of_letters | point if step is None else step
            solution = model.solve(optimise_step=True, **own)
            rows += [(point if from_step else {}) | row for row in solution.records()]
    elif from_step:
        solution = model.solve(step=_step(model, axes, step_convention))
        rows = _with_axes(solution.records(), axes)
    else:
        solution = model.solve(**spike_of(axes | of_letters, ("r", "c", "gamma")))
        rows = solution.records()
    return report(solution, given, rows, as_json)


def _step(model: Any, axes: dict[str, Any], convention: str) -> Any:
    return step_of(model.activation, model.target, axes, convention)


def _points(axes: dict[str, Any]) -> list[dict[str, float]]:
    """One mapping a point."""
    count = next((values.size for values in axes.values()), 1)
    return [{name: float(values[j]) for name, values in axes.items()} for j in range(count)]


def _with_axes(rows: list[dict[str, Any]], axes: dict[str, Any]) -> list[dict[str, Any]]:
    return [{n: float(v[j]) for n, v in axes.items()} | row for j, row in enumerate(rows)]
