"""State evolution of sums of equal parts: other maps, level curves by themselves, chi-square labels."""

from __future__ import annotations

import dataclasses
import functools

import numpy as np
import pytest
from scipy.special import erf, erfinv, ive

import hermite_analytics as ha
from hermite_analytics.label.cases.committee.parts import separate_parts
from hermite_analytics.label.channel import channel_of
from hermite_analytics.numeric import StateEvolution
from hermite_analytics.numeric.bayes.maps.overlap_map import map_of
from hermite_analytics.numeric.bayes.maps.parts_map import PartsMap
from hermite_analytics.numeric.bayes.state_evolution.posterior_mean import regression_error
from hermite_analytics.numeric.status import Rule, Status
from hermite_analytics.symbols import variable


@functools.cache
def committee(part, count, noise=""):
    """The map of a sum of parts."""
    label = " + ".join(part.replace("z", f"z{i + 1}") for i in range(count)) + noise
    found = separate_parts(ha.Target(label).expression, [variable(i + 1) for i in range(count)])
    return PartsMap.of(found, None)


def split(found, m, m_u, level):
    """F across and along the sum."""
    u = np.full(found.parts.count, found.parts.count**-0.5)
    f = found(m * np.eye(len(u)) + (m_u - m) * np.outer(u, u), level=level)
    return np.array([(np.trace(f) - u @ f @ u) / (len(u) - 1), u @ f @ u])


def values(found, m, m_u):
    """(F across and along the sum, how far the levels are apart)."""
    fine = split(found, m, m_u, 1)
    return fine, np.abs(fine - split(found, m, m_u, 0))


@pytest.mark.slow
@pytest.mark.parametrize(("m", "m_u"), [(0.3, 0.3), (0.2, 0.6), (0.0, 0.5)])
def test_two_parts_on_level_curves(m, m_u):
    """relu(z1) + relu(z2): the plane has its own rule. Errors are stated as twice the change."""
    fine, apart = values(committee("relu(z)", 2), m, m_u)
    u = np.full(2, 0.5**0.5)
    known = StateEvolution("relu(z1) + relu(z2)").overlap_map(m * np.eye(2) + (m_u - m) * np.outer(u, u))
    along = u @ known @ u
    assert np.abs(fine - [np.trace(known) - along, along]).max() < 1e-6
    assert (np.abs(fine - [np.trace(known) - along, along]) <= 2 * apart + 1e-8).all()


def _of_curves(m):
    """F of erf(z1) + erf(z2) at m I, by Gauss and Legendre along its level curves."""
    v = 1 - m
    x, w = np.polynomial.hermite_e.hermegauss(12)
    omega, w = np.sqrt(m) * x, w / w.sum()
    t, weights = np.polynomial.legendre.leggauss(120)
    angle = (t + 1) * np.pi / 4
    u, steps = np.polynomial.legendre.leggauss(300)
    found = np.zeros((2, 2))
    for y, share in zip(2 * np.sin(angle) ** 2, weights * np.pi * np.sin(angle) * np.cos(angle), strict=True):
        middle = erfinv(y / 2)
        one = middle + (6 - middle) * (u + 1) / 2
        two = erfinv(y - erf(one))
        seen = np.isfinite(two)
        one, two, rule = one[seen], two[seen], (steps * (6 - middle) / 2)[seen]
        rule = np.tile(rule * np.sqrt(np.pi) / 2 * np.exp(two**2), 2)
        places = np.concatenate([one, two]), np.concatenate([two, one])
        first, second = (
            np.exp(-((z[:, None] - omega) ** 2) / 2 / v) / np.sqrt(2 * np.pi * v) for z in places
        )
        p = np.einsum("q,qi,qj->ij", rule, first, second)
        means = [
            np.einsum("q,qi,qj->ij", rule * places[0], first, second) - omega[:, None] * p,
            np.einsum("q,qi,qj->ij", rule * places[1], first, second) - omega * p,
        ]
        measure = 2 * share * w[:, None] * w / p
        found += np.array([[(measure * a * b).sum() for a in means] for b in means])
    return found / v**2


@pytest.mark.slow
def test_parts_with_limits_by_level_curves():
    """erf(z1) + erf(z2): densities are infinite at the limits, and the order of the blur is read off."""
    known = _of_curves(0.3)
    known = np.array([known[0, 0] - known[0, 1], known[0, 0] + known[0, 1]])
    assert known == pytest.approx([0.1210433, 1.2975505], abs=2e-6)
    fine, apart = values(committee("erf(z)", 2), 0.3, 0.3)
    assert (np.abs(fine - known) < apart).all()
    assert apart.max() < 2e-4


def _of_shifted_sphere(m, count, shift, noise=0.0):
    """The trace of F(m I) of sum (z_i + shift)^2: the distance from a point, by Bessel functions."""
    v, order = 1 - m, count / 2
    rng = np.random.default_rng(5)
    z = rng.standard_normal((400_000, count))
    omega = m * z + np.sqrt(m * v) * rng.standard_normal(z.shape)
    radius, centre = np.linalg.norm(z + shift, axis=1), np.linalg.norm(omega + shift, axis=1)
    kappa = radius * centre / v
    mean = radius * ive(order, kappa) / ive(order - 1, kappa) - centre
    squares = mean**2 / v**2
    return squares.mean(), squares.std() / np.sqrt(len(z))


