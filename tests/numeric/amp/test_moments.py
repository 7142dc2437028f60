"""Moments of labels at any omega and V: derivatives, identities that hold exactly, and Monte Carlo."""

from __future__ import annotations

import math

import mpmath
import numpy as np
import pytest
from scipy.special import ndtr

from hermite_analytics import Target
from hermite_analytics.errors import InputError, UnsupportedExpression
from hermite_analytics.label.channel import channel_of

CASES = {
    "sign(z1)": [1.0, -1.0],
    "step(abs(z1) - 1) + step(abs(z1) - 2)": [0.0, 1.0, 2.0],
    "z1**2": [0.3, 2.0, 1e-3],
    "He3(z1)": [0.3, -2.5, 7.0],
    "relu(z1)": [0.0, 0.5, 1.0],
    "abs(z1) + xi": [0.3, -2.5, 7.0],
    "sign(z1) + xi": [1.0, -1.5],
    "sign(z1 + xi/2)": [1.0, -1.0],
    "sign(z1*z2)": [1.0, -1.0],
    "sign(z1*z2) + xi/2": [0.3, -1.0],
    "sign(z1) + 2*sign(z2 - 1) + step(z1 - 1/2)": [-3.0, 4.0, 1.0],
    "max(z1,z2) - z3": [1.0, -1.5],
    "max(z1,z2) - z3 + xi/2": [1.0, -1.5],
    "sign(z1*z2*z3)": [1.0, -1.0],
    "z1 + z2**2 + xi/2": [0.5, 3.0],
    "z1*z2": [0.5, -1.0],
}


def setting(text, seed=0):
    """Moments, coordinates, and some omega and V that are not diagonal."""
    channel = channel_of(text)
    labels = np.array(CASES[text])
    rng = np.random.default_rng(seed)
    q = len(channel.seen)
    root = rng.normal(size=(q, q))
    variance = 0.4 * root @ root.T / q + 0.15 * np.eye(q)
    return channel.at(labels), channel, rng.normal(size=(len(labels), q)) * 0.7, variance


@pytest.mark.cases(5)
@pytest.mark.parametrize("text", CASES)
def test_derivatives(text):
    at, _, omega, variance = setting(text)
    found, h = at(omega, variance), 1e-4
    for k in range(omega.shape[1]):
        move = h * np.eye(omega.shape[1])[k]
        up, down = at(omega + move, variance), at(omega - move, variance)
        assert found.g[:, k] == pytest.approx((up.log_z - down.log_z) / (2 * h), rel=2e-6, abs=2e-6)
        assert found.minus_dg[:, k] == pytest.approx((down.g - up.g) / (2 * h), rel=2e-6, abs=2e-6)


@pytest.mark.cases(3)
@pytest.mark.parametrize("text", ["sign(z1)", "sign(z1*z2)", "sign(z1 + xi/2)", "sign(z1*z2*z3)"])
def test_identities_over_all_labels(text):
    """sum_y Z = 1, sum_y Z g = 0 and sum_y Z (g g^T + dg) = 0: derivatives of the first."""
    values = np.array(CASES[text])
    channel = channel_of(text)
    _, _, omega, variance = setting(text, seed=3)
    at = channel.at(values)
    found = at(np.repeat(omega[:1], len(values), axis=0), variance)
    z = np.exp(found.log_z)
    square = found.g[:, :, None] * found.g[:, None, :]
    assert z.sum() == pytest.approx(1, abs=1e-10)
    assert z @ found.g == pytest.approx(0, abs=1e-10)
    assert np.einsum("n,nij->ij", z, square - found.minus_dg) == pytest.approx(0, abs=1e-9)


@pytest.mark.cases(1)
@pytest.mark.parametrize(
    "text", ["sign(z1*z2)", "sign(z1) + 2*sign(z2 - 1) + step(z1 - 1/2)", "sign(z1*z2*z3)"]
)
def test_boxes_by_sampling(text):
    """Probability and mean of z given a label, for correlated z: within 5 standard errors, 40 numbers."""
    at, channel, omega, variance = setting(text)
    found = at(omega, variance)
    rng = np.random.default_rng(11)
    label = Target(text).function("array")
    for i, y in enumerate(CASES[text]):
        w = omega[i] + rng.multivariate_normal(np.zeros(len(variance)), variance, size=400_000)
        inside = np.abs(label(*(w @ channel.rows).T) - y) < 1e-9
        p = math.exp(found.log_z[i])
        assert inside.mean() == pytest.approx(p, abs=5 * math.sqrt(p * (1 - p) / len(w)))
        mean = omega[i] + variance @ found.g[i]
        error = 5 * w[inside].std(axis=0) / math.sqrt(max(inside.sum(), 1))
        if inside.sum() > 500:
            assert np.all(np.abs(w[inside].mean(axis=0) - mean) < error)


