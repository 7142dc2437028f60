"""Flags that `simulate amp` and `simulate spectral` share."""

from __future__ import annotations

import click

from hermite_analytics.cli.simulate.common import integer_option
from hermite_analytics.cli.values import F, number_option

__all__ = ["estimation_options"]


def estimation_options(function: F) -> F:
    """--target --alpha --n --noise: labels of a teacher."""
    options = [
        click.option("--target", required=True, help='Target, such as "sign(z1*z2)".'),
        number_option("alpha", "n/d, samples."),
        integer_option("n", "Samples, instead of --alpha."),
        number_option("noise", "Variance of additive label noise, beside that of the target."),
    ]
    for option in reversed(options):
        function = option(function)
    return function
