"""What a label looks like, as the order of its values, and where that changes with a parameter."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Hashable, Sequence

import numpy as np

from hermite_analytics.foundation.clock import check_time
from hermite_analytics.foundation.numpy_arrays import Array

__all__ = ["changes", "ranks"]

_SAME = 1e-9  # relative distance of values that are not told apart
_CLOSE = 1e-6  # of places between which a third structure is that of values that are not told apart
_ROUNDING = 1e-14


def ranks(values: Array, scale: float | None = None) -> tuple[int, ...]:
    """The rank of each value, those that are close in units of `scale`, or relatively, counted as equal.

    Examples
    --------
    >>> ranks(np.array([3.0, -1.0, 3.0 + 1e-12, 0.0]))
    (2, 0, 2, 1)
    """
    order = np.argsort(values, kind="stable")
    ordered = values[order]
    close = np.maximum(1.0, np.abs(ordered[1:])) if scale is None else scale
    found = np.zeros(len(values), dtype=np.int64)
    found[order[1:]] = np.cumsum(np.diff(ordered) > _SAME * close)
    return tuple(found.tolist())


def changes(structure: Callable[[float], Hashable], grid: Sequence[float], most: int) -> list[float] | None:
    """Places where a structure changes, in increasing order, from those between neighbours of a grid.

    None where there are more than `most`.

    Examples
    --------
    >>> [round(x, 12) for x in changes(lambda x: (x > 0.2, x > 0.3), [0.0, 1.0, 2.0], 9)]
    [0.2, 0.3]
    """
    found: list[float] = []
    before = structure(grid[0])
    for a, b in itertools.pairwise(grid):
        check_time()
        after = structure(b)
        if before != after:
            found += _between(structure, a, b, before, after)
            if len(found) > most:
                return None
        before = after
    return found


def _between(
    structure: Callable[[float], Hashable], a: float, b: float, before: Hashable, after: Hashable
) -> list[float]:
    """At most one in a small interval."""
    while b - a > _ROUNDING * max(1.0, abs(a)):
        check_time()
        middle = (a + b) / 2
        here = structure(middle)
        if here == before:
            a = middle
        elif here == after:
            b = middle
        elif b - a < _CLOSE:
            return [middle]
        else:
            left = _between(structure, a, middle, before, here)
            return left + _between(structure, middle, b, here, after)
    return [(a + b) / 2]
