"""Critical values of a function given on patches, and of its restrictions to lines where it is not smooth."""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Sequence

import numpy as np

from hermite_analytics.foundation.clock import check_time
from hermite_analytics.foundation.numpy_arrays import Array, Bools
from hermite_analytics.foundation.roots import roots_between
from hermite_analytics.label.cases.plane.boxes import divided
from hermite_analytics.label.cases.plane.patches import NODES, TICKS, Patches, bernstein, crossings, located

__all__ = ["critical_points", "values_far_out", "values_on_lines"]

_DEPTH = 12  # halvings of a patch before Newton's method
_STEPS = 40
_FAR = 6.8  # |w| beyond which a critical point has no influence: density e^-23
_ROOM = 20000  # boxes around critical points
_AT_ONCE = 32  # patches that are divided at a time
_ROUNDING = 1e-14  # of differences of coefficients: a critical point may be a corner of its patches
_SETTLED = 1e-3  # change from one line of the grid to the next, in units of the spread of the label
_MOVED = 2.0  # changes that may follow further out
_MIDDLE = 2.0  # |w| of the labels whose spread counts


def values_far_out(patches: Patches, known: Sequence[float] | Array = ()) -> Array:
    """Critical values where the label no longer changes in the direction outwards: cos(w1) + tanh(4*w2).

    Beside them the law of the label varies on all scales, as beside critical values. They are those of
    restrictions to the outer lines of the grid of patches, where the next line has nearly the same ones;
    each is left out where what has changed between these lines reaches a `known` value.
    """
    middle = np.linalg.norm(patches.corners, axis=2) < _MIDDLE
    if not middle.any():
        return np.zeros(0)
    values = patches.coefficients[:, [0, -1, 0, -1], [0, 0, -1, -1]][middle]
    spread = float(np.median(np.abs(values - np.median(values))))
    found = np.asarray(known, dtype=np.float64)
    for normal in np.concatenate([np.eye(2), -np.eye(2)]):
        on_lines = [_along(patches, np.array([*normal, t]), far=math.inf) for t in TICKS[-2:-5:-1]]
        for outer, inner in itertools.pairwise(on_lines):
            change = np.abs(outer[:, None] - inner).min(1, initial=math.inf)
            for value, moved in zip(outer, change, strict=True):
                reach = _MOVED * moved + _ROUNDING * abs(value)
                if moved <= _SETTLED * spread and np.abs(found - value).min(initial=math.inf) > reach:
                    found = np.append(found, value)
    return found[len(known) :]


def values_on_lines(patches: Patches, lines: Sequence[Sequence[float]]) -> Array:
    """Values at critical points of restrictions to `lines`, and where lines meet; not merged."""
    found = [np.zeros(0)]
    for line in lines:
        found.append(_along(patches, np.asarray(line, dtype=float)))
    ends = patches.coefficients[:, [0, -1, 0, -1], [0, 0, -1, -1]]
    for _, point in crossings(lines):
        if math.hypot(*point) <= _FAR:  # from all patches with a corner there
            found.append(ends[np.linalg.norm(patches.corners - point, axis=2) < 1e-9])
    return np.concatenate(found)


@functools.cache
def _differences() -> Array:
    """Bernstein coefficients -> those of the derivative, one degree less, raised to the same degree."""
    m = NODES - 1
    lower = m * (np.eye(NODES)[1:] - np.eye(NODES)[:-1])
    raised = np.zeros((NODES, NODES - 1))
    for i in range(NODES):
        if i > 0:
            raised[i, i - 1] = i / m
        if i < m:
            raised[i, i] = 1 - i / m
    return np.asarray(raised @ lower)


def critical_points(patches: Patches) -> tuple[Array, Array]:
    """(points, shape (n, 2), and values there) of vanishing gradient; some are found more than once."""
    found = _candidates(patches.coefficients)
    index, s, t = found[:, 0].astype(np.int64), found[:, 1].copy(), found[:, 2].copy()
    if not len(found):
        return np.zeros((0, 2)), np.zeros(0)
    d = _differences()
    c = patches.coefficients[index]
    ds, dt = np.einsum("ij,pjk->pik", d, c), np.einsum("ij,pkj->pki", d, c)
    second = np.einsum("ij,pjk->pik", d, ds), np.einsum("ij,pkj->pki", d, ds), np.einsum("ij,pkj->pki", d, dt)

    def at(tensor: Array) -> Array:
        return np.asarray(np.einsum("pi,pij,pj->p", rows, tensor, columns))

    rows, columns = bernstein(s), bernstein(t)
    for _ in range(_STEPS):
        check_time()
        a, b, e = (at(tensor) for tensor in second)
        gradient = np.stack([at(ds), at(dt)], -1)
        hessian = np.stack([np.stack([a, b], -1), np.stack([b, e], -1)], -1)
        # a Newton step, damped where the Hessian is singular: critical points may form curves
        step = np.einsum("pij,pj->pi", np.linalg.pinv(hessian, rcond=1e-9, hermitian=True), gradient)
        step = np.clip(step, -0.1, 0.1)
        s, t = np.clip(s - step[:, 0], -0.05, 1.05), np.clip(t - step[:, 1], -0.05, 1.05)
        rows, columns = bernstein(s), bernstein(t)  # for all derivatives
    w = np.concatenate(located(patches.corners[index], s[:, None], t[:, None])[:2], axis=1)
    size = np.abs(c).max((1, 2))
    small = np.hypot(at(ds), at(dt)) <= 1e-9 * size
    inside = (np.abs(s - 0.5) <= 0.51) & (np.abs(t - 0.5) <= 0.51) & (np.linalg.norm(w, axis=1) < _FAR)
    keep = small & inside
    return np.asarray(w[keep]), np.asarray(at(c)[keep])


