"""Beside complete overlap: tangent planes, lifted ceilings, and the alpha where M = I becomes stable."""

from __future__ import annotations

import dataclasses
import functools
import itertools
import math

import numpy as np
import pytest
from sympy import Max, symbols

from hermite_analytics.label.cases.space.pieces import piecewise_label
from hermite_analytics.label.cases.space.space import SpaceChannel
from hermite_analytics.label.symmetries import label_symmetries
from hermite_analytics.numeric import StateEvolution
from hermite_analytics.numeric.bayes.maps.commutant import commutant_of
from hermite_analytics.numeric.bayes.maps.complete_overlap import (
    Tangents,
    determined_share,
    tangent_sum,
)
from hermite_analytics.numeric.bayes.maps.label_map import LabelMap
from hermite_analytics.numeric.bayes.maps.overlap_map import Tracked
from hermite_analytics.numeric.bayes.maps.unresolved import UnresolvedOverlap
from hermite_analytics.numeric.bayes.state_evolution.fixed_point import fixed_point
from hermite_analytics.numeric.bayes.state_evolution.iteration import Search
from hermite_analytics.numeric.bayes.state_evolution.one_overlap import OneOverlap
from hermite_analytics.numeric.bayes.state_evolution.overlaps import Overlaps
from hermite_analytics.numeric.bayes.state_evolution.steps import Steps
from hermite_analytics.numeric.status import Rule, Status

W = symbols("w1 w2 w3", real=True)


@functools.cache
def quadratic() -> StateEvolution:
    """Prepared once."""
    return StateEvolution("z1*z2 + z3**2")


@pytest.mark.slow
def test_tangent_planes_of_spheres() -> None:
    """E[u3^2/(a + (b - a) u3^2)] of u on the sphere, u3 uniform on [-1, 1], in closed form."""
    label = W[0] ** 2 + W[1] ** 2 + W[2] ** 2
    symmetries = label_symmetries(label, W)
    found = LabelMap.of_space(SpaceChannel.of(piecewise_label(label, W), symmetries), symmetries).tangents()
    assert found is not None
    a, b = 0.3, 0.8
    root = math.sqrt((b - a) / a)
    third = (1 - math.atan(root) / root) / (b - a)
    limit = found.limit(np.diag([a, a, b]))
    assert limit[2, 2] == pytest.approx(third, rel=1e-4)
    assert limit[0, 0] == pytest.approx((1 - b * third) / (2 * a), rel=1e-4)  # Tr V F = 1
    assert found.determined(np.eye(3)[:, :2]) < 1e-6  # points beside the equator are none of it
    assert found.determined(np.eye(3)) == pytest.approx(1 / 3, rel=1e-4)


def test_labels_that_determine_some_directions() -> None:
    """The others have a component across, or say nothing."""
    normals = np.array([[2.0, 0.0, 0.0], [0.0, 1.0, 0.0], [1.0, 1e-3, 0.0], [0.0, 0.0, 0.0]])
    masses = np.array([0.4, 0.3, 0.2, 0.1])
    axes = np.eye(3)
    assert [determined_share(normals, masses, axes[:, [k]]) for k in range(3)] == pytest.approx([0.4, 0.3, 0])
    assert np.trace(tangent_sum(normals, masses, axes)) == pytest.approx(0.9)


def test_unknowns_for_each_equation() -> None:
    """The directions that have fewest equations decide, in any coordinates."""
    rng = np.random.default_rng(3)
    turn = np.linalg.qr(rng.standard_normal((3, 3)))[0]
    free = rng.standard_normal((400, 3))
    flat = free * [1, 1, 0]  # equations of two of three unknowns
    third = np.tile([0.0, 0.0, 1.0], (400, 1))
    for matrix in (np.eye(3), turn):
        half = Tangents(normals=np.concatenate([flat, third]) @ matrix.T, masses=np.full(800, 1 / 800))
        assert half.exact_share() == pytest.approx(0.25, rel=1e-5)  # half of the labels for two
        most = Tangents(normals=half.normals, masses=np.repeat([0.9, 0.1], 400) / 400)
        assert most.exact_share() == pytest.approx(0.1, rel=1e-5)
        whole = Tangents(normals=free @ matrix.T, masses=np.full(400, 0.75 / 400))
        assert whole.exact_share() == pytest.approx(0.25, rel=1e-5)  # a quarter is flat
        assert Tangents(normals=flat @ matrix.T, masses=np.full(400, 1 / 400)).exact_share() < 1e-6


