"""A value as a map over two parameters."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import LogNorm

from hermite_analytics.errors import InputError
from hermite_analytics.foundation.numpy_arrays import Array
from hermite_analytics.rendering.drawing import Drawing
from hermite_analytics.rendering.figure import logarithmic
from hermite_analytics.rendering.frame import Frame, Record, Role
from hermite_analytics.rendering.points import is_logarithmic, parameters_of, require

__all__ = ["draw_heat"]

_WAYS: tuple[Literal["x", "y"], ...] = ("x", "y")
_TALL = 100.0


def draw_heat(
    drawing: Drawing, value: str, x: str | None, y: str | Sequence[str] | None, make: Callable[[], Axes]
) -> Axes:
    """Draw a map; each cell has the place of its point in the middle.

    Raises
    ------
    InputError
        If a name is unknown, or the points are no grid of two parameters.
    """
    frame, rows = drawing.frame, drawing.frame.records()
    numeric = [n for n in (rows[0] if rows else ()) if isinstance(rows[0][n], int | float)]
    require(value, [n for n in numeric if frame.column(n).role is not Role.PARAMETER], "heat")
    across, up = _two(frame, rows, x, y)
    places, image = _image(rows, across, up, value)
    axes = make()
    finite = image[np.isfinite(image)]
    tall = finite.size and finite.min() > 0.0 and finite.max() > _TALL * finite.min()
    drawn = axes.pcolormesh(
        *(_edges(p) for p in places),
        np.ma.masked_invalid(image),
        norm=LogNorm() if tall else None,
        rasterized=True,
    )
    for place, way in zip(places, _WAYS, strict=True):
        if is_logarithmic(place):
            logarithmic(axes, way, place)
    axes.set(xlabel=frame.column(across).label, ylabel=frame.column(up).label)
    figure = axes.get_figure(root=True)
    assert figure is not None  # they are drawn onto
    figure.colorbar(drawn, ax=axes, label=frame.column(value).label)
    return axes


def _image(rows: list[Record], across: str, up: str, value: str) -> tuple[list[Array], Array]:
    """The places of both parameters, and the values of shape (of the second, of the first)."""
    columns = [np.array([float(row[name] or 0.0) for row in rows]) for name in (across, up)]
    places = [np.unique(column) for column in columns]
    at = [np.searchsorted(place, column) for place, column in zip(places, columns, strict=True)]
    image = np.full((places[1].size, places[0].size), np.nan)
    image[at[1], at[0]] = [row[value] for row in rows]
    if len(set(zip(*(a.tolist() for a in at), strict=True))) != len(rows) or len(rows) != image.size:
        raise InputError(
            f"a map over {across} and {up} needs one point for each pair of them: {len(rows)} points for "
            f"{places[0].size} x {places[1].size}; solve for alpha[:, None] and ridge[None, :], say"
        )
    return places, image


def _two(frame: Frame, rows: list[Record], x: str | None, y: Any) -> tuple[str, str]:
    vary = [n for n in parameters_of(frame, rows) if all(isinstance(row[n], int | float) for row in rows)]
    given = [n for n in (x, y) if n is not None]
    for name in given:
        require(name, vary, "a parameter of the map")
    left = [n for n in vary if n not in given]
    names = [x if x is not None else left.pop(0) if left else None]
    names.append(y if y is not None else left.pop(0) if left else None)
    across, up = names
    if across is None or up is None or across == up:
        raise InputError(
            f"a map needs two parameters that vary; here {', '.join(vary) or 'none'} "
            f"{'do' if len(vary) > 1 else 'does'}"
        )
    return across, up


def _edges(places: Array) -> Array:
    """Ends of the cells around places, halfway between them: in the logarithm where the grid is geometric."""
    if places.size == 1:
        return np.array([places[0] - 0.5, places[0] + 0.5])
    logarithmic = is_logarithmic(places)
    p = np.log(places) if logarithmic else places
    middle = 0.5 * (p[1:] + p[:-1])
    edges = np.concatenate([[2 * p[0] - middle[0]], middle, [2 * p[-1] - middle[-1]]])
    return np.asarray(np.exp(edges) if logarithmic else edges)
