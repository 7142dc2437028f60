"""Space cut along surfaces w_k = a(w_i, w_j) too: columns over the cells of a plane, between two graphs.

In a column w_k = log(e^a + e^t) - log(1 + e^(t - b)) takes all t to what is between the graphs a < b, with
equal steps of t beside both on all scales; where a graph is far away, w_k is t.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from hermite_analytics.foundation.numpy_arrays import Array, Bools
from hermite_analytics.label.cases.space.wedges import FARTHEST, Cell, Mapped, Plane, cells_between

__all__ = ["Column", "Graph", "Region", "columns_between"]

Graph = Callable[[Array], tuple[Array, Array]]

_BESIDE = 13.0  # steps of t that reach beyond a graph: e^-13 of the width of a column is left out
_UNLIKE = 1.07  # steps of t in those of the base: a surface along a graph meets no lattice twice alike
_SAME = 1e-12


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """The points over a cell of the plane of (w_i, w_j) with a < w_k < b.

    Attributes
    ----------
    base : Cell
        The one of its edges that is the axis of w_k comes last.
    axis_of : int
        k.
    low, high : functions of points, shape (..., 3), or None
        (a, its gradient) and (b, its gradient), shapes (...) and (..., 3), which do not depend on w_k; None
        where the column has no end.
    """

    base: Cell
    axis_of: int
    low: Graph | None
    high: Graph | None

    @property
    def lengths(self) -> Array:
        """L of the coordinates u: the last one is a share, or the distance from the only graph."""
        last = np.inf if self.low is None or self.high is None else 1.0
        return np.array([*self.base.lengths[:2], last])

    @property
    def whole(self) -> Bools:
        """Whether u_k may have any value."""
        return np.array([*self.base.whole[:2], False])

    @property
    def kinks(self) -> Bools:
        """Whether the faces u_k = 0 and u_k = L_k are kinks."""
        both = self.low is not None and self.high is not None
        return np.array([*self.base.kinks[:2], [True, both]])

    def axis(self, k: int, step: float) -> Array:
        """Equal steps of s_k, of t along the column, that reach all of it with |w| < 6.4."""
        if k < 2:
            return self.base.axis(k, step)
        reach = [FARTHEST + (0.0 if end is None else _BESIDE) for end in (self.low, self.high)]
        step = _UNLIKE * step
        return np.asarray(step * np.arange(-np.ceil(reach[0] / step), np.ceil(reach[1] / step) + 1))

    def mapped(self, axes: Sequence[Array]) -> Mapped:
        """The column at all nodes of three axes of s."""
        from scipy.special import expit

        flat = self.base.mapped([*axes[:2], np.zeros(1)])
        ground = flat.points * (np.arange(3) != self.axis_of)
        t = axes[2]
        a, da = _values(self.low, ground, -np.inf)
        b, db = _values(self.high, ground, np.inf)
        points = np.repeat(ground, len(t), axis=2)
        points[..., self.axis_of] = np.logaddexp(a, t) - np.logaddexp(0.0, t - b)
        rise = expit(t - a) - expit(t - b)
        by_low, by_high = expit(a - t), expit(t - b)  # of w_k by a and b
        # the base has the jacobian of its three coordinates at s = 0, of which the last one does not count
        jacobian = flat.jacobian / self.base.distances(2, np.zeros(1))[1]

        def slopes(gradient: Array) -> Array:
            up = gradient[..., self.axis_of, None]
            full = gradient + up * (by_low[..., None] * da + by_high[..., None] * db)
            return np.asarray(np.concatenate([flat.slopes(full)[:2], (up[..., 0] * rise)[None]]))

        return Mapped(points=points, jacobian=np.asarray(jacobian * rise), slopes=slopes)

    def places(self, u: Array) -> Array:
        """The points w at u, shape (..., 3)."""
        return self._placed(u)[0]

    def slopes(self, u: Array, gradient: Array) -> Array:
        """A gradient in w at u as the derivatives by u, both of shape (..., 3)."""
        tilt, along = self._placed(u)[1:]
        up = gradient[..., self.axis_of, None]
        with np.errstate(invalid="ignore"):  # on a plane where a graph or its slope goes to infinity
            found = (gradient + up * tilt) @ self.base.edges
            found[..., 2] = up[..., 0] * along
        return np.asarray(found)

    def inner_point(self) -> Array:
        """A point off all faces."""
        return self.places(np.where(np.isinf(self.lengths), 1.0, 0.5 * self.lengths))

    def holds(self, points: Array) -> Bools:
        """Whether points, shape (..., 3), are inside."""
        u = (points - self.base.corner) @ np.linalg.inv(self.base.edges).T
        u = u[..., :2]
        inside = np.all((self.base.whole[:2] | (u > 0)) & (u < self.base.lengths[:2]), axis=-1)
        height = points[..., self.axis_of]
        low, high = _values(self.low, points, -np.inf)[0], _values(self.high, points, np.inf)[0]
        return np.asarray(inside & (low < height) & (height < high))

    def planes(self, k: int, places: Array) -> list[Plane]:
        """The planes on which u_k has one of these values; along the column there are none."""
        return self.base.planes(k, places) if k < 2 else []

    def _placed(self, u: Array) -> tuple[Array, Array, Array]:
        """(w, the gradient of w_k in w_i and w_j, its derivative by the last u) at u."""
        w = self.base.places(u * np.array([1.0, 1.0, 0.0]))
        a, da = _values(self.low, w, -np.inf)
        b, db = _values(self.high, w, np.inf)
        v = u[..., 2]
        if self.low is not None and self.high is not None:
            with np.errstate(invalid="ignore"):  # as in `slopes`
                height, tilt, along = a + (b - a) * v, da + (db - da) * v[..., None], b - a
        elif self.low is not None:
            height, tilt, along = a + v, da, np.ones_like(v)
        else:
            height, tilt, along = b - v, db, -np.ones_like(v)
        w[..., self.axis_of] = height
        return w, tilt, along


Region = Cell | Column


def columns_between(
    k: int,
    graphs: Sequence[Graph],
    planes: Sequence[Plane],
    smooth: Sequence[Plane] = (),
    *,
    cut: bool = False,
) -> tuple[Column, ...] | None:
    """Columns along w_k between graphs, over the cells between planes that contain its axis.

    Parameters
    ----------
    k : int
    graphs : sequence of functions of points
        Of which no two meet, but on the planes.
    planes, smooth : sequences of (a, b, c, d)
        As `cells_between` takes them; those that do not contain the axis of w_k are left out of `smooth`.
    cut : bool
        As there.
    """
    cells = cells_between(planes, [p for p in smooth if abs(p[k]) < _SAME], cut=cut)
    if cells is None:
        return None
    found = []
    for cell in cells:
        upward = [i for i in range(3) if np.abs(cell.edges[:, i] - np.eye(3)[k]).max() < _SAME]
        if not upward:  # the other half of a line that is cut: the columns over it are those of this half
            continue
        order = [*(i for i in range(3) if i != upward[0]), upward[0]]
        base = Cell(
            corner=cell.corner,
            edges=cell.edges[:, order],
            lengths=cell.lengths[order],
            whole=cell.whole[order],
            kinks=cell.kinks[order],
        )
        inner = base.inner_point()
        ordered = sorted(graphs, key=lambda g: float(g(inner)[0]))
        ends = [None, *ordered, None]
        found += [Column(base=base, axis_of=k, low=low, high=high) for low, high in itertools.pairwise(ends)]
    return tuple(found)


def _values(graph: Graph | None, points: Array, missing: float) -> tuple[Array, Array]:
    if graph is None:
        return np.full(points.shape[:-1], missing), np.zeros(points.shape)
    return graph(points)
