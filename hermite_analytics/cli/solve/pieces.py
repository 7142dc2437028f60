"""A grid of points in pieces, each a grid of its own; what a piece is where its time ended."""

from __future__ import annotations

import itertools
import math
import shutil
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_args, get_origin

from hermite_analytics.cli.given import Given
from hermite_analytics.errors import InputError
from hermite_analytics.numeric.models.record import Result
from hermite_analytics.numeric.status import Status

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = [
    "check_room",
    "columns_of",
    "pieces_of",
    "points_in",
    "rows_without_answer",
    "shape_of",
    "size_of_pieces",
]

_PIECES, _LARGEST = 128, 8192
_MOST_ROWS = 100_000  # of .8 GB
_COLUMN, _COLUMNS = 8, 10  # bytes of a number, numbers of a point


def shape_of(given: Given) -> dict[str, int]:
    """The lists of several values by name, slowest first, with their lengths."""
    lists = {p.name for p in given.lists if given[p.name] is not None}
    sizes = {name: len(given[name]) for name in given.values if name in lists}
    return {name: size for name, size in sizes.items() if size > 1}


def points_in(given: Given) -> int:
    """How many."""
    return math.prod(shape_of(given).values())


def check_room(given: Given, path: str | None) -> None:
    """Refuse more points than can be printed, or than the disk has room for in a file of columns.

    A row of results takes some kilobytes, and all are in memory until the last is printed.

    Raises
    ------
    InputError
    """
    count = points_in(given)
    if path is None:
        if count > _MOST_ROWS:
            raise InputError(
                f"{count} points are too many to print; accepted: up to {_MOST_ROWS}, or --out FILE.npz, "
                "which takes any number of them"
            )
        return
    free, needed = shutil.disk_usage(Path(path).parent).free, _COLUMN * _COLUMNS * count
    if needed > free:
        shown = " x ".join(f"{name} {size}" for name, size in shape_of(given).items())
        raise InputError(
            f"a grid of {count:.3g} points ({shown}) takes some {1e-9 * needed:.3g} GB, and "
            f"{1e-9 * free:.3g} GB are free; accepted: fewer points"
        )


def size_of_pieces(given: Given) -> int:
    """Points of a piece: at least 128 pieces, and none that is large; the same however it is solved."""
    return min(max(points_in(given) // _PIECES, 1), _LARGEST)


def pieces_of(given: Given, size: int) -> Iterator[Given]:
    """Parts of the grid of at most `size` points, in its order: rows of one follow those of the last."""
    shape = shape_of(given)
    names, inner = list(shape), 1
    whole: list[str] = []
    while names and inner * shape[names[-1]] <= size:
        inner *= shape[names[-1]]
        whole.append(names.pop())
    steps = dict.fromkeys(names, 1)
    if names:
        steps[names[-1]] = max(size // inner, 1)
    slices = [
        [given[name][j : j + steps[name]] for j in range(0, shape[name], steps[name])] for name in names
    ]
    for chosen in itertools.product(*slices):
        yield given.read(**dict(zip(names, chosen, strict=True)))


def rows_without_answer(given: Given, like: Mapping[str, Any] | None) -> list[dict[str, Any]]:
    """A row a point of a piece that was not solved in its time.

    Parameters
    ----------
    given : Given
    like : mapping, optional
        A row that was found, for the groups and lists that rows have; by default those of the record.
    """
    fields = {r.name: _blank(r) for r in given.record.row() if r.always}
    template = fields if like is None else {name: _emptied(value) for name, value in like.items()}
    own = {"status": str(Status.TIME_ENDED), "iterations": 0}
    known = {p.name: p.default for p in given.record.parameters if p.default is not None}
    known |= {name: value for name, value in given.values.items() if isinstance(value, str)}
    points = given.points([p.name for p in given.lists])
    points = [{name: value for name, value in point.items() if value is not None} for point in points]
    shown = {r.name for r in given.record.row()}
    return [
        {name: (known | point | own).get(name, blank) for name, blank in template.items()}
        | {name: value for name, value in point.items() if name in shown}
        for point in points
    ]


def _blank(result: Result) -> object:
    return _nothing(result.shape)


def _nothing(shape: object) -> object:
    if isinstance(shape, tuple):
        return {part.name: _blank(part) for part in shape if part.always}
    if isinstance(shape, list):
        return []
    if get_origin(shape) is Annotated:
        return _nothing(get_args(shape)[0])
    return [_nothing(get_args(shape)[0])] if get_origin(shape) is list else None


def _emptied(value: object) -> object:
    if isinstance(value, Mapping):
        return {name: _emptied(part) for name, part in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [_emptied(part) for part in value]
    return value if isinstance(value, str) and value not in ("inf", "-inf") else None


def columns_of(rows: Sequence[Mapping[str, Any]]) -> dict[str, NDArray[np.generic]]:
    """Rows as flat columns, one entry a row."""
    import numpy as np

    from hermite_analytics.rendering import Frame

    records = Frame(title="", rows=tuple(rows)).records()
    names = list(records[0]) if records else []
    return {name: np.array(_column([record[name] for record in records])) for name in names}


def _column(cells: Sequence[object]) -> list[object]:
    """Cells of one type: a word that is not there is empty, a number NaN."""
    nothing: object = "" if any(isinstance(cell, str) for cell in cells) else math.nan
    return [nothing if cell is None else cell for cell in cells]
