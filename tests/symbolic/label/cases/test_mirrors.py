"""Sectors of symmetric labels."""

from __future__ import annotations

import math

import numpy as np
import pytest
import sympy
from scipy.special import erf

from hermite_analytics.codegen import compile
from hermite_analytics.label.cases.plane.case import plane_case
from hermite_analytics.label.cases.plane.mirrors import mirrors, sector_of, sector_of_label
from hermite_analytics.label.cases.plane.prepared import plane_channel
from hermite_analytics.label.operator import operator_matrix, top_eigenvalue
from hermite_analytics.label.symmetries import label_symmetries
from hermite_analytics.language.functions import relu

FORMS = np.array([[1, 0, -1], [-1, 2, -1]]) / np.sqrt([[2], [6]])
THREE = [tuple(FORMS[:, i] - FORMS[:, j]) for i, j in ((0, 1), (0, 2), (1, 2))]
w1, w2, x1 = sympy.symbols("w1 w2 x1", real=True)


@pytest.mark.parametrize("normals", [[], [(1.0, 2.0)], [(1.0, 0.0), (0.0, 1.0)], THREE])
def test_copies_make_the_whole_plane(normals):
    """Each orbit of points meets the sector once, and moments of all copies are those of the orbit."""
    sector = sector_of(normals)
    assert sector.copies == 2 * len(normals) or sector.copies == 1
    points = np.random.default_rng(5).standard_normal((4000, 2))
    share = sector.contains(points).mean()
    assert share == pytest.approx(1 / sector.copies, abs=0.05)  # more than 6 standard errors
    if not normals:
        return
    w = points[sector.contains(points)][0]
    images = [turn @ w for turn in sector.group()]
    assert len({tuple(np.round(v, 9)) for v in images}) == sector.copies  # an orbit
    np.testing.assert_allclose(images[0], w)
    a = np.array(normals[0]) / np.linalg.norm(normals[0])
    mirrored = w - 2 * a * (a @ w)
    assert min(np.abs(v - mirrored).max() for v in images) < 1e-12
    assert sum(bool(sector.contains(v[None])[0]) for v in images) == 1


def test_mirrors_at_other_angles_are_used_one_by_one():
    found = sector_of([(1.0, 0.0), (math.cos(1.1), math.sin(1.1))])
    assert (found.copies, found.angle) == (2, pytest.approx(math.pi))


@pytest.mark.slow
@pytest.mark.parametrize("total", [0.9, 4.3])
def test_a_sector_is_enough(total):
    def label(w):
        return erf(w @ FORMS + total / 3).sum(1)

    sectors = [sector_of(m) for m in ([], THREE[:1], THREE)]
    whole, half, sixth = (plane_channel(label, [], sector=s).quadrature(1) for s in sectors)
    for law in (whole, half, sixth):
        assert law.mass_defect < 1e-9
        np.testing.assert_allclose(operator_matrix(law), operator_matrix(whole), atol=1e-8)


@pytest.mark.slow
def test_atoms_in_sectors():
    label = lambda w: np.maximum(w, 0).prod(1)  # noqa: E731
    axes = [(1.0, 0.0, 0.0), (0.0, 1.0, 0.0)]
    whole, half = (plane_channel(label, axes, sector=sector_of(m)) for m in ([], [(1, -1)]))
    np.testing.assert_allclose(half.quadrature(1).weights[0], whole.quadrature(1).weights[0], atol=1e-12)
    np.testing.assert_allclose(
        operator_matrix(half.quadrature(1)), operator_matrix(whole.quadrature(1)), atol=1e-8
    )


@pytest.mark.parametrize(
    ("signal", "expected"),
    [
        (sympy.erf(w1 + x1) + sympy.erf(w2 + x1), [(1, -1)]),
        (sympy.exp(-((w1 - w2) ** 2)) + w1**2 * w2**2, [(1, -1), (1, 1)]),
        (sympy.Abs(w1) * sympy.cos(w2), [(1, 0), (0, 1)]),
        (w1 * w2**3, []),
        (sympy.tanh(w1) + 2 * sympy.tanh(w2), []),
    ],
)
def test_mirrors_of_a_label(signal, expected):
    found = mirrors(signal, (w1, w2), (x1,))
    assert len(found) == len(expected)
    for a, b in expected:
        assert any(abs(a * n - b * m) < 1e-12 for m, n in found)


