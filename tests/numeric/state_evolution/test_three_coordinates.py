"""State evolution of labels of three coordinates: closed forms, other maps, posteriors by brute force."""

from __future__ import annotations

import functools
import itertools
import math

import numpy as np
import pytest
from scipy.special import ndtr
from sympy import Max, Min, sqrt, symbols, tanh

from hermite_analytics.errors import UnsupportedExpression
from hermite_analytics.label.cases.space.pieces import piecewise_label
from hermite_analytics.label.cases.space.space import SpaceChannel
from hermite_analytics.label.channel import channel_of
from hermite_analytics.label.symmetries import label_symmetries
from hermite_analytics.numeric import StateEvolution
from hermite_analytics.numeric.bayes.maps.label_map import LabelMap
from hermite_analytics.numeric.bayes.maps.label_sums import OmegaAxis, label_sums
from hermite_analytics.numeric.bayes.maps.mirrors import Mirrors
from hermite_analytics.numeric.bayes.maps.overlap_map import map_of, special_map_of
from hermite_analytics.numeric.bayes.maps.parts_map import PartsMap
from hermite_analytics.numeric.bayes.maps.point_grid import RULES, parts_of, spread
from hermite_analytics.numeric.bayes.maps.sampled_map import SampledMap
from hermite_analytics.numeric.bayes.state_evolution.iteration import CLOSER
from hermite_analytics.numeric.bayes.state_evolution.start import linear_threshold
from hermite_analytics.numeric.status import Status

W = symbols("w1 w2 w3", real=True)
W1, W2, W3 = W


@functools.cache
def map_of_label(expr):
    """The map in the coordinates w."""
    symmetries = label_symmetries(expr, W)
    return LabelMap.of_space(SpaceChannel.of(piecewise_label(expr, W), symmetries), symmetries)


@functools.cache
def general_map(expr):
    """The map without symmetries, for any matrix."""
    return LabelMap.of_space(SpaceChannel.of(piecewise_label(expr, W)), ())


def trapezoid(step, far):
    """A rule for N(0, 1)."""
    t = step * np.arange(-round(far / step), round(far / step) + 1)
    return t, step * np.exp(-0.5 * t * t) / math.sqrt(2 * math.pi)


@pytest.mark.parametrize(
    ("q", "level", "tolerance"), [(2, 0, 3e-6), (2, 1, 1e-9), (3, 0, 3e-4), (3, 1, 3e-5)]
)
@pytest.mark.parametrize("m", [0.0, 0.3, 0.8])
def test_sums_of_one_point(m, q, level, tolerance):
    """A label that says z exactly: F = E[g g^T] for g = V^-1 (z - omega) at one z; overlaps m and m/2."""
    rule = RULES[q][level]
    z = np.array([0.4, -1.3, 0.77])[:q]
    overlaps = np.array([m, m, m / 2])[-q:]
    grids = [rule.grid(x) for x in overlaps]
    lines = [OmegaAxis.of(x, g, rule) for x, g in zip(overlaps, grids, strict=True)]
    none = Mirrors.along(np.eye(q), [])
    parts = [
        part[..., None]
        for part in parts_of(spread(grids, z[None], np.ones(1)), none, [g.half for g in grids])
    ]
    found = label_sums(parts, lines, none, floor=rule.floor)
    # E[z - omega | z] = (1 - m) z, with omega = m z + sqrt(m (1 - m)) xi
    exact = np.outer(z, z) + np.diag(overlaps / (1 - overlaps))
    assert found == pytest.approx(exact, rel=tolerance, abs=tolerance)


def of_spheres(m):
    """F of |z|^2: the posterior is von Mises and Fisher's, E[z] = r (coth k - 1/k) omega/|omega|."""
    v = 1 - m
    x, w = np.polynomial.legendre.leggauss(400)
    rho = 3.5 * math.sqrt(m) * (1 + x) + 1e-9
    chi = np.sqrt(2 / math.pi) * rho**2 / m**1.5 * np.exp(-rho * rho / (2 * m)) * 3.5 * math.sqrt(m) * w
    r = (4.5 * (1 + x))[:, None]
    law = r / rho / math.sqrt(2 * math.pi * v)
    law = law * (np.exp(-((r - rho) ** 2) / (2 * v)) - np.exp(-((r + rho) ** 2) / (2 * v)))
    k = r * rho / v
    g = (r * (1 / np.tanh(k) - 1 / k) - rho) / v
    return float((4.5 * w) @ (law * g * g) @ chi) / 3


