"""Options of commands from the parameters of records."""

from __future__ import annotations

import math
from typing import TypedDict

import click

from hermite_analytics.cli.output import JSON_HELP
from hermite_analytics.cli.values import INTEGERS, NUMBERS, TEXTS, numbers_or
from hermite_analytics.numeric.models.parameter import Kind, Parameter

__all__ = ["json_flag", "option_of"]


def json_flag() -> click.Option:
    """--json."""
    return click.Option(["--json", "as_json"], is_flag=True, help=JSON_HELP)


class _Described(TypedDict, total=False):
    """What `click.Option` is told."""

    help: str | None
    required: bool
    metavar: str
    type: object
    is_flag: bool
    default: object
    show_default: bool


_TYPES = {Kind.TEXTS: TEXTS, Kind.NUMBERS: NUMBERS, Kind.LIST: NUMBERS, Kind.SIZES: INTEGERS}


def option_of(parameter: Parameter) -> click.Option:
    """The option of a parameter; a value of its own form, as its metavar shows, is read by the command."""
    described: _Described = {"help": parameter.line or None, "required": parameter.required}
    flag = parameter.flag
    if parameter.metavar is not None:
        described["metavar"] = parameter.metavar
    elif parameter.words:
        described["type"] = numbers_or(parameter.words)
    elif parameter.kind in _TYPES:
        described["type"] = _TYPES[parameter.kind]
    elif parameter.kind is Kind.INTEGER:
        low = parameter.range.low
        described["type"] = int if math.isinf(low) else click.IntRange(min=int(low))
    elif parameter.kind is Kind.NUMBER:
        described["type"] = float
    elif parameter.kind is Kind.CHOICE:
        described["type"] = click.Choice([str(value) for value in parameter.accepted])
    elif parameter.kind is Kind.FLAG:
        described["is_flag"] = True
    elif parameter.kind is Kind.SWITCH:
        flag = "/".join(f"--{name}" for name in parameter.accepted)
    if parameter.is_filled:  # an explicit None would count as a default, and switch `required` off
        default = parameter.default
        described["default"] = str(default) if parameter.kind is Kind.CHOICE else default
        described["show_default"] = parameter.kind is not Kind.NUMBERS
    return click.Option([flag], **described)
