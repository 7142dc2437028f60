"""F of y = slope l + h(w) + noise xi: label nodes whose noise has what is unknown of l."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hermite_analytics.errors import UnsupportedExpression
from hermite_analytics.label.cases.line.smooth import NoisyChannel, windows
from hermite_analytics.numeric.bayes.maps.line_sums import line_averages

__all__ = ["NoisyMap"]

Array = NDArray[np.float64]

_FLAT = 1e-12  # slope of a constant piece
_NARROWEST = 1e-6  # variance
_SAME = 1e-12


@dataclass(frozen=True, slots=True, kw_only=True)
class NoisyMap:
    """Of y = slope l + h(w) + noise xi, for a diagonal M of l and w.

    It is no `LabelMap`, since a known part of l is taken off exactly: the nodes of h(w) with the noise
    noise^2 + slope^2 V_l change with M, and serve where l is nearly known, too.
    """

    channel: NoisyChannel

    @property
    def exact_share(self) -> float:
        """0 with noise; without, each label gives one linear equation for two coordinates beside M = I.

        There F_i = E[g_i^2 / sum_j g_j^2 V_j] with g the gradient of the label, so that sum_i V_i F_i = 1 and
        V -> V/(alpha V F) shrinks if alpha > 2; what is flat in w gives no equation for w.
        """
        if self.channel.noise > 0:
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
        """Of the label nodes where nothing is known."""
        return self.channel.label_nodes(1, 1.0, math.hypot(self.channel.noise, self.channel.slope)).defect

    def __call__(self, matrix: Array, *, level: int = 1) -> Array:
        """F(M), shape (2, 2).

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
        slope, m = self.channel.slope, float(matrix[1, 1])
        variance = self.channel.noise**2 + slope**2 * (1 - float(matrix[0, 0]))
        if min(variance, 1 - m) < _NARROWEST:
            raise UnsupportedExpression(
                f"an overlap is within {_NARROWEST:g} of 1, but not both coordinates are known exactly; "
                "simulate it by AMP"
            )
        nodes = self.channel.label_nodes(level, math.sqrt(1 - m), math.sqrt(variance))
        labels = np.repeat(nodes.labels, np.diff(nodes.starts))
        rest = labels - np.broadcast_to(self.channel.value(nodes.points[:, 0]), labels.shape)
        values = np.stack([slope * rest / variance, nodes.points[:, 0] / (1 - m)], axis=1)
        found = line_averages(nodes, values, np.array([0.0, 1 / (1 - m)]), m, level=level)
        return np.asarray(np.diag(np.diag(found)))
