"""Curves of a function given on polynomial patches: arcs, with the weights of the coarea formula."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from hermite_analytics.errors import UnsupportedExpression
from hermite_analytics.foundation.threads import in_threads
from hermite_analytics.label.compiled import compiled
from hermite_analytics.label.plane.clipping import ARC_NODES, arc_nodes
from hermite_analytics.label.plane.levels import (
    divide,
    graph_axis,
    graph_points,
    range_of,
    transpose,
)
from hermite_analytics.label.plane.patches import NODES, Patches, patches_of

__all__ = ["MOST_OF_BOUNDARY", "TURN", "followed", "turned_patches", "zero_curve"]

Array = NDArray[np.float64]
Integers = NDArray[np.int64]

_ANGLE = 0.3719
TURN = np.array([[math.cos(_ANGLE), -math.sin(_ANGLE)], [math.sin(_ANGLE), math.cos(_ANGLE)]])
_UNRESOLVED = 1e-9  # probability of patches that fit no polynomial
_DEEPEST = 56  # halvings of a box
_ROOM = 2 * _DEEPEST + 8
_MOST_BOXES = 40_000  # for one label: beside a critical value of many points each takes some hundreds
_AT_ONCE = 32  # labels between looks at the clock
MOST_OF_BOUNDARY = 5000  # for a curve that has finitely many singular points
_LEAST_DENSITY = 1e-290
_binomials = np.array([[math.comb(m, k) for k in range(NODES)] for m in range(NODES)], dtype=float)


def turned_patches(function: Callable[[Array], Array], lines: Sequence[Sequence[float]] = ()) -> Patches:
    """Patches of the function of a boundary, in axes along which nothing runs: w = TURN w'.

    Raises
    ------
    UnsupportedExpression
        If the function is not smooth off the lines, which are those of w.
    """
    turned = [(*(np.array(line[:2]) @ TURN).tolist(), line[2]) for line in lines]
    patches = patches_of(lambda w: function(w @ TURN.T), turned)
    if patches.unresolved > _UNRESOLVED:
        raise UnsupportedExpression(
            f"a boundary of the label is no smooth curve: patches of probability {patches.unresolved:.1e} "
            "fit no polynomial"
        )
    return patches


def zero_curve(patches: Patches, parts: int) -> Array:
    """Arcs of the curve g = 0, shape (n, 10, 2), each cut into some equal parts of its parameter."""
    nodes = (np.arange(parts)[:, None] + arc_nodes()).ravel() / parts
    _, arcs = followed(patches, np.zeros(1), nodes, most=MOST_OF_BOUNDARY)
    return np.ascontiguousarray(arcs[..., :2].reshape(-1, ARC_NODES, 2))


def followed(
    patches: Patches, labels: Array, nodes: Array, *, most: int = _MOST_BOXES
) -> tuple[Integers, Array]:
    """(label of each arc, rows (w1, w2, log density) at the nodes of each arc); none beyond so many boxes."""
    labels = np.ascontiguousarray(labels, dtype=np.float64)
    arguments = patches.coefficients, patches.corners, nodes, _binomials, most
    chunks = np.array_split(labels, max(1, math.ceil(len(labels) / _AT_ONCE)))
    found = in_threads(lambda chunk: _arcs(chunk, *arguments), chunks)
    counts = np.concatenate([f[0] for f in found])
    rows = np.concatenate([f[1] for f in found])
    rows[..., 2] = np.log(np.maximum(rows[..., 2], _LEAST_DENSITY))
    return np.repeat(np.arange(len(labels)), counts), rows


@compiled
def _arcs(
    labels: Array, coefficients: Array, corners: Array, nodes: Array, binomials: Array, most: int
) -> tuple[Integers, Array]:
    """(number of arcs of each label, rows (w1, w2, density) of the nodes of all arcs)."""
    counts = np.zeros(len(labels), dtype=np.int64)
    found = np.empty((64 * len(labels) + 64, nodes.size, 3))
    total = 0
    n = coefficients.shape[1]
    low, high = np.empty(len(coefficients)), np.empty(len(coefficients))
    for p in range(len(coefficients)):
        low[p], high[p] = range_of(coefficients[p])
    stack, place = np.empty((_ROOM, n, n)), np.empty((_ROOM, 4))
    depth = np.empty(_ROOM, dtype=np.int64)
    part = np.empty((3 * nodes.size, 3))
    for i in range(len(labels)):
        boxes, first = 0, total
        for p in range(len(coefficients)):
            if not low[p] < labels[i] <= high[p]:
                continue
            for a in range(n):
                for b in range(n):
                    stack[0, a, b] = coefficients[p, a, b] - labels[i]
            place[0, 0], place[0, 1], place[0, 2], place[0, 3] = 0.0, 0.0, 1.0, 1.0
            depth[0], top = 0, 0
            while top >= 0 and boxes <= most:
                boxes += 1
                across = graph_axis(stack[top])
                if across > 0:
                    if across == 2:
                        transpose(stack[top])
                    parts = graph_points(
                        stack[top], place[top], across == 2, corners[p], nodes, binomials, part
                    )
                    if total + parts > len(found):
                        larger = np.empty((2 * len(found), nodes.size, 3))
                        larger[:total] = found[:total]
                        found = larger
                    for k in range(parts):
                        found[total + k] = part[k * nodes.size : (k + 1) * nodes.size]
                    total += parts
                if across >= 0 or depth[top] >= _DEEPEST:
                    top -= 1
                else:
                    top = divide(stack, place, depth, top)
        if boxes > most:
            total = first
        counts[i] = total - first
    return counts, found[:total].copy()
