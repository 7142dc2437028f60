"""`solve large-step`: tau* of one gradient step of order sqrt(p)."""

from __future__ import annotations

import click

from hermite_analytics.cli.output import json_option
from hermite_analytics.cli.solve.common import models_of, problem_options, report

__all__ = ["command"]


@click.command("large-step")
@problem_options
@json_option
def command(activation: str, target: str, as_json: bool) -> int:
    """tau*, the scale that attains it, and the bounds on the risk that follow."""
    from hermite_analytics.numeric.small_step.large_step import LargeStep

    solution = LargeStep(*models_of(activation, target)).solve()
    return report(solution, {"activation": activation, "target": target}, solution.records(), as_json)