@pytest.mark.slow
def test_unknowns_of_a_label_for_each_equation() -> None:
    """max(z1 z2, z3) says z3 half of the time, else one equation for z1 and z2, in turned coordinates."""
    z1, z2, z3 = (3 * W[0] + 4 * W[2]) / 5, W[1], (4 * W[0] - 3 * W[2]) / 5
    found = LabelMap.of_space(SpaceChannel.of(piecewise_label(Max(z1 * z2, z3), W)), ())
    assert found.exact_share == pytest.approx(0.25, abs=1e-4)


def test_points_that_a_map_does_not_resolve_are_sampled() -> None:
    """Where the label has another map; the rule says so, and without it the status does."""
    model = StateEvolution("z1*z2 + z3**2")

    @dataclasses.dataclass(frozen=True)
    class Lost:
        resolution: float = 0.1
        mass_defect: float = 0.0
        exact_share: float = 0.0

        def __call__(self, matrix: np.ndarray, *, level: int = 1) -> np.ndarray:
            raise UnresolvedOverlap("too close to 1")

    @dataclasses.dataclass(frozen=True)
    class Even(Lost):
        def __call__(self, matrix: np.ndarray, *, level: int = 1) -> np.ndarray:
            return 0.5 * np.eye(3)

    where = commutant_of([np.diag([1.0, 1.0, -1.0]), np.diag([-1.0, -1.0, 1.0])], 3)
    lost = Tracked(overlap_map=Lost(), places=(0, 1, 2), where=where)
    other = Tracked(overlap_map=Even(), places=(0, 1, 2), where=where)
    overlaps = dataclasses.replace(
        Overlaps.of(model.target, model.channel, seed=0), seen=lost, together=None, one=None, sampled=other
    )
    search = Search(informed=False, tolerance=1e-9, max_steps=100)
    found = overlaps.point(2.0, search, 10.0)
    assert found.matrix == pytest.approx(0.5 * np.eye(3), abs=1e-9)  # alpha/2/(1 + alpha/2)
    assert overlaps.rule_of(found) == Rule.SAMPLED
    alone = dataclasses.replace(overlaps, sampled=None).point(2.0, search, 10.0)
    assert alone.status == Status.UNRESOLVED and np.isnan(alone.matrix).all()


@pytest.mark.parametrize(("alpha", "complete"), [(1.9, False), (2.0, True), (2.05, True)])
def test_no_ceiling_holds_what_no_label_determines(alpha: float, complete: bool) -> None:
    """F = E[n n^T/(n^T (V + V^2/5) n)]: its limit makes M = I stable at 2 and above, for any law of n."""
    rng = np.random.default_rng(1)
    normals = rng.standard_normal((200, 2)) * np.array([1.0, 0.4])
    masses, count = np.full(200, 1 / 200), 0

    def overlap_map(m: np.ndarray, level: int) -> np.ndarray:
        nonlocal count
        count += 1
        variance = np.eye(2) - m
        return tangent_sum(normals, masses, variance + 0.2 * variance @ variance)

    search = Search(informed=False, tolerance=1e-10, max_steps=400)
    found = fixed_point(
        overlap_map,
        commutant_of([np.eye(2)], 2),
        alpha,
        search,
        exact_alpha=lambda: 2.0,
        resolution=0.1,
        undetermined=lambda top: alpha * determined_share(normals, masses, top) <= 1,
    )
    assert found.status is Status.CONVERGED and count < 150
    if complete:
        assert np.array_equal(found.matrix, np.eye(2))
        return
    f = alpha * overlap_map(found.matrix, 1)
    assert found.matrix == pytest.approx(f @ np.linalg.inv(np.eye(2) + f), abs=1e-9)
    assert 0.1 > 1 - np.linalg.eigvalsh(found.matrix)[-1] > 1e-3


