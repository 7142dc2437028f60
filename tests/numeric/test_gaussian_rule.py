"""Quadrature over kappa that knows where its integrands change quickly."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from hermite_analytics.numeric.gaussian_rule import Feature, gaussian_rule, product_rule


@pytest.mark.parametrize("degree", range(0, 21, 2))
def test_moments(degree):
    x, w = gaussian_rule([], 2)
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
    # level 1 is as fine as level 0, at other nodes; the others halve the panels
    nodes = [gaussian_rule([Feature(center=0.3, width=0.01)], level)[0] for level in range(5)]
    sizes = [x.size for x in nodes]
    assert sizes[0] < sizes[1] < 1.6 * sizes[0] and not set(nodes[0]) & set(nodes[1])
    assert sizes[2] > sizes[1] and all(b > 1.7 * a for a, b in itertools.pairwise(sizes[2:]))


@pytest.mark.parametrize("dimension", [1, 2, 3])
def test_product_rule(dimension):
    # E exp(a.x) = exp(|a|^2/2), and a mixed moment
    a = np.array([0.7, -0.4, 1.1])[:dimension]
    nodes, weights = product_rule(dimension, 0)
    assert nodes.shape == (dimension, weights.size)
    assert weights @ np.exp(a @ nodes) == pytest.approx(math.exp(a @ a / 2), rel=1e-12)
    assert weights @ np.prod(nodes**4, axis=0) == pytest.approx(3.0**dimension, rel=1e-12)


def test_features_outside_the_range_are_left_out():
    plain, _ = gaussian_rule([], 0)
    far, _ = gaussian_rule([Feature(center=50.0, width=0.1)], 0)
    assert np.array_equal(plain, far)
