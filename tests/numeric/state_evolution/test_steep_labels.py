"""Two coordinates with little noise: level curves seen through it, beside points of the plane and bins."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.fft import irfft, next_fast_len, rfft
from scipy.special import ndtr

from hermite_analytics import weak_recovery
from hermite_analytics.label.cases.soft.case import soft_label
from hermite_analytics.label.cases.soft.channel import SoftChannel
from hermite_analytics.label.cases.soft.steep import SteepChannel, steep_label
from hermite_analytics.label.channel import channel_of
from hermite_analytics.label.reduction.problem import Problem
from hermite_analytics.label.thresholds.two_coordinates import behind_noise
from hermite_analytics.numeric import StateEvolution
from hermite_analytics.numeric.bayes.maps.label_map import LabelMap
from hermite_analytics.numeric.status import Rule, Status
from hermite_analytics.symbols import variable
from hermite_analytics.target import Target

MATRIX = np.array([[0.5, 0.2], [0.2, 0.6]])


def problem_of(text):
    return Problem(signal=Target(text).expression, unknown=(variable(1), variable(2)), known=())


def maps_of(text):
    """(by points of the plane, by level curves)."""
    problem = problem_of(text)
    soft = soft_label(problem)
    return (LabelMap.of_points(case, ()) for case in (soft, steep_label(problem, soft)))


@pytest.mark.slow
@pytest.mark.arrays
@pytest.mark.parametrize(
    ("text", "off"),
    [
        # at its least value, a curve of minima, the density is infinite
        ("z1*z2 + z1**2*z2**2/5 + xi/3", 3e-6),
        ("abs(z1*z2) + z1 + xi/2", 1e-7),
        ("sign(z1*z2 + z1 + xi/2)", 1e-7),
    ],
)
def test_points_of_the_plane_and_level_curves(text, off):
    by_points, by_curves = maps_of(text)
    known, found = by_points(MATRIX), by_curves(MATRIX)
    apart = np.abs(found - by_curves(MATRIX, level=0)).max()
    assert np.abs(found - known).max() < off * np.abs(known).max()
    assert np.abs(found - known).max() < apart + by_curves.mass_defect


@pytest.mark.slow
@pytest.mark.arrays
def test_which_labels_are_steep():
    kinds = [type(channel_of(Target(f"sin(z1*z2)/(1 + z1**2) + xi/{n}")).kind) for n in (5, 50)]
    assert kinds == [SoftChannel, SteepChannel]


@pytest.mark.cases(1)
@pytest.mark.parametrize("text", ["abs(z1) - abs(z2)/2 + xi/20", "z1*z2 + xi/20", "z1**2 - 2*z2**2 + xi/10"])
def test_thresholds_behind_little_noise(text):
    """Convolutions of the laws of both parts know them to 1e-11."""
    known, found = weak_recovery(text).alpha_c, behind_noise(problem_of(text)).alpha
    assert abs(found.value - known.value) < found.error < 5e-5 * known.value


@pytest.mark.slow
def test_threshold_of_two_values_behind_little_noise():
    """For y = 1{u^2 - v^2/2 + xi/50 > 1}, G_y = E[w w^T - I | y] by the law of y on a grid of (u, v)."""
    step = 2.5e-3
    u = step * np.arange(0.5, 8 / step)
    p, square = step * np.exp(-0.5 * u * u) * np.sqrt(2 / np.pi), u * u
    mass, moment = 0.0, np.zeros(2)
    for part in np.array_split(np.arange(len(u)), 64):
        here = p[part, None] * p * ndtr(50 * (square[part, None] - square / 2 - 1))
        mass += here.sum()
        moment += [here.sum(1) @ (square[part] - 1), here.sum(0) @ (square - 1)]
    found = behind_noise(problem_of("step(z1**2 - z2**2/2 + xi/50 - 1)")).alpha
    assert found.error < 1e-5
    assert abs(found.value - mass * (1 - mass) / np.max(moment**2)) < found.error


def in_bins(g, noise, m, steps, nodes, fine=50):
    """F(m I) by Gauss nodes of omega, equal steps of z and bins of a fiftieth of the noise.

    A value between two bins is shared by them: the variance that this adds is taken off the noise. g is the
    same at -z and where coordinates are exchanged: the first omega is the larger one, and above 0.
    """
    assert g(0.7, -0.4) == pytest.approx(g(-0.7, 0.4)) == pytest.approx(g(-0.4, 0.7)) and nodes % 2 == 0
    x, w = np.polynomial.hermite_e.hermegauss(nodes)
    t, v = np.linspace(-7, 7, steps), 1 - m
    p = np.exp(-0.5 * (t[:, None] ** 2 + t**2)).ravel()
    kept = p > 1e-16
    points, p = np.stack([np.repeat(t, steps), np.tile(t, steps)])[:, kept], p[kept] / p.sum()
    found = np.zeros((2, 2))
    half = nodes // 2
    for a, share in zip(x[half:], 2 * w[half:] / w.sum(), strict=True):
        for b, other in zip(x, w / w.sum(), strict=True):
            if abs(b) > a:
                continue
            place = g(*(np.sqrt(m) * np.array([[a], [b]]) + np.sqrt(v) * points)) / noise * fine
            place -= place.min() - 8 * fine
            bin_, above = place.astype(np.int64), place % 1.0
            count = next_fast_len(int(bin_.max()) + 8 * fine)
            frequency = 2 * np.pi * np.arange(count // 2 + 1) / count
            blur = np.exp(-0.5 * (fine**2 - 1 / 6) * frequency**2)
            sums = [
                np.bincount(bin_, q * (1 - above), count) + np.bincount(bin_ + 1, q * above, count)
                for q in (p, p * points[0], p * points[1])
            ]
            density, *means = (irfft(rfft(s) * blur, count) for s in sums)
            seen = density > 1e-13
            g_ = np.array(means)[:, seen] / np.sqrt(density[seen])
            here = share * other * g_ @ g_.T / v
            found += here if abs(b) == a else here + here[::-1, ::-1]
    return found


@pytest.mark.slow
def test_little_noise_in_bins():
    """The reference changes by 6e-5 with two nodes of omega more, by 7e-5 with 2200 steps of z."""
    _, by_curves = maps_of("z1*z2 + z1**2*z2**2 + xi/20")
    known = in_bins(lambda a, b: a * b + a * a * b * b, 0.05, 0.1, 1600, 8)
    assert np.abs(by_curves(0.1 * np.eye(2)) - known).max() < 2e-4 * np.abs(known).max()


@pytest.mark.slow
def test_state_evolution_of_a_steep_label():
    """It was refused; its threshold comes from tables of its law with the noise as a convolution."""
    text = "z1*z2 + z1**2*z2**2 + xi/20"
    model = StateEvolution(text)
    alpha_c = weak_recovery(text).alpha_c
    assert abs(model.weak_recovery() - alpha_c.value) < alpha_c.error + 1e-4 * alpha_c.value
    solution = model.solve(alpha=2.0)
    assert solution.status is Status.CONVERGED and solution.rule is Rule.QUADRATURE
    assert solution.numerical_error < 3e-3
    assert solution.overlap[0, 0] == pytest.approx(0.27995, abs=1e-3)


@pytest.mark.slow
def test_labels_far_out_of_the_grid():
    """Densities that are next to nothing, of labels whose points are far away, are not divided by."""
    _, by_curves = maps_of("z1*z2 + z1**2 + xi/10")
    angle = 0.37
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    found = by_curves(turn @ np.diag([0.9965, 0.9]) @ turn.T, level=0)
    assert np.isfinite(found).all() and np.linalg.eigvalsh(found)[0] > 0
