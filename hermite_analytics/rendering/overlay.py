"""The points of simulations over the lines of their theory: the same parameters, or a refusal."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from matplotlib.axes import Axes

from hermite_analytics.errors import InputError
from hermite_analytics.foundation.numpy_arrays import Array
from hermite_analytics.rendering.frame import Frame, Record, Role, Scalar
from hermite_analytics.rendering.points import Chosen, Line

if TYPE_CHECKING:
    from hermite_analytics.rendering.result import Result

__all__ = ["draw_points", "points_over"]

# sizes are rounded to integers, so ratios of a simulation differ from those asked for
_CLOSE = 0.02
# a size of a run, or how it was run, is no parameter of the limit
_OF_A_RUN = frozenset({"d", "n", "p", "n0", "seeds", "seed", "first_seed", "device", "dtype", "model"})


def points_over(
    axes: Axes,
    frame: Frame,
    chosen: Chosen,
    lines: Sequence[Line],
    looks: Sequence[Mapping[str, str]],
    simulation: Result | Sequence[Result],
) -> None:
    """Draw means with one standard error, each in the colour of its line.

    Raises
    ------
    InputError
        If a simulation measured none of the values, lies on none of the lines, or has other parameters.
    """
    runs = simulation if isinstance(simulation, list | tuple) else [simulation]
    for number, run in enumerate(runs):
        if not hasattr(run, "frame"):
            raise InputError(f"simulation is {run!r}; accepted: what `simulate` returns, or several of them")
        found = run.frame()
        rows = found.records()
        shared = [name for name in chosen.values if rows and f"{name}_stderr" in rows[0]]
        if not shared:
            raise InputError(
                f"the simulation measured none of {', '.join(chosen.values)}; accepted: one that did, "
                "or other values by y="
            )
        _check(frame, chosen, found)
        measured = [pair for pair in zip(lines, looks, strict=True) if pair[0].value in shared]
        _draw(axes, chosen, measured, rows, found, first=number == 0)


def _draw(
    axes: Axes,
    chosen: Chosen,
    measured: Sequence[tuple[Line, Mapping[str, str]]],
    rows: list[Record],
    found: Frame,
    *,
    first: bool,
) -> None:
    """One series a line and value."""
    drawn = 0
    size = found.fixed.get("d", rows[0].get("d"))
    for line, look in measured:
        on_it = [row for row in rows if _is_on(row, found, chosen, line)]
        if not on_it:
            continue
        name = f"simulation, $d = {size}$"  # once, also where several figures are drawn on the same axes
        named = first and size is not None and name not in axes.get_legend_handles_labels()[1]
        places = [_at(row, found, chosen.x) for row in on_it]
        means = [_number(row[line.value], math.nan) for row in on_it]
        errors = [_number(row[f"{line.value}_stderr"], 0.0) for row in on_it]  # none of one seed
        draw_points(axes, places, means, errors, look, name if named else None)
        drawn += len(on_it)
    if not drawn:
        varied = ", ".join(f"{n} = {_at(rows[0], found, n)}" for n in chosen.others)
        raise InputError(
            f"the simulation has {varied or 'no point'}, where no line is; accepted: one of the lines"
        )


def draw_points(
    axes: Axes,
    x: Sequence[float] | Array,
    y: Sequence[float] | Array,
    errors: Sequence[float] | Array | None,
    look: Mapping[str, str],
    label: str | None,
) -> None:
    """Means with one standard error; of what has none the points alone."""
    axes.errorbar(
        x,
        y,
        yerr=errors,
        fmt=look["marker"],
        color=look["colour"],
        markersize=3.0,
        capsize=1.5,
        elinewidth=0.8,
        linestyle="none",
        label=label,
        zorder=3,
    )


def _number(cell: Scalar, absent: float) -> float:
    """The number of a cell, or another one where it has none, as the error of one seed."""
    return absent if cell is None or math.isnan(float(cell)) else float(cell)


def _at(row: Mapping[str, Scalar], found: Frame, name: str) -> Any:
    return row[name] if name in row else found.fixed.get(name)


def _is_on(row: Mapping[str, Scalar], found: Frame, chosen: Chosen, line: Line) -> bool:
    """Whether a point has the parameters of a line, those that it names."""
    if _at(row, found, chosen.x) is None:
        return False
    pairs = [(_at(row, found, n), x) for n, x in zip(chosen.others, line.choice, strict=True)]
    return all(there is None or _alike(there, here) for there, here in pairs)


def _check(frame: Frame, chosen: Chosen, found: Frame) -> None:
    """Refuse a simulation whose other parameters are not those of the lines."""
    here = {n: x for n, x in frame.fixed.items() if n not in _OF_A_RUN}
    first = chosen.rows[0]
    here |= {
        n: first[n]
        for n in first
        if frame.column(n).role is Role.PARAMETER
        and n not in (chosen.x, *chosen.others)
        and len({row[n] for row in chosen.rows}) == 1
    }
    given = here.get("given_target")  # what the lines' target was before its one direction became z1
    for name, value in here.items():
        there = found.fixed.get(name)
        if there is None or isinstance(there, list | tuple) or (name == "target" and there == given):
            continue
        if not _alike(there, value):
            raise InputError(
                f"the simulation has {name} = {there}, and the lines have {value}; accepted: a simulation of "
                "the same parameters"
            )


def _alike(a: object, b: object) -> bool:
    if isinstance(a, int | float) and isinstance(b, int | float):
        return a == b or math.isclose(a, b, rel_tol=_CLOSE)
    return str(a) == str(b)
