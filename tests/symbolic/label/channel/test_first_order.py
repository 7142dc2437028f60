"""The order at which a label shows the coordinates of its channel, proved and not read off a quadrature."""

from __future__ import annotations

import math

import pytest

from hermite_analytics.label.channel import channel_of
from hermite_analytics.numeric import StateEvolution


@pytest.mark.cases(3)
@pytest.mark.parametrize(
    ("text", "order"),
    [
        ("z1**3 - 3*z1", 1),
        ("z1**2 + xi", 2),
        ("sign(z1*(z1**2 - 2*log(2)))", 3),
        ("z1**2*exp(-z1**2)", 4),
        ("sign(z1*z2*z3)", 3),
        ("z1**2 + sign(z1*z2*z3)", 2),
        ("xi", math.inf),
    ],
)
def test_first_order(text, order):
    assert channel_of(text).first_order == order


@pytest.mark.slow
def test_a_label_of_high_order_is_not_weakly_recovered_at_any_ratio():
    assert StateEvolution("z1**2*exp(-z1**2)").thresholds().weak_recovery == math.inf
