"""Any convex loss on random features and on Gaussian covariates."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import linprog, minimize
from scipy.special import ndtr
from scipy.stats import t

from hermite_analytics.errors import InputError
from hermite_analytics.numeric import GaussianCovariates, RandomFeatures
from tests.numeric.random_features.reference import gerace, logistic_prox

TANH = (0.605705509602**2, 0.165575741084**2)
RATIOS = {"alpha": 3.0, "beta": 1.5, "ridge": 0.3}


def hinge_prox(y, w, v):
    u = y * w
    prox = np.where(u < 1 - v, y * (u + v), np.where(u < 1, y, w))
    return prox, np.where((u < 1 - v) | (u >= 1), 1.0, 0.0)


def test_logistic_reference_point():
    found = RandomFeatures("tanh(z)", "sign(z1)", "logistic").solve(alpha=2, beta=1.5, ridge=0.1)
    assert found.test_error == pytest.approx(0.255524242282329, rel=1e-12)
    assert found.train_error == pytest.approx(0.33006321037275155, rel=1e-12)
    expected = {
        "M": 0.8838485812032448,
        "Q": 1.61854477596997,
        "V": 1.71897431567104,
        "q2": 2.630748053057879,
    }
    for name, value in expected.items():
        assert found.overlaps[name] == pytest.approx(value, rel=2e-12)
    assert found.status == "converged" and found.residual <= 1e-12 and found.numerical_error <= 1e-12


@pytest.mark.slow
@pytest.mark.parametrize(
    ("loss", "prox", "value"),
    [
        ("logistic", logistic_prox, lambda u: np.logaddexp(0.0, -u)),
        ("hinge", hinge_prox, lambda u: np.maximum(0.0, 1 - u)),
    ],
)
@pytest.mark.parametrize("ratios", [(2.0, 1.5, 0.1), (0.6, 0.4, 1.0)])
def test_equals_the_equations_as_printed(loss, prox, value, ratios):
    alpha, beta, ridge = ratios
    error, train, v, q, m = gerace(prox, alpha, beta, ridge, *TANH, value, nodes=12001)
    found = RandomFeatures("tanh(z)", "sign(z1)", loss).solve(alpha=alpha, beta=beta, ridge=ridge)
    precise = 1e-9 if loss == "logistic" else 1e-3  # plain nodes do not see the jumps of the hinge
    assert found.test_error == pytest.approx(error, rel=precise)
    assert found.train_error == pytest.approx(train, rel=precise)
    for name, expected in (("V", v), ("Q", q), ("M", m)):
        assert found.overlaps[name] == pytest.approx(expected, rel=precise), name


@pytest.mark.parametrize(
    ("activation", "target"),
    [("tanh(z)", "tanh(z1)"), ("relu(z)", "relu(z1)"), ("softplus(z)", "z1**2 + z1")],
)
@pytest.mark.parametrize("noise", [0.0, 0.1])
def test_square_loss_as_a_convex_loss_equals_the_closed_form(activation, target, noise):
    closed = RandomFeatures(activation, target).solve(**RATIOS, noise=noise)
    convex = RandomFeatures(activation, target, "(y - x)**2/2").solve(**RATIOS, noise=noise)
    assert convex.test_error == pytest.approx(closed.test_error, rel=1e-10)
    assert 2 * convex.train_error == pytest.approx(closed.train_error, rel=1e-10)
    for name, value in closed.overlaps.items():
        assert convex.overlaps[name] == pytest.approx(value, rel=1e-10, abs=1e-13), name


def test_sign_labels_with_the_square_loss_through_classes():
    """(1 - y x)^2/2 is (y - x)^2/2 where y = +-1."""
    closed = RandomFeatures("relu(z)", "sign(z1 - 1/3)").solve(**RATIOS)
    margin = RandomFeatures("relu(z)", "sign(z1 - 1/3)", "(1 - y*x)**2/2").solve(**RATIOS)
    for name, value in closed.overlaps.items():
        assert margin.overlaps[name] == pytest.approx(value, rel=1e-10), name
    overlap, power, mean = (closed.overlaps[n] for n in ("M", "Q", "intercept"))
    fine = np.linspace(-9, 9, 20001)  # the field over its deviation
    edge = (1 / 3 - overlap / np.sqrt(power) * fine) / np.sqrt(1 - overlap**2 / power)
    positive = ndtr(-edge)
    wrong = np.where(mean + np.sqrt(power) * fine > 0, 1 - positive, positive)
    density = np.exp(-0.5 * fine**2) / np.sqrt(2 * np.pi)
    assert margin.test_error == pytest.approx(np.trapezoid(density * wrong, fine), abs=2e-4)


def test_large_huber_threshold_is_the_square_and_small_is_robust():
    closed = RandomFeatures("tanh(z)", "tanh(z1)").solve(**RATIOS, noise=0.1)
    huber = RandomFeatures("tanh(z)", "tanh(z1)", "huber:50").solve(**RATIOS, noise=0.1)
    assert huber.test_error == pytest.approx(closed.test_error, rel=1e-10)
    assert 2 * huber.train_error == pytest.approx(closed.train_error, rel=1e-10)
    tight = RandomFeatures("tanh(z)", "tanh(z1)", "huber:0.1").solve(**RATIOS, noise=0.1)
    assert tight.status == "converged" and tight.test_error != pytest.approx(closed.test_error, rel=1e-3)


def test_unequal_classes_have_a_mean_only_where_the_activation_has_one():
    with_mean = RandomFeatures("relu(z)", "sign(z1 - 1/3)", "logistic").solve(**RATIOS)
    without = RandomFeatures("tanh(z)", "sign(z1 - 1/3)", "logistic").solve(**RATIOS)
    assert with_mean.overlaps["intercept"] < -0.1 and without.overlaps["intercept"] == 0.0
    odd = RandomFeatures("relu(z)", "sign(z1)", "logistic").solve(**RATIOS)
    assert abs(odd.overlaps["intercept"]) < 1e-12


@pytest.mark.cases(1)
@pytest.mark.parametrize("loss", ["logistic", "hinge"])
@pytest.mark.parametrize("ridge", [1e-4, 1.0, 1e4])
def test_range_of_ratios(loss, ridge):
    grid = np.geomspace(1e-2, 1e2, 7)
    found = RandomFeatures("tanh(z)", "sign(z1)", loss).solve(alpha=grid[:, None], beta=grid, ridge=ridge)
    assert np.all(found.status == "converged")
    assert np.all(found.residual <= 1e-12) and np.all(found.numerical_error <= 2e-11)
    assert np.all((found.test_error > 0) & (found.test_error < 0.5))


@pytest.mark.cases(1)
@pytest.mark.parametrize("loss", ["logistic", "hinge"])
@pytest.mark.parametrize("ridge", [1e-4, 1.0, 100.0])
def test_range_of_ratios_with_unequal_classes(loss, ridge):
    grid = np.geomspace(1e-2, 1e2, 6)
    found = RandomFeatures("relu(z)", "sign(z1 - 1/3)", loss).solve(
        alpha=grid[:, None], beta=grid, ridge=ridge
    )
    assert np.all(found.status == "converged") and np.all(found.residual <= 1e-12)
    assert np.all(found.test_error < 0.5) and np.all(found.overlaps["intercept"] < 0)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("ridge", "count"), [(1e-4, 6), (1.0, 16), pytest.param(1e4, 6, marks=pytest.mark.draws(0))]
)
def test_hinge_around_the_border_where_the_readout_vanishes(ridge, count):
    """Two points of 16 x 16 are within 1% of it. The border is that of a problem without ridge."""
    grid = np.geomspace(1e-2, 1e2, count)
    found = RandomFeatures("sigmoid(z)", "sign(z1 - 1)", "hinge").solve(
        alpha=grid[:, None], beta=grid, ridge=ridge
    )
    assert np.all(found.status == "converged") and np.all(found.residual <= 1e-12)
    gone = found.overlaps["Q"] == 0.0
    assert 0.08 < gone.mean() < 0.31
    assert np.all(np.diff(gone.astype(int), axis=1) <= 0)  # more features help
    assert np.all(found.train_error[gone] == pytest.approx(2 * ndtr(-1), rel=1e-11))
    assert np.all(found.train_error[~gone] < 2 * ndtr(-1))


@pytest.mark.slow
def test_hinge_near_the_kink_keeps_its_digits():
    """A small readout scales as 1/ridge: the numbers at two large ridges are multiples."""
    near, far = (
        RandomFeatures("relu(z)", "sign(z1 - 1/2)", "hinge").solve(alpha=1.36, beta=0.1166, ridge=ridge)
        for ridge in (1e4, 1e6)
    )
    for name in ("V", "M", "q1"):
        power = 2 if name == "q1" else 1
        assert near.overlaps[name] == pytest.approx(100**power * far.overlaps[name], rel=1e-9)


def test_large_ridge_leaves_the_majority():
    """The weights vanish as 1/ridge, the mean does not: it goes to the kink of the majority's hinge."""
    found = RandomFeatures("relu(z)", "sign(z1 - 1/3)", "hinge").solve(
        alpha=0.5, beta=2, ridge=[10.0, 1000.0]
    )
    assert found.test_error == pytest.approx(ndtr(-1 / 3), abs=1e-5)
    np.testing.assert_allclose(found.overlaps["intercept"], [-0.978, -0.99978], atol=2e-3)


