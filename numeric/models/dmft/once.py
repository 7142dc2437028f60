"""Rows of schedules that show each sample to one step alone: what a step sees are fresh samples.

Its averages are then those of Gaussian fields u_t, of covariance Q_t and of covariance M_t with z: all nodes
serve every step, on p + r variables, and no gradient of earlier steps is kept. What remains of memory is that
of a sample which was seen at step s, through one term in the direction of s; training errors need it.
"""

from __future__ import annotations

import numpy as np

from hermite_analytics.foundation.numpy_arrays import Array
from hermite_analytics.numeric.models.dmft.rows import Increment, Moments, There, TrainingRows, symmetric_root

__all__ = ["RowsSeenOnce"]

_ROUNDING = 1e-15  # of the trace of Q


class RowsSeenOnce(TrainingRows):
    """As `TrainingRows`, with at most one step a row in the masks; at step t a share of all rows is seen."""

    __slots__ = ("_shares",)
    keeps_gradients = False

    def with_shares(self, shares: Array) -> RowsSeenOnce:
        """The share of each step; they hold instead of the masks' own frequencies."""
        self._shares = shares
        return self

    def measure(self, coordinates: Array, readout: Array) -> Moments:
        """The averages of this step: of fresh samples, times the share that is seen.

        E[g x^T] lies in the span of the fields and z: the field is root h~ + M z with h~ = root^+ D' x, where
        D' is D without its part along z, so that E[g x^T] = E[g h~^T] root^+ D' + E[g z^T].
        """
        error, loss = self.errors(coordinates, readout)
        p, r = coordinates.shape[0], self._network.problem.dimension
        rest = coordinates.copy()
        rest[:, p : p + r] = 0.0
        size = float(np.sum(coordinates**2))
        root, inverse = symmetric_root(rest @ rest.T, _ROUNDING * size)
        start = self._features[: p + r]
        there, here = self._place.there, self._place.here
        fields = there(root) @ start[:p] + there(coordinates[:, p : p + r]) @ start[p:]
        answer = self._network.answer(there(readout), fields, self.label, None)
        share = self._shares[self.steps]
        weighted = share * answer.gradient * self.weights
        signal = here(weighted @ start[:p].T) @ inverse @ rest
        signal[:, p : p + r] += here(weighted @ start[p:].T)
        return Moments(
            signal=signal,
            projection=np.zeros((p, p * self.steps)),
            residual=here(weighted @ answer.gradient.T),
            pull=share * here(answer.pull(self.weights)),
            error=error,
            loss=loss,
        )

    def absorb(self, step: Increment, fresh: There, *, finite: bool = False) -> None:
        """Go over a step: rows that it saw remember their gradient along its direction."""
        self._steps += 1
        own = self._place.there(step.factor @ step.inverse / np.sqrt(self._alpha))
        self.features[-step.root.shape[0] :] = fresh + own @ self._gradient
