"""Lines and curves off which functions of two coordinates are smooth, and integrals over what lies between.

The plane is swept by parallel columns. Each is divided where it meets a line or a curve; across the columns,
panels end where the order of those meetings changes: two of them cross there, or a curve turns back, beside
which what lies between goes with the root of the distance. So panels have the square of a distance as their
parameter at such ends, and Gauss's rule converges on all of them. It converges more slowly where a curve
crosses itself without being a product of polynomials, or turns along a column: that shows between two rules.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from hermite_analytics.foundation.clock import check_time
from hermite_analytics.foundation.numpy_arrays import Array, Function, Integers
from hermite_analytics.foundation.panels import unit_rule
from hermite_analytics.foundation.roots import roots_between
from hermite_analytics.label.cases.plane.patches import HALF_WIDTH, TICKS, crossings

__all__ = ["Breaks", "divided"]

_ANGLE = 0.37  # of the columns beside curves where no line has a say: along none of their axes
_SHARE = 0.43  # of the widest gap between the lines' directions
_LOOKED_AT = 513  # places of a column between which meetings are looked for, and columns
_AT_ONCE = 1 << 21  # places
_BISECTIONS = 32  # of a change
_TURNS = 4  # steps towards the place where a curve is nearest to a column
_MOST_CHANGES = 16  # between two columns
_BESIDE = 1e-9  # the ends of the columns, relatively
_OUTSIDE = -1  # the break that fills up a row


@dataclass(frozen=True, slots=True, kw_only=True)
class Breaks:
    """Where functions of two coordinates have kinks or jumps.

    Attributes
    ----------
    lines : ndarray, shape (m, 3)
        a w1 + b w2 = c.
    curves : tuple of functions of points, shape (n, 2)
        Each stands for the points at which it changes its sign.

    Examples
    --------
    >>> circle = Breaks(lines=np.zeros((0, 3)), curves=(lambda w: (w**2).sum(-1) - 2,))
    >>> points, p = circle.rule(10)
    >>> bool(abs(p @ ((points**2).sum(1) < 2) - (1 - math.exp(-1))) < 1e-10)
    True
    """

    lines: Array
    curves: tuple[Function, ...] = ()
    _ends: list[Array] = field(default_factory=list, init=False, repr=False, compare=False)

    @property
    def turned(self) -> bool:
        """Whether what lies between may go with the root of the distance to a change; not between lines."""
        return bool(self.curves)

    def meetings(
        self, starts: Array, along: Array, reach: float, looked_at: int = _LOOKED_AT
    ) -> tuple[Array, Integers]:
        """(places t, which break), both (n, k), at which start + t along, |t| < reach, meets the breaks.

        In the order of t; rows are filled up with the place `reach` and the break -1.
        """
        with np.errstate(divide="ignore", invalid="ignore"):
            t = (self.lines[:, 2] - starts @ self.lines[:, :2].T) / (self.lines[:, :2] @ along)
        t = np.where(np.abs(t) < reach, t, reach)
        which = np.where(t < reach, np.arange(len(self.lines)), _OUTSIDE)
        rows, found, breaks = [], [], []
        for k, curve in enumerate(self.curves):
            row, place = _zeros(curve, starts, along, reach, looked_at)
            rows.append(row)
            found.append(place)
            breaks.append(np.full(len(row), len(self.lines) + k))
        if rows:
            more, own = _in_rows(
                np.concatenate(rows), np.concatenate(found), np.concatenate(breaks), len(starts), reach
            )
            t, which = np.concatenate([t, more], axis=1), np.concatenate([which, own], axis=1)
        order = np.argsort(t, axis=1, kind="stable")
        return np.take_along_axis(t, order, 1), np.take_along_axis(which, order, 1)

    def changes(self, across: Array, along: Array, reach: float) -> Array:
        """Places x at which the columns x across + t along meet breaks in another order."""
        x = np.linspace(-reach, reach, _LOOKED_AT)
        found = [np.array([point for _, point in crossings(self.lines.tolist())]).reshape(-1, 2) @ across]
        if self.curves:
            orders = self._orders(x, across, along, reach)
            k = np.array([i for i in range(len(x) - 1) if orders[i] != orders[i + 1]], dtype=np.int64)
            low, goal = x[k], [orders[i + 1] for i in k]
            high = x[k + 1]
            for _ in range(_MOST_CHANGES):
                here = self._orders(low, across, along, reach)
                left = np.array([a != b for a, b in zip(here, goal, strict=True)], dtype=bool)
                low, high = low[left], high[left]
                goal = [g for g, kept in zip(goal, left, strict=True) if kept]
                if not len(low):
                    break
                change = self._next_change(low, high, across, along, reach)
                found.append(change)
                low = change
        ends = np.unique(np.concatenate(found))
        return np.asarray(ends[np.abs(ends) < (1 - _BESIDE) * reach])

    def _next_change(self, low: Array, high: Array, across: Array, along: Array, reach: float) -> Array:
        """Right of the first change of order after each `low`, by bisection."""
        start = self._orders(low, across, along, reach)
        for _ in range(_BISECTIONS):
            check_time()
            middle = 0.5 * (low + high)
            now = self._orders(middle, across, along, reach)
            same = np.array([a == b for a, b in zip(start, now, strict=True)])
            low, high = np.where(same, middle, low), np.where(same, high, middle)
        return high

    def _orders(self, x: Array, across: Array, along: Array, reach: float) -> list[tuple[int, ...]]:
        _, which = self.meetings(x[:, None] * across, along, reach)
        return [tuple(k for k in row if k != _OUTSIDE) for row in which.tolist()]

    def axes(self, forms: Array | None = None) -> tuple[Array, Array]:
        """(across, along) of columns that run along no line; of lines with other normals, where given."""
        forms = self.lines[:, :2] if forms is None else forms
        angle = _ANGLE if self.curves else math.pi / 2
        if len(forms):
            angles = np.sort(np.arctan2(forms[:, 1], forms[:, 0]) % math.pi)
            gaps = np.diff(angles, append=angles[0] + math.pi)
            k = int(np.argmax(gaps))
            # a normal here would be that of a column; beside curves none of their axes is likely to be
            angle = angles[k] + gaps[k] * (_SHARE if self.curves else 0.5)
        c, s = math.cos(angle), math.sin(angle)
        return np.array([c, s]), np.array([-s, c])

    def rule(self, nodes: int) -> tuple[Array, Array]:
        """Points (n, 2) and probabilities of N(0, I), by so many nodes on panels of a width up to 0.95."""
        across, along = self.axes()
        if not self._ends:
            self._ends.append(self.changes(across, along, HALF_WIDTH))
        x, weights = divided(TICKS, self._ends[0], nodes, turned=self.turned)
        starts = x[:, None] * across
        walls, _ = self.meetings(starts, along, HALF_WIDTH)
        t, inner = divided(TICKS, walls, nodes)
        points = starts[:, None, :] + t[..., None] * along
        p = weights[:, None] * inner * np.exp(-0.5 * (x[:, None] ** 2 + t**2)) / (2 * math.pi)
        kept = inner.ravel() > 0
        return points.reshape(-1, 2)[kept], p.ravel()[kept]


def divided(ticks: Array, walls: Array, nodes: int, *, turned: bool = False) -> tuple[Array, Array]:
    """Gauss's rule, both (..., n), with so many nodes between each two ticks and walls (..., k) of a row.

    With `turned` the square of the distance to a wall is the parameter of the panels beside it.
    """
    low, high = ticks[0], ticks[-1]
    ends = np.concatenate([np.broadcast_to(ticks, (*walls.shape[:-1], len(ticks))), walls], axis=-1)
    ends = np.clip(ends, low, high)
    order = np.argsort(ends, axis=-1, kind="stable")
    ends = np.take_along_axis(ends, order, -1)
    wall = (order >= len(ticks)) & turned
    s, ds = unit_rule(nodes)
    places = np.array([[s, s * (2 - s)], [s * s, s * s * (3 - 2 * s)]])  # by the wall on the left, the right
    speeds = np.array([[ds, 2 * (1 - s) * ds], [2 * s * ds, 6 * s * (1 - s) * ds]])
    left, right = wall[..., :-1].astype(np.int64), wall[..., 1:].astype(np.int64)
    size = np.diff(ends)[..., None]
    shape = (*walls.shape[:-1], -1)
    found = ends[..., :-1, None] + size * places[left, right]
    return found.reshape(shape), (size * speeds[left, right]).reshape(shape)


def _zeros(
    curve: Function, starts: Array, along: Array, reach: float, looked_at: int
) -> tuple[Integers, Array]:
    """(rows, places) at which a function changes its sign along start + t along."""
    t = np.linspace(-reach, reach, looked_at)
    none = np.zeros(0)
    found: list[tuple[Integers, Array, Array]] = [(none.astype(np.int64), none, none)]
    with np.errstate(all="ignore"):
        for first in range(0, len(starts), max(1, _AT_ONCE // looked_at)):
            part = starts[first : first + max(1, _AT_ONCE // looked_at)]
            values = curve((part[:, None, :] + t[:, None] * along).reshape(-1, 2)).reshape(len(part), -1)
            row, k = np.nonzero((values[:, 1:] > 0) != (values[:, :-1] > 0))
            found.append((row + first, t[k], t[k + 1]))
            row, k = _nearest(values)
            found += _turned_back(curve, part, along, (row, t[k + 1], values[row, k + 1]), t[1] - t[0], first)
        row, low, high = (np.concatenate(parts) for parts in zip(*found, strict=True))

        def height(x: Array) -> Array:
            return np.nan_to_num(_at(curve, starts[row], along, x), nan=-1.0)

        return row, roots_between(height, low, high)


def _nearest(values: Array) -> tuple[Integers, Integers]:
    """Inner places, less one, where a function of one sign is near to 0 and might reach it in between."""
    a, b, c = np.abs(values[:, :-2]), np.abs(values[:, 1:-1]), np.abs(values[:, 2:])
    positive = values > 0
    alike = (positive[:, :-2] == positive[:, 1:-1]) & (positive[:, 1:-1] == positive[:, 2:])
    bend = a - 2 * b + c
    near = alike & (b <= a) & (b <= c) & (8 * bend * b < 2 * (a - c) ** 2 + bend**2)  # by a parabola, roughly
    row, place = np.nonzero(near)
    return row, place


def _turned_back(
    curve: Function,
    starts: Array,
    along: Array,
    near: tuple[Integers, Array, Array],
    step: float,
    first: int,
) -> list[tuple[Integers, Array, Array]]:
    """Intervals on both sides of the places at which the other sign is reached after all."""
    row, t, value = near
    if not len(row):
        return []
    low, high, positive = t - step, t + step, value > 0
    for _ in range(_TURNS):
        a, b, c = (np.abs(_at(curve, starts[row], along, x)) for x in (t - step, t, t + step))
        bend = a - 2 * b + c
        move = np.where(bend > 0, 0.5 * (a - c) / bend, 0.0)
        t = np.clip(t + step * np.clip(move, -1, 1), low, high)
        step *= 0.1
    over = (_at(curve, starts[row], along, t) > 0) != positive
    row, t, low, high = row[over] + first, t[over], low[over], high[over]
    return [(row, low, t), (row, t, high)]


def _at(curve: Function, starts: Array, along: Array, t: Array) -> Array:
    return curve(starts + t[:, None] * along)


def _in_rows(
    rows: Integers, places: Array, breaks: Integers, count: int, fill: float
) -> tuple[Array, Integers]:
    """Lists of each row, filled up."""
    order = np.argsort(rows, kind="stable")
    rows, places, breaks = rows[order], places[order], breaks[order]
    index = np.arange(len(rows)) - np.searchsorted(rows, rows)
    t = np.full((count, int(index.max(initial=-1)) + 1), fill)
    which = np.full(t.shape, _OUTSIDE)
    t[rows, index], which[rows, index] = places, breaks
    return t, which
