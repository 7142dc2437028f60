"""Stated errors of test errors: E f(z) f(z') = sum_n m^(2n) c_n^2 for a function of x = |z|^2/2.

The c_n are those of Laguerre's polynomials, for z in the plane and correlations m: of log x they are -1/n, of
x^a Gamma(a + 1) (-a)_n/n!.
"""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest
from scipy.special import gammaln, ndtr

from hermite_analytics.label.channel import channel_of
from hermite_analytics.numeric import StateEvolution
from hermite_analytics.numeric.bayes.state_evolution import posterior_mean
from hermite_analytics.numeric.bayes.state_evolution.posterior_mean import (
    regression_error,
    regression_error_within,
)


def power(a: float, n: np.ndarray) -> np.ndarray:
    """|c_n|, n >= 1, of (2 x)^a for 0 < a < 1."""
    return 2**a * math.gamma(a + 1) * a * np.exp(gammaln(n - a) - gammaln(n + 1)) / math.gamma(1 - a)


OF_NORMS = {"log(z1**2 + z2**2)": lambda n: 1 / n, "sqrt(norm(z1, z2))": lambda n: power(0.25, n)}


@pytest.mark.arrays
@pytest.mark.parametrize("m", [0.0, 0.2, 0.7, 0.95])
@pytest.mark.parametrize("text", OF_NORMS)
def test_errors_beside_a_singular_point(text: str, m: float) -> None:
    """log|z|^2 was 1e-3 off at m = 0.2, with nothing that said so."""
    n = np.arange(1.0, 4e5)
    exact = float(np.sum((1 - m ** (2 * n)) * OF_NORMS[text](n) ** 2))
    found, error = regression_error_within(channel_of(text).regression, m * np.eye(2), 0.0)
    assert abs(found - exact) <= error + 1e-5 * exact  # what is left of the sum
    assert error < 4e-3 * exact


@pytest.mark.parametrize("text", ["He2(z1)", "z1*z2"])
def test_errors_of_overlaps_enter(text: str) -> None:
    """1 - m^2 times E f^2: an overlap off by e moves it by 2 m e."""
    m, off, square = 0.6, 1e-3, 1 if "z1*z2" in text else 2
    channel = channel_of(text)
    found, error = regression_error_within(channel.regression, m * np.eye(len(channel.rows)), off)
    assert found == pytest.approx(square * (1 - m * m), abs=1e-9)
    assert 2 * m * off * square <= error <= 2.01 * (m + off) * off * square


