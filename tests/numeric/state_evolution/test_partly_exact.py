"""Overlaps beside others that are known exactly."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.special import ndtr

from hermite_analytics.errors import InputError
from hermite_analytics.numeric import StateEvolution
from hermite_analytics.numeric.status import Status


def beside_known(m):
    """F of z2 once z1 is known, for y = z1 1{z1^2 + z2^2 > 2}: whether z2^2 > 2 - z1^2 is seen."""
    nodes, weights = np.polynomial.legendre.leggauss(400)
    z = math.sqrt(2) * np.sin(nodes * math.pi / 2)  # where that is not sure
    p = weights * math.pi / math.sqrt(2) * np.cos(nodes * math.pi / 2) * np.exp(-0.5 * z * z)
    p /= math.sqrt(2 * math.pi)
    t = np.linspace(-8, 8, 801)
    omega, size = math.sqrt(m) * t, math.sqrt(1 - m)
    wall = np.sqrt(np.maximum(2 - z * z, 0))[:, None]
    up, down = (wall - omega) / size, (-wall - omega) / size
    inside = ndtr(up) - ndtr(down)
    slope = (np.exp(-0.5 * down**2) - np.exp(-0.5 * up**2)) / (size * math.sqrt(2 * math.pi))
    with np.errstate(divide="ignore", invalid="ignore"):
        terms = np.where((inside > 1e-13) & (inside < 1 - 1e-13), slope**2 / (inside * (1 - inside)), 0.0)
    return float(p @ terms @ (0.02 * np.exp(-0.5 * t * t) / math.sqrt(2 * math.pi)))


@pytest.mark.slow
def test_a_coordinate_that_is_known_exactly_beside_one_that_is_not():
    """Labels that are not 0, P = 1/e, give z1: above alpha = e it is known, and z2 in part."""
    solution = StateEvolution("step(z1**2+z2**2-2)*z1").solve(alpha=3.0)
    m, before = 0.5, 0.0
    while abs(m - before) > 1e-12:
        f = 3.0 * beside_known(m)
        m, before = f / (1 + f), m
    assert solution.status == Status.CONVERGED
    assert solution.overlap[0, 0] == 1 and solution.overlap[0, 1] == 0
    difference = abs(solution.overlap[1, 1] - m)
    assert difference < 1e-8
    assert difference <= float(solution.numerical_error) < 1e-5


@pytest.mark.cases(1)
@pytest.mark.parametrize(
    ("matrix", "message"),
    [
        ([[0.5]], r"shape \(1, 1\); a symmetric matrix of shape \(2, 2\)"),
        ([[0.5, 0.2], [0.1, 0.5]], "symmetric matrix"),
        ([[1.0, 0.0], [0.0, 0.5]], "eigenvalues from 0.5 to 1;"),
    ],
)
def test_matrices_that_are_no_overlaps(matrix, message):
    with pytest.raises(InputError, match=message):
        StateEvolution("z1*z2").overlap_map(matrix)


def test_directions_that_are_not_seen():
    model = StateEvolution("abs(z2)")
    with pytest.raises(InputError, match="directions that the label does not see"):
        model.overlap_map([[0.5, 0.0], [0.0, 0.5]])
    assert model.overlap_map([[0.0, 0.0], [0.0, 0.5]])[1, 1] > 0


def test_the_map_in_the_coordinates_of_the_target():
    """A label of (z1 + z2)/sqrt(2): F is 1/(1 - m) along it and 0 across."""
    along = np.full((2, 2), 0.5)
    found = StateEvolution("z1+z2").overlap_map(0.75 * along)
    assert found == pytest.approx(4 * along, abs=1e-12)
