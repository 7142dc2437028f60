"""Labels of a continuous coordinate and several signs, whose overlaps grow together."""

from __future__ import annotations

import functools
import math

import numpy as np
import pytest

from hermite_analytics import Target
from hermite_analytics.errors import UnsupportedExpression
from hermite_analytics.label.cases.values.box_moments import BoxMoments
from hermite_analytics.label.channel import channel_of
from hermite_analytics.numeric import StateEvolution
from hermite_analytics.numeric.bayes.maps.commutant import commutant_of
from hermite_analytics.numeric.bayes.maps.joint_atoms import atoms_square
from hermite_analytics.numeric.bayes.maps.joint_map import JointMap
from hermite_analytics.numeric.bayes.maps.label_map import LabelMap
from hermite_analytics.numeric.bayes.maps.shifted_boxes import ShiftedBoxes
from hermite_analytics.numeric.bayes.state_evolution.iteration import Search
from hermite_analytics.numeric.bayes.state_evolution.joint_point import joint_point
from hermite_analytics.numeric.status import Status

STAIRCASE = "z1**2 + sign(z1*z2*z3)"
LABELS = (
    "z1 + sign(z2) + sign(z3)",
    STAIRCASE,
    "z1*sign(z2) + sign(z3)",
    "abs(z1) + step(z2)*sign(z3)",
    "tanh(z1) + sign(z2)*sign(z3)*z1**2",
    pytest.param("tanh(z1) + sign(z2)/2 + sign(z3)/3", marks=pytest.mark.slow),
    "relu(z1) + sign(z2) + sign(z3)",
)


@functools.cache
def joint_map(text):
    """The channel and its map."""
    channel = channel_of(text)
    return channel, JointMap.of(*channel.joint, channel.symmetries)


def allowed(channel, matrix):
    """The average of M over the symmetries of the label."""
    return np.mean([s.matrix @ matrix @ s.matrix.T for s in channel.symmetries], axis=0)


@pytest.mark.slow
@pytest.mark.parametrize("text", LABELS)
def test_map_by_sampling(text):
    """E[g g^T] over (z, omega, y) with M in general position: 6 entries within 5 standard errors."""
    channel, overlap_map = joint_map(text)
    rng = np.random.default_rng(1)
    axes = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    m = allowed(channel, axes @ np.diag([0.15, 0.4, 0.7]) @ axes.T)
    z = rng.normal(size=(20_000, 3))
    omega = z @ m + rng.normal(size=z.shape) @ np.linalg.cholesky(m - m @ m).T
    order = list(channel.joint[1])
    labels = Target(text).function("array")(*(z @ channel.rows).T)
    moments = channel.at(labels)(omega[:, order], (np.eye(3) - m)[np.ix_(order, order)])
    g = moments.g[:, np.argsort(order)]
    products = g[:, :, None] * g[:, None, :]
    error = products.std(axis=0) / math.sqrt(len(z))
    found = overlap_map(m, level=0)
    assert np.all(np.abs(products.mean(axis=0) - found) < 5 * error + 1e-3 * np.abs(found).max())
    assert overlap_map(m, level=1) == pytest.approx(found, abs=2e-3 * np.abs(found).max())


@pytest.mark.cases(2)
@pytest.mark.parametrize("text", LABELS)
def test_places_have_the_mass_of_the_labels(text):
    channel, overlap_map = joint_map(text)
    nodes = overlap_map.nodes(1)
    assert nodes.weights.sum() == pytest.approx(channel.kind.continuous_probability, abs=1e-8)
    rows = np.arange(len(nodes.place))
    assert np.array_equal(nodes.points[rows, nodes.own], nodes.place)
    for column, j in enumerate(nodes.sheet):  # all preimages have the same label
        there = nodes.present[:, column]
        label = channel.kind.sheets[j].value(nodes.points[there, column])
        assert label == pytest.approx(nodes.labels[there], abs=1e-9)