def test_several_cells():
    found = RandomFeatures("tanh(z)", "sign(z1**3 - z1)", "logistic").solve(**RATIOS)
    assert found.status == "converged" and 0.3 < found.test_error < 0.5
    mirrored = RandomFeatures("tanh(z)", "sign(z1 - z1**3)", "logistic").solve(**RATIOS)
    assert mirrored.test_error == pytest.approx(found.test_error, rel=1e-12)
    assert mirrored.overlaps["M"] == pytest.approx(-found.overlaps["M"], rel=1e-12)


def test_grids_do_not_depend_on_their_order():
    model = RandomFeatures("tanh(z)", "sign(z1)", "hinge")
    alpha = np.linspace(0.5, 4, 40)
    together = model.solve(alpha=alpha, beta=1, ridge=0.1).test_error
    np.testing.assert_array_equal(
        together[::-1], model.solve(alpha=alpha[::-1], beta=1, ridge=0.1).test_error
    )
    assert model.solve(alpha=alpha[7], beta=1, ridge=0.1).test_error == together[7]


def test_a_hinge_whose_readout_vanishes():
    """Few neurons and unequal classes: the constant prediction -1 is optimal; a linear program agrees."""
    model = RandomFeatures("relu(z)", "sign(z1 - 1/3)", "hinge")
    found = model.solve(alpha=2, beta=[0.02, 0.3], ridge=1e-3)
    assert list(found.status) == ["converged", "converged"]
    positive = ndtr(-1 / 3)
    assert found.test_error[0] == pytest.approx(positive, rel=1e-11)
    assert found.train_error[0] == pytest.approx(2 * positive, rel=1e-11)
    assert found.overlaps["intercept"][0] == pytest.approx(-1, rel=1e-11)
    assert found.overlaps["Q"][0] == 0.0 < found.overlaps["Q"][1]

    rng = np.random.default_rng(0)
    d, p, n = 400, 8, 800
    x, w = rng.standard_normal((n, d)), rng.standard_normal((p, d)) / np.sqrt(d)
    y = np.sign(x[:, 0] - 1 / 3)
    features = np.maximum(x @ w.T, 0) - 1 / np.sqrt(2 * np.pi)
    margins = np.hstack([-y[:, None] * features, -y[:, None], -np.eye(n)])
    cost = np.concatenate([np.zeros(p + 1), np.ones(n)])
    bounds = [(None, None)] * (p + 1) + [(0, None)] * n
    solved = linprog(cost, A_ub=margins, b_ub=-np.ones(n), bounds=bounds, method="highs").x
    np.testing.assert_allclose(solved[:p], 0.0, atol=1e-9)
    assert solved[p] == pytest.approx(-1, rel=1e-9)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: RandomFeatures("tanh(z)", "z1", "logistic"), "z1 is not shown to have these values alone"),
        (lambda: RandomFeatures("tanh(z)", "2*sign(z1)", "hinge"), "this loss takes labels 1 and -1"),
        (lambda: RandomFeatures("tanh(z)", "sign(z1) + xi", "hinge"), "this loss takes labels 1 and -1"),
        (
            lambda: RandomFeatures("tanh(z)", "z1*z2", "huber:1"),
            "of several directions this loss takes labels",
        ),
        (
            lambda: RandomFeatures("tanh(z)", "sign(z1)", "hinge").solve(alpha=1, beta=1, ridge=0),
            "ridge is 0; the loss hinge takes ridge > 0",
        ),
        (
            lambda: RandomFeatures("tanh(z)", "sign(z1)", "hinge").solve(alpha=1, beta=1, ridge=1, noise=0.1),
            "noise is 0.1; the loss hinge takes labels 1 and -1 without noise",
        ),
    ],
)
def test_refusals(make, message):
    with pytest.raises(InputError) as caught:
        make()
    assert message in str(caught.value)


