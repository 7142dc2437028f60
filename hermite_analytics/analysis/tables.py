"""Many targets in one table: a row a target, errors kept as rows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from typing import Any, overload

import numpy as np
from sympy import Expr

from hermite_analytics.activation import Activation
from hermite_analytics.analysis.analysis import Analysis
from hermite_analytics.analysis.answers import DEFAULT_SECONDS
from hermite_analytics.analysis.rows import frame_of
from hermite_analytics.errors import ExecutorEnded, HermiteAnalyticsError, InputError
from hermite_analytics.executors.ordered import in_order, on_executor
from hermite_analytics.foundation.json import Document
from hermite_analytics.rendering import Column, Drawing, Frame, Result, Role
from hermite_analytics.rendering.text import cut
from hermite_analytics.target import Target, TargetText

__all__ = ["Table", "TableRow", "rows_of", "table"]

_NAME = 40  # characters of what is no target
_LOST = "the process that analysed it ended without an answer"
_COLUMNS: dict[str, Callable[[dict[str, Any]], str]] = {
    "dim": lambda d: f"{_or_open(d['intrinsic_dimension'])}/{d['dimension']}",
    "E y": lambda d: _number(d["mean"]),
    "E y^2": lambda d: _number(d["second_moment"]),
    "leap": lambda d: _exponent(d["leap_index"]),
    "Leap": lambda d: _exponent(d["leap_complexity"]),
    "isoLeap": lambda d: _exponent(d["isotropic_leap"]),
    "k*": lambda d: _exponent(d["generative_exponent"]),
    "staircase": lambda d: _steps(d["staircase"]),
    "grand": lambda d: _steps(d["grand_staircase"]),
    "alpha_c": lambda d: ", ".join(_number(s["alpha_c"]) for s in d["weak_recovery"]["stages"]) or "?",
}


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class TableRow(Result):
    """The answers about one target, or why there are none.

    Attributes
    ----------
    target : str
        As it was given.
    answers : dict or None
        `Analysis.document()`.
    error : str or None
    """

    target: str
    answers: Document | None
    error: str | None

    def document(self) -> Document:
        """The answers, or {"target", "error"}."""
        return {"target": self.target, "error": self.error} if self.answers is None else self.answers

    def frame(self) -> Frame:
        """One row, that of a table."""
        return frame_of([self.document()], title=self.target)


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Table(Result, Sequence[TableRow]):
    """Rows in the order of the targets; `print` shows them aligned.

    Attributes
    ----------
    rows : tuple of TableRow

    Examples
    --------
    >>> found = table(["z1", "sign(z1*z2)"])
    >>> len(found), found[1].answers["leap_index"]["value"]
    (2, 2)
    """

    rows: tuple[TableRow, ...]

    @overload
    def __getitem__(self, place: int) -> TableRow: ...
    @overload
    def __getitem__(self, place: slice) -> tuple[TableRow, ...]: ...
    def __getitem__(self, place: int | slice) -> TableRow | tuple[TableRow, ...]:
        return self.rows[place]

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[TableRow]:
        return iter(self.rows)

    @property
    def errors(self) -> tuple[TableRow, ...]:
        """The rows without answers."""
        return tuple(row for row in self.rows if row.error is not None)

    def frame(self) -> Frame:
        """One row a target."""
        return frame_of([row.document() for row in self.rows], title="targets")

    def drawing(self) -> Drawing:
        """The exponents of the targets beside each other, in their order."""
        frame = self.frame()
        numbered = tuple({"number": k, **row} for k, row in enumerate(frame.rows, 1))
        known = {**frame.columns, "number": Column(name="number", role=Role.PARAMETER)}
        known["target"] = Column(name="target")
        values = ("leap_index", "generative_exponent", "alpha_c")
        return Drawing(
            frame=replace(frame, rows=numbered, columns=known), values=values, against="number", points=True
        )

    def document(self) -> Document:
        """{"rows": [...]}, JSON-ready."""
        return {"rows": [row.document() for row in self.rows]}

    def __str__(self) -> str:
        names = ["target", *_COLUMNS]
        cells = [[row.target, *_cells(row)] for row in self.rows]
        full = [line for line in cells if len(line) == len(names)]
        targets = max((len(line[0]) for line in cells), default=0)
        widths = [max(len(n), *(len(line[i]) for line in full), 0) for i, n in enumerate(names)]
        widths[0] = max(targets, len(names[0]))
        return cut(
            "\n".join(
                "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=False)).rstrip()
                for line in [names, *cells]
            )
        )


def table(
    targets: Iterable[Target | TargetText] | Target | TargetText,
    *,
    activation: Activation | str | None = None,
    seconds: float = DEFAULT_SECONDS,
    workers: int = 1,
    executor: Executor | None = None,
) -> Table:
    """The analysis of each target, as a table.

    Parameters
    ----------
    targets : iterable of Target or str, or one of these
    activation : Activation or str, optional
    seconds : float > 0
        For each target.
    workers : int >= 1
        Processes. With more than one, a script needs the usual `if __name__ == "__main__":` around its work.
    executor : Executor, optional
        Of `concurrent.futures`, or anything with its `submit`: it computes instead.

    Returns
    -------
    Table
        A target that cannot be analysed has a row with its error.

    Examples
    --------
    >>> found = table(["z1", "z1 +", "z1*z2"])
    >>> [row.error is None for row in found]
    [True, False, True]
    """
    chosen = None if activation is None else Activation.of(activation)
    targets = _several(targets)
    if executor is None:
        return Table(rows=tuple(rows_of(targets, activation=chosen, seconds=seconds, workers=workers)))
    rows: list[TableRow] = []
    try:
        for row in on_executor(_row, _jobs(targets, chosen, seconds), executor):
            rows.append(row)
    except ExecutorEnded as error:
        raise ExecutorEnded(str(error), Table(rows=tuple(rows))) from error
    return Table(rows=tuple(rows))


def _several(targets: object) -> Iterable[Any]:
    """Targets one by one; a single one is given in any form that a target has."""
    is_array = isinstance(targets, np.ndarray) and targets.dtype.kind in "iuf"
    if is_array or isinstance(targets, str | Target | Expr):
        return (targets,)
    if isinstance(targets, Iterable):
        return targets
    what = _name(targets)
    raise InputError(
        f'the targets are {what}; accepted: a list of targets, for example ["z1", "sign(z1*z2)"]'
    )


def _name(target: object) -> str:
    """What was given, in one line and without an address."""
    if isinstance(target, str | Target | Expr):
        return str(target)
    if callable(target):
        return f"the function {getattr(target, '__name__', type(target).__name__)}"
    text = " ".join(repr(target).split())
    return text if len(text) <= _NAME else f"{text[: _NAME - 4]} ..."


def rows_of(
    targets: Iterable[Target | TargetText],
    *,
    activation: Activation | None,
    seconds: float,
    workers: int,
    scheduler: str | None = None,
) -> Iterator[TableRow]:
    """The rows one by one, in the order of the targets."""
    jobs = _jobs(targets, activation, seconds)
    return in_order(_row, jobs, workers=workers, scheduler=scheduler, lost=lambda job: _failed(job, _LOST))


def _jobs(
    targets: Iterable[Target | TargetText], activation: Activation | None, seconds: float
) -> Iterator[_Job]:
    return (_Job(target=target, activation=activation, seconds=seconds) for target in targets)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Job:
    target: Target | TargetText
    activation: Activation | None
    seconds: float


def _row(job: _Job) -> TableRow:
    """The row of one target; whatever goes wrong with it is kept in it."""
    try:
        a = Analysis(job.target, activation=job.activation, seconds=job.seconds)
        name = job.target if isinstance(job.target, str) else a.name
        return TableRow(target=name, answers=a.document(), error=None)
    except HermiteAnalyticsError as error:
        return _failed(job, _one_line(str(error)))
    except Exception as error:  # a fault of ours must not lose the other targets
        return _failed(job, f"internal error: {type(error).__name__}: {' '.join(str(error).split())}")


def _one_line(error: str) -> str:
    """An error without the line of its caret.

    Examples
    --------
    >>> _one_line("division is not accepted here\\n  1/z1\\n   ^")
    'division is not accepted here; given: 1/z1'
    """
    lines = [line.strip() for line in error.splitlines() if line.strip(" ^")]
    return "; given: ".join(" ".join(line.split()) for line in lines)


def _failed(job: _Job, reason: str) -> TableRow:
    return TableRow(target=_name(job.target), answers=None, error=reason)


def _cells(row: TableRow) -> list[str]:
    d = row.answers
    return [f"error: {row.error}"] if d is None else [show(d) for show in _COLUMNS.values()]


def _or_open(value: object) -> str:
    return "?" if value is None else str(value)


def _exponent(e: dict[str, Any]) -> str:
    return f">={e['at_least']}" if e["value"] is None else str(e["value"])


def _number(q: dict[str, Any]) -> str:
    if q["exact"] is not None and len(q["exact"]) <= 8 and q["value"] != "inf":
        return str(q["exact"])
    value = q["value"]
    return "?" if value is None else (value if isinstance(value, str) else f"{value:.6g}")


def _steps(s: dict[str, Any]) -> str:
    """The dimensions, as 0-1-3, and the order of each step where it is not 1."""
    climbed = "".join(
        f"-{dimension}" + (f"({order})" if order > 1 else "")
        for dimension, order in zip(s["dimensions"][1:], s["orders"], strict=False)
    )
    return "0" + climbed + ("?" if s["limit_dimension"] is None else "")
