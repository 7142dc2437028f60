"""What the models of `export solve` share."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import click

from hermite_analytics.cli.output import print_json
from hermite_analytics.cli.values import F

__all__ = ["default_option", "print_file", "values_of"]


def default_option(name: str, text: str) -> Callable[[F], F]:
    """A number that becomes the default of the file's flag."""
    return click.option(f"--{name}", metavar="NUMBER", help=text)


def values_of(given: Mapping[str, str | None]) -> dict[str, float | None]:
    """The numbers of the flags."""
    from hermite_analytics.numeric.exported.flags import one_number

    return {name: one_number(f"--{name}", text) for name, text in given.items()}


def print_file(model: str, given: Mapping[str, Any], text: str, as_json: bool) -> int:
    """Print the file, or a document that holds it."""
    if as_json:
        parameters = {name: value for name, value in given.items() if value is not None}
        print_json({"model": model, "parameters": parameters, "file": text})
    else:
        click.echo(text, nl=False)
    return 0