# Gaussian covariates


def isotropic(size, target, loss="square"):
    one = np.eye(size)
    return GaussianCovariates(psi=one, phi=one, omega=one, theta=np.ones(size), target=target, loss=loss)


def test_isotropic_covariates_are_random_features_of_the_identity():
    for loss, target in (("square", "tanh(z1)"), ("logistic", "sign(z1)"), ("huber:0.5", "tanh(z1)")):
        noise = 0.0 if loss == "logistic" else 0.2
        found = isotropic(7, target, loss).solve(alpha=2, ridge=0.3, noise=noise)
        limit = RandomFeatures("z", target, loss).solve(alpha=2, beta=1e9, ridge=0.3, noise=noise)
        assert found.test_error == pytest.approx(limit.test_error, rel=1e-7)
        assert found.train_error == pytest.approx(limit.train_error, rel=1e-7)


def test_square_loss_by_quadrature_equals_its_averages():
    quadrature = isotropic(5, "tanh(z1) + z1**2/5", "(y - x)**2/2").solve(alpha=2, ridge=0.3, noise=0.2)
    closed = isotropic(5, "tanh(z1) + z1**2/5").solve(alpha=2, ridge=0.3, noise=0.2)
    assert quadrature.test_error == pytest.approx(closed.test_error, rel=1e-10)
    assert 2 * quadrature.train_error == pytest.approx(closed.train_error, rel=1e-10)


