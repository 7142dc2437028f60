"""How many equations noiseless labels of separate parts are for each coordinate, beside complete overlap.

A label that is no atom is one equation for the coordinates in which its gradient n does not vanish. With
I - M = V small F is E[n n^T/(n^T V n)], and V shrinks in all directions from the alpha on at which each set S
of coordinates has more labels that say anything of it than coordinates: alpha P(n_S != 0) > |S|.
"""

from __future__ import annotations

import itertools
import math

import numpy as np

from hermite_analytics.foundation.numpy_arrays import Array
from hermite_analytics.label.cases.committee.parts import Part, SeparateParts

__all__ = ["equations_each"]


_SAME = 1e-12


def equations_each(parts: SeparateParts) -> float:
    """The least of P(n_S != 0)/|S|: M = I is stable above its inverse. 0 with noise, and of labels of cells.

    Examples
    --------
    >>> import sympy
    >>> from hermite_analytics.label.cases.committee.parts import separate_parts
    >>> z = sympy.symbols("z1:4", real=True)
    >>> relus = separate_parts(sympy.Max(0, z[0]) + sympy.Max(0, z[1]) + z[2], z)
    >>> equations_each(relus)  # all of them in three coordinates
    0.3333333333333333
    >>> narrow = separate_parts(sympy.Max(-1, sympy.Min(1, 10 * z[0])) + z[1] + z[2], z)
    >>> round(equations_each(narrow), 6)  # the first one is seen where |z1| < 1/10 only
    0.079656
    """
    if parts.is_noisy or parts.table is not None:
        return 0.0
    if (
        parts.largest
    ):  # one coordinate moves each label: of a set they say the average of what they say of each
        return min(_of_largest(parts))
    zero = [part.probability_of(0.0) if parts.product else 0.0 for part in parts.parts]
    other = math.prod((1 - p) ** part.count for part, p in zip(parts.parts, zero, strict=True))
    still: dict[int, list[float]] = {}
    for part, p in zip(parts.parts, zero, strict=True):
        flat = (part.flat_probability - p) / (1 - p) if p < 1 else 1.0
        still.setdefault(part.dimension, []).extend([flat] * part.count)
    # of so many blocks of each dimension those that are flat most often
    seldom = [np.cumprod([1.0, *sorted(flat, reverse=True)]) for flat in still.values()]
    least = math.inf
    for numbers in itertools.product(*(range(len(products)) for products in seldom)):
        size = sum(n * dimension for n, dimension in zip(numbers, still, strict=True))
        if size:
            at_rest = math.prod(float(products[n]) for n, products in zip(numbers, seldom, strict=True))
            least = min(least, other * (1 - at_rest) / size)
    return least


def _of_largest(parts: SeparateParts) -> list[float]:
    """That a coordinate of each part has the largest value, and moves it."""
    laws = [_moving_law(p) for p in parts.parts]
    found = []
    for i, (value, share, _) in enumerate(laws):
        below = np.where(value > parts.floor, 1.0, 0.0)
        for j, (part, (_, _, whole)) in enumerate(zip(parts.parts, laws, strict=True)):
            below *= np.interp(value, *whole) ** (part.count - (i == j))
        found.append(float(share @ below))
    moving = sum(part.count * p for part, p in zip(parts.parts, found, strict=True))
    return [p * (1 - _atoms(parts)) / moving for p in found]


def _atoms(parts: SeparateParts) -> float:
    """The probability that the largest value is that of a flat piece, or the floor."""

    def below(y: float, *, closed: bool) -> float:
        if y < parts.floor or (y == parts.floor and not closed):
            return 0.0
        return math.prod(_up_to(p, y, closed=closed) ** p.count for p in parts.parts)

    labels = {v for p in parts.parts for *_, v in p.flat} | {parts.floor}
    return sum(below(y, closed=True) - below(y, closed=False) for y in labels if math.isfinite(y))


def _up_to(part: Part, y: float, *, closed: bool) -> float:
    """P(g <= y), or P(g < y)."""
    g, p = part.law()
    near = _SAME * max(1.0, abs(y))
    return float(p @ (g < y - near)) + (part.probability_of(y) if closed else 0.0)


def _moving_law(part: Part) -> tuple[Array, Array, tuple[Array, Array]]:
    """(values off flat pieces, their probabilities, (all values in order, the probability below each))."""
    z, p = part.points()
    value, moves = part.value(z), np.ones(len(z), dtype=bool)
    for a, b, _ in part.flat:
        moves &= (z <= a) | (z >= b)
    order = np.argsort(value, kind="stable")
    below = np.cumsum(p[order]) - 0.5 * p[order]
    return value[moves], p[moves], (value[order], np.clip(below, 0.0, 1.0))
