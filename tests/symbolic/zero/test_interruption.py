"""Time that ends inside the algebra of zeros: `TimeEnded`, and nothing wrong or poorer is remembered.

The limits count how often they are asked instead of measuring time.
"""

from __future__ import annotations

import pytest
import sympy
from sympy import Rational, asin, exp, sign, sqrt, tanh

from hermite_analytics.foundation.clock import TimeEnded, allowed, check_time, within
from hermite_analytics.gaussian.zero import decide_constant, symmetries, symmetry, symmetry_certificate
from hermite_analytics.gaussian.zero.monomials import OutOfReach
from hermite_analytics.gaussian.zero.own_time import own_time
from hermite_analytics.symbols import variable
from tests.symbolic.ticks import Ticks

Z = z1, z2, z3 = tuple(variable(i) for i in (1, 2, 3))
HARD = {
    "permutations": sign(z1 + z2) * sign(z2 + z3) * sign(z1 + z3) * tanh(z1 * z2 * z3),
    "rotations": sign(z1) * sign(z1**2 - 3 * z2**2),
    "forms": sign(z1 + 2 * z2) * sign(2 * z1 - z2) * exp(-((z1 + 2 * z2) ** 2)) + z3,
    "waves": sympy.sin(z1 + z2) ** 3 * tanh(z1 - z2 / 2) * z3,
}
INDICES = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (2, 0, 0), (1, 1, 1), (2, 1, 0)]


def forget() -> None:
    symmetry._read.cache_clear()
    symmetry._search.cache_clear()


def answers(expr: sympy.Expr) -> list[object]:
    """Everything that is said of an expression."""
    found = [(str(isometry.matrix), character) for isometry, character in symmetries(expr, Z)]
    return [found, *(str(symmetry_certificate(expr, Z, index)) for index in INDICES)]


@pytest.mark.slow
@pytest.mark.parametrize("name", HARD)
def test_an_interrupted_search_goes_on_to_the_same_end(name: str) -> None:
    forget()
    clock = Ticks(10**9)
    with within(clock):
        wanted = answers(HARD[name])
    assert clock.asked > 100
    for share in (0.001, 0.01, 0.1, 0.4, 0.8):
        forget()
        short = Ticks(max(1, int(share * clock.asked)))
        with pytest.raises(TimeEnded), within(short):
            answers(HARD[name])
        assert short.left >= -1  # nothing went on after the end, which is looked at once more
        assert answers(HARD[name]) == wanted


def test_several_short_limits_end_like_one_long_one() -> None:
    forget()
    clock = Ticks(10**9)
    with within(clock):
        wanted = answers(HARD["permutations"])
    forget()
    stopped = 0
    for share in (0.0, *[0.01] * 20, *[0.75] * 3):
        try:
            with within(Ticks(max(1, int(share * clock.asked)))):
                found = answers(HARD["permutations"])
        except TimeEnded:
            stopped += 1
    assert stopped >= 21
    assert found == wanted  # no limit was long enough for all of it


def test_a_constant_may_be_left_open() -> None:
    value = asin(Rational(1, 3)) + asin(2 * sqrt(2) / 3) - sympy.pi / 2
    assert decide_constant(value).zero
    with pytest.raises(TimeEnded), within(Ticks(1)):
        decide_constant(value)


def test_whose_time_ended() -> None:
    with pytest.raises(OutOfReach, match="more time"), own_time(1e-9):
        check_time()
    with pytest.raises(TimeEnded), within(Ticks(1)), own_time(10):
        check_time()
    with pytest.raises(TimeEnded), within(Ticks(2)), own_time(1e-9):
        check_time()
    with pytest.raises(TimeEnded), allowed(1e-9), own_time(10):  # a caller with more time may reach it
        check_time()


def test_what_there_was_no_time_for_is_not_out_of_reach() -> None:
    forget()
    with pytest.raises(TimeEnded), allowed(1e-9):
        answers(HARD["rotations"])
    assert len(answers(HARD["rotations"])[0]) > 2