def test_nodes_that_the_iteration_passes_are_left_out() -> None:
    """The fixed point is that of the plain iteration from 0+, on both sides of a spinodal."""
    count = 0

    def f(m: float, level: int) -> float:
        nonlocal count
        count += 1
        return m + 12 * m**4 - 9.5 * m**6 + 2 * m**12

    for alpha in (0.9, 1.02, 1.3, 1.55, 1.6, 1.7, 3.0, 12.0):
        one, count = OneOverlap(overlap_map=f, exact_share=0.0, first_order=2), 0
        found, _ = one.uninformed(alpha)
        used, m = count, 1e-9
        for _ in range(20_000):
            m = alpha * f(m, 1) / (1 + alpha * f(m, 1))
        assert found == pytest.approx(m if alpha > 1 else 0.0, abs=1e-6)
        assert used < 90 if alpha < 2 else used < 45


def test_few_overlaps_are_asked_for_free_entropies() -> None:
    """F = m (2 - m)/(1 - m)^(1/2), integrated by (1 - m)^(1/2): all alpha share its nodes."""
    one = OneOverlap(overlap_map=lambda m, _: m * (2 - m) / math.sqrt(1 - m), exact_share=0.0, first_order=2)
    for alpha, low, high in itertools.product((0.3, 2.0, 9.0), (0.0, 0.2, 0.7), (0.71, 0.97, 0.9999)):
        total = 0.0
        for m, side in ((high, 1), (low, -1)):
            root = math.sqrt(1 - m)
            integral = 1.6 - 2 * root + 0.4 * root**5
            total += side * (alpha * integral + m + math.log(1 - m)) / 2
        assert one.free_entropy_difference(alpha, low, high) == pytest.approx(total, abs=1e-10)
    assert len(one._values) < 300


@pytest.mark.slow
def test_between_what_is_cheap_and_tangent_planes() -> None:
    """F of z1 z2 + z3^2 at two thirds of the least I - M that is cheap, by the grid all the same."""
    seen = quadratic()._overlaps.seen
    found, axes = seen.overlap_map, seen.where.axes
    assert isinstance(found, LabelMap) and axes is not None
    v = np.array([0.016, 0.04, 0.045])
    matrix = np.eye(3) - (axes * v) @ axes.T
    coarse, fine = (np.diag(axes.T @ found(matrix, level=k) @ axes) * v for k in (0, 1))
    direct = np.diag(axes.T @ found._direct(matrix, 1) @ axes) * v
    assert np.all(np.abs(fine - direct) < np.abs(fine - coarse))
    assert fine == pytest.approx(direct, abs=6e-4)


@pytest.mark.slow
def test_quadratic_form_of_three_coordinates() -> None:
    """z1 z2 + z3^2: one equation for three directions; M = I becomes stable at 3, and attracts there."""
    assert np.array_equal(quadratic().solve(alpha=3.0).overlap, np.eye(3))


@pytest.mark.parametrize("constant", [0.5, 30.0])
def test_the_finer_rule_is_asked_last(constant):
    """m = alpha F/(1 + alpha F) with F = c (1 - m)^(-1/2): m/(1 - m)^(1/2) = alpha c, at 1e-3 from 1 too."""
    asked = []

    def overlap_map(matrix, level):
        asked.append(level)
        error = 1e-5 * (level == 0)
        return np.full((1, 1), constant * (1 + error) / math.sqrt(1 - matrix[0, 0]))

    search = Search(informed=False, tolerance=1e-12, max_steps=400)
    options = {"exact_alpha": lambda: math.inf, "resolution": 1e-6, "partly_exact": False}
    found = fixed_point(overlap_map, commutant_of([np.eye(1)], 1), 1.0, search, **options)
    root = (math.sqrt(constant**2 + 4) - constant) / 2  # of x^2 + c x - 1, x = (1 - m)^(1/2)
    assert found.status is Status.CONVERGED
    assert found.matrix[0, 0] == pytest.approx(1 - root**2, abs=1e-12)
    assert asked.count(1) == 2  # near the end of the coarser one, and at rest