def test_first_coordinate_alone():
    """Nothing known of the signs: F_11 is that of the sheets, the slope in M_22 = M_33 is their threshold."""
    channel, overlap_map = joint_map(STAIRCASE)
    alone = LabelMap.of_line(channel.kind)
    for m, threshold in ((0.0, None), (0.5, 12.33), (0.9, 3.990)):
        found = overlap_map(np.diag([m, 0.0, 0.0]))
        assert found[0, 0] == pytest.approx(alone(np.array([[m]]))[0, 0], rel=1e-4, abs=1e-12)
        assert found[1:, 1:] == pytest.approx(0, abs=1e-12)
        if threshold is not None:
            slope = overlap_map(np.diag([m, 1e-6, 1e-6]))[1, 1] / 1e-6
            assert 1 / slope == pytest.approx(threshold, abs=6e-3)


def test_signs_once_the_first_coordinate_is_known():
    """M_11 -> 1: F of (z2, z3) is that of sign(z2*z3), within the probability of two preimages close by."""
    _, overlap_map = joint_map(STAIRCASE)
    parity = LabelMap.of_boxes(channel_of("sign(z1*z2)").kind)
    for m in (0.2, 0.6):
        found = overlap_map(np.diag([1 - 1e-5, m, m]))
        assert found[1, 1] == pytest.approx(parity(m * np.eye(2))[0, 0], rel=1e-2)
        assert found[0, 0] == pytest.approx(1e5, rel=1e-2)  # 1/V times the probability of no atom


def test_atoms_by_boxes():
    """The flat part of relu: its labels are boxes of three coordinates."""
    channel, _ = joint_map("relu(z1) + sign(z2) + sign(z3)")
    joint = channel.joint[0]
    boxes = BoxMoments.of_tables(joint.edges, joint.tables(), np.zeros(0, dtype=np.int64))
    m = np.diag([0.5, 0.3, 0.2])
    direct = LabelMap.of_boxes(joint.flat_boxes())(m, level=0)
    assert atoms_square(joint, boxes, m) == pytest.approx(direct, abs=2e-5)


@pytest.mark.slow
def test_interpolated_probabilities():
    channel, _ = joint_map(STAIRCASE)
    joint = channel.joint[0]
    rng = np.random.default_rng(3)
    boxes = BoxMoments.of_tables(joint.edges, joint.tables(), np.zeros(0, dtype=np.int64))
    shifted = ShiftedBoxes(
        boxes=boxes, variance=np.array([[0.4, 0.1], [0.1, 0.2]]), mu=rng.normal(size=(400, 2))
    )
    sheet = rng.integers(0, len(joint.main.sheets), 160)
    moved = 2 * rng.normal(size=(160, 2))
    few = [
        np.concatenate(c)
        for c in zip(*(shifted.moved(sheet[k : k + 80], moved[k : k + 80]) for k in (0, 80)), strict=True)
    ]
    for interpolated, direct in zip(shifted.moved(sheet, moved), few, strict=True):
        assert interpolated == pytest.approx(direct, abs=5e-6)


@pytest.mark.slow
def test_both_ways_along_the_staircase():
    """All coordinates together reach the values of one stage after the other."""
    channel, overlap_map = joint_map(STAIRCASE)
    commutant = commutant_of([s.matrix for s in channel.symmetries], 3)
    stages = StateEvolution(STAIRCASE)
    for alpha, first, later in ((0.5, 0, 0), (1.3, 0.6291434, 0), (3.0, 1, 0.2427062)):
        found = joint_point(
            overlap_map,
            commutant,
            channel.symmetries,
            alpha,
            Search(informed=False, tolerance=1e-9, max_steps=1000),
        )
        assert found.status == Status.CONVERGED
        assert np.diag(found.matrix) == pytest.approx([first, later, later], abs=1e-4)
        assert np.diag(stages.solve(alpha=alpha).overlap) == pytest.approx([first, later, later], abs=1e-6)


@pytest.mark.parametrize(
    ("text", "alpha", "expected"),
    [
        ("z1*sign(z2) + sign(z3)", 3.0, (1, 0.842606, 0.842606)),  # z1 known: both signs are seen
        ("abs(z1) + step(z2)*sign(z3)", 2.0, (1, 0.728298, 0.486264)),  # z3 is seen in half of the samples
        pytest.param(  # z2 is seen in half of the samples
            "relu(z1)*sign(z2) + sign(z3)", 3.0, (1, 0.629998, 0.842606), marks=pytest.mark.slow
        ),
    ],
)
def test_stages_after_the_first_coordinate_is_known(text, alpha, expected):
    """What is left are problems sign(z): their overlaps at alpha, or at alpha times the share of samples."""
    solution = StateEvolution(text).solve(alpha=alpha, start="informed")
    assert solution.status == Status.CONVERGED
    assert np.diag(solution.overlap) == pytest.approx(expected, abs=1e-4)
    assert solution.overlap - np.diag(np.diag(solution.overlap)) == pytest.approx(0, abs=1e-6)


