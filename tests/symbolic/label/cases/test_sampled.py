"""Labels of any form from samples, against labels with known thresholds hidden by a rotation."""

from __future__ import annotations

import math

import numpy as np
import pytest
import sympy

import hermite_analytics as ha
from hermite_analytics.errors import InputError
from hermite_analytics.label.cases.plane.prepared import plane_channel
from hermite_analytics.label.cases.sampled.estimates import sampled_slots, sampled_threshold
from hermite_analytics.label.cases.sampled.lines import brackets, roots
from hermite_analytics.label.cases.sampled.ranked import _atoms, _place
from hermite_analytics.label.cases.sampled.solved import solved_channel
from hermite_analytics.label.function_of_points import function_of_points
from hermite_analytics.label.operator import top_eigenvalue
from hermite_analytics.symbols import variable

ROTATIONS = {q: np.linalg.qr(np.random.default_rng(q).standard_normal((q, q)))[0] for q in (2, 3, 4, 5)}


def relu(x):
    return np.maximum(x, 0)


def hidden(g, q):
    """The label of the first q coordinates turned, those after them as they are."""
    return lambda w: g(*np.hstack([w[:, :q] @ ROTATIONS[q], w[:, q:]]).T)


@pytest.mark.cases(3)
@pytest.mark.parametrize(
    ("g", "dimension", "known", "eigenvalue"),
    [
        (lambda a, b: a * b, 2, 0, 1 / 0.5937510982),
        (lambda a, b, c, d: np.tanh(a * b + c * d), 4, 0, 3 / 4),
        (lambda a, b, c: np.abs(a) + np.abs(b) + np.abs(c), 3, 0, 1 / 1.6378683918),
        (lambda a, b, c: a * b * c, 3, 0, 1 / 2.5651804019),
        (lambda *w: np.sum(np.square(w), axis=0), 5, 0, 2 / 5),  # all directions alike
        (lambda a, b, c, d: np.sign(a * b) + 0 * (c + d), 4, 0, 4 / math.pi**2),
        (lambda a, b, c, d, x: np.tanh(x + a * b + c * d), 4, 1, 3 / 4),
        (lambda a, b, c, d, x: np.maximum(x, 0) * (a * b + c * d), 4, 1, 3 / 8),  # 0 for half of the x
        (lambda a, b, x: x + np.sign(x * a * b), 2, 1, 4 / math.pi**2),
        (lambda a, b, c, x, t: x * (np.abs(a) + np.abs(b) + np.abs(c)) + t, 3, 2, 1 / 1.6378683918),
    ],
)
def test_known_thresholds(g, dimension, known, eigenvalue):
    """Within 6 standard errors of eight replicates (Student, 7 degrees of freedom): false alarms 5e-4."""
    found = sampled_threshold(hidden(g, dimension), dimension, known=known, samples=15, seed=3)
    assert abs(found.eigenvalue - eigenvalue) < 6 * found.standard_error + found.bias
    assert 6 * found.standard_error + found.bias < 0.16 * eigenvalue
    assert found.alpha_c == 1 / found.eigenvalue


def test_noise_inside_is_a_hidden_coordinate():
    """z + xi: E[z^2 - 1 | y] = (y^2/2 - 1)/2, of square 1/2 in the mean; beside a known x the same."""
    for known in (0, 1):
        found = sampled_threshold(lambda w: w.sum(1), 1, hidden=1, known=known, samples=15)
        assert abs(found.eigenvalue - 1 / 2) < 6 * found.standard_error + found.bias < 0.08


@pytest.mark.slow
def test_what_a_pole_of_the_density_hides():
    """cos(w) + min(xi, 1) says most of w beside 0, on all scales alike: knots lose little with each halving.

    1/alpha_c is that of `test_convolutions.py`. False alarms: four standard errors, and what is lost.
    """
    for samples in (14, 16):
        found = sampled_threshold(
            lambda w: np.cos(w[:, 0]) + np.minimum(w[:, 1], 1), 1, hidden=1, samples=samples
        )
        assert abs(found.eigenvalue - 1 / 2.4330560184) < 4 * found.standard_error + found.bias < 0.02


