"""Channels of labels that break along curves: clipping, sum rules, derivatives, integrals along curves."""

from __future__ import annotations

import functools
import math

import numpy as np
import pytest
from scipy.integrate import quad
from sympy import Abs, Max, cos, exp, sign, symbols

from hermite_analytics import Target
from hermite_analytics.label.cases.plane.case import plane_case
from hermite_analytics.label.cases.plane.clipping import arc_nodes, clipped, points_where_zero
from hermite_analytics.label.cases.plane.curved_label import curved_label
from hermite_analytics.label.cases.plane.plane import PlaneChannel
from hermite_analytics.label.cases.plane.prepared import plane_channel
from hermite_analytics.label.cases.sampled.solved import SolvedChannel
from hermite_analytics.label.channel import channel_of
from hermite_analytics.label.function_of_points import function_of_points
from hermite_analytics.label.operator import top_eigenvalue
from hermite_analytics.language.functions import relu, step
from hermite_analytics.symbols import variable
from tests.symbolic.label.bins import top_in_bins

W = symbols("w1 w2", real=True)
W1, W2 = W
VARIANCE = np.array([[0.45, 0.12], [0.12, 0.3]])
OMEGA = np.array([[0.4, -0.9], [1.3, 0.2], [-0.3, 0.1], [0.05, 1.6]])

# (label, some of its values)
LABELS = [
    (Max(W1**2, W2), [0.3, 1.2, 2.0, 0.01]),
    (Abs(W1**2 - W2), [0.3, 1.2, 2.0, 0.01]),
    (Abs(W1 * W2 - 1), [0.3, 1.2, 0.9, 0.01]),
    (W1 * step(W1**2 + W2**2 - 2) + W2, [0.3, 1.9, -0.9, 0.01]),
    (relu(W1 * W2 - 0.5) + W1, [0.3, 1.9, -0.9, 0.01]),
    (W1 + sign(W2 - W1**2), [0.3, 1.9, -0.9, 0.01]),
    (Abs(W1**2 - W2) + relu(W1), [0.3, 1.9, 0.9, 0.01]),
    (Max(W1**2, W2, W1 * W2), [0.3, 1.9, 0.9, 1.2]),
    (Max(W1**2 + W2**2, 4 * W1 * W2 - 1, W1), [0.3, 1.9, 0.9, 1.2]),
    (Abs(W2**2 - W1**3 - W1**2) + W1, [0.3, 1.9, -0.9, 0.1]),
    (Abs(exp(W1) - 1 - W2) * W1, [0.3, 1.9, -0.9, 0.1]),
    (W1 * sign(cos(W1) - W2) + W2**2 / 4, [0.3, 1.9, -0.9, 0.1]),
    (relu(W1 * W2 - 1), [0.0, 0.3, 0.0, 1.2]),
    (relu(W2 - W1**2) + relu(W1), [0.0, 0.3, 1.1, 0.0]),
    (sign(W1**2 - W2) + step(W1), [2.0, 1.0, 0.0, -1.0]),
]


FAST = (1, 5, 13, 14)
EACH = [pytest.param(*row, marks=() if k in FAST else pytest.mark.slow) for k, row in enumerate(LABELS)]


@functools.cache
def channel(label):
    return plane_channel(function_of_points(label, W), curved_label(label, W))


@pytest.mark.slow
def test_parts_of_arcs_between_close_zeros():
    """A parabola that dips below 0 on a short interval, on a straight arc."""
    x = arc_nodes()
    line = np.stack([x, 0 * x, 0 * x], axis=-1)[None]
    owner = np.zeros(1, dtype=np.int64)
    for width in (1e-2, 1e-4):
        parts, _ = clipped(line, owner, [lambda w, d=width: (w[:, 0] - 0.4) ** 2 - d**2])
        lengths = np.exp(parts[:, 0, 2])
        assert sorted(lengths) == pytest.approx([0.4 - width, 0.6 - width], abs=1e-9)
        inner, _ = clipped(line, owner, [lambda w, d=width: d**2 - (w[:, 0] - 0.4) ** 2])
        assert np.exp(inner[:, 0, 2]) == pytest.approx([2 * width], rel=1e-5)
    assert not len(clipped(line, owner, [lambda w: -1 - w[:, 0]])[0])


