"""`solve state-evolution`: overlaps and errors of Bayes-AMP in the limit of many dimensions."""

from __future__ import annotations

import click

from hermite_analytics.cli.output import json_option
from hermite_analytics.cli.solve.common import report
from hermite_analytics.cli.values import number_option

__all__ = ["command"]


@click.command("state-evolution")
@click.option("--target", required=True, help='Target, label noise xi included, such as "z1**2".')
@number_option("alpha", "n/d.", required=True)
@click.option(
    "--start",
    type=click.Choice(["uninformed", "informed"]),
    default="uninformed",
    show_default=True,
    help="From a small overlap, or from a complete one.",
)
@json_option
def command(as_json: bool, target: str, alpha: tuple[float, ...], start: str) -> int:
    """Overlap matrix and test error of the posterior mean."""
    from hermite_analytics.numeric.bayes.state_evolution.model import StateEvolution

    solution = StateEvolution(target).solve(alpha=list(alpha), start=start)
    given = {"target": target, "alpha": alpha, "start": start}
    return report(solution, given, solution.records(), as_json)
