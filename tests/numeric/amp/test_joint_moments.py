"""A continuous coordinate and several signs together: derivatives, identities, sampling, and AMP itself."""

from __future__ import annotations

import math

import numpy as np
import pytest

from hermite_analytics import Target
from hermite_analytics.errors import InputError
from hermite_analytics.label.channel import channel_of
from hermite_analytics.numeric import AMP, StateEvolution

CASES = {
    "z1 + sign(z2) + sign(z3)": [0.3, -1.5, 4.0],
    "z1**2 + sign(z1*z2*z3)": [0.3, 2.0, -0.5],
    "z1*sign(z2) + sign(z3)": [0.4, -2.0, 1.5],
    "abs(z1) + step(z2)*sign(z3)": [0.5, -0.5, 1.7],
    "tanh(z1) + sign(z2)*sign(z3)*z1**2": [0.5, -0.2, 1.9],
    "relu(z1) + sign(z2) + sign(z3)": [0.0, 2.0, 0.5, -1.3],
    "sign(z1) + z2**3 + step(z3 - 1/2)": [0.4, -3.0],
    "z1 + sign(z2)*sign(z3 - 1/2)*sign(z4)": [0.5, -2.0],
}


def setting(text, seed=0):
    """Moments, channel, and some omega and V that are not diagonal."""
    channel = channel_of(text)
    labels = np.array(CASES[text])
    rng = np.random.default_rng(seed)
    q = len(channel.followed)
    root = rng.normal(size=(q, q))
    variance = 0.4 * root @ root.T / q + 0.15 * np.eye(q)
    return channel.at(labels), channel, rng.normal(size=(len(labels), q)) * 0.7, variance


def data(text, d, alpha, seed):
    """Inputs, labels and directions."""
    rng = np.random.default_rng(seed)
    f = Target(text)
    teacher = rng.standard_normal((d, f.dimension)) / math.sqrt(d)
    x = rng.standard_normal((round(alpha * d), d))
    return x, f.function("array")(*(x @ teacher).T), teacher


@pytest.mark.cases(1)
@pytest.mark.parametrize("text", CASES)
def test_derivatives(text):
    at, _, omega, variance = setting(text)
    found, h = at(omega, variance), 1e-4
    for k in range(omega.shape[1]):
        move = h * np.eye(omega.shape[1])[k]
        up, down = at(omega + move, variance), at(omega - move, variance)
        assert found.g[:, k] == pytest.approx((up.log_z - down.log_z) / (2 * h), rel=2e-6, abs=3e-6)
        assert found.minus_dg[:, k] == pytest.approx((down.g - up.g) / (2 * h), rel=2e-6, abs=3e-6)


@pytest.mark.slow
@pytest.mark.parametrize("text", ["z1 + sign(z2) + sign(z3)", "relu(z1) + sign(z2) + sign(z3)"])
def test_identities_over_all_labels(text):
    """int Z dy + sum over atoms = 1, and of Z g and Z (g g^T + dg) = 0: derivatives of the first."""
    _, channel, omega, variance = setting(text)
    # panels between the kinks of the density; below -2 the label with relu is not taken
    edges = np.array([-2.0, 0.0, 2.0, 9.0]) if "relu" in text else np.array([-9.0, -2.0, 0.0, 2.0, 9.0])
    nodes, weights = np.polynomial.legendre.leggauss(60)
    half = np.diff(edges) / 2
    y = (edges[:-1, None] + half[:, None] * (1 + nodes)).ravel()
    atoms = [a.label for a in channel.kind.atoms()]
    labels = np.concatenate([y, atoms])
    found = channel.at(labels)(np.repeat(omega[:1], len(labels), axis=0), variance)
    p = np.exp(found.log_z) * np.concatenate([(half[:, None] * weights).ravel(), np.ones(len(atoms))])
    square = found.g[:, :, None] * found.g[:, None, :]
    assert p.sum() == pytest.approx(1, abs=1e-7)
    assert p @ found.g == pytest.approx(0, abs=1e-6)
    assert np.einsum("n,nij->ij", p, square - found.minus_dg) == pytest.approx(0, abs=1e-5)


@pytest.mark.cases(1)
@pytest.mark.parametrize("text", list(CASES)[:6])
def test_posterior_means_by_sampling(text):
    """E[w | y in a short interval] for correlated w: within 5 standard errors, 50 numbers."""
    channel = channel_of(text)
    _, _, omega, variance = setting(text)
    order = list(channel.followed)
    rng = np.random.default_rng(11)
    label = Target(text).function("array")
    w = omega[0] + rng.multivariate_normal(np.zeros(len(order)), variance, size=400_000)
    z = w[:, np.argsort(order)] @ channel.rows
    y = label(*z.T)
    for low in (-0.4, 0.3, 1.6):
        inside = (y > low) & (y < low + 0.1)
        labels = y[inside][:4000]
        w_inside = w[inside][:4000]
        if len(labels) < 500:
            continue
        found = channel.at(labels)(np.repeat(omega[:1], len(labels), axis=0), variance)
        expected = (omega[0] + found.g @ variance).mean(axis=0)  # E[w | y] averaged over the labels drawn
        error = 5 * w_inside.std(axis=0) / math.sqrt(len(labels)) + 1e-9
        assert np.all(np.abs(w_inside.mean(axis=0) - expected) < error)


