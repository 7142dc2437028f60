"""Moments of labels of a continuous coordinate x beside others, v, that enter by finitely many values.

With mu_j = omega_v + a (x_j - omega_x), a = V_vx/V_xx, and S = V_vv - a V_xv the law of v given x = x_j,

    Z = sum_j T_j,    T_j = N(x_j; omega_x, V_xx)/|g'(x_j)| B_j,    B_j = P(v in the boxes of sheet s_j).

Derivatives of log T_j are (d_j - a.b_j, b_j) with d_j = (x_j - omega_x)/V_xx and b_j = grad log B_j.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from hermite_analytics.foundation.numpy_arrays import Array, Integers
from hermite_analytics.label.cases.values.box_moments import BoxMoments
from hermite_analytics.label.moments import Moments

__all__ = ["JointMoments"]

_BELOW = 45.0  # logarithm below the largest term of a label from which a term is left out


@dataclass(frozen=True, slots=True, kw_only=True)
class JointMoments:
    """Moments of x and v together, at any V.

    Attributes
    ----------
    boxes : BoxMoments
        Of v, the sheets for labels; its code is that of all pairs (label, preimage).
    points, log_slopes : ndarray, shape (n, k)
        Preimages and -log|g'| there; a weight that is 0 for labels that are atoms.
    sheet : ndarray of int, shape (n, k)
    flat : (BoxMoments, rows) or None
        Of (x, v), for the labels that are atoms.
    """

    boxes: BoxMoments
    points: Array
    log_slopes: Array
    sheet: Integers
    flat: tuple[BoxMoments, Integers] | None

    def __call__(self, omega: Array, variance: Array) -> Moments:
        found = self._on_preimages(omega, variance)
        if self.flat is not None:
            boxes, rows = self.flat
            for mine, there in zip(found, boxes(omega[rows], variance), strict=True):
                mine[rows] = there
        return found

    def _on_preimages(self, omega: Array, variance: Array) -> Moments:
        """In a second round those terms that the first one has left out too early."""
        size = float(variance[0, 0])
        d = self.points - omega[:, :1]
        bound = self.log_slopes - 0.5 * d * d / size - 0.5 * math.log(2 * math.pi * size)
        log_t = np.full(bound.shape, -np.inf)
        first = np.zeros((*bound.shape, len(variance)))
        curvature = np.zeros((*bound.shape, *variance.shape))
        chosen = np.zeros(bound.shape, dtype=bool)
        least = bound.max(axis=1, initial=-np.inf)
        for _ in range(2):
            new = (bound > least[:, None] - _BELOW) & ~chosen
            log_b, first[new], curvature[new] = self._terms(np.nonzero(new), d[new], omega, variance)
            log_t[new] = bound[new] + log_b
            chosen |= new
            least = log_t.max(axis=1, initial=-np.inf)
        top = np.where(np.isfinite(least), least, 0.0)
        p = np.exp(log_t - top[:, None])
        total = p.sum(axis=1)
        possible = total > 0
        p /= np.where(possible, total, 1.0)[:, None]
        g = np.einsum("nk,nki->ni", p, first)
        apart = first - g[:, None, :]
        slope = -np.einsum("nk,nki,nkj->nij", p, apart, apart, optimize=True)
        slope -= np.einsum("nk,nkij->nij", p, curvature)
        with np.errstate(divide="ignore"):
            log_z = np.log(total) + top
        return Moments(log_z=log_z, g=g, minus_dg=np.where(possible[:, None, None], slope, 0.0))

    def _terms(
        self, pairs: tuple[Integers, ...], d: Array, omega: Array, variance: Array
    ) -> tuple[Array, Array, Array]:
        """log B, and gradient and Hessian of log T, of some preimages at the distances d from omega_x."""
        size = float(variance[0, 0])
        along = variance[1:, 0] / size
        left = variance[1:, 1:] - np.outer(along, variance[0, 1:])
        mean = omega[pairs[0], 1:] + d[:, None] * along
        found = self.boxes.with_code(self.sheet[pairs])(mean, left)
        to_all = np.concatenate([-along[:, None], np.eye(len(along))], axis=1)
        first = found.g @ to_all
        first[:, 0] += d / size
        curvature = -to_all.T @ found.minus_dg @ to_all
        curvature[:, 0, 0] -= 1 / size
        return found.log_z, first, curvature
