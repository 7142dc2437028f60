"""A clock that ends inside the algebra of zeros: `TimeEnded`, and nothing wrong or poorer is remembered.

The clocks count how often they are asked instead of measuring time.
"""

from __future__ import annotations

import pytest
import sympy
from sympy import Rational, asin, exp, sign, sqrt, tanh

from hermite_analytics.foundation.clock import TimeEnded, check_time, limited
from hermite_analytics.gaussian.zero import decide_constant, symmetries, symmetry, symmetry_certificate
from hermite_analytics.gaussian.zero.monomials import OutOfReach
from hermite_analytics.gaussian.zero.own_time import own_time
from hermite_analytics.symbols import variable

Z = z1, z2, z3 = tuple(variable(i) for i in (1, 2, 3))
HARD = {
    "permutations": sign(z1 + z2) * sign(z2 + z3) * sign(z1 + z3) * tanh(z1 * z2 * z3),
    "rotations": sign(z1) * sign(z1**2 - 3 * z2**2),
    "forms": sign(z1 + 2 * z2) * sign(2 * z1 - z2) * exp(-((z1 + 2 * z2) ** 2)) + z3,
    "waves": sympy.sin(z1 + z2) ** 3 * tanh(z1 - z2 / 2) * z3,
}
INDICES = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (2, 0, 0), (1, 1, 1), (2, 1, 0)]


class Ticks:
    """A clock that ends after it was asked `left` times."""

    def __init__(self, left: int) -> None:
        self.left, self.asked = left, 0

    def has_ended(self) -> bool:
        self.asked, self.left = self.asked + 1, self.left - 1
        return self.left <= 0


def forget() -> None:
    symmetry._read.cache_clear()
    symmetry._search.cache_clear()


def answers(expr: sympy.Expr) -> list[object]:
    """Everything that is said of an expression."""
    found = [(str(isometry.matrix), character) for isometry, character in symmetries(expr, Z)]
    return [found, *(str(symmetry_certificate(expr, Z, index)) for index in INDICES)]


@pytest.mark.parametrize("name", HARD)
def test_an_interrupted_search_goes_on_to_the_same_end(name: str) -> None:
    forget()
    clock = Ticks(10**9)
    with limited(clock):
        wanted = answers(HARD[name])
    assert clock.asked > 100
    for share in (0.001, 0.01, 0.1, 0.4, 0.8):
        forget()
        short = Ticks(max(1, int(share * clock.asked)))
        with pytest.raises(TimeEnded), limited(short):
            answers(HARD[name])
        assert short.left >= -1  # nothing went on after the end, which is looked at once more
        assert answers(HARD[name]) == wanted


def test_several_short_clocks_end_like_one_long_one() -> None:
    forget()
    clock = Ticks(10**9)
    with limited(clock):
        wanted = answers(HARD["permutations"])
    forget()
    stopped = 0
    for share in (0.0, *[0.01] * 20, *[0.75] * 3):
        try:
            with limited(Ticks(max(1, int(share * clock.asked)))):
                found = answers(HARD["permutations"])
        except TimeEnded:
            stopped += 1
    assert stopped >= 21
    assert found == wanted  # no clock was long enough for all of it


def test_a_constant_may_be_left_open() -> None:
    value = asin(Rational(1, 3)) + asin(2 * sqrt(2) / 3) - sympy.pi / 2
    assert decide_constant(value).zero
    with pytest.raises(TimeEnded), limited(Ticks(1)):
        decide_constant(value)


def test_whose_clock_ended() -> None:
    with pytest.raises(OutOfReach, match="more time"), own_time(Ticks(1)):
        check_time()
    with pytest.raises(TimeEnded), limited(Ticks(1)), own_time(Ticks(10)):
        check_time()
    with pytest.raises(TimeEnded), limited(Ticks(2)), own_time(Ticks(1)):
        check_time()
