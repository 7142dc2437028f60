"""Homogeneous labels, and largest and smallest values."""

from __future__ import annotations

import math

import numpy as np
import pytest

from hermite_analytics.label.cases.homogeneous.radial import planar_density, spatial_density
from hermite_analytics.label.cases.homogeneous.sphere import sphere_rule
from hermite_analytics.label.cases.parts.extremes import extreme_density
from hermite_analytics.label.cases.parts.smoothed import smoothed_density
from tests.symbolic.label.terms import LINEAR, MODULUS, RELU, check_law, threshold

AXES = np.pi / 2 * np.arange(4)
DIAGONALS = np.array([[1, 1, 0], [1, -1, 0], [1, 0, 1], [1, 0, -1], [0, 1, 1], [0, 1, -1]])


def on_circle(g):
    return lambda t: g(np.cos(t), np.sin(t))


@pytest.mark.parametrize(
    ("g", "degree", "breaks", "alpha"),
    [
        (lambda x, y: np.abs(x) + np.abs(y), 1, AXES, 1.0679875404),
        (lambda x, y: np.maximum(np.abs(x), np.abs(y)), 1, np.pi / 4 * np.arange(8), 1.0679875404),
        (lambda x, y: np.minimum(np.abs(x), np.abs(y)), 1, np.pi / 4 * np.arange(8), 2.4206855258),
        (lambda x, y: x * y, 2, AXES, 0.5937510982),
        (lambda x, y: x * (x + y), 2, [*AXES[1::2], math.atan2(-1, 1), math.atan2(1, -1)], 0.5076472741),
        (lambda x, y: x * (x + 3 * y), 2, [*AXES[1::2], math.atan2(-1, 3), math.atan2(1, -3)], 0.5406130779),
        (lambda x, y: x * x + 2 * y * y, 2, [], 0.6157200149),
        (lambda x, y: x**4 + y**4, 4, [], 1.0281662328),
        (lambda x, y: np.hypot(x, y), 1, [], 1.0),
    ],
)
def test_two_coordinates(g, degree, breaks, alpha):
    law = planar_density(on_circle(g), degree, breaks)
    check_law(law, 1e-12)
    assert threshold(law) == pytest.approx(alpha, abs=2e-10)


def test_rotations_do_not_matter():
    angle = 0.3
    law = planar_density(lambda t: np.cos(t - angle) * np.sin(t - angle), 2, AXES + angle)
    assert threshold(law) == pytest.approx(0.5937510982, abs=1e-10)


def test_noise_after_a_homogeneous_label():
    law = smoothed_density(planar_density(on_circle(lambda x, y: x * y), 2, AXES), 1.0)
    check_law(law, 1e-11)
    assert threshold(law) == pytest.approx(1.1863871080, abs=1e-9)


@pytest.mark.parametrize(
    ("g", "degree", "normals", "alpha"),
    [
        (lambda w: np.abs(w).sum(1), 1, np.eye(3), 1.6378683918),
        (lambda w: w.prod(1), 3, np.eye(3), 2.5651804019),
        (lambda w: np.linalg.norm(w, axis=1), 1, np.eye(3), 1.5),
        pytest.param(lambda w: np.abs(w).max(1), 1, DIAGONALS, 1.6955623867, marks=pytest.mark.slow),
    ],
)
def test_three_coordinates(g, degree, normals, alpha):
    law = spatial_density(g, degree, normals)
    check_law(law, 2e-9)
    assert threshold(law) == pytest.approx(alpha, abs=2e-8)


def test_the_rule_on_the_sphere():
    nodes, weights = sphere_rule(DIAGONALS, 2)
    assert weights.sum() == pytest.approx(1, abs=1e-10)
    np.testing.assert_allclose(nodes.T @ (weights[:, None] * nodes), np.eye(3) / 3, atol=1e-10)
    assert weights @ nodes[:, 0] ** 4 == pytest.approx(1 / 5, abs=1e-10)


@pytest.mark.parametrize(
    ("pieces", "largest", "alpha"),
    [
        ([MODULUS] * 2, True, 1.0679875404),
        ([MODULUS] * 3, True, 1.6955623867),
        ([MODULUS] * 2, False, 2.4206855258),
    ],
)
def test_extremes(pieces, largest, alpha):
    law = extreme_density(pieces, largest=largest)
    check_law(law, 1e-11)
    assert threshold(law) == pytest.approx(alpha, abs=2e-10)


def test_the_larger_of_two_coordinates():
    # max(z1, z2) = s/sqrt2 + |d|/sqrt2: E y = 1/sqrt(pi), E[w1; y] symmetric
    y, values = extreme_density([LINEAR, LINEAR], largest=True).labels()
    assert y @ values[:, 0] == pytest.approx(1 / math.sqrt(math.pi), abs=1e-12)
    np.testing.assert_allclose(values[:, 1], values[:, 2], atol=1e-14)


def test_atoms_of_extremes():
    top, bottom = (extreme_density([RELU, RELU], largest=largest) for largest in (True, False))
    check_law(top, 1e-11)
    check_law(bottom, 1e-11)
    phi = 1 / math.sqrt(2 * math.pi)
    np.testing.assert_allclose(top.atom_values[0, :3], [0.25, -phi / 2, -phi / 2], atol=1e-14)
    np.testing.assert_allclose(bottom.atom_values[0], [0.75, -phi / 2, -phi / 2, 0, -(phi**2), 0], atol=1e-14)
