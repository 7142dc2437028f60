"""One coordinate that is known exactly, beside another: nested quadrature over both, written out here."""

from __future__ import annotations

import functools
import math

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.special import log_ndtr, ndtr

from hermite_analytics.label.channel import channel_of
from hermite_analytics.numeric import StateEvolution
from hermite_analytics.numeric.bayes.state_evolution.known_coordinate import KnownCoordinate, KnownCoordinates
from hermite_analytics.numeric.status import Status


def normal_density(x):
    return np.exp(-0.5 * x * x) / math.sqrt(2 * math.pi)


def legendre(low, high, count):
    nodes, weights = np.polynomial.legendre.leggauss(count)
    return low + (high - low) * (nodes + 1) / 2, weights * (high - low) / 2


def normal_grid(count):
    t = np.linspace(-9, 9, count)
    return t, (t[1] - t[0]) * normal_density(t)


def of_maximum(wall, m):
    """F of w for y = max(wall(x), w) and a known x, wall even: w itself above the wall, else w < wall.

    Above it g_out = (w - omega)/V with omega = m w + sqrt(m V) xi; below it g_out^2 Z = phi(u)^2/Phi(u)/V.
    """
    x, p = legendre(0.0, 9.0, 160)
    p = 2 * p * normal_density(x)
    a = wall(x)
    above = ndtr(-a) + a * normal_density(a) + m / (1 - m) * ndtr(-a)
    t, q = normal_grid(801)
    u = (a[:, None] - math.sqrt(m) * t) / math.sqrt(1 - m)
    below = np.exp(-u * u - math.log(2 * math.pi) - log_ndtr(u)) @ q / (1 - m)
    return float(p @ (above + below))


def of_parabola(m):
    """F of w for y = max(x, w^2 - 1): w up to its sign where |w| > sqrt(1 + x), else that it is inside."""
    size = math.sqrt(1 - m)
    u, p = legendre(0.0, 3.2, 120)  # x = u^2 - 1
    edges = [(0.0, float(ndtr(-1.0))), *zip(u, 2 * u * p * normal_density(u * u - 1), strict=True)]
    t, q = normal_grid(181)
    total = 0.0
    for edge, weight in edges:
        w, r = legendre(edge, edge + 9, 80)
        omega = m * w[:, None] + math.sqrt(m) * size * t
        g = (w[:, None] * np.tanh(w[:, None] * omega / size**2) - omega) / size**2
        found = 2 * (r * normal_density(w)) @ (g * g) @ q
        up, down = (edge - math.sqrt(m) * t) / size, (-edge - math.sqrt(m) * t) / size
        inside = ndtr(up) - ndtr(down)
        slope = (normal_density(down) - normal_density(up)) / size
        total += weight * (found + q @ np.where(inside > 1e-13, slope**2 / np.maximum(inside, 1e-13), 0.0))
    return float(total)


def of_gate(m):
    """F of w for y = x 1{x + w > 0}: whether w > -x is seen."""
    x, p = legendre(-9.0, 9.0, 300)
    t, q = normal_grid(801)
    u = (x[:, None] + math.sqrt(m) * t) / math.sqrt(1 - m)
    terms = np.exp(-u * u - math.log(2 * math.pi) - log_ndtr(u) - log_ndtr(-u)) / (1 - m)
    return float((p * normal_density(x)) @ terms @ q)


def fixed_point(overlap_map, alpha, low=0.2, high=0.995):
    def excess(m):
        f = alpha * overlap_map(m)
        return f / (1 + f) - m

    return brentq(excess, low, high, xtol=1e-13)


@functools.cache
def model_of(target):
    """Prepared once; its maps beside a known coordinate are kept."""
    return StateEvolution(target)


def known_map(target, direction):
    channel = channel_of(target, equivalent=True)
    found = KnownCoordinates(channel=channel)(np.array(direction, dtype=float)[:, None])
    assert isinstance(found, KnownCoordinate)
    return found


@pytest.mark.slow
@pytest.mark.parametrize(
    ("target", "wall", "alphas"),
    [
        ("max(z1**2,z2)", np.square, [2.0, 3.0]),
        pytest.param(  # the path of the first
            "max(abs(z1)**3,z2)", lambda x: x**3, [2.5], marks=[pytest.mark.slow, pytest.mark.draws(0)]
        ),
    ],
)
def test_the_larger_of_a_power_and_a_coordinate(target, wall, alphas):
    """The labels of the power give z1, those of z2 give z2: z1 is known above alpha = 1/P(the power)."""
    solution = model_of(target).solve(alpha=alphas)
    for k, alpha in enumerate(alphas):
        expected = fixed_point(lambda m: of_maximum(wall, m), alpha)
        assert solution.status[k] == Status.CONVERGED
        assert solution.overlap[k].tolist()[0] == [1.0, 0.0]
        difference = abs(solution.overlap[k, 1, 1] - expected)
        assert difference < 1e-9
        assert difference <= solution.numerical_error[k] < 1e-6