@pytest.mark.slow
def test_points_at_the_ends_of_arcs():
    """A zero where two arcs meet is found on both."""
    x = arc_nodes()
    arcs = np.stack([np.stack([x - 1, x], -1), np.stack([x, x + 1], -1)])
    found = points_where_zero(arcs, arcs[..., 0])
    np.testing.assert_allclose(found, [[0.0, 1.0]] * 2, atol=1e-12)


def test_sides_of_a_label():
    """Irreducible factors: lines among them are no curves, squares do not matter."""
    found = curved_label(Abs(W1 * (W1**2 - W2) * (W2 - 3) ** 2), W)
    assert found.lines == ((1.0, 0.0, 0.0),) and len(found.sides) == 2 and len(found.curves) == 1
    nested = curved_label(Max(W1**2, W2, W1 * W2 - 1), W)
    assert len(nested.curves) == 3 and len(nested.sides) == 4
    points = np.random.default_rng(0).standard_normal((50, 2))
    expected = np.max([points[:, 0] ** 2, points[:, 1], points.prod(1) - 1], axis=0)
    np.testing.assert_allclose(nested.value(points), expected)
    assert curved_label(Abs(W1) * W2, W) is None
    assert curved_label(W1 * W2, W) is None
    assert curved_label(sum(Abs(W1**2 - W2 - k) for k in range(4)), W) is None


@pytest.mark.draws(8, spread=True)
@pytest.mark.slow
@pytest.mark.parametrize(("label", "labels"), EACH)
def test_derivatives_are_those_of_log_z(label, labels):
    at = channel(label).at(np.array(labels))
    h = 1e-5
    log_z, g, minus_dg = at(OMEGA, VARIANCE)
    assert np.all(np.isfinite(log_z))
    for k in range(2):
        step_ = h * np.eye(2)[k]
        up, down = at(OMEGA + step_, VARIANCE), at(OMEGA - step_, VARIANCE)
        np.testing.assert_allclose((up[0] - down[0]) / (2 * h), g[:, k], rtol=1e-5, atol=1e-5)
        np.testing.assert_allclose((down[1] - up[1]) / (2 * h), minus_dg[:, k], rtol=3e-5, atol=3e-5)


@pytest.mark.draws(8, spread=True)
@pytest.mark.slow
@pytest.mark.parametrize(("label", "labels"), EACH)
def test_sum_rules(label, labels):
    """The integral of Z over labels is 1, those of its derivatives in omega are 0."""
    kind = channel(label)
    y, weights = np.zeros(0), np.zeros(0)
    if len(kind.singular):
        nodes = kind.nodes()
        y, weights = nodes.labels, nodes.weights
        assert weights @ nodes.curves.densities() == pytest.approx(
            1 - _atoms(kind, np.zeros(2), np.eye(2)), abs=3e-7
        )
    atoms = np.zeros(0) if kind.regions is None else kind.regions.values
    y, weights = np.concatenate([y, atoms]), np.concatenate([weights, np.ones(len(atoms))])
    for omega in OMEGA[:2]:
        log_z, g, minus_dg = kind.at(y)(np.tile(omega, (len(y), 1)), VARIANCE)
        p = weights * np.exp(log_z)
        assert p.sum() == pytest.approx(1, abs=3e-5)  # the nodes are those of N(0, I)
        np.testing.assert_allclose(p @ g, 0, atol=1e-4)
        second = np.einsum("n,ni,nj->ij", p, g, g) - np.einsum("n,nij->ij", p, minus_dg)
        np.testing.assert_allclose(second, 0, atol=2e-3)


def _atoms(kind, omega, variance):
    if kind.regions is None:
        return 0.0
    return float(kind.regions.probabilities(omega[None], variance)[0].sum())


