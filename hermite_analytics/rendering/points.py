"""From a frame to lines: the abscissa, the values, and one line for each choice of the other parameters."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hermite_analytics.errors import InputError
from hermite_analytics.foundation.numpy_arrays import Array
from hermite_analytics.rendering.drawing import Drawing
from hermite_analytics.rendering.frame import Frame, Record, Role, Scalar, entries_of

__all__ = ["Chosen", "Line", "choose", "is_logarithmic", "lines_of", "parameters_of", "require"]

_MOST_LINES = 24
_FEW = 4  # of fewer places one does not see what grid they are, unless their ratios are equal
_ROUNDED = 1e-6  # deviations of equal ratios in grids of a few digits
_WIDE = 30.0  # a ratio that spans more is logarithmic, whatever its grid


@dataclass(frozen=True, slots=True, kw_only=True)
class Chosen:
    """What is drawn against what.

    Attributes
    ----------
    rows : list of records
    x : str
    values : tuple of str
    others : tuple of str
        The other parameters that vary; one line for each choice of them.
    """

    rows: list[Record]
    x: str
    values: tuple[str, ...]
    others: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One value along the abscissa, at one choice of the other parameters; standard errors if it has any."""

    value: str
    choice: tuple[Scalar, ...]
    x: Array
    y: Array
    error: Array | None = None


def choose(drawing: Drawing, x: str | None, y: str | Sequence[str] | None) -> Chosen:
    """The abscissa, the values and the other parameters.

    Raises
    ------
    InputError
        If a name is unknown, or nothing varies.
    """
    rows = drawing.frame.records()
    parameters = parameters_of(drawing.frame, rows)
    place = _abscissa(drawing, rows, parameters, x)
    values = _values(drawing, rows, y)
    # what follows from the abscissa, or from parameters in front, makes no lines of its own
    order = [n for n in (rows[0] if rows else ()) if n in parameters and n != place]
    others = _independent(rows, place, order)
    count = len({tuple(row[n] for n in others) for row in rows})
    if count * len(values) > _MOST_LINES:
        raise InputError(
            f"{count} values of {', '.join(others)} are {count * len(values)} lines; accepted: at most "
            f"{_MOST_LINES}. Draw a map with heat={values[0]!r}, or solve for fewer values"
        )
    return Chosen(rows=rows, x=place, values=values, others=others)


def parameters_of(frame: Frame, rows: list[Record]) -> list[str]:
    """The parameters that vary, numbers and words."""
    names = [n for n in (rows[0] if rows else ()) if frame.column(n).role is Role.PARAMETER]
    return [name for name in names if len({_comparable(row[name]) for row in rows}) > 1]


def _independent(rows: list[Record], place: str, names: Sequence[str]) -> tuple[str, ...]:
    kept: list[str] = [place]
    count = len({row[place] for row in rows})
    for name in names:
        with_it = len({tuple(_comparable(row[n]) for n in (*kept, name)) for row in rows})
        if with_it > count:
            kept, count = [*kept, name], with_it
    return tuple(kept[1:])


def _abscissa(drawing: Drawing, rows: list[Record], parameters: list[str], x: str | None) -> str:
    numeric = [n for n in parameters if all(isinstance(row[n], int | float) for row in rows)]
    if x is not None:
        require(x, list(rows[0]) if rows else [], "x")
        if not all(isinstance(row[x], int | float) for row in rows):
            raise InputError(f"x is {x!r}, which is no number; accepted: {', '.join(numeric) or 'none here'}")
        return x
    if drawing.against in numeric:
        return drawing.against
    if not numeric:
        one = "it is one point" if len(rows) == 1 else "no number varies"
        raise InputError(f"nothing to draw of {drawing.frame.title}: {one}; {_remedy(drawing.frame)}")
    # of a size and its ratio the ratio, which says what it is
    return max(numeric, key=lambda n: (len({row[n] for row in rows}), bool(drawing.frame.column(n).formula)))


def _remedy(frame: Frame) -> str:
    # what a record explains is a parameter that can be given, and a number of a step or stage is none
    names = [n for n in frame.names if frame.column(n).role is Role.PARAMETER and frame.column(n).help]
    if not names:
        return "print it, or ask for its records()"
    example = "alpha" if "alpha" in names else names[0]
    return f"accepted: several values of a parameter, as {example}=[0.5, 1, 2]"


def _values(drawing: Drawing, rows: list[Record], y: str | Sequence[str] | None) -> tuple[str, ...]:
    names = list(rows[0])
    wanted = drawing.values if y is None else (y,) if isinstance(y, str) else tuple(y)
    numeric = [n for n in names if isinstance(rows[0][n], int | float)]
    drawable = [n for n in numeric if drawing.frame.column(n).role is Role.VALUE]
    found: list[str] = []
    for name in wanted or drawable[:1]:
        entries = [n for n in entries_of(names, name) if n in numeric]
        if not entries and y is not None:
            require(name, drawable, "y")
        found += [n for n in entries if y is not None or not _is_empty([row[n] for row in rows])]
    if not found:
        raise InputError(f"nothing to draw of {drawing.frame.title}: no value is known")
    return tuple(dict.fromkeys(found))


def require(name: str, accepted: Sequence[str], what: str) -> None:
    """Refuse a name that is not among those accepted."""
    if name not in accepted:
        shown = ", ".join(accepted)
        raise InputError(
            f"{what} is {name!r}; accepted: {shown if len(shown) <= 300 else shown[:296] + ' ...'}"
        )


def lines_of(chosen: Chosen, *, sorts: bool = True) -> list[Line]:
    """All lines, those of one choice beside each other."""
    groups: dict[tuple[Scalar, ...], list[Record]] = {}
    for row in chosen.rows:
        groups.setdefault(tuple(row[name] for name in chosen.others), []).append(row)
    lines = []
    for choice, rows in groups.items():
        x = np.array([row[chosen.x] for row in rows], dtype=float)
        order = np.argsort(x, kind="stable") if sorts else np.arange(x.size)
        for value in chosen.values:
            y = np.array([row[value] for row in rows], dtype=float)
            error = None
            if f"{value}_stderr" in rows[0]:
                error = np.nan_to_num(np.array([row[f"{value}_stderr"] for row in rows], dtype=float))[order]
            lines.append(Line(value=value, choice=choice, x=x[order], y=y[order], error=error))
    return lines


def is_logarithmic(values: Array) -> bool:
    """Whether a grid is closer to a geometric than to an arithmetic one, or spans a wide ratio.

    Examples
    --------
    >>> is_logarithmic(np.geomspace(0.1, 5, 60)), is_logarithmic(np.linspace(0.1, 5, 60))
    (True, False)
    >>> is_logarithmic(np.array([0.25, 1, 4])), is_logarithmic(np.array([1.0, 1.5, 2.5]))
    (True, False)
    """
    places = np.unique(values[np.isfinite(values)])
    if places.size < 3 or places[0] <= 0.0:
        return False
    is_wide = places[-1] > _WIDE * places[0]
    steps, ratios = np.diff(places), np.diff(np.log(places))
    uneven, uneven_ratios = np.std(steps) / np.mean(steps), np.std(ratios) / np.mean(ratios)
    if places.size < _FEW and not is_wide and uneven_ratios > _ROUNDED:
        return False
    return bool(uneven_ratios < uneven and (uneven > 0.05 or is_wide))


def _is_empty(cells: Sequence[Scalar]) -> bool:
    return all(isinstance(cell, float) and math.isnan(cell) for cell in cells)


def _comparable(cell: Scalar) -> Scalar:
    return "nan" if isinstance(cell, float) and math.isnan(cell) else cell
