"""Results of solvers: frozen, with a status, a residual and their own numerical error."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from hermite_analytics.errors import ConvergenceError
from hermite_analytics.foundation.arrays import Numbers
from hermite_analytics.foundation.json import Document
from hermite_analytics.numeric.frozen import json_number
from hermite_analytics.numeric.models import MODELS
from hermite_analytics.numeric.models.record import Record
from hermite_analytics.numeric.protocols import PROTOCOLS
from hermite_analytics.numeric.status import Status
from hermite_analytics.rendering import Column, Drawing, Frame, Mark, Role
from hermite_analytics.rendering.result import ByFields

__all__ = ["Along", "Solution", "record_of"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Along:
    """What is drawn of a result that has a path or a list rather than points.

    Attributes
    ----------
    name : str
        Of the abscissa: the place in the list.
    values : tuple of str
        Fields with an entry for each place; several curves where an entry has axes of its own.
    first : int
        The place of the first entry.
    points : bool
        Markers instead of lines.
    levels : mapping of str to str
        Fields that are one number, drawn as horizontal lines, with their names.
    """

    name: str
    values: tuple[str, ...]
    first: int = 0
    points: bool = False
    levels: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Solution(ByFields):
    """What a solver gives; a subclass adds its results, and names those that a row of a point has.

    It prints its numbers, compares by value, and travels: see `Result` for tables, files and figures.

    Attributes
    ----------
    parameters : mapping
        Ratios and parameters, broadcast.
    status : Status or ndarray of str
    residual : float or ndarray
        Undamped residual of the equations; 0 for a closed form.
    iterations : int or ndarray
    model : str
        As on the command line.
    equations : str
        Their source, where it is not that of the model's record.
    alternatives : tuple, optional
        Where something was optimised: all local minima found, one tuple a point.

    Examples
    --------
    >>> from hermite_analytics.numeric import GiantStep
    >>> step = GiantStep("tanh", "sin(z1)").solve(alpha0=20, eta=3, beta=[1, 2])
    >>> [(row["beta"], round(row["r"], 6)) for row in step.records()]
    [(1.0, 1.134056), (2.0, 0.567028)]
    >>> step.cite()
    'arXiv 2402.04980, Result 3.1, eqs (8)-(12)'
    >>> step == GiantStep("tanh", "sin(z1)").solve(alpha0=20, eta=3, beta=[1, 2])
    True
    """

    parameters: Mapping[str, Any]
    status: Status | NDArray[np.str_] = Status.CONVERGED
    residual: Numbers = 0.0
    iterations: int | NDArray[np.int64] = 0
    model: str
    equations: str = ""
    alternatives: tuple[tuple[Mapping[str, float], ...], ...] | None = None

    columns: ClassVar[tuple[str, ...]]
    """What a row has, in order: names of parameters and of results; those that are None are left out."""
    shaped: ClassVar[str]
    """The result that has the broadcast shape of the points."""
    answers: ClassVar[tuple[Status, ...]] = (Status.CONVERGED,)
    point: ClassVar[str] = "point"
    along: ClassVar[Along | None] = None

    @property
    def shape(self) -> tuple[int, ...]:
        """Of the points."""
        return np.shape(getattr(self, self.shaped))

    @property
    def remarks(self) -> tuple[str, ...]:
        """What a reader should know beside the numbers."""
        return (*self.reduced, *self.borders)

    @property
    def reduced(self) -> tuple[str, ...]:
        """What a target of one direction of several coordinates was solved as."""
        direction, given = (self.parameters.get(name) for name in ("direction", "given_target"))
        if direction is None:
            return ()
        target = self.parameters["target"]
        return (f"{given} depends on z1 = {direction} alone, and is {target} there; alignments are with it",)

    @property
    def borders(self) -> tuple[str, ...]:
        """How many best ridges are ends of the range that was looked at."""
        count = int(np.sum(np.asarray(self.status) == Status.AT_BORDER))
        if count == 0:
            return ()
        return (f"{count} of {np.size(self.status)} at the border: {self.parameters['optimised']}",)

    @property
    def named(self) -> tuple[str, ...]:
        """`columns`, and what else this solution varies."""
        return self.columns

    def raise_unless_converged(self) -> None:
        """Raise `ConvergenceError` naming the first point without an answer."""
        for index, code in enumerate(np.ravel(np.asarray(self.status, dtype=object))):
            if code not in self.answers:
                place = f"{self.point} {index} of {self.model}"
                raise ConvergenceError(f"{place}: {code}: {Status(code).help}")

    def rows(self) -> list[dict[str, Any]]:
        """One dictionary a point, in C order: groups and matrices as they are."""
        count, columns = math.prod(self.shape), {}
        for name in self.named:
            value = self._value(name)
            if value is not None:
                columns[name] = _column(value, self.shape)
        return [{name: cells[j] for name, cells in columns.items()} for j in range(count)]

    def arrays(self) -> dict[str, NDArray[np.generic]]:
        """The columns of all rows, flat and in C order; an entry of a group stands under group_entry.

        Of solutions whose rows are their points; lists of minima are left out.
        """
        found: dict[str, NDArray[np.generic]] = {}
        for name in self.named:
            value = self._value(name)
            if isinstance(value, Mapping):
                found |= {f"{name}_{part}": _flat(entry, self.shape) for part, entry in value.items()}
            elif value is not None and name != "alternatives":
                found[name] = _flat(value, self.shape)
        return found

    def frame(self) -> Frame:
        """The points with the parameters that all share, and the source of the equations."""
        record, rows = record_of(self.model), self.rows()
        named = set().union(*rows) if rows else set(self.named)
        known = {} if record is None else dict(record.columns())
        for name in named:
            if name in self.parameters:
                known[name] = replace(known.get(name, Column(name=name)), role=Role.PARAMETER)
        return Frame(
            title=self.model,
            rows=tuple(rows),
            columns=known,
            fixed={n: x for n, x in self.parameters.items() if n not in named and x is not None},
            sources=self.equations or ("" if record is None else record.sources),
            remarks=self.remarks,
        )

    def drawing(self) -> Drawing:
        """What the record of the model draws, or the path that the result has."""
        if self.along is not None:
            return _path(self, self.along)
        record = record_of(self.model)
        return Drawing(frame=self.frame()) if record is None else record.drawing(self.frame())

    def document(self) -> Document:
        """JSON-ready: model, parameters, and one result a point."""
        named = self.named
        fixed = {
            k: json_number(v) for k, v in self.parameters.items() if isinstance(v, str) or k not in named
        }
        return {"model": self.model, "parameters": fixed, "results": self.results()}

    def results(self) -> list[Document]:
        """The rows in JSON, with the local minima of what was optimised."""
        rows = [{name: json_number(cell) for name, cell in row.items()} for row in self.rows()]
        if self.alternatives is None:
            return rows
        found = ([dict(entry) for entry in minima] for minima in self.alternatives)
        return [row | {"alternatives": minima} for row, minima in zip(rows, found, strict=True)]

    def _value(self, name: str) -> object:
        return getattr(self, name, None) if name not in self.parameters else self.parameters[name]


def _path(solution: Solution, along: Along) -> Drawing:
    """One row a place of the lists."""
    found = {
        name: np.asarray(getattr(solution, name))
        for name in along.values
        if getattr(solution, name) is not None
    }
    count = len(next(iter(found.values())))
    rows = tuple(
        {along.name: along.first + j} | {name: values[j].tolist() for name, values in found.items()}
        for j in range(count)
    )
    known = {along.name: Column(name=along.name, role=Role.PARAMETER)}
    levels = {name: getattr(solution, field_) for field_, name in along.levels.items()}
    return Drawing(
        frame=replace(solution.frame(), rows=rows, columns=known),
        values=along.values,
        points=along.points,
        marks=tuple(Mark(name=n, place=x, axis="y") for n, x in levels.items() if x is not None),
    )


_LIKE = {"gaussian-covariates": "random-features"}  # parameters and results of the same names


def record_of(model: str) -> Record | None:
    """The record of a model, or of a protocol where there is no model of that name."""
    return MODELS.get(_LIKE.get(model, model)) or PROTOCOLS.get(model)


def _column(value: object, shape: tuple[int, ...]) -> list[object]:
    """The cells of all points; lists where a value has axes of its own, such as one of letters."""
    count = math.prod(shape)
    if isinstance(value, Mapping):
        parts = {name: _column(part, shape) for name, part in value.items()}
        return [{name: cells[j] for name, cells in parts.items()} for j in range(count)]
    array = np.asarray(value)
    if array.ndim > len(shape):
        found: list[object] = array.reshape(-1, *array.shape[len(shape) :]).tolist()
        return found
    flat: list[object] = np.broadcast_to(array, shape).reshape(-1).tolist()
    return flat


def _flat(value: object, shape: tuple[int, ...]) -> NDArray[np.generic]:
    """One entry a point, with further axes where the value has them."""
    array = np.asarray(value)
    if array.dtype == object:
        array = array.astype(str)
    own = array.shape[len(shape) :]
    return np.broadcast_to(array, shape + own).reshape(-1, *own)
