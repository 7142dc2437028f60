"""`simulate spectral`: the leading eigenvectors of sum T(y) x x^T, with the best T."""

from __future__ import annotations

from typing import Any

import click

from hermite_analytics.cli.output import json_option
from hermite_analytics.cli.simulate.common import run, run_options
from hermite_analytics.cli.simulate.estimation_options import estimation_options
from hermite_analytics.cli.values import number_option

__all__ = ["command"]


@click.command("spectral")
@estimation_options
@run_options
@number_option("tolerance", "Relative, of the eigenvalues; 1e-6 by default.")
@json_option
@click.pass_context
def command(ctx: click.Context, /, as_json: bool, **options: Any) -> int:
    """The spectral method on n = alpha d labels of a teacher."""
    return run(ctx, "spectral", options, as_json)
