"""`solve sgd-flow`: overlaps of one-pass SGD in the limit d -> infinity."""

from __future__ import annotations

from typing import Any

import click
import numpy as np

from hermite_analytics.cli.output import json_option
from hermite_analytics.cli.solve.common import axes_of, models_of, report
from hermite_analytics.cli.values import NUMBERS, number_option
from hermite_analytics.errors import InputError

__all__ = ["command"]

_AXES = ("rate", "overlap", "noise", "reuse")


@click.command("sgd-flow")
@click.option("--activation", required=True, help='Activation, such as "tanh(z)".')
@click.option("--target", required=True, help='Target, such as "He3(z1)" or "z1 + z1*z2".')
@number_option("rate", "gamma: a sample moves w by (gamma/d) r sigma'(h) x.", required=True)
@click.option(
    "--overlap",
    required=True,
    metavar="M[:M2:...][,...]",
    help="Overlap at time 0 with each direction of the target, such as 0.2 or 0.1:0.3.",
)
@click.option("--time", type=NUMBERS, required=True, help="Output times of one run, in samples/d.")
@click.option(
    "--loss",
    type=click.Choice(["correlation", "square"]),
    default="correlation",
    show_default=True,
    help="r = y, or r = y - sigma(h).",
)
@number_option("reuse", "kappa: the gradient is taken after a step kappa/d on the same sample.")
@click.option(
    "--method",
    type=click.Choice(["sgd", "extra-gradient", "batch-reuse"]),
    help="By default sgd, and extra-gradient with --reuse; batch-reuse makes two steps on each sample.",
)
@number_option("noise", "Variance of the label noise.")
@json_option
@click.pass_context
def command(
    ctx: click.Context,
    /,
    activation: str,
    target: str,
    overlap: str,
    time: tuple[float, ...],
    loss: str,
    method: str | None,
    as_json: bool,
    **lists: Any,
) -> int:
    """Overlap of one neuron of norm 1 with the directions of a target, at the times."""
    from hermite_analytics.numeric.sgd_flow.model import SGDFlow

    sigma, g = models_of(activation, target)
    starts = _starts(overlap, g.dimension)
    axes = axes_of(ctx, _AXES, {**lists, "overlap": tuple(range(len(starts)))})
    reuses = axes.get("reuse", np.zeros(axes["rate"].size))
    noises = axes.get("noise", np.zeros(axes["rate"].size))
    rows: list[list[dict[str, Any]]] = [[]] * reuses.size
    solution: Any = None
    for reuse in dict.fromkeys(reuses.tolist()):
        chosen = np.flatnonzero(reuses == reuse)
        flow = SGDFlow(sigma, g, loss=loss, reuse=reuse, method=method)
        begin = starts[axes["overlap"][chosen].astype(int)]
        solution = flow.solve(
            rate=axes["rate"][chosen], noise=noises[chosen], overlap=begin, times=list(time)
        )
        records = solution.records()
        for index, j in enumerate(chosen.tolist()):
            block = records[index * len(time) : (index + 1) * len(time)]
            rows[j] = [{"reuse": reuse, "method": flow.method, **row} for row in block]
    given = {"activation": activation, "target": target, "overlap": overlap, "time": time, "loss": loss}
    flat = [row for block in rows for row in block]
    return report(solution, {**given, "method": method, **lists}, flat, as_json)


def _starts(text: str, directions: int) -> Any:
    """One start a row, with an axis of directions if there are several."""
    try:
        rows = [[float(part) for part in entry.split(":")] for entry in text.split(",")]
    except ValueError:
        raise InputError(
            f"--overlap is {text[:40]!r}; accepted: numbers as M,M,... or M1:M2,M1:M2,..."
        ) from None
    if any(len(row) != directions for row in rows):
        each = "M" if directions == 1 else ":".join(f"M{j + 1}" for j in range(min(directions, 4)))
        raise InputError(
            f"--overlap is {text[:40]!r} for a target of {directions} directions; accepted: {each} "
            "for each start"
        )
    starts = np.array(rows)
    return starts[:, 0] if directions == 1 else starts
