"""Curves of a function given on polynomial patches: arcs, with the weights of the coarea formula."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from hermite_analytics.errors import UnsupportedExpression
from hermite_analytics.foundation.clock import check_time
from hermite_analytics.foundation.threads import in_threads
from hermite_analytics.label.cases.plane.clipping import ARC_NODES, arc_nodes
from hermite_analytics.label.cases.plane.graphs import LANES, basis_at, columns_at, graph_points, locate
from hermite_analytics.label.cases.plane.levels import (
    BASE,
    DEPTH,
    FIRST,
    LAST,
    STATE,
    divide,
    graph_axis,
)
from hermite_analytics.label.cases.plane.patches import NODES, Patches, patches_of
from hermite_analytics.label.compiled import compiled

__all__ = ["MOST_OF_BOUNDARY", "TURN", "followed", "turned_patches", "zero_curve"]

Array = NDArray[np.float64]
Integers = NDArray[np.int64]

_ANGLE = 0.3719
TURN = np.array([[math.cos(_ANGLE), -math.sin(_ANGLE)], [math.sin(_ANGLE), math.cos(_ANGLE)]])
_UNRESOLVED = 1e-9  # probability of patches that fit no polynomial
_DEEPEST = 56  # halvings of a box
_ROOM = 2 * _DEEPEST + 8
_MOST_BOXES = 40_000  # for one label: beside a critical value of many points each takes some hundreds
_AT_ONCE = 128  # labels that share boxes
_PATCHES = 8  # between looks at the clock
_ARCS = 4096  # room at first
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
    _, points, _ = followed(patches, np.zeros(1), nodes, most=MOST_OF_BOUNDARY)
    return points.reshape(-1, ARC_NODES, 2)


def followed(
    patches: Patches,
    labels: Array,
    nodes: Array,
    *,
    most: int = _MOST_BOXES,
    least: Array | None = None,
    share: float = 0.0,
) -> tuple[Integers, Array, Array]:
    """(label of each arc, points and log density at the nodes of each arc); none beyond so many boxes.

    Parameters
    ----------
    patches : Patches
    labels : ndarray, shape (n,)
    nodes : ndarray
        Of each arc, in (0, 1).
    most : int
        Boxes for one label.
    least : ndarray, shape (n,), or None
        Arcs of smaller density of y, of w ~ N(0, I), are left out.
    share : float
        And arcs whose density is a smaller part of what is nearer to the origin.
    """
    order = np.argsort(labels, kind="stable")  # nan last
    order = order[: np.count_nonzero(~np.isnan(labels))]
    levels = np.ascontiguousarray(labels[order], dtype=np.float64)
    rare = np.zeros(len(levels)) if least is None else np.ascontiguousarray(least[order])
    middle = np.linalg.norm(patches.corners.mean(1), axis=1)
    padded = np.concatenate([nodes, np.full(-nodes.size % LANES, nodes[-1])])
    areas = _largest_areas(patches.corners)
    low, high = patches.coefficients.min((1, 2)), patches.coefficients.max((1, 2))

    spare: list[tuple[Integers, Array]] = []  # room that is used again

    def arcs_of(part: slice) -> tuple[Integers, Array, Array]:
        some = np.flatnonzero((low < levels[part][-1]) & (high >= levels[part][0]))
        some = some[np.argsort(middle[some], kind="stable")]
        c = patches.coefficients.reshape(-1, NODES * NODES)
        try:
            owner, room = spare.pop()
        except IndexError:
            owner, room = np.empty(_ARCS, dtype=np.int64), np.empty((_ARCS, nodes.size, 3))
        y, least_of = levels[part], rare[part]
        boxes, mass, total = np.zeros(len(y), dtype=np.int64), np.zeros(len(y)), 0
        for k in range(0, len(some), _PATCHES):
            check_time()
            before, following = (boxes.copy(), mass.copy()), -1
            while following < 0:
                patch = some[k : k + _PATCHES], c, patches.corners, areas
                following = _arcs(
                    y, least_of, share, *patch, padded, _binomials, most, boxes, mass, total, owner, room
                )
                if following < 0:
                    boxes[:], mass[:] = before
                    owner, room = (np.concatenate([x, np.empty_like(x)]) for x in (owner, room))
            total = following
        counts, points, logs = _by_label(boxes, most, owner[:total], room[:total])
        spare.append((owner, room))
        return counts, points, logs

    ends = range(0, len(levels), _AT_ONCE)
    found = in_threads(arcs_of, [slice(a, min(a + _AT_ONCE, len(levels))) for a in ends])
    counts = np.concatenate([np.zeros(0, dtype=np.int64), *(f[0] for f in found)])
    points = np.concatenate([np.zeros((0, nodes.size, 2)), *(f[1] for f in found)])
    logs = np.concatenate([np.zeros((0, nodes.size)), *(f[2] for f in found)])
    return np.repeat(order, counts), points, logs


@compiled
def _arcs(
    labels: Array,
    least: Array,
    share: float,
    patches: Integers,
    coefficients: Array,
    corners: Array,
    areas: Array,
    nodes: Array,
    binomials: Array,
    most: int,
    boxes: Integers,
    mass: Array,
    total: int,
    owner: Integers,
    found: Array,
) -> int:
    """The number of arcs so far, of some patches; -1 where `owner` and `found` have too little room.

    Labels increase; they share the boxes: one is divided until it is a graph for all those that reach it. The
    nodes are padded. The boxes and the density of each label so far are added to.
    """
    # one loop on purpose: its parts would hand on a dozen arrays, the stack of boxes among them
    n, size = len(binomials), found.shape[1]
    stack, state = np.empty((_ROOM, n * n)), np.empty((_ROOM, STATE))
    heights, row, split = np.empty(len(labels)), np.empty(3), np.empty(n)
    part, work = np.empty((3, nodes.size, 3)), np.empty((3, n, nodes.size))
    basis, columns = np.empty((n, nodes.size)), np.empty((n, nodes.size))
    basis_at(nodes, binomials, basis, work[0, 0])
    for p in patches:
        for i in range(n * n):
            stack[0, i] = coefficients[p, i]
        for k in range(STATE):
            state[0, k] = 1.0 if k == 2 or k == 3 else 0.0
        state[0, LAST], top = len(labels), 0
        while top >= 0:
            box, place = stack[top], state[top]
            low, high = math.inf, -math.inf
            for i in range(n * n):
                low, high = min(low, box[i]), max(high, box[i])
            first, last = int(place[FIRST]), int(place[LAST])
            while first < last and not low < labels[first] - place[BASE]:
                first += 1
            while first < last and not labels[last - 1] - place[BASE] <= high:
                last -= 1
            alive = False
            for i in range(first, last):
                boxes[i] += 1
                alive = alive or boxes[i] <= most
                heights[i] = labels[i] - place[BASE]
            if not alive:
                top -= 1
                continue
            swapped, slope = graph_axis(box, n, heights, first, last)
            if swapped < 0:
                if place[DEPTH] >= _DEEPEST:
                    top -= 1
                    continue
                # rounding is then that of the differences within the box
                for i in range(n * n):
                    box[i] -= heights[(first + last) // 2]
                place[BASE], place[FIRST], place[LAST] = labels[(first + last) // 2], first, last
                top += divide(stack[top:], state[top:], split)
                continue
            largest = areas[p] * place[2] * place[3] / slope * _weight(place, corners[p], row)
            if swapped == 1:
                for i in range(n):
                    for j in range(i):
                        box[i * n + j], box[j * n + i] = box[j * n + i], box[i * n + j]
            columns_at(box, basis, columns)
            for i in range(first, last):
                if boxes[i] > most or largest < max(least[i], share * mass[i]):
                    continue
                parts = graph_points(
                    box, columns, heights[i], place, swapped, corners[p], nodes, binomials, work, part
                )
                if total + parts > len(found):
                    return -1
                for k in range(parts):
                    density = 0.0
                    for a in range(size):
                        u, v, weight = part[k, a, 0], part[k, a, 1], part[k, a, 2]
                        found[total, a, 0], found[total, a, 1], found[total, a, 2] = u, v, weight
                        density += weight * math.exp(-0.5 * (u * u + v * v))
                    density /= 2 * math.pi * size  # of y, of w ~ N(0, I), to about a tenth
                    if density < max(least[i], share * mass[i]):
                        continue
                    mass[i] += density
                    owner[total] = i
                    total += 1
            top -= 1
    return total


def _by_label(boxes: Integers, most: int, owner: Integers, found: Array) -> tuple[Integers, Array, Array]:
    """(number of arcs of each label, points, log density); none of labels that took too many boxes."""
    kept = np.flatnonzero(boxes[owner] <= most)
    mine = owner[kept]
    arcs = found[kept[np.argsort(mine, kind="stable")]]
    logs = np.log(np.maximum(arcs[..., 2], _LEAST_DENSITY))
    return np.bincount(mine, minlength=len(boxes)), np.ascontiguousarray(arcs[..., :2]), logs


def _largest_areas(corners: Array) -> Array:
    """The largest area element of each quadrilateral: it is a linear function of the parameters."""
    along, up = corners[:, [1, 3]] - corners[:, [0, 2]], corners[:, [2, 3]] - corners[:, [0, 1]]
    areas = along[:, :, None, 0] * up[:, None, :, 1] - along[:, :, None, 1] * up[:, None, :, 0]
    return np.asarray(np.abs(areas).max((1, 2)))


@compiled
def _weight(place: Array, corners: Array, row: Array) -> float:
    """A bound of the density of N(0, I) on a box."""
    locate(place[0] + 0.5 * place[2], place[1] + 0.5 * place[3], corners, row)
    x, y, radius = row[0], row[1], 0.0
    for k in range(4):
        locate(place[0] + place[2] * (k % 2), place[1] + place[3] * (k // 2), corners, row)
        radius = max(radius, math.hypot(row[0] - x, row[1] - y))
    nearest = max(0.0, math.hypot(x, y) - radius)
    return math.exp(-0.5 * nearest * nearest) / (2 * math.pi)