@pytest.mark.slow
def test_overlaps_that_grow_together():
    """A fixed point: M = alpha F (1 + alpha F)^-1, off the diagonal too."""
    model = StateEvolution("z1 + sign(z2) + sign(z3)")
    solution = model.solve(alpha=0.7)
    m = solution.overlap
    assert m == pytest.approx(
        np.array([[0.221644, 0.145106, 0.145106], *[[0.145106, 0.129446, 0.129446]] * 2]), abs=1e-4
    )
    _, overlap_map = joint_map("z1 + sign(z2) + sign(z3)")
    f = 0.7 * overlap_map(m)
    assert np.eye(3) - np.linalg.inv(np.eye(3) + f) == pytest.approx(m, abs=1e-7)
    assert np.linalg.eigvalsh(m)[0] == pytest.approx(0, abs=1e-9)  # z2 - z3 is not found yet
    assert solution.numerical_error < 1e-4
    # a little above: z1 is known, and z2 + z3, then z2 - z3 too
    later = model.solve(alpha=3.0)
    assert later.overlap[0, 0] == 1
    assert np.linalg.eigvalsh(later.overlap[1:, 1:])[0] > 0.4


@pytest.mark.slow
def test_informed_start_agrees_where_there_is_one_fixed_point():
    model = StateEvolution(STAIRCASE)
    solution = model.solve(alpha=0.8, start="informed")
    assert np.diag(solution.overlap) == pytest.approx([0.118484, 0, 0], abs=1e-6)
    assert not model.optimal_overlap(0.8).informed
    assert model.optimal_overlap(1.2).free_entropy_gain == math.inf


def test_what_is_refused_says_why():
    with pytest.raises(UnsupportedExpression, match="has 4 overlaps; curve"):
        StateEvolution("z1 + sign(z2) + sign(z3)").thresholds()


@pytest.mark.slow
def test_rotated_coordinates():
    """z1 + z2 and z1 - z2 for z1 and z2: the same overlaps in other axes."""
    plain = StateEvolution("abs(z1) + sign(z2) + sign(z3)").solve(alpha=1.2).overlap
    turned = StateEvolution("abs(z1 + z2)/sqrt(2) + sign(z1 - z2) + sign(z3)").solve(alpha=1.2).overlap
    axes = np.array([[1, 1, 0], [1, -1, 0], [0, 0, math.sqrt(2)]]) / math.sqrt(2)
    assert turned == pytest.approx(axes.T @ plain @ axes, abs=1e-7)
    assert plain[0, 0] > 0.1 and plain[1, 1] == pytest.approx(plain[2, 2], abs=1e-7)


@pytest.mark.cases(1)
@pytest.mark.parametrize(
    ("text", "alpha_c"),
    [
        (STAIRCASE, 0.5751663523),
        ("z1*(sign(z2) + sign(z3))", 0.7115995609),  # z1*z2 is seen, not z1 or z2 alone
        ("z1*sign(z2)*step(abs(z3) - 1)", 0.9249580392),
        ("z1**3*sign(z2) + sign(z2*z3)", 0.4762898916),  # the density of the label has a peak at -1 and 1
    ],
)
def test_weak_recovery_of_all_together(text, alpha_c):
    """1/alpha_c is the top eigenvalue of M -> E[G M G]; by other quadratures of the label's law."""
    model = StateEvolution(text)
    assert model.weak_recovery() == pytest.approx(alpha_c, abs=2e-9)
    assert model.solve(alpha=0.9 * alpha_c).overlap == pytest.approx(0, abs=1e-12)


@pytest.mark.slow
def test_products_of_the_first_coordinate_with_a_sign_leave_zero_together():
    solution = StateEvolution("z1*(sign(z2) + sign(z3))").solve(alpha=0.9, tolerance=1e-8)
    assert solution.status == Status.CONVERGED
    assert 1e-3 < solution.overlap[0, 0] < 0.3 and 1e-3 < solution.overlap[1, 1] < 0.3
