"""Lines of a frame, points of simulations over them, maps, marks, and the file they go to."""

from __future__ import annotations

import contextlib
import math
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from hermite_analytics.errors import InputError
from hermite_analytics.rendering.drawing import Drawing, Mark, Marked, marks_of
from hermite_analytics.rendering.figure import (
    DASHES,
    MARKERS,
    STYLE,
    colours,
    legend,
    logarithmic,
    new_axes,
    save,
)
from hermite_analytics.rendering.files import figure_path
from hermite_analytics.rendering.frame import Column, Frame, entries_of
from hermite_analytics.rendering.heat import draw_heat
from hermite_analytics.rendering.overlay import draw_points, points_over
from hermite_analytics.rendering.points import Chosen, Line, choose, is_logarithmic, lines_of

if TYPE_CHECKING:
    from hermite_analytics.rendering.result import Result

__all__ = ["Request", "plotted"]

_TALL = 100.0  # positive values that span more are drawn on a logarithmic axis
_GREY = "0.45"


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What is asked of a plot; see `Result.plot`."""

    x: str | None = None
    y: str | Sequence[str] | None = None
    heat: str | None = None
    simulation: Result | Sequence[Result] | None = None
    thresholds: Marked | None = None
    label: str | None = None


def plotted(
    drawing: Drawing, request: Request, ax: Axes | str | Path | None = None, path: str | Path | None = None
) -> Axes:
    """Draw onto axes, or new ones, and write them to a file if one is named."""
    if isinstance(ax, str | os.PathLike):
        if path is not None:
            raise InputError(f"plot is given the files {str(ax)!r} and {str(path)!r}; accepted: one of them")
        ax, path = None, ax
    if ax is not None and not isinstance(ax, Axes):
        raise InputError(f"ax is {ax!r}; accepted: axes of matplotlib, or the name of a file")
    if path is not None:
        figure_path(path)  # a name that cannot be is refused before the work
    with mpl.rc_context(STYLE) if ax is None else contextlib.nullcontext():
        if request.heat is not None:
            chosen = None
            axes = draw_heat(drawing, request.heat, request.x, request.y, lambda: _axes(ax, path))
        else:
            chosen = choose(drawing, request.x, request.y)
            axes = _axes(ax, path)
            _draw(axes, drawing, chosen, request, own=ax is None)
        if path is not None:
            save(axes, path)
    return axes


def _axes(ax: Axes | None, path: str | Path | None) -> Axes:
    return new_axes(shown=path is None) if ax is None else ax


def _draw(axes: Axes, drawing: Drawing, chosen: Chosen, request: Request, *, own: bool) -> None:
    lines = lines_of(chosen, sorts=drawing.sorts)
    marks = [m for m in (*drawing.marks, *marks_of(request.thresholds)) if drawing.jumps or m.jump is None]
    drawn_before = len(axes.get_lines())
    looks = _looks(lines, chosen, skip=drawn_before)
    for line, look in zip(lines, looks, strict=True):
        name = _label(drawing.frame, chosen, line, request.label)
        if drawing.points:
            draw_points(axes, line.x, line.y, line.error, look, name)
        else:
            axes.plot(*_interrupted(line, marks), color=look["colour"], label=name, linestyle=look["dash"])
    if request.simulation is not None:
        points_over(axes, drawing.frame, chosen, lines, looks, request.simulation)
    _floors(axes, drawing, chosen)
    if drawn_before == 0:
        _scales(axes, lines, linear=drawing.linear)
        if all(isinstance(row[chosen.x], int) for row in chosen.rows):  # steps
            axes.xaxis.set_major_locator(MaxNLocator(integer=True))
        axes.set_xlabel(drawing.frame.column(chosen.x).label)
        axes.set_ylabel(_ordinate(drawing, chosen))
    _mark(axes, marks)
    if len(axes.get_legend_handles_labels()[1]) > 1 or request.label:
        legend(axes, own=own)


def _looks(lines: Sequence[Line], chosen: Chosen, skip: int = 0) -> list[dict[str, str]]:
    """A colour for each choice of the other parameters and a dash for each value; one choice has both."""
    choices = list(dict.fromkeys(line.choice for line in lines))
    single = len(choices) == 1
    palette = colours(skip + (len(chosen.values) if single else len(choices)))[skip:]
    found = []
    for line in lines:
        value = chosen.values.index(line.value)
        found.append(
            {
                "colour": palette[value if single else choices.index(line.choice)],
                "dash": DASHES[value % len(DASHES)],
                "marker": MARKERS[value % len(MARKERS)],
            }
        )
    return found


def _label(frame: Frame, chosen: Chosen, line: Line, first: str | None) -> str:
    """The value, if there are several, then the other parameters: "train error, $\\beta = 2$"."""
    parts = [first] if first else []
    if len(chosen.values) > 1 or not (chosen.others or first):
        parts.append(_name(frame, line.value))
    parts += [_setting(frame.column(name), x) for name, x in zip(chosen.others, line.choice, strict=True)]
    return ", ".join(parts)


def _setting(column: Column, value: object) -> str:
    if isinstance(value, str):
        return value
    if not column.symbol:
        return f"{column.words} {value:.4g}"
    number = r"\infty" if value == math.inf else f"{value:.4g}"
    return f"${column.symbol} = {number}$"


def _name(frame: Frame, name: str) -> str:
    """A value in words or as a letter; an entry of a matrix with its place as subscript."""
    column = frame.column(name)
    if column.symbol:
        return column.mathematics
    words = name.split("_")
    place = "".join(w for w in words if w.isdigit())
    text = " ".join(w for w in words if not w.isdigit())
    return f"{text} $_{{{place}}}$" if place else text


def _ordinate(drawing: Drawing, chosen: Chosen) -> str:
    if len(chosen.values) == 1:
        name = chosen.values[0]
        column = drawing.frame.column(name)
        return column.label if column.symbol or column.formula else _name(drawing.frame, name)
    if drawing.ordinate:
        return drawing.ordinate
    last = {name.split("_")[-1] for name in chosen.values}
    return (
        last.pop()
        if len(last) == 1
        else ", ".join(dict.fromkeys(_name(drawing.frame, n) for n in chosen.values))
    )


def _scales(axes: Axes, lines: Sequence[Line], *, linear: bool) -> None:
    x = np.concatenate([line.x for line in lines])
    if is_logarithmic(x):
        logarithmic(axes, "x", x[np.isfinite(x)])
    y = np.concatenate([line.y for line in lines])
    y = y[np.isfinite(y)]
    if not linear and y.size > 2 and np.min(y) > 0.0 and np.max(y) > _TALL * np.min(y):
        logarithmic(axes, "y", y)


def _interrupted(line: Line, marks: Sequence[Mark]) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """A line with a gap where it jumps."""
    places = [mark.place for mark in marks if mark.jump is not None]
    inside = [p for p in places if line.x.size and line.x[0] < p < line.x[-1]]
    at = np.searchsorted(line.x, inside)
    return np.insert(line.x, at, inside), np.insert(line.y, at, np.nan)


def _floors(axes: Axes, drawing: Drawing, chosen: Chosen) -> None:
    shown = {n for value in drawing.values for n in entries_of(chosen.values, value)}
    for name in drawing.floors if shown else ():
        levels = {row.get(name) for row in chosen.rows}
        level = levels.pop() if len(levels) == 1 else None
        if isinstance(level, int | float) and math.isfinite(level):
            axes.axhline(
                level, color=_GREY, linewidth=0.8, linestyle=(0, (1, 1)), label=name.replace("_", " ")
            )


def _mark(axes: Axes, marks: Sequence[Mark]) -> None:
    low, high = axes.get_xlim()
    named: set[str] = set()
    for mark in marks:
        if not math.isfinite(mark.place) or (mark.axis == "x" and not low <= mark.place <= high):
            continue
        if mark.jump is not None:
            axes.plot([mark.place, mark.place], mark.jump, ":", color=_GREY, linewidth=0.9)
        elif mark.axis == "y":
            label = None if mark.name in named else mark.name
            axes.axhline(mark.place, color=_GREY, linewidth=0.8, linestyle="--", label=label)
        else:
            axes.axvline(mark.place, color=_GREY, linewidth=0.8, linestyle="--")
            top = axes.get_xaxis_transform()
            if mark.name not in named:
                axes.text(
                    mark.place, 0.98, mark.name, rotation=90, va="top", ha="right", fontsize=6, transform=top
                )
        named.add(mark.name)
    axes.set_xlim(low, high)
