"""Shapes of labels: what has a record in a folder of `cases` is asked by all that need the law of a label.

Thresholds, state evolution, AMP and the spectral method ask in one order, that of the places. A record says
where its functions stand, so that only those are loaded that are asked.
"""

from __future__ import annotations

import functools
import importlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Protocol, TypeGuard

from hermite_analytics.foundation.folders import found_at, records_in
from hermite_analytics.label.moments import LabelCase
from hermite_analytics.label.nodes import LabelNodes

__all__ = ["PointCase", "Shape", "functions_at", "has_points", "shapes"]

_CASES = "hermite_analytics.label.cases"


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """A shape of label.

    Attributes
    ----------
    name : str
    summary : str
        What labels it is of, and by what: the method of a threshold that is found by its nodes.
    place : float
        Shapes are asked in this order, the first one that takes a label answers.
    laws : tuple of str
        "module:function" below `label`, in their order: problem -> Found or None, a case with moments.
    thresholds : tuple of str
        The same: problem -> Threshold or None. Empty: by the nodes of the case that the laws find.
    along_axes : bool
        Whether its form shows along particular axes: it is asked in all frames of the target before others.
    takes_floors : bool
        Whether it is asked first of labels with a floor, as they are written; others are asked of as many
        steps as labels meet.
    """

    name: str
    summary: str
    place: float
    laws: tuple[str, ...] = ()
    thresholds: tuple[str, ...] = ()
    along_axes: bool = False
    takes_floors: bool = False


class PointCase(LabelCase, Protocol):
    """Of one to three coordinates, with points of each label: thresholds and overlap maps need no more."""

    @property
    def exact_share(self) -> float:
        """lim (1 - m) F(m I) at m -> 1, in the direction where it is least; 0 where labels determine none."""

    def label_nodes(self, level: int = 1, size: float = 1.0) -> LabelNodes:
        """Labels with points that are close enough for N(omega, V) of a width `size`; levels 0 and 1."""


def has_points(case: object) -> TypeGuard[PointCase]:
    """Whether a case is one with points; its properties are not asked for, as `isinstance` would."""
    return all(hasattr(type(case), name) for name in ("exact_share", "label_nodes"))


@functools.cache
def shapes() -> tuple[Shape, ...]:
    """All of them, in their order.

    Examples
    --------
    >>> [shape.name for shape in shapes()]
    ['values', 'line', 'parts', 'stepped', 'plane', 'space', 'sampled']
    """
    cases = importlib.import_module(_CASES)
    found = records_in(_CASES, cases.__path__, Shape, some=True)
    return tuple(sorted(found.values(), key=lambda shape: shape.place))


def functions_at(places: tuple[str, ...]) -> Iterator[Callable[..., Any]]:
    """What "module:function" names below `label`, each loaded when it is asked."""
    for place in places:
        yield found_at("hermite_analytics.label", place)
