"""Curves whose points take long: a piece at a time, none of them solved twice, together the whole curve."""

from __future__ import annotations

import numpy as np
import pytest

from hermite_analytics.explorer.curves import Found
from hermite_analytics.explorer.pointwise import in_pieces, takes_long
from hermite_analytics.numeric import RandomFeatures

ASKED = {
    "activation": "tanh", "target": "sign(z1)", "loss": "huber:1", "beta": 0.5, "ridge": 0.2, "noise": 0.1,
    "alpha_from": 0.5, "alpha_to": 4, "points": 7,
}  # fmt: skip


def counted(solved):
    """A solver that notes where it was asked, and has x^2."""

    def solve(values, x):
        solved.extend(x.tolist())
        return Found(
            curves={"test_error": x**2}, statuses=["converged"], levels={"floor": 3.0}, source="here"
        )

    return solve


def test_one_point_a_piece_from_the_ends_inwards():
    solved, values = [], {"model": "test of pieces", "alpha_to": 9.0}
    seen = []
    for missing in (4, 3, 2, 1, 0, 0):
        found, left = in_pieces(counted(solved), values, [1.0, 2.0, 3.0, 4.0, 5.0], 0.0)
        assert left == missing and found.levels == {"floor": 3.0} and found.source == "here"
        assert found.abscissa == sorted(solved) and found.curves["test_error"].tolist() == [
            x**2 for x in sorted(solved)
        ]
        seen.append(len(found.statuses))
    assert solved == [1.0, 5.0, 3.0, 2.0, 4.0] and seen == [1, 2, 3, 4, 5, 5]


def test_another_range_keeps_its_points_and_another_question_does_not():
    solved, values = [], {"model": "test of ranges", "ridge": 0.1, "alpha_to": 9.0, "points": 3.0}
    in_pieces(counted(solved), values, [1.0, 2.0, 3.0], np.inf)
    found, left = in_pieces(counted(solved), {**values, "alpha_to": 8.0}, [2.0, 3.0, 4.0], np.inf)
    assert solved == [1.0, 3.0, 2.0, 4.0] and left == 0 and found.abscissa == [2.0, 3.0, 4.0]
    in_pieces(counted(solved), {**values, "ridge": 0.2}, [2.0], np.inf)
    assert solved[-1] == 2.0 and len(solved) == 5


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ({"ridge_choice": "as set", "loss": "square"}, False),
        ({"ridge_choice": "optimal", "loss": "square"}, True),
        ({"ridge_choice": "as set", "loss": "logistic"}, True),
        ({"ridge_choice": "optimal"}, True),
        ({"ridge_choice": "as set"}, False),
        ({"loss": "logistic"}, False),  # full-batch descent: all steps are one computation
    ],
)
def test_what_takes_long(values, expected):
    assert takes_long(values) is expected


def test_the_pieces_are_the_curve_of_the_solver(get):
    while (document := get("curve/random-features", **ASKED).document)["missing"]:
        assert document["abscissa"]["values"] and document["not_converged"] == 0
    alpha = document["abscissa"]["values"]
    whole = RandomFeatures("tanh", "sign(z1)", loss="huber:1").solve(
        alpha=alpha, beta=0.5, ridge=0.2, noise=0.1
    )
    assert document["curves"]["test_error"] == pytest.approx(whole.test_error, rel=1e-9)
    assert document["levels"]["linear_floor"] == pytest.approx(float(whole.linear_floor))
