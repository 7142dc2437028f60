"""Channels of two and more coordinates: derivatives, sum rules, brute-force posteriors, exact recovery."""

from __future__ import annotations

import math

import numpy as np
import pytest

from hermite_analytics.errors import InputError
from hermite_analytics.label.cases.plane import arcs
from hermite_analytics.label.cases.plane.graphs import safe_zeros
from hermite_analytics.label.cases.plane.patches import patches_of
from hermite_analytics.label.cases.plane.plane import PlaneChannel
from hermite_analytics.label.cases.sampled.solved import SolvedChannel
from hermite_analytics.label.cases.soft.channel import SoftChannel
from hermite_analytics.label.channel import channel_of

VARIANCE = np.array([[0.45, 0.12], [0.12, 0.3]])
OMEGA = np.array([[0.4, -0.9], [1.3, 0.2], [-0.3, 0.1], [0.05, 1.6]])

# (target, labels that it takes)
LABELS = {
    "z1*z2": [0.7, -1.2, 0.05, 2.0],
    "abs(z1) + abs(z2)": [1.1, 2.0, 0.3, 1.7],
    "z1 + relu(z2)": [0.4, -0.8, 1.9, 0.0],
    "max(z1,z2)": [0.4, 1.2, -0.5, 1.0],
    "relu(z1)*relu(z2)": [0.0, 0.6, 0.0, 0.2],
    "step(z1) + 2*sign(z1 + z2)": [3.0, -2.0, 2.0, -1.0],
    "sign(z1*z2 + xi)": [1.0, -1.0, 1.0, -1.0],
    "abs(z1) + abs(z2) + xi": [1.5, 0.2, 3.0, 2.2],
}


@pytest.mark.cases(1)
@pytest.mark.parametrize("text", LABELS)
def test_derivatives_are_those_of_log_z(text):
    channel = channel_of(text)
    at = channel.at(np.array(LABELS[text]))
    assert isinstance(channel.kind, PlaneChannel | SoftChannel)
    omega = OMEGA @ channel.rows.T
    h = 1e-5
    log_z, g, minus_dg = at(omega, VARIANCE)
    assert log_z.shape == (4,) and g.shape == (4, 2) and minus_dg.shape == (4, 2, 2)
    for k in range(2):
        step = h * np.eye(2)[k]
        up, down = at(omega + step, VARIANCE), at(omega - step, VARIANCE)
        np.testing.assert_allclose((up[0] - down[0]) / (2 * h), g[:, k], rtol=3e-6, atol=3e-6)
        np.testing.assert_allclose((down[1] - up[1]) / (2 * h), minus_dg[:, k], rtol=1e-5, atol=1e-5)


def test_density_of_a_product_by_an_integral_along_the_hyperbola():
    y, omega = 0.7, OMEGA[0]
    (log_z,), _, _ = channel_of("z1*z2").kind.at(np.array([y]))(omega[None], VARIANCE)
    t = np.linspace(-12, 12, 200_001)  # z1 = s e^t: dz1/|z1| = dt
    inverse, total = np.linalg.inv(VARIANCE), 0.0
    for s in (1, -1):
        d = np.stack([s * np.exp(t), s * y * np.exp(-t)], 1) - omega
        total += np.exp(-0.5 * np.einsum("ni,ij,nj->n", d, inverse, d)).sum() * (t[1] - t[0])
    expected = math.log(total / (2 * math.pi * math.sqrt(np.linalg.det(VARIANCE))))
    assert log_z == pytest.approx(expected, abs=1e-11)


@pytest.mark.slow
@pytest.mark.parametrize("text", ["step(z1) + 2*sign(z1 + z2)", "relu(z1)*relu(z2)"])
def test_probabilities_of_regions(text):
    """Regions of all atoms, and of what is left, have total probability 1 at any omega and V."""
    kind = channel_of(text).kind
    n = len(OMEGA)
    total = sum(np.exp(kind.at(np.full(n, v))(OMEGA, VARIANCE)[0]) for v in kind.regions.values)
    if text.startswith("relu"):
        assert np.all(total < 1) and kind.regions.values.tolist() == [0.0]
    else:
        np.testing.assert_allclose(total, 1, atol=1e-12)


@pytest.mark.cases(1)
@pytest.mark.parametrize("text", ["z1*z2", "z1 + relu(z2)", "sign(z1*z2 + xi)"])
def test_posterior_mean_by_rejection(text):
    """E[z | y, omega] from 2e6 samples with a label in a window; |z| < 5 s.e. (1e-6) plus the window."""
    kind = channel_of(text).kind
    rng = np.random.default_rng(5)
    omega, label = np.array([0.6, -0.4]), (1.0 if text.startswith("sign") else 0.5)
    z = omega + rng.standard_normal((2_000_000, 2)) @ np.linalg.cholesky(VARIANCE).T
    if text.startswith("sign"):
        inside = np.sign(z[:, 0] * z[:, 1] + rng.standard_normal(len(z))) == label
        width = 0.0
    else:
        y = z[:, 0] * z[:, 1] if text == "z1*z2" else z[:, 0] + np.maximum(z[:, 1], 0)
        width = 0.005
        inside = np.abs(y - label) < width
    kept = z[inside]
    _, g, _ = kind.at(np.array([label]))(omega[None], VARIANCE)
    mean = omega + VARIANCE @ g[0]
    error = kept.std(0) / math.sqrt(len(kept))
    assert np.all(np.abs(kept.mean(0) - mean) < 5 * error + width)


