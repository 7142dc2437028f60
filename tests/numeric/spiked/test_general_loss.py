"""Any convex loss: the square loss by this way, Huber by a second implementation, classification."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import ndtr

from hermite_analytics import Activation, Target
from hermite_analytics.errors import InputError
from hermite_analytics.numeric import GiantStep, SpikedRandomFeatures
from hermite_analytics.numeric.models.spiked.general_loss import _Point
from hermite_analytics.numeric.models.spiked.letters import Letters

from ..reference import coefficients, gauss

TANH, SIN, SIGN = Activation("tanh(z)"), Target("sin(z1)"), Target("sign(z1)")
SPIKE = {"r": 1.2, "c": 1.05, "gamma": 0.9}


@pytest.mark.slow
@pytest.mark.parametrize("letters", [None, {1.0: 0.5, -1.0: 0.5}])
def test_square_loss_by_its_proximal_operator(letters):
    activation, target = (TANH, SIN) if letters is None else (Activation("relu(z)"), Target("cos(z1) + z1"))
    ratios = {"alpha": 2.0, "beta": 1.0, "ridge": 0.1, "noise": 0.1, **SPIKE}
    closed = SpikedRandomFeatures(activation, target, letters=letters).solve(**ratios)
    general = SpikedRandomFeatures(activation, target, letters=letters, loss="(y - x)**2/2").solve(**ratios)
    assert general.status == "converged"
    assert general.test_error == pytest.approx(closed.test_error, rel=1e-10)
    assert 2 * general.train_error == pytest.approx(closed.train_error, rel=1e-10)
    for name in closed.overlaps:
        assert general.overlaps[name] == pytest.approx(closed.overlaps[name], rel=1e-8, abs=1e-10), name


def huber_by_iteration(spike, *, alpha, ridge, noise, threshold):
    """beta = 1: the damped iteration with closed Gaussian integrals of the clipped residual."""
    r, c, gamma = spike
    kappa, w = gauss(100)
    z, share = gauss(100)
    mu0, mu1, mu2s = coefficients(np.tanh, lambda x: 1 / np.cosh(x) ** 2, r * kappa, c)
    g = np.sin(gamma * kappa[:, None] + np.sqrt(1 - gamma**2) * z)
    v1, v2, q1, q2, m, zeta, psi = 1.0, 1.0, 0.1, 0.1, 0.5, 0.0, 0.1
    density = lambda t: np.exp(-t * t / 2) / np.sqrt(2 * np.pi)  # noqa: E731
    for _ in range(3000):
        v, q = mu1**2 * v1 + mu2s * v2, mu1**2 * q1 + mu2s * q2
        mean = g - (mu0 * m + kappa * mu1 * zeta)[:, None] - (mu1 * psi)[:, None] * z
        tau, edge = np.sqrt(q - (mu1 * psi) ** 2 + noise)[:, None], (threshold * (1 + v))[:, None]
        low, high = (-edge - mean) / tau, (edge - mean) / tau
        inside = ndtr(high) - ndtr(low)
        first = mean * inside + tau * (density(low) - density(high))
        second = (mean**2 + tau**2) * inside + 2 * tau * mean * (density(low) - density(high))
        second += tau**2 * (low * density(low) - high * density(high))
        v_ = v[:, None]
        force = first / (1 + v_) + threshold * (ndtr(-high) - ndtr(low))
        force2 = second / (1 + v_) ** 2 + threshold**2 * (ndtr(-high) + ndtr(low))
        a, e, b, along = (inside / (1 + v_)) @ share, force @ share, force2 @ share, (force * z) @ share
        s, t = alpha * (w @ (mu1**2 * a)), ridge + alpha * (w @ (mu2s * a))
        q1_hat, q2_hat = alpha * (w @ (mu1**2 * b)), alpha * (w @ (mu2s * b))
        zeta_hat = alpha * (w @ (kappa * mu1 * e))
        psi_hat = alpha * (w @ (mu1 * along + mu1**2 * psi * a))
        n2 = 2 / (t + np.sqrt(t * t + 4 * t * s * c))
        n1 = c * n2 / (1 + s * c * n2)
        x = 1 - (s * n1) ** 2
        a0, a1 = n2**2 / x, n1**2 / c / x
        a2 = n1**2 + a1 * n1**2 / (c * n2**2)
        top, bottom = q1_hat + psi_hat**2, q2_hat + c * zeta_hat**2
        new = np.array([
            n1, n2, top * a2 + bottom * a1, top * a1 + bottom * a0,
            m + (w @ (mu0 * e)) / (w @ (mu0**2 * a)), c * zeta_hat * n2, psi_hat * n1,
        ])  # fmt: skip
        old = np.array([v1, v2, q1, q2, m, zeta, psi])
        v1, v2, q1, q2, m, zeta, psi = 0.5 * (old + new)
        if np.max(np.abs(new - old)) < 1e-13:
            break
    return {"m": m, "zeta": zeta, "psi": psi, "q1": q1, "q2": q2, "V1": v1, "V2": v2}


@pytest.mark.slow
def test_huber_against_the_damped_iteration():
    step = GiantStep(TANH, SIN).solve(alpha0=20, eta=3, beta=1)
    found = SpikedRandomFeatures(TANH, SIN, loss="huber:0.3").solve(step=step, alpha=2, ridge=0.1, noise=0.3)
    spike = (step.r, step.c, step.gamma)
    other = huber_by_iteration(spike, alpha=2, ridge=0.1, noise=0.3, threshold=0.3)
    assert dict(found.overlaps) == pytest.approx(other, rel=1e-9)
    # a direct simulation at d = 400: .1049(14), q2 .335(8), m 1.174(19)
    assert abs(found.test_error - 0.1049) < 4 * 0.0014
    assert abs(found.overlaps["q2"] - 0.335) < 4 * 0.008 and abs(found.overlaps["m"] - 1.174) < 4 * 0.019


@pytest.mark.slow
def test_huber_of_large_threshold_is_the_square_loss(model):
    ratios = {"alpha": 2.0, "beta": 1.0, "ridge": 0.1, **SPIKE}
    huber = SpikedRandomFeatures(TANH, SIN, loss="huber:50").solve(**ratios)
    assert huber.test_error == pytest.approx(model.solve(**ratios).test_error, rel=1e-10)


@pytest.mark.slow
def test_without_a_spike_it_is_random_features():
    from hermite_analytics.numeric import RandomFeatures

    ratios = {"alpha": 1.5, "beta": 1.0, "ridge": 0.1}
    spiked = SpikedRandomFeatures(TANH, SIGN, loss="logistic").solve(r=0, c=1, gamma=0, **ratios)
    plain = RandomFeatures(TANH, SIGN, loss="logistic").solve(**ratios)
    assert spiked.test_error == pytest.approx(plain.test_error, rel=1e-8)
    assert spiked.train_error == pytest.approx(plain.train_error, rel=1e-8)


@pytest.mark.slow
@pytest.mark.parametrize("loss", ["logistic", "hinge"])
def test_classification_against_simulation(loss):
    """d = 200 and 16 seeds; 4 standard errors and 1 % for the finite size."""
    from scipy.optimize import minimize

    theory = SpikedRandomFeatures(TANH, SIGN, loss=loss).solve(alpha=2, beta=1, ridge=0.1, **SPIKE)
    errors, d = [], 200
    for seed in range(12):
        rng = np.random.default_rng(seed)
        w = rng.normal(size=(d, d))
        w *= np.sqrt(SPIKE["c"]) / np.linalg.norm(w, axis=1)[:, None]
        w[:, 0] += SPIKE["r"]
        theta = np.zeros(d)
        theta[:2] = SPIKE["gamma"], np.sqrt(1 - SPIKE["gamma"] ** 2)
        x, x_test = rng.normal(size=(2 * d, d)), rng.normal(size=(20 * d, d))
        features, unseen = (np.tanh(a @ w.T) / np.sqrt(d) for a in (x, x_test))
        y = np.sign(x @ theta)
        if loss == "logistic":

            def objective(a, features=features, y=y):
                margin = y * (features @ a)
                slope = -y * ndtr_logistic(-margin)
                return np.sum(np.logaddexp(0, -margin)) + 0.05 * a @ a, features.T @ slope + 0.1 * a

            a = minimize(objective, np.zeros(d), jac=True, method="L-BFGS-B",
                         options={"maxiter": 5000, "ftol": 1e-14, "gtol": 1e-9}).x  # fmt: skip
        else:  # the dual: max sum u - |sum u y phi|^2/(2 ridge), 0 <= u <= 1
            rows = y[:, None] * features

            def objective(u, rows=rows):
                v = rows.T @ u
                return v @ v / 0.2 - u.sum(), rows @ v / 0.1 - 1.0

            options = {"maxiter": 20000, "maxfun": 20000, "ftol": 1e-13}
            box = [(0, 1)] * (2 * d)
            start = np.full(2 * d, 0.5)
            u = minimize(objective, start, jac=True, method="L-BFGS-B", bounds=box, options=options).x
            a = rows.T @ u / 0.1
        errors.append(np.mean(np.sign(unseen @ a) != np.sign(x_test @ theta)))
    mean, error = np.mean(errors), np.std(errors, ddof=1) / np.sqrt(len(errors))
    assert abs(mean - theory.test_error) < 4 * error + 0.01 * theory.test_error
    assert error < 0.03 * theory.test_error


def ndtr_logistic(x):
    return 1 / (1 + np.exp(-x))


@pytest.mark.parametrize(
    ("loss", "target", "ratios", "message"),
    [
        ("logistic", SIN, {}, "takes labels 1 and -1"),
        ("logistic", SIGN, {"noise": 0.1}, "takes labels 1 and -1 without noise"),
        ("hinge", SIGN, {"ridge": 0.0}, "ridge is 0; the loss hinge takes ridge > 0"),
        ("cubic", SIN, {}, "unknown loss 'cubic'"),
    ],
)
def test_bad_problems(loss, target, ratios, message):
    with pytest.raises(InputError) as caught:
        SpikedRandomFeatures(TANH, target, loss=loss).solve(
            **({"alpha": 1, "beta": 2, "ridge": 0.1, **SPIKE} | ratios)
        )
    assert message in str(caught.value)


WIDE = ((1e-4, 1e4), (0.1, 100.0), (0.3, 100.0))  # ridges, alpha and beta, at their ends
FEWER_SAMPLES = ((1e-4, 1e4), (0.1,), (0.3, 100.0))
FEWER_FEATURES = ((1e-4, 1e4), (100.0,), (0.3,))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("loss", "target", "ratios"),
    [
        ("hinge", "sign(z1)", FEWER_SAMPLES),
        ("hinge", "sign(z1)", FEWER_FEATURES),
        ("logistic", "sign(z1 - 1/2)", WIDE),
        ("hinge", "sign(z1 - 1/2)", ((1e-2, 1.0, 1e4), (0.1, 100.0), (0.3,))),
        # many of both, and with hardly a ridge, take the hinge 20 s, and with rare classes a minute
        pytest.param("hinge", "sign(z1)", WIDE, marks=pytest.mark.draws(0)),
        pytest.param("hinge", "sign(z1 - 1/2)", WIDE, marks=pytest.mark.draws(0)),
    ],
)
def test_range_of_ratios(loss, target, ratios):
    model = SpikedRandomFeatures("relu(z)" if "2" in target else "tanh(z)", target, loss=loss)
    ridges, alpha, beta = ratios
    for ridge in ridges:
        found = model.solve(alpha=np.array(alpha)[:, None], beta=beta, ridge=ridge, r=1.0, c=1.2, gamma=0.8)
        if loss == "hinge" and ridge == 1e4:  # no sample is at the kink: no step sees the mean map
            assert np.all(found.status == "max_steps_reached") and np.all(np.isnan(found.test_error))
            continue
        assert np.all(found.status == "converged") and np.all(found.residual <= 1e-12)
        # without an intercept a few samples may make all predictions those of the rarer class
        assert np.all((found.test_error > 0) & (found.test_error < ndtr(0.5)))


def test_a_state_is_averaged_over_once(monkeypatch):
    """What is found at the last state of an iteration serves the results too."""
    seen = []
    for name in ("step", "_averages"):
        method = getattr(_Point, name)
        monkeypatch.setattr(
            _Point, name, lambda *given, name=name, method=method: (seen.append(name), method(*given))[1]
        )
    found = SpikedRandomFeatures("tanh(z)", "sign(z1)", loss="logistic").solve(
        alpha=2, beta=1, ridge=0.1, r=1.0, c=1.2, gamma=0.8
    )
    assert found.status == "converged" and seen.count("_averages") == seen.count("step") > 5


@pytest.mark.slow
def test_where_acceleration_fails():
    """Few samples at the kink of the hinge: Newton's method and larger ridges go on from there."""
    found = SpikedRandomFeatures("tanh(z)", "sign(z1)", loss="hinge").solve(
        alpha=100, beta=0.01, ridge=1e3, r=1.0, c=1.2, gamma=0.8
    )
    assert found.status == "converged" and found.residual <= 1e-12 and found.iterations > 80


