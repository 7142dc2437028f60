"""Sectors of symmetric labels."""

from __future__ import annotations

import math

import numpy as np
import pytest
import sympy
from scipy.special import erf

from hermite_analytics.label.plane.mirrors import sector_of
from hermite_analytics.label.plane.singular import planar_density
from hermite_analytics.thresholds.mirrors import mirrors
from tests.symbolic.label.terms import check_law, threshold

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
    a = np.array(normals[0]) / np.linalg.norm(normals[0])
    image = w - 2 * a * (a @ w)

    def channels(v):
        return np.array([1, v[0], v[1], v[0] ** 2 - 1, v[0] * v[1], v[1] ** 2 - 1])

    whole = sector.whole(channels(w))
    np.testing.assert_allclose(whole, sector.whole(channels(image)), atol=1e-12)
    assert whole[0] == pytest.approx(sector.copies)
    assert whole[3] + whole[5] == pytest.approx(sector.copies * (w @ w - 2))
    if len(normals) == 1:
        np.testing.assert_allclose(whole, channels(w) + channels(image), atol=1e-12)


def test_mirrors_at_other_angles_are_used_one_by_one():
    found = sector_of([(1.0, 0.0), (math.cos(1.1), math.sin(1.1))])
    assert (found.copies, found.angle) == (2, pytest.approx(math.pi))


@pytest.mark.parametrize("total", [0.9, 4.3])
def test_a_sector_is_enough(total):
    def label(w):
        return erf(w @ FORMS + total / 3).sum(1)

    whole, half, sixth = (planar_density(label, level=0.6, mirrors=m) for m in ([], THREE[:1], THREE))
    for law in (whole, half, sixth):
        check_law(law, 1e-6)
        assert threshold(law) == pytest.approx(threshold(whole), rel=1e-7)


def test_atoms_in_sectors():
    label = lambda w: np.maximum(w, 0).prod(1)  # noqa: E731
    axes = [(1.0, 0.0, 0.0), (0.0, 1.0, 0.0)]
    whole, half = (planar_density(label, lines=axes, mirrors=m) for m in ([], [(1, -1)]))
    np.testing.assert_allclose(half.atom_values, whole.atom_values, atol=1e-10)


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
