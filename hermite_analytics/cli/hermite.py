"""`hermite-analytics hermite TARGET --degree K`."""

from __future__ import annotations

import click

from hermite_analytics.cli.output import json_option, print_json
from hermite_analytics.cli.values import SECONDS

__all__ = ["command"]


@click.command("hermite")
@click.argument("target")
@click.option("--degree", type=int, default=4, show_default=True, help="Largest degree |S|.")
@click.option("--seconds", type=SECONDS, default=30.0, show_default=True, help="Time allowed.")
@json_option
def command(target: str, degree: int, seconds: float, as_json: bool) -> int:
    """Hermite coefficients c_S = E[He_S(z) f(z)] of a TARGET, |S| <= degree, zeros left out.

    Each is exact, or proved by an enclosure or a verified symmetry. Exit status 1 if one is not.
    """
    from hermite_analytics.evidence import Evidence
    from hermite_analytics.expansion import hermite
    from hermite_analytics.target import Target

    expansion = hermite(Target(target), degree, seconds=seconds)
    if as_json:
        print_json(expansion.to_dict())
    else:
        click.echo(str(expansion))
    weak = (Evidence.ESTIMATED, Evidence.UNDECIDED)
    return int(any(q.evidence in weak for q in expansion.values()))
