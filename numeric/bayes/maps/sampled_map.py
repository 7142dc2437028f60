"""F by randomised quasi-Monte Carlo, where no rule for the label is cheap: with a standard error."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from hermite_analytics.foundation.numpy_arrays import Array
from hermite_analytics.label.cases.sampled.points import gaussian_points
from hermite_analytics.label.cases.sampled.solved import SolvedChannel
from hermite_analytics.numeric.bayes.maps.commutant import Commutant

__all__ = ["SampledMap"]

_SCRAMBLES = 12
_FEW = 2  # of these, to come near a fixed point
_POINTS = 8  # binary logarithm of the samples of a scramble
_ERRORS = 3.2  # standard errors between the levels
_CHANGES = 2.0  # times what a coarser search changes, between them
_APART = 10_000  # seeds of scrambles, from one seed to the next
_LEAST = 0.01  # of F, between them: what neither shows


@dataclass(frozen=True, slots=True, kw_only=True)
class SampledMap:
    """F = E[g g'^T] over z, omega = M z + (M - M^2)^(1/2) xi and y = g(z), of independent estimates of g_out.

    It is no `LabelMap`: points of such labels are drawn for each omega, see `OverlapMap`.

    The points are the same for all M: F is smooth. Level 0 is level 1 and its error, so that what is said to
    be the change with the rule is the error of the sampling; level -1 has a sixth of the samples.

    Attributes
    ----------
    channel : SolvedChannel
    where : Commutant
        The matrices M that symmetries of the label keep.
    seed : int
    """

    channel: SolvedChannel
    where: Commutant
    seed: int = 0
    _known: dict[tuple[bytes, bool], list[Array]] = field(
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
        found = np.asarray(self._estimates(matrix, _FEW if level < 0 else _SCRAMBLES).mean(0))
        return found if level else found + self.error(matrix)

    def error(self, matrix: Array) -> Array:
        """What F may be off, shape (q, q), positive semi-definite: in each of its directions by itself.

        3.2 standard errors of twelve scrambles, and twice what half of the lines, with half of the values
        along each, changes: averages over lines are ratios, and roots are missed; and 1 % of F. With normal
        errors what F is off in a direction is more in less than 1 % of all cases.
        """
        fine, coarse = (self._estimates(matrix, _SCRAMBLES, coarse=c) for c in (False, True))
        found = fine.mean(0)
        axes = self.where.split(found)[1] if self.where.has(matrix) else np.linalg.eigh(found)[1]
        one, two = (np.einsum("ia,kij,ja->ka", axes, f, axes) for f in (fine, coarse))
        error = _ERRORS * one.std(0, ddof=1) / np.sqrt(_SCRAMBLES) + _CHANGES * np.abs((one - two).mean(0))
        return np.asarray((axes * (error + _LEAST * np.abs(one.mean(0)))) @ axes.T)

    def _estimates(self, matrix: Array, count: int, coarse: bool = False) -> Array:
        """One for each scramble, shape (count, q, q); kept."""
        known = self._known.setdefault((np.ascontiguousarray(matrix).tobytes(), coarse), [])
        known += [self._estimate(matrix, k, coarse) for k in range(len(known), count)]
        return np.array(known[:count])

    def _estimate(self, matrix: Array, k: int, coarse: bool) -> Array:
        q, hidden = self.channel.dimension, self.channel.hidden
        values, axes = np.linalg.eigh(matrix)
        values = np.clip(values, 0.0, 1.0)
        spread = (axes * np.sqrt(values * (1 - values))) @ axes.T
        variance = np.eye(q) - (axes * values) @ axes.T
        own = self.seed * _APART + k
        x = gaussian_points(2 * q + hidden, _POINTS, own)
        z, xi = x[:, : q + hidden], x[:, q + hidden :]
        omega = z[:, :q] @ matrix + xi @ spread
        labels = self.channel.value(z)
        one, two = (
            self.channel.along_lines(labels, seed=seed, coarse=coarse, once=True)(omega, variance).g
            for seed in (own + 1000, own + 2000)
        )
        product = one.T @ two / len(labels)
        product = 0.5 * (product + product.T)
        return self.where.projected(product) if self.where.has(matrix) else product