def test_diagonal_covariance_is_a_product():
    """sign(z1 z2) with V = diag(v1, v2): E y = erf erf."""
    at = channel_of("sign(z1*z2)").at(np.array([1.0]))
    omega, v = np.array([[0.4, -0.9]]), np.array([0.7, 0.2])
    mean = np.prod(2 * ndtr(omega[0] / np.sqrt(v)) - 1)
    assert math.exp(at(omega, np.diag(v)).log_z[0]) == pytest.approx((1 + mean) / 2, rel=1e-13)
    nearly = np.diag(v) + 1e-9 * np.array([[0, 1], [1, 0]])
    assert math.exp(at(omega, nearly).log_z[0]) == pytest.approx((1 + mean) / 2, abs=1e-8)


def test_improbable_labels_keep_their_digits():
    """Far in the wrong quadrant g is the distance to the border over V, as for one sign."""
    at = channel_of("sign(z1*z2)").at(np.array([-1.0]))
    variance = np.array([[0.02, 0.001], [0.001, 0.02]])
    found = at(np.array([[2.0, 2.6]]), variance)  # 14 and 18 standard deviations
    one = channel_of("sign(z1)").at(np.array([-1.0]))(np.array([[2.0]]), variance[:1, :1])
    assert found.log_z[0] == pytest.approx(one.log_z[0], rel=1e-3)
    assert found.g[0, 0] == pytest.approx(one.g[0, 0], rel=1e-3)
    assert np.linalg.eigvalsh(found.minus_dg[0])[0] > -1e-6


@pytest.mark.parametrize("omega", [(0.3, 0.4), (3.0, 0.5), (6.0, 6.0), (-0.3, 0.4)])
@pytest.mark.parametrize("variance", [0.1, 0.01, 1e-3, 1e-4])
def test_far_from_a_corner(omega, variance):
    """A quadrant has the product of two tails; the density falls steeply along its boundary."""
    target = channel_of("relu(z1) + sign(z2)").kind
    log_z, g, minus_dg = target.at(np.array([-1.0]))(np.array([omega]), variance * np.eye(2))
    x = [mpmath.mpf(w) / mpmath.sqrt(variance) for w in omega]
    mass = [mpmath.erfc(t / mpmath.sqrt(2)) / 2 for t in x]
    ratio = [mpmath.npdf(t) / p for t, p in zip(x, mass, strict=True)]
    assert log_z[0] == pytest.approx(float(sum(mpmath.log(p) for p in mass)), rel=1e-13)
    size = variance**0.5
    np.testing.assert_allclose(g[0] * size, [-float(h) for h in ratio], rtol=1e-8, atol=1e-12)
    slopes = [float(h * (h - t)) for h, t in zip(ratio, x, strict=True)]
    np.testing.assert_allclose(minus_dg[0] * variance, np.diag(slopes), atol=2e-3)


def test_far_from_a_disc_at_a_small_variance():
    """Nodes of its boundary are far apart against sqrt(V): the nearest point is between them."""
    target, variance = channel_of("sign(z1**2 + z2**2 - 1)").kind, 1e-8
    omega = np.array([[1.6, 1.1], [-6.0, 6.0], [0.3, -1.4]])
    log_z, g, minus_dg = target.at(-np.ones(3))(omega, variance * np.eye(2))
    radius = np.hypot(*omega.T)[:, None]
    np.testing.assert_allclose(2 * variance * log_z, -((radius[:, 0] - 1) ** 2), rtol=1e-5)
    np.testing.assert_allclose(g * variance, -(radius - 1) * omega / radius, atol=1e-6)
    assert np.isfinite(minus_dg).all()


def test_exchange_and_signs():
    """g_out follows the symmetries of sign(z1 z2)."""
    at = channel_of("sign(z1*z2)").at(np.array([1.0, 1.0]))
    v = np.array([[0.5, 0.2], [0.2, 0.3]])
    flip = np.array([[0.0, -1.0], [-1.0, 0.0]])
    omega = np.array([[0.3, -0.8], [0.1, 0.9]])
    there, here = at(omega @ flip, flip @ v @ flip), at(omega, v)
    assert there.g == pytest.approx(here.g @ flip, rel=1e-10)
    assert there.log_z == pytest.approx(here.log_z, rel=1e-10)


def test_labels_on_a_critical_value():
    """y = 0 of z1**2, and a label rounded below it, have the preimage 0."""
    at = channel_of("z1**2").at(np.array([0.0, -1e-15]))
    found = at(np.array([[0.3], [0.3]]), np.array([[0.5]]))
    assert found.g[:, 0] == pytest.approx(-0.6, abs=1e-4)


@pytest.mark.parametrize(
    ("text", "labels", "message"),
    [
        ("sign(z1)", [1.0, 0.5], r"y\[1\] is 0.5; the target takes the values -1, 1"),
        ("sign(z1*z2)", [2.0], r"y\[0\] is 2; the target takes the values -1, 1"),
        ("sign(z1 + xi/2)", [3.0], r"y\[0\] is 3; the target takes the values -1, 1"),
        ("z1**2", [1.0, 2.0, -1.0], r"y\[2\] is -1, a value that the target does not take"),
    ],
)
def test_labels_that_are_not_taken(text, labels, message):
    with pytest.raises(InputError, match=message):
        channel_of(text).at(np.array(labels))


def test_equivalent_labels_are_refused():
    with pytest.raises(UnsupportedExpression, match=r"equivalent label.*w1 \+ xi"):
        channel_of("(z1 + xi)**3").at(np.array([1.0]))
