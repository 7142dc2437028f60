"""`export solve state-evolution`: the overlap of Bayes-AMP."""

from __future__ import annotations

import click

from hermite_analytics.cli.export.solve.common import print_file
from hermite_analytics.cli.output import json_option

__all__ = ["command"]


@click.command("state-evolution")
@click.option("--target", required=True, help='Label of one coordinate without noise, such as "z1**2".')
@json_option
def command(target: str, as_json: bool) -> int:
    """A file that takes --alpha; the law of the label stands in it as a table."""
    from hermite_analytics.numeric.bayes.state_evolution.model import StateEvolution
    from hermite_analytics.numeric.exported.state_evolution import state_evolution_file

    text = state_evolution_file(StateEvolution(target))
    return print_file("state-evolution", {"target": target}, text, as_json)
