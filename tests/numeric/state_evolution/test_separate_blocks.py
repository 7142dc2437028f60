"""State evolution of sums of functions of blocks of coordinates: by surfaces, samples, in other words."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import k0

from hermite_analytics import weak_recovery
from hermite_analytics.errors import UnsupportedExpression
from hermite_analytics.label.cases.committee.block_transforms import Fineness, block_transforms
from hermite_analytics.label.cases.committee.blocks import separate_blocks
from hermite_analytics.label.cases.committee.label_rule import LabelRange, label_rule
from hermite_analytics.label.symmetries import label_symmetries
from hermite_analytics.numeric import StateEvolution
from hermite_analytics.numeric.bayes.maps.blocks_map import BlocksMap
from hermite_analytics.numeric.bayes.maps.label_map import LabelMap
from hermite_analytics.numeric.bayes.maps.unresolved import UnresolvedOverlap
from hermite_analytics.numeric.status import Rule, Status
from hermite_analytics.symbols import variable
from hermite_analytics.target import Target


def map_of(label, count, *, turns=False):
    """By blocks alone."""
    z, signal = tuple(variable(i + 1) for i in range(count)), Target(label).expression
    return BlocksMap.of(separate_blocks(signal, z), None, label_symmetries(signal, z), turns=turns)


def by_samples(label, matrix, blur, *, samples=2000, points=40_000, seed=3):
    """F of a label and noise of a width: averages over draws of z."""
    rng = np.random.default_rng(seed)
    r = len(matrix)
    m = np.diag(matrix)
    omega = np.sqrt(m) * rng.standard_normal((samples, r))
    x = rng.standard_normal((points, r))
    g = np.empty((samples, r))
    for i, centre in enumerate(omega):
        z = centre + np.sqrt(1 - m) * x
        y = label(centre + np.sqrt(1 - m) * rng.standard_normal(r)) + blur * rng.standard_normal()
        p = np.exp(-0.5 * ((y - label(z.T)) / blur) ** 2)
        g[i] = p @ x / p.sum() / np.sqrt(1 - m)
    squares = g**2
    return squares.mean(0), squares.std(0) / np.sqrt(samples)


@pytest.mark.parametrize("index", [(0, 1), (1, 1)])
def test_densities_that_are_singular_at_one_label(index):
    """Of z1*z2, (1/pi) K_0(|y|), and of two such labels, exp(-|y|)/2."""
    power, level = index[0] + 1, index[1]
    rule = label_rule(LabelRange(low=-30.0, high=30.0, centre=0.0), blur=0.0, deviation=1.0, level=level)
    found = rule.density((1 + rule.t[None] ** 2) ** (-0.5 * power) + 0j)[0]
    y = np.abs(rule.labels)
    known = k0(y) / np.pi if power == 1 else 0.5 * np.exp(-y)
    near = y > 1e-5
    assert np.abs(found - known)[near].max() < 3e-6
    assert float(rule.weights @ found) == pytest.approx(1, abs=2e-6)


@pytest.mark.parametrize(
    ("label", "count"), [("z1*z2*z3 + z4", 4), ("abs(z1)*(z2 + z2*z3) + z4", 4), ("relu(z1) + z2*z3", 3)]
)
def test_transforms_of_blocks_by_samples(label, count):
    """Plain averages: 27 within 5 standard errors, once in 60,000 seeds."""
    z = tuple(variable(i + 1) for i in range(count))
    rng = np.random.default_rng(11)
    t = np.array([0.0, 0.4, 1.3])
    for block in separate_blocks(Target(label).expression, z).blocks:
        p = len(block.places)
        omega, variance = np.linspace(-0.5, 0.7, p)[None], np.linspace(0.5, 0.9, p)
        plain, moved = block_transforms(block, t, omega, variance, Fineness(phase=60.0, least=1e-7))
        x = rng.standard_normal((400_000, p))
        value = block.value(omega + np.sqrt(variance) * x)
        wave = np.exp(1j * np.outer(t, value))
        for found, sample in [(plain[0], wave), *((moved[0, i], wave * x[:, i]) for i in range(p))]:
            error = np.maximum(sample.std(axis=1) / np.sqrt(len(x)), 1e-9)
            assert (np.abs(found - sample.mean(axis=1)) < 5 * error).all()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("label", "matrix"),
    [
        ("z1*z2 + z3", np.diag([0.4, 0.4, 0.6])),
        ("abs(z1)*z2 + abs(z3)", np.diag([0.4, 0.3, 0.5])),
    ],
)
def test_three_coordinates_on_level_surfaces(label, matrix):
    """Which are followed to 1e-5; sums that M connects, and parts that are constant, among them."""
    channel = StateEvolution(label).channel
    surfaces = LabelMap.of_space(channel.kind.surfaces.channel(), channel.symmetries)
    rows = channel.rows
    known = rows.T @ surfaces(rows @ matrix @ rows.T) @ rows
    assert np.abs(map_of(label, 3)(matrix) - known).max() < 1e-5


@pytest.mark.slow
@pytest.mark.parametrize(
    ("label", "function", "blur"),
    [
        ("z1*z2*z3 + z4**2 + xi/2", lambda z: z[0] * z[1] * z[2] + z[3] ** 2, 0.5),
        ("z1*z2 + z3*z4 + xi/2", lambda z: z[0] * z[1] + z[2] * z[3], 0.5),
        ("tanh(z1)*z4 + z2*z3 + xi/2", lambda z: np.tanh(z[0]) * z[3] + z[1] * z[2], 0.5),
    ],
)
def test_four_coordinates_by_samples(label, function, blur):
    """Four entries within 4.5 standard errors, and the bias of 40,000 points: once in 35,000 seeds."""
    matrix = 0.4 * np.eye(4)
    known, deviation = by_samples(function, matrix, blur)
    assert (np.abs(np.diag(map_of(label, 4)(matrix)) - known) < 4.5 * deviation + 5e-4).all()


@pytest.mark.slow
def test_what_is_known_leaves_the_label_of_the_rest():
    """With z4 all but known the label z1*z2*z3 + z4 says of the others what z1*z2*z3 does, to a blur."""
    m, left = 0.3, 1e-6
    whole = map_of("z1*z2*z3 + z4", 4)(np.diag([m, m, m, 1 - left]))[0, 0]
    alone = StateEvolution("z1*z2*z3").overlap_map(m * np.eye(3))[0, 0]
    assert whole == pytest.approx(alone, abs=5e-4)
    noisy = map_of(f"z1*z2*z3 + {left**0.5}*xi", 3)(m * np.eye(3))[0, 0]
    assert whole == pytest.approx(noisy, abs=1e-7)


@pytest.mark.slow
@pytest.mark.parametrize("label", ["z1*z2 + z3*z4", "z1*z2*z3 + z4**2"])
def test_thresholds_from_both_sides(label):
    """The slope of F at 0, which state evolution does not use, against the law of the label: to 1e-5."""
    found = map_of(label, 4)
    alpha_c = weak_recovery(label).alpha_c.value
    size = 1e-4
    slopes = [np.diag(found(k * size * np.eye(4))) / (k * size) for k in (1, 2)]
    top = float((2 * slopes[0] - slopes[1]).max())
    assert 1 / top == pytest.approx(alpha_c, rel=1e-5)


@pytest.mark.slow
def test_a_solution_with_its_error():
    """It was sampled, with the error .048: a fixed point of the map at finer rules, permuted."""
    one, other = (StateEvolution(t).solve(alpha=2.0) for t in ("z1*z2*z3 + z4", "z2 + z1*z3*z4"))
    for found in (one, other):
        assert found.status is Status.CONVERGED and found.rule is Rule.QUADRATURE
        assert found.numerical_error < 3e-5
    assert np.abs(one.overlap[3, 3] - other.overlap[1, 1]) < one.numerical_error
    f = map_of("z1*z2*z3 + z4", 4)(one.overlap)
    assert (
        np.abs(np.linalg.inv(np.linalg.inv(2 * f + 1e-300 * np.eye(4)) + np.eye(4)) - one.overlap)[3, 3]
        < 1e-6
    )


def by_inversion(curvatures, own):
    """F of sum_k c_k x_k^2 + xi at diag(own): densities on a grid by their characteristic function."""
    own, v = np.array(own), 1 - np.array(own)
    x = np.linspace(-5.6, 5.6, 29)
    w = np.exp(-0.5 * x * x)
    single = (np.zeros(1), np.ones(1))
    rules = [(np.sqrt(m) * x, w / w.sum()) if m else single for m in own]
    t = np.linspace(0, 8, 161)
    y = np.arange(-35.0, 90.0, 0.1)
    kernel = np.exp(-1j * np.outer(t, y)) * np.where(t > 0, 2.0, 1.0)[:, None] * (t[1] / (2 * np.pi))
    found = np.zeros(len(own))
    for index in np.ndindex(*(len(rule[0]) for rule in rules)):
        omega = np.array([rule[0][i] for rule, i in zip(rules, index, strict=True)])
        share = np.prod([rule[1][i] for rule, i in zip(rules, index, strict=True)])
        left = 1 - 2j * np.outer(curvatures, t) * v[:, None]
        wave = np.prod(np.exp(1j * np.outer(curvatures * omega**2, t) / left) / np.sqrt(left), axis=0)
        wave = wave * np.exp(-0.5 * t**2)
        p = (wave @ kernel).real
        means = ((wave * (omega[:, None] * (1 / left - 1))) @ kernel).real
        kept = p > 1e-9
        found += share * (means[:, kept] ** 2 / p[kept]).sum(1) * (y[1] - y[0])
    return found / v**2


@pytest.mark.slow
@pytest.mark.parametrize("label", ["z1*z2 + z3**2 + xi", "z1*z2 + z2**2/2 + z3**2 + xi"])
def test_axes_of_a_quadratic_form_beside_a_square(label):
    """The overlaps of z1, z2 have a part off the diagonal, but none along the axes of the form."""
    model = StateEvolution(label)
    curvatures, axes = np.linalg.eigh([[0, 0.5, 0], [0.5, 0.5 if "z2**2" in label else 0, 0], [0, 0, 1]])
    own = np.array([0.2, 0.0, 0.3])
    found = axes.T @ model.overlap_map(axes @ np.diag(own) @ axes.T) @ axes
    np.testing.assert_allclose(found, np.diag(by_inversion(curvatures, own)), rtol=1e-4, atol=1e-6)


def test_a_product_beside_a_square_with_noise():
    """By the rule of separate parts for (u^2 - v^2)/2 + z3^2: .07666(31) and .44774(120)."""
    solution = StateEvolution("z1*z2 + z3**2 + xi").solve(alpha=2.0)
    m = solution.overlap
    assert (solution.status, solution.rule) == (Status.CONVERGED, Rule.QUADRATURE)
    assert solution.numerical_error < 2e-4
    assert m[0, 0] == pytest.approx(-m[0, 1], abs=1e-9)  # nothing of z1 + z2 yet
    assert 2 * m[0, 0] == pytest.approx(0.076658, abs=3.1e-4)
    assert m[2, 2] == pytest.approx(0.44774, abs=1.2e-3)


def test_what_has_no_rule():
    """Four coordinates in a product, densities that are singular at two labels, or smooth, without a blur."""
    z = tuple(variable(i + 1) for i in range(4))
    assert separate_blocks(Target("z1*z2*z3*z4 + xi").expression, z) is None
    assert separate_blocks(Target("z1**2 + abs(z2) + relu(z3)").expression, z[:3]) is None
    with pytest.raises(UnsupportedExpression, match="not singular at one label each"):
        map_of("tanh(z1) + z2*z3", 3)
    with pytest.raises(UnsupportedExpression, match="not singular at one label each"):
        map_of("z1**3 - 3*z1 + z2*z3", 3)
    for label in ("abs(z1)*z2 + relu(z3)", "z1*z2 + z1 + z3**2 + xi"):  # z1 + z2 and z1 - z2 enter linearly
        for turns in (False, True):
            with pytest.raises(UnsupportedExpression, match="do not stay diagonal"):
                map_of(label, 3, turns=turns)
    with pytest.raises(UnsupportedExpression, match="up to 4 coordinates"):
        BlocksMap.of(
            separate_blocks(Target("z1*z2*z3 + z4*z5").expression, tuple(variable(i + 1) for i in range(5))),
            None,
            (),
        )


def test_a_complete_overlap_is_refused():
    found = map_of("z1*z2*z3 + z4", 4)
    with pytest.raises(UnresolvedOverlap, match="an overlap is 1"):
        found(np.diag([0.5, 0.5, 0.5, 1.0]))


def grows_from(alpha):
    """alpha E[G M G]/M of z1*z2 + z3 at M = (0+, 0+, q), q what is known of z3, by the trapezoid rule.

    s = y - omega3 is z1*z2 + N(0, 1 - q); given z1 it is normal with the variance v = z1^2 + 1 - q.
    """
    z = np.linspace(-9, 9, 451)
    s = np.linspace(-40, 40, 801)
    weights = np.exp(-0.5 * z**2) / np.sqrt(2 * np.pi) * (z[1] - z[0])

    def moments(left):
        v = z**2 + left
        density = weights * np.exp(-0.5 * s[:, None] ** 2 / v) / np.sqrt(2 * np.pi * v)
        p = density.sum(1)
        return p, (density @ z**2) / p - 1, s * (density @ (left / v)) / p

    q = 0.4
    for _ in range(30):
        p, _, noise = moments(1 - q)
        f = alpha * np.trapezoid(p * noise**2, s) / (1 - q) ** 2
        q = f / (1 + f)
    p, square, noise = moments(1 - q)
    return q, alpha * np.trapezoid(p * (square**2 + (s - noise) ** 2), s)


@pytest.mark.slow
@pytest.mark.arrays
def test_overlaps_that_leave_their_start_slowly():
    """At alpha = .945 those of z1 and z2 grow by .5% a step, less than what the level of the rule moves."""
    model = StateEvolution("z1*z2 + z3")
    slow, above = (np.diag(model.solve(alpha=alpha).overlap) for alpha in (0.945, 0.95))
    (q, growth), (later_q, later) = grows_from(0.945), grows_from(0.95)
    assert slow[2] == pytest.approx(q, abs=1e-3) and above[2] == pytest.approx(later_q, abs=2e-3)
    assert slow[0] == pytest.approx(above[0] * (growth - 1) / (later - 1), rel=0.03)
    assert slow[0] == pytest.approx(slow[1], abs=1e-12)
