"""`hermite-analytics solve MODEL ...`: one grid of results."""

from __future__ import annotations

from typing import Any

import click
import numpy as np

from hermite_analytics.cli.output import json_option, print_json, print_table
from hermite_analytics.cli.values import F, grid, in_given_order, number_option
from hermite_analytics.errors import InputError

__all__ = ["command"]

_CONVERGED = "converged"


@click.group("solve")
def command() -> None:
    """Solve a model in the limit d -> infinity. Comma lists give all combinations, the last flag fastest."""


def _problem(function: F) -> F:
    function = click.option("--target", required=True, help='Target of one direction, such as "sin(z1)".')(
        function
    )
    return click.option("--activation", required=True, help='Activation, such as "tanh(z)".')(function)


_convention = click.option(
    "--step-convention",
    type=click.Choice(["paper", "notebook"]),
    default="paper",
    show_default=True,
    help="Effective step eta/beta, or eta.",
)


def _axes(ctx: click.Context, names: tuple[str, ...], lists: dict[str, Any]) -> dict[str, Any]:
    """One flat array a parameter, over all combinations."""
    points = grid(in_given_order(ctx, names), lists)
    return {n: np.array([p[n] for p in points]) for n in points[0]} if points and points[0] else {}


def _models(activation: str, target: str) -> tuple[Any, Any]:
    from hermite_analytics.activation import Activation
    from hermite_analytics.target import Target

    return Activation(activation), Target(target)


def _report(
    ctx: click.Context, solution: Any, given: dict[str, Any], rows: list[dict[str, Any]], as_json: bool
) -> int:
    parameters = {name: _unlisted(value) for name, value in given.items() if value is not None}
    if as_json:
        print_json({"model": solution.model, "parameters": parameters, "results": rows})
    else:
        print_table(rows, title=f"{solution.model}: {solution.cite()}")
    return 0 if all(row["status"] == _CONVERGED for row in rows) else 1


def _unlisted(value: Any) -> Any:
    """A comma list of one number is that number."""
    if isinstance(value, tuple):
        return value[0] if len(value) == 1 else list(value)
    return value


def _step(activation: Any, target: Any, axes: dict[str, Any], convention: str) -> Any:
    from hermite_analytics.numeric.giant_step import GiantStep

    missing = [f"--{n}" for n in ("alpha0", "eta", "beta") if n not in axes]
    if missing:
        raise InputError(f"{', '.join(missing)} not given; a giant step needs --alpha0 --eta --beta")
    return GiantStep(activation, target).solve(
        alpha0=axes["alpha0"],
        eta=axes["eta"],
        beta=axes["beta"],
        noise=axes.get("noise", 0.0),
        step_convention=convention,
    )


def _spike(axes: dict[str, Any], required: tuple[str, ...]) -> dict[str, Any]:
    missing = [f"--{n}" for n in required if n not in axes]
    if missing:
        raise InputError(
            f"{', '.join(missing)} not given; give --r --c --gamma, or --alpha0 --eta --beta for a giant step"
        )
    return {n: axes[n] for n in ("r", "c", "gamma") if n in axes}


def _one_of_two(axes: dict[str, Any]) -> bool:
    """Whether the spike comes from a giant step; giving both is refused."""
    from_step = [n for n in ("alpha0", "eta") if n in axes]
    spike = [n for n in ("r", "c", "gamma") if n in axes]
    if from_step and spike:
        raise InputError(f"--{from_step[0]} and --{spike[0]} exclude each other: give the step or the spike")
    return bool(from_step)


@command.command("giant-step", short_help="(alpha0, eta, beta) to (r, c, gamma).")
@_problem
@number_option("alpha0", "n0/d, samples of the step; inf is accepted.", required=True)
@number_option("eta", "Step size over d.", required=True)
@number_option("beta", "p/d, neurons.", required=True)
@number_option("noise", "Variance of the label noise.")
@_convention
@json_option
@click.pass_context
def giant_step(ctx: click.Context, /, activation: str, target: str, step_convention: str, as_json: bool,
               **lists: Any) -> int:  # fmt: skip
    """Spike strength r, bulk c and overlap gamma after one gradient step of order d."""
    axes = _axes(ctx, ("alpha0", "eta", "beta", "noise"), lists)
    step = _step(*_models(activation, target), axes, step_convention)
    given = {"activation": activation, "target": target, "step_convention": step_convention, **lists}
    return _report(ctx, step, given, step.records(), as_json)


