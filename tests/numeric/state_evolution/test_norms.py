"""State evolution of sums and products of functions of norms of separate blocks of coordinates."""

from __future__ import annotations

import numpy as np
import pytest
from sympy import Dummy

import hermite_analytics as ha
from hermite_analytics.label.cases.committee.parts import SeparateParts, part_of, separate_parts
from hermite_analytics.label.cases.committee.products import product_parts
from hermite_analytics.label.channel import channel_of
from hermite_analytics.numeric import StateEvolution
from hermite_analytics.numeric.bayes.maps.label_map import LabelMap
from hermite_analytics.numeric.bayes.maps.omega_rule import omega_rule
from hermite_analytics.numeric.bayes.maps.overlap_map import map_of, sampled_map_of
from hermite_analytics.numeric.bayes.maps.parts_map import PartsMap
from hermite_analytics.numeric.status import Rule, Status
from hermite_analytics.symbols import variable
from tests.numeric.state_evolution.references import of_a_sum_of_squares


def squares(dimension, noise):
    """z1^2 + .. + z4^2 as a sum over blocks of so many coordinates."""
    t = Dummy("t", real=True)
    part = part_of(t**2, t, [(i, 1) for i in range(4)], even=True, dimension=dimension)
    return PartsMap.of(SeparateParts(parts=(part,), noise=noise), None)


@pytest.mark.parametrize(("m", "off"), [(0.5, 1e-7), pytest.param(0.85, 5e-7, marks=pytest.mark.slow)])
def test_squares_in_blocks(m, off):
    """The same label with one-dimensional parts, whose tables and nodes of omega are others."""
    found, known = (squares(dimension, 0.5)(m * np.eye(4)) for dimension in (2, 1))
    assert np.abs(found - known).max() < off * known.max()


@pytest.mark.slow
@pytest.mark.parametrize(("dimension", "off"), [(1, 1e-7), (2, 2e-4)])
def test_squares_without_noise(dimension, off):
    """|z|^2, in closed form but for two rules; blocks are blurred, and their levels say how far that goes."""
    fine, coarse = (float(squares(dimension, 0.0)(0.5 * np.eye(4), level=k)[0, 0]) for k in (1, 0))
    known = of_a_sum_of_squares(4, 0.5)
    assert fine == pytest.approx(known, rel=off)
    assert abs(fine - known) < abs(fine - coarse)


@pytest.mark.parametrize(("count", "dimension", "m"), [(1, 2, 0.6), (2, 2, 0.6), (2, 3, 0.02), (3, 2, 0.1)])
def test_norms_of_omega(count, dimension, m):
    """E |omega|^4 = k (k + 2) for each block, and products of squares."""
    rule = omega_rule([count], [True], [m], dimensions=[dimension], doublings=2)
    radii = rule.nodes[0][rule.members]
    assert rule.weights @ (radii**2).prod(1) == pytest.approx(dimension**count, rel=1e-5)
    fourth = rule.weights @ (radii**4).mean(1)
    assert fourth == pytest.approx(dimension * (dimension + 2), rel=1e-4)


def test_forms():
    z = [variable(i + 1) for i in range(5)]
    sums = lambda text, count: separate_parts(ha.Target(text).expression, z[:count])  # noqa: E731
    found = sums("norm(z1,z2)+exp(-z3**2-z4**2)+2*sin(z5)", 5)
    assert [(p.places, p.dimension, p.even) for p in found.parts] == [
        ((0, 1), 2, True),
        ((2, 3), 2, True),
        ((4,), 1, False),
    ]
    assert [p.count for p in sums("norm(z1,z3)+norm(z2,z4)+z5**2", 5).parts] == [2, 1]
    assert sums("norm(z1,z2)+norm(z1,z3)", 3) is None and sums("norm(z1,z2)*z1+z3", 3) is None
    found = product_parts(ha.Target("norm(z1,z2)*z3*exp(-z4**2-z5**2)").expression, z)
    assert sorted(p.places for p in found.parts) == [(0, 1), (2,), (3, 4)]


@pytest.mark.slow
@pytest.mark.draws(1)  # labels with noise: `test_noisy_surfaces.py`
@pytest.mark.parametrize("label", ["norm(z1,z2)*z3", "(z1**2+z2**2)*z3+xi"])
def test_three_coordinates(label):
    """By patches of level surfaces: 1e-5."""
    channel = channel_of(label)
    found = map_of(channel)[0].overlap_map
    assert isinstance(found, PartsMap)
    known = LabelMap.of_space(channel.kind.surfaces.channel(), ())
    for m in (0.3, 0.7):
        assert found(m * np.eye(3)) == pytest.approx(known(m * np.eye(3)), rel=1e-5, abs=1e-6)


@pytest.mark.slow
@pytest.mark.draws(1)
@pytest.mark.parametrize("label", ["norm(z1,z2)+norm(z3,z4)", "exp(-z1**2-z2**2)+abs(z3)+norm(z4,z5,z6)"])
def test_against_samples(label):
    """Within what samples leave open, exceeded by chance in 1 % of all cases at most."""
    channel = channel_of(label)
    sampled, found = sampled_map_of(channel).overlap_map, map_of(channel)[0].overlap_map
    matrix = 0.5 * np.eye(len(channel.rows))
    assert (np.abs(np.diag(found(matrix) - sampled(matrix))) < np.diag(sampled.error(matrix))).all()


@pytest.mark.slow
def test_products_of_norms_and_sums_of_their_logarithms():
    product = StateEvolution("(z1**2+z2**2)*(z3**2+z4**2)").solve(alpha=3.0)
    assert product.status is Status.CONVERGED and product.rule is Rule.QUADRATURE
    assert product.numerical_error < 2e-6
    logs = StateEvolution("log(z1**2+z2**2)+log(z3**2+z4**2)").solve(alpha=3.0)
    assert np.abs(product.overlap - logs.overlap).max() < 1e-9
    assert ha.weak_recovery("log(abs(z1))+log(abs(z2))").alpha_c.value == pytest.approx(
        ha.weak_recovery("abs(z1*z2)").alpha_c.value, rel=1e-9
    )