def _candidates(coefficients: Array) -> Array:
    """Rows (patch, s, t): the centres of small boxes in which both derivatives may vanish, shape (n, 3)."""
    slack = _ROUNDING * np.abs(coefficients).max((1, 2), initial=0.0)
    some = np.flatnonzero(_may_vanish(coefficients, slack))
    found, count = [np.zeros((0, 3))], 0
    for start in range(0, len(some), _AT_ONCE):
        patch = some[start : start + _AT_ONCE]
        boxes, place = coefficients[patch], np.tile([0.0, 0.0, 1.0, 1.0], (len(patch), 1))
        while len(boxes) and count < _ROOM:
            check_time()
            small = place[:, 2] * place[:, 3] <= 0.5**_DEPTH
            rows = np.column_stack([patch, place[:, :2] + 0.5 * place[:, 2:]])[small]
            found.append(rows)
            count += len(rows)
            boxes, place, source = divided(boxes[~small], place[~small])
            patch = patch[~small][source]
            kept = _may_vanish(boxes, slack[patch])
            boxes, place, patch = boxes[kept], place[kept], patch[kept]
    return np.concatenate(found)[:_ROOM]


def _may_vanish(boxes: Array, slack: Array) -> Bools:
    """Whether both derivatives may be 0 somewhere in a box; not where they are 0 everywhere."""
    slopes = [np.diff(boxes, axis=axis) for axis in (1, 2)]
    low, high = (np.array([extreme(d, axis=(1, 2)) for d in slopes]) for extreme in (np.min, np.max))
    constant = (low == high).all(0) & (low[0] == low[1])
    return np.asarray(((low <= slack) & (high >= -slack)).all(0) & ~constant)


_EDGES = ((0, 1), (2, 3), (0, 2), (1, 3))


def _edge(coefficients: Array, edge: int) -> Array:
    """Bernstein coefficients along an edge, shape (p, NODES)."""
    return (coefficients[:, :, 0], coefficients[:, :, -1], coefficients[:, 0], coefficients[:, -1])[edge]


def _along(patches: Patches, line: Array, far: float = _FAR) -> Array:
    """Critical values of the restriction to a line, within a radius, from all patches with an edge on it."""
    size = np.linalg.norm(line[:2])
    on_line = np.abs(patches.corners @ line[:2] - line[2]) <= 1e-9 * size
    x = np.linspace(0.0, 1.0, 65)
    values = [np.zeros(0)]
    for e, (a, b) in enumerate(_EDGES):
        kept = on_line[:, a] & on_line[:, b]
        if not kept.any():  # two of the four edges run across the line
            continue
        c, corners = _edge(patches.coefficients[kept], e), patches.corners[kept][:, [a, b]]
        slope = c @ _differences().T
        at = slope @ bernstein(x).T
        p, k = np.nonzero(at[:, :-1] * at[:, 1:] < 0)
        roots = roots_between(functools.partial(_values, slope[p]), x[k], x[k + 1])
        # zeros at nodes, at the ends of the edge in particular
        other, node = np.nonzero(np.abs(at) <= 1e-10 * np.abs(c).max(1)[:, None])
        p, roots = np.append(p, other), np.append(roots, x[node])
        ends = corners[p]
        near = np.linalg.norm(ends[:, 0] * (1 - roots[:, None]) + ends[:, 1] * roots[:, None], axis=1) < far
        values.append(_values(c[p], roots)[near])
    return np.concatenate(values)


def _values(c: Array, x: Array) -> Array:
    """Of polynomials with Bernstein coefficients, shape (p, NODES), each at its own place."""
    return np.asarray((bernstein(x) * c).sum(1))
