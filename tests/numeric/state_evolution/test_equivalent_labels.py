"""Labels that say the same have the same state evolution, to the digit."""

from __future__ import annotations

import numpy as np
import pytest

from hermite_analytics.numeric import StateEvolution


@pytest.mark.cases(1)
@pytest.mark.parametrize(
    ("label", "simple", "alpha"),
    [
        ("tanh(3*z1**2)", "z1**2", 0.8),  # beside 1 doubles cannot tell labels apart
        ("tanh(3*z1*z2)", "z1*z2", 1.0),
        ("(z1*z2)**3", "z1*z2", 1.0),
        ("exp(-z1**2*z2**2)", "abs(z1*z2)", 2.0),
    ],
)
def test_outer_functions_that_can_be_undone(label, simple, alpha):
    one, two = StateEvolution(label), StateEvolution(simple)
    assert one.weak_recovery() == pytest.approx(two.weak_recovery(), rel=1e-9)
    found, expected = (m.solve(alpha=alpha) for m in (one, two))
    assert np.abs(found.overlap - expected.overlap).max() < 1e-8


def test_the_error_is_that_of_the_label_itself():
    """E (y - E[y | data])^2 of tanh at overlap 0 is its variance."""
    solution = StateEvolution("tanh(3*z1**2)").solve(alpha=0.3)
    z = np.linspace(-9, 9, 20001)
    p = np.exp(-0.5 * z * z) * (z[1] - z[0]) / np.sqrt(2 * np.pi)
    y = np.tanh(3 * z * z)
    assert solution.overlap[0, 0] == 0
    assert solution.test_error == pytest.approx(p @ y**2 - (p @ y) ** 2, abs=1e-8)
