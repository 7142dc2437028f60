"""A grid of points piece by piece: within a time, over processes, in memory or into a file of columns."""

from __future__ import annotations

import functools
import uuid
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, TypeAlias

from hermite_analytics.cli.given import Given
from hermite_analytics.cli.output import json_of, progress_bar
from hermite_analytics.cli.solve.answer import answer
from hermite_analytics.cli.solve.found import Found, Said
from hermite_analytics.cli.solve.pieces import (
    columns_of,
    pieces_of,
    points_in,
    rows_without_answer,
    shape_of,
    size_of_pieces,
)
from hermite_analytics.errors import ExecutorEnded, HermiteAnalyticsError, InputError
from hermite_analytics.foundation.clock import Limit, TimeEnded, excuse_compilation, within

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from hermite_analytics.rendering.points_file import PointsFile


__all__ = ["Part", "Stored", "Sweep", "in_memory", "into_file"]

_TIME_ENDED = "time_ended"
_KEPT = "what was computed is kept where --out names a file in .npz: the same command goes on from there"

Rows: TypeAlias = "Sequence[Mapping[str, Any]]"


@dataclass(frozen=True, slots=True, kw_only=True)
class Sweep:
    """How a grid is solved.

    Attributes
    ----------
    seconds : float > 0, optional
        Of each process, from its first piece on.
    workers : int >= 1
        Processes; 1 is this one.
    scheduler : str, optional
        Address of a Dask scheduler whose workers compute instead.
    """

    seconds: float | None
    workers: int
    scheduler: str | None = None
    _token: str = field(default_factory=lambda: uuid.uuid4().hex)

    def parts(self, pieces: Iterable[Given], *, as_columns: bool) -> Iterator[Part | None]:
        """What is found of each piece, in order; None where the time ended.

        Digits depend neither on the number of processes, where there are several, nor on where a run into a
        file was interrupted.
        """
        from hermite_analytics.executors.ordered import in_order

        jobs = (
            _Job(
                given=piece,
                seconds=self.seconds,
                token=self._token,
                as_columns=as_columns,
                at_once=as_columns or self.workers > 1 or self.scheduler is not None,
            )
            for piece in pieces
        )
        try:
            yield from in_order(_solved, jobs, workers=self.workers, scheduler=self.scheduler, lost=_lost)
        except ExecutorEnded as error:
            raise InputError(f"{error}; {_KEPT}") from error


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """What was found of a piece: its rows, or its columns."""

    said: Said
    echo: Mapping[str, object]
    rows: Rows = ()
    columns: Mapping[str, NDArray[np.generic]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Stored:
    """What stands in a file of columns.

    Attributes
    ----------
    said : Said
    echo : mapping
        The flags as a document repeats them.
    path : str
    shape : mapping of str to int
        The lists of several values, slowest first.
    statuses : mapping of str to int
        How many points ended how.
    """

    said: Said
    echo: Mapping[str, object]
    path: str
    shape: Mapping[str, int]
    statuses: Mapping[str, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Job:
    given: Given
    seconds: float | None
    token: str
    as_columns: bool
    at_once: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class _Kept:
    """What a process keeps from piece to piece."""

    models: dict[str, Any]
    limit: Limit | None


@functools.lru_cache(maxsize=1)
def _kept(token: str, seconds: float | None, interrupts: bool) -> _Kept:
    limit = None if seconds is None else Limit(seconds, interrupts=interrupts)
    return _Kept(models={}, limit=limit)


def _solved(job: _Job) -> Part | None:
    from hermite_analytics.codegen.auto_backend.tiers import compiled_at_once

    with compiled_at_once() if job.at_once else nullcontext():
        return _within_its_time(job)


def _within_its_time(job: _Job) -> Part | None:
    # a solver that takes the time itself hands back what it has
    interrupts = not any(p.name == "seconds" and p.to == "solve" for p in job.given.record.parameters)
    kept = _kept(job.token, job.seconds, interrupts)
    given = replace(job.given, models=kept.models, threads=1)
    limit = kept.limit
    if limit is None:
        return _part(answer(given), job)
    if interrupts and limit.has_ended():
        return None
    excuse_compilation()
    try:
        with within(limit):
            return _part(answer(given), job)
    except TimeEnded:
        return None
    except HermiteAnalyticsError as error:
        if limit.has_ended() or isinstance(error.__context__, TimeEnded):  # a refusal for want of time
            return None
        raise


def _part(found: Found, job: _Job) -> Part:
    said = Said.of(found.solution)
    if not job.as_columns:
        return Part(said=said, echo=found.echo, rows=found.rows())
    columns = columns_of(found.rows()) if found.arrays is None else found.arrays()
    return Part(said=said, echo=found.echo, columns=columns)


def _lost(job: _Job) -> Part:
    raise InputError(f"a worker ended without an answer (out of memory, or ended from outside); {_KEPT}")


def in_memory(given: Given, sweep: Sweep) -> Found:
    """The rows of all points."""
    pieces = list(pieces_of(given, size_of_pieces(given)))
    parts: list[Part | None] = []
    with progress_bar("solving") as progress:
        for part in sweep.parts(pieces, as_columns=False):
            parts.append(part)
            progress(len(parts), len(pieces))
    first = next((part for part in parts if part is not None), None)
    like = first.rows[0] if first is not None and first.rows else None
    rows = [
        row
        for piece, part in zip(pieces, parts, strict=True)
        for row in (rows_without_answer(piece, like) if part is None else part.rows)
    ]
    return Found(solution=_said(given, first), rows=lambda: rows, echo=_echo(given, first))


def into_file(given: Given, sweep: Sweep, path: str) -> Stored:
    """The file of all points; one that an interrupted run of the same problem has left goes on."""
    from hermite_analytics.rendering.points_file import PointsFile
    from hermite_analytics.rendering.provenance import versions

    shape = shape_of(given)
    problem = {
        "hermite_analytics": versions()["hermite_analytics"],
        "model": given.record.name,
        "parameters": json_of(given.problem()),
        "axes": list(shape),
    }
    file = PointsFile.opened(path, problem, shape)
    try:
        return _stored(given, sweep, file)
    finally:
        file.release()


def _stored(given: Given, sweep: Sweep, file: PointsFile) -> Stored:
    import numpy as np

    pieces = list(pieces_of(given, size_of_pieces(given)))
    try:
        first = _kept_pieces(file, pieces, sweep)
    except HermiteAnalyticsError:
        file.forget_if_empty()
        raise
    is_nothing_known = not any(file.has(number) for number in range(len(pieces)))

    def missing(number: int) -> Mapping[str, NDArray[np.generic]]:
        piece = pieces[number]
        if is_nothing_known:
            return columns_of(rows_without_answer(piece, None))
        status = np.full(points_in(piece), _TIME_ENDED)
        return {"status": status, **piece.axes([p.name for p in piece.lists])}

    return Stored(
        said=_said(given, first),
        echo=_echo(given, first),
        path=str(file.path),
        shape=file.shape,
        statuses=file.finish(len(pieces), missing),
    )


def _kept_pieces(file: PointsFile, pieces: Sequence[Given], sweep: Sweep) -> Part | None:
    """Solve and keep those that are not in the file; the first that was solved."""
    left = [number for number in range(len(pieces)) if not file.has(number)]
    first: Part | None = None
    with progress_bar("solving") as progress:
        parts = sweep.parts((pieces[number] for number in left), as_columns=True)
        for done, (number, part) in enumerate(zip(left, parts, strict=True), len(pieces) - len(left) + 1):
            if part is not None:
                first = first or part
                if not (part.columns["status"].astype(str) == _TIME_ENDED).any():  # else it is solved again
                    file.keep(number, part.columns)
            progress(done, len(pieces))
    return first


def _said(given: Given, first: Part | None) -> Said:
    record = given.record
    return Said(model=record.name, remarks=(), citation=record.sources) if first is None else first.said


def _echo(given: Given, first: Part | None) -> Mapping[str, object]:
    """The parameters of the whole grid, in the form in which a piece prints its own."""
    whole = given.echo()
    return whole if first is None else {name: whole.get(name, value) for name, value in first.echo.items()}
