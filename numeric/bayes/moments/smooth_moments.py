"""Labels with noise: quadrature over the coordinate inside the noise, for all samples at once."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hermite_analytics.label.cases.line.smooth import NoisyChannel, SoftChannel
from hermite_analytics.numeric.bayes.moments.protocol import Moments, from_posterior
from hermite_analytics.numeric.compiled import compiled

__all__ = ["NoisyMoments", "SoftMoments"]

Array = NDArray[np.float64]

_ROWS = 2000  # samples at a time


@dataclass(frozen=True, slots=True, kw_only=True)
class SoftMoments:
    """Of finitely many labels of one coordinate with the noise inside; `rows` has the samples of each."""

    channel: SoftChannel
    rows: tuple[NDArray[np.int64], ...]

    @property
    def smallest_variance(self) -> float:
        """Labels of finitely many values never determine the coordinate."""
        return 1e-8

    def __call__(self, omega: Array, variance: Array) -> Moments:
        v = float(variance[0, 0])
        log_z, g, minus_dg = (np.zeros(len(omega)) for _ in range(3))
        for index, rows in enumerate(self.rows):
            for start in range(0, len(rows), _ROWS):
                part = rows[start : start + _ROWS]
                log_z[part], g[part], minus_dg[part] = self.channel.moments(index, omega[part, 0], v)
        return Moments(log_z=log_z, g=g[:, None], minus_dg=minus_dg[:, None, None])


@dataclass(frozen=True, slots=True, kw_only=True)
class NoisyMoments:
    """Of y = slope l + h(w) + noise xi; coordinates (l, w), or w alone if the slope is 0.

    Given w, y is Gaussian with the variance slope^2 Var(l | w) + noise^2, and l given both is linear in y.
    """

    channel: NoisyChannel
    labels: Array

    @property
    def smallest_variance(self) -> float:
        """Without noise a variance below it makes the label too steep for the quadrature."""
        return 1e-8 if self.channel.noise > 0 else 1e-4

    def __call__(self, omega: Array, variance: Array) -> Moments:
        parts = [
            self._part(self.labels[s : s + _ROWS], omega[s : s + _ROWS], variance)
            for s in range(0, len(omega), _ROWS)
        ]
        return Moments(*(np.concatenate(column) for column in zip(*parts, strict=True)))

    def _part(self, labels: Array, omega: Array, variance: Array) -> Moments:
        channel = self.channel
        v = float(variance[-1, -1])
        along, left = 0.0, 0.0  # l given w: omega_l + along (w - omega_w), of the variance left
        if channel.slope:
            along = float(variance[0, 1]) / v
            left = float(variance[0, 0]) - along * float(variance[0, 1])
        size2 = channel.noise**2 + channel.slope**2 * left
        size = math.sqrt(size2)
        w, p, h = channel.quadrature(omega[:, -1], v, size, level=0)
        d = w - omega[:, -1:]
        mean = h + channel.slope * along * d
        if channel.slope:
            mean = mean + channel.slope * omega[:, :1]
        log_z, first, spread = _averages(p, d, mean, labels, size)
        if not channel.slope:
            return from_posterior(log_z, first[:, :1], spread[:, :1, :1], variance)
        gain = channel.slope * left / size
        to_l = np.array([[along, gain], [1.0, 0.0]])  # l and w from d = w - omega_w and x
        spread = to_l @ spread @ to_l.T
        spread[:, 0, 0] += left - gain * gain
        return from_posterior(log_z, first @ to_l.T, spread, variance)


@compiled
def _averages(p: Array, d: Array, mean: Array, labels: Array, size: float) -> tuple[Array, Array, Array]:
    """log of sum p N(y; mean, size^2); mean and covariance of (d, x) under it, x = (y - mean)/size."""
    n, count = p.shape
    log_z, first, spread = np.empty(n), np.zeros((n, 2)), np.zeros((n, 2, 2))
    weights, x = np.empty(count), np.empty(count)
    for t in range(n):
        top, total = -np.inf, 0.0
        for k in range(count):
            x[k] = (labels[t] - mean[t, k]) / size
            if p[t, k] > 0.0:
                top = max(top, -0.5 * x[k] * x[k])
        for k in range(count):
            weights[k] = p[t, k] * math.exp(-0.5 * x[k] * x[k] - top) if p[t, k] > 0.0 else 0.0
            total += weights[k]
            first[t, 0] += weights[k] * d[t, k]
            first[t, 1] += weights[k] * x[k]
        if total == 0.0:
            log_z[t], first[t] = -np.inf, 0.0
            continue
        first[t] /= total
        for k in range(count):
            a, b = d[t, k] - first[t, 0], x[k] - first[t, 1]
            spread[t, 0, 0] += weights[k] * a * a / total
            spread[t, 0, 1] += weights[k] * a * b / total
            spread[t, 1, 1] += weights[k] * b * b / total
        spread[t, 1, 0] = spread[t, 0, 1]
        log_z[t] = math.log(total) + top - math.log(size * math.sqrt(2.0 * math.pi))
    return log_z, first, spread
