"""F by randomised quasi-Monte Carlo, where no rule for the label is cheap: with a standard error."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from hermite_analytics.label.cases.sampled.points import gaussian_points
from hermite_analytics.label.cases.sampled.solved import SolvedChannel

__all__ = ["SampledMap"]

Array = NDArray[np.float64]

_SCRAMBLES = 8
_FEW = 2  # of these, to come near a fixed point
_POINTS = 8  # binary logarithm of the samples of a scramble
_ERRORS = 2.0  # standard errors between the levels
_BIAS = 0.01  # relative, of the averages over lines, which are ratios: measured for z1*z2


@dataclass(frozen=True, slots=True, kw_only=True)
class SampledMap:
    """F = E[g g'^T] over z, omega = M z + (M - M^2)^(1/2) xi and y = g(z), of independent estimates of g_out.

    It is no `LabelMap`: points of such labels are drawn for each omega, see `OverlapMap`.

    The points are the same for all M: F is smooth. Level 0 is level 1 less two standard errors in the scale
    of F, so that what is said to be the change with the rule is the error of the sampling; level -1 has a
    quarter of the samples.

    Attributes
    ----------
    channel : SolvedChannel
    seed : int
    """

    channel: SolvedChannel
    seed: int = 0
    _known: dict[bytes, list[Array]] = field(default_factory=dict, init=False, repr=False, compare=False)

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
        estimates = self._estimates(matrix, _FEW if level < 0 else _SCRAMBLES)
        found = np.asarray(np.mean(estimates, axis=0))
        return found if level else found * max(1.0 - _ERRORS * self.relative_error(matrix), 0.0)

    def relative_error(self, matrix: Array) -> float:
        """The standard error of the trace of F with half of the bias, relative to it."""
        traces = np.trace(self._estimates(matrix, _SCRAMBLES), axis1=1, axis2=2)
        error = float(np.std(traces, ddof=1)) / np.sqrt(_SCRAMBLES) / max(float(np.mean(traces)), 1e-300)
        return float(min(error + _BIAS / _ERRORS, 0.5))

    def _estimates(self, matrix: Array, count: int) -> Array:
        """One for each scramble, shape (count, q, q); kept."""
        known = self._known.setdefault(np.ascontiguousarray(matrix).tobytes(), [])
        known += [self._estimate(matrix, k) for k in range(len(known), count)]
        return np.array(known[:count])

    def _estimate(self, matrix: Array, k: int) -> Array:
        q, hidden = self.channel.dimension, self.channel.hidden
        values, axes = np.linalg.eigh(matrix)
        values = np.clip(values, 0.0, 1.0)
        spread = (axes * np.sqrt(values * (1 - values))) @ axes.T
        variance = np.eye(q) - (axes * values) @ axes.T
        x = gaussian_points(2 * q + hidden, _POINTS, self.seed + k)
        z, xi = x[:, : q + hidden], x[:, q + hidden :]
        omega = z[:, :q] @ matrix + xi @ spread
        labels = self.channel.value(z)
        one, two = (
            self.channel.at(labels, seed=self.seed + 1000 * (j + 1) + k)(omega, variance)[1] for j in range(2)
        )
        product = one.T @ two / len(labels)
        return np.asarray(0.5 * (product + product.T))
