"""Flags that `simulate sgd` and `simulate reuse` share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from hermite_analytics.cli.values import NUMBERS, F
from hermite_analytics.errors import InputError

__all__ = ["METHODS", "descent_options", "parsed_readout"]

METHODS = ("sgd", "extra-gradient", "batch-reuse")


def descent_options(*, loss: str, spherical: bool) -> Callable[[F], F]:
    """--loss --method --p --readout --noise --spherical/--plain, with the protocol's defaults."""
    options = [
        click.option(
            "--loss",
            type=click.Choice(["correlation", "square"]),
            default=loss,
            show_default=True,
            help="Residual y, or y - f.",
        ),
        click.option("--p", type=click.IntRange(min=1), default=1, show_default=True, help="Neurons."),
        click.option(
            "--readout",
            default="ones",
            show_default=True,
            help="a_j: ones, signs, gaussian, or p numbers as A1:A2:...",
        ),
        click.option("--noise", type=NUMBERS, help="Variance of the label noise."),
        click.option(
            "--spherical/--plain",
            default=spherical,
            show_default=True,
            help="Whether |w| = 1 is restored after each step.",
        ),
    ]

    def decorate(function: F) -> F:
        for option in reversed(options):
            function = option(function)
        return function

    return decorate


def parsed_readout(text: str) -> Any:
    """A name, or numbers between colons."""
    if not any(c.isdigit() for c in text):
        return text
    try:
        return [float(part) for part in text.split(":")]
    except ValueError:
        raise InputError(
            f"--readout is {text[:40]!r}; accepted: ones, signs, gaussian, or numbers as A1:A2:..."
        ) from None
