"""`export solve MODEL`: each command takes those parameters of a model's record that a file may fix."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Unpack

import click

from hermite_analytics.cli.lazy import Described, LazyGroup
from hermite_analytics.cli.options import json_flag, option_of
from hermite_analytics.cli.output import print_json
from hermite_analytics.numeric.exported import EXPORTED
from hermite_analytics.numeric.models import MODELS
from hermite_analytics.numeric.models.parameter import Kind, Parameter
from hermite_analytics.numeric.models.record import ModelRecord
from hermite_analytics.numeric.models.shared import RIDGE, C

__all__ = ["command"]

_ONE_NUMBER = {"ridge": RIDGE, "c": C}  # not the best ridge, nor one c a letter


class _ExportCommand(click.Command):
    """Prints the file of a model; numbers that are given become defaults of its flags."""

    def __init__(self, record: ModelRecord) -> None:
        self._parameters = [record[name] for name in EXPORTED[record.name]]
        options = [_option(_ONE_NUMBER.get(p.name, p)) for p in self._parameters]
        text = f"{record.help} A file that takes --alpha and what is not given here."
        super().__init__(record.name, params=[*options, json_flag()], help=text)
        self._record = record

    def invoke(self, ctx: click.Context) -> object:
        given = {parameter.name: ctx.params[parameter.name] for parameter in self._parameters}
        text = _text(self._record, given)
        if ctx.params["as_json"]:
            parameters = {name: value for name, value in given.items() if value is not None}
            print_json({"model": self._record.name, "parameters": parameters, "file": text})
        else:
            click.echo(text, nl=False)
        return 0


def _option(parameter: Parameter) -> click.Option:
    if parameter.kind is Kind.NUMBERS:
        return click.Option([parameter.flag], metavar="NUMBER", help=parameter.line)
    return option_of(parameter)


def _text(record: ModelRecord, given: Mapping[str, Any]) -> str:
    from hermite_analytics.numeric.exported.flags import one_number
    from hermite_analytics.numeric.exported.random_features import random_features_file
    from hermite_analytics.numeric.exported.spiked import spiked_file
    from hermite_analytics.numeric.exported.state_evolution import state_evolution_file

    chosen = [record[name] for name in given]
    numbers = [p for p in chosen if p.kind is Kind.NUMBERS]
    values = {p.name: one_number(p.flag, given[p.name]) for p in numbers}
    model = record.make(**{p.argument: given[p.name] for p in chosen if p.to == "model"})
    if record.name == "state-evolution":
        return state_evolution_file(model)
    if record.name == "random-features":
        return random_features_file(model, values)
    return spiked_file(model, values, step_convention=str(given["step_convention"]))


class _ExportGroup(LazyGroup):
    """The models that export themselves; a command is made when it is asked for."""

    def __init__(self, **rest: Unpack[Described]) -> None:
        super().__init__(lines={name: MODELS[name].summary for name in EXPORTED}, **rest)

    def load(self, name: str) -> click.Command:
        return _ExportCommand(MODELS[name])


@click.group("solve", cls=_ExportGroup)
def command() -> None:
    """Print a solver as one file. Flags that are given become its defaults; it takes the others itself."""