@pytest.mark.slow
@pytest.mark.parametrize("m", [0.1, 0.5, 0.9])
def test_spheres(m):
    found = map_of_label(W1**2 + W2**2 + W3**2)
    exact = of_spheres(m) * np.eye(3)
    assert found(m * np.eye(3), level=0) == pytest.approx(exact, rel=5e-4, abs=1e-10)
    if m == 0.5:
        assert found(m * np.eye(3)) == pytest.approx(exact, rel=3e-5, abs=1e-10)


@pytest.mark.slow
def test_overlaps_close_to_one():
    """Beyond 0.95 the map is interpolated in 1 - m; beside smaller overlaps it ends at 0.975."""
    found = map_of_label(W1**2 + W2**2 + W3**2)
    for m in (0.96, 0.99):
        exact = of_spheres(m)
        values = [found(m * np.eye(3), level=k)[0, 0] for k in (0, 1)]
        assert values[1] == pytest.approx(exact, rel=6e-4)
        assert abs(values[1] - exact) < 2 * abs(values[1] - values[0])
    general = map_of_label(W1 * W2 + W3)
    closest = 1 - general.resolution / CLOSER  # an iteration that is held at 1 - resolution looks at it
    assert np.isfinite(general(np.diag([0.2, 0.2, closest]), level=0)).all()
    with pytest.raises(UnsupportedExpression, match=r"an overlap of 0\.980 beside smaller ones is too close"):
        general(np.diag([0.2, 0.2, 0.98]))


def of_largest(matrix):
    """F of max(z1, z2, z3) for a diagonal M: Z = sum_i N(y; omega_i, V_i) prod_(j != i) Phi_j."""
    m, total = np.diag(matrix), np.zeros((3, 3))
    t, w = trapezoid(0.45, 6.75)
    omega = np.stack(np.meshgrid(*(np.sqrt(x) * t for x in m), indexing="ij"), -1).reshape(-1, 3)
    p = np.einsum("i,j,k->ijk", w, w, w).ravel()
    keep = p > 1e-12
    omega, p, size = omega[keep], p[keep], np.sqrt(1 - m)
    step = 0.2
    for y in np.arange(-5, 7, step):
        x = (y - omega) / size
        density = np.exp(-0.5 * x * x) / math.sqrt(2 * math.pi) / size
        below, slope = ndtr(x), x / size * density  # d density/d omega
        z = sum(density[:, i] * np.prod(np.delete(below, i, 1), axis=1) for i in range(3))
        z = np.maximum(z, 1e-250)
        first = np.empty_like(omega)
        for i in range(3):
            j, k = (a for a in range(3) if a != i)
            own = slope[:, i] * below[:, j] * below[:, k]
            others = density[:, j] * below[:, k] + density[:, k] * below[:, j]
            first[:, i] = own - density[:, i] * others
        total += step * (first * (p / z)[:, None]).T @ first
    return total


@pytest.mark.slow
def test_largest_of_three():
    """Oblique planes, and overlaps that are different."""
    found = map_of_label(Max(W1, W2, W3))
    assert found(0.4 * np.eye(3)) == pytest.approx(of_largest(0.4 * np.eye(3)), rel=3e-5)
    matrix = 0.3 * np.eye(3) + 0.15
    smallest = map_of_label(Min(W1, W2, W3))
    assert smallest(matrix) == pytest.approx(found(matrix), rel=3e-5)


