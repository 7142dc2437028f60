"""How often each rule is wrong, on synthetic campaigns of five looks.

A rule of level 1 % errs in more than 11 of 300 campaigns or 8 of 150 with probability 1.2e-4 at most
(`make draws` asks 1000: 23); seeds are fixed, so each count below is always the same.
"""

from __future__ import annotations

import numpy as np
import pytest

from hermite_analytics.validation.statistics.decision import Status
from hermite_analytics.validation.statistics.question import Question
from hermite_analytics.validation.statistics.rules import Direction, Limit, Median, Slope, SuccessRate
from tests.validation.rules.repeats import rates

P, F, U = Status.PASSED, Status.FAILED, Status.INCONCLUSIVE
FEW = pytest.param(150, 8, id="few")
MANY = pytest.param(300, 11, id="many", marks=pytest.mark.slow)
MOST = pytest.param(1000, 23, id="most", marks=[pytest.mark.slow, pytest.mark.draws(0)])
several = pytest.mark.parametrize(("repeats", "allowed"), [MANY, MOST])


def success(rate, repeats):
    return rates(
        SuccessRate(threshold=0.5),
        Question(theory=1.0, margin=0.2),
        lambda g, d, n: (g.random(n) < rate).astype(float),
        sizes=(500, 1000),
        start=(40, 40),
        repeats=repeats,
        seed=1,
    )


@pytest.mark.parametrize(("repeats", "allowed"), [FEW, MANY, MOST])
def test_success_rates(repeats, allowed):
    assert success(0.97, repeats)[P] > 0.98
    edge = success(0.8, repeats)
    assert edge[P] * repeats <= allowed and edge[F] * repeats <= allowed
    assert success(0.7, repeats)[F] > 0.98 and success(0.5, repeats)[F] == 1


def basins(shift):
    """Three basins of weights 0.2, 0.6, 0.2: the mean says little, the median is that of the middle one."""

    def draw(g, d, n):
        place = np.digitize(g.random(n), [0.2, 0.4])
        return 1 + shift + np.array([-3.0, 3.0, 0.0])[place] + 0.1 * g.standard_normal(n)

    return draw


def median(shift, repeats):
    return rates(
        Median(),
        Question(theory=1.0, margin=0.1),
        basins(shift),
        sizes=(100, 200),
        start=(16, 16),
        repeats=repeats,
        seed=2,
    )


@pytest.mark.slow
@several
def test_medians(repeats, allowed):
    assert median(0.0, repeats)[P] > 0.98
    for side in (-0.1, 0.1):
        edge = median(side, repeats)
        assert edge[P] * repeats <= allowed and edge[F] * repeats <= allowed
    assert median(0.2, repeats)[F] > 0.98


def slope(exponent, repeats):
    return rates(
        Slope(),
        Question(theory=-1.0, margin=0.15),
        lambda g, d, n: d**exponent * np.exp(0.2 * g.standard_normal(n)),
        sizes=(100, 200, 400),
        start=(8, 8, 8),
        repeats=repeats,
        seed=3,
    )


@pytest.mark.slow
@several
def test_slopes(repeats, allowed):
    assert slope(-1.0, repeats)[P] > 0.9
    for side in (-1.15, -0.85):
        edge = slope(side, repeats)
        assert edge[P] * repeats <= allowed and edge[F] * repeats <= allowed
    wrong = slope(-0.5, repeats)
    assert wrong[F] > 0.95 and wrong[P] == 0


def direction(theory, mean, repeats, *, spread):
    """Signals of mean S(d) = mean(d) beside 200 controls that are squared cosines of random directions."""

    def draw(g, d, n):
        samples = g.chisquare(1, (n, 201)) / d
        samples[:, 0] = mean(d) * (1 + spread * g.standard_normal(n) if spread < 1 else g.chisquare(1, n))
        return samples

    return rates(
        Direction(),
        Question(theory=theory, margin=0.5),
        draw,
        sizes=(256, 512),
        start=(8, 8),
        repeats=repeats,
        seed=4,
    )


@pytest.mark.slow
@pytest.mark.parametrize("theory", [0.0, 1.0])
@pytest.mark.parametrize(("repeats", "allowed"), [FEW, MOST])
def test_directions(theory, repeats, allowed):
    right, wrong = (P, F) if theory else (F, P)
    learned = direction(theory, lambda d: 0.05, repeats, spread=0.2)
    assert learned[right] == 1
    null = direction(theory, lambda d: 1 / d, repeats, spread=1)
    assert null[wrong] > 0.9 and null[right] == 0
    # A signal of 5/d is the edge of what counts as not learned.
    edge = direction(theory, lambda d: 5 / d, repeats, spread=1)
    assert edge[wrong] * repeats <= allowed and edge[right] * repeats <= allowed


def heavy(scale, factor, repeats):
    """exp of Student's t with four degrees of freedom: the mean of many seeds still jumps."""
    return rates(
        Limit(scale=scale),
        Question(theory=1.0, margin=0.15),
        lambda g, d, n: factor * np.exp(2 / d + 0.25 * g.standard_t(4, n) / np.sqrt(2)),
        sizes=(100, 160, 240),
        start=(40, 28, 16),
        repeats=repeats,
        seed=5,
    )


@pytest.mark.slow
@several
def test_heavy_tails_on_a_logarithmic_scale(repeats, allowed):
    assert heavy("log", 1.0, repeats)[P] > 0.9
    for factor in (1.15, 1 / 1.15):
        edge = heavy("log", factor, repeats)
        assert edge[P] * repeats <= allowed and edge[F] * repeats <= allowed
    assert heavy("log", 1.4, repeats)[F] > 0.9