def test_three_mirrors_of_a_committee():
    forms = [sympy.sqrt(6) * w1 / 3, -sympy.sqrt(6) * w1 / 6 + sympy.sqrt(2) * w2 / 2]
    forms += [-sympy.sqrt(6) * w1 / 6 - sympy.sqrt(2) * w2 / 2]
    label = sympy.Add(*(sympy.tanh(f + sympy.sqrt(3) * x1 / 3) for f in forms))
    assert len(mirrors(label, (w1, w2), (x1,))) == 3
    assert len(mirrors(label + sympy.tanh(forms[0]), (w1, w2), (x1,))) == 1


@pytest.mark.parametrize(
    ("signal", "copies", "turned"),
    [
        (sympy.sin(3 * w1) * sympy.sin(w2), 2, True),
        (w1 * w2**3 + w1**2, 2, True),
        (w1**2 - w2**2, 4, False),
        (w1**3 + w2, 1, False),
        (relu(w1 * w2 - 1) + w1**2, 2, True),
    ],
)
def test_maps_of_a_label(signal, copies, turned):
    sector = sector_of_label(signal, (w1, w2), label_symmetries(signal, (w1, w2)))
    assert (sector.copies, sector.turned) == (copies, turned)
    points = np.random.default_rng(3).standard_normal((20, 2))
    label = compile(signal, (w1, w2), backend="array")
    for turn in sector.group():
        np.testing.assert_allclose(label(*(points @ turn.T).T), label(*points.T))


@pytest.mark.draws(1)
@pytest.mark.slow
@pytest.mark.parametrize("signal", [w1 * w2**3 + w1 * w2, sympy.sin(2 * w1) * sympy.sin(w2)])
def test_images_of_nodes(signal):
    """Half of the plane and labels of one sign have the law, and the nodes, of all of it."""
    whole = plane_channel(lambda w: sympy.lambdify((w1, w2), signal)(*w.T), [])
    found = plane_case(signal, (w1, w2))
    assert found is not None
    assert found.odd is not None
    assert found.sector.turned
    law, expected = found.quadrature(1), whole.quadrature(1)
    np.testing.assert_allclose(operator_matrix(law), operator_matrix(expected), atol=1e-8)
    nodes = found.nodes(1)
    assert len(nodes.labels) == len(nodes.weights) == len(nodes.curves.starts) - 1
    assert nodes.weights @ nodes.curves.densities() == pytest.approx(law.weights.sum(), abs=1e-13)
    points, starts = nodes.curves.points, nodes.curves.starts
    on_curves = found.value(points.reshape(-1, 2)).reshape(points.shape[:2])
    expected_labels = np.repeat(nodes.labels, np.diff(starts))[:, None] + np.zeros(points.shape[1])
    np.testing.assert_allclose(on_curves, expected_labels, atol=1e-9 * np.abs(nodes.labels).max())


@pytest.mark.parametrize(
    ("signal", "plain"),
    [
        (w1**2 - w2**2 + w1 * w2, w1 * w2),
        (abs(2 * w1 - w2) - abs(w1 + 2 * w2), abs(w1) - abs(w2)),
    ],
)
def test_quarter_turns_that_change_the_sign(signal, plain):
    """The same law up to a number, in axes that are turned; a quarter turn changes its sign."""
    matrices = [s.matrix for s in label_symmetries(signal, (w1, w2)) if s.sign < 0]
    assert any(not np.array_equal(m, m.T) for m in matrices)
    found, expected = (top_eigenvalue(plane_case(f, (w1, w2)).quadrature()) for f in (signal, plain))
    assert found == pytest.approx(expected, abs=1e-9)
