"""State evolution of products of functions of one coordinate each, of any number of them."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy.special import ndtr

import hermite_analytics as ha
from hermite_analytics.errors import UnsupportedExpression
from hermite_analytics.label.cases.committee import products
from hermite_analytics.label.cases.committee.equations import equations_each
from hermite_analytics.label.cases.committee.parts import separate_parts
from hermite_analytics.label.cases.committee.products import product_parts
from hermite_analytics.label.channel import channel_of
from hermite_analytics.numeric import StateEvolution
from hermite_analytics.numeric.bayes.maps import parts_map
from hermite_analytics.numeric.bayes.maps.label_map import LabelMap
from hermite_analytics.numeric.bayes.maps.omega_rule import omega_rule
from hermite_analytics.numeric.bayes.maps.overlap_map import map_of, sampled_map_of
from hermite_analytics.numeric.bayes.maps.parts_map import PartsMap
from hermite_analytics.numeric.status import Rule, Status
from hermite_analytics.symbols import variable

from .references import normal, product


def density(x, mean, variance):
    return np.exp(-((x - mean) ** 2) / (2 * variance)) / np.sqrt(2 * np.pi * variance)


def squares(likelihood, *factors):
    """sum over y of E[factor | y]^2, for each factor."""
    p = likelihood.sum(1)
    seen = p > 1e-40
    return np.array([(((likelihood * f).sum(1) ** 2)[seen] / p[seen]).sum() for f in factors])


def beside_noise(m, noise):
    """F of z1 z2 + noise xi at M = m I: given z1, y and z2 are normal."""
    v, nodes = 1 - m, normal(m, 16)
    y, z = np.linspace(-40, 40, 1601), np.linspace(-8, 8, 641)
    found = np.zeros(2)
    for w1, p1 in zip(*nodes, strict=True):
        for w2, p2 in zip(*nodes, strict=True):
            variance, rest = z * z * v + noise**2, y[:, None] - z * w2
            likelihood = density(rest, 0, variance) * density(z, w1, v) * (z[1] - z[0])
            found += p1 * p2 * (y[1] - y[0]) * squares(likelihood, (z - w1) / v, z * rest / variance)
    return found


def gated(m1, m2):
    """F of relu(z1) z2: an integral over log z1 for each label, and the label 0."""
    v1, v2 = 1 - m1, 1 - m2
    logs, t = np.linspace(-32, 6, 761), np.linspace(-32, 2.4, 689)
    z, found = np.exp(t), np.zeros(2)
    for w1, p1 in zip(*normal(m1, 10), strict=True):
        far = w1 / np.sqrt(v1)
        found[0] += p1 * density(far, 0, 1) ** 2 / v1 / ndtr(-far)
        for w2, p2 in zip(*normal(m2, 10), strict=True):
            for side in (1, -1):
                y = side * np.exp(logs)[:, None]
                likelihood = density(z, w1, v1) * density(y / z, w2, v2) * np.abs(y) * (t[1] - t[0])
                share = p1 * p2 * (logs[1] - logs[0])
                found += share * squares(likelihood, (z - w1) / v1, (y / z - w2) / v2)
    return found


@pytest.mark.arrays
@pytest.mark.cases(1)
@pytest.mark.parametrize(("m", "off"), [(0.1, 2e-7), (0.5, 3e-8), (0.9, 3e-7)])
def test_level_curves_of_two_coordinates(m, off):
    """z1*z2 by arcs of its level curves, by other code and to 1e-9."""
    found, matrix = product("z1*z2", 2), m * np.eye(2)
    known = StateEvolution("z1*z2")._overlaps.seen.at_number(m)
    fine, coarse = found(matrix), found(matrix, level=0)
    assert np.abs(fine - known * np.eye(2)).max() < off * known
    assert abs(fine[0, 0] - known) < abs(fine - coarse).max() + 1e-9


@pytest.mark.slow
def test_noise_and_the_label_zero():
    """By integrals that know nothing of transforms; their own rules leave 1e-4 and 1e-6."""
    assert np.allclose(np.diag(product("z1*z2+xi/2", 2)(0.4 * np.eye(2))), beside_noise(0.4, 0.5), rtol=6e-4)
    found = product("relu(z1)*z2", 2)(np.diag([0.4, 0.3]))
    assert np.allclose(np.diag(found), gated(0.4, 0.3), rtol=1e-5) and abs(found[0, 1]) < 1e-12


def test_noise_as_a_factor_is_a_known_label():
    """y = z1 z2 exp(xi): beside a noise that is small the same as without."""
    plain, noisy = product("z1*z2", 2), product("z1*z2*exp(xi/1000)", 2)
    matrix = 0.5 * np.eye(2)
    assert np.allclose(noisy(matrix), plain(matrix), rtol=3e-5)
    assert plain.exact_share == 0.5 and noisy.exact_share == 0.0
    wide = product("z1*z2*(1+xi/4)", 2)(matrix)[0, 0]
    assert wide < 0.99 * plain(matrix)[0, 0]


def test_forms():
    """Labels that are no product, or of finitely many values, have none; numbers are left out."""
    z = [variable(i + 1) for i in range(4)]
    of = lambda text, count: product_parts(ha.Target(text).expression, z[:count])  # noqa: E731
    assert of("z1*z2+z3", 3) is None and of("z1*(z2+z3)", 3) is None and of("z1*z2*z3+sin(xi)", 3) is None
    found = of("3*z1*sin(z2)*abs(z3) - xi/2", 3)
    assert [(p.places, p.even) for p in found.parts] == [((0,), True), ((1,), True), ((2,), True)]
    assert found.noise == pytest.approx(1 / 6)
    assert [(p.places, p.even) for p in of("relu(z1)*relu(-z2)*z3", 3).parts] == [
        ((0, 1), False),
        ((2,), True),
    ]
    with pytest.raises(UnsupportedExpression, match="finitely many values is no product of densities"):
        product("sign(z1)*step(z2)", 2)
    with pytest.raises(UnsupportedExpression, match="alone where the others are constant"):
        product("sign(z1)*cos(z2)", 2)


@pytest.mark.slow
@pytest.mark.arrays
def test_levels_without_samples_of_the_finer_one():
    """Level 0 draws its nodes where level 1 need not: each is found by itself."""
    found = product("z1*z2*z3*exp(xi/4)", 3)
    for m in (0.9, 0.94, 0.96, 0.98, 0.9834):
        fine, coarse = (found(m * np.eye(3), level=level)[0, 0] for level in (1, 0))
        assert fine == pytest.approx(coarse, rel=5e-3)


def test_products_are_asked_first():
    for label in ("z1*z2*z3", "tanh(z1*z2*z3*z4)", "abs(z1*z2*z3*z4)", "z1*z2*(1+xi/4)"):
        tracked, later = map_of(channel_of(label, equivalent=True))
        assert isinstance(tracked.overlap_map, PartsMap) and tracked.is_isotropic and later is None, label


@pytest.mark.slow
@pytest.mark.parametrize(("m", "off"), [(0.1, 5e-6), (0.5, 8e-6), (0.9, 2e-5)])
def test_level_surfaces_of_three_coordinates(m, off):
    """z1*z2*z3 by patches of its level surfaces: 1e-5."""
    surfaces = channel_of("z1*z2*z3").kind.surfaces
    known = LabelMap.of_space(surfaces.channel(), ())(m * np.eye(3))[0, 0]
    assert product("z1*z2*z3", 3)(m * np.eye(3))[0, 0] == pytest.approx(known, rel=off)


@pytest.mark.slow
@pytest.mark.draws(1)
@pytest.mark.parametrize(
    "label",
    [
        "z1*z2*z3*z4",
        "relu(z1)*relu(z2)*z3*z4",
        "cos(z1)*cos(z2)*cos(z3)",
        "z1*z2*z3*(1+xi/4)",
        "abs(z1*z2)*z3*exp(z4)",
    ],
)
def test_against_samples(label):
    """Within what samples leave open, exceeded by chance in 1 % of all cases at most."""
    channel = channel_of(label)
    sampled, found = sampled_map_of(channel).overlap_map, map_of(channel)[0].overlap_map
    assert isinstance(found, PartsMap)
    matrix = 0.5 * np.eye(len(channel.rows))
    assert (np.abs(np.diag(found(matrix) - sampled(matrix))) < np.diag(sampled.error(matrix))).all()


@pytest.mark.slow
@pytest.mark.draws(2, spread=True)
@pytest.mark.parametrize(
    ("label", "alpha"), [("z1*z2*z3*z4", 4.0), ("z1*z2*z3", 2.7), ("z1*z2*z3*z4*z5*z6", 8.0)]
)
def test_fixed_points(monkeypatch, label, alpha):
    """m = alpha F/(1 + alpha F), with F by twice the frequencies and four times the nodes of omega."""
    solution = StateEvolution(label).solve(alpha=alpha)
    assert solution.status == Status.CONVERGED and solution.rule == Rule.QUADRATURE
    monkeypatch.setattr(products, "_FREQUENCIES", (512, 1024))
    finer = lambda *given, **rest: omega_rule(*given, **{**rest, "doublings": 3})  # noqa: E731
    monkeypatch.setattr(parts_map, "omega_rule", finer)
    count, m = len(solution.overlap), float(solution.overlap[0, 0])
    f = product.__wrapped__(label, count)(solution.overlap)[0, 0]
    assert 0.01 < m < 0.5 and solution.numerical_error < 1e-6
    assert (
        abs(alpha * f / (1 + alpha * f) - m) < solution.numerical_error
    )  # the iteration shrinks what it is off


@pytest.mark.slow
def test_exact_recovery():
    assert (StateEvolution("z1*z2*z3*z4").solve(alpha=9).overlap == np.eye(4)).all()


@pytest.mark.slow
@pytest.mark.arrays
def test_poles_of_factors():
    """log|z| has a pole at 0 and zeros at 1 and -1."""
    found = product("log(abs(z1))*z2", 2)
    fine, coarse = (np.diag(found(0.4 * np.eye(2), level=level)) for level in (1, 0))
    assert np.allclose(fine, coarse, rtol=1e-5) and (fine > 0.1).all()


def test_noise_of_a_narrow_label():
    """Its transform is resolved at all frequencies: with few of them F is the same."""
    found = product("(2+erf(z1))*(3+erf(z2))*exp(xi/4)", 2)
    fine, coarse = (found(0.7 * np.eye(2), level=level) for level in (1, 0))
    assert np.allclose(fine, coarse, rtol=1e-6)


def test_faint_noise_beside_complete_overlap_is_left_to_others():
    noisy, plain = product("z1*z2*z3+xi/4", 3), product("z1*z2*z3", 3)
    assert noisy.takes(0.99 * np.eye(3)) and not noisy.takes(0.999 * np.eye(3))
    assert plain.takes(0.999 * np.eye(3))


@pytest.mark.slow
@pytest.mark.arrays
def test_labels_that_say_nothing_of_a_coordinate():
    """Beside overlap 1 z1 enters where |z1| < 1/10 only, and the largest of three seldom is the last."""
    clipped = product("max(-1/10,min(1/10,z1))*z2*z3", 3)
    assert clipped.exact_share == pytest.approx(2 * ndtr(0.1) - 1, rel=1e-9)
    assert product("relu(z1)*relu(z2)*z3", 3).exact_share == pytest.approx(1 / 12, rel=1e-6)
    variables = [variable(i + 1) for i in range(3)]
    largest = equations_each(separate_parts(ha.Target("max(z1,z2,z3-2)").expression, variables))
    x, w = np.polynomial.hermite_e.hermegauss(60)
    assert largest == pytest.approx(float(w @ ndtr(x - 2) ** 2) / w.sum(), rel=1e-4)


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("relu(z1)+relu(z2)+max(-1/2,min(1/2,z3))+relu(norm(z4,z5)-1)", 5),
        ("relu(z1)*max(-1/2,min(1/2,z2))*norm(z3,z4)*(2+relu(z5))", 5),
    ],
)
def test_least_of_all_sets_of_coordinates(text, count):
    """By all sets, in place of those that are flat most often."""
    variables, label = [variable(i + 1) for i in range(count)], ha.Target(text).expression
    parts = separate_parts(label, variables) or product_parts(label, variables)
    singles = [part for part in parts.parts for _ in range(part.count)]
    zero = [p.probability_of(0.0) if parts.product else 0.0 for p in singles]
    still = [(p.flat_probability - q) / (1 - q) for p, q in zip(singles, zero, strict=True)]
    least = min(
        (1 - np.prod([still[i] for i in some])) / sum(singles[i].dimension for i in some)
        for k in range(1, len(singles) + 1)
        for some in itertools.combinations(range(len(singles)), k)
    )
    assert equations_each(parts) == pytest.approx(np.prod([1 - q for q in zero]) * least, rel=1e-12)
