"""Moments of labels that are linear in other coordinates once some are given, at any omega and V.

With z = omega + L u, the given coordinates v first in L, s = a(v).w + c(v) is N(mu(v), tau(v)^2) given v, and

    Z = E_v N(y; mu(v), tau(v)^2 + noise^2),  E[u_w | v, y] = b (y - mu)/(tau^2 + noise^2),  b = L_w^T a,

or, where y = F(s) + noise, the same with s integrated over too. In one or two coordinates and without poles,
kinks or jumps the trapezoid rule converges exponentially; else by Sobol points near where the law is, or
along lines where few of these have weight.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from hermite_analytics.foundation.numpy_arrays import Array, Integers
from hermite_analytics.foundation.threads import in_threads
from hermite_analytics.label.cases.given.form import GivenForm
from hermite_analytics.label.cases.given.grids import MOST_AXES, Nodes, by_grids, weighted
from hermite_analytics.label.cases.given.points import importance_points, proposals
from hermite_analytics.label.cases.sampled.sets import ENOUGH, Averages, from_two_sets, with_noise
from hermite_analytics.label.moments import EstimatedMoments, LabelEstimates, Moments

__all__ = ["GivenLabels"]

_ROWS = 64
_AT_ONCE = 100_000  # points
_POINTS = (10, 14)  # binary logarithm of half of the points of a label, at first and at most
_HEAVY, _PLAIN = 120.0, 30.0  # points of equal weight, and points from the prior that are seen
_SEEN = 8.0  # logarithm below the largest weight
_MISSED = 0.1  # in log Z, of a part of the law that lines meet and points do not
_LEAST = 1e-150


@dataclass(frozen=True, slots=True, kw_only=True)
class GivenLabels:
    """Labels of a data set.

    Attributes
    ----------
    form : GivenForm
    labels : ndarray, shape (n,)
    along_lines : callable
        Some of these labels, to be solved along lines: where few points have weight, or few of those from the
        prior, as of a law in two narrow parts, of which both sets of points may miss one.
    seed : int
        Of the Sobol sequences.
    """

    form: GivenForm
    labels: Array
    along_lines: Callable[[Array], LabelEstimates]
    seed: int = 0

    def __call__(self, omega: Array, variance: Array) -> Moments:
        """Moments at omega, shape (n, q), and V, shape (q, q)."""
        return self.with_error(omega, variance).moments

    def with_error(self, omega: Array, variance: Array) -> EstimatedMoments:
        """The same with an error of g: a draw of it by points or lines, or what every second node changes."""
        found, heavy, plain = self._found(omega, variance)
        thin = np.flatnonzero(np.minimum(heavy / _HEAVY, plain / _PLAIN) < 1)
        if len(thin):
            lines, error, _ = self.along_lines(self.labels[thin]).with_error(omega[thin], variance)
            met, log_z = np.isfinite(lines.log_z), found.moments.log_z[thin]
            found.error[thin[met]] = lines.g[met] - found.moments.g[thin[met]]  # or that of the lines
            taken = met & ((heavy[thin] < _HEAVY) | (lines.log_z > log_z + _MISSED))
            for place, value in zip((*found.moments, found.error), (*lines, error), strict=True):
                place[thin[taken]] = value[taken]
        return found

    def _found(self, omega: Array, variance: Array) -> tuple[EstimatedMoments, Array, Array]:
        """(by the grid or points, how many points of equal weight would say as much, and from the prior)."""
        hidden = self.form.hidden
        omega, variance = with_noise(omega, variance, hidden)
        order = np.array([*self.form.given, *self.form.rest])
        factor = np.asarray(np.linalg.cholesky(variance[np.ix_(order, order)]), dtype=np.float64)
        n, q = omega.shape
        whole, counted = Averages.unknown(n, q), np.empty((2, n))
        shifts = np.random.default_rng(self.seed).random((2, n, 2 * self.form.integrated))

        def evaluate(rows: Integers) -> None:
            found, counted[:, rows] = self._averages(rows, omega[:, order], factor, shifts)
            whole.put(rows, found)

        in_threads(evaluate, [np.arange(k, min(k + _ROWS, n)) for k in range(0, n, _ROWS)])
        k, back = len(self.form.given), np.argsort(order)[: q - hidden]
        whole.second[:, k:, k:] += np.eye(q - k)
        return whole.moments(factor, back, np.isfinite(counted[0])), *counted

    def _averages(self, rows: Integers, omega: Array, factor: Array, shifts: Array) -> tuple[Averages, Array]:
        """(averages, how many points count, all and those from the prior; infinite by the grid)."""

        def nodes(own: Integers, x: Array) -> tuple[Array, Array, Array, Array]:
            return self._at(own, x, omega, factor)

        if not self.form.smooth or self.form.integrated > MOST_AXES:
            return self._by_points(nodes, rows, shifts, omega.shape[1])
        found, counted = (
            by_grids(nodes, rows, self.form.integrated, omega.shape[1]),
            np.full((2, len(rows)), np.inf),
        )
        coarse = np.flatnonzero(~(np.abs(found.error).max(axis=1) <= ENOUGH))
        if len(coarse):
            points, counted[:, coarse] = self._by_points(nodes, rows[coarse], shifts, omega.shape[1])
            found.put(coarse, points)
        return found, counted

    def _by_points(self, nodes: Nodes, rows: Integers, shifts: Array, q: int) -> tuple[Averages, Array]:
        def law(own: Integers, x: Array) -> Array:
            return nodes(own, x)[0]

        centre, root = proposals(law, rows, shifts[0, rows], self.seed)
        counted = np.zeros((2, 2, len(rows)))

        def estimate(own: Integers, half: int, logarithm: int) -> tuple[Array, Array, Array]:
            place = np.searchsorted(rows, own)
            places = centre[place], root[place]
            x, log_q = importance_points(*places, shifts[half, own], logarithm, self.seed + half)
            log_p, u, moved, along = nodes(own, x)
            every = np.ones(x.shape[1], dtype=np.bool_)
            log_w = log_p - log_q
            log_z, mean, second, counted[half, 0, place] = weighted(log_w, u, moved, along, every)
            seen = log_w[:, : x.shape[1] // 2] > log_w.max(axis=1, keepdims=True) - _SEEN
            counted[half, 1, place] = seen.sum(axis=1)
            return log_z - logarithm * math.log(2), mean, second

        return from_two_sets(estimate, rows, _POINTS, _AT_ONCE, q), counted.min(axis=0)

    def _at(self, rows: Integers, x: Array, omega: Array, factor: Array) -> tuple[Array, Array, Array, Array]:
        """(log p, u_v, E[u_w], b/tau) at nodes x, shape (rows, nodes, axes): Cov(u_w) = I - b b^T/tau^2."""
        form, k = self.form, len(self.form.given)
        u, y = x[..., :k], self.labels[rows, None]
        v = omega[rows, None, :k] + u @ factor[:k, :k].T
        w = omega[rows, None, k:] + u @ factor[k:, :k].T
        a = np.zeros_like(w)
        for place, slope in enumerate(form.slopes):
            a[..., place] = slope(v)
        mu = form.shift(v) + (a * w).sum(axis=-1)
        b = a @ factor[k:, k:]
        tau = np.sqrt((b * b).sum(axis=-1))
        if form.outside is None:
            tau = np.maximum(np.hypot(tau, form.noise), _LEAST)
            rest = moved = (y - mu) / tau
            size = np.log(tau)
        else:
            tau = np.maximum(tau, _LEAST)
            if b.shape[-1] == 1:  # s is a smooth function of u_w
                tau = np.copysign(tau, b[..., 0])
            moved = x[..., k]
            s = mu + tau * moved
            rest, size = (y - form.outside(s[..., None])) / form.noise, math.log(form.noise)
        normal = 0.5 * (x.shape[-1] + 1) * math.log(2 * math.pi)
        with np.errstate(over="ignore"):
            log_p = -0.5 * ((x * x).sum(axis=-1) + rest * rest) - size - normal
        log_p = np.where(np.isnan(log_p), -np.inf, log_p)
        along = b / tau[..., None]
        return log_p, u, along * moved[..., None], along
