"""Labels of finitely many values near complete overlap: nodes of omega are close, and few see an edge."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.special import ndtr

from hermite_analytics.numeric import StateEvolution
from hermite_analytics.numeric.bayes.maps import box_sums
from hermite_analytics.numeric.bayes.maps.gaussian_grid import omega_nodes
from hermite_analytics.numeric.status import Status


@pytest.mark.arrays
@pytest.mark.parametrize("alpha", [2e4, 1e5, 1e6])
def test_few_values_at_many_samples(alpha: float) -> None:
    """sign: F is phi(0) K/sqrt(V) for small V = 1 - m, K = int phi(x)^2/(Phi(x) Phi(-x)) dx.

    The test error 2 acos(m)/pi is 2 sqrt(2 V)/pi to the same order; both time and nodes grew as 1/sqrt(V).
    """
    x = np.linspace(-12, 12, 4001)
    k = float((x[1] - x[0]) * np.sum(np.exp(-x * x) / (2 * np.pi) / (ndtr(x) * ndtr(-x))))
    gap = (alpha * k / math.sqrt(2 * math.pi)) ** -2
    found = StateEvolution("sign(z1)").solve(alpha=alpha, seconds=20)
    assert found.status == Status.CONVERGED
    assert 1 - float(found.overlap.squeeze()) == pytest.approx(gap, rel=1e-6, abs=2e-16)
    assert float(found.test_error) == pytest.approx(2 * math.sqrt(2 * gap) / math.pi, rel=1e-5, abs=1e-10)


@pytest.mark.arrays
def test_nearer_than_is_looked_at() -> None:
    found = StateEvolution("sign(z1)").solve(alpha=1e9)
    left = 1 - float(found.overlap.squeeze())
    assert left < 1e-13 and float(found.numerical_error) == left


@pytest.mark.parametrize("edges", [[0.0], [0.4], [0.1, 0.1005], [3.0, 9.4]])
def test_nodes_that_see_no_edge(edges: list[float]) -> None:
    """What they weigh together is the sum of what each weighs."""
    inner = np.unique([*(-e for e in edges), *edges])
    m, step = 1 - 4e-6, 0.1
    t, weights, masses = box_sums._nodes(np.array([-np.inf, *inner, np.inf]), m, step)
    every, all_weights = omega_nodes(m, step, half=True)
    far = ~np.isin(np.rint(every / every[1]), np.rint(t / every[1]))
    place = np.searchsorted(inner, math.sqrt(m) * every[far])
    assert masses == pytest.approx(
        np.bincount(place, weights=all_weights[far] / 2, minlength=len(inner) + 1), abs=1e-13
    )
    assert weights.sum() + masses.sum() == pytest.approx(0.5, abs=1e-14)
    assert len(t) < 0.2 * len(every)
