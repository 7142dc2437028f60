"""State evolution of a label in any unit: the same overlaps and thresholds, errors in its square."""

from __future__ import annotations

import numpy as np
import pytest

from hermite_analytics.label.channel import channel_of
from hermite_analytics.numeric import StateEvolution

# (target, the same in another unit, the unit)
PAIRS = [
    ("z1**2", "10**12+z1**2", 1.0),
    ("He4(z1)", "He4(z1)/10**13", 1e-13),
    ("z1**2+xi", "z1**2/10**8+xi/10**8", 1e-8),
    ("z1*z2", "10**9*z1*z2", 1e9),
    ("z1**2+sign(z1*z2*z3)", "(z1**2+sign(z1*z2*z3))/10**10", 1e-10),
    ("max(z1,z2)-z3", "max(z1,z2)/10**9-z3/10**9", 1e-9),
    ("sign(z1*z2+xi)", "10**10*sign(z1*z2+xi)", 1e10),
    *(
        pytest.param(*pair, marks=pytest.mark.slow)
        for pair in (
            ("step(z1)+step(z2)", "(step(z1)+step(z2))/10**13", 1e-13),
            ("z1*z2", "1+z1*z2/10**8", 1e-8),
            ("z1+z2*z3", "(z1+z2*z3)/10**12", 1e-12),
        )
    ),
]


@pytest.mark.cases(1)
@pytest.mark.draws(5, spread=True)
@pytest.mark.parametrize(("plain", "scaled", "unit"), PAIRS)
def test_another_unit(plain, scaled, unit):
    one, two = StateEvolution(plain), StateEvolution(scaled)
    assert two.weak_recovery() == pytest.approx(one.weak_recovery(), rel=1e-9)
    alpha = [0.4, 1.1]
    found, expected = two.solve(alpha=alpha), one.solve(alpha=alpha)
    np.testing.assert_allclose(found.overlap, expected.overlap, atol=1e-9)
    np.testing.assert_allclose(
        found.test_error, unit**2 * expected.test_error, rtol=1e-8, atol=1e-12 * unit**2
    )


def test_values_that_are_close_are_not_the_same():
    """All four values of (z1 > 0, z2 > 0) are told apart."""
    one, two = (StateEvolution(f"step(z1)+step(z2)/{k}").solve(alpha=1.0) for k in (3, 10**10))
    np.testing.assert_allclose(two.overlap, one.overlap, atol=1e-9)


def test_an_error_beyond_the_range():
    assert StateEvolution("10**200*z1").solve(alpha=0.5).test_error == np.inf
    assert StateEvolution("10**200*z1").solve(alpha=2.0).test_error == 0


def test_a_channel_says_what_it_is_of():
    channel = channel_of("5+(step(z1)+step(z2))/10**13")
    assert (channel.label, channel.offset, channel.scale) == ("step(w1) + step(w2)", 5.0, 1e-13)
    for target, label in (("2*z1**2-1", 7.0), ("10**12+z1**2", 1e12 + 4.0)):
        assert channel_of(target).at(np.array([label])).preimages.points.tolist() == [[2.0, -2.0]]
