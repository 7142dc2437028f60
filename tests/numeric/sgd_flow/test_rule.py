"""Quadrature with kinks on planes, against closed forms."""

from __future__ import annotations

import math

import numpy as np
import pytest

from hermite_analytics.numeric.models.sgd_flow.averages import joint_factor
from hermite_analytics.numeric.models.sgd_flow.gradient import sign_changes
from hermite_analytics.numeric.models.sgd_flow.rule import (
    NOTHING,
    Planes,
    Splits,
    grown,
    iterated_rule,
    plane_splits,
)


def rule(normals, offsets, level):
    planes = Planes(normals=np.array(normals, dtype=float), offsets=np.array(offsets, dtype=float))
    return iterated_rule(plane_splits(planes), level)


@pytest.mark.parametrize("level", [1, 2, 3])
@pytest.mark.parametrize("rho", [-0.999, -0.4, 0.0, 0.3, 0.9, 0.999999])
def test_arcsine_law_of_two_signs(rho, level):
    second = [rho, math.sqrt(1 - rho**2)]
    nodes, weights = rule([[1, 0], second], [0, 0], level)
    found = np.sum(weights * np.sign(nodes[0]) * np.sign(second @ nodes))
    assert found == pytest.approx(2 / math.pi * math.asin(rho), abs=2e-7 if level == 1 else 1e-9)


@pytest.mark.slow
def test_kinks_off_the_axes_in_three_variables():
    normals = np.array([[1, 1, 0], [0, 1, 1.0]])
    nodes, weights = rule(normals, [0, 0], 2)
    u, v = normals @ nodes  # variance 2, correlation 1/2
    found = np.sum(weights * np.maximum(u, 0) * np.maximum(v, 0))
    angle = math.acos(0.5)
    assert found == pytest.approx(2 * (math.sin(angle) + (math.pi - angle) / 2) / (2 * math.pi), abs=1e-9)


def test_smooth_variables_take_the_trapezoidal_rule():
    nodes, weights = iterated_rule([[], []], 3)
    assert weights.sum() == pytest.approx(1, abs=1e-14)
    found = np.sum(weights * nodes[0] ** 8 * np.cos(nodes[1]))
    assert found == pytest.approx(105 * math.exp(-0.5), rel=1e-12)


def test_a_missing_point_is_no_point():
    missing = Splits(centers=lambda earlier: np.full((earlier.shape[1], 2), np.nan))
    nodes, weights = iterated_rule([[missing]], 2)
    assert np.sum(weights * nodes[0] ** 2) == pytest.approx(1, abs=1e-13)


def test_sign_changes_row_by_row():
    edges = np.tile(np.linspace(-3, 3, 31), (3, 1))
    shift = np.array([[0.25], [1.0], [-9.0]])
    found = sign_changes(lambda x: x**2 - shift, edges)
    assert found.shape == (3, 2)
    assert found[0] == pytest.approx([-0.5, 0.5], abs=1e-12)
    assert found[1] == pytest.approx([-1, 1], abs=1e-12)
    assert np.all(np.isnan(found[2]))


@pytest.mark.parametrize("rows", [1, 300])  # few points are cut into more parts
def test_a_sign_change_at_a_jump_and_one_of_three(rows):
    edges = np.tile([-2.0, 2.0], (rows, 1))
    jump = sign_changes(lambda x: np.where(x < 0.3, -1.0, 2.0), edges)
    assert jump.shape == (rows, 1) and jump == pytest.approx(0.3, abs=1e-15)
    three = sign_changes(lambda x: (x + 1) * (x - 0.1) * (x - 0.9), edges)
    assert np.min(np.abs(three[0, 0] - [-1, 0.1, 0.9])) < 1e-14
    assert sign_changes(np.cosh, edges).shape == (rows, 0)


def test_factor_of_the_joint_law():
    rng = np.random.default_rng(3)
    w = rng.normal(size=(3, 9)) / 3
    overlaps, correlations = w[:, :2], w @ w.T
    factor = joint_factor(overlaps, correlations)
    joint = np.block([[np.eye(2), overlaps.T], [overlaps, correlations]])
    assert factor @ factor.T == pytest.approx(joint, abs=1e-14)
    twice = np.vstack([overlaps[:1]] * 2)  # two equal neurons
    degenerate = joint_factor(twice, np.full((2, 2), correlations[0, 0]))
    assert degenerate[3, 3] == 0 and np.all(np.isfinite(degenerate))


def test_lines_that_end_early_keep_mass_and_variance():
    """Averages that are polynomials of degree three in the later variables do not see where lines end."""
    nodes, weights = iterated_rule([[], [], []], [1, -3, -4], smallest=1e-3, stretched=1)
    full, _ = iterated_rule([[], [], []], [1, -3, -4])
    assert nodes.shape[1] < full.shape[1] / 3
    z, u, v = nodes
    first = z**2 - np.tanh(z)
    for power, moment in enumerate((1, 0, 1, 0)):
        for x in (u, v):
            assert weights @ (first * x**power) == pytest.approx(weights @ first * moment, abs=1e-13)
    assert weights @ (u**2 * v**2) == pytest.approx(1, abs=1e-13)


def test_a_grid_grows_line_by_line():
    """Each new node knows the node from which it comes, in order, and no node is left without a line."""
    at_first = Splits(centers=lambda earlier: earlier[0][:, None])
    grid = NOTHING
    for splits, level in (([], 0), ([at_first], -2)):
        row, grown_grid = grown(grid, splits, level, smallest=1e-6)
        assert np.array_equal(np.unique(row), np.arange(grid.weights.size)) and np.all(np.diff(row) >= 0)
        assert np.array_equal(grown_grid.nodes[:-1], grid.nodes[:, row])
        assert np.bincount(row, grown_grid.weights) == pytest.approx(grid.weights, rel=1e-12)
        grid = grown_grid
    assert grid.weights @ np.abs(grid.nodes[1] - grid.nodes[0]) == pytest.approx(
        2 / math.sqrt(math.pi), abs=2e-4
    )
