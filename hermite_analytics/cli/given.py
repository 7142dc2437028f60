"""The flags as they were given: their values, the grid of their lists, what a document repeats."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import click
import numpy as np
from numpy.typing import NDArray

from hermite_analytics.cli.values import grid, in_given_order
from hermite_analytics.numeric.models.parameter import Kind, Parameter
from hermite_analytics.numeric.models.record import Record

__all__ = ["Given"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Given:
    """The flags of one call.

    Attributes
    ----------
    record : Record
    values : mapping
        By the names of the record, in the order of the command line; None was not given.
    texts : mapping
        The same before any of them was read.
    typed : frozenset of str
        Names that stand on the command line, and are no defaults.
    threads : int, optional
        Of a solver that shares points between threads; by default its own choice.
    models : dict
        Those made so far, by their arguments.
    """

    record: Record
    values: Mapping[str, Any]
    texts: Mapping[str, object]
    typed: frozenset[str]
    threads: int | None = None
    models: dict[str, Any] = field(default_factory=dict, repr=False, compare=False)

    @classmethod
    def of(cls, record: Record, ctx: click.Context) -> Given:
        """From a parsed command line, read."""
        names = in_given_order(ctx, [p.name for p in record.parameters])
        source = click.core.ParameterSource.COMMANDLINE
        values = {name: _value(record[name], ctx.params[name]) for name in names}
        return cls(
            record=record,
            values=record.understood(values),
            texts=values,
            typed=frozenset(name for name in names if ctx.get_parameter_source(name) is source),
        )

    def __getitem__(self, name: str) -> Any:
        return self.values[name]

    def has(self, name: str) -> bool:
        """Whether there is a value, be it a default."""
        return self.values[name] is not None

    @property
    def lists(self) -> list[Parameter]:
        """The parameters whose values span the grid: not those that a word or a single text stands for.

        Nor c beside letters: it is one value then, a number or one a letter.
        """
        whole = {"c"} if self.values.get("letters") is not None else set()
        swept = (p for p in self.record.swept if p.name not in whole)
        return [p for p in swept if not isinstance(self.values[p.name], str)]

    def read(self, **values: object) -> Given:
        """The same with values that were read from their texts."""
        return replace(self, values={**self.values, **values})

    def model(self, **own: object) -> Any:
        """The model of these arguments; made once for all parts of a grid."""
        key = repr(sorted(own.items()))
        if key not in self.models:
            self.models[key] = self.record.make(**own)
        return self.models[key]

    def arguments(self, to: str) -> dict[str, Any]:
        """What is no list of points, by the names in Python: for the model, or for its `solve`."""
        lists = {p.name for p in self.lists}
        chosen = (p for p in self.record.parameters if p.to == to and p.name not in lists)
        return {p.argument: self.values[p.name] for p in chosen if self.values[p.name] is not None}

    def points(self, names: Iterable[str]) -> list[dict[str, Any]]:
        """All combinations of their lists, the last on the command line fastest."""
        wanted = set(names) & {p.name for p in self.lists}
        return grid([name for name in self.values if name in wanted], self.values)

    def axes(self, names: Iterable[str]) -> dict[str, NDArray[np.number]]:
        """One array a parameter over all combinations; without those that were not given."""
        points = self.points(names)
        return {name: np.array([point[name] for point in points]) for name in points[0]}

    def echo(self, *, without: Iterable[str] = ()) -> dict[str, object]:
        """The flags for a document: those of one value as they stand in the record, then lists of numbers."""
        left_out = set(without)
        shown = [p for p in self.record.parameters if p.is_echoed and p.name not in left_out]
        numbers = {p.name for p in shown if p.kind is Kind.NUMBERS}
        read = (Kind.NUMBERS, Kind.LIST)
        values = {p.name: (self.values if p.kind in read else self.texts)[p.name] for p in shown}
        order = [*(n for n in values if n not in numbers), *(n for n in self.values if n in numbers)]
        values = {name: values[name] for name in order}
        return {name: _unlisted(x) for name, x in values.items() if x is not None}

    def problem(self) -> dict[str, object]:
        """All that the numbers depend on: the flags of `echo`, and those that a document leaves out."""
        others = (
            p for p in self.record.parameters if not p.is_echoed and p.to != "run" and p.name != "seconds"
        )
        values = {p.name: _unlisted(self.values[p.name]) for p in others}
        return {**self.echo(), **{name: x for name, x in values.items() if x is not None}}


def _value(parameter: Parameter, value: object) -> object:
    if parameter.kind is Kind.FLAG:
        return value or None
    if parameter.kind is Kind.TEXTS and isinstance(value, tuple) and len(value) == 1:
        return value[0]
    if parameter.kind is Kind.CHOICE and value is not None:
        return next(accepted for accepted in parameter.accepted if str(accepted) == value)
    return value


def _unlisted(value: object) -> object:
    if isinstance(value, tuple):
        return value[0] if len(value) == 1 else list(value)
    return value