@pytest.mark.slow
def test_level_curves():
    """Without a known value: level curves, within 6 standard errors: false alarms 5e-4."""

    def g(w):
        return w[:, 0] ** 3 * w[:, 1] + w[:, 1] ** 3

    found = sampled_threshold(g, 2, samples=17, seed=11)
    error = 6 * found.standard_error + found.bias
    assert abs(found.eigenvalue - top_eigenvalue(plane_channel(g, []).quadrature(2))) < error < 0.01


def test_slots():
    """z1 + z2*z3 beside z1 in (z2, z3): E[G G^T] = E[a^2] I with a the one of a product of two."""
    values, errors = sampled_slots(lambda w: w[:, 2] + w[:, 0] * w[:, 1], 2, order=2, known=1, samples=15)
    assert (values > 8 * errors).all()
    values, errors = sampled_slots(lambda w: w[:, 0] * w[:, 1], 2, order=1, samples=15)
    assert (np.abs(values) < 6 * errors).all()
    values, errors = sampled_slots(lambda w: w[:, 0] + w[:, 1] ** 2, 2, order=1, samples=15)
    assert values[1] > 8 * errors[1]
    assert abs(values[0]) < 6 * errors[0]


def test_the_same_again():
    first, second = (sampled_threshold(lambda w: w.prod(1), 3, samples=12, seed=4) for _ in range(2))
    assert first == second
    assert first != sampled_threshold(lambda w: w.prod(1), 3, samples=12, seed=5)


def test_other_sizes_are_refused():
    with pytest.raises(InputError, match="the binary logarithm of the samples is 9; 10 to 24 are accepted"):
        sampled_threshold(lambda w: w[:, 0], 1, samples=9)


def test_roots_and_jumps_along_lines():
    """A label that jumps over a value does not take it; a root beside a turning point is one."""
    functions = [
        lambda t: t**3 - 0.3,  # a root
        lambda t: np.where(t > 0.31, 2.0, -1.0) + 0.1 * t,  # a jump
        lambda t: np.where(t > 0.31, 2.0, -0.02),  # and a less even one
        lambda t: (t - 0.1) ** 2 - 1e-6,  # two roots, of which a bracket from the middle has one
    ]

    def rest(line, t):
        return np.array([functions[k](x) for k, x in zip(line, t, strict=True)])

    t, are_roots = roots(rest, np.arange(4), np.array([-1.0, -1.0, -1.0, 0.1]), np.ones(4))
    assert are_roots.tolist() == [True, False, False, True]
    assert t[0] == pytest.approx(0.3 ** (1 / 3), abs=1e-6)


def test_a_dip_between_places_of_the_grid_has_two_brackets():
    """Its vertex is beyond the middle of the places around it, and is found from one of them only."""
    grid = np.linspace(-1.0, 1.0, 5)
    middles = np.array([0.05, 0.25, -0.3, 0.45])  # the second one as far from 0 as from 1/2

    def rest(line, t):
        return (t - middles[line]) ** 2 - 1e-3

    line, low, high = brackets(rest(np.arange(4)[:, None], grid), grid, rest)
    t, are_roots = roots(rest, line, low, high)
    assert are_roots.all()
    found = [np.sort(t[line == k]) for k in range(4)]
    assert np.allclose(found, middles[:, None] + np.sqrt(1e-3) * np.array([-1, 1]))


@pytest.mark.arrays
@pytest.mark.cases(1)
@pytest.mark.parametrize("y", [1e-5, 1e-4, -0.01, 0.5])
def test_labels_that_are_flat_beside(y):
    """relu(w1) w2 by an integral over log w1: points at which it is flat have other labels.

    Within 5 standard errors of 400 independent averages, and 2 % for what a ratio of averages is off:
    false alarms 1e-6 for each of eight numbers.
    """
    variables = [variable(1), variable(2)]
    channel = solved_channel(function_of_points(ha.Target("relu(z1)*z2").expression, variables), 2)
    omega, v = np.array([0.5, 0.3]), np.array([0.6, 0.7])
    w = np.exp(np.linspace(-34, 2.4, 4001))
    p = np.exp(-((w - omega[0]) ** 2) / (2 * v[0]) - (y / w - omega[1]) ** 2 / (2 * v[1]))
    known = np.array([p @ (w - omega[0]), p @ (y / w - omega[1])]) / p.sum() / v
    found = channel.along_lines(np.full(400, y), seed=1, once=True)(np.tile(omega, (400, 1)), np.diag(v)).g
    error = found.std(0) / math.sqrt(len(found))
    assert (np.abs(found.mean(0) - known) < 5 * error + 0.02 * np.abs(known)).all()
    assert (5 * error < 0.1).all()


