"""F by randomised quasi-Monte Carlo, where no rule for the label is cheap: with a standard error."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from hermite_analytics.label.cases.sampled.solved import SolvedChannel, gaussian_points

__all__ = ["SampledMap"]

Array = NDArray[np.float64]

_SCRAMBLES = 8
_POINTS = 8  # binary logarithm of the samples of a scramble
_ERRORS = 2.0  # standard errors between the levels
_BIAS = 0.01  # relative, of the averages over lines, which are ratios: measured for z1*z2


@dataclass(frozen=True, slots=True, kw_only=True)
class SampledMap:
    """F = E[g g'^T] over z, omega = M z + (M - M^2)^(1/2) xi and y = g(z), of independent estimates of g_out.

    The points are the same for all M: F is smooth. Level 0 is level 1 less two standard errors in the scale
    of F, so that what is said to be the change with the rule is the error of the sampling.

    Attributes
    ----------
    channel : SolvedChannel
    seed : int
    """

    channel: SolvedChannel
    seed: int = 0
    _known: dict[bytes, tuple[Array, float]] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    @property
    def exact_share(self) -> float:
        """Each label that is no atom is one equation for all directions."""
        return 0.0 if self.channel.hidden else self.channel.continuous / self.channel.dimension

    @property
    def resolution(self) -> float:
        """Weights on lines stay even."""
        return 1e-2

    @property
    def mass_defect(self) -> float:
        """None: labels are drawn from their law; the standard error is in the levels."""
        return 0.0

    def __call__(self, matrix: Array, *, level: int = 1) -> Array:
        key = np.ascontiguousarray(matrix).tobytes()
        if key not in self._known:
            self._known[key] = self._found(matrix)
        found, error = self._known[key]
        return found if level else found * max(1.0 - _ERRORS * error, 0.0)

    def relative_error(self, matrix: Array) -> float:
        """The standard error of the trace of F with half of the bias, relative to it."""
        self(matrix)
        return self._known[np.ascontiguousarray(matrix).tobytes()][1]

    def _found(self, matrix: Array) -> tuple[Array, float]:
        q, hidden = self.channel.dimension, self.channel.hidden
        values, axes = np.linalg.eigh(matrix)
        values = np.clip(values, 0.0, 1.0)
        spread = (axes * np.sqrt(values * (1 - values))) @ axes.T
        variance = np.eye(q) - (axes * values) @ axes.T
        found = []
        for k in range(_SCRAMBLES):
            x = gaussian_points(2 * q + hidden, _POINTS, self.seed + k)
            z, xi = x[:, : q + hidden], x[:, q + hidden :]
            omega = z[:, :q] @ matrix + xi @ spread
            labels = self.channel.value(z)
            one, two = (
                self.channel.at(labels, seed=self.seed + 1000 * (j + 1) + k)(omega, variance)[1]
                for j in range(2)
            )
            product = one.T @ two / len(labels)
            found.append(0.5 * (product + product.T))
        mean = np.mean(found, axis=0)
        traces = np.trace(np.array(found), axis1=1, axis2=2)
        error = float(np.std(traces, ddof=1)) / np.sqrt(_SCRAMBLES) / max(float(np.trace(mean)), 1e-300)
        return mean, min(error + _BIAS / _ERRORS, 0.5)
