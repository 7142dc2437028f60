"""`hermite-analytics expect EXPR`."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING

import click

from hermite_analytics.cli.output import json_option, print_json, quantity_text
from hermite_analytics.cli.values import SECONDS
from hermite_analytics.errors import InputError

if TYPE_CHECKING:
    from hermite_analytics.evidence import Quantity
    from hermite_analytics.expectations import ExpectedValue

__all__ = ["command"]

_CLOSED_SHARE = 0.5  # of the time, for the closed form
_VALUE_SHARE = 0.7  # of the time left, for the number; its digits have the rest


@click.command("expect")
@click.argument("expression")
@click.option("--at", "point", help="Values of the parameters: name=value,name=value,...")
@click.option(
    "--digits", type=click.IntRange(1, 1000), default=30, show_default=True, help="Digits at a point."
)
@click.option("--seconds", type=SECONDS, default=10.0, show_default=True, help="Time allowed.")
@json_option
def command(expression: str, point: str | None, digits: int, seconds: float, as_json: bool) -> int:
    """E of an EXPRESSION over z1, z2, ... (independent N(0, 1)); all other names are real parameters.

    The closed form where there is one; at a point (or without parameters) also digits that are proved.
    """
    from hermite_analytics.errors import BudgetExhausted, UnsupportedExpression
    from hermite_analytics.expectations import expectation
    from hermite_analytics.foundation.clock import allowed, share
    from hermite_analytics.language import display

    values = _values(point)
    status, number = 0, None
    with allowed(seconds):
        found = expectation(expression, seconds=share(_CLOSED_SHARE))
        document: dict[str, object] = {
            "exact": None if found.exact is None else display.text(found.exact),
            "latex": found.latex,
            "value": None,
        }
        if values or not found.parameters:
            number = found.at(values, seconds=share(_VALUE_SHARE))
            document["value"] = number.value
            if found.exact is None and number.exact is not None:
                document["exact"] = display.text(number.exact) if not found.parameters else None
            try:
                text = _digits(found, number, digits, values)
            except (BudgetExhausted, UnsupportedExpression):
                text, status = f"{number.value:.15g}", 1
            document |= {"digits": text, "error": number.error, "evidence": str(number.evidence)}
    if as_json:
        print_json(document)
        return status
    click.echo(f"E = {found}")
    if number is not None:
        click.echo(f"  = {document['digits']}  [{document['evidence']}]")
        if number.exact is not None and (found.parameters or found.exact is None):
            click.echo(f"  = {quantity_text(number)}")
    if status and number is not None and not math.isnan(number.value):
        click.echo(f"{digits} digits were not reached; the error is {number.error:.1g}", err=True)
    return status


def _digits(found: ExpectedValue, number: Quantity, digits: int, values: Mapping[str, str]) -> str:
    """Of the number: 0, those of its closed form, or those that an enclosure proves."""
    from hermite_analytics.expectations import digits_of
    from hermite_analytics.foundation.clock import share

    if number.zero:
        return "0"
    if found.exact is None and number.exact is not None:
        return str(digits_of(number.exact, digits))
    return str(found.evalf(digits, values, seconds=share(1)))


def _values(point: str | None) -> dict[str, str]:
    values = {}
    for part in point.split(",") if point else []:
        name, equals, value = part.partition("=")
        if not equals or not name.strip() or not value.strip():
            raise InputError(f"--at has {part[:40]!r}; accepted: name=value,name=value,...")
        if name.strip() in values:
            raise InputError(f"--at gives {name.strip()[:40]} twice")
        values[name.strip()] = value.strip()
    return values
