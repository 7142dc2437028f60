"""Sums of r equal parts that are linear on both sides of one kink: relu, leaky relu, their affine images.

With k coordinates above the kink c, T+ the sum of their z - c, and T- that of the others, y and S determine
T+ > 0 and T- < 0 whatever k is, as the two slopes differ: the density of (T+, T-) is

    sum_k binom(r, k) f+_k(T+) f-_(r-k)(T-),

with lines of positive probability where k is 0 or r. f_k is the k-fold convolution of a normal density on a
half line; it is smooth there.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from hermite_analytics.foundation.clock import check_time
from hermite_analytics.foundation.numpy_arrays import Array
from hermite_analytics.foundation.panels import lagrange, panel_rule
from hermite_analytics.label.cases.committee.joint import JointLaw, excess

if TYPE_CHECKING:
    from scipy.sparse import csr_array

__all__ = ["below_kink", "half_sums", "two_slopes_law"]


_REACH = 8.5  # standard deviations of a coordinate
_PANELS = (0.0, 0.5, 1.2, 2.2)  # of T, then equal ones
_WIDEST = (2.0, 1.5)  # by level
_PANEL = 16  # nodes of each
_NODES = (36, 48)  # of each convolution


class _Side(NamedTuple):
    """f_k and k E[(z - c)^2; .], ... at nodes of T: shape (r + 1, n) each, rows k; and the rule."""

    at: Array
    weights: Array
    length: float
    density: Array
    second: Array


def two_slopes_law(count: int, kink: float = 0.0, *, level: int = 1) -> JointLaw:
    """The law of (T+, T-), as good as (y, S).

    Parameters
    ----------
    count : int >= 2
        r.
    kink : float
        c.

    Examples
    --------
    >>> law = two_slopes_law(3)  # relu(z1) + relu(z2) + relu(z3)
    >>> round(1 / law.eigenvalue, 7), bool(law.loss < 1e-9)
    (1.1176241, True)
    """
    above = _side(count, kink, level)
    below = above if kink == 0 else _side(count, -kink, level)
    ways = np.array([float(math.comb(count, k)) for k in range(1, count)])
    up, down = above.weights * above.density[1:-1], (below.weights * below.density[1:-1])[::-1]
    masses = (ways * up.T) @ down
    second = (ways * (above.weights * above.second[1:-1]).T) @ down
    second += (ways * up.T) @ (below.weights * below.second[1:-1])[::-1]
    total = above.at[:, None] - below.at + count * kink
    ends = [_line(side, count, sign * kink) for side, sign in ((above, 1), (below, -1))]
    return JointLaw(
        np.concatenate([masses.ravel(), *(e.masses for e in ends)]),
        np.concatenate([excess(second, masses, total, count).ravel(), *(e.moments for e in ends)]),
    )


def below_kink(count: int, *, level: int = 1) -> JointLaw:
    """The law of S where all coordinates are negative."""
    line = _line(_side(count, 0.0, level), count, 0.0)
    return JointLaw(line.masses, line.moments)


def half_sums(count: int, *, level: int = 1) -> tuple[float, list[Callable[[Array], Array] | None]]:
    """The largest T that is looked at, and densities of sums T of k = 0, ..., r - 1 coordinates above 0.

    They have the shape (2, ...): the density, and that times E[sum z^2 | T]; k = 0 has none.

    Examples
    --------
    >>> length, (_, one, two) = half_sums(3)
    >>> one(np.array([1.0])).round(9).tolist()
    [[0.241970725], [0.241970725]]
    """
    side = _side(count, 0.0, level)
    length = float(side.at[-1])
    edges = _edges(float(side.length), _WIDEST[level])

    def function(k: int) -> Callable[[Array], Array]:
        rows = np.stack([side.density[k], side.second[k]]).reshape(2, -1, _PANEL)

        def value(t: Array) -> Array:
            panel = np.clip(np.searchsorted(edges, t, side="right") - 1, 0, len(edges) - 2)
            scaled = np.clip(2 * (t - edges[panel]) / np.diff(edges)[panel] - 1, -1.0, 1.0)
            return np.asarray((lagrange(_PANEL, scaled) * rows[:, panel]).sum(-1))

        return value

    return length, [None, *(function(k) for k in range(1, count))]


def _line(side: _Side, count: int, kink: float) -> JointLaw:
    """All coordinates on one side of the kink."""
    masses = side.weights * side.density[count]
    second = side.weights * side.second[count]
    return JointLaw(masses, excess(second, masses, side.at + count * kink, count))


def _side(count: int, kink: float, level: int) -> _Side:
    """Convolutions of the density of z - c on z > c, one factor at a time, on one set of nodes."""
    length = _REACH - kink + (count - 1) * max(0.8, 0.4 - 0.8 * kink) + _REACH * math.sqrt(count - 1)
    edges = _edges(length, _WIDEST[level])
    at, rule = panel_rule(edges, _PANEL)
    plain, squares = _convolutions(at, edges, kink, _NODES[level])
    single, square = _density(at, kink)
    density, second = [np.zeros(len(at)), single], [np.zeros(len(at)), square]
    for k in range(2, count + 1):
        check_time()
        second.append(k * (squares @ density[-1]))
        density.append(plain @ density[-1])
    return _Side(at, rule, length, np.array(density), np.array(second))


def _convolutions(at: Array, edges: Array, kink: float, count: int) -> tuple[csr_array, csr_array]:
    """The matrices f -> (f * p, f * z^2 p) at the nodes, p the density of z - c on z > c: bands."""
    from scipy.sparse import csr_array

    x, weights = panel_rule([0.0, 0.5, 1.0], count)
    width = np.minimum(at, max(_REACH - kink, 1.0))
    places = width[:, None] * x
    density, square = _density(places, kink)
    rest = at[:, None] - places
    panel = np.clip(np.searchsorted(edges, rest, side="right") - 1, 0, len(edges) - 2)
    scaled = 2 * (rest - edges[panel]) / np.diff(edges)[panel] - 1
    shares = lagrange(_PANEL, scaled)
    n = len(at)
    columns = panel[..., None] * _PANEL + np.arange(_PANEL)
    place = (np.arange(n)[:, None, None] * n + columns).ravel()
    found = [
        np.bincount(place, (shares * (width[:, None] * weights * p)[..., None]).ravel(), n * n)
        for p in (density, square)
    ]
    plain, squares = (csr_array(f.reshape(n, n)) for f in found)
    return plain, squares


def _density(x: Array, kink: float) -> tuple[Array, Array]:
    z = x + kink
    plain = np.exp(-0.5 * z * z) / math.sqrt(2 * math.pi)
    return plain, z * z * plain


def _edges(length: float, widest: float) -> Array:
    inner = [e for e in _PANELS if e < length]
    rest = max(1, math.ceil((length - inner[-1]) / widest))
    return np.array([*inner[:-1], *np.linspace(inner[-1], length, rest + 1)])
