"""`solve three-layer`: exponents of learning a target of three layers."""

from __future__ import annotations

from typing import Any

import click

from hermite_analytics.cli.output import json_option
from hermite_analytics.cli.solve.common import report
from hermite_analytics.cli.values import NUMBERS, number_option

__all__ = ["command"]


@click.command("three-layer")
@click.option("--degrees", type=NUMBERS, required=True, help="Hermite degrees of the inner polynomial.")
@number_option("epsilon", "The target has d^epsilon inner directions.", required=True)
@json_option
def command(degrees: tuple[float, ...], epsilon: tuple[float, ...], as_json: bool) -> int:
    """Exponents of n = d^kappa in the three scenarios: which layers are trained before the readout."""
    from hermite_analytics.numeric.three_layer import ThreeLayer

    solutions = [ThreeLayer(degrees, value).solve() for value in epsilon]
    rows: list[dict[str, Any]] = [row for solution in solutions for row in solution.records()]
    inner = list(solutions[0].degrees)
    return report(solutions[0], {"degrees": inner, "epsilon": epsilon}, rows, as_json)
