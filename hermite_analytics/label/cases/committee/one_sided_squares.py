"""Sums of r equal squares of positive parts: relu(z)^2, and what differs from it by a multiple of z.

With k coordinates above 0 the label is the square of their norm rho. Their sum is rho tau, and tau, that of
the coordinates of a unit vector, has the density N_k on (1, sqrt(k)) of the surface measure of its orthant:

    N_k(tau) = int sin(phi)^(k-3) N_(k-1)((tau - cos phi)/sin phi) dphi,

with roots at tau = sqrt(1), ..., sqrt(k), and 2/(2 - tau^2)^(1/2) for k = 2. The others have sums -T with the
densities f_(r-k)(T) of `two_slopes`, so that the density of (rho, S) is

    sum_k binom(r, k) (2 pi)^(-k/2) rho^(k-1) exp(-rho^2/2) int N_k(tau) f_(r-k)(rho tau - S) dtau,

and E[sum z_i^2 | y, S] is y and what the coordinates below 0 have. All are below 0 with probability 2^-r.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from hermite_analytics.foundation.clock import check_time
from hermite_analytics.foundation.numpy_arrays import Array
from hermite_analytics.foundation.panels import lagrange, panel_rule, unit_rule
from hermite_analytics.label.cases.committee.joint import JointLaw, excess
from hermite_analytics.label.cases.committee.radial import norm_density
from hermite_analytics.label.cases.committee.two_slopes import below_kink, half_sums

__all__ = ["is_one_sided_square", "one_sided_squares_law"]

Pair = Callable[[Array], Array]

_NORMS = (0.0, 0.7, 1.6, 3.0, 4.5, 6.0, 8.0)  # of rho - (r/2)^(1/2), in its upper half
_BELOW = (0.0, 0.5, 1.5, 3.0, 5.0, 8.0)  # rho - S of panels below all roots, then equal ones
_WIDEST = 3.0
_NODES = ((6, 10, 9), (8, 14, 12))  # of a panel of rho, S and tau, by level
_FEWEST, _FEW = 4, 4  # nodes of a panel, and panels with all of them
_TABLE = 24  # nodes of N_k between two roots
_ANGLES = 24
_NEAR = 1e-12
_RARE = 1e-14  # probability
_REACH, _POINTS = 8.5, 401  # of the part
_SAME = 1e-12


def one_sided_squares_law(count: int, *, level: int = 1) -> JointLaw:
    """The law of (y, S).

    Parameters
    ----------
    count : int >= 3
        r.

    Examples
    --------
    >>> law = one_sided_squares_law(3, level=0)
    >>> round(1 / law.eigenvalue, 8), bool(law.loss < 1e-5)
    (1.11798062, True)
    """
    norms, sums, shares = _NODES[level]
    densities = sums_of_unit_vectors(count)
    length, beside = half_sums(count, level=level)
    rho, widths = panel_rule(_edges_of_norms(count), norms)
    found = [below_kink(count, level=level)]
    for norm, width in zip(rho.tolist(), widths.tolist(), strict=True):
        check_time()
        s, weights = _sums(norm, count, length, sums)
        law = np.zeros((2, len(s)))
        for k in range(1, count + 1):
            scale = math.comb(count, k) * (2 * math.pi) ** (-0.5 * k) * norm ** (k - 1)
            share = math.comb(count, k) * norm_density(np.array(norm), k) / 2.0**count
            if share < _RARE:
                continue
            law += scale * _with_others(densities[k], beside[count - k], k, norm, s, shares)
        p, others = law * (weights * width * math.exp(-0.5 * norm * norm))
        found.append(JointLaw(p, excess(others + norm * norm * p, p, s, count)))
    return JointLaw(*(np.concatenate([getattr(f, name) for f in found]) for name in ("masses", "moments")))


def is_one_sided_square(value: Callable[[Array], Array]) -> bool:
    """Whether a function is A relu(z)^2 or A relu(-z)^2 beside a linear one, to rounding.

    Examples
    --------
    >>> is_one_sided_square(lambda z: 3 * z - np.minimum(z, 0) ** 2), is_one_sided_square(np.abs)
    (True, False)
    """
    z = np.linspace(0.0, _REACH, _POINTS)
    bent = [value(side * z) for side in (1.0, -1.0)]
    slopes = [(g[1] - g[0]) / z[1] for g in bent]
    for side in (0, 1):
        line = -slopes[1 - side] * z
        size = (bent[side][-1] - bent[side][0] - line[-1]) / z[-1] ** 2
        small = _SAME * max(abs(slopes[0]), abs(slopes[1]), abs(size)) * z[-1] ** 2
        off = np.abs(bent[side] - bent[side][0] - line - size * z * z)
        flat = np.abs(bent[1 - side] - bent[1 - side][0] + line)
        if abs(size) * z[-1] ** 2 > small and max(off.max(), flat.max()) < small:
            return True
    return False


def _edges_of_norms(count: int) -> Array:
    middle = math.sqrt(0.5 * count)
    upper = middle + np.array(_NORMS)
    return np.array([0.0, *np.linspace(0, middle, math.ceil(middle) + 1)[1:-1], *upper])


def _sums(norm: float, count: int, length: float, size: int) -> tuple[Array, Array]:
    """Nodes S with weights, in panels that end where the sum of j equal coordinates is rho sqrt(j)."""
    inner = [x for x in _BELOW if x < length]
    inner += np.linspace(inner[-1], length, math.ceil((length - inner[-1]) / _WIDEST) + 1)[1:].tolist()
    low = panel_rule(norm - np.array(inner[::-1]), size)
    high = _dense_at_ends(norm * np.sqrt(np.arange(1.0, count + 1)), _fewer(size, count))
    return np.concatenate([low[0], high[0]]), np.concatenate([low[1], high[1]])


def _fewer(size: int, panels: int) -> int:
    """Nodes of a panel where panels are many, and short."""
    return max(_FEWEST, size - max(0, panels - _FEW) // 2)


def _with_others(
    density: Pair | None, others: Pair | None, k: int, norm: float, s: Array, size: int
) -> Array:
    """(density, that times E[sum z^2] of the coordinates below 0) of S, shape (2, S)."""
    if density is None:  # k = 1: tau = 1
        assert others is not None
        return np.where(s < norm, others(np.maximum(norm - s, 0.0)), 0.0)
    if others is None:  # k = r
        tau = s / norm
        inside = (tau > 1) & (tau < math.sqrt(k))
        return np.stack([np.where(inside, density(np.where(inside, tau, 1.0)) / norm, 0.0), np.zeros_like(s)])
    roots = np.sqrt(np.arange(1.0, k + 1))
    ends = np.maximum(roots, np.minimum(s / norm, roots[-1])[:, None])
    tau, weights = _dense_at_ends(ends, _fewer(size, k))
    return np.asarray((others(np.maximum(norm * tau - s[:, None], 0.0)) * (density(tau) * weights)).sum(-1))


def sums_of_unit_vectors(count: int) -> list[Pair | None]:
    """N_k for k = 0, ..., r; none of fewer than two.

    Examples
    --------
    >>> n = sums_of_unit_vectors(4)
    >>> x, w = _dense_at_ends(np.sqrt(np.arange(1.0, 5)), 24)
    >>> round(float(w @ n[4](x)) / (2 * math.pi**2 / 2**4), 8)  # the area of the orthant
    1.0
    """
    found: list[Pair | None] = [None, None, lambda tau: 2 / np.sqrt(np.maximum(2 - tau * tau, _NEAR)), _three]
    while len(found) <= count:
        before = found[-1]
        assert before is not None
        found.append(_one_more(before, len(found)))
    return found[: count + 1]


def _three(tau: Array) -> Array:
    """The arcs of the circle of sum tau on the sphere on which no coordinate is negative."""
    near = tau / np.sqrt(np.maximum(6 - 2 * tau * tau, _NEAR))
    return np.asarray((2 * math.pi - 6 * np.arccos(np.minimum(near, 1.0))) / math.sqrt(3))


def _one_more(before: Pair, k: int) -> Pair:
    """N_k by N_(k-1), kept at nodes between its roots."""
    x, _ = unit_rule(_TABLE)
    roots = np.sqrt(np.arange(1.0, k + 1))
    tau = (roots[:-1, None] + np.diff(roots)[:, None] * x * x * (3 - 2 * x)).ravel()
    c = np.sqrt(np.arange(1.0, k))
    reach = np.arccos(np.minimum(tau[:, None] / np.sqrt(1 + c * c), 1.0))
    ends = np.concatenate([np.arctan(c) - reach, np.arctan(c) + reach], axis=1)
    phi, weights = _dense_at_ends(np.sort(np.clip(ends, 0.0, 0.5 * math.pi), axis=1), _ANGLES)
    sine = np.maximum(np.sin(phi), _NEAR)
    other = (tau[:, None] - np.cos(phi)) / sine
    inside = (other > 1) & (other < c[-1])
    height = np.where(inside, before(np.clip(other, 1.0, c[-1])), 0.0) * sine ** (k - 3)
    table = (height * weights).sum(1).reshape(k - 1, _TABLE)

    def value(at: Array) -> Array:
        panel = np.clip(np.searchsorted(roots, at, side="right") - 1, 0, k - 2)
        share = np.clip((at - roots[panel]) / np.diff(roots)[panel], 0.0, 1.0)
        x = 0.5 - np.sin(np.arcsin(1 - 2 * share) / 3)
        return np.asarray((lagrange(_TABLE, 2 * x - 1) * table[panel]).sum(-1))

    return value


def _dense_at_ends(edges: Array, size: int) -> tuple[Array, Array]:
    """(points, weights) of Gauss and Legendre on panels, for roots at their ends; the last axis is flat."""
    x, w = unit_rule(size)
    width = np.diff(edges)[..., None]
    points = edges[..., :-1, None] + width * (x * x * (3 - 2 * x))
    weights = width * (6 * w * x * (1 - x))
    shape = (*edges.shape[:-1], -1)
    return points.reshape(shape), weights.reshape(shape)
