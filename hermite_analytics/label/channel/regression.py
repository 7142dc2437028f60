"""E[y | z] of a channel, and its form."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from hermite_analytics.foundation.numpy_arrays import Array
from hermite_analytics.label.cases.plane.breaks import Breaks
from hermite_analytics.label.cases.plane.lines import breaks_of
from hermite_analytics.label.channel.separable import Term, separated
from hermite_analytics.label.function_of_points import function_of_points
from hermite_analytics.label.reduction.frame import Frame
from hermite_analytics.label_noise import averaged

__all__ = ["Regression", "regression_of"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Regression:
    """E[y | z] as a function of the coordinates.

    Attributes
    ----------
    value : function of points, shape (..., q)
        In units of `unit`, up to a number.
    breaks : Breaks or None
        Of two coordinates, the lines and curves off which it is smooth.
    terms : tuple of Term, or None
        The same in products of functions of one coordinate; None where it is not of that form.
    unit : float
        E[y | z] = unit value(z) + a number.
    """

    value: Callable[[Array], Array]
    breaks: Breaks | None
    terms: tuple[Term, ...] | None
    unit: float = 1.0


def regression_of(frame: Frame, unit: float) -> Regression | None:
    """E[y | z] of a label in the coordinates of a frame; None where its noise is not averaged."""
    closed, rest = averaged(frame.signal)
    if rest != 0:
        return None
    two = frame.coordinates if len(frame.coordinates) == 2 else None
    return Regression(
        value=function_of_points(closed, frame.coordinates),
        breaks=None if two is None else breaks_of([closed], two),
        terms=separated(frame.signal, frame.coordinates),
        unit=unit,
    )
