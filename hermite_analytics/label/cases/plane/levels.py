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

__all__ = ["BASE", "BENT", "DEPTH", "FIRST", "LAST", "STATE", "divide", "graph_axis"]

Array = NDArray[np.float64]

# a box is a row of its coefficients, the second parameter's fastest, and a row of its own numbers: corner and
# sizes, a label that is taken from all coefficients, how often it was halved, and the labels that reach it
BASE, DEPTH, FIRST, LAST = 4, 5, 6, 7
STATE = 8
BENT = 4.0  # ratio of second differences from which a box is halved in one parameter only
_VARIATION = 3.0  # of the derivative across the curve, within a box
_STEEPEST = 3.0  # slope of the curve in a box


@compiled
def graph_axis(box: Array, n: int, labels: Array, first: int, last: int) -> tuple[int, float]:
    """0 or 1: the curves of labels first to last are graphs, solved for the second or the first parameter.

    With the least size of the derivative in that parameter; -1 where neither is sure.
    """
    low1, high1, low2, high2 = math.inf, -math.inf, math.inf, -math.inf
    for i in range(n):
        for j in range(n - 1):
            d = box[i * n + j + 1] - box[i * n + j]
            low2, high2 = min(low2, d), max(high2, d)
            d = box[j * n + n + i] - box[j * n + i]
            low1, high1 = min(low1, d), max(high1, d)
    steep, other = max(-low2, high2), max(-low1, high1)
    least, next_least = max(low2, -high2), max(low1, -high1)
    for axis in range(2):
        sure = least > 0.0 and max(steep / _VARIATION, other / _STEEPEST) <= least
        if sure and _crossed_once(box, n, axis, labels, first, last):
            return axis, (n - 1) * least
        least, steep, other = next_least, other, steep
    return -1, 0.0


@compiled
def _crossed_once(box: Array, n: int, axis: int, labels: Array, first: int, last: int) -> bool:
    """Whether each of two opposite sides meets each curve at most once: its coefficients cross it once."""
    step, across = (1, n) if axis == 1 else (n, 1)
    for side in range(2):
        start = side * (n - 1) * across
        falls, rises = False, False
        for i in range(start, start + (n - 1) * step, step):
            falls, rises = falls or box[i + step] < box[i], rises or box[i + step] > box[i]
        if not (falls and rises):
            continue
        for k in range(first, last):
            changes = 0
            for i in range(start, start + (n - 1) * step, step):
                if (box[i] >= labels[k]) != (box[i + step] >= labels[k]):
                    changes += 1
            if changes > 1:
                return False
    return True


@compiled
def divide(stack: Array, state: Array, work: Array) -> int:
    """Replace the first box by its halves along the parameter in which it bends more, or by its quarters.

    Returns how many boxes there are more.
    """
    n, box = work.size, stack[0]
    bend1, bend2 = 0.0, 0.0
    for i in range(n):
        for j in range(1, n - 1):
            a, b = j * n + i, i * n + j
            bend1 = max(bend1, abs(box[a - n] - 2.0 * box[a] + box[a + n]))
            bend2 = max(bend2, abs(box[b - 1] - 2.0 * box[b] + box[b + 1]))
    axis = 0 if bend1 >= bend2 else 1
    boxes = 4 if max(bend1, bend2) <= BENT * min(bend1, bend2) else 2
    for count in range(1, boxes // 2 + 1):
        _split(stack, state, count, axis, work)
        axis = 1 - axis
    return boxes - 1


@compiled
def _split(stack: Array, state: Array, count: int, axis: int, work: Array) -> None:
    """Halve so many boxes in one parameter (de Casteljau); the upper halves follow."""
    n = work.size
    step, across = (n, 1) if axis == 0 else (1, n)
    for box in range(count):
        other = count + box
        state[box, 2 + axis] *= 0.5
        state[box, DEPTH] += 1.0
        for k in range(STATE):
            state[other, k] = state[box, k]
        state[other, axis] += state[box, 2 + axis]
        for start in range(0, n * across, across):
            for i in range(n):
                work[i] = stack[box, start + i * step]
            for m in range(n):
                stack[box, start + m * step] = work[0]
                stack[other, start + (n - 1 - m) * step] = work[n - 1 - m]
                for i in range(n - 1 - m):
                    work[i] = 0.5 * (work[i] + work[i + 1])
