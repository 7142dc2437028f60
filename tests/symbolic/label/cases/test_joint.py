"""Channels of a coordinate and several signs: sheets on boxes, atoms, what is left once it is known."""

from __future__ import annotations

import numpy as np
import pytest

from hermite_analytics import Target
from hermite_analytics.label.channel import channel_of


@pytest.mark.cases(1)
@pytest.mark.parametrize(
    "text",
    [
        "z1 + sign(z2) + sign(z3)",
        "z1**2 + sign(z1*z2*z3)",
        "abs(z1) + step(z2)*sign(z3)",
        "sign(z1) + z2**3 + step(z3 - 1/2)",
        "(z1 + z2)**2 + sign((z1 - z2)*z3)",
    ],
)
def test_sheets_on_boxes(text):
    """The sheet of the box of v at x is the label."""
    channel = channel_of(text)
    joint, order = channel.joint
    z = np.random.default_rng(0).normal(size=(200, 3))
    w = (z @ channel.rows.T)[:, list(order)]
    places = tuple(np.searchsorted(e, w[:, 1 + k]) - 1 for k, e in enumerate(joint.edges))
    sheet = joint.sheet[places]
    found = [joint.main.sheets[k].value(w[i : i + 1, 0])[0] for i, k in enumerate(sheet)]
    assert found == pytest.approx(Target(text).function("array")(*z.T), abs=1e-12)
    assert joint.tables().sum(axis=0) == pytest.approx(1)


def test_labels_that_are_taken_on_intervals():
    joint, _ = channel_of("relu(z1) + sign(z2) + sign(z3)").joint
    flat = joint.flat_boxes()
    assert flat.values.tolist() == [-2, 0, 2]
    assert flat.label[0].tolist() == [[0, 1], [1, 2]]  # x < 0
    assert np.all(flat.label[1] == -1)  # x > 0: no atoms


@pytest.mark.cases(2)
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("z1**2 + sign(z1*z2*z3)", [(1.0, 2)]),
        ("z1 + sign(z2) + sign(z3)", [(1.0, 3)]),
        ("z1*sign(z2) + sign(z3)", [(1.0, 4)]),
        ("relu(z1)*sign(z2) + sign(z3)", [(0.5, 2), (0.5, 4)]),  # z2 is seen where z1 > 0
        ("z1 + step(z1 - 1)*sign(z2*z3)", [(0.8413447461, 1), (0.1586552539, 2)]),
    ],
)
def test_what_is_left_once_the_coordinate_is_known(text, expected):
    """(probability, number of classes of sheets that agree) of the places of z1."""
    joint, _ = channel_of(text).joint
    found = sorted((p.channel.count, p.probability) for p in joint.known_places())
    assert [count for count, _ in found] == [count for _, count in expected]
    assert [p for _, p in found] == pytest.approx([p for p, _ in expected], abs=1e-9)


@pytest.mark.slow
def test_how_many_coordinates():
    assert channel_of("z1**2 + sign(z1*z2)").joint is None  # level curves of two coordinates
    assert len(channel_of("z1**2 + sign(z2*z3*z4)").joint[0].edges) == 3
    assert channel_of("relu(z1) + sign(z2*z3*z4)").joint is None  # atoms are boxes of four coordinates
