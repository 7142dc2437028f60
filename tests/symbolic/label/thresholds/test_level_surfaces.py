"""Thresholds of three coordinates by level surfaces, against methods of other kinds."""

from __future__ import annotations

import numpy as np
import pytest

import hermite_analytics as ha
from hermite_analytics.label.cases.space.case import surfaces_of
from hermite_analytics.label.cases.space.space import SpaceChannel
from hermite_analytics.label.channel import channel_of
from hermite_analytics.label.quadrature import LabelQuadrature
from hermite_analytics.label.reduction.problem import orthonormal_problem
from hermite_analytics.label.thresholds.three_coordinates import level_surfaces
from hermite_analytics.numeric.bayes.maps.overlap_map import map_of


def by_surfaces(label):
    target = ha.Target(label)
    return level_surfaces(orthonormal_problem(target.expression, target.dimension, ()))


def counted(function, calls):
    """A method that notes the last argument of each call."""

    def noted(*arguments, **more):
        calls.append(arguments[-1])
        return function(*arguments, **more)

    return noted


def test_what_is_seen_of_a_label():
    """Two labels of which one is mistaken for the other in a quarter of the cases."""
    first = np.array([[1.0], [-1.0]])
    law = LabelQuadrature(weights=np.full(2, 0.5), first=first, second=np.zeros((2, 1, 1)))
    seen = law.seen_through(np.array([[0.75, 0.25, 0.0], [0.25, 0.75, 0.0]]))
    assert seen.weights.tolist() == [0.5, 0.5]
    assert seen.first.ravel().tolist() == [0.5, -0.5]


def test_labels_that_are_left_to_others():
    assert by_surfaces("z1*z2") is None
    assert by_surfaces("abs(z1**2 + z2**2 + z3**2 - z1*z2*z3)") is None
    assert by_surfaces("z1*z2*z3 + xi*z1") is None


@pytest.mark.slow
@pytest.mark.draws(3)  # the last is the second without noise
@pytest.mark.parametrize(
    "label", ["z1*z2*z3", "abs(z1*z2+z3) + xi/2", "abs(z1*z2)*(1 + xi)", "abs(z1*z2+z3)"]
)
def test_two_ways_to_one_threshold(label):
    """Closed forms, convolutions of parts, and their laws through noise."""
    expected = ha.weak_recovery(label).alpha_c
    assert expected.error < 1e-7
    found = by_surfaces(label).alpha
    assert abs(found.value - expected.value) < found.error < 4e-4 * found.value


@pytest.fixture
def looked(monkeypatch):
    """Arguments of the searches for surfaces, and for nodes on them, none of which is kept."""
    surfaces_of.cache_clear()
    looked, level = [], []
    for name, calls in (("of", looked), ("_found_nodes", level)):
        plain = getattr(SpaceChannel, name)
        monkeypatch.setattr(SpaceChannel, name, counted(plain, calls))
    return looked, level


@pytest.mark.slow
def test_surfaces_are_looked_for_once(looked):
    """For the threshold, which needs all labels, and for the map, which halves them by a symmetry."""
    label = "z1*z2*(1 + xi) + z2**2"
    by_surfaces(label)
    found, _ = map_of(channel_of(label, equivalent=True))
    found.at_number(0.3, level=0)
    assert found.overlap_map.channel.mass_defect < 1e-4
    surfaces, level = looked
    assert len(surfaces) == 1
    assert level == [0, 1]


@pytest.mark.slow
@pytest.mark.draws(1)
@pytest.mark.parametrize(("label", "once"), [("z1*z2*z3 + z1**2", True), ("max(abs(z1*z2), z3**2)", False)])
def test_thresholds_and_state_evolution_say_the_same(label, once, looked):
    """Both without samples, which leave an error of 5e-4; most surfaces are looked for once."""
    found = ha.weak_recovery(label).alpha_c
    assert found.error < 4e-4 * found.value
    assert "level surfaces" in found.reason
    assert ha.numeric.StateEvolution(label).weak_recovery() == pytest.approx(found.value, abs=found.error)
    assert len(looked[0]) == 1 or not once
