"""The reference implementation itself: its spectral law has the right mass and moments."""

from __future__ import annotations

import numpy as np
import pytest

from .reference import marchenko_pastur


@pytest.mark.parametrize("beta", [0.5, 2.0, 5.0])
def test_marchenko_pastur(beta):
    x, weights = marchenko_pastur(beta, 2000)
    assert weights.sum() == pytest.approx(1.0, abs=1e-10)
    assert weights @ x == pytest.approx(1.0, abs=1e-10)  # the mean of (1/d) G G^T
    assert weights @ x**2 == pytest.approx(1.0 + beta, abs=1e-9)


def test_marchenko_pastur_is_the_law_of_a_matrix():
    # Mean resolvent trace of one matrix of 600 rows fluctuates by O(1/600^2): 5e-3 is far beyond it.
    gaussian = np.random.default_rng(5).standard_normal((600, 1200))
    eigenvalues = np.linalg.eigvalsh(gaussian @ gaussian.T / 1200)
    x, weights = marchenko_pastur(0.5, 2000)
    assert np.mean(1 / (1 + eigenvalues)) == pytest.approx(weights @ (1 / (1 + x)), abs=5e-3)
