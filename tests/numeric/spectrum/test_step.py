"""Spectra of the kernel and of the weights after a small step."""

from __future__ import annotations

import numpy as np
import pytest

from hermite_analytics.errors import InputError
from hermite_analytics.numeric import SmallStep
from hermite_analytics.numeric.models.spectrum.step import step_spectrum, weights_stieltjes

RATIOS = {"eta": 4, "alpha": 4, "beta": 2, "noise": 0.09}


@pytest.fixture(scope="module")
def step():
    return SmallStep("tanh(z)", "tanh(z1)")


@pytest.mark.parametrize("beta", [0.5, 2.0])
@pytest.mark.parametrize("z", [-1.0, 0.7 + 0.2j, 0.7 - 0.2j, 10.0])
def test_transform_of_the_weights(beta, z):
    # the integral of the density, and the atom at 0 of d - p directions without a row
    low, high = (1 - np.sqrt(beta)) ** 2, (1 + np.sqrt(beta)) ** 2
    t = np.pi * (np.arange(4000) + 0.5) / 4000
    x = 0.5 * (low + high) + 0.5 * (high - low) * np.cos(t)
    weight = (0.5 * (high - low) * np.sin(t)) ** 2 / (2 * np.pi * x) * np.pi / 4000
    expected = np.sum(weight / (x - z)) + max(0, 1 - beta) / (0 - z)
    assert weights_stieltjes(z, beta) == pytest.approx(expected, rel=1e-10)


def test_outliers_are_squares_of_the_singular_values(step):
    solution = step.solve(ridge=1.0, **RATIOS)
    for of, spike in (("weights", solution.weights), ("kernel", solution.kernel)):
        found = step_spectrum(of, step, **RATIOS)
        assert found.outliers == (spike["singular_value"] ** 2,) and found.edge == spike["edge"] ** 2
        assert found.outliers[0] > found.edge and found.stieltjes is None
    assert step_spectrum("weights", step, **(RATIOS | {"eta": 0.0})).outliers == ()


def test_density_is_the_imaginary_part(step):
    z = 1.0 + 1e-6j
    for of in ("weights", "kernel"):
        found = step_spectrum(of, step, **RATIOS, z=z)
        assert found.stieltjes.imag / np.pi == pytest.approx(float(found.density(1.0)), rel=1e-4)


def test_unknown_matrix(step):
    with pytest.raises(InputError, match="the spectrum of 'readout'; accepted: kernel, weights"):
        step_spectrum("readout", step, **RATIOS)
