"""Cases with an answer of their own: linear networks, one step, two steps as integrals."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.integrate import dblquad, quad
from scipy.special import ndtr

from hermite_analytics.numeric import DMFT, SGDFlow


def marchenko_pastur(k, alpha):
    """The k-th moment of X^T X/d, by Narayana numbers."""
    if k == 0:
        return 1.0
    return sum(math.comb(k, j) * math.comb(k, j - 1) / k * alpha**j for j in range(1, k + 1))


def moment(polynomial, alpha):
    return sum(c * marchenko_pastur(k, alpha) for k, c in enumerate(polynomial.coef))


def linear(t, *, alpha, eta, q, m0, mu, delta):
    """M_t and Q_t of a linear student with the square loss, from spectral moments."""
    x = np.polynomial.Polynomial([0.0, 1.0])
    p = (q - eta * x) ** t
    k = eta * sum(((q - eta * x) ** s for s in range(t)), 0 * x)
    overlap = m0 * moment(p, alpha) + mu * moment(x * k, alpha)
    norm = moment(p * p, alpha) + 2 * m0 * mu * moment(x * p * k, alpha)
    norm += mu**2 * moment(x * x * k * k, alpha) + delta * moment(x * k * k, alpha)
    return overlap, norm


def normal_mean(function):
    return quad(lambda z: function(z) * math.exp(-z * z / 2) / math.sqrt(2 * math.pi), -12, 12, epsabs=1e-13)[
        0
    ]


def test_linear_network():
    found = DMFT("z", "tanh(z1)").solve(
        alpha=1.7, eta=0.3, steps=4, ridge=0.4, noise=0.3, overlap=0.25, tolerance=1e-9
    )
    mu = normal_mean(lambda z: z * math.tanh(z))
    delta = normal_mean(lambda z: math.tanh(z) ** 2) - mu**2 + 0.3
    for t in range(5):
        m, q = linear(t, alpha=1.7, eta=0.3, q=1 - 0.12, m0=0.25, mu=mu, delta=delta)
        assert found.overlap[t, 0, 0] == pytest.approx(m, abs=1e-9)
        assert found.norm[t, 0, 0] == pytest.approx(q, abs=1e-9)
    assert found.status == "converged" and set(found.averages) == {"quadrature"}


def test_noise_inside_of_a_label():
    """y = sign(z1 + xi/2) + noise: a linear network needs E y z and E y^2; E[y | z] = erf(sqrt(2) z1).

    Errors on fresh samples come from Sobol points.
    """
    model = DMFT("z", "sign(z1 + xi/2)")
    found = model.solve(alpha=1.7, eta=0.3, steps=3, ridge=0.4, noise=0.3, overlap=0.25, tolerance=1e-8)
    mu = math.sqrt(2 / math.pi / 1.25)
    square = normal_mean(lambda z: math.erf(math.sqrt(2) * z) ** 2)
    for t in range(4):
        m, q = linear(t, alpha=1.7, eta=0.3, q=1 - 0.12, m0=0.25, mu=mu, delta=1 - mu**2 + 0.3)
        assert found.overlap[t, 0, 0] == pytest.approx(m, abs=1e-8)
        assert found.norm[t, 0, 0] == pytest.approx(q, abs=1e-8)
        assert found.test_error[t] == pytest.approx(square - 2 * mu * m + q, abs=3e-3)
        assert found.test_loss[t] == pytest.approx(0.5 * (1.3 - 2 * mu * m + q), abs=3e-3)


@pytest.mark.slow
def test_noise_that_is_multiplied():
    """Networks on data in plain numpy: their means within four standard errors and 8/d of the theory."""
    d, n, seeds, eta = 400, 800, 30, 0.5
    found = []
    for seed in range(seeds):
        rng = np.random.default_rng(seed)
        x, xi, w = rng.standard_normal((n, d)), rng.standard_normal(n), np.eye(d)[1]
        y, path = np.tanh(x[:, 0]) * (1 + xi / 2), []
        for _ in range(3):
            h = np.tanh(x @ w)
            path.append([w[0], w @ w, np.mean((y - h) ** 2)])
            w = w - eta / d * ((h - y) * (1 - h * h)) @ x
        found.append(path[1:])
    mean, error = np.mean(found, axis=0), np.std(found, axis=0, ddof=1) / seeds**0.5
    run = DMFT("tanh", "tanh(z1)*(1 + xi/2)").solve(alpha=2, eta=eta, steps=2, tolerance=1e-4)
    known = np.stack([run.overlap[1:, 0, 0], run.norm[1:, 0, 0], run.train_error[1:]], axis=1)
    assert np.all(np.abs(mean - known) < 4 * error + 8 / d + run.numerical_error[1:, None])


def test_linear_network_with_its_readout():
    """w = A(B) w_0 + C(B) c with B = X^T X/d and c = X^T y/d; a follows from moments of B alone."""
    alpha, eta, rate, q, m0, a = 1.7, 0.3, 0.4, 1 - 0.12, 0.25, 1.2
    found = DMFT("z", "tanh(z1)", (a,)).solve(
        alpha=alpha, eta=eta, steps=4, ridge=0.4, noise=0.3, overlap=m0, readout_eta=rate, tolerance=1e-9
    )
    mu = normal_mean(lambda z: z * math.tanh(z))
    delta = normal_mean(lambda z: math.tanh(z) ** 2) - mu**2 + 0.3
    x = np.polynomial.Polynomial([0.0, 1.0])
    start, label = 1.0 + 0 * x, 0 * x

    def square(power):
        """<w, B^power w>."""
        both = start**2 + 2 * m0 * mu * x * start * label + (mu**2 * x + delta) * x * label**2
        return moment(x**power * both, alpha)

    for t in range(5):
        assert found.overlap[t, 0, 0] == pytest.approx(
            m0 * moment(start, alpha) + mu * moment(x * label, alpha), abs=1e-9
        )
        assert found.norm[t, 0, 0] == pytest.approx(square(0), abs=1e-9)
        assert found.trained_readout[t, 0] == pytest.approx(a, abs=1e-9)
        signal = moment(m0 * mu * x * start + (mu**2 * x + delta) * x * label, alpha)
        pull = (a * square(1) - signal) / alpha
        fast = q - eta * a**2 * x
        start, label, a = fast * start, fast * label + eta * a, a - rate * pull
    assert abs(found.trained_readout[4, 0] - 1.2) > 0.1


def test_linear_network_of_two_neurons():
    """Only the neuron a.w moves, at the rate eta |a|^2; the gradients of the two are proportional."""
    a, m0, q, eta, alpha = np.array([1.0, -0.5]), np.array([0.2, 0.1]), 1 - 0.06, 0.3, 1.3
    found = DMFT("z", "tanh(z1)", a).solve(
        alpha=alpha, eta=eta, steps=3, ridge=0.2, overlap=m0[:, None], tolerance=1e-9
    )
    size = a @ a
    x = np.polynomial.Polynomial([0.0, 1.0])
    fast = q - eta * size * x
    mu = normal_mean(lambda z: z * math.tanh(z))
    sums = sum((fast**s for s in range(3)), 0 * x)
    u = (a @ m0) * moment(fast**3, alpha) + mu * size * eta * moment(x * sums, alpha)
    expected = q**3 * m0 + a / size * (u - q**3 * (a @ m0))
    assert found.overlap[3, :, 0] == pytest.approx(expected, abs=1e-9)


def test_linear_networks_of_many_variables():
    """Three neurons and five steps: up to 19 variables beside z. Quadratures ended at 13."""
    a, eta, alpha, steps = np.array([1.0, -0.5, 0.75]), 0.2, 1.3, 5
    found = DMFT("z", "tanh(z1)", a).solve(alpha=alpha, eta=eta, steps=steps, noise=0.3, tolerance=1e-9)
    assert set(found.averages) == {"quadrature"} and found.status == "converged"
    mu, size = normal_mean(lambda z: z * math.tanh(z)), a @ a
    delta = normal_mean(lambda z: math.tanh(z) ** 2) - mu**2 + 0.3
    settings = {"alpha": alpha, "eta": eta * size, "q": 1.0, "m0": 0.0}
    unit = 1 / math.sqrt(size)  # u = a.w/|a| on the labels y/|a|
    m, q = linear(steps, mu=mu * unit, delta=delta * unit**2, **settings)
    assert found.overlap[steps, :, 0] == pytest.approx(a * unit * m, abs=1e-9)
    along = found.norm[steps] @ a @ a * unit**2
    assert along == pytest.approx(q, abs=1e-9)


def test_look_aheads_of_a_linear_network():
    """h - kappa (h - y) is off by 1 - kappa of what h is: the run is that of a smaller eta."""
    ahead, plain = DMFT("z", "tanh(z1)", reuse=0.4), DMFT("z", "tanh(z1)")
    options = {"alpha": 1.7, "steps": 4, "noise": 0.3, "overlap": 0.25, "tolerance": 1e-9}
    found, same = ahead.solve(eta=0.5, **options), plain.solve(eta=0.3, **options)
    for name in ("overlap", "norm", "train_error", "test_error"):
        assert getattr(found, name) == pytest.approx(getattr(same, name), abs=1e-9)


@pytest.mark.slow
def test_look_aheads_of_each_sample():
    """One step of eta alpha = 1 on He3 and relu is the drift of one-pass SGD with reuse, from no overlap.

    The drift there is its first coefficient (`test_coefficients_are_derivatives_of_the_drift`).
    """
    model = DMFT("relu", "He3(z1)", loss="correlation", reuse=0.5)
    found = model.solve(alpha=1, eta=1, steps=1, tolerance=1e-2)
    known = SGDFlow("relu", "He3(z1)", reuse=0.5).drift_coefficient(1)
    assert known == pytest.approx(-0.082556, abs=1e-6)
    assert abs(found.overlap[1, 0, 0] - known) < found.numerical_error[1] < 1e-2


def test_linear_network_on_mini_batches():
    found = DMFT("z", "z1").solve(
        alpha=1.3, eta=0.4, steps=2, ridge=0.2, overlap=0.25, schedule="minibatch:0.5", tolerance=1e-9
    )
    assert found.overlap[:, 0, 0] == pytest.approx([0.25, 0.425, 0.5015], abs=1e-12)


@pytest.mark.slow
def test_first_step():
    """M_1 = eta alpha a mu_1(sigma) E[y z] from a start without overlap, for each neuron.

    The tolerance is of the errors after the step, which are sampled: M_1 is a quadrature at any.
    """
    a, alpha, eta = np.array([1.0, -0.5]), 1.3, 0.7
    found = DMFT("relu", "tanh(z1)", a).solve(alpha=alpha, eta=eta, steps=1, tolerance=1e-2)
    signal = normal_mean(lambda z: z * math.tanh(z))
    assert found.overlap[1, :, 0] == pytest.approx(eta * alpha * a * 0.5 * signal, abs=1e-6)


HE3 = [(3, 1 / 15), (3, 0.2), (1, 0.5)]


def phi(x):
    return math.exp(-x * x / 2) / math.sqrt(2 * math.pi)


def he3(z):
    return z**3 - 3 * z


def two_steps_correlation(alpha, eta):
    spread = eta * math.sqrt(3 * alpha)

    def integrand(h, z):
        return phi(z) * phi(h) * z * he3(z) * ndtr((h + eta * he3(z)) / spread)

    return eta * alpha * dblquad(integrand, -9, 9, 0, 9, epsabs=1e-10)[0]


def two_steps_square(alpha, eta):
    spread, c = eta * math.sqrt(3.5 * alpha), 1 - eta * alpha / 2

    def integrand(h, z):
        y = he3(z)
        mean = (c - eta) * h + eta * y
        inner = (mean - y) * ndtr(mean / spread) + spread * phi(mean / spread)
        return phi(z) * phi(h) * z * inner

    return -eta * alpha * dblquad(integrand, -9, 9, 0, 9, epsabs=1e-10)[0]


@pytest.mark.slow
@pytest.mark.draws(2, spread=True)
@pytest.mark.parametrize(("alpha", "eta"), HE3)
@pytest.mark.parametrize(
    ("loss", "known"), [("correlation", two_steps_correlation), ("square", two_steps_square)]
)
def test_two_steps_of_relu(loss, known, alpha, eta):
    """A label without a linear part moves nothing in one step, and something in two.

    The tolerance is of the last errors: M_2 is a quadrature of few variables, of 5e-9 at any.
    """
    found = DMFT("relu", "He3(z1)", loss=loss).solve(alpha=alpha, eta=eta, steps=2, tolerance=1e-4)
    assert set(found.averages) == {"quadrature"}
    assert abs(found.overlap[1, 0, 0]) < 1e-10
    assert found.overlap[2, 0, 0] == pytest.approx(known(alpha, eta), abs=1e-8)


@pytest.mark.slow
@pytest.mark.parametrize(("alpha", "eta", "known"), [(3, 0.2, -0.140956917), (1, 0.5, -0.129222017)])
def test_two_steps_of_tanh(alpha, eta, known):
    """Reference numbers: a two-dimensional quadrature and networks of dimension 500 to 4000."""
    found = DMFT("tanh", "He3(z1)").solve(alpha=alpha, eta=eta, steps=2, tolerance=1e-9)
    assert found.overlap[2, 0, 0] == pytest.approx(known, abs=1e-8)
