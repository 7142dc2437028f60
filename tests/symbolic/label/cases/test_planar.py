"""Labels of two coordinates without structure."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest
from scipy.special import erf

from hermite_analytics.errors import UnsupportedExpression
from hermite_analytics.foundation.clock import TimeEnded, limited
from hermite_analytics.label.cases.parts.density import spacing
from hermite_analytics.label.cases.parts.smoothed import smoothed_density
from hermite_analytics.label.cases.plane import plane
from hermite_analytics.label.cases.plane.critical import critical_points, values_far_out, values_on_lines
from hermite_analytics.label.cases.plane.level_curves import level_curves
from hermite_analytics.label.cases.plane.patches import patches_of, sampled
from hermite_analytics.label.cases.plane.polygons import polygon_density
from hermite_analytics.label.cases.plane.prepared import plane_channel
from hermite_analytics.label.operator import top_eigenvalue
from tests.symbolic.label.bins import top_in_bins
from tests.symbolic.label.terms import LINEAR, RELU, SIGN, SINE, TANH, product_density, sum_density, threshold

AXES = [(1.0, 0.0, 0.0), (0.0, 1.0, 0.0)]


def of_two(g):
    return lambda w: g(w[:, 0], w[:, 1])


def law_of(g, lines=(), **options):
    return plane_channel(of_two(g), lines, **options).quadrature(2)


def assert_law(law, tolerance):
    """The sum rules E[1] = 1 and E[G(y)] = 0."""
    assert law.mass_defect < tolerance
    assert np.abs(np.einsum("n,nij->ij", law.weights, law.second)).max() < tolerance


def alpha_of(law):
    return 1 / top_eigenvalue(law)


@pytest.mark.cases(1)
@pytest.mark.parametrize(
    ("g", "lines", "alpha"),
    [
        (lambda x, y: x * y, [], 0.5937510982),
        (lambda x, y: np.abs(x) + np.abs(y), AXES, 1.0679875404),
        (lambda x, y: np.maximum(np.abs(x), np.abs(y)), [*AXES, (1, 1, 0), (1, -1, 0)], 1.0679875404),
        (lambda x, y: x * x + 3 * x * y, [], 0.5406130779),
    ],
)
def test_known_values(g, lines, alpha):
    law = law_of(g, lines)
    assert_law(law, 1e-9)
    assert alpha_of(law) == pytest.approx(alpha, abs=1e-9)


@pytest.mark.slow
def test_the_cases_agree():
    pairs = [
        (law_of(lambda x, y: np.tanh(x) * np.tanh(y)), product_density([TANH, TANH])),
        (law_of(lambda x, y: np.sin(x) + np.maximum(y, 0), AXES[1:]), sum_density([SINE, RELU])),
    ]
    for law, other in pairs:
        assert alpha_of(law) == pytest.approx(threshold(other), abs=2e-7)


def test_rotations_do_not_matter():
    c, s = math.cos(0.3), math.sin(0.3)
    cubic = law_of(lambda x, y: x * y + y**3)
    turned = law_of(lambda x, y: (c * x - s * y) * (s * x + c * y) + (s * x + c * y) ** 3)
    assert_law(turned, 1e-9)
    assert alpha_of(cubic) == pytest.approx(alpha_of(turned), rel=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("g", "lines"),
    [
        (lambda x, y: x**3 * y + y**3, []),
        (lambda x, y: np.exp(x) * y**2 + y, []),
        (lambda x, y: (x * x - 1) * y + y**3 - 3 * y, []),
        (lambda x, y: np.maximum(x + y, 0) * y, [(1, 1, 0)]),
        (lambda x, y: np.sign(x) + x * y, AXES[:1]),
    ],
)
def test_refinement(g, lines):
    channel = plane_channel(of_two(g), lines)
    coarse, fine = (channel.quadrature(level) for level in (1, 2))
    assert_law(coarse, 1e-8)
    assert_law(fine, 1e-9)
    assert alpha_of(coarse) == pytest.approx(alpha_of(fine), rel=1e-9)


def test_flat_parts_are_atoms():
    channel = plane_channel(of_two(lambda x, y: np.maximum(x, 0) * np.maximum(y, 0)), AXES)
    exact, tables = product_density([RELU, RELU], level=2), channel.tables(spacing(1))
    assert tables.atoms.tolist() == [0.0]
    np.testing.assert_allclose(tables.atom_values, exact.atom_values, atol=1e-10)
    assert alpha_of(channel.quadrature(2)) == pytest.approx(threshold(exact), rel=1e-9)
    assert threshold(tables) == pytest.approx(threshold(exact), rel=1e-9)


@pytest.mark.slow
def test_flat_parts_with_rounding_are_atoms():
    """relu(z1) + relu(z2) + relu(z3) given the sum: constant up to rounding where all are active."""
    forms = np.array([[1, 0, -1], [-1, 2, -1]]) / np.sqrt([[2], [6]])
    for total in (1.7, 0.3):
        lines = [(*forms[:, i], -total / 3) for i in range(3)]
        label = lambda w, t=total: np.maximum(w @ forms + t / 3, 0).sum(1)  # noqa: E731
        law, exact = plane_channel(label, lines).quadrature(2), polygon_density(label, lines)
        assert_law(law, 1e-9)
        assert alpha_of(law) == pytest.approx(threshold(exact), rel=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("total", [1.0, 1.7, 2.5])
def test_limits_far_out_are_ends_of_panels(total):
    """Where two of three erf are saturated with opposite signs the label is close to +-1/3.

    Single arcs that turn steep at the end of their box were off by 2e-8, and the whole by 1e-9 to 1e-11.
    """
    forms = np.array([[1, 0, -1], [-1, 2, -1]]) / np.sqrt([[2], [6]])
    label = lambda w: erf(w @ forms + total / math.sqrt(3)).sum(1) / 3  # noqa: E731
    channel = plane_channel(label, [])
    assert np.abs(channel.singular - 1 / 3).min() < 1e-12
    coarse, fine = channel.quadrature(0), channel.quadrature(2)
    assert_law(fine, 1e-11)
    assert alpha_of(coarse) == pytest.approx(alpha_of(fine), rel=3e-7)
    assert top_in_bins(label) == pytest.approx(1 / alpha_of(fine), rel=5e-4)


@pytest.mark.slow
def test_a_valley_ends_in_a_law_of_nearly_full_mass():
    """(w1 + w2)^2 + tanh(2 w1): curves of points that are all but critical."""
    law = plane_channel(of_two(lambda x, y: np.tanh(2 * x) + (x + y) ** 2), [], coarse=True).quadrature(0)
    assert law.mass_defect < 1e-3


def test_lost_mass_is_refused(monkeypatch):
    whole = plane.curves_of

    def half(*arguments):
        found = whole(*arguments)
        return dataclasses.replace(found, log_density=found.log_density - math.log(2))

    monkeypatch.setattr(plane, "curves_of", half)
    with pytest.raises(UnsupportedExpression, match=r"found have a total probability of 0\.(5|49999)"):
        plane_channel(of_two(lambda x, y: x * y), [])


def test_the_clock_is_looked_at():
    with limited(1e-9), pytest.raises(TimeEnded):
        plane_channel(of_two(lambda x, y: x * y), [])
    with limited(1e-9), pytest.raises(TimeEnded):
        product_density([TANH, TANH])


def test_steps_of_two_coordinates():
    law = law_of(lambda x, y: np.sign(x * y), AXES)
    assert alpha_of(law) == pytest.approx(threshold(product_density([SIGN, SIGN])), rel=1e-10)


def test_noise_after_a_label_of_the_plane():
    tables = plane_channel(of_two(lambda x, y: x * y), []).tables(spacing(1))
    assert threshold(smoothed_density(tables, 1.0)) == pytest.approx(1.1863871080, abs=2e-9)


def critical_values(patches, lines):
    return np.concatenate([critical_points(patches)[1], values_on_lines(patches, lines)])


def test_critical_values():
    # x^3/3 - x + y^2: a minimum at (1, 0), a saddle at (-1, 0)
    patches = patches_of(of_two(lambda x, y: x**3 / 3 - x + y * y), [])
    values = critical_values(patches, [])
    assert np.unique(np.round(values, 9)).tolist() == pytest.approx([-2 / 3, 2 / 3])


@pytest.mark.parametrize("a", [-1.5, -0.5, 0.0, 0.25, 1.0])
@pytest.mark.parametrize("b", [-0.5, 0.0, 0.75])
def test_a_critical_point_where_patches_meet(a, b):
    patches = patches_of(of_two(lambda x, y: x * x - 2 * a * x - y * y + 2 * b * y), [])
    assert np.abs(critical_values(patches, []) - (b * b - a * a)).min() < 1e-9


def test_critical_values_far_out():
    """cos(x) + 2 tanh(2y) tends to cos(x) +- 2, with -3, -1, 1, 3 as critical values; 1 and -1 are inside."""
    patches = patches_of(of_two(lambda x, y: np.cos(x) + 2 * np.tanh(2 * y)), [])
    assert np.abs(np.sort(values_far_out(patches)) - [-3, -1, 1, 3]).max() < 1e-9
    assert np.abs(np.sort(values_far_out(patches, [1.0])) - [-3, -1, 3]).max() < 1e-9
    assert len(values_far_out(patches_of(of_two(lambda x, y: x + y**3), []))) == 0


def test_critical_values_on_lines():
    # |x - 1| + x^2 + y^2: smallest, 3/4, at x = 1/2; on the kink, 1 at y = 0
    patches = patches_of(of_two(lambda x, y: np.abs(x - 1) + x * x + y * y), [(1, 0, 1)])
    values = np.unique(np.round(critical_values(patches, [(1, 0, 1)]), 9))
    assert values.tolist() == pytest.approx([0.75, 1.0])


def test_patches_carry_the_law():
    _, values, p = sampled(patches_of(of_two(lambda x, y: np.tanh(x) * y), [(1, 2, 0.5)]), 8)
    assert p.sum() == pytest.approx(1, abs=1e-10)
    assert (p * values**2).sum() == pytest.approx(0.394294490398, abs=1e-9)


def test_unknown_kinks_are_refused():
    with pytest.raises(UnsupportedExpression, match="not piecewise smooth off straight lines"):
        plane_channel(of_two(lambda x, y: np.abs(np.sin(40 * x)) + y), [])


def test_linear_labels_leave_nothing_else():
    nodes = law_of(lambda x, y: 0.6 * x + 0.8 * y)
    known = np.einsum("n,ni,nj->ij", nodes.weights, nodes.first, nodes.first)
    np.testing.assert_allclose(known, np.outer([0.6, 0.8], [0.6, 0.8]), atol=1e-9)
    assert LINEAR.tracked


def test_arcs_that_are_left_out():
    """Those of least density, and those of a small share of the density."""
    plane = patches_of(of_two(lambda x, y: np.sin(2 * x) * y), [])
    labels = np.array([0.3, np.nan, -1.0, 2.5])
    whole = level_curves(plane, labels)
    assert whole.starts[1] == whole.starts[2]
    least = np.array([1e-6, 1.0, 1e-9, 1e-7])
    rare = level_curves(plane, labels, least=least)
    share = level_curves(plane, labels, share=1e-8)
    for found, bounds in ((rare, 1.2 * least), (share, 1.2e-8 * whole.densities())):
        assert len(found.points) < len(whole.points)
        lost = whole.densities() - found.densities()
        missing = np.diff(whole.starts) - np.diff(found.starts)
        assert (lost >= -1e-15).all()
        assert (lost <= missing * bounds + 1e-15).all()


def test_curves_do_not_depend_on_the_other_labels():
    """They share the boxes that are divided."""
    plane = patches_of(of_two(lambda x, y: np.cos(2 * x) * y + x), [])
    labels = np.random.default_rng(2).standard_normal(300)
    together = level_curves(plane, labels).moments()
    alone = np.array([level_curves(plane, labels[[k]]).moments()[0] for k in range(0, 300, 50)])
    np.testing.assert_allclose(together[::50], alone, rtol=1e-9, atol=1e-9)