@pytest.mark.slow
def test_density_by_integrals_along_the_curves():
    """|z1^2 - z2| = y on two parabolas; max(z1^2, z2) = y on a segment and two half-lines."""
    y, omega, inverse = 0.7, OMEGA[0], np.linalg.inv(VARIANCE)

    def density(z1, z2):
        d = np.array([z1, z2]) - omega
        return math.exp(-0.5 * d @ inverse @ d) / (2 * math.pi * math.sqrt(np.linalg.det(VARIANCE)))

    def integral(function, low, high):
        return quad(function, low, high, epsabs=1e-13, epsrel=1e-12, limit=200, points=[0.5 * (low + high)])[
            0
        ]

    distance = sum(integral(lambda x, s=s: density(x, x * x + s * y), -4, 5) for s in (1, -1))
    log_z = channel(Abs(W1**2 - W2)).at(np.array([y]))(omega[None], VARIANCE)[0]
    assert log_z == pytest.approx([math.log(distance)], abs=1e-10)
    root = math.sqrt(y)
    largest = integral(lambda x: density(x, y), -root, root)
    largest += sum(integral(lambda x, s=s: density(s * root, x), -7, y) for s in (1, -1)) / (2 * root)
    log_z = channel(Max(W1**2, W2)).at(np.array([y]))(omega[None], VARIANCE)[0]
    assert log_z == pytest.approx([math.log(largest)], abs=1e-10)


@pytest.mark.slow
def test_labels_that_are_no_side_of_few_curves_are_solved():
    """Four curves."""
    text = "abs(z1**2 - z2) + abs(z1**2 - z2 - 1) + abs(z1**2 - z2 + 1) + abs(z1**2 + z2)"
    assert isinstance(channel_of(text, seconds=4).kind, SolvedChannel)
    assert isinstance(channel_of("max(z1*z2, 1)", seconds=4).kind, PlaneChannel)
    assert Target(text).dimension == 2


@pytest.mark.slow
@pytest.mark.parametrize(
    "text",
    [
        "max(z1*z2, z1**2 - 1)",
        "abs(z1*z2 - 1)*z1**2",
        "sign(z1*z2 - 1/2)*z1**2",
    ],
)
def test_the_law_between_curves_against_bins(text):
    """1/alpha_c by level curves, in two refinements, and by points in bins, which know of no curve."""
    target = Target(text)
    coordinates = (variable(1), variable(2))
    law = plane_case(target.expression, coordinates)
    coarse, fine = (top_eigenvalue(law.quadrature(level)) for level in (1, 2))
    assert coarse == pytest.approx(fine, rel=1e-7)
    value = function_of_points(target.expression, coordinates)
    assert top_in_bins(value) == pytest.approx(fine, rel=5e-4)


@pytest.mark.slow
def test_points_of_some_labels_without_rare_ones():
    """Pieces of curves without a probable point are left out before they are cut: the others stay."""
    kind = channel_of("sin(z1)*z2", equivalent=True).kind
    assert isinstance(kind, PlaneChannel)
    whole = kind.label_nodes(0, 0.1)
    keep = np.repeat(whole.labels >= 0, np.diff(whole.starts)) & (whole.masses > 1e-9)
    found = kind.label_nodes(0, 0.1, lowest=0.0, least=1e-9)
    assert (found.labels >= 0).all() and len(found.points) < 0.6 * len(whole.points)
    rest = found.without_rare(1e-9)
    assert len(rest.points) == keep.sum()
    for moment in (np.ones_like, np.square):
        expected = whole.masses[keep] @ moment(whole.points[keep])
        assert rest.masses @ moment(rest.points) == pytest.approx(expected, rel=1e-12)
    chords = np.linalg.norm(np.diff(whole.points.reshape(-1, 10, 2), axis=1), axis=2)
    assert chords.sum(1).max() <= 0.4


def test_a_curve_of_many_pieces_is_left_to_other_cases():
    """A floor has a sign for each of its steps: 2^19 functions."""
    w = symbols("w1 w2", real=True)
    stairs = sum(sign(w[0] - k) for k in range(-9, 10))
    assert curved_label(Max(w[1] ** 2, stairs), w) is None
