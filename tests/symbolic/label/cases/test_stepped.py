"""Labels of many values in the plane: points on the level curves between two places of F."""

from __future__ import annotations

import numpy as np
import pytest
import sympy
from scipy import integrate, special

import hermite_analytics as ha
from hermite_analytics.label.cases.stepped.case import SteppedChannel, stepped_label
from hermite_analytics.label.channel import channel_of
from hermite_analytics.label.function_of_points import function_of_points
from hermite_analytics.label.reduction.problem import Problem
from hermite_analytics.language.functions import floor, relu, step
from hermite_analytics.numeric import StateEvolution

W = sympy.symbols("w1 w2", real=True)


def found(signal):
    return stepped_label(Problem(signal=signal, unknown=W, known=()))


def stairs(h, count=12):
    return sympy.Add(*(step(h - sympy.Rational(k, 2)) for k in range(-count // 2, count // 2)))


def sums(case, omega, variance, level=1):
    """P(label) and E[w 1{label}] at N(omega, V) by the points, V a number."""
    nodes = case.label_nodes(level, np.sqrt(variance))
    shift = nodes.points - omega
    weights = (
        nodes.masses * np.exp(0.5 * (nodes.points**2).sum(1) - 0.5 * (shift**2).sum(1) / variance) / variance
    )
    each = [weights, weights * nodes.points[:, 0], weights * nodes.points[:, 1]]
    return nodes.labels, np.stack([np.add.reduceat(x, nodes.starts[:-1]) for x in each])


def given_the_first(slope, rest, places, omega, variance, count=200_000):
    """The same where h = slope(w1) w2 + rest(w1): w2 by normal laws, w1 at the middles of cells beside 0."""
    a = 10 * (np.arange(-count, count) + 0.5) / count
    p = np.exp(-0.5 * (a - omega[0]) ** 2 / variance) * (a[1] - a[0]) / np.sqrt(2 * np.pi * variance)
    s, sd = slope(a), np.sqrt(variance)
    u = (np.asarray(places)[:, None] - rest(a) - s * omega[1]) / (abs(s) * sd)
    below = special.ndtr(u)
    second = omega[1] * below - np.sign(s) * sd * np.exp(-0.5 * u * u) / np.sqrt(2 * np.pi)
    none = np.zeros((1, len(a)))
    below = np.diff(np.concatenate([none, below, none + 1]), axis=0)
    second = np.diff(np.concatenate([none, second, none + omega[1]]), axis=0)
    return np.stack([below @ p, below @ (p * a), second @ p])


def given_sections(upper, places, omega, variance, count=200_000):
    """The same where h < s is w2 < upper(w1, s)."""
    a = 10 * (np.arange(-count, count) + 0.5) / count
    p = np.exp(-0.5 * (a - omega[0]) ** 2 / variance) * (a[1] - a[0]) / np.sqrt(2 * np.pi * variance)
    u = (upper(a, np.asarray(places)[:, None]) - omega[1]) / np.sqrt(variance)
    below = special.ndtr(u)
    second = omega[1] * below - np.sqrt(variance) * np.exp(-0.5 * u * u) / np.sqrt(2 * np.pi)
    sums = np.stack([below @ p, below @ (p * a), second @ p])
    whole = np.array([1.0, *omega])[:, None]
    return np.diff(np.concatenate([0 * whole, sums, whole], axis=1), axis=1)


def of_grid(value, omega, variance, count):
    """The same by a lattice, roughly."""
    x = np.linspace(-7, 7, count) + 1e-3
    w = np.exp(-0.5 * x * x) * (x[1] - x[0]) / np.sqrt(2 * np.pi)
    a, b = (o + np.sqrt(variance) * x for o in omega)
    labels, owner = np.unique(value(a[:, None], b), return_inverse=True)
    p = np.outer(w, w)
    each = [p, p * a[:, None], p * b]
    return labels, np.stack([np.bincount(owner.ravel(), e.ravel()) for e in each])


@pytest.mark.parametrize(
    ("h", "slope", "rest"),
    [
        (W[0] * W[1], lambda a: a, np.zeros_like),
        (-W[0] * W[1] - W[0], lambda a: -a, lambda a: -a),
        (W[0] ** 2 - W[1], lambda a: -np.ones_like(a), lambda a: a * a),
    ],
)
def test_points_against_normal_laws_given_one_coordinate(h, slope, rest):
    case = found(stairs(h)).kind
    omega, places = np.array([0.7, -0.4]), [k / 2 for k in range(-6, 6)]
    for variance in (1.0, 0.3):
        labels, ours = sums(case, omega, variance)
        assert labels.tolist() == list(range(13))
        theirs = given_the_first(slope, rest, places, omega, variance)
        np.testing.assert_allclose(ours, theirs, atol=1e-8)


KINKED = {  # h < s is w2 < upper(w1, s), for s > 0 where h >= 0
    "corner": (2 * relu(W[0]) + relu(W[1]), lambda a, s: corner(s - 2 * np.maximum(a, 0)), range(1, 21)),
    "larger": (2 * sympy.Max(*W), lambda a, s: np.where(2 * a < s, s / 2, -np.inf), range(-16, 17)),
    "bend": (W[1] + abs(W[0]), lambda a, s: s - abs(a), range(-9, 13)),
    "hidden": (
        2 * (abs(W[0]) + W[0]) + relu(W[1]),
        lambda a, s: corner(s - 4 * np.maximum(a, 0)),
        range(1, 40),
    ),
}


def corner(rest):
    return np.where(rest > 0, rest, -np.inf)


@pytest.mark.parametrize("name", KINKED)
def test_floors_of_kinks_against_normal_laws_given_one_coordinate(name):
    """As they stand; where h is 0 on a whole corner, its label is that of the curves between 0 and 1."""
    h, upper, places = KINKED[name]
    case, omega = found(floor(h)).kind, np.array([0.7, -0.4])
    for variance in (1.0, 0.3):
        labels, ours = sums(case, omega, variance)
        theirs = given_sections(upper, places, omega, variance)[:, (labels - places[0] + 1).astype(int)]
        np.testing.assert_allclose(ours, theirs, atol=1e-8)
        assert abs(ours[0].sum() - 1) < 1e-8


def test_noise_is_seen_behind_each_value():
    """P(y) of the labels that are seen: those of the floor by the normal law."""
    y = sympy.Symbol("xi", real=True)
    nodes = found(floor(W[0] * W[1]) + y / 4).kind.label_nodes()
    plain = found(floor(W[0] * W[1])).kind.label_nodes()
    np.testing.assert_array_equal(nodes.labels, plain.labels)
    np.testing.assert_allclose(nodes.seen.sum(1), 1, atol=1e-9)


def test_functions_of_one_value_are_taken_as_they_stand():
    """The label of a point is that of its h, whatever F is; the masses are those of floor(h)."""
    h = W[0] * W[1]
    plain = found(floor(h)).kind.label_nodes()
    p = dict(zip(plain.labels, np.add.reduceat(plain.masses, plain.starts[:-1]), strict=True))
    for f, of in [
        (floor(h) ** 2, lambda n: n * n),
        (sympy.cos(floor(2 - h) / 3), lambda n: np.cos((1 - n) / 3)),
        (floor(h) + sympy.sign(h), lambda n: n + (1 if n >= 0 else -1)),
        (sympy.sign(floor(h) - sympy.Rational(1, 2)), lambda n: 1 if n > 0 else -1),
    ]:
        nodes = found(f).kind.label_nodes()
        expected = {}
        for n, mass in p.items():
            expected[round(of(n), 9)] = expected.get(round(of(n), 9), 0.0) + mass
        ours = np.add.reduceat(nodes.masses, nodes.starts[:-1])
        seen = {round(y, 9): m for y, m in zip(nodes.labels, ours, strict=True)}
        assert all(abs(seen.get(y, 0.0) - m) < 1e-8 for y, m in expected.items())


def test_rounding_of_what_is_0_on_an_open_set_is_no_step():
    """|a| + |b| - |a + b| is 0 where a b > 0, and 1e-16 in floating point."""
    h = abs(W[0]) + abs(W[1]) - abs(W[0] + W[1])
    points = np.abs(np.random.default_rng(0).standard_normal((1000, 2)))
    assert not function_of_points(floor(h), W)(points).any()


def test_widths_that_curves_do_not_resolve_show_as_a_difference_of_levels():
    """Places four apart, omega known to .17: the coarse rule is off by 2e-5 to 4e-4, the fine one by 5e-8."""
    places, omega = [4.0 * k for k in range(-6, 7)], np.array([1.5, 1.1])
    case = found(sympy.Add(*(step(W[0] * W[1] - int(k)) for k in places))).kind
    theirs = given_the_first(lambda a: a, np.zeros_like, places, omega, 0.03)
    coarse, fine = np.zeros((2, *theirs.shape))
    for level, rule in enumerate((coarse, fine)):
        labels, ours = sums(case, omega, 0.03, level)
        rule[:, labels.astype(int)] = ours
    assert 1e-5 < np.abs(coarse - fine).max() < 1e-3
    assert np.abs(fine - theirs).max() < 1e-6


def test_moments_of_a_data_set_are_those_of_the_points():
    """By 16,384 draws: 4 standard errors of half as many that are independent (1 in 1,000 at most)."""
    case, omega, variance = found(stairs(W[0] * W[1])).kind, np.array([0.7, -0.4]), 0.3
    labels, (p, *first) = sums(case, omega, variance)
    seen = p > 0.01
    at = case.at(labels[seen])
    moments = at(np.tile(omega, (seen.sum(), 1)), variance * np.eye(2))
    error = 4 / np.sqrt(p[seen] * 2**13)
    assert seen.sum() > 5 and (np.abs(moments.log_z - np.log(p[seen])) < error).all()
    expected = ((np.array(first) / p).T - omega)[seen] / variance
    assert (np.abs(moments.g - expected) < error[:, None] / np.sqrt(variance)).all()


def test_other_labels_are_left_to_others():
    w1, w2 = W
    assert found(stairs(w1 * w2, count=8)) is None  # few values have regions
    assert found(stairs(w1 * w2) + step(w1)) is None
    assert found(stairs(w1 * w2) + w1 * w2) is None
    assert found(stairs(w1)) is None
    assert found(floor(w1 * w2) + floor(w1)) is None and found(floor(w1 * w2) + w1) is None
    assert found(floor(w1 * w2 / 30)) is None and found(floor(30 * w1 * w2)) is None


@pytest.mark.slow
@pytest.mark.parametrize("noise", [0, "1/10", "1/2", "2"])
def test_threshold_of_a_floor_of_a_product(noise):
    """P(w1 w2 = y) = K0(|y|)/pi, E[w1^2 - 1 | y] = |y| K1/K0 - 1: 1/alpha_c = sum (d^2 + o^2)/p."""

    def between(k, g):
        return integrate.quad(g, k, k + 1, limit=200, epsabs=1e-14)[0] / np.pi

    values, a = np.arange(-40, 40), float(sympy.Rational(noise))
    p, d, o = (
        np.array([between(k, g) for k in values])
        for g in (
            lambda y: special.k0(abs(y)),
            lambda y: abs(y) * special.k1(abs(y)) - special.k0(abs(y)),
            lambda y: y * special.k0(abs(y)),
        )
    )
    if a:
        y = np.arange(-60, 60, a / 40)
        seen = np.exp(-0.5 * ((y[:, None] - values) / a) ** 2) / (40 * np.sqrt(2 * np.pi))
        p, d, o = seen @ p, seen @ d, seen @ o
    total = ((d**2 + o**2)[p > 1e-30] / p[p > 1e-30]).sum()
    stage = ha.weak_recovery(f"floor(z1*z2) + {noise}*xi").document()["stages"][0]["alpha_c"]
    assert abs(stage["value"] - 1 / total) < stage["error"] < 1e-6


@pytest.mark.slow
def test_state_evolution_of_a_floor_of_a_product():
    """F at the overlap found, by a lattice at 400 draws of omega: four standard errors, 1 in 16,000."""
    channel = channel_of("floor(z1*z2)")
    assert isinstance(channel.kind, SteppedChannel)
    assert channel.label == "floor(w1*w2)" and channel.leading_order == channel.first_order == 2
    solved = StateEvolution("floor(z1*z2)").solve(alpha=2.0)
    m = float(solved.overlap[0, 0])
    assert solved.status == "converged" and solved.numerical_error < 1e-4
    draws = []
    for omega in np.sqrt(m) * np.random.default_rng(1).standard_normal((400, 2)):
        _, (p, first, second) = of_grid(lambda a, b: np.floor(a * b), omega, 1 - m, count=301)
        seen = p > 1e-14
        g = (np.stack([first, second]) - omega[:, None] * p)[:, seen] / (1 - m)
        draws.append(0.5 * float((g**2 / p[seen]).sum()))
    expected = m / (1 - m) / 2.0  # of F where it rests
    assert abs(np.mean(draws) - expected) < 4 * np.std(draws) / np.sqrt(len(draws))
