"""State evolution of labels of two coordinates that break along curves, against brute-force posteriors."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import chi2, norm
from sympy import symbols

import hermite_analytics as ha
from hermite_analytics.label.cases.plane.curved_label import curved_label
from hermite_analytics.label.cases.plane.prepared import plane_channel
from hermite_analytics.label.function_of_points import function_of_points
from hermite_analytics.numeric import StateEvolution
from hermite_analytics.numeric.bayes.maps.label_map import LabelMap
from hermite_analytics.numeric.status import Status

GRID = np.linspace(-8, 8, 3200)[None]  # without 0
SAMPLES = 1000


def of_maximum(y):
    """max(z1^2, z2): z2 = y and z1^2 < y, or z1^2 = y and z2 < y."""
    root = np.sqrt(np.maximum(y, 0))
    flat = GRID, y + 0 * GRID, y > GRID**2, 1.0
    return [flat, *((s * root + 0 * GRID, GRID, (y > GRID) & (y > 0), 0.5 / root) for s in (1, -1))]


def of_distance(y):
    """|z1^2 - z2|."""
    return [(GRID, GRID**2 - s * y, y > 0, 1.0) for s in (1, -1)]


def of_hyperbola(y):
    """|z1 z2 - 1|: z1 = s e^t, dz1/|z1| = dt."""
    t = np.linspace(-9, 3, 3001)[None]
    return [
        (s * np.exp(t) + 0 * y, s * (1 + u * y) * np.exp(-t), y > 0, 1.0) for s in (1, -1) for u in (1, -1)
    ]


def of_circle(y):
    """z1 step(|z|^2 - 2) + z2."""
    return [
        (GRID, y - GRID, GRID**2 + (y - GRID) ** 2 > 2, 1.0),
        (GRID, y + 0 * GRID, GRID**2 + y**2 < 2, 1.0),
    ]


def of_product(y):
    """relu(z1 z2 - 1/2) + z1."""
    kinked = GRID, (y + 0.5) / GRID - 1, y > GRID, 1 / np.abs(GRID)
    return [(y + 0 * GRID, GRID, y * GRID < 0.5, 1.0), kinked]


def of_jump(y):
    """z1 + sign(z2 - z1^2)."""
    return [(y - s + 0 * GRID, GRID, s * (GRID - (y - s) ** 2) > 0, 1.0) for s in (1, -1)]


LABELS = {
    "max(z1**2,z2)": (lambda z: np.maximum(z[:, 0] ** 2, z[:, 1]), of_maximum),
    "abs(z1**2-z2)": (lambda z: np.abs(z[:, 0] ** 2 - z[:, 1]), of_distance),
    "abs(z1*z2-1)": (lambda z: np.abs(z[:, 0] * z[:, 1] - 1), of_hyperbola),
    "z1*step(z1**2+z2**2-2)+z2": (lambda z: z[:, 0] * ((z**2).sum(1) > 2) + z[:, 1], of_circle),
    "relu(z1*z2-1/2)+z1": (lambda z: np.maximum(z.prod(1) - 0.5, 0) + z[:, 0], of_product),
    "z1+sign(z2-z1**2)": (lambda z: z[:, 0] + np.sign(z[:, 1] - z[:, 0] ** 2), of_jump),
}


def posterior_mean(pieces, omega, variance):
    """g_out from the points of each sample's curves."""
    inverse = np.linalg.inv(variance)
    total, first = np.zeros((len(omega), 1)), np.zeros((len(omega), 2))
    for z1, z2, inside, weight in pieces:
        d1, d2 = z1 - omega[:, :1], z2 - omega[:, 1:]
        x = inverse[0, 0] * d1**2 + 2 * inverse[0, 1] * d1 * d2 + inverse[1, 1] * d2**2
        with np.errstate(all="ignore"):
            p = np.where(inside, weight * np.exp(-0.5 * x), 0.0)
        p *= GRID[0, 1] - GRID[0, 0] if p.shape[1] == GRID.shape[1] else 12 / 3000
        total += p.sum(1, keepdims=True)
        first += np.stack([(p * d1).sum(1), (p * d2).sum(1)], -1)
    return first / total @ inverse


def kind_of(text):
    """The channel in the coordinates z1, z2."""
    signal = ha.Target(text).expression
    coordinates = tuple(sorted(signal.free_symbols, key=str))
    return plane_channel(function_of_points(signal, coordinates), curved_label(signal, coordinates))


@pytest.mark.draws(3, spread=True)
@pytest.mark.slow
@pytest.mark.parametrize("text", LABELS)
def test_map_by_sampling(text):
    """Within 4.5 standard errors in each entry: 1e-4 for all."""
    value, pieces = LABELS[text]
    matrix = np.array([[0.5, 0.15], [0.15, 0.35]])
    rng = np.random.default_rng(7)
    values, axes = np.linalg.eigh(matrix)
    z = rng.standard_normal((SAMPLES, 2))
    omega = z @ matrix + rng.standard_normal((SAMPLES, 2)) @ (
        (axes * np.sqrt(values * (1 - values))) @ axes.T
    )
    g = posterior_mean(pieces(value(z)[:, None]), omega, np.eye(2) - matrix)
    map_ = LabelMap.of_points(kind_of(text), ())
    found = map_(matrix)
    products = np.einsum("ni,nj->nij", g, g)
    assert np.all(np.abs(products.mean(0) - found) < 4.5 * products.std(0) / math.sqrt(SAMPLES))
    np.testing.assert_allclose(map_(matrix, level=0), found, rtol=1e-5, atol=1e-5)


