"""Random features at large ridges, where all samples lie on the straight part of a hinge."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import ndtr

from hermite_analytics.numeric import RandomFeatures


@pytest.mark.parametrize("loss", ["logistic", "hinge", "huber:1"])
def test_small_features_and_large_ridges_have_one_limit(loss):
    # (features, ridge) -> (s features, s^2 ridge) changes no prediction; Q is 1e-28 there
    plain = RandomFeatures("tanh(z)", "sign(z1)", loss).solve(alpha=1, beta=1, ridge=1e8)
    large = RandomFeatures("tanh(z)", "sign(z1)", loss).solve(alpha=1, beta=1, ridge=1e13)
    small = RandomFeatures("tanh(z)/1000", "sign(z1)", loss).solve(alpha=1, beta=1, ridge=1e7)
    for found in (large, small):
        assert found.status == "converged"
        assert found.misclassification == pytest.approx(float(plain.misclassification), rel=1e-7)


@pytest.mark.parametrize("target", ["sign(z1)", "sign(z1 + z1*z2**2)"])
def test_hinge_of_odd_labels_has_no_mean(target):
    # with all samples on the straight part any mean in (-1, 1) seems as good
    found = RandomFeatures("relu(z)", target, "hinge").solve(alpha=1, beta=1, ridge=[1, 5, 30, 1e6])
    assert np.all(found.status == "converged") and np.all(found.overlaps["intercept"] == 0.0)
    # a readout that is the sum of y phi has M^2/Q = alpha cos^2, as the square loss has at a large ridge
    square = RandomFeatures("relu(z)", "sign(z1)").solve(alpha=1, beta=1, ridge=1e10)
    assert found.misclassification[1:] == pytest.approx(float(square.misclassification), abs=1e-7)


@pytest.mark.slow
def test_a_mean_that_no_force_holds_is_no_answer():
    """Balanced labels that are not odd at a large ridge: all samples lie on straight parts of the hinge."""
    text = "sign(Phi(z1) - 1/10)*sign(Phi(z1) - 3/10)*sign(Phi(z1) - 7/10)"
    found = RandomFeatures("relu(z)", text, loss="hinge").solve(alpha=1, beta=1, ridge=[1, 10])
    assert list(found.status) == ["converged", "max_steps_reached"]
    assert found.misclassification[0] < 0.49
    assert np.isnan(found.misclassification[1])


def test_logistic_regression_of_unequal_classes_has_a_mean_at_any_ridge():
    """Features that vanish leave the best constant, log(p/(1 - p)): it is held at fields of 1e-14 too."""
    found = RandomFeatures("relu(z)", "sign(z1 - 1/3)", "logistic").solve(
        alpha=1, beta=1, ridge=[1e6, 1e10, 1e13]
    )
    assert np.all(found.status == "converged")
    odds = ndtr(-1 / 3) / ndtr(1 / 3)
    assert found.overlaps["intercept"] == pytest.approx(np.log(odds), rel=1e-5)
