"""Sums whose terms vanish together, by a symmetry that none of them has."""

from __future__ import annotations

import numpy as np
import pytest

import hermite_analytics as ha
from hermite_analytics.evidence import Evidence

TOGETHER = {
    "sigmoid(z1+1)*relu(z1) + sigmoid(1-z1)*relu(-z1)": [(1,), (3,)],
    "tanh(z1+1)*exp(-z1**2) + tanh(1-z1)*exp(-z1**2) + z1": [(3,)],  # beside a term in closed form
    "floor(abs(z1) + 1/2)": [(1,), (3,)],
    "tanh(z1+xi+1)*cos(z2) + tanh(1-z1-xi)*cos(z2)": [(1, 0), (3, 0), (1, 2)],  # with the noise
}


@pytest.mark.cases(2)
@pytest.mark.parametrize("text", TOGETHER)
def test_coefficients_that_vanish_by_a_symmetry_of_the_sum(text: str) -> None:
    found = ha.hermite(text, 3)
    for index in TOGETHER[text]:
        assert found[index].zero is True
        assert found[index].evidence in (Evidence.PROVED, Evidence.EXACT)
    others = [index for index in found if index not in TOGETHER[text] and found[index].zero is False]
    assert others  # the symmetry is not one of everything


def test_a_sum_that_is_nearly_balanced_is_not_taken_for_zero() -> None:
    """E tanh(z + 1) e^{-z^2} He_1 without its mirror, by a lattice."""
    found = ha.hermite("tanh(z1+1)*exp(-z1**2) + 9/10*tanh(1-z1)*exp(-z1**2)", 1)[1]
    z = np.linspace(-9, 9, 20_001)
    f = (np.tanh(z + 1) + 0.9 * np.tanh(1 - z)) * np.exp(-(z**2))
    expected = float(np.sum(f * z * np.exp(-(z**2) / 2)) * (z[1] - z[0]) / np.sqrt(2 * np.pi))
    assert found.zero is False
    assert found.value == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(
    "text",
    ["tanh(z1+1)*relu(z1) - tanh(z2+1)*relu(z2)", "tanh(z1+1)*exp(-z1**2) - tanh(1-z1)*exp(-z1**2)"],
)
def test_means_that_vanish_by_a_symmetry_of_the_sum(text: str) -> None:
    assert ha.expectation(text).at().zero is True
