"""Functions that jump or bend along curves: their exponents and staircases are proved by balls on boxes."""

from __future__ import annotations

import pytest

import hermite_analytics as ha
from hermite_analytics.evidence import Evidence

ROWS = [
    # target, information exponent, staircase, leap decomposition
    ("step(z1 - z2**2)", 1, (0, 1), (1, 2)),
    ("step(z1 - z2**2 - z3**2)", 1, (0, 1), (1, 2)),
    ("step(1 - z1**2 - z2**2)*z1", 1, (0, 1), (1, 2)),
    ("step(z1*z2 - 1)", 2, (0,), (2,)),
    ("norm(z1, 2*z2)*sign(z1)", 1, (0, 1), (1, 2)),
    ("norm(z1, 2*z2)", 2, (0,), (2,)),
    ("softsign(z1*z2)", 2, (0,), (2,)),
    ("clip(z1, -1, 2)*z2 + softsign(z1*z2)", 1, (0, 1, 2), (1, 1)),
]


@pytest.mark.cases(1)
@pytest.mark.parametrize(("text", "exponent", "dimensions", "orders"), ROWS)
def test_steps(text, exponent, dimensions, orders):
    f = ha.Target(text)
    answer = ha.information_exponent(f)
    assert answer == exponent
    assert answer.evidence is Evidence.PROVED
    climbed = ha.staircase(f)
    assert climbed.dimensions == dimensions
    assert climbed.limit_dimension == dimensions[-1]
    assert ha.leap_decomposition(f).orders == orders


def test_noise_inside_a_jump_along_a_curve():
    assert ha.information_exponent("step(z1 - z2**2 + xi)") == 1


def test_a_wide_ball_shows_the_digits_that_it_has():
    before = "C_1 vanishes; c_(1, 1) = "
    reason = ha.information_exponent("softsign(z1*z2)").reason
    assert reason.startswith(f"{before}0.3")
    value, margin = map(float, reason.removeprefix(before).split(" ± "))
    assert abs(value - 0.338140) < margin < 0.1  # by a lattice
    assert len(str(value)) <= 5
