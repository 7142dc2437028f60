"""Results say how the map of state evolution was found, and count the probability that was lost."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from hermite_analytics.numeric import StateEvolution
from hermite_analytics.numeric.bayes.maps import sampled_map
from hermite_analytics.numeric.bayes.maps.commutant import Commutant, commutant_of
from hermite_analytics.numeric.bayes.maps.label_map import LabelMap
from hermite_analytics.numeric.bayes.state_evolution.fixed_point import fixed_point
from hermite_analytics.numeric.bayes.state_evolution.iteration import Search
from hermite_analytics.numeric.bayes.state_evolution.overlaps import rule_at
from hermite_analytics.numeric.status import Rule, Status


@pytest.mark.cases(2)
@pytest.mark.parametrize("target", ["z1**2", "sign(z1)+sign(z2)", "z1*z2", "z1**2+sign(z1*z2*z3)", "z1+xi"])
def test_deterministic_rules(target):
    solution = StateEvolution(target).solve(alpha=[0.3, 0.4])
    assert solution.rule.tolist() == ["quadrature"] * 2
    assert [row["rule"] for row in solution.records()] == ["quadrature"] * 2


@pytest.mark.slow
def test_sampling(monkeypatch):
    monkeypatch.setattr(sampled_map, "_POINTS", 5)  # for the rule few samples are enough
    model = StateEvolution("z1*z2*sin(z3*z4)")
    found = model.solve(alpha=1.0)  # below weak recovery
    assert found.rule is Rule.SAMPLED
    assert found.to_dict()["results"][0]["rule"] == "randomised quasi-Monte Carlo"
    assert "two standard errors" in found.rule.help


@pytest.mark.slow
def test_interpolation():
    """M = m I: beyond m = 0.95 the map is taken from between there and its limit."""
    model = StateEvolution("abs(z1)+abs(z2)+abs(z3)")
    inside, near, full = (m * np.eye(3) for m in (0.9, 0.97, 1.0))
    rules = [rule_at(model._overlaps.seen.overlap_map, m) for m in (inside, near, full)]
    assert rules == [Rule.QUADRATURE, Rule.INTERPOLATED, Rule.QUADRATURE]
    assert "lower order" in Rule.INTERPOLATED.help


@pytest.mark.slow
def test_lost_probability_is_part_of_the_error():
    model = StateEvolution("tanh(z1)+z2*z3")
    overlap_map = model._overlaps.seen.overlap_map
    lost = overlap_map.mass_defect
    assert lost == overlap_map.channel.label_nodes(1).defect > 0
    found = model.solve(alpha=0.5)
    assert found.numerical_error >= lost * (1 - found.overlap[0, 0])


@pytest.mark.cases(3)
@pytest.mark.parametrize(
    ("target", "loses"),
    [
        ("z1**2", 1e-13),
        ("relu(z1)+sign(z2)*step(z3)", 1e-11),
        ("sign(z1*z2)", 0),
        ("sign(z1)+sign(z2)+xi/3", 1e-12),
        ("sign(z1**2-1+xi)", 1e-13),
        ("abs(z1)+xi/2", 1e-13),
        ("z1**2+sign(z1*z2*z3)", 1e-11),  # places below 1e-14 each are left out
        ("z1*z2", 1e-9),
    ],
)
def test_every_map_knows_what_its_labels_lose(target, loses):
    overlaps = StateEvolution(target)._overlaps
    for found in (overlaps.seen, overlaps.together):
        assert found is None or 0 <= found.overlap_map.mass_defect <= loses


def test_labels_that_are_left_out_count_in_the_error():
    model = StateEvolution("z1**2")
    whole = model.solve(alpha=0.6)
    one = model._overlaps.seen.overlap_map
    nodes = one.channel.nodes(1)
    less = dataclasses.replace(nodes, weights=nodes.weights * (1 - 1e-3))
    assert one.labels(1.0, 1).defect < 1e-12
    one._labels[1, 0] = less.label_nodes(one.channel.continuous_probability)
    one._defect.clear()
    assert one.mass_defect == pytest.approx(1e-3, rel=1e-6)
    m = whole.overlap.item()
    assert 0 < m < 1 and model.solve(alpha=0.6).numerical_error >= 0.9e-3 * m * (1 - m)


@pytest.mark.slow
def test_labels_that_are_left_out_of_joint_coordinates_count_too():
    model = StateEvolution("z1 + sign(z2) + sign(z3)")
    whole = model.solve(alpha=0.3).numerical_error
    joint = model._overlaps.together.overlap_map
    nodes = joint.nodes(1)
    joint._nodes[1] = dataclasses.replace(nodes, weights=nodes.weights * (1 - 1e-3))
    assert joint.mass_defect == pytest.approx(1e-3, rel=1e-6)
    m = np.diag(model.solve(alpha=0.3).overlap)
    assert model.solve(alpha=0.3).numerical_error > whole + 0.5e-3 * (m * (1 - m)).max() > 0


def test_an_error_that_both_rules_share():
    """m = alpha f/(1 + alpha f) with f constant: a share s of f moves m by s m (1 - m).

    A share s of labels that would tell all moves it by alpha s (1 - m), which is more above alpha = 1; by
    alpha s m (1 - m) where labels do not tell the sign, F(0) = 0. Five times the share is allowed for.
    """
    search = Search(informed=False, tolerance=1e-12, max_steps=200)
    options = {"exact_alpha": lambda: np.inf, "resolution": 1e-4, "unseen": 1e-3}
    one = Commutant.diagonal([(0,)])
    for alpha in (0.5, 1.5):
        found = fixed_point(lambda m, level, f=3 / alpha: np.array([[f]]), one, alpha, search, **options)
        assert found.matrix.item() == pytest.approx(0.75)
        assert found.error == pytest.approx(5 * max(1, alpha) * 1e-3 * 0.25, rel=1e-6)
        found = fixed_point(lambda m, level, f=4 / alpha: f * m, one, alpha, search, **options)
        assert found.matrix.item() == pytest.approx(0.75)  # where steps have the slope 1/4
        assert found.error == pytest.approx(5 * max(1, alpha) * 1e-3 * 0.75 * 0.25 / 0.75, rel=1e-4)


@pytest.mark.parametrize("bend", [50.0, 2000.0])
def test_a_tiny_fixed_point_is_not_leapt_over(bend):
    """F = 1.1 m - bend m^2: the overlap .1/bend or so, beside which steps of a direction that grows leap."""
    search = Search(informed=False, tolerance=1e-13, max_steps=500)
    options = {"exact_alpha": lambda: np.inf, "resolution": 1e-4}
    one = Commutant.diagonal([(0,)])
    found = fixed_point(lambda m, level: 1.1 * m - bend * m @ m, one, 1.0, search, **options)
    m = found.matrix.item()
    f = 1.1 * m - bend * m**2
    assert found.status == Status.CONVERGED
    assert 0.09 / bend < m == pytest.approx(f / (1 + f), rel=1e-9)


def test_thresholds_say_it_too():
    assert StateEvolution("z1**2").thresholds().to_dict()["rule"] == "quadrature"


@pytest.mark.slow
def test_only_isotropic_maps_interpolate():
    model = StateEvolution("tanh(z1)+z2*z3")
    assert isinstance(model._overlaps.seen.overlap_map, LabelMap)
    assert not model._overlaps.seen.overlap_map.is_interpolated(0.97 * np.eye(3))


def test_the_finer_rule_decides_where_the_coarser_one_rests_elsewhere():
    """Just above a spinodal: steps by the coarser rule, 2 % lower, must not lead back from the finer one."""

    def overlap_map(m, level):
        x, y = np.diag(m)
        f = np.diag([0.3 + 6 * x**4 * (1 + 0.3 * y), 0.25 + 5 * y**4 * (1 + 0.3 * x)])
        return f if level else 0.98 * f

    search = Search(informed=False, tolerance=1e-10, max_steps=2000)
    where = Commutant.diagonal([(0,), (1,)])
    options = {"exact_alpha": lambda: np.inf, "resolution": 1e-4, "partly_exact": False}
    for alpha in np.linspace(1.40, 1.46, 16):
        found = fixed_point(overlap_map, where, alpha, search, **options)
        f = alpha * np.diag(overlap_map(found.matrix, 1))
        assert found.status is Status.CONVERGED, alpha
        assert np.diag(found.matrix) == pytest.approx(f / (1 + f), abs=1e-9)


@pytest.mark.slow
def test_a_quadratic_form_without_common_axes_beside_exact_recovery():
    """z1 z2 + z1^2: each label is one equation for two directions, so that M = I is stable from 2 on."""
    found = StateEvolution("z1*z2+z1**2").solve(alpha=2.3)
    assert found.status == Status.CONVERGED
    assert np.array_equal(found.overlap, np.eye(2))


@pytest.mark.parametrize(("alpha", "known"), [(1.0, False), (1.2, True), (1.5, True)])
def test_directions_that_go_to_one_may_turn(alpha, known):
    """F = V^(-1/2) W V^(-1/2) + M/10 has no common axes: at a ceiling the top eigenvector turns with M."""
    w = np.array([[0.8, 0.25], [0.25, 0.3]])
    count = 0

    def overlap_map(m, level):
        nonlocal count
        count += 1
        values, vectors = np.linalg.eigh(np.eye(2) - m)
        root = (vectors / np.sqrt(values)) @ vectors.T
        return root @ w @ root + 0.1 * m

    search = Search(informed=False, tolerance=1e-10, max_steps=400)
    everything = commutant_of([np.eye(2)], 2)
    found = fixed_point(overlap_map, everything, alpha, search, exact_alpha=lambda: np.inf, resolution=1e-2)
    assert found.status is Status.CONVERGED and count < 100
    assert (np.linalg.eigvalsh(found.matrix)[1] > 1 - 1e-9) == known


def test_a_direction_leaves_its_ceiling_again():
    """The coarser rule rests beyond a ceiling, the finer one below; both are linear, known at once."""
    levels = []

    def overlap_map(m, level):
        x, y = np.diag(m)
        levels.append(level)
        rest = (0.985, 0.979)[level]
        steps = np.array([x + 0.3 * (rest - x) + 0.02 * (y - 0.9), y + 0.05 * (0.802 + 0.1 * x - y)])
        return np.diag(steps / (1 - steps))

    search = Search(informed=False, tolerance=1e-10, max_steps=200)
    where = Commutant.diagonal([(0,), (1,)])
    found = fixed_point(overlap_map, where, 1.0, search, exact_alpha=lambda: np.inf, resolution=0.02)
    x, y = np.linalg.solve([[0.3, -0.02], [-0.1, 1.0]], [0.3 * 0.979 - 0.02 * 0.9, 0.802])
    assert found.status is Status.CONVERGED
    np.testing.assert_allclose(np.diag(found.matrix), [x, y], atol=1e-9)
    assert x < 0.98  # the ceiling
    assert levels.count(1) <= 3  # five and a second search closer to 1, where it cannot leave
