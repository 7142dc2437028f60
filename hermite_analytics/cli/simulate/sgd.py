"""`simulate sgd`: one sample a step, beside `solve sgd-flow`."""

from __future__ import annotations

from typing import Any

import click

from hermite_analytics.cli.output import json_option
from hermite_analytics.cli.simulate.common import network_options, run, run_options
from hermite_analytics.cli.simulate.sgd_common import METHODS, descent_options, parsed_readout
from hermite_analytics.cli.values import NUMBERS, number_option
from hermite_analytics.errors import InputError

__all__ = ["command"]


@click.command("sgd")
@network_options
@run_options
@number_option("rate", "gamma: a sample moves w_j by (gamma/(p d)) F_j x.", required=True)
@click.option("--time", type=NUMBERS, required=True, help="Output times of one run, in samples/d.")
@click.option(
    "--overlap",
    metavar="M[:M2:...][;...]",
    help="Overlap at time 0 with each direction; neurons are separated by semicolons. By default random.",
)
@descent_options(loss="correlation", spherical=True)
@number_option("reuse", "kappa: the gradient is taken after a step kappa/d on the same sample.")
@click.option(
    "--method",
    type=click.Choice(METHODS),
    help="By default sgd, and extra-gradient with --reuse; batch-reuse makes two steps on each sample.",
)
@json_option
@click.pass_context
def command(ctx: click.Context, /, as_json: bool, **options: Any) -> int:
    """Overlaps of p neurons with the directions of a target, under SGD on fresh samples."""
    parsed = {"readout": parsed_readout(options["readout"])}
    if options["overlap"] is not None:
        parsed["overlap"] = _start(options["overlap"])
    return run(ctx, "sgd", options, as_json, parsed=parsed)


def _start(text: str) -> Any:
    """One number; one a direction; or one row a neuron."""
    try:
        rows = [[float(part) for part in row.split(":")] for row in text.split(";")]
    except ValueError:
        raise InputError(
            f"--overlap is {text[:40]!r}; accepted: M, M1:M2 for two directions, M1:M2;M1:M2 for two neurons"
        ) from None
    if len(rows) > 1:
        return rows
    return rows[0][0] if len(rows[0]) == 1 else rows[0]