@pytest.mark.cases(1)
@pytest.mark.draws(2)
@pytest.mark.parametrize(("loss", "ridge"), [("square", 1e5), ("logistic", 30.0), ("logistic", 1000.0)])
def test_signs_that_change_within_a_narrow_layer(loss, ridge):
    """Wrong signs from the overlaps, on a grid of the spike's projection that is fine at its middle."""
    r, c, gamma = 1.14, 1.1, 0.85
    found = SpikedRandomFeatures(TANH, SIGN, loss=loss).solve(
        r=r, c=c, gamma=gamma, alpha=2.0, beta=1.0, ridge=ridge
    )
    m, zeta, psi, q1, q2 = (float(found.overlaps[name]) for name in ("m", "zeta", "psi", "q1", "q2"))
    t, step = np.linspace(-1.0, 1.0, 4001, retstep=True)
    kappa, stretch = 9.0 * np.sinh(14.0 * t) / np.sinh(14.0), 126.0 * np.cosh(14.0 * t) / np.sinh(14.0)
    g, weight = np.polynomial.hermite_e.hermegauss(120)
    weight = weight / weight.sum()
    values = np.tanh(r * kappa[:, None] + np.sqrt(c) * g)
    mu0, mu1 = values @ weight, values @ (weight * g) / np.sqrt(c)
    mu2_squared = values**2 @ weight - mu0**2 - c * mu1**2
    mean, overlap, power = m * mu0 + zeta * kappa * mu1, psi * mu1, q1 * mu1**2 + q2 * mu2_squared
    # y = 1 where the hidden part of the target is above -a; the other sign is as often wrong
    a = np.clip(gamma * kappa / np.sqrt(1.0 - gamma**2), -9.0, 9.0)
    x, rule = np.polynomial.legendre.leggauss(200)
    eta = 0.5 * (9.0 - a[:, None]) + 0.5 * (9.0 + a[:, None]) * x
    below = ndtr(-(mean[:, None] + overlap[:, None] * eta) / np.sqrt(power - overlap**2)[:, None])
    density = np.exp(-0.5 * eta**2) / np.sqrt(2.0 * np.pi)
    missed = 0.5 * (9.0 + a) * ((below * density) @ rule)
    share = 2.0 * step * np.sum(stretch * np.exp(-0.5 * kappa**2) / np.sqrt(2.0 * np.pi) * missed)
    assert found.misclassification == pytest.approx(share, abs=1e-9)
    assert found.status == "converged"