@pytest.mark.slow
def test_map_with_a_constant_by_sampling():
    """relu(z1 z2 - 1): the posterior of y = 0 on a grid of the plane."""
    matrix = np.array([[0.5, 0.15], [0.15, 0.35]])
    rng = np.random.default_rng(11)
    values, axes = np.linalg.eigh(matrix)
    z = rng.standard_normal((400, 2))
    omega = z @ matrix + rng.standard_normal((400, 2)) @ ((axes * np.sqrt(values * (1 - values))) @ axes.T)
    y = np.maximum(z.prod(1) - 1, 0)
    x = np.linspace(-6, 6, 241)
    w1, w2 = (a.ravel()[None] for a in np.meshgrid(x, x))
    w1, w2 = w1[w1 * w2 < 1][None], w2[w1 * w2 < 1][None]
    variance = np.eye(2) - matrix
    t = np.linspace(-9, 3, 3001)[None]
    g = np.empty((400, 2))
    for rows in np.array_split(np.flatnonzero(y == 0), 8):
        g[rows] = posterior_mean([(w1, w2, True, 1.0)], omega[rows], variance)
    rows = np.flatnonzero(y > 0)
    level = 1 + y[rows, None]
    curves = [(s * np.exp(t) + 0 * level, s * level * np.exp(-t), True, 1.0) for s in (1, -1)]
    g[rows] = posterior_mean(curves, omega[rows], variance)
    products = np.einsum("ni,nj->nij", g, g)
    found = LabelMap.of_points(kind_of("relu(z1*z2-1)"), ())(matrix)
    assert np.all(np.abs(products.mean(0) - found) < 4.5 * products.std(0) / math.sqrt(400))


@pytest.mark.slow
def test_first_slope_of_a_maximum_in_closed_form():
    """F(0): p(y) E[z2 | y] = y phi(y) P(z1^2 < y) - p_1(y) phi(y), p_1 the density of z1^2."""

    def integrand(x):
        y = x * x
        joint = y * norm.pdf(y) * chi2.cdf(y, 1) - chi2.pdf(y, 1) * norm.pdf(y)
        density = norm.pdf(y) * chi2.cdf(y, 1) + chi2.pdf(y, 1) * norm.cdf(y)
        return 2 * x * joint**2 / density

    expected = quad(integrand, 0, 1, epsabs=1e-13)[0] + quad(integrand, 1, 6, epsabs=1e-13)[0]
    found = LabelMap.of_points(kind_of("max(z1**2,z2)"), ())(np.zeros((2, 2)))
    assert found == pytest.approx(np.diag([0.0, expected]), abs=3e-7)


@pytest.mark.slow
@pytest.mark.parametrize(
    "text",
    [
        "relu(z1**2+z2**2-2)",
        pytest.param("relu(z1*z2-1)", marks=pytest.mark.slow),
        pytest.param("abs(z1*z2-1)", marks=pytest.mark.slow),
    ],
)
def test_weak_recovery(text):
    """Of labels between curves, with and without constants, against the law of the label alone."""
    expected = ha.weak_recovery(text).alpha_c.value
    assert StateEvolution(text).weak_recovery() == pytest.approx(expected, rel=1e-8)


@pytest.mark.slow
def test_noise_inside_a_kink_by_sampling():
    """|z1 xi - 1| + z1 with the second coordinate hidden: xi = (1 +- (y - z1))/z1."""
    m = 0.5
    z, xi = symbols("z xi", real=True)
    value = function_of_points(abs(z * xi - 1) + z, (z, xi))
    kind = plane_channel(value, curved_label(abs(z * xi - 1) + z, (z, xi)), hidden=True)
    rng = np.random.default_rng(5)
    points = rng.standard_normal((SAMPLES, 2))
    omega = m * points[:, :1] + math.sqrt(m * (1 - m)) * rng.standard_normal((SAMPLES, 1))
    left = value(points)[:, None] - GRID
    noises = [(1 + s * left) / GRID for s in (1, -1)]
    p = sum(np.where(left > 0, np.exp(-(x**2) / 2) / np.abs(GRID), 0.0) for x in noises)
    p = p * np.exp(-((GRID - omega) ** 2) / (2 * (1 - m)))
    squares = ((p * (GRID - omega)).sum(1) / p.sum(1) / (1 - m)) ** 2
    found = LabelMap.of_points(kind, ())(np.array([[m]]))
    assert abs(squares.mean() - found[0, 0]) < 4.5 * squares.std() / math.sqrt(SAMPLES)


@pytest.mark.slow
def test_solution():
    """A label that was sampled before: M is diagonal, and both overlaps grow at any alpha."""
    model = StateEvolution("max(z1**2,z2)")
    solution = model.solve(alpha=[0.5, 1.0])
    assert all(s is Status.CONVERGED for s in solution.status)
    np.testing.assert_allclose(solution.overlap[0], np.diag([0.0, 0.097189]), atol=1e-5)
    np.testing.assert_allclose(solution.overlap[1], np.diag([0.300200, 0.198573]), atol=1e-5)
    assert solution.numerical_error.max() < 1e-4
    m = solution.overlap[1]
    rows = model.channel.rows
    f = LabelMap.of_points(model.channel.kind, ())(rows @ m @ rows.T)
    np.testing.assert_allclose(rows.T @ f @ np.linalg.inv(np.eye(2) + f) @ rows, m, atol=1e-8)
