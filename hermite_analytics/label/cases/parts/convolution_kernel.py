"""Compiled sums and products of two independent labels with tabulated densities.

At a label y the density of t (+) x is an integral over t, singular where t is a singular value v_j of the
first label or x one of the second, at t = T_k = y - u_k or y/u_k. All distances between these points are
sums of positive numbers or differences of singular values, so nearly coinciding ones are told apart exactly.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from hermite_analytics.label.cases.parts.interpolation import interpolate
from hermite_analytics.label.compiled import compiled

__all__ = ["combine_panel", "shift_panel"]

Array = NDArray[np.float64]
Integers = NDArray[np.int64]

_DIGITS = 33.0  # the rule is cut where the integral left out is e^-33 of the whole


@compiled
def _reach(power: float, length: float, neighbour: float) -> float:
    """How far out in s the inner rule goes at an end near which the density is like x^power."""
    extra = 0.0
    if neighbour < length:
        extra = min(math.log(length / max(neighbour, 1e-280)), 90.0)
    return _DIGITS / max(1.0 + min(power, 0.0), 0.2) + extra


@compiled
def _combine_node(
    product: bool,
    y: float,
    left: float,
    right: float,
    below: Array,
    above: Array,
    points1: Array,
    values1: Array,
    first1: Integers,
    last1: Integers,
    powers1: Array,
    points2: Array,
    values2: Array,
    first2: Integers,
    last2: Integers,
    powers2: Array,
    half1: int,
    h1: float,
    half2: int,
    h2: float,
    inner: float,
    pairs: Integers,
    weights: Array,
    out: Array,
) -> None:
    """Add to `out` the density at y of the sum (product: of positive labels, y > 0) of two labels.

    `left`, `right`: distances of y from the ends of its panel; `below[j, k]`, `above[j, k]`: distances of
    v_j (+) u_k from these ends where it lies outside (-1 elsewhere); `inner`: spacing of the inner rule;
    `pairs` (channels, 2): the channels whose product is each channel of the result.
    """
    n1, n2 = points1.size, points2.size
    c1, c2 = values1.shape[2], values2.shape[2]
    value1, value2 = np.empty(c1), np.empty(c2)
    # break points in increasing order: (0, j) is v_j, (1, k) is T_k
    kind, index = np.empty(n1 + n2, dtype=np.int64), np.empty(n1 + n2, dtype=np.int64)
    j, k, count = 0, n2 - 1, 0
    while j < n1 or k >= 0:
        if k >= 0 and product and points2[k] == 0.0:
            k -= 1
            continue
        take_first = k < 0
        if j < n1 and k >= 0:
            take_first = _gap(product, j, k, left, right, below, above, points2) >= 0.0
        if take_first and j < n1:
            kind[count], index[count] = 0, j
            j += 1
        elif k >= 0:
            kind[count], index[count] = 1, k
            k -= 1
        count += 1
    j, k = -1, n2  # v_j <= t, T_k <= t: the last ones passed
    previous = math.inf
    for b in range(count - 1):
        if kind[b] == 0:
            j = index[b]
        else:
            k = index[b]
        unbounded = product and points2[0] == 0.0
        k_next = k - 1
        inside = 0 <= j < n1 - 1 and 1 <= k <= n2 - 1
        length = _length(product, y, kind, index, b, b + 1, left, right, below, above, points1, points2)
        if not inside or length <= 0.0 or first1[j] > last1[j] or first2[k_next] > last2[k_next]:
            previous = length
            continue
        # distances of the ends of this interval from the break points of the other kind
        low1 = 0.0 if kind[b] == 0 else _gap(product, j, k, left, right, below, above, points2)
        low2 = 0.0 if kind[b] == 1 else -_gap(product, j, k, left, right, below, above, points2)
        high1 = 0.0
        if kind[b + 1] == 1:
            high1 = -_gap(product, j + 1, k_next, left, right, below, above, points2)
        high2 = 0.0
        if kind[b + 1] == 0 and not (unbounded and k_next == 0):
            high2 = _gap(product, j + 1, k_next, left, right, below, above, points2)
        following = math.inf
        if b + 2 < count:
            following = _length(
                product, y, kind, index, b + 1, b + 2, left, right, below, above, points1, points2
            )
        start = points1[j] if kind[b] == 0 else (y / points2[k] if product else y - points2[k])
        power = powers1[j, 0] if kind[b] == 0 else powers2[k_next, 1]
        lowest = -_reach(power, length, previous)
        power = powers1[j, 1] if kind[b + 1] == 0 else powers2[k_next, 0]
        highest = _reach(power, length, following)
        previous = length
        steps = math.ceil((highest - lowest) / inner)
        for n in range(steps + 1):
            s = lowest + n * inner
            near, far = length / (1.0 + math.exp(-s)), length / (1.0 + math.exp(s))
            t = start + near
            measure = inner * near * (far / length)
            if product:
                measure /= t
                x_left = points2[k_next] * (far + high2) / t
                if points2[k_next] == 0.0:
                    x_left = y / t
                x_right = points2[k] * (near + low2) / t
            else:
                x_left, x_right = far + high2, near + low2
            if not interpolate(
                values1[j], first1[j], last1[j], half1, h1, near + low1, far + high1, weights, value1
            ):
                continue
            if not interpolate(
                values2[k_next], first2[k_next], last2[k_next], half2, h2, x_left, x_right, weights, value2
            ):
                continue
            for c in range(out.size):
                out[c] += measure * value1[pairs[c, 0]] * value2[pairs[c, 1]]


@compiled
def _gap(
    product: bool, j: int, k: int, left: float, right: float, below: Array, above: Array, points2: Array
) -> float:
    """T_k - v_j."""
    difference = left + below[j, k] if below[j, k] >= 0.0 else -(right + above[j, k])
    return float(difference / points2[k] if product else difference)


@compiled
def _length(
    product: bool,
    y: float,
    kind: Integers,
    index: Integers,
    a: int,
    b: int,
    left: float,
    right: float,
    below: Array,
    above: Array,
    points1: Array,
    points2: Array,
) -> float:
    """The distance of two break points."""
    i, j = index[a], index[b]
    if kind[a] == 0 and kind[b] == 0:
        return float(points1[j] - points1[i])
    if kind[a] == 1 and kind[b] == 1:
        difference = points2[i] - points2[j]
        return float(y * difference / (points2[i] * points2[j]) if product else difference)
    if kind[a] == 0:
        return _gap(product, i, j, left, right, below, above, points2)
    return -_gap(product, j, i, left, right, below, above, points2)


@compiled
def combine_panel(
    product: bool,
    low: float,
    high: float,
    nodes: Integers,
    below: Array,
    above: Array,
    points1: Array,
    values1: Array,
    first1: Integers,
    last1: Integers,
    powers1: Array,
    points2: Array,
    values2: Array,
    first2: Integers,
    last2: Integers,
    powers2: Array,
    half1: int,
    h1: float,
    half2: int,
    h2: float,
    inner: float,
    middle: int,
    step: float,
    pairs: Integers,
    weights: Array,
    out: Array,
) -> None:
    """Add to out[n] the densities of t (+) x at the given nodes of the panel (low, high)."""
    for n in nodes:
        s = (n - middle) * step
        left, right = (high - low) / (1.0 + math.exp(-s)), (high - low) / (1.0 + math.exp(s))
        y = low + left if s < 0.0 else high - right
        _combine_node(
            product, y, left, right, below, above, points1, values1, first1, last1, powers1,
            points2, values2, first2, last2, powers2, half1, h1, half2, h2, inner, pairs, weights, out[n],
        )  # fmt: skip


@compiled
def shift_panel(
    low: float,
    high: float,
    nodes: Integers,
    below: float,
    above: float,
    values: Array,
    first: int,
    last: int,
    scale: float,
    atom: Array,
    own: Integers,
    other: Integers,
    half: int,
    h: float,
    middle: int,
    step: float,
    weights: Array,
    out: Array,
) -> None:
    """Add to out[n] an atom combined with one panel of a density, moved and stretched by `scale`.

    `below`, `above`: distances of the ends of the moved panel from those of the panel (low, high);
    `own`, `other`: the channels of the atom and of the density whose product is each channel of the result.
    """
    value = np.empty(values.shape[1])
    for n in nodes:
        s = (n - middle) * step
        left = ((high - low) / (1.0 + math.exp(-s)) + below) / scale
        right = ((high - low) / (1.0 + math.exp(s)) + above) / scale
        if interpolate(values, first, last, half, h, left, right, weights, value):
            for c in range(out.shape[1]):
                out[n, c] += atom[own[c]] * value[other[c]] / scale
