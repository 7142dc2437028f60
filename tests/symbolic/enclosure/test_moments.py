"""Moments and tails of envelopes are upper bounds, and close ones."""

from __future__ import annotations

import mpmath
import pytest
from flint import arb

from hermite_analytics.gaussian.enclosure.envelope import Envelope, EnvelopeTerm, Quadratic
from hermite_analytics.gaussian.enclosure.moments import hermite_mass, moment, norm_1, norm_2, tail, tail_term


def mp(x: arb) -> mpmath.mpf:
    return mpmath.mpf(x.str(15, radius=False))


def truth(power: float, linear: float, square: float, start: float = 0.0) -> mpmath.mpf:
    def weight(t: mpmath.mpf) -> mpmath.mpf:
        return 2 * t**power * mpmath.exp(linear * t + (square - 0.5) * t * t) / mpmath.sqrt(2 * mpmath.pi)

    return mpmath.quad(weight, [start, start + 1, start + 4, start + 10, start + 40, start + 200])


@pytest.mark.parametrize(
    ("power", "linear", "square"),
    [
        (0, 0, 0),
        (3, 0, 0),
        (5, 0, 0.25),
        (2, 1.5, 0),
        (4, 2.5, 0.125),
        (1, -2, 0.125),
        (2, -1, 0.5),
        (0, 0, -1),
    ],
)
def test_moment(power: int, linear: float, square: float) -> None:
    exact = truth(power, linear, square)
    bound = mp(moment(power, arb(linear), arb(square)))
    assert exact <= bound * (1 + mpmath.mpf(10) ** -10)
    assert bound <= 60 * exact
    if linear == 0:
        assert mpmath.almosteq(exact, bound, 1e-9)


@pytest.mark.parametrize("start", [4.0, 9.0])
@pytest.mark.parametrize(("power", "linear", "square"), [(0, 0, 0), (3, 1, 0), (2, -1, 0.5), (6, 0, 0.25)])
def test_tail(power: int, linear: float, square: float, start: float) -> None:
    bound = mp(tail_term(arb(start), power, arb(linear), arb(square)))
    exact = truth(power, linear, square, start)
    assert exact <= bound * (1 + mpmath.mpf(10) ** -10)
    assert bound <= 5 * exact or not mpmath.isfinite(bound)


def test_divergence_is_seen() -> None:
    for linear, square in [(0, 0.5), (1, 0.5), (0, 0.75)]:
        assert not moment(0, arb(linear), arb(square)).is_finite()
        assert not tail_term(arb(9), 0, arb(linear), arb(square)).is_finite()


@pytest.mark.slow
def test_hermite_mass_bounds_the_integral() -> None:
    """int |He_k(x + ib)| phi(x + ib) dx for f = 1, with and without a second moment."""
    width = arb(1)
    one = Envelope.of(arb(1), 1)
    weight = Quadratic(arb(0), (arb(0),), (arb(3) / 10,)).exponential()
    for k in (0, 1, 5, 12):
        for envelope, square in ((one, 0), (weight, 0.3)):
            exact = mpmath.quad(
                lambda x, k=k, square=square: (
                    abs(hermite(k, mpmath.mpc(x, 1))) * mpmath.exp((square - 0.5) * x * x + 0.5)
                ),
                [-30, -5, 0, 5, 30],
            ) / mpmath.sqrt(2 * mpmath.pi * mpmath.factorial(k))
            assert exact <= mp(hermite_mass(envelope, width, k)) * (1 + mpmath.mpf(10) ** -9)


def hermite(k: int, w: mpmath.mpc) -> mpmath.mpc:
    low, high = mpmath.mpf(1), w
    for j in range(1, k):
        low, high = high, w * high - j * low
    return low if k == 0 else high


def test_norms_of_a_sum() -> None:
    zero = (arb(0),)
    envelope = Envelope((EnvelopeTerm({(0,): arb(1), (2,): arb(3)}, zero, zero),))
    assert abs(mp(norm_1(envelope)) - 4) < 1e-9
    assert mpmath.sqrt(1 + 6 + 27) <= mp(norm_2(envelope)) <= 1 + mpmath.sqrt(27) + 1e-9
    assert tail(envelope, arb(6)) < 1e-6