@pytest.mark.parametrize("variance", [1e-4, 1e-6, 1e-8])
def test_narrow_posteriors_see_one_linear_equation(variance):
    """g . V g -> chi^2 of one degree: E[g g^T] = e e^T/V with e along the gradient."""
    kind = channel_of("z1*z2").kind
    rng = np.random.default_rng(1)
    omega = np.array([[1.0, 0.5]]).repeat(400, 0)
    z = omega + math.sqrt(variance) * rng.standard_normal((400, 2))
    _, g, minus_dg = kind.at(z.prod(1))(omega, variance * np.eye(2))
    unit = np.array([0.5, 1.0]) / math.sqrt(1.25)
    np.testing.assert_allclose(g @ np.array([unit[1], -unit[0]]) * math.sqrt(variance), 0, atol=0.2)
    scale = np.einsum("nij,i,j->n", minus_dg, unit, unit) * variance
    assert scale.mean() == pytest.approx(1, abs=0.02)
    along = (z - omega) @ unit / variance
    np.testing.assert_allclose(g @ unit * math.sqrt(variance), along * math.sqrt(variance), atol=0.2)


def test_noise_as_a_coordinate():
    """y = z1 xi: Z = int N(z; omega, v) N(y/z; 0, 1)/|z| dz."""
    kind = channel_of("z1*xi").kind
    assert kind.dimension == 1 and kind.hidden
    y, omega, v = 0.8, 0.5, 0.4
    log_z, g, minus_dg = kind.at(np.array([y]))(np.array([[omega]]), np.array([[v]]))
    z = np.linspace(-8, 8, 400_001)[:-1] + 2e-5
    p = np.exp(-0.5 * (z - omega) ** 2 / v - 0.5 * (y / z) ** 2) / np.abs(z)
    assert log_z[0] == pytest.approx(math.log(p.sum() * 4e-5 / (2 * math.pi * math.sqrt(v))), abs=1e-8)
    mean = p @ z / p.sum()
    assert g[0, 0] == pytest.approx((mean - omega) / v, abs=1e-8)
    spread = p @ z**2 / p.sum() - mean**2
    assert minus_dg[0, 0, 0] == pytest.approx(1 / v - spread / v**2, abs=1e-7)


def test_label_that_is_not_taken():
    log_z, g, minus_dg = channel_of("abs(z1) + abs(z2)").kind.at(np.array([-1.0]))(
        np.zeros((1, 2)), np.eye(2)
    )
    assert np.isneginf(log_z[0]) and not g.any() and not minus_dg.any()


@pytest.mark.slow
def test_value_that_is_not_taken_by_finitely_many():
    with pytest.raises(InputError, match=r"y\[1\] is 0.5; the target takes the values -1, 1"):
        channel_of("sign(z1*z2 + xi)").kind.at(np.array([1.0, 0.5]))


@pytest.mark.slow
def test_three_coordinates_by_quasi_monte_carlo():
    """max(z1,z2,z3) at omega = 0, V = I: E[z | y] = (y + 2 E[z | z < y])/3 in each coordinate.

    Eight sequences; |z| < 5 standard errors of their mean (about 1e-3 with so few), with 1% for the bias.
    """
    kind = channel_of("max(z1,z2,z3)").kind
    assert isinstance(kind, SolvedChannel)
    y = np.array([0.5, 1.5])
    found = [kind.along_lines(y, seed=k)(np.zeros((2, 3)), np.eye(3))[1].sum(1) for k in range(8)]
    density = np.exp(-0.5 * y * y) / math.sqrt(2 * math.pi)
    below = -density / np.array([0.5 * math.erfc(-v / math.sqrt(2)) for v in y])
    error = np.std(found, axis=0, ddof=1) / math.sqrt(8)
    assert np.all(np.abs(np.mean(found, axis=0) - y - 2 * below) < 5 * error + 0.01)


@pytest.mark.slow
def test_symmetries():
    counts = {"z1*z2": 8, "z1 + relu(z2)": 1, "max(z1,z2)": 2, "z1*z2*z3": 48, "z1**2 - z2**2": 8}
    for text, count in counts.items():
        assert len(channel_of(text).symmetries) == count


def test_a_side_that_comes_back_to_zero_at_its_end():
    """A curve through a corner of its box: Newton's method went to the corner, 2e-17 beside 0."""
    ends = np.linspace(0.06, -0.04, 11)
    c = np.append(ends, -4.6e-17)[:, None]
    binomials = np.array([math.comb(11, k) for k in range(12)])[:, None]
    y = float(safe_zeros(c * binomials)[0][0])
    i = np.arange(12)[:, None]
    assert 0.3 < y < 0.8
    assert abs((c * binomials * y**i * (1 - y) ** (11 - i)).sum()) < 1e-17


def test_a_side_whose_slope_vanishes_where_it_is_looked_at():
    """The sign of the value counts, not that of a Newton step times the slope, 0 times infinity."""
    c = np.array([-20.25, 26.75, *[22.25] * 9, 20.25])[:, None]
    binomials = np.array([math.comb(11, k) for k in range(12)])[:, None]
    y = float(safe_zeros(c * binomials)[0][0])
    i = np.arange(12)[:, None]
    assert abs((c * binomials * y**i * (1 - y) ** (11 - i)).sum()) < 1e-12


def test_the_time_is_looked_at_between_boxes(monkeypatch):
    """All patches for a hundred labels together took a second and more of an oscillating label."""
    patches = patches_of(lambda w: np.sin(w[:, 0] * w[:, 1]), [])
    looks: list[int] = []
    monkeypatch.setattr(arcs, "check_time", lambda: looks.append(1))
    labels = np.linspace(-0.9, 0.9, 30)
    owner, points, _ = arcs.followed(patches, labels, arcs.arc_nodes())
    assert len(looks) > len(owner) // 1000  # arcs, of 10 us each
    assert np.abs(np.sin(points.prod(-1)) - labels[owner][:, None]).max() < 1e-9