@command.command("spiked-random-features", short_help="Errors and overlaps after the step.")
@_problem
@number_option("alpha", "n/d, samples of the readout.", required=True)
@number_option("ridge", "lambda of sum (y - a.phi/sqrt p)^2 + lambda |a|^2.", required=True)
@number_option("beta", "p/d, neurons.", required=True)
@number_option("alpha0", "n0/d, samples of the step; inf is accepted.")
@number_option("eta", "Step size over d.")
@number_option("r", "Strength of the spike (instead of a step).")
@number_option("c", "Squared norm of a bulk row.")
@number_option("gamma", "Overlap of spike and target.")
@number_option("noise", "Variance of the label noise.")
@_convention
@json_option
@click.pass_context
def spiked_random_features(ctx: click.Context, /, activation: str, target: str, step_convention: str,
                           as_json: bool, **lists: Any) -> int:  # fmt: skip
    """Test error, training error and overlaps of ridge regression after the step."""
    from hermite_analytics.numeric.spiked_random_features import SpikedRandomFeatures

    names = ("alpha0", "eta", "r", "c", "gamma", "noise", "beta", "alpha", "ridge")
    axes = _axes(ctx, names, lists)
    model = SpikedRandomFeatures(*_models(activation, target))
    if _one_of_two(axes):
        step = _step(model.activation, model.target, axes, step_convention)
        solution = model.solve(step=step, alpha=axes["alpha"], ridge=axes["ridge"])
    else:
        spike = _spike(axes, ("r", "c", "gamma"))
        solution = model.solve(
            alpha=axes["alpha"], ridge=axes["ridge"], beta=axes["beta"], noise=axes.get("noise"), **spike
        )
    given = {"activation": activation, "target": target, "step_convention": step_convention, **lists}
    return _report(ctx, solution, given, solution.records(), as_json)


@command.command("bounds", short_help="Bounds on the test error.")
@_problem
@number_option("r", "Strength of the spike.")
@number_option("c", "Squared norm of a bulk row; 1 with --optimise-step.")
@number_option("gamma", "Overlap of spike and target; 1 with --optimise-step.")
@number_option("alpha0", "n0/d, samples of the step; inf is accepted.")
@number_option("eta", "Step size over d.")
@number_option("beta", "p/d, neurons.")
@click.option("--optimise-step", is_flag=True, help="Minimise each bound over the strength of the spike.")
@_convention
@json_option
@click.pass_context
def bounds(ctx: click.Context, /, activation: str, target: str, step_convention: str, optimise_step: bool,
           as_json: bool, **lists: Any) -> int:  # fmt: skip
    """Upper and lower bound of the test error over ridge and sample ratios."""
    from hermite_analytics.numeric.bounds import Bounds

    axes = _axes(ctx, ("alpha0", "eta", "beta", "r", "c", "gamma"), lists)
    model = Bounds(*_models(activation, target))
    given = {"activation": activation, "target": target, "step_convention": step_convention, **lists}
    rows: list[dict[str, Any]] = []
    if optimise_step:
        refused = [f"--{n}" for n in ("r", "alpha0", "eta", "beta") if n in axes]
        if refused:
            raise InputError(f"--optimise-step looks for r: it takes --c and --gamma, not {refused[0]}")
        for point in grid(in_given_order(ctx, ("c", "gamma")), lists):
            solution = model.solve(optimise_step=True, c=point.get("c", 1.0), gamma=point.get("gamma", 1.0))
            rows += solution.records()
    elif _one_of_two(axes):
        step = _step(model.activation, model.target, axes, step_convention)
        solution = model.solve(step=step)
        rows = _with_axes(solution.records(), axes)
    else:
        solution = model.solve(**_spike(axes, ("r", "c", "gamma")))
        rows = solution.records()
    return _report(ctx, solution, given, rows, as_json)


def _with_axes(rows: list[dict[str, Any]], axes: dict[str, Any]) -> list[dict[str, Any]]:
    return [{n: float(v[j]) for n, v in axes.items()} | row for j, row in enumerate(rows)]