@pytest.mark.slow
@pytest.mark.arrays
def test_the_larger_of_an_absolute_value_and_a_coordinate():
    """The error is E Var(max(|x|, w) | omega), by E (w - x)_+ and E (w - x)_+^2 of a Gaussian."""
    m = fixed_point(lambda m: of_maximum(np.abs, m), 2.0)
    x, p = legendre(0.0, 9.0, 160)
    t, q = normal_grid(801)
    size = math.sqrt(1 - m)
    d = (math.sqrt(m) * t - x[:, None]) / size
    mean = size * (d * ndtr(d) + normal_density(d))
    square = size**2 * ((d * d + 1) * ndtr(d) + d * normal_density(d))
    solution = StateEvolution("max(abs(z1),z2)").solve(alpha=2.0)
    assert solution.overlap[0, 0] == 1
    assert abs(solution.overlap[1, 1] - m) < 1e-9
    error = 2 * float((p * normal_density(x)) @ (square - mean**2) @ q)
    assert float(solution.test_error) == pytest.approx(error, rel=1e-7)


@pytest.mark.slow
@pytest.mark.arrays
def test_a_known_direction_that_is_no_axis():
    """max((z1 + z2)^2, z1 - z2) = sqrt(2) max(sqrt(2) x^2, w)."""
    solution = StateEvolution("max((z1+z2)**2,z1-z2)").solve(alpha=2.0)
    m = fixed_point(lambda m: of_maximum(lambda x: math.sqrt(2) * x * x, m), 2.0)
    expected = 0.5 * np.array([[1 + m, 1 - m], [1 - m, 1 + m]])
    assert np.abs(solution.overlap - expected).max() < 1e-9


@pytest.mark.slow
@pytest.mark.parametrize(
    ("target", "overlap_map", "share"),
    [
        ("z1*step(z1+z2)", of_gate, 0.5),
        pytest.param("max(z1,z2**2-1)", of_parabola, None, marks=pytest.mark.slow),
    ],
)
def test_the_map_beside_a_known_coordinate(target, overlap_map, share):
    found = known_map(target, (1, 0))
    if share is not None:
        assert found.share == pytest.approx(share, abs=1e-9)
    for m in (0.3, 0.8):
        assert found(m, 0) == pytest.approx(overlap_map(m), abs=1e-6)
    if target == "max(z1,z2**2-1)":  # constant near w = 0 for x > -1 only
        assert min(abs(x + 1) for x in found.places) < 1e-5


@pytest.mark.slow
def test_shares_are_those_of_the_labels():
    found = known_map("max(z1**2,z2)", (0, 1))  # w1 is z2
    x, p = legendre(-9.0, 9.0, 200)
    power = float((p * normal_density(x)) @ ndtr(x * x))
    assert found.share == pytest.approx(power, abs=1e-8)
    assert found.exact_share == pytest.approx(1 - power, abs=1e-11)
    assert found(0.999999) * 1e-6 == pytest.approx(1 - power, abs=1e-3)


@pytest.mark.slow
def test_a_kink_that_no_piece_of_the_label_shows():
    """max(w, x^2, 1): where |x| < 1 the labels that are constant in w are 1, and say nothing of x."""
    found = known_map("max(z1,z2**2,1)", (0, 1))
    x, p = legendre(1.0, 9.0, 100)
    assert found.share == pytest.approx(2 * float((p * normal_density(x)) @ ndtr(x * x)), abs=1e-9)
    assert min(abs(x - 1) for x in found.places) < 1e-8


@pytest.mark.slow
@pytest.mark.arrays
def test_from_complete_overlap_it_stays_where_it_is_stable():
    """1/P(the power) is 1.39078; from 0+ neither is found at 1.4."""
    model = model_of("max(z1**2,z2)")
    below, above = model.solve(alpha=[1.39, 1.392], start="informed").overlap
    assert below[0, 0] < 0.7
    assert above[0, 0] == 1
    assert abs(above[1, 1] - fixed_point(lambda m: of_maximum(np.square, m), 1.392)) < 1e-9
    assert model.solve(alpha=1.4).overlap[0, 0] < 0.7


@pytest.mark.cases(1)
@pytest.mark.parametrize("target", ["z1*z2", "z1**2+2*z2**2", "step(z1*z2-1)"])
def test_coordinates_that_no_label_determines(target):
    known = KnownCoordinates(channel=channel_of(target, equivalent=True))
    assert known.known_at(1e6) is None
    found = known(np.array([[1.0], [0.0]]))
    assert found is None or found.share == 0


def test_labels_without_a_rule():
    for target in ("z1+z2*z3", "z1*z2+xi/10", "z1**2"):
        channel = channel_of(target)
        for size in (1, 2, 3):
            assert KnownCoordinates(channel=channel)(np.eye(size)[:, :1]) is None
