"""The Box-Muller transform against 40 digits, and the normals against the normal distribution."""

import mpmath
import numpy as np
import pytest
import scipy.stats

from hermite_analytics.numeric.simulator.normals import box_muller
from hermite_analytics.numeric.simulator.streams import GaussianStream, Purpose


def exact_pair(radius_word, angle_word):
    with mpmath.workdps(40):
        u, v = ((mpmath.mpf(int(word)) + mpmath.mpf(1) / 2) / 2**32 for word in (radius_word, angle_word))
        r = mpmath.sqrt(-2 * mpmath.log(u))
        return r * mpmath.cospi(2 * v), r * mpmath.sinpi(2 * v)


def edge_words():
    """Both ends of (0, 1), the places where the reductions change branch, and their neighbours."""
    eighths = [k << 29 for k in range(8)]
    roots = [int(2**32 * 2.0 ** (-0.5 - k)) for k in range(4)]
    around = [w + s for w in [*eighths, *roots] for s in (-1, 0, 1)]
    return np.array([w for w in [*around, 2**32 - 1, 2**32 - 2] if 0 <= w < 2**32], dtype=np.uint64)


def test_box_muller_is_within_1e_14_of_the_exact_transform():
    random = np.random.default_rng(7)
    edges = edge_words()
    radius = np.concatenate(
        [np.repeat(edges, edges.size), random.integers(2**32, size=1500, dtype=np.uint64)]
    )
    angle = np.concatenate([np.tile(edges, edges.size), random.integers(2**32, size=1500, dtype=np.uint64)])
    first, second = np.empty((2, radius.size))
    exact = [exact_pair(k, m) for k, m in zip(radius, angle, strict=True)]
    box_muller(radius.copy(), angle.copy(), first, second)
    worst = max(
        max(abs(a - x), abs(b - y))
        for (x, y), a, b in zip(exact, first.tolist(), second.tolist(), strict=True)
    )
    assert worst < 2e-15


def test_largest_modulus():
    first, second = np.empty((2, 1))
    box_muller(np.array([0], np.uint64), np.array([0], np.uint64), first, second)
    assert first[0] == pytest.approx(np.sqrt(66 * np.log(2)), rel=1e-9)  # 6.763


# One fixed seed: these either always pass or always fail. The rates are those of a correct generator over the
# choice of the seed: 6e-6 a moment (4.5 standard deviations), 1e-4 a Kolmogorov-Smirnov test.
MOMENT_BOUND = 4.5
SMALLEST_P_VALUE = 1e-4


def sample():
    return GaussianStream(seed=11, purpose=Purpose.STEP_DATA).normals(5000, 80)


def test_moments():
    x = sample().ravel()
    # variances of x, x^2, x^3, x^4: 1, 2, 15, 96
    for power, mean, variance in ((1, 0, 1), (2, 1, 2), (3, 0, 15), (4, 3, 96)):
        deviation = (np.mean(x**power) - mean) / np.sqrt(variance / x.size)
        assert abs(deviation) < MOMENT_BOUND


def test_distribution_of_every_column_of_a_block():
    x = sample()
    for column in range(4):
        assert scipy.stats.kstest(x[:, column::4].ravel(), "norm").pvalue > SMALLEST_P_VALUE


def test_columns_rows_seeds_purposes_steps_and_streams_are_uncorrelated():
    base = GaussianStream(seed=11, purpose=Purpose.STEP_DATA)
    x = base.normals(2000, 40)
    others = [
        GaussianStream(seed=12, purpose=Purpose.STEP_DATA).normals(2000, 40),
        GaussianStream(seed=11, purpose=Purpose.READOUT_DATA).normals(2000, 40),
        base.normals(2000, 40, step=1),
        base.normals(2000, 40, stream=1),
        base.normals(2000, 40, first_row=1),
        np.roll(x, 1, axis=1),
        np.roll(x, 2, axis=1),
    ]
    for other in others:
        for p, q in ((x, other), (x**2 - 1, (other**2 - 1) / 2)):  # products of variance 1
            assert abs(np.mean(p * q)) * np.sqrt(x.size) < MOMENT_BOUND
