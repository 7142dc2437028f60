"""F of finitely many labels of one coordinate with a smooth probability."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hermite_analytics.label.cases.line.smooth import SoftChannel
from hermite_analytics.numeric.bayes.maps.gaussian_nodes import TINY, omega_nodes

__all__ = ["SoftMap"]

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class SoftMap:
    """Of finitely many labels with a smooth probability."""

    channel: SoftChannel

    @property
    def exact_share(self) -> float:
        """0: finitely many values never determine a coordinate."""
        return 0.0

    @property
    def resolution(self) -> float:
        """All of omega is resolved."""
        return 1e-3

    @property
    def mass_defect(self) -> float:
        """Of the quadrature over w; the likelihoods are in closed form."""
        w, p = self.channel.quadrature(np.zeros(1), 1.0)
        return abs(float(sum((p * likelihood(w)).sum() for likelihood in self.channel.likelihoods)) - 1)

    def __call__(self, matrix: Array, *, level: int = 1) -> Array:
        m = float(matrix[0, 0])
        omega, weights = omega_nodes(m, level)
        w, p = self.channel.quadrature(omega, 1 - m, level=level)
        d = p * (w - omega[:, None])
        total = 0.0
        for likelihood in self.channel.likelihoods:
            law = likelihood(w)
            z, first = (p * law).sum(1), (d * law).sum(1) / (1 - m)
            total += float(weights @ (first * first / np.maximum(z, TINY)))
        return np.array([[total]])
