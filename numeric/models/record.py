"""The record of a model or a protocol: what it takes, what it gives, where it comes from, each said once.

The command line, the problem file, the sliders of the explorer and the JSON Schemas are made from records.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hermite_analytics.foundation.folders import found_at
from hermite_analytics.foundation.shapes import Count, Number, one_of
from hermite_analytics.numeric.models.parameter import Parameter
from hermite_analytics.numeric.status import Status
from hermite_analytics.rendering import Column, Drawing, Frame, Role
from hermite_analytics.rendering.symbols import latex_of_symbol

if TYPE_CHECKING:
    pass

__all__ = ["ModelRecord", "Record", "Result", "statistics"]

_STATISTICS = frozenset({"status", "residual", "iterations", "numerical_error", "error_of_test_error"})
_PACKAGE = "hermite_analytics.numeric"
_FLOORS = ("linear_floor",)
_SPECIAL = (Status.AT_BORDER, Status.UNRESOLVED, Status.NOT_COMPUTED)
STATUSES = tuple(status for status in Status if status not in _SPECIAL)


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """A number, or a group of numbers, of each result.

    Attributes
    ----------
    name, help : str
    symbol : str
        As in a paper; by default the name.
    shape : object
        A type; a tuple of results for a group, a list of one such tuple for a list of groups.
    always : bool
        Whether each result has it.
    """

    name: str
    help: str = ""
    symbol: str = ""
    shape: object = Number
    always: bool = True


def statistics(
    *, numerical_error: bool = True, statuses: tuple[Status, ...] = STATUSES
) -> tuple[Result, ...]:
    """How each point ended: status, residual, iterations, and the numerical error if there is one."""
    error = Result(name="numerical_error", help="estimated error of the quadrature")
    return (
        Result(name="status", help="how the point ended", shape=one_of(*map(str, statuses))),
        Result(name="residual", help="undamped residual of the equations"),
        Result(name="iterations", shape=Count),
        *((error,) if numerical_error else ()),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """A model of `solve`, or a protocol of `simulate`.

    Attributes
    ----------
    name : str
        On the command line.
    summary, help : str
        A line in the list of all, and in its own help.
    factory : str
        "module:callable" below `hermite_analytics.numeric`: the class, or what makes one.
    parameters : tuple of Parameter
        In the order of the help.
    results : tuple of Result
        Of each result, beside the parameters that it names.
    python_only : tuple of str
        Arguments in Python that the command line does not have.
    sources : str
        Papers of the equations.
    drawn : tuple of str
        Results that a plot draws where no others are asked for; by default the first.
    against : str
        The parameter that they are drawn against; by default that of most values.
    ordinate : str
        The label of their axis.
    reading : str
        "module:callable" below `hermite_analytics.numeric`, of the values of all flags: those that are
        understood beside each other.
    opened : str
        The same, of the frame of all results: what is drawn, as points, where a result is a curve.
    index : str
        Of results that are lists, an entry a step: what the place in the list is called. Tables and figures
        have a row an entry, and are drawn against it.
    """

    name: str
    summary: str
    help: str
    factory: str
    parameters: tuple[Parameter, ...]
    results: tuple[Result, ...]
    python_only: tuple[str, ...] = ()
    sources: str = ""
    drawn: tuple[str, ...] = ()
    against: str = ""
    ordinate: str = ""
    reading: str = ""
    opened: str = ""
    index: str = ""

    def __getitem__(self, name: str) -> Parameter:
        for parameter in self.parameters:
            if parameter.name == name:
                return parameter
        raise KeyError(name)

    @property
    def swept(self) -> Iterator[Parameter]:
        """The parameters whose comma lists span a grid."""
        return (parameter for parameter in self.parameters if parameter.kind.is_swept)

    @property
    def make(self) -> Any:
        """What `factory` names: called with its arguments it makes a model, solved for nothing yet."""
        return found_at(_PACKAGE, self.factory)

    def understood(self, values: Mapping[str, object]) -> dict[str, object]:
        """The values of all flags, with those read whose texts have a form of their own; None: not given."""
        own = {
            p.name: p.read(p.flag, values[p.name])
            for p in self.parameters
            if p.read is not None and values[p.name] is not None
        }
        read = {**values, **own}
        return {**read, **found_at(_PACKAGE, self.reading)(read)} if self.reading else read

    def row(self) -> tuple[Result, ...]:
        """All that a result of the command line has: parameters that it names, then results.

        A result stands for the parameter of its name, as the iterations made do for those allowed.
        """
        results = {result.name for result in self.results}
        named = (
            Result(name=p.name, help=p.help, shape=p.shape, always=p.in_rows == "always")
            for p in self.parameters
            if p.in_rows != "never" and p.name not in results
        )
        return (*named, *self.results)

    def columns(self) -> Mapping[str, Column]:
        """What a table or a figure says of each parameter and result."""
        parameters = {p.name: _column(p, Role.PARAMETER) for p in self.parameters}
        roles = dict.fromkeys(_STATISTICS, Role.STATISTIC) | {self.against: Role.PARAMETER}
        results = {r.name: _column(r, roles.get(r.name, Role.VALUE)) for r in self.results}
        if self.index:
            results[self.index] = Column(name=self.index, role=Role.PARAMETER)
        return parameters | results

    def table_rows(self, rows: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
        """Rows of tables and figures: where results are lists, one an entry, numbered from 0."""
        names = {result.name for result in self.results}
        return [part for row in rows for part in _entries(row, names, self.index)]

    def drawing(self, frame: Frame) -> Drawing:
        """How rows of this record are drawn."""
        return Drawing(
            frame=found_at(_PACKAGE, self.opened)(frame) if self.opened else frame,
            table=frame,
            values=self.drawn,
            against=self.against or self.index,
            ordinate=self.ordinate,
            points=bool(self.opened),
            floors=_FLOORS,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelRecord(Record):
    """A model of `solve`.

    Attributes
    ----------
    together : tuple of str
        Results of which a row has all or none.
    """

    together: tuple[str, ...] = ()


def _entries(row: Mapping[str, Any], names: Collection[str], index: str) -> Iterator[dict[str, Any]]:
    lists = {name: cell for name, cell in row.items() if name in names and isinstance(cell, list)}
    if not index or not lists:
        yield dict(row)
        return
    shared = {name: cell for name, cell in row.items() if name not in lists}
    for place, cells in enumerate(zip(*lists.values(), strict=True)):
        yield {**shared, index: place, **dict(zip(lists, cells, strict=True))}


def _column(of: Parameter | Result, role: Role) -> Column:
    formula = of.formula if isinstance(of, Parameter) else ""
    symbol = latex_of_symbol(of.symbol)
    return Column(name=of.name, role=role, symbol=symbol, formula=formula, help=of.help)
