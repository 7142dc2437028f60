"""Labels of three coordinates: cells between planes, pieces, level surfaces, the quadrature over labels."""

from __future__ import annotations

import dataclasses
import itertools
import math

import numpy as np
import pytest
from scipy import stats
from scipy.integrate import quad
from scipy.special import k0
from sympy import Max, exp, sin, sqrt, symbols, tanh

from hermite_analytics.errors import UnsupportedExpression
from hermite_analytics.label.cases.label_range import LabelRange
from hermite_analytics.label.cases.space.critical_labels import critical_points
from hermite_analytics.label.cases.space.level_surfaces import lattice_of, surface_points, volume_points
from hermite_analytics.label.cases.space.pieces import piecewise_label
from hermite_analytics.label.cases.space.space import SpaceChannel
from hermite_analytics.label.cases.space.wedges import cells_between
from hermite_analytics.label.function_of_points import function_of_points
from hermite_analytics.label.symmetries import label_symmetries

W = symbols("w1 w2 w3", real=True)
W1, W2, W3 = W
PLANES = {
    "none": [],
    "one": [(1, 0, 0, 0.5)],
    "oblique": [(1, -1, 0, 0), (0, 1, -1, 0), (1, 0, -1, 0)],
    "parallel": [(1, 0, 0, -1), (2, 0, 0, 2), (0, 1, 1, 0.3), (-1, 0, 0, -7)],
    "many": [(1, -1, 0, 0), (1, 1, 0, 0), (0, 1, -1, 0), (0, 1, 1, 0), (0, 0, 1, 0)],
}


def channel_of_label(expr, symmetric=True):
    label = piecewise_label(expr, W)
    return SpaceChannel.of(label, label_symmetries(expr, W) if symmetric else ())


@pytest.mark.parametrize("planes", PLANES.values(), ids=PLANES)
def test_cells_fill_space_once_and_touch_no_plane(planes):
    cells = cells_between(planes)
    points = 2 * np.random.default_rng(0).standard_normal((2000, 3))
    assert sum(c.holds(points).astype(int) for c in cells).tolist() == [1] * 2000
    for a, b, c, d in planes:
        side = points @ (a, b, c) > d
        assert all(len(set(side[cell.holds(points)])) <= 1 for cell in cells)


@pytest.mark.cases(2)
@pytest.mark.parametrize("planes", PLANES.values(), ids=PLANES)
def test_probabilities_of_cells(planes):
    """Equal steps of s integrate a Gaussian density: what is left out lies within e^-13 of the faces."""
    found = [volume_points(c, 0.35) for c in cells_between(planes)]
    moments = sum(np.einsum("n,ni,nj->ij", p, w, w) for w, p in found)
    assert sum(p.sum() for _, p in found) == pytest.approx(1, abs=2e-5)
    assert moments == pytest.approx(np.eye(3), abs=2e-5)


def test_planes_that_are_not_taken():
    assert cells_between([(1, 0, 0, 0), (0, 1, 0, 0), (1, 1, 0, 1)]) is None
    assert cells_between([(1, k, k * k, 0) for k in range(10)]) is None


def test_planes_that_are_no_kinks_divide_products():
    cells = cells_between([(1, 0, 0, 0)], [(1, 0, 0, 2), (0, 0, 1, -1)], cut=True)
    assert len(cells) == 3 * 2 * 2
    assert len(cells_between([(1, 0, 0, 0)], [(1, 0, 0, 2), (0, 0, 1, -1)])) == 3 * 2
    assert sum(int(c.kinks.sum()) for c in cells) == 8  # both sides of w1 = 0


@pytest.mark.slow
@pytest.mark.parametrize(
    "expr", [Max(W1, W2, W3), abs(W1 * W2) + W3**2, Max(W1, W2) * sin(W3), tanh(W1) * exp(W2) + abs(W3 - 1)]
)
def test_pieces_and_their_gradients(expr):
    label = piecewise_label(expr, W)
    points = np.random.default_rng(1).standard_normal((300, 3))
    for cell in cells_between(label.planes):
        at, inside = label.piece(cell), points[cell.holds(points)]
        y, gradient = at(inside)
        values = [float(expr.subs(dict(zip(W, p, strict=True)))) for p in inside[:3]]
        assert y[:3] == pytest.approx(values, rel=1e-12)
        for k in range(3):
            step = 1e-6 * np.eye(3)[k]
            change = (at(inside + step)[0] - at(inside - step)[0]) / 2e-6
            assert gradient[:, k] == pytest.approx(change, abs=1e-7)


def test_labels_without_pieces():
    assert piecewise_label(abs(W1**2 + W2**2 + W3**2 - 1), W) is None
    assert piecewise_label(Max(W1 * W2, W2 * W3 + 1, W1 * W3), W) is None  # graphs that meet off planes
    assert piecewise_label(W1 * W2, (W1, W2)) is None


