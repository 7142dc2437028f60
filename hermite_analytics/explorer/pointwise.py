"""Curves whose points take long: solved one at a time, the ends first, then between them, and kept."""

from __future__ import annotations

import functools
import json
import time
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from hermite_analytics.explorer.curves import Found
from hermite_analytics.explorer.messages import Given

__all__ = ["in_pieces", "takes_long"]

Solve = Callable[[Given, NDArray[np.float64]], Found]
_KEPT = 16
_SPAN = ("alpha_from", "alpha_to", "points", "spacing")


def takes_long(values: Given) -> bool:
    """Whether a point is an iteration of its own, or a search for its ridge; others are solved at once."""
    chosen = "ridge_choice" in values  # ridge regression, or that with another loss
    return chosen and (values["ridge_choice"] == "optimal" or values.get("loss", "square") != "square")


def in_pieces(solve: Solve, values: Given, places: list[float], seconds: float) -> tuple[Found, int]:
    """What is known of a curve once `seconds` are over: at least one point more than before.

    Parameters
    ----------
    solve : callable
        One of `CURVES`.
    values : mapping
        The parameters of the endpoint, and the model's name.
    places : list of float
        Of all points of the curve.
    seconds : float
        No other point is begun after these.

    Returns
    -------
    found : Found
        The curve at the places that are solved, which are its abscissa.
    missing : int
        How many are not.
    """
    points = _points(json.dumps({name: value for name, value in values.items() if name not in _SPAN}))
    end = time.monotonic() + seconds  # of the pieces, not of a solver: a point is solved as it would be alone
    for place in _ends_first(places):
        if place not in points:
            points[place] = solve(values, np.array([place]))
            if time.monotonic() >= end:
                break
    at = [place for place in places if place in points]
    return _joined([points[place] for place in at], at), len(places) - len(at)


@functools.lru_cache(maxsize=_KEPT)
def _points(question: str) -> dict[float, Found]:
    """What is solved of the curves that differ in their range only."""
    return {}


def _ends_first(places: list[float]) -> list[float]:
    """Both ends, the middle, the middles of the halves, and so on.

    Examples
    --------
    >>> _ends_first([1.0, 2.0, 3.0, 4.0, 5.0])
    [1.0, 5.0, 3.0, 2.0, 4.0]
    """
    last = len(places) - 1
    order, step = [0, last], 1 << last.bit_length()
    while step > 1:
        step //= 2
        order += range(step, last, 2 * step)
    return [places[k] for k in dict.fromkeys(order)]


def _joined(points: list[Found], places: list[float]) -> Found:
    """One curve of curves of one point each."""
    first = points[0]
    return Found(
        curves={
            name: np.concatenate([np.ravel(one.curves[name]) for one in points]) for name in first.curves
        },
        statuses=[status for one in points for status in one.statuses],
        levels=first.levels,
        facts=first.facts,
        ridges=[ridge for one in points for ridge in one.ridges],
        marks=first.marks,
        abscissa=places,
        note=first.note,
        source=first.source,
    )