@pytest.mark.slow
def test_labels_of_fewer_coordinates():
    """The same labels by preimages and by level curves; nothing is learned of the others."""
    one = special_map_of(channel_of("z1**2").kind, (0,))
    found = map_of_label(W1**2)(0.6 * np.eye(3), level=0)
    assert np.diag(found) == pytest.approx([one.at_number(0.6), 0, 0], rel=3e-4, abs=1e-7)
    channel = channel_of("z1*z2")
    two = LabelMap.of_points(channel.kind, channel.symmetries)
    matrix = np.diag([0.5, 0.5, 0.3])
    found = map_of_label(W1 * W2)(matrix, level=0)
    exact = two(0.5 * np.eye(2))
    assert np.diag(found) == pytest.approx([*np.diag(exact), 0], rel=3e-4, abs=1e-7)


@pytest.mark.slow
def test_rotated_labels():
    """F of z1 z2 z3 turns with the label and the matrix."""
    plain, turned = map_of_label(W1 * W2 * W3), map_of_label((W1**2 - W2**2) * W3 / 2)
    q = np.array([[1, 1, 0], [1, -1, 0], [0, 0, math.sqrt(2)]]) / math.sqrt(2)  # z = q w
    matrix = np.diag([0.3, 0.3, 0.6])
    assert q @ turned(q.T @ matrix @ q) @ q.T == pytest.approx(plain(matrix), rel=5e-5, abs=1e-7)


def posteriors(points, log_weights, omega, variance):
    """g_out from weighted points of one sample's surface."""
    d = points - omega
    log_p = log_weights - 0.5 * np.einsum("ki,ij,kj->k", d, np.linalg.inv(variance), d)
    p = np.exp(log_p - log_p.max())
    return np.linalg.inv(variance) @ (p @ d / p.sum())


def agrees(label, surface, matrix, found, count):
    """|z| < 4.5 standard errors of the mean of g g^T, in each entry: 6e-5 for all of them."""
    rng = np.random.default_rng(5)
    values, axes = np.linalg.eigh(matrix)
    spread = (axes * np.sqrt(values * (1 - values))) @ axes.T
    z = rng.standard_normal((count, 3))
    omega = z @ matrix + rng.standard_normal((count, 3)) @ spread
    unit = np.eye(3) - matrix
    g = np.array([posteriors(*surface(label(*a)), b, unit) for a, b in zip(z, omega, strict=True)])
    products = np.einsum("ni,nj->nij", g, g)
    error = products.std(0) / math.sqrt(count)
    return bool(np.all(np.abs(products.mean(0) - found) < 4.5 * error + 1e-9))


@pytest.mark.slow
def test_a_product_and_a_term_by_sampling():
    x = np.linspace(-6, 6, 321)
    a, b = (v.ravel() for v in np.meshgrid(x, x))
    matrix = np.array([[0.3, 0.1, 0], [0.1, 0.3, 0], [0, 0, 0.5]])
    found = general_map(W1 * W2 + W3)(matrix, level=0)
    assert found[0, 1] > 0.05

    def surface(y):
        return np.stack([a, b, y - a * b], -1), np.zeros(len(a))

    assert agrees(lambda z1, z2, z3: z1 * z2 + z3, surface, matrix, found, 400)


@pytest.mark.slow
def test_a_bounded_term_by_sampling():
    x = np.linspace(-6, 6, 321)
    a, b = (v.ravel() for v in np.meshgrid(x, x))
    matrix = np.diag([0.4, 0.2, 0.6])
    found = map_of_label(tanh(W1) + tanh(W2) * W3)(matrix, level=0)

    def surface(y):
        rest = y - np.tanh(a) * b
        inside = np.abs(rest) < 1
        first = np.arctanh(rest[inside])
        return np.stack([first, a[inside], b[inside]], -1), -np.log1p(-(rest[inside] ** 2))

    assert agrees(lambda z1, z2, z3: np.tanh(z1) + np.tanh(z2) * z3, surface, matrix, found, 400)


