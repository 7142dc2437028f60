"""Level curves of a polynomial on a square, as graphs in boxes.

A box is divided until, by its Bernstein coefficients, the level curve misses it or is the graph of a function
over one side with a slope that is bounded: Gauss's rule between the points where the graph enters and leaves
through the two other sides then converges quickly. Near a critical point the boxes shrink with the distance
of the level from the critical value.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from hermite_analytics.label.compiled import compiled

__all__ = ["divide", "graph_axis", "range_of", "transpose"]

Array = NDArray[np.float64]
Integers = NDArray[np.int64]

_BENT = 4.0  # ratio of second differences from which a box is halved in one parameter only
_VARIATION = 3.0  # of the derivative across the curve, within a box
_STEEPEST = 3.0  # slope of the curve in a box


@compiled
def transpose(box: Array) -> None:
    n = box.shape[0]
    for i in range(n):
        for j in range(i):
            box[i, j], box[j, i] = box[j, i], box[i, j]


@compiled
def range_of(box: Array) -> tuple[float, float]:
    """The smallest and the largest coefficient."""
    n = box.shape[0]
    low, high = math.inf, -math.inf
    for i in range(n):
        for j in range(n):
            low, high = min(low, box[i, j]), max(high, box[i, j])
    return low, high


@compiled
def graph_axis(box: Array, labels: Array, first: int, last: int) -> tuple[int, float]:
    """1 or 2: the curves of labels first to last are graphs, solved for the second or the first parameter.

    With the least size of the derivative in that parameter; -1 where neither is sure.
    """
    n = box.shape[0]
    first_low, first_high, second_low, second_high = math.inf, -math.inf, math.inf, -math.inf
    for i in range(n):
        for j in range(n - 1):
            d = box[i, j + 1] - box[i, j]
            second_low, second_high = min(second_low, d), max(second_high, d)
            d = box[j + 1, i] - box[j, i]
            first_low, first_high = min(first_low, d), max(first_high, d)
    steep1, steep2 = max(-first_low, first_high), max(-second_low, second_high)
    least1 = max(first_low, -first_high)
    least2 = max(second_low, -second_high)
    second = least2 > 0.0 and max(steep2 / _VARIATION, steep1 / _STEEPEST) <= least2
    if second and _crossed_once(box, 0, labels, first, last):
        return 1, (n - 1) * least2
    other = least1 > 0.0 and max(steep1 / _VARIATION, steep2 / _STEEPEST) <= least1
    if other and _crossed_once(box, 1, labels, first, last):
        return 2, (n - 1) * least1
    return -1, 0.0


@compiled
def _crossed_once(box: Array, axis: int, labels: Array, first: int, last: int) -> bool:
    """Whether each of two opposite sides meets each curve at most once: its coefficients cross it once."""
    n = box.shape[0]
    for side in (0, n - 1):
        falls, rises = False, False
        for i in range(1, n):
            a, b = (box[side, i - 1], box[side, i]) if axis == 1 else (box[i - 1, side], box[i, side])
            falls, rises = falls or b < a, rises or b > a
        if not (falls and rises):
            continue
        for k in range(first, last):
            changes = 0
            for i in range(1, n):
                a, b = (box[side, i - 1], box[side, i]) if axis == 1 else (box[i - 1, side], box[i, side])
                if (a >= labels[k]) != (b >= labels[k]):
                    changes += 1
            if changes > 1:
                return False
    return True


@compiled
def divide(stack: Array, place: Array, depth: Integers, top: int) -> int:
    """Replace the box on top by its halves along the parameter in which it bends more, or by its quarters."""
    n = stack.shape[1]
    bend1, bend2 = 0.0, 0.0
    for i in range(n):
        for j in range(1, n - 1):
            bend1 = max(bend1, abs(stack[top, j - 1, i] - 2.0 * stack[top, j, i] + stack[top, j + 1, i]))
            bend2 = max(bend2, abs(stack[top, i, j - 1] - 2.0 * stack[top, i, j] + stack[top, i, j + 1]))
    rounds = 2 if max(bend1, bend2) <= _BENT * min(bend1, bend2) else 1
    axis = 0 if bend1 >= bend2 else 1
    count = 1
    for r in range(rounds):
        for k in range(count):
            _split(stack, place, top + k, top + count + k, axis if r == 0 else 1 - axis)
        count *= 2
    deeper = depth[top] + rounds
    for k in range(count):
        depth[top + k] = deeper
    return top + count - 1


@compiled
def _split(stack: Array, place: Array, box: int, other: int, axis: int) -> None:
    """Halve a box in one parameter (de Casteljau); the upper half goes to `other`."""
    n = stack.shape[1]
    for k in range(4):
        place[other, k] = place[box, k]
    size = 0.5 * place[box, 2 + axis]
    place[box, 2 + axis] = size
    place[other, 2 + axis] = size
    place[other, axis] += size
    work = np.empty(n)
    for k in range(n):
        for i in range(n):
            work[i] = stack[box, i, k] if axis == 0 else stack[box, k, i]
        for m in range(n):
            low, high = work[0], work[n - 1 - m]
            if axis == 0:
                stack[box, m, k], stack[other, n - 1 - m, k] = low, high
            else:
                stack[box, k, m], stack[other, k, n - 1 - m] = low, high
            for i in range(n - 1 - m):
                work[i] = 0.5 * (work[i] + work[i + 1])
