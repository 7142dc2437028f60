"""State evolution of a quantised coordinate, against the probabilities of its integers.

With omega ~ N(0, M) and V = 1 - M the integer n has the probability
P_n(omega) = Phi((n + 1 - omega)/sqrt V) - Phi((n - omega)/sqrt V), and
M/(1 - M) = alpha E[sum_n (dP_n/domega)^2/P_n].
"""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import ndtr

from hermite_analytics.numeric import StateEvolution


def information(overlap: float) -> float:
    nodes, weights = np.polynomial.hermite_e.hermegauss(60)
    omega, spread = np.sqrt(overlap) * nodes[:, None], np.sqrt(1 - overlap)
    edges = (np.arange(-25, 26) - omega) / spread
    masses = np.diff(ndtr(edges), axis=1)
    slopes = -np.diff(np.exp(-edges * edges / 2), axis=1) / np.sqrt(2 * np.pi) / spread
    terms = np.where(masses > 1e-30, slopes**2 / np.maximum(masses, 1e-30), 0.0).sum(axis=1)
    return float(weights @ terms / np.sqrt(2 * np.pi))


@pytest.mark.slow
def test_quantised_coordinate() -> None:
    alpha = 1.0
    (found,) = StateEvolution("floor(z1)").solve(alpha=alpha).records()
    overlap = float(np.squeeze(found["overlap"]))
    assert overlap / (1 - overlap) == pytest.approx(alpha * information(overlap), rel=1e-7)