def test_a_step_of_newtons_method_leaves_a_sixteenth() -> None:
    """Of I - M in every direction, where the fixed point of the linear map is a thousand times nearer."""
    m, nearest = np.diag([0.9, 0.99]), np.diag([1 - 1e-6, 1 - 1e-5])

    def overlap_map(matrix: np.ndarray, level: int) -> np.ndarray:
        left = (np.eye(2) - matrix) * 2 / 3 + (np.eye(2) - nearest) / 3
        return np.linalg.inv(left) - np.eye(2)  # the step ends at I - left

    steps = Steps(overlap_map=overlap_map, where=commutant_of([], 2), alpha=1.0, unseen=0.0)
    found = steps.newton(m, steps.rising(m, 0), np.zeros((2, 0)), 1.0, None)
    assert found is not None
    shares = np.diag(np.eye(2) - found) / np.diag(np.eye(2) - m)
    assert shares.min() == pytest.approx(1 / 16, rel=1e-6) and shares.max() < 1


@pytest.mark.parametrize("own", [0.9, 1.2])
def test_a_step_of_newtons_method_turns_beside_a_stable_fixed_point_alone(own: float) -> None:
    """m1 rises still, since m2 is above its rest, yet both rest lower; if m1 grows by itself it leaves."""
    rest, above = np.array([0.5, 0.6]), np.array([2e-4, 4e-4])

    def overlap_map(matrix: np.ndarray, level: int) -> np.ndarray:
        ends = rest + np.array([[own, 0.2], [0.0, 0.5]]) @ (np.diag(matrix) - rest)
        return np.diag(ends / (1 - ends))

    steps = Steps(overlap_map=overlap_map, where=commutant_of([np.diag([1, -1])], 2), alpha=1.0, unseen=0.0)
    m = np.diag(rest + above)
    following = steps.rising(m, 0)
    found = steps.newton(m, following, np.zeros((2, 0)), 1.0, None)
    assert following[0, 0] > m[0, 0] and following[1, 1] < m[1, 1]
    if own > 1:
        assert found is None
    else:
        assert found == pytest.approx(np.diag(rest), abs=1e-9)


def test_what_is_left_of_a_step_is_in_the_error() -> None:
    """m -> 1/2 + 0.9 (m - 1/2), which rests at 1/2, left at a distance of 1e-4."""
    f = lambda m, level: np.full((1, 1), (q := 0.05 + 0.9 * m[0, 0]) / (1 - q))  # noqa: E731
    steps = Steps(overlap_map=f, where=commutant_of([], 1), alpha=1.0, unseen=0.0)
    assert steps.error(np.full((1, 1), 0.5001), 1.0) == pytest.approx(1e-4, rel=1e-4)


def test_a_step_of_newtons_method_beyond_complete_overlap_is_none() -> None:
    """Also where a part of it would end inside: a slow passage leads to no fixed point beyond others."""
    slow = lambda m, level: np.full((1, 1), (q := m[0, 0] + 0.0059 - 0.0146 * (m[0, 0] - 0.6)) / (1 - q))  # noqa: E731
    steps = Steps(overlap_map=slow, where=commutant_of([], 1), alpha=1.0, unseen=0.0)
    m = np.full((1, 1), 0.6)
    assert steps.newton(m, steps.rising(m, 0), np.zeros((1, 0)), 1.0, None) is None


@pytest.mark.slow
def test_complete_overlap_that_grids_do_not_reach() -> None:
    """Two unknowns and one equation for each label: M = I above 2, one overlap 25 times as near to 1."""
    found = StateEvolution("z1**2*z2 + z1").solve(alpha=[2.5, 3.0])
    assert found.status.tolist() == [Status.CONVERGED] * 2
    assert found.overlap == pytest.approx(np.tile(np.eye(2), (2, 1, 1)))