@pytest.mark.slow
@pytest.mark.parametrize("y", [0.3, 2.0, 9.0])
def test_spheres(y):
    label = piecewise_label(W1**2 + W2**2 + W3**2, W)
    cell = cells_between([], cut=True)[0]
    found = surface_points(lattice_of(cell, label.piece(cell), 0.2), np.array([y]))
    assert (found.points**2).sum(1) == pytest.approx(np.full(len(found.points), y), rel=1e-6)
    assert 8 * found.masses.sum() == pytest.approx(stats.chi2(3).pdf(y), rel=3e-4)
    fourth = found.masses @ found.points[:, 1] ** 4 / found.masses.sum()
    assert fourth == pytest.approx(y**2 / 5, rel=1e-4)


@pytest.mark.slow
def test_surfaces_that_cross_beside_a_curve_of_critical_points():
    """y = z1 (1 + z2 z3): given z1 = x the density of 1 + z2 z3 is K0(|y/x - 1|)/pi at y/x."""
    nodes = channel_of_label(W1 * W2 * W3 + W1).label_nodes(0)

    def moment(y, k):
        def along(t):
            x = np.exp(t)
            both = x**k * k0(abs(y / x - 1)) + (-x) ** k * k0(y / x + 1)
            return np.exp(-x * x / 2) / math.sqrt(2 * math.pi) * both

        middle = math.log(y)
        ends = [middle - 8, middle - 1, middle, middle + 1, max(middle + 1.1, 2.2)]
        return sum(quad(along, a, b, limit=300, epsabs=1e-12)[0] for a, b in itertools.pairwise(ends))

    for k in range(8, 40, 8):
        part = slice(nodes.starts[k], nodes.starts[k + 1])
        z, p, y = nodes.points[part, 0], nodes.masses[part], nodes.labels[k]
        for power in (1, 2):
            exact = moment(y, power) / moment(y, 0)
            assert p @ z**power / p.sum() == pytest.approx(exact, rel=5e-4)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("expr", "symmetric"),
    [
        (W1 * W2 * W3, True),
        (W1 * W2 + W3, True),
        (abs(W1) + abs(W2) + abs(W3), True),
        (tanh(W1) + tanh(W2) * W3, True),
        (Max(0, W1 * W2 * W3), True),
        (Max(W1, W2, W3), False),
    ],
)
def test_probabilities_of_labels(expr, symmetric):
    """The sum of the probabilities, and the moments of z; without symmetries also the mixed ones."""
    nodes = channel_of_label(expr, symmetric).label_nodes(0)
    assert nodes.defect < 5e-5
    assert nodes.masses.sum() == pytest.approx(1, abs=1e-12)
    second = np.einsum("n,ni,nj->ij", nodes.masses, nodes.points, nodes.points)
    assert np.diag(second) == pytest.approx(np.ones(3), abs=3e-4)
    if not symmetric:
        assert second == pytest.approx(np.eye(3), abs=3e-4)


@pytest.mark.slow
def test_flat_cells_are_atoms():
    nodes = channel_of_label(Max(0, W1 * W2 * W3)).label_nodes(0)
    atom = int(np.flatnonzero(nodes.labels == 0)[0])
    assert nodes.masses[nodes.starts[atom] : nodes.starts[atom + 1]].sum() == pytest.approx(0.5, abs=1e-5)


@pytest.mark.slow
def test_critical_points_of_all_kinds():
    cells = cells_between([(1, 0, 0, 0)])
    inner = piecewise_label(abs(W1) * (W2**2 - 1) ** 2 + W3**2, W)
    labels = np.concatenate([critical_points(c, inner.piece(c)).labels for c in cells])
    assert float(np.abs(labels).max()) < 1e-9  # of the kink's face and of the lines w2 = 1, -1
    along = piecewise_label(W1**2 * W2 + W3**3 - 3 * W3, W)  # lines w1 = 0, w3 = 1 or -1
    lines = [p for c in cells for p in critical_points(c, along.piece(c)).lines]
    assert {round(c * d, 6) for a, b, c, d in lines if abs(c) > 0.99} == {-1, 1}
    far = piecewise_label(tanh(W1) + tanh(W2) + tanh(W3), W)
    found = np.concatenate([critical_points(c, far.piece(c)).labels for c in cells_between([])])
    assert sorted(set(np.round(found, 9))) == [-3, -1, 1, 3]


def test_second_derivatives_that_are_none_move_nothing():
    """As in the tails of a Gaussian factor: their inverse is beyond double precision."""
    found = critical_points(cells_between([])[0], lambda w: (1e-309 * (w**2).sum(-1), 2e-309 * w))
    assert np.isfinite(found.labels).all()


