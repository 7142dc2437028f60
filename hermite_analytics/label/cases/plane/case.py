"""The law of an expression of two coordinates: the first case that takes it."""

from __future__ import annotations

from functools import partial
from typing import TypedDict

from sympy import Expr, Symbol

from hermite_analytics.errors import UnsupportedExpression
from hermite_analytics.foundation.numpy_arrays import Array
from hermite_analytics.label.cases.plane.curved_label import curved_label
from hermite_analytics.label.cases.plane.lines import planar_label
from hermite_analytics.label.cases.plane.mirrors import Sector, sector_of_label
from hermite_analytics.label.cases.plane.outer import outer_function, outer_of
from hermite_analytics.label.cases.plane.plane import PlaneChannel
from hermite_analytics.label.cases.plane.prepared import composed_channel, plane_channel
from hermite_analytics.label.function_of_points import function_of_points
from hermite_analytics.label.symmetries import label_symmetries

__all__ = ["plane_case"]


def plane_case(
    signal: Expr, coordinates: tuple[Symbol, Symbol], *, hidden: bool = False
) -> PlaneChannel | None:
    """A label F(h) by the level curves of h, else by its own, between lines or between curves.

    None where it breaks neither along lines nor along curves that are found.

    Parameters
    ----------
    signal : sympy expression in the coordinates
    coordinates : two symbols
    hidden : bool
        The second one is label noise.

    Raises
    ------
    UnsupportedExpression
        If a case that takes the label loses more of its probability than it may.

    Examples
    --------
    >>> from sympy import cos, symbols
    >>> from hermite_analytics.label.operator import top_eigenvalue
    >>> w1, w2 = symbols("w1 w2", real=True)
    >>> round(1 / top_eigenvalue(plane_case(cos(w1 * w2), (w1, w2)).quadrature()), 6)
    1.696574
    """
    symmetries = label_symmetries(signal, coordinates)
    symmetry = Symmetry(
        hidden=hidden,
        sector=sector_of_label(signal, coordinates, symmetries),
        odd=next((s.matrix for s in symmetries if s.sign < 0 and s.shift == 0), None),
    )
    composed = _composed(signal, coordinates, symmetry)
    if composed is not None:
        return composed
    at = planar_label(signal, coordinates)
    if at is not None:
        return plane_channel(*at(), **symmetry)
    curved = curved_label(signal, coordinates)
    if curved is None:
        return None
    return plane_channel(function_of_points(signal, coordinates), curved, **symmetry)


class Symmetry(TypedDict):
    """What channels are told of a label."""

    hidden: bool
    sector: Sector
    odd: Array | None


def _composed(signal: Expr, coordinates: tuple[Symbol, Symbol], symmetry: Symmetry) -> PlaneChannel | None:
    """F(h) where h breaks on straight lines at most."""
    found = outer_function(signal, coordinates)
    if found is None:
        return None
    function, t, inner = found
    at = planar_label(inner, coordinates)
    try:
        if at is None:
            return None
        outer = partial(outer_of, function, t)
        return composed_channel(*at(), outer, **symmetry)
    except UnsupportedExpression:
        return None
