"""Quadrature over kappa that knows where its integrands change quickly."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from hermite_analytics.numeric.gaussian_rule import Feature, gaussian_rule


@pytest.mark.parametrize("degree", range(0, 21, 2))
def test_moments(degree):
    x, w = gaussian_rule([], 1)
    assert w @ x**degree == pytest.approx(math.prod(range(1, degree, 2)), rel=1e-12)


@pytest.mark.parametrize("center", [-1.3, 0.0, 0.7, 4.0])
def test_kink_and_jump(center):
    x, w = gaussian_rule([Feature(center=center, width=0.0)], 0)
    density = math.exp(-(center**2) / 2) / math.sqrt(2 * math.pi)
    tail = math.erfc(center / math.sqrt(2)) / 2
    assert w @ (x > center) == pytest.approx(tail, abs=1e-15)
    assert w @ np.maximum(x - center, 0) == pytest.approx(density - center * tail, abs=1e-14)


@pytest.mark.parametrize("width", [1.0, 1e-2, 1e-5, 1e-9])
def test_smoothed_jump(width):
    # E Phi((x - a)/w) = Phi(-a/sqrt(1 + w^2))
    center = 0.4
    x, w = gaussian_rule([Feature(center=center, width=width)], 0)
    values = np.array([math.erfc(-(t - center) / width / math.sqrt(2)) / 2 for t in x])
    exact = math.erfc(center / math.sqrt(1 + width**2) / math.sqrt(2)) / 2
    assert w @ values == pytest.approx(exact, abs=1e-14)


def test_levels_refine():
    sizes = [gaussian_rule([Feature(center=0.3, width=0.01)], level)[0].size for level in range(4)]
    assert all(b >= 2 * a for a, b in itertools.pairwise(sizes))


def test_features_outside_the_range_are_left_out():
    plain, _ = gaussian_rule([], 0)
    far, _ = gaussian_rule([Feature(center=50.0, width=0.1)], 0)
    assert np.array_equal(plain, far)