@pytest.mark.slow
def test_best_ridge_of_covariates():
    linear = isotropic(6, "z1")
    best = linear.solve(alpha=[0.5, 2.0], ridge="optimal", noise=[[0.5], [0.1]])
    np.testing.assert_allclose(best.parameters["ridge"], [[0.5, 0.5], [0.1, 0.1]], rtol=1e-5)  # Bayes
    without_noise = linear.solve(alpha=2, ridge="optimal")
    assert without_noise.status == "converged" and without_noise.parameters["ridge"] == 0.0
    variances = np.diag(np.linspace(0.2, 3.0, 30))
    for loss in ("square", "logistic", "hinge"):
        model = GaussianCovariates(
            psi=variances, phi=variances, omega=variances, theta=np.ones(30), target="sign(z1)", loss=loss
        )
        found = model.solve(alpha=2, ridge="optimal:misclassification")
        around = model.solve(alpha=2, ridge=np.array([0.9, 1.1]) * found.parameters["ridge"])
        assert found.status == "converged" and np.all(around.misclassification > found.misclassification)
        assert (found.calibration_error is None) == (loss != "logistic")
    with pytest.raises(InputError, match="ridge asks for misclassification, and z1 is not shown to take"):
        linear.solve(alpha=2, ridge="optimal:misclassification")


