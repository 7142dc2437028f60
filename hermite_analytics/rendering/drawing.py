"""What a plot draws: a frame, the values drawn by default, and places to mark."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol, TypeAlias

from hermite_analytics.errors import InputError
from hermite_analytics.rendering.frame import Frame

__all__ = ["Drawing", "Mark", "Marked", "Marks", "marks_of"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """A place on an axis.

    Attributes
    ----------
    name : str
        As it stands beside the line; of several with one name the first is named.
    place : float
    axis : str
        "x" for a vertical line, "y" for a horizontal one.
    jump : (float, float), optional
        Of values that jump there: from where to where. Lines are interrupted at the place.
    """

    name: str
    place: float
    axis: str = "x"
    jump: tuple[float, float] | None = None


class Marks(Protocol):
    """What knows places to mark."""

    def marks(self) -> tuple[Mark, ...]: ...


Marked: TypeAlias = "Marks | Mapping[str, float]"


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawing:
    """A frame and how it is drawn where nothing else is asked for.

    Attributes
    ----------
    frame : Frame
    values : tuple of str
        Drawn by default; the name of a group or list stands for all of its entries.
    against : str
        The parameter of the abscissa; by default that of most values.
    ordinate : str
        The label of the ordinate where several values are drawn.
    points : bool
        Markers instead of lines.
    marks : tuple of Mark
    jumps : bool
        Whether the jumps among marks are those of these values.
    sorts : bool
        Whether lines run along the abscissa; a curve that turns back keeps the order of its rows.
    floors : tuple of str
        Values that are the same at all points, and that others cannot fall below: drawn as horizontal lines.
    linear : bool
        Whether the ordinate is linear however wide its values spread, as that of an overlap.
    table : Frame, optional
        What a file of values holds, where that is not the frame that is drawn.
    """

    frame: Frame
    values: tuple[str, ...] = ()
    against: str = ""
    ordinate: str = ""
    points: bool = False
    marks: tuple[Mark, ...] = ()
    floors: tuple[str, ...] = ()
    jumps: bool = True
    sorts: bool = True
    linear: bool = False
    table: Frame | None = None


def marks_of(given: Marked | None) -> tuple[Mark, ...]:
    """The marks of what knows some, or of a mapping of names to places.

    Raises
    ------
    InputError
        For anything else.
    """
    if given is None:
        return ()
    try:
        if isinstance(given, Mapping):
            return tuple(Mark(name=str(name), place=float(place)) for name, place in given.items())
        return given.marks()
    except (AttributeError, TypeError, ValueError):
        raise InputError(
            f"thresholds is {given!r:.60}; accepted: an answer of weak_recovery, thresholds or a curve of "
            'state evolution, or places by name, as {"interpolation": 1.0}'
        ) from None