@pytest.mark.slow
def test_a_kink_on_a_saddle_by_sampling():
    """max(z1 z2, z3): given y a piece of a plane and one of a cylinder, dz1 dz2 and dlog|z1| dz3."""
    x, t = np.linspace(-6, 6, 241), np.linspace(-9, 2, 221)
    a, b = (v.ravel() for v in np.meshgrid(x, x))
    first, third = (v.ravel() for v in np.meshgrid(np.concatenate([np.exp(t), -np.exp(t)]), x))
    matrix = np.array([[0.4, 0.25, 0], [0.25, 0.4, 0], [0, 0, 0.7]])
    found = map_of_label(Max(W1 * W2, W3))(matrix, level=0)

    def surface(y):
        flat, curved = a * b < y, third < y
        z1 = first[curved]
        points = [np.stack([a, b, np.full_like(a, y)], -1)[flat], np.stack([z1, y / z1, third[curved]], -1)]
        sizes = np.repeat([math.log(x[1] - x[0]), math.log(t[1] - t[0])], [len(p) for p in points])
        return np.concatenate(points), sizes

    assert agrees(lambda z1, z2, z3: max(z1 * z2, z3), surface, matrix, found, 400)


@pytest.mark.slow
def test_a_norm_by_sampling():
    """|(z1, z2)| z3: given y and the radius r, z3 = y/r, of the weight dr dangle = r dlog(r) dangle."""
    r = np.exp(np.linspace(-7, 1.9, 160))
    angle = 2 * math.pi * np.arange(80) / 80
    a, b = (v.ravel() for v in (r[:, None] * np.cos(angle), r[:, None] * np.sin(angle)))
    radius = np.repeat(r, len(angle))
    matrix = np.diag([0.3, 0.5, 0.8])
    found = general_map(sqrt(W1**2 + W2**2) * W3)(matrix, level=0)

    def surface(y):
        return np.stack([a, b, y / radius], -1), np.log(radius)

    assert agrees(lambda z1, z2, z3: math.hypot(z1, z2) * z3, surface, matrix, found, 400)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("target", "alpha_c"),
    [
        ("z1*z2*z3", 2.5651804019),
        ("abs(z1) + abs(z2) + abs(z3)", 1.6378683918),
        ("z1**2 + z2**2 + z3**2", 1.5),
    ],
)
def test_weak_recovery(target, alpha_c):
    """From the slope of F at 0; the references are one-dimensional integrals."""
    tracked, _ = map_of(channel_of(target))
    assert isinstance(tracked.overlap_map, LabelMap | PartsMap)
    assert linear_threshold(tracked) == pytest.approx(alpha_c, rel=1e-5)


@pytest.mark.slow
def test_map_increases_and_orders():
    """0 <= F, increasing in M; the label says at most what z itself would: F(m) <= 1/(1 - m)."""
    found = map_of_label(W1 * W2 + W3)
    values = [found(m * np.eye(3), level=0) for m in (0.0, 0.2, 0.5, 0.8)]
    for a, b, m in zip(values, values[1:], (0.2, 0.5, 0.8), strict=False):
        assert np.linalg.eigvalsh(b - a)[0] > 0
        assert np.linalg.eigvalsh(np.eye(3) / (1 - m) - b)[0] > 0


@pytest.mark.slow
def test_a_solution_with_its_error():
    solution = StateEvolution("z1*z2 + z3").solve(alpha=0.5)
    assert solution.status is Status.CONVERGED
    assert np.diag(solution.overlap) == pytest.approx([0, 0, 0.24674], abs=2e-5)
    assert solution.numerical_error < 1e-5
    assert solution.residual < 1e-10


def _information_of_a_product(m):
    """F(m, m, m) of y = z1 z2 z3 by itself: log|y| is a sum, sign(y) a product of signs.

    The densities of the factors are convolved on a grid in log|z|, their parts even and odd in the sign each
    for itself; labels below e^-26 are left out.
    """
    x, p = np.polynomial.hermite_e.hermegauss(48)
    seen = (x > 0) & (p > 1e-12)
    x, p = x[seen], 2 * p[seen] / p.sum()
    width = 30 / 1024
    u = -26 + width * np.arange(1024)

    def factor(omega):
        sides = []
        for sign in (1, -1):
            t = (sign * np.exp(u) - np.sqrt(m) * omega) / np.sqrt(1 - m)
            density = np.exp(u - t**2 / 2) / np.sqrt(2 * np.pi * (1 - m))
            sides.append(np.fft.rfft([density, t * density], 4096))
        return sides[0] + sides[1], sides[0] - sides[1]

    even, odd = (np.array(side) for side in zip(*(factor(omega) for omega in x), strict=True))
    total = 0.0
    for i, j, k in itertools.product(range(len(x)), repeat=3):
        if j > k:
            continue
        whole = np.fft.irfft([s[i] * s[j, 0] * s[k, 0] for s in (even, odd)]) * width**2
        for signed in (whole[0] + whole[1], whole[0] - whole[1]):
            density, mean = signed / 2
            seen = density > 1e-14
            share = p[i] * p[j] * p[k] * (1 + (j < k))
            total += share * width * float((mean[seen] ** 2 / density[seen]).sum())
    return total / (1 - m)


