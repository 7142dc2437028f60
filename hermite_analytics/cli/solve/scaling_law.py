"""`solve scaling-law`: exponents of ridge regression under capacity and source conditions."""

from __future__ import annotations

from typing import Any

import click

from hermite_analytics.cli.output import json_option
from hermite_analytics.cli.solve.common import report
from hermite_analytics.cli.values import grid, in_given_order, number_option
from hermite_analytics.errors import InputError

__all__ = ["command"]

_LAW = ("capacity", "source")
_EXPONENTS = ("ridge_exponent", "features_exponent")


@click.command("scaling-law")
@number_option("capacity", "alpha > 1 of the eigenvalues k^-alpha.", required=True)
@number_option("source", "r > 0 of the coefficients k^(-alpha r - 1/2).", required=True)
@number_option("ridge-exponent", "l of the ridge n^(1-l); inf is accepted.")
@number_option("features-exponent", "q of p = n^q; inf is kernel ridge regression.")
@click.option("--optimal", is_flag=True, help="The best exponent, its ridge and its fewest features.")
@json_option
@click.pass_context
def command(ctx: click.Context, /, optimal: bool, as_json: bool, **lists: Any) -> int:
    """Exponents of bias, variance and test error, at a point or at the optimum."""
    from hermite_analytics.numeric.deterministic_equivalent.scaling_law import ScalingLaw

    unknown = [_flag(name) for name in _LAW if lists[name] is None]
    if unknown:
        raise InputError(f"{', '.join(unknown)} not given; the law needs --capacity and --source")
    given = [name for name in _EXPONENTS if lists[name] is not None]
    if optimal and given:
        raise InputError(f"--optimal finds {_flag(given[0])}: give one of them")
    missing = [_flag(name) for name in _EXPONENTS if name not in given]
    if missing and not optimal:
        raise InputError(f"{', '.join(missing)} not given; give both exponents, or --optimal")
    rows: list[dict[str, Any]] = []
    solution: Any = None
    for point in grid(in_given_order(ctx, (*_LAW, *_EXPONENTS)), lists):
        law = ScalingLaw(point["capacity"], point["source"])
        solution = law.optimal() if optimal else law.solve(**{name: point[name] for name in _EXPONENTS})
        rows += solution.records()
    return report(solution, {**lists, **({"optimal": True} if optimal else {})}, rows, as_json)


def _flag(name: str) -> str:
    return f"--{name.replace('_', '-')}"
