"""A frame as a data frame of pandas, a dataset of xarray, or comma-separated values."""

from __future__ import annotations

import csv
import io
import math
from types import ModuleType
from typing import TYPE_CHECKING, Any

from hermite_analytics.errors import InputError
from hermite_analytics.rendering.frame import Frame, Record, Role, Scalar

if TYPE_CHECKING:
    import pandas
    import xarray

__all__ = ["csv_of", "dataframe_of", "dataset_of", "varied"]


def csv_of(frame: Frame) -> str:
    """A header, and one line a row; numbers with all digits, inf and nan as such."""
    rows = frame.records()
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(rows[0] if rows else frame.names)
    writer.writerows([_written(cell) for cell in row.values()] for row in rows)
    return out.getvalue()


def _written(cell: Scalar) -> str:
    if cell is None:
        return ""
    return repr(cell) if isinstance(cell, float) else str(cell)


def dataframe_of(frame: Frame) -> pandas.DataFrame:
    """One row a record; `attrs` has the parameters that all share, and the sources.

    Raises
    ------
    InputError
        If pandas is not installed.
    """
    library = _library("pandas", "to_dataframe")
    rows = frame.records()
    found: pandas.DataFrame = library.DataFrame(rows, columns=list(rows[0]) if rows else list(frame.names))
    found.attrs |= _attributes(frame)
    return found


def dataset_of(frame: Frame) -> xarray.Dataset:
    """The records over the parameters that vary; over `point` where they do not span a whole grid.

    Raises
    ------
    InputError
        If xarray is not installed.
    """
    library = _library("xarray", "to_xarray")
    import numpy as np

    rows = frame.records()
    axes = _axes(frame, rows)
    names = list(rows[0]) if rows else []
    if axes is None:
        columns = {name: ("point", np.array([row[name] for row in rows])) for name in names}
        found: xarray.Dataset = library.Dataset(columns)
    else:
        place = {name: {value: j for j, value in enumerate(values)} for name, values in axes.items()}
        shape = tuple(len(values) for values in axes.values())
        data: dict[str, Any] = {}
        for name in (n for n in names if n not in axes):
            cells = np.empty(shape, dtype=object)
            for row in rows:
                cells[tuple(place[axis][row[axis]] for axis in axes)] = row[name]
            whole = np.array(cells.tolist())
            data[name] = (tuple(axes), whole.reshape(shape))
        found = library.Dataset(data, coords=dict(axes))
    for name in names:
        found[name].attrs |= {"long_name": frame.column(name).label, "description": frame.column(name).help}
    found.attrs |= _attributes(frame)
    return found


def varied(frame: Frame, rows: list[Record]) -> list[str]:
    """Parameters that vary, without those that follow from others before them."""
    names = [n for n in (rows[0] if rows else ()) if frame.column(n).role is Role.PARAMETER]
    kept: list[str] = []
    count = 1
    for name in names:
        with_it = len({tuple(map(_key, (row[n] for n in (*kept, name)))) for row in rows})
        if with_it > count:
            kept, count = [*kept, name], with_it
    return kept


def _axes(frame: Frame, rows: list[Record]) -> dict[str, list[Scalar]] | None:
    """The values of each varied parameter; None where they do not span the rows, each once."""
    names = varied(frame, rows)
    axes = {name: list(dict.fromkeys(row[name] for row in rows)) for name in names}
    points = {tuple(row[name] for name in names) for row in rows}
    whole = math.prod(len(values) for values in axes.values())
    return axes if whole == len(points) == len(rows) else None


def _key(cell: Scalar) -> Scalar:
    """NaN equals NaN."""
    return "nan" if isinstance(cell, float) and math.isnan(cell) else cell


def _attributes(frame: Frame) -> dict[str, Any]:
    fixed = {
        name: value if isinstance(value, int | float) else str(value) for name, value in frame.fixed.items()
    }
    return {"title": frame.title, **fixed, "sources": frame.sources}


def _library(name: str, asked: str) -> ModuleType:
    import importlib

    try:
        return importlib.import_module(name)
    except ImportError:
        raise InputError(
            f"{asked} needs {name}, which is not installed: pip install 'hermite-analytics[{name}]'; "
            "records() and to_csv() need nothing"
        ) from None