@pytest.mark.slow
@pytest.mark.parametrize(("alpha", "noise"), [(0.4, 0.2), (2.5, 0.2), (2.5, 0.0)])
def test_ridges_0_and_inf_of_covariates_are_limits(alpha, noise):
    """Against the solver of any loss at small and large ridges, for features of rank 8 of 10."""
    rng = np.random.default_rng(4)
    root = rng.standard_normal((14, 14))
    root[-2:] = 0.0
    joint = root @ root.T
    parts = {"psi": joint[:4, :4], "phi": joint[:4, 4:], "omega": joint[4:, 4:]}
    given = parts | {"theta": rng.standard_normal(4), "target": "sin(z1) + z1**2/3"}
    square = GaussianCovariates(**given)
    convex = GaussianCovariates(**given, loss="(y - x)**2/2")
    for ridge, near in ((0.0, 1e-8), (np.inf, 1e9)):
        limit = square.solve(alpha=alpha, ridge=0.0, noise=noise)
        if np.isinf(ridge):
            limit = square.solve(alpha=alpha, ridge=1e12, noise=noise)
        found = convex.solve(alpha=alpha, ridge=near, noise=noise)
        assert limit.test_error == pytest.approx(found.test_error, rel=2e-7)
        assert limit.train_error == pytest.approx(2 * found.train_error, rel=2e-7, abs=1e-12)
    peak = square.solve(alpha=0.8, ridge=0.0, noise=noise)
    assert peak.status == "infinite" and np.isinf(peak.test_error)


@pytest.mark.slow
def test_ridgeless_covariates_are_those_of_numpy():
    """Spectra in blocks of 40, 12 seeds, lstsq; 4 numbers with false alarms of 1e-3 in all."""
    rng = np.random.default_rng(0)
    root = rng.standard_normal((20, 20)) / np.sqrt(20)
    joint, theta = root @ root.T, rng.standard_normal(10)
    model = GaussianCovariates(
        psi=joint[:10, :10], phi=joint[:10, 10:], omega=joint[10:, 10:], theta=theta, target="sign(z1)"
    )
    scale = np.sqrt(40 * theta @ joint[:10, :10] @ theta)
    for alpha in (0.4, 2.0):
        theory, found = model.solve(alpha=alpha, ridge=0.0), []
        for seed in range(12):
            draws = np.random.default_rng(seed)

            def sample(count, draws=draws):
                x = np.einsum("ab,nbm->nam", root, draws.standard_normal((count, 20, 40)))
                return np.sign(x[:, :10].reshape(count, -1) @ np.repeat(theta, 40) / scale), x[
                    :, 10:
                ].reshape(count, -1) / 20

            y, features = sample(int(alpha * 400))
            readout = np.linalg.lstsq(features, y, rcond=None)[0]
            label, fresh = sample(1000)
            found.append([np.mean((label - fresh @ readout) ** 2), np.mean(label * (fresh @ readout) <= 0)])
        mean, error = np.mean(found, axis=0), np.std(found, axis=0, ddof=1) / np.sqrt(12)
        expected = [theory.test_error, theory.misclassification]
        assert np.all(np.abs(mean - expected) < t.isf(1e-3 / 8, 11) * error), (alpha, mean, error, expected)


def test_scale_of_the_teacher_and_of_the_features():
    rng = np.random.default_rng(3)
    root = rng.standard_normal((9, 9))
    joint = root @ root.T
    psi, phi, omega = joint[:4, :4], joint[:4, 4:], joint[4:, 4:]
    theta = rng.standard_normal(4)
    first = GaussianCovariates(psi=psi, phi=phi, omega=omega, theta=theta, target="sin(z1)")
    other = GaussianCovariates(psi=psi, phi=3 * phi, omega=9 * omega, theta=-2 * theta, target="sin(z1)")
    a = first.solve(alpha=2, ridge=0.3)
    b = other.solve(alpha=2, ridge=2.7)
    assert a.test_error == pytest.approx(b.test_error, rel=1e-12)