@pytest.mark.parametrize(
    ("singular", "law"),
    [([], stats.norm()), ([0.0], stats.chi2(1)), ([0.0], stats.chi2(6)), ([0.0, 1.0], stats.beta(0.5, 0.5))],
)
def test_quadrature_over_labels(singular, law):
    least, largest = law.ppf([1e-13, 1 - 1e-13])
    low, middle, high = law.ppf([0.25, 0.5, 0.75])
    labels = LabelRange(
        singular=np.array(singular), least=least, largest=largest, middle=middle, spread=high - low
    )
    y, weights = labels.nodes(0.4)
    assert np.all(np.diff(y) > 0)
    assert weights @ law.pdf(y) == pytest.approx(1, abs=3e-5)


def test_kinks_in_general_position_are_refused():
    label = piecewise_label(abs(W1) + abs(W1 + W2 - 1) + abs(W2) + W3, W)
    with pytest.raises(UnsupportedExpression, match="kinks of the label on planes in general position"):
        SpaceChannel.of(
            dataclasses.replace(label, planes=((1, 0, 0, 0), (0, 1, 0, 0), (1, 1, 0, 1)), graphs=None)
        )


COLUMNS = {
    "saddle": Max(W1 * W2, W3),
    "two saddles": Max(abs(W1 * W2), W3),
    "a quotient": abs(W1**2 + W2 * W3),
    "planes in general position": abs(W1) + abs(W1 + W2 - 1) + abs(W2) + W3,
    "a wave": Max(sin(W1), W2) + W3,
    "bounded below": Max(W1 * W2 * W3, 1),
}


@pytest.mark.parametrize("expr", COLUMNS.values(), ids=COLUMNS)
def test_columns_fill_space_once_and_touch_no_kink(expr):
    label = piecewise_label(expr, W)
    points = 2 * np.random.default_rng(0).standard_normal((2000, 3))
    inside = [c.holds(points) for c in label.cells()]
    assert sum(x.astype(int) for x in inside).tolist() == [1] * 2000
    value = function_of_points(expr, W)
    for cell, own in zip(label.cells(), inside, strict=True):
        assert label.piece(cell)(points[own])[0] == pytest.approx(value(points[own]), rel=1e-12, abs=1e-12)


@pytest.mark.parametrize("expr", COLUMNS.values(), ids=COLUMNS)
def test_coordinates_of_columns(expr):
    """Derivatives by differences, in u and on the lattice; the probability of all columns is 1."""
    label = piecewise_label(expr, W)
    total = 0.0
    for cell in label.cells():
        _, p = volume_points(cell, 0.35)
        total += p.sum()
        u, piece = np.random.default_rng(1).uniform(0.2, 0.8, (20, 3)), label.piece(cell)
        slopes = cell.slopes(u, piece(cell.places(u))[1])
        for k, unit in enumerate(1e-6 * np.eye(3)):
            change = (piece(cell.places(u + unit))[0] - piece(cell.places(u - unit))[0]) / 2e-6
            assert slopes[:, k] == pytest.approx(change, rel=1e-6, abs=1e-6)
        axes = [np.array([-0.4, 0.3]) + 1e-6 * s for s in (0, 1, -1)]
        here = cell.mapped([axes[0]] * 3)
        slopes, jacobian = here.slopes(piece(here.points)[1]), np.empty((3, 3, 2, 2, 2))
        for k in range(3):
            ends = [cell.mapped([axes[s] if i == k else axes[0] for i in range(3)]).points for s in (1, 2)]
            jacobian[k] = np.moveaxis(ends[0] - ends[1], -1, 0) / 2e-6
            change = (piece(ends[0])[0] - piece(ends[1])[0]) / 2e-6
            assert slopes[k] == pytest.approx(change, rel=1e-5, abs=1e-6)
        found = np.abs(np.linalg.det(np.moveaxis(jacobian, (0, 1), (-2, -1))))
        assert here.jacobian == pytest.approx(found, rel=1e-5, abs=1e-9)
    assert total == pytest.approx(1, abs=4e-5)


@pytest.mark.slow
@pytest.mark.parametrize("expr", [Max(W1 * W2, W3), abs(W1**2 + W2 * W3), sqrt(W1**2 + W2**2) * W3])
def test_surfaces_beside_what_is_not_smooth(expr):
    """In columns, and beside an axis: probability 1 and the mixed moments; two moments of max(z1 z2, z3)."""
    nodes = channel_of_label(expr).label_nodes(0)
    assert nodes.defect < 1e-4
    second = np.einsum("n,ni,nj->ij", nodes.masses, nodes.points, nodes.points)
    assert second == pytest.approx(np.eye(3), abs=1e-4)
    if expr.has(Max):  # E y = E|z1 z2 - z3|/2 and E y^2 = 1 as both have the same square
        p = np.add.reduceat(nodes.masses, nodes.starts[:-1])
        spread = quad(lambda x: math.sqrt((1 + x * x) / (2 * math.pi)) * 2 * stats.norm.pdf(x), 0, 9)[0]
        assert p @ nodes.labels == pytest.approx(spread, abs=1e-4)
        assert p @ nodes.labels**2 == pytest.approx(1, abs=2e-4)
