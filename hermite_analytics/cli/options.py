"""Options of commands from the parameters of records."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TypedDict

import click

from hermite_analytics.cli.output import JSON_HELP
from hermite_analytics.cli.values import INTEGERS, NUMBERS, TEXTS, numbers_or
from hermite_analytics.errors import InputError
from hermite_analytics.executors.ordered import require_one
from hermite_analytics.foundation.seconds import require_seconds
from hermite_analytics.numeric.models.parameter import Kind, Parameter

__all__ = ["Places", "json_flag", "option_of", "places_of"]


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Places:
    """--seconds, --workers and --scheduler: how long, and where.

    Attributes
    ----------
    seconds : float > 0, optional
    workers : int >= 1, optional
        Processes; by default this one.
    scheduler : str, optional
        Address of a Dask scheduler whose workers compute instead.
    """

    seconds: float | None
    workers: int | None
    scheduler: str | None

    @property
    def are_given(self) -> bool:
        """Whether one of them is."""
        return (self.seconds, self.workers, self.scheduler) != (None, None, None)


def places_of(ctx: click.Context) -> Places:
    """Those of a parsed command line.

    Raises
    ------
    InputError
        If the time is none, or both workers and a scheduler are given.
    """
    text, workers, scheduler = (ctx.params[name] for name in ("seconds", "workers", "scheduler"))
    try:
        seconds = None if text is None else float(text)
        if seconds is not None:
            require_seconds(seconds)
    except (ValueError, InputError):
        raise InputError(f"--seconds is {text[:40]!r}; a number > 0 is accepted") from None
    require_one(workers, scheduler)
    return Places(seconds=seconds, workers=workers, scheduler=scheduler)