@pytest.mark.slow
def test_errors_of_the_coarser_rule():
    """The overlap is off by less than it says, by sums on a grid; the slope of log alpha(m) is 1/4."""
    solution = StateEvolution("z1*z2*z3").solve(alpha=2.7)
    overlap = float(solution.overlap[0, 0])
    assert overlap == pytest.approx(0.260588, abs=1e-6)
    reached = overlap / (1 - overlap) / _information_of_a_product(overlap)
    assert reached == pytest.approx(2.7, rel=5e-8)
    assert 4 * abs(reached / 2.7 - 1) < solution.numerical_error < 1e-6


@pytest.mark.slow
def test_noise_as_a_factor():
    """A coordinate of which nothing is ever known."""
    label = piecewise_label(W1 * W2 * W3, W)
    noisy = LabelMap.of_space(SpaceChannel.of(label), (), hidden=1)
    exact = map_of_label(W1 * W2 * W3)(np.diag([0.3, 0.2, 0.0]), level=0)
    assert noisy(np.diag([0.3, 0.2]), level=0) == pytest.approx(exact[:2, :2], rel=1e-4, abs=1e-7)
    assert noisy.exact_share == 0


@pytest.mark.slow
def test_overlaps_without_common_axes():
    """By points that are spread in the axes of the matrix, without symmetries."""
    matrix = np.diag([0.3, 0.3, 0.5])
    found = general_map(W1 * W2 + W3)(matrix, level=0)
    assert found == pytest.approx(map_of_label(W1 * W2 + W3)(matrix, level=0), abs=2e-4)


@pytest.mark.slow
def test_labels_that_are_left_to_sampling():
    channel = channel_of("abs(z1**2 + z2**2 + z3**2 - z1*z2*z3)", seconds=4)
    assert isinstance(map_of(channel)[0].overlap_map, SampledMap)


@pytest.mark.slow
def test_the_first_order_transition_of_a_product():
    """F(m I) = E[A^2] m + (1 - E[A^3]) m^2 + .. with A = E[z1^2 - 1 | z1 z2 z3], by convolution in log|z|."""
    step, far = 0.02, 40.0
    logs = np.arange(-round(far / step), 251) * step
    one = 2 * np.exp(logs - 0.5 * np.exp(2 * logs)) / math.sqrt(2 * math.pi) * step
    pair = np.convolve(one, one)
    law, weighted = np.convolve(pair, one), np.convolve(pair, one * (np.exp(2 * logs) - 1))
    seen = law > 1e-25
    ratio = weighted[seen] / law[seen]
    square, cube = float(law[seen] @ ratio**2), float(law[seen] @ ratio**3)
    assert (square, cube) == pytest.approx((0.389836, 0.453639), abs=2e-6)
    model = StateEvolution("z1*z2*z3")
    second = [(model.overlap_map(m * np.eye(3))[0, 0] / m - square) / m for m in (5e-3, 2.5e-3)]
    assert 2 * second[1] - second[0] == pytest.approx(1 - cube, abs=2e-3)  # F is known to 4e-6
    slope = 1 - (1 - cube) / square  # of alpha(m)/alpha_c
    assert slope == pytest.approx(-0.4015, abs=1e-4)


@pytest.mark.slow
def test_two_coordinates_with_one_equation_at_times():
    """max(z1 z2, z3) at 6 > 2/P(z1 z2 > z3) = 4, where I attracts: z1 - z2 is the last to be known."""
    solution = StateEvolution("max(z1*z2, z3)").solve(alpha=6)
    assert solution.status == Status.CONVERGED
    assert np.array_equal(solution.overlap, np.eye(3))