def test_labels_over_many_decades_are_no_atom():
    """A quarter of them is below 1e-12; the reference is by the transforms of the parts.

    The false-alarm rate of five standard errors of eight replicates is 2e-3; the seed is fixed.
    """
    found = sampled_threshold(lambda w: np.exp(-20 * w[:, 0] ** 2) * np.abs(w[:, 1]), 2, samples=14)
    assert abs(found.eigenvalue - 1 / 0.501076087522043) < 5 * found.standard_error + found.bias < 0.03


def test_labels_that_are_0_but_for_rounding_are_one():
    x = np.random.default_rng(0).standard_normal((1, 4096))
    cancelled = (x + 0.1) - x - 0.1
    assert 1 < len(np.unique(cancelled)) < 20
    atoms = _atoms(np.where(x > 0, x, cancelled), 32)
    assert np.array_equal(atoms, np.where(x > 0, -1, 0))


def test_labels_have_places_whatever_their_size():
    """Also where the distance of two is subnormal, so that no slope between them is finite."""
    ordered = np.array([-np.inf, -1.0, 0.0, 1e-322, 1e-300, 1e300, np.inf])
    places = _place(np.array([-np.inf, -2.0, -0.5, 0.0, 5e-323, 1e-322, 1.0, np.inf]), ordered, 8)
    assert np.isfinite(places).all()
    assert (np.diff(places) >= 0).all()
    assert places[3] < places[-1]


@pytest.mark.parametrize(
    ("label", "same"),
    [
        (lambda u, v: (abs(u) > 1) * np.exp(-20 * v**2), lambda u, v: (abs(u) > 1) / (1 + v**2)),
        (lambda u, v: relu(u) * np.exp(30 * v), lambda u, v: relu(u) ** 0.02 * np.exp(0.6 * v)),
        *(
            (
                lambda u, v, e=e: relu(u + v + 1) - relu(u + v + 1 - e),
                lambda u, v, e=e: np.clip((u + v + 1) / e, 0, 1),
            )
            for e in (1e-3, 1e-5, 1e-8)
        ),
    ],
)
def test_small_labels_say_what_large_ones_do(label, same):
    """An increasing function of a label tells the same: atoms beside very small labels, and small atoms."""

    def values(g):
        found = sampled_threshold(lambda w: g(*w.T), 2, samples=14)
        return found.eigenvalue, 6 * found.standard_error + found.bias

    (small, error), (large, other) = values(label), values(same)
    assert abs(small - large) < error + other < 0.1 * large


def test_a_sign_that_is_zero_on_an_open_set():
    """sign(min(a, b) - min(a, c)) by its kinks, in floats: 0 where a is the smallest, else sign(b - c)."""
    a, b, c = sympy.symbols("a b c", real=True)
    difference = (b - c) / 2 - sympy.Abs(a - b) / 2 + sympy.Abs(a - c) / 2
    z = np.random.default_rng(1).standard_normal((5000, 3))
    smallest = z[:, 0] < np.minimum(z[:, 1], z[:, 2])
    expected = np.where(smallest, 0.0, np.sign(z[:, 1] - z[:, 2]))
    for argument in (difference, difference * (a + 9), sympy.Max(difference, -1)):
        np.testing.assert_array_equal(function_of_points(sympy.sign(argument), (a, b, c))(z), expected)


def test_a_sign_of_an_infinite_sum():
    """exp(300 |a|) is beyond floats at a = -4."""
    a, b = sympy.symbols("a b", real=True)
    value = function_of_points(sympy.sign(sympy.Abs(b) - sympy.exp(300 * sympy.Abs(a))), (a, b))
    assert value(np.array([[-4.0, 1.0], [0.0, 5.0]])).tolist() == [-1.0, 1.0]