@pytest.mark.slow
@pytest.mark.parametrize("part", ["z**2", "z**2 + z"])
def test_four_parts_that_are_a_distance(part):
    """One fixed sample: its error is 4 standard errors but once in 16,000 changes of the seed."""
    fine, _ = values(committee(part, 4), 0.3, 0.3)
    known, deviation = _of_shifted_sphere(0.3, 4, 0.5 if part != "z**2" else 0.0)
    assert abs(3 * fine[0] + fine[1] - known) < 4 * deviation
    assert deviation < 0.005 * known


@pytest.mark.slow
def test_squares_are_known():
    """z1^2 + ... + z4^2 depends on the radius alone: its state evolution is closed."""
    fine, apart = values(committee("z**2", 4), 0.4, 0.4)
    known = StateEvolution("z1**2 + z2**2 + z3**2 + z4**2").overlap_map(0.4 * np.eye(4))[0, 0]
    assert fine == pytest.approx(known, abs=1e-6)
    assert abs(fine[0] - known) <= apart[0] + 1e-7


@pytest.mark.slow
def test_signs_turn_the_matrix():
    channel = channel_of("erf(z1) - erf(z2) + erf(z3) + erf(z4)")
    tracked = map_of(channel)[0]
    u = channel.rows @ np.array([1.0, -1.0, 1.0, 1.0]) / 2
    matrix = 0.1 * np.eye(4) + 0.3 * np.outer(u, u)
    across, along = split(committee("erf(z)", 4), 0.1, 0.4, 0)
    assert tracked.where.has(matrix)
    known = across * np.eye(4) + (along - across) * np.outer(u, u)
    assert tracked.at(matrix, 0) == pytest.approx(known, abs=1e-9)


def _of_the_sum(m_u):
    """F along the sum of four relu where m = 0, without errors of second order in the step."""
    coarse, fine = (_by_convolutions(m_u, h) for h in (0.01, 0.005))
    return (4 * fine - coarse) / 3


def _by_convolutions(m_u, h):
    """The positive and the negative coordinates together."""
    v = 1 - m_u
    t = np.arange(0.0, 12.0, h)
    rule = np.where(t > 0, h, h / 2)
    half = np.exp(-(t**2) / 2) / np.sqrt(2 * np.pi)
    f = [np.zeros(len(t)), half]
    for _ in range(3):  # trapezoidal: both ends count half
        whole = np.convolve(f[-1], half)[: len(t)]
        f.append(h * (whole - 0.5 * (f[-1][0] * half + half[0] * f[-1])))
    joint = 4 * np.outer(f[1], f[3]) + 6 * np.outer(f[2], f[2]) + 4 * np.outer(f[3], f[1])
    x, w = np.polynomial.hermite_e.hermegauss(20)
    found = 0.0
    for omega, share in zip(np.sqrt(m_u) * x, w / w.sum(), strict=True):

        def seen(s, omega=omega):
            return np.exp(s * s / 2 - (s - omega) ** 2 / (2 * v)) / np.sqrt(v)

        s = (t[:, None] - t) / 2
        near = joint * seen(s) * rule
        p = near.sum(1) + f[4] * seen(t / 2)
        first = (near * (s - omega)).sum(1) + f[4] * seen(t / 2) * (t / 2 - omega)
        found += share * float(rule @ (first**2 / p))
        none = f[4] * seen(-t / 2) * rule  # all are negative: the label is 0
        found += share * float((none @ (-t / 2 - omega)) ** 2 / none.sum())
    return found / v**2


@pytest.mark.slow
def test_four_parts_of_a_network():
    """Before the parts are told apart only their sum is known; errors are far below those of samples."""
    solution = StateEvolution("relu(z1) + relu(z2) + relu(z3) + relu(z4)").solve(alpha=1.0)
    assert solution.status is Status.CONVERGED
    assert solution.rule is Rule.QUADRATURE
    m_u = 4 * float(solution.overlap[0, 0])
    assert solution.overlap == pytest.approx(np.full((4, 4), m_u / 4), abs=1e-9)
    apart = abs(m_u / (1 - m_u) / _of_the_sum(m_u) - 1)  # alpha is m_u/(1 - m_u)/F
    assert apart < 1e-6
    assert apart * m_u * (1 - m_u) < solution.numerical_error < 1e-6


@pytest.mark.slow
def test_thresholds_agree():
    label = "abs(z1) + abs(z2) + abs(z3) + abs(z4)"
    model = StateEvolution(label)
    assert isinstance(model._overlaps.seen.overlap_map, PartsMap)
    assert model.weak_recovery() == pytest.approx(ha.weak_recovery(label).alpha_c.value, rel=1e-9)
    slope = split(committee("abs(z)", 4), 1e-6, 1e-6, 1)[0] / 1e-6
    assert 1 / slope == pytest.approx(model.weak_recovery(), rel=2e-5)


@pytest.mark.slow
def test_error_of_sums_at_any_overlap():
    """E f f' of He2(z1) + He2(z2) + He2(z3) is 2 times the sum of squares of M; |M| near 1 is no wall."""
    regression = channel_of("He2(z1) + He2(z2) + He2(z3)").regression
    matrix = np.array([[0.5, -0.2, 0.1], [-0.2, 0.4, -0.3], [0.1, -0.3, 0.6]])
    assert regression_error(regression, matrix) == pytest.approx(6 - 2 * (matrix**2).sum(), rel=1e-10)
    plain = channel_of("relu(z1) + relu(z2) + z3**2").regression
    sampled = regression_error(dataclasses.replace(plain, terms=None), matrix)
    assert regression_error(plain, matrix) == pytest.approx(sampled, rel=3e-3)
    nearly = np.diag([1 - 1e-16, 0.5, 1 - 2e-10])
    assert regression_error(regression, nearly) == pytest.approx(2 * (1 - 0.25), abs=1e-6)
