"""State evolution of products of which factors are quadratic forms of several coordinates."""

from __future__ import annotations

import numpy as np
import pytest
import sympy

import hermite_analytics as ha
from hermite_analytics.label.cases.committee.products import product_parts
from hermite_analytics.label.cases.committee.sum_factors import sum_factor
from hermite_analytics.label.channel import channel_of
from hermite_analytics.numeric import StateEvolution
from hermite_analytics.numeric.bayes.maps.overlap_map import map_of
from hermite_analytics.numeric.bayes.maps.parts_map import PartsMap
from hermite_analytics.numeric.status import Rule, Status
from hermite_analytics.symbols import variable

from .references import normal, product


@pytest.mark.parametrize("m", [0.1, 0.5, 0.8])
def test_a_form_that_splits(m):
    """z1^2 - z2^2 is twice a product of coordinates along other axes: within the change with the rule."""
    found = product("(z1**2-z2**2)*z3", 3)
    fine, coarse = (found(m * np.eye(3), level=level) for level in (1, 0))
    known = product("z1*z2*z3", 3)(m * np.eye(3))
    assert (np.abs(np.diag(fine - known)) < np.abs(np.diag(fine - coarse)) + 1e-9).all()
    assert np.allclose(fine, known, rtol=1e-3, atol=1e-12) and (
        m > 0.5 or np.allclose(fine, known, rtol=3e-6)
    )


@pytest.mark.parametrize("m", [0.2, 0.6])
def test_beside_the_law_of_laplace(m):
    """While nothing is known of z1, .., z4 the form has the density exp(-|g|)/2."""
    overlap_map = product("(z1*z2+z3*z4)*z5", 5)
    coarse, found = (overlap_map(np.diag([0, 0, 0, 0, m]), level=level) for level in (0, 1))
    v, step = 1 - m, 0.02
    s, logs = np.arange(-30.0, 2.5, step), np.arange(-32.0, 6.0, 0.05)
    z, y, total = np.exp(s), np.exp(logs)[:, None], 0.0
    for w, p in zip(*normal(m, 100), strict=True):  # y and -y say the same
        inner = 0.5 * np.exp(-y / z) * step
        both = [np.exp(-((z - side * w) ** 2) / (2 * v)) / np.sqrt(2 * np.pi * v) for side in (1, -1)]
        mean = (inner * (both[0] * (z - w) - both[1] * (z + w))).sum(1) / v
        whole = (inner * (both[0] + both[1])).sum(1)
        total += 2 * p * float((mean**2 / whole * y[:, 0]).sum()) * 0.05
    assert abs(found[4, 4] - total) < min(abs(found[4, 4] - coarse[4, 4]), 1.5e-5 * total)
    assert np.abs(found - np.diag(np.diag(found))).max() < 1e-12 and np.abs(found[:4, :4]).max() < 1e-12


@pytest.mark.slow
@pytest.mark.parametrize("m", [0.3, 0.6])
def test_against_means_given_two_coordinates(m):
    """z1*z2 + z3*z4 is normal given z1 and z3: rules for these and z5, at labels that are drawn.

    Four standard errors of 1500 labels: one in 16,000 by chance.
    """
    found, rng = np.diag(product("(z1*z2+z3*z4)*z5", 5)(m * np.eye(5))), np.random.default_rng(3)
    v, count = 1 - m, 1500
    z = rng.standard_normal((count, 5))
    omega = m * z + np.sqrt(m * v) * rng.standard_normal((count, 5))
    labels = (z[:, 0] * z[:, 1] + z[:, 2] * z[:, 3]) * z[:, 4]
    x, w = normal(1.0, 30)
    s = np.linspace(-14, 2.2, 120)
    last = np.concatenate([-np.exp(s[::-1]), np.exp(s)])
    measure = np.abs(last) * (s[1] - s[0])
    squares = np.empty((count, 2))
    for i, (y, own) in enumerate(zip(labels, omega, strict=True)):
        one, three = own[0] + np.sqrt(v) * x, own[2] + np.sqrt(v) * x
        size = v * (one[:, None] ** 2 + three**2)[..., None]
        rest = y / last - (one[:, None] * own[1] + three * own[3])[..., None]
        p = np.multiply.outer(np.multiply.outer(w, w), np.exp(-((last - own[4]) ** 2) / (2 * v)) * measure)
        p = p * np.exp(-(rest**2) / (2 * size)) / np.sqrt(size) / np.abs(last)
        whole = p.sum()
        squares[i] = (
            (p * one[:, None, None] * rest / size).sum() / whole,
            (p * (last - own[4])).sum() / v / whole,
        )
    squares = squares**2
    error = squares.std(0) / np.sqrt(count)
    assert (np.abs(squares.mean(0) - found[[1, 4]]) < 4 * error).all()


def test_forms():
    """Axes, norms and numbers; what is no quadratic form, or no product, has none."""
    z = sympy.symbols("z1:6", real=True)
    factor, axes = sum_factor(3 * z[0] * z[1] + z[2] ** 2 + z[2] + 2, z)
    assert [(p.places, p.even) for p in factor.parts] == [((0,), True), ((1,), False), ((2,), True)]
    assert factor.number == 2 and np.allclose(axes @ axes.T, np.eye(5))
    assert sum_factor(z[0] * z[1] * z[2] + z[3], z) is None and sum_factor(abs(z[0]) + z[1], z) is None
    of = lambda text, n: product_parts(ha.Target(text).expression, [variable(i + 1) for i in range(n)])  # noqa: E731
    assert of("z1*z2+z3*z4", 4) is None and of("(z1*z2+xi)*z3", 3).is_noisy
    assert product("(z1*z2+z3*z4)*z5", 5).exact_share == pytest.approx(1 / 5)


@pytest.mark.slow
def test_map_and_threshold():
    """The slope of the map at 0 is the threshold, of other code and to 4e-11."""
    tracked, _ = map_of(channel_of("(z1*z2+z3*z4)*z5", equivalent=True))
    assert isinstance(tracked.overlap_map, PartsMap) and len(tracked.where.basis) == 2
    small = 1e-5
    slope = max(np.diag(tracked.at(small * np.eye(5)))) / small
    assert 1 / slope == pytest.approx(float(ha.weak_recovery("(z1*z2+z3*z4)*z5").alpha_c), rel=2e-5)


@pytest.mark.slow
def test_solution():
    found = StateEvolution("(z1*z2+z3*z4)*z5").solve(alpha=2.5)
    assert found.status == Status.CONVERGED and found.rule == Rule.QUADRATURE
    assert found.numerical_error < 2e-5
    assert np.allclose(found.overlap, np.diag([0, 0, 0, 0, 0.138323]), atol=1e-5)