@pytest.mark.parametrize("ridge", [1.0, 100.0, 1e4])
def test_a_layer_of_several_spikes_is_in_the_stated_error(ridge):
    """A second spike that neither the neurons nor the target see."""
    ratios = {"c": 1.1, "alpha": 2.0, "beta": 1.0, "ridge": ridge}
    alone = SpikedRandomFeatures(TANH, SIGN).solve(r=1.14, gamma=0.85, **ratios)
    letters = Letters(values=((1.0, 0.0),), fractions=(1.0,))
    found = SpikedRandomFeatures(TANH, SIGN, letters=letters).solve(
        r=[1.14, 0.7], gamma=[0.85, 0.0], **ratios
    )
    gap = abs(found.misclassification - alone.misclassification)
    assert gap <= found.numerical_error + 1e-9 < 0.02


def test_predictions_that_vanish_far_out_have_a_share_of_wrong_signs():
    """Features of relu underflow beyond kappa = -38/r; there signs are those of rare neurons, a fair coin.

    At r = 4.1 no node underflows yet.
    """
    ratios = {"gamma": 0.6, "c": 1.0, "alpha": 2.0, "beta": 1.5, "ridge": 0.1}
    shares = [SpikedRandomFeatures("relu", SIGN).solve(r=r, **ratios).misclassification for r in (4.1, 4.6)]
    assert 0.355 < shares[0] < shares[1] < 0.365
    assert np.isnan(SpikedRandomFeatures("relu", SIGN).solve(r=12.0, **ratios).misclassification)


@pytest.mark.slow
def test_means_that_nothing_balances_are_no_answer():
    # all samples are on the straight part of the hinge: m = 0 would be left, and E[mu0 e] is not 0;
    # smaller ridges go to the limit of the square loss, a readout that is the sum of y phi
    model = SpikedRandomFeatures("tanh(z)", "sign(z1)", loss="hinge")
    found = model.solve(alpha=1, beta=1, ridge=10, r=1, c=1, gamma=0.5)
    assert found.status != "converged" or found.overlaps["m"] > 0.5
    ratios = {"alpha": 100, "beta": 0.01, "r": 1.0, "c": 1.2, "gamma": 0.8}
    hinge = SpikedRandomFeatures("tanh(z)", "sign(z1)", loss="hinge").solve(ridge=1e3, **ratios)
    square = SpikedRandomFeatures("tanh(z)", "sign(z1)").solve(ridge=1e9, **ratios)
    assert hinge.misclassification == pytest.approx(float(square.misclassification), rel=0.01)
