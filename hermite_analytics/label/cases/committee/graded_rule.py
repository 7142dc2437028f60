"""Panels of Gauss and Legendre that get short towards some points."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

from hermite_analytics.foundation.numpy_arrays import Array
from hermite_analytics.foundation.panels import panel_rule

__all__ = ["NODES", "graded_rule"]


NODES = 10  # of a panel


def graded_rule(
    special: Sequence[float], low: float, high: float, *, widest: float, ratio: float, least: float
) -> tuple[Array, Array]:
    """(points, weights) of Gauss and Legendre on panels as wide as a share of the distance from such points.

    Examples
    --------
    >>> import numpy as np
    >>> z, w = graded_rule((0.0,), -1.0, 2.0, widest=1.0, ratio=0.5, least=1e-9)
    >>> round(float(w @ np.abs(z) ** 0.5), 10) == round((1 + 2**1.5) / 1.5, 10)
    True
    """
    ends = [low, *(s for s in special if low < s < high), high]
    edges: list[float] = []
    for k, (a, b) in enumerate(itertools.pairwise(ends)):
        left = _steps(b - a, widest, ratio, least) if k else None
        right = _steps(b - a, widest, ratio, least) if k < len(ends) - 2 else None
        edges += _between(a, b, left, right, widest)
    edges.append(high)
    return panel_rule(edges, NODES)


def _steps(length: float, widest: float, ratio: float, least: float) -> list[float]:
    """Distances from a special point up to the length."""
    found, d = [], min(least, 0.25 * length)
    while d < length:
        found.append(d)
        d += min(ratio * d, widest)
    return found


def _between(
    a: float, b: float, left: list[float] | None, right: list[float] | None, widest: float
) -> list[float]:
    """Edges from a up to, but without, b."""
    if left is None and right is None:
        count = max(1, math.ceil((b - a) / widest))
        return [a + (b - a) * k / count for k in range(count)]
    half = 0.5 * (b - a) if left is not None and right is not None else b - a
    found = [a]
    if left is not None:
        found += [a + d for d in left if d < half]
    if right is not None:
        if left is not None:
            found.append(a + half)
        found += [b - d for d in reversed(right) if d < half]
    return found