def test_errors_beside_complete_overlap(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is not resolved there, and may be 0."""
    monkeypatch.setattr(posterior_mean, "regression_error", lambda regression, matrix: 1e-5)
    regression = dataclasses.replace(channel_of("z1**2").regression, terms=None)  # as labels of no products
    assert regression_error_within(regression, np.diag([1 - 1e-5]), 0.0) == (1e-5, 1e-5)


def test_solutions_state_them() -> None:
    found = StateEvolution("z1**2").solve(alpha=[0.3, 0.6, 1.2])
    assert found.test_error[0] == pytest.approx(2, abs=1e-9) and found.test_error[2] == 0
    m = found.overlap[1].item()
    assert abs(found.test_error[1] - 2 * (1 - m * m)) <= found.error_of_test_error[1] < 1e-6
    assert "error_of_test_error" in found.records()[1]
    infinite = StateEvolution("exp(z1**2/3)").solve(alpha=0.2)
    assert math.isinf(infinite.test_error) and math.isnan(infinite.error_of_test_error)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("overlaps", "within"),
    [((0.7, 0.5), 1e-12), ((0.99, 0.5), 1e-12), ((0.99997, 0.99997), 2e-4), ((0.99997, 0.5), 1e-3)],
)
def test_a_plane_near_complete_overlap(overlaps: tuple[float, float], within: float) -> None:
    """E f f' = (2/pi)^2 asin(m_1) asin(m_2) of f = sign(z1 z2), taken as a label that is no product."""
    regression = channel_of("sign(z1*z2)").regression
    assert regression.breaks is not None
    plane = dataclasses.replace(regression, terms=None)
    exact = 1 - math.prod(2 / math.pi * math.asin(m) for m in overlaps)
    assert regression_error(plane, np.diag(overlaps)) == pytest.approx(exact, abs=within)
    assert regression_error(plane, np.diag(overlaps), level=0) == pytest.approx(exact, abs=max(within, 5e-9))


def stair(m: float, ends: np.ndarray, values: np.ndarray) -> float:
    """E f^2 - E f(z) f(z') of a function of steps, by the chances of pairs of intervals."""
    x, w = np.polynomial.legendre.leggauss(24)
    edges = np.concatenate([[-9.0], ends, [9.0]])
    knots = np.unique(np.concatenate([np.linspace(-9, 9, 145), ends]))
    z = knots[:-1, None] + np.diff(knots)[:, None] * (1 + x) / 2
    p = np.diff(knots)[:, None] * w / 2 * np.exp(-z * z / 2) / math.sqrt(2 * math.pi)
    f = values[np.searchsorted(ends, z)]
    chances = np.diff(ndtr((edges - m * z[..., None]) / math.sqrt(1 - m * m)), axis=-1)
    return float((p * f * (f - chances @ values)).sum())


@pytest.mark.arrays
@pytest.mark.parametrize("m", [0.3, 0.83, 0.97])
def test_errors_of_a_floor(m: float) -> None:
    """Of all its steps at once: in pairs of them they took a hundred times as long."""
    regression = channel_of("floor(abs(z1))").regression
    assert regression is not None and sum(bool(term.factors) for term in regression.terms or ()) == 1
    ends = np.array([*range(-8, 0), *range(1, 9)], dtype=float)
    expected = stair(m, ends, np.abs(np.arange(-8, 9)).astype(float))
    found, error = regression_error_within(regression, np.array([[m]]), 0.0)
    assert abs(found - expected) <= error + 1e-9


@pytest.mark.slow
@pytest.mark.arrays
def test_errors_of_a_floor_beside_a_sign() -> None:
    """E s s' is 2 asin(m)/pi: the steps of floor(|z1|) and sign(z2) are two factors of one product."""
    channel = channel_of("sign(z2)*floor(abs(z1)) + z2")
    assert channel.regression is not None and len(channel.regression.terms or ()) == 2
    m, n = 0.6, 0.4
    ends = np.array([*range(-8, 0), *range(1, 9)], dtype=float)
    heights = np.abs(np.arange(-8, 9)).astype(float)
    square = stair(0.0, ends, heights)  # the variance
    mean = float(np.diff(ndtr(np.concatenate([[-9.0], ends, [9.0]]))) @ heights)
    whole = square + mean**2
    alike = whole - stair(m, ends, heights)
    sign = 2 * math.asin(n) / math.pi
    across = 2 * mean * math.sqrt(2 / math.pi) * (1 - n)  # 2 E|.| E s(z2) z2'
    expected = whole - alike * sign + (1 - n) + across
    found, error = regression_error_within(
        channel.regression, channel.rows @ np.diag([m, n]) @ channel.rows.T, 0.0
    )
    assert abs(found - expected) <= error + 1e-9


@pytest.mark.arrays
@pytest.mark.parametrize("gap", [1e-3, 1e-5, 1e-8, 1e-12])
def test_steps_and_kinks_beside_complete_overlap(gap: float) -> None:
    """sign: 1 - 2 asin(m)/pi; |z|: 1 - 2 (sqrt(1 - m^2) + m asin(m))/pi, with acos and terms in the gap."""
    m = 1 - gap
    gap = 1 - m
    angle = 2 * math.asin(math.sqrt(gap / 2))
    root = math.sqrt(gap * (1 + m))
    exact = {"sign(z1)": 2 * angle / math.pi, "abs(z1)": gap - 2 * (root - m * angle) / math.pi}
    for text, expected in exact.items():
        found, error = regression_error_within(channel_of(text).regression, np.array([[m]]), 0.0)
        assert abs(found - expected) <= error + 3e-14
        assert error < 1e-9


def test_overlaps_that_count_as_one() -> None:
    """Of no product they have the test error 0, with what it is 5e-5 from 1 as its error."""
    regression = dataclasses.replace(channel_of("sign(z1)").regression, terms=None)
    gap = 1e-9
    found, error = regression_error_within(regression, np.array([[1 - gap]]), 0.0)
    assert found == 0 and 2 * math.sqrt(2 * gap) / math.pi < error < 0.02


@pytest.mark.arrays
def test_rounding_off_the_diagonal() -> None:
    """A product of steps: E s s' E t t', each P(both) for correlated normals; 8e-4 with error 0 was said."""
    gaps, c = (1.41e-7, 8.61e-8), 1 / 3
    regression = channel_of("step(z1)*step(z2-1/3)").regression
    matrix = np.diag([1 - g for g in gaps]) + 3e-11 * (np.ones((2, 2)) - np.eye(2))
    found, error = regression_error_within(regression, matrix, 0.0)
    # P(z > c) - P(z > c, z' > c) = int_m^1 exp(-c^2/(1 + r))/(2 pi sqrt(1 - r^2)) dr, by Plackett
    lost = [
        math.exp(-c0 * c0 / 2) * math.sqrt(2 * g) / (2 * math.pi)
        for c0, g in zip((0.0, c), gaps, strict=True)
    ]
    first, second = 0.5, float(ndtr(-c))
    expected = first * second - (first - lost[0]) * (second - lost[1])
    assert abs(found - expected) <= error < 1e-7


@pytest.mark.arrays
@pytest.mark.parametrize("gap", [0.5, 1e-3, 3e-5])
def test_what_is_off_the_diagonal_counts(gap: float) -> None:
    """z1 z2 + z1 + z2: E f f' = m^2 + n^2 + 2 m + 2 n with n off the diagonal, here up to gap/1200."""
    n = gap / 1200
    regression = channel_of("z1*z2 + z1 + z2").regression
    rows = channel_of("z1*z2 + z1 + z2").rows
    matrix = rows @ ((1 - gap - n) * np.eye(2) + n) @ rows.T
    m = 1 - gap
    found, error = regression_error_within(regression, matrix, 0.0)
    assert abs(found - (3 - m * m - n * n - 2 * m - 2 * n)) <= error + 1e-9