def test_matrix_of_random_features_tends_to_the_limit():
    """Sampled features of d = 500: the fluctuation along one teacher is of order 1/sqrt(d)."""
    rng = np.random.default_rng(0)
    d, p = 500, 750
    w = rng.standard_normal((p, d)) / np.sqrt(d)
    first, second = TANH
    omega = first * w @ w.T + second * np.eye(p)
    for loss, target in (("square", "tanh(z1)"), ("logistic", "sign(z1)")):
        sampled = GaussianCovariates(
            psi=np.eye(d), phi=np.sqrt(first) * w.T, omega=omega, theta=np.ones(d), target=target, loss=loss
        ).solve(alpha=2 / 1.5, ridge=0.1)
        limit = RandomFeatures("tanh(z)", target, loss).solve(alpha=2, beta=1.5, ridge=0.1)
        assert sampled.test_error == pytest.approx(limit.test_error, rel=0.1)
        assert sampled.overlaps["V"] == pytest.approx(limit.overlaps["V"], rel=0.01)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"theta": np.ones(3)}, "psi, phi, omega, theta have shapes"),
        ({"psi": np.zeros((2, 2))}, "theta.psi.theta is 0"),
        ({"omega": -np.eye(2)}, "omega has the eigenvalue -1"),
        ({"omega": [[1.0, 0.5], [0.0, 1.0]]}, "omega is not symmetric"),
        ({"phi": 2 * np.eye(2)}, "phi explains 4 of the teacher's variance"),
    ],
)
def test_covariances_are_checked(change, message):
    given = {"psi": np.eye(2), "phi": np.eye(2), "omega": np.eye(2), "theta": np.ones(2), "target": "z1"}
    with pytest.raises(InputError) as caught:
        GaussianCovariates(**given | change)
    assert message in str(caught.value)


# Simulation. Each mean of independent draws is compared at 4.5 standard errors plus 3 % for the finite d:
# without any bias one comparison fails falsely with probability below 5e-4 for 8 draws (Student's t).


def draws(count, run):
    values = np.array([run(np.random.default_rng(1000 + seed)) for seed in range(count)])
    return values.mean(axis=0), values.std(axis=0, ddof=1) / np.sqrt(count)


def assert_agrees(theory, mean, error):
    assert abs(mean - theory) <= 4.5 * error + 0.03 * abs(theory), (theory, mean, error)


@pytest.mark.slow
def test_ridge_regression_in_simulation():
    d, alpha, beta, ridge, noise = 300, 2.0, 1.5, 0.1, 0.09
    n, p = int(alpha * d), int(beta * d)

    def run(rng):
        w = rng.standard_normal((p, d)) / np.sqrt(d)
        x, fresh = rng.standard_normal((n, d)), rng.standard_normal((4000, d))
        y = np.tanh(x[:, 0]) + np.sqrt(noise) * rng.standard_normal(n)
        features, test = (np.tanh(v @ w.T) / np.sqrt(p) for v in (x, fresh))
        a = np.linalg.solve(features.T @ features + ridge * np.eye(p), features.T @ y)
        return np.mean((np.tanh(fresh[:, 0]) - test @ a) ** 2), np.mean((y - features @ a) ** 2)

    mean, error = draws(8, run)
    theory = RandomFeatures("tanh(z)", "tanh(z1)").solve(alpha=alpha, beta=beta, ridge=ridge, noise=noise)
    assert_agrees(theory.test_error, mean[0], error[0])
    assert_agrees(theory.train_error, mean[1], error[1])


@pytest.mark.slow
def test_logistic_regression_with_a_mean_in_simulation():
    d, alpha, beta, ridge = 150, 3.0, 1.5, 0.5
    n, p = int(alpha * d), int(beta * d)

    def run(rng):
        w = rng.standard_normal((p, d)) / np.sqrt(d)
        x, fresh = rng.standard_normal((n, d)), rng.standard_normal((6000, d))
        y, truth = np.sign(x[:, 0] - 0.5), np.sign(fresh[:, 0] - 0.5)
        features, test = (np.maximum(v @ w.T, 0) / np.sqrt(p) for v in (x, fresh))

        def objective(a):
            margin = y * (features @ a)
            pull = -y / (1 + np.exp(margin))
            return np.logaddexp(0, -margin).sum() + 0.5 * ridge * a @ a, features.T @ pull + ridge * a

        a = minimize(objective, np.zeros(p), jac=True, method="L-BFGS-B", options={"maxiter": 3000}).x
        return np.mean(np.sign(test @ a) != truth), np.mean(np.logaddexp(0, -y * (features @ a)))

    mean, error = draws(8, run)
    theory = RandomFeatures("relu(z)", "sign(z1 - 1/2)", "logistic").solve(
        alpha=alpha, beta=beta, ridge=ridge
    )
    assert_agrees(theory.test_error, mean[0], error[0])
    assert_agrees(theory.train_error, mean[1], error[1])
