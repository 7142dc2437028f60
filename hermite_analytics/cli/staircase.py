"""`hermite-analytics staircase TARGET`."""

from __future__ import annotations

import click

from hermite_analytics.cli.output import json_option, print_json
from hermite_analytics.cli.values import SECONDS

__all__ = ["command"]


@click.command("staircase")
@click.argument("target")
@click.option("--seconds", type=SECONDS, default=60.0, show_default=True, help="Time allowed.")
@json_option
def command(target: str, seconds: float, as_json: bool) -> int:
    """Leaps and staircases of a TARGET: what is learned in which order, what unlocks each step, why it ends.

    Drawn as ladders, or with --json the fields of analyze from leap_complexity to grand_staircase.
    """
    from hermite_analytics.analysis import Analysis
    from hermite_analytics.analysis.documents import exponent_of, staircase_document

    a = Analysis(target, seconds=seconds)
    if as_json:
        print_json(staircase_document(a))
        return 0
    click.echo(a.ladder())
    for name in ("leap_complexity", "isotropic_leap", "generative_exponent"):
        e = exponent_of(a, name)
        click.echo(f"{name.replace('_', ' ')}: {e}  [{e.evidence}]")
    return 0
