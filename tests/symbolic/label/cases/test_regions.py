"""Gaussian moments of regions between curves and lines."""

import itertools
import math

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.special import log_ndtr, ndtr
from scipy.stats import multivariate_normal, ncx2

from hermite_analytics.errors import UnsupportedExpression
from hermite_analytics.label.cases.plane.boundaries import boundaries_of
from hermite_analytics.label.cases.plane.regions import Regions

OMEGA = np.random.default_rng(0).normal(size=(40, 2)) * 1.3
VARIANCE = np.array([[0.5, 0.2], [0.2, 0.3]])


def of(value, curves=(), lines=(), constant=None):
    return Regions(constant=constant or value, boundaries=boundaries_of(value, curves, lines))


def disc(w):
    return (w**2).sum(1) - 2


def parabola(w):
    return w[:, 1] - w[:, 0] ** 2 + 1


def hyperbola(w):
    return w[:, 0] * w[:, 1] - 0.5


def wave(w):
    return np.sin(3 * w[:, 1]) - w[:, 0]


def loop(w):
    return w[:, 1] ** 2 - w[:, 0] ** 2 * (w[:, 0] + 1)  # crosses itself at 0


def ids(value):
    return value.__name__ if callable(value) else None


CURVES = [disc, parabola, hyperbola, wave]


def signs(curve):
    return lambda w: np.sign(curve(w))


@pytest.mark.parametrize("variance", [1.0, 0.3, 0.01, 1e-5])
def test_probability_of_a_disc(variance):
    regions = of(signs(disc), [disc])
    log_z, _, _ = regions.moments(np.zeros(40, dtype=int), OMEGA, variance * np.eye(2))
    expected = ncx2.cdf(2 / variance, 2, (OMEGA**2).sum(1) / variance)
    assert np.abs(np.exp(log_z) - expected).max() < 1e-12


@pytest.mark.parametrize(("curve", "root"), [(parabola, lambda x: x**2 - 1), (hyperbola, None)], ids=ids)
def test_probability_beside_a_graph(curve, root):
    """By scipy's quadrature over the first coordinate."""
    regions = of(signs(curve), [curve])
    log_z, _, _ = regions.moments(np.ones(6, dtype=int), OMEGA[:6], VARIANCE)
    a, b, c = VARIANCE[0, 0], VARIANCE[0, 1], VARIANCE[1, 1]
    size = math.sqrt(c - b * b / a)

    def above(x, omega):
        wall = root(x) if root else 0.5 / x if x else math.inf
        mean = omega[1] + b / a * (x - omega[0])
        below = root is None and x < 0
        p = ndtr((wall - mean) / size if below else (mean - wall) / size)
        return p * math.exp(-((x - omega[0]) ** 2) / (2 * a)) / math.sqrt(2 * math.pi * a)

    for k in range(6):
        low, high = OMEGA[k, 0] - 7.5, OMEGA[k, 0] + 7.5
        parts = [low, *(x for x in (-0.3, -0.05, 0.0, 0.05, 0.3) if low < x < high), high]
        total = sum(
            quad(above, p, q, args=(OMEGA[k],), epsabs=1e-14, epsrel=1e-12, limit=200)[0]
            for p, q in itertools.pairwise(parts)
        )
        assert math.exp(log_z[k]) == pytest.approx(total, abs=1e-11)


def test_wedge_is_a_bivariate_normal_probability():
    value = lambda w: ((w[:, 0] > 0.3) & (w[:, 1] > w[:, 0])).astype(float)  # noqa: E731
    regions = of(value, lines=[(1, 0, 0.3), (-1, 1, 0)])
    log_z, _, _ = regions.moments(np.ones(5, dtype=int), OMEGA[:5], VARIANCE)
    forms = np.array([[1, 0], [-1, 1]])
    for k in range(5):
        law = multivariate_normal(-forms @ OMEGA[k], forms @ VARIANCE @ forms.T)
        assert math.exp(log_z[k]) == pytest.approx(law.cdf([-0.3, 0.0]), abs=1e-7)


@pytest.mark.parametrize("curve", [*CURVES, loop], ids=ids)
@pytest.mark.parametrize("code", [0, 1])
def test_moments_are_derivatives(curve, code):
    """g = d log Z/d omega, and its derivative, by central differences; error 1e-10/step at the crossing."""
    regions, codes, step = of(signs(curve), [curve]), np.full(40, code), 1e-4
    _, g, minus_dg = regions.moments(codes, OMEGA, VARIANCE)
    sides = [[regions.moments(codes, OMEGA + s * step * e, VARIANCE) for s in (1, -1)] for e in np.eye(2)]
    slopes = np.stack([(up[0] - down[0]) / (2 * step) for up, down in sides], axis=1)
    bends = np.stack([(up[1] - down[1]) / (2 * step) for up, down in sides], axis=1)
    tolerance = 3e-5 if curve is loop else 3e-6
    assert np.abs(g - slopes).max() < tolerance * max(1, np.abs(g).max())
    assert np.abs(minus_dg + bends).max() < tolerance * max(1, np.abs(minus_dg).max())


