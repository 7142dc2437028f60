"""Labels that say the same have the same state evolution, to the digit."""

from __future__ import annotations

import numpy as np
import pytest

import hermite_analytics as ha
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


def test_products_of_exponentials_are_sums() -> None:
    """exp(-20 z^2) e^xi is xi - 20 z^2: alpha_c by its density, in x = 20 z^2 and y; it was sampled."""
    z = np.linspace(0, 6.5, 26001)
    p = 2 * np.exp(-z * z / 2) / np.sqrt(2 * np.pi) * (z[1] - z[0])
    p[0] /= 2
    told = 0.0
    for centre in np.arange(-845.0, 10.0, 5.0):
        y = centre + 0.25 * np.arange(20)
        near = (20 * z * z > -y[-1] - 9) & (20 * z * z < 9 - y[0])
        density = np.exp(-((y[:, None] + 20 * z[near] ** 2) ** 2) / 2) / np.sqrt(2 * np.pi)
        mass, second = density @ p[near], density @ (p[near] * (z[near] ** 2 - 1))
        told += 0.25 * float((second[mass > 0] ** 2 / mass[mass > 0]).sum())
    (stage,) = ha.weak_recovery("exp(-20*z1**2)*exp(xi)").stages
    assert stage.alpha_c.value == pytest.approx(1 / told, rel=1e-7)
    assert stage.alpha_c.error < 1e-10