def test_one_sheet_is_one_coordinate():
    """Where nothing is known of the signs, the first coordinate has the moments that it has alone."""
    channel = channel_of("z1**2 + sign(z1*z2*z3)")
    labels = np.array([0.3, 2.0, -0.5])
    omega, variance = np.array([[0.4, 0, 0], [-0.7, 0, 0], [0.1, 0, 0]]), np.diag([0.6, 1, 1])
    joint = channel.at(labels)(omega, variance)
    alone = channel.at(labels, alone=True)(omega[:, :1], variance[:1, :1])
    assert joint.log_z == pytest.approx(alone.log_z, rel=1e-12)
    assert joint.g[:, 0] == pytest.approx(alone.g[:, 0], rel=1e-10)
    assert joint.minus_dg[:, 0, 0] == pytest.approx(alone.minus_dg[:, 0, 0], rel=1e-10)
    assert joint.g[:, 1:] == pytest.approx(0, abs=1e-12)


def test_known_first_coordinate_leaves_the_parity():
    """V_11 -> 0: what is left of z1**2 + sign(z1*z2*z3) is sign(z2*z3)."""
    channel = channel_of("z1**2 + sign(z1*z2*z3)")
    x, mean, rest = 1.3, np.array([0.4, -0.9]), np.array([[0.5, 0.1], [0.1, 0.3]])
    variance = np.zeros((3, 3))
    variance[0, 0], variance[1:, 1:] = 1e-8, rest
    found = channel.at(np.array([x * x - 1]))(np.array([[x, *mean]]), variance)
    parity = channel_of("sign(z1*z2)").at(np.array([-1.0]))(mean[None], rest)
    assert found.g[0, 1:] == pytest.approx(parity.g[0], rel=1e-9)
    assert found.minus_dg[0, 1:, 1:] == pytest.approx(parity.minus_dg[0], rel=1e-9)
    # label density at exact knowledge: 1/|g'| times that of N(x; x, V)
    log_density = -0.5 * math.log(2 * math.pi * 1e-8) - math.log(2 * x)
    assert found.log_z[0] == pytest.approx(log_density + parity.log_z[0], rel=1e-9)


def test_improbable_branches_keep_their_digits():
    """Far from all preimages the nearest one decides, which both signs have to be positive for."""
    at = channel_of("z1 + sign(z2) + sign(z3)").at(np.array([10.5]))
    variance = 0.01 * np.eye(3) + 1e-4
    found = at(np.zeros((1, 3)), variance)  # 84 standard deviations
    assert np.all(np.isfinite(found.minus_dg))
    assert (variance @ found.g[0])[0] == pytest.approx(8.5, abs=1e-9)
    assert found.log_z[0] == pytest.approx(-0.5 * 8.5**2 / variance[0, 0], rel=1e-2)


def test_labels_that_are_not_taken():
    with pytest.raises(InputError, match=r"y\[1\] is -2, a value that the target does not take"):
        channel_of("z1**2 + sign(z1*z2*z3)").at(np.array([1.0, -2.0]))


@pytest.mark.slow
def test_which_coordinates_are_followed():
    assert AMP("z1**2 + sign(z1*z2*z3)").directions == 3
    assert channel_of("abs(z1) + step(z2)*sign(z3)").followed[0] == 2  # z2, z3 enter by signs
    # four dimensional boxes are not integrated: the flat part of relu beside three signs
    assert AMP("relu(z1) + sign(z2*z3*z4)").directions == 1


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "alpha", "tolerance"),
    [("z1 + sign(z2) + sign(z3)", 0.7, 0.05), ("relu(z1) + sign(z2) + sign(z3)", 1.0, 0.05)],
)
def test_amp_follows_state_evolution(text, alpha, tolerance):
    """Entries of the overlap matrix at d = 600, mean of 4 seeds; standard error about 0.015."""
    theory = StateEvolution(text).solve(alpha=alpha).overlap
    found = []
    for seed in range(4):
        x, y, teacher = data(text, 600, alpha, seed)
        run = AMP(text).run(x, y, teacher=teacher, tolerance=1e-4)
        found.append(run.overlap_matrix)
    # z2 and z3 are exchanged by a symmetry, but E[z | y] is not 0: signs and order are as in the teacher
    np.testing.assert_allclose(np.mean(found, axis=0), theory, atol=tolerance)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("alpha", "first", "later"), [(1.0, 0.27940, 0.0), (1.6, 1.0, 0.0), (4.0, 1.0, 0.6438)]
)
def test_grand_staircase(alpha, first, later):
    """Both stages of z1**2 + sign(z1*z2*z3) at d = 500, 5 seeds: the second appears above pi^2/4 only."""
    model = AMP("z1**2 + sign(z1*z2*z3)")
    cosines, others = [], []
    for seed in range(5):
        x, y, teacher = data("z1**2 + sign(z1*z2*z3)", 500, alpha, seed)
        run = model.run(x, y, teacher=teacher, start="informed", start_overlap=0.1, seed=seed, tolerance=1e-4)
        w, w0 = run.estimate[:, 0], teacher[:, 0]
        cosines.append((w @ w0) ** 2 / (w @ w) / (w0 @ w0))
        others.append(np.abs(run.overlap_matrix[1, 1:]).sum())  # split by the exchange of z2 and z3
    assert np.mean(cosines) == pytest.approx(first, abs=0.15)
    assert np.mean(others) == pytest.approx(later, abs=0.25)