def test_several_curves_against_samples():
    """Four cells and a line; 5 points, 3 labels: |difference| < 4.5 standard errors, false alarm 1e-4."""

    def value(w):
        return np.sign(hyperbola(w)) + np.sign(w[:, 0] ** 2 - w[:, 1]) * np.sign(w[:, 0])

    regions = of(value, [hyperbola, lambda w: w[:, 0] ** 2 - w[:, 1]], [(1, 0, 0)])
    edges = regions.boundaries
    assert regions.values.tolist() == [-2, 0, 2] and min(edges.left.min(), edges.right.min()) == 0
    u = np.random.default_rng(1).standard_normal((400_000, 2)) @ np.linalg.cholesky(VARIANCE).T
    z, _ = regions.probabilities(OMEGA[:5], VARIANCE)
    assert np.abs(z.sum(1) - 1).max() < 1e-12
    for k in range(5):
        for c, label in enumerate(regions.values):
            p = float(np.mean(value(OMEGA[k] + u) == label))
            assert abs(p - z[k, c]) < 4.5 * math.sqrt(0.25 / len(u))


def test_all_labels_at_once_agree_with_one():
    regions = of(signs(wave), [wave])
    z, slope = regions.probabilities(OMEGA, VARIANCE)
    for code in (0, 1):
        log_z, g, _ = regions.moments(np.full(40, code), OMEGA, VARIANCE)
        assert z[:, code] == pytest.approx(np.exp(log_z), abs=1e-13)
        assert slope[:, code] == pytest.approx(g * np.exp(log_z)[:, None], abs=1e-12)


def test_a_far_region_keeps_its_digits():
    regions = of(lambda w: np.sign(w[:, 0] - 2.0), lines=[(1, 0, 2.0)])
    omega, size = np.array([[-3.0, 0.4], [1.0, 0.0]]), 0.05
    log_z, g, _ = regions.moments(np.ones(2, dtype=int), omega, size**2 * np.eye(2))
    distance = (2.0 - omega[:, 0]) / size
    assert log_z == pytest.approx(log_ndtr(-distance), rel=1e-12)
    hazard = np.exp(-0.5 * distance**2 - 0.5 * math.log(2 * math.pi) - log_ndtr(-distance)) / size
    assert g[:, 0] == pytest.approx(hazard, rel=1e-10) and np.abs(g[:, 1]).max() < 1e-8


@pytest.mark.parametrize("omega", [[1.0, 1.0], [math.sqrt(2), 0.0], [0.0, -math.sqrt(2)]])
def test_omega_on_a_boundary(omega):
    regions = of(signs(disc), [disc])
    log_z, _, _ = regions.moments(np.array([0, 1]), np.array([omega, omega]), 0.2 * np.eye(2))
    assert math.exp(log_z[0]) == pytest.approx(ncx2.cdf(10, 2, 10), abs=1e-11)
    assert np.exp(log_z).sum() == pytest.approx(1, abs=1e-12)


def test_omega_where_curves_cross():
    value = lambda w: np.sign(w[:, 0]) * np.sign(w[:, 1] - w[:, 0] ** 2)  # noqa: E731
    regions = of(value, [lambda w: w[:, 1] - w[:, 0] ** 2], [(1, 0, 0)])
    log_z, g, _ = regions.moments(np.array([0, 1]), np.zeros((2, 2)), np.eye(2))
    assert np.exp(log_z) == pytest.approx(0.5, abs=1e-11)  # odd in z1
    upper = 0.5 * quad(lambda x: ndtr(-x * x) * x * math.exp(-x * x / 2), 0, 9)[0] * 2
    mean = 2 * (2 * upper - 1) / math.sqrt(2 * math.pi)  # E[z1 | y = 1]
    assert g[1] == pytest.approx([mean, 0.0], abs=1e-10)


def test_a_label_that_varies_outside_a_disc():
    known = lambda w: np.where(disc(w) > 0, np.nan, 0.0)  # noqa: E731
    regions = of(lambda w: w[:, 0] * (disc(w) > 0), [disc], constant=known)
    edges = regions.boundaries
    assert regions.values.tolist() == [0.0] and set(edges.left + edges.right) == {-1}
    log_z, _, _ = regions.moments(np.zeros(40, dtype=int), OMEGA, 0.3 * np.eye(2))
    expected = ncx2.cdf(2 / 0.3, 2, (OMEGA**2).sum(1) / 0.3)
    assert np.abs(np.exp(log_z) - expected).max() < 1e-12


def test_what_is_no_curve_is_refused():
    with pytest.raises(UnsupportedExpression, match="no smooth curve: patches of probability"):
        boundaries_of(lambda w: np.sign(w[:, 1]), [lambda w: np.abs(w[:, 0]) ** 0.5 - w[:, 1]])
    with pytest.raises(UnsupportedExpression, match="too many singular points"):  # a cusp
        boundaries_of(lambda w: np.sign(w[:, 1]), [lambda w: w[:, 1] ** 2 - w[:, 0] ** 3])


def test_a_curve_that_the_label_does_not_see():
    found = boundaries_of(lambda w: np.zeros(len(w)), [disc])
    assert len(found.points) == 0 and boundaries_of(lambda w: w[:, 0], []).values.tolist() == []
    assert len(boundaries_of(lambda w: w[:, 0], [lambda w: (w**2).sum(1) + 1]).points) == 0
