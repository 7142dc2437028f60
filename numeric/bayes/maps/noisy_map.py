"""F of y = slope l + h(w) + noise xi."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hermite_analytics.errors import UnsupportedExpression
from hermite_analytics.label.cases.line.smooth import NoisyChannel, windows
from hermite_analytics.numeric.bayes.maps.gaussian_nodes import LABEL_STEP, omega_nodes
from hermite_analytics.numeric.compiled import compiled

__all__ = ["NoisyMap"]

Array = NDArray[np.float64]

_FLAT = 1e-12  # slope of a constant piece
_NARROWEST = 1e-6  # variance
_ROWS = 1000  # omega at a time
_SAME = 1e-12


@dataclass(frozen=True, slots=True, kw_only=True)
class NoisyMap:
    """Of y = slope l + h(w) + noise xi, for a diagonal M of l, if it enters, and w."""

    channel: NoisyChannel

    @property
    def exact_share(self) -> float:
        """0 with noise; without, each label gives one linear equation for two coordinates beside M = I.

        There F_i = E[g_i^2 / sum_j g_j^2 V_j] with g the gradient of the label, so that sum_i V_i F_i = 1 and
        V -> V/(alpha V F) shrinks if alpha > 2; what is flat in w gives no equation for w.
        """
        if self.channel.noise > 0 or not self.channel.slope:
            return 0.0
        w, p = windows(self.channel.edges, np.zeros(1), 1.0)
        slope = np.broadcast_to(self.channel.derivative(w), w.shape)
        return min(0.5, float((p * (np.abs(slope) > _FLAT)).sum()))

    @property
    def resolution(self) -> float:
        """All of omega is resolved."""
        return 1e-2

    @property
    def mass_defect(self) -> float:
        """Of the quadrature over w; labels are as dense as the noise is smooth."""
        return abs(float(windows(self.channel.edges, np.zeros(1), 1.0)[1].sum()) - 1)

    def __call__(self, matrix: Array, *, level: int = 1) -> Array:
        """F(M), shape (q, q).

        Raises
        ------
        UnsupportedExpression
            If M is not diagonal, or one overlap alone is too close to 1.
        """
        if np.abs(matrix - np.diag(np.diag(matrix))).max() > _SAME:
            raise UnsupportedExpression(
                "F of this label is found at matrices M that are diagonal in its coordinates; "
                "simulate other ones by AMP"
            )
        slope, m = self.channel.slope, float(matrix[-1, -1])
        variance = self.channel.noise**2 + (slope**2 * (1 - float(matrix[0, 0])) if slope else 0.0)
        size = math.sqrt(variance)
        if min(variance, 1 - m) < _NARROWEST:
            raise UnsupportedExpression(
                f"an overlap is within {_NARROWEST:g} of 1, but not both coordinates are known exactly; "
                "simulate it by AMP"
            )
        omega, weights = omega_nodes(m, level)
        of_w, of_l = 0.0, 0.0
        for start in range(0, len(omega), _ROWS):
            part = slice(start, start + _ROWS)
            w, p, h = self.channel.quadrature(omega[part], 1 - m, size, level=level)
            found = _noisy_average(w - omega[part, None], p, h, weights[part], size, LABEL_STEP[level])
            of_w, of_l = of_w + found[0], of_l + found[1]
        result = [of_w / (1 - m) ** 2]
        return np.diag([slope**2 * of_l / variance**2, *result] if slope else result)


@compiled
def _noisy_average(
    d: Array, p: Array, h: Array, omega_weights: Array, size: float, step: float
) -> tuple[float, float]:
    """E[E[d | y]^2] and E[(y - E[h | y])^2] for y = h + size xi, d = w - omega."""
    of_w, of_l = 0.0, 0.0
    dy = step * size
    reach = math.ceil(8.6 / step)
    for n in range(len(omega_weights)):
        low, high = np.inf, -np.inf
        for j in range(p.shape[1]):
            if p[n, j] > 1e-18:
                low, high = min(low, h[n, j]), max(high, h[n, j])
        count = math.ceil((high - low) / dy) + 2 * reach + 2
        z, z_d, z_h = np.zeros(count), np.zeros(count), np.zeros(count)
        for j in range(p.shape[1]):
            if p[n, j] <= 1e-18:
                continue
            first = math.ceil((h[n, j] - low) / dy - 1e-9)
            for k in range(first, first + 2 * reach):
                x = (low - h[n, j]) / size + (k - reach) * step
                term = p[n, j] * math.exp(-0.5 * x * x)
                z[k] += term
                z_d[k] += term * d[n, j]
                z_h[k] += term * x
        for k in range(count):
            if z[k] > 1e-290:
                factor = omega_weights[n] * step / math.sqrt(2.0 * math.pi)
                of_w += factor * z_d[k] * z_d[k] / z[k]
                of_l += factor * z_h[k] * z_h[k] / z[k] * size * size
    return of_w, of_l
