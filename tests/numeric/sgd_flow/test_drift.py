"""Drift and noise of one neuron and one direction: closed forms, series, and the table of data reuse."""

from __future__ import annotations

import math

import numpy as np
import pytest
import sympy
from scipy.integrate import quad

from hermite_analytics import ConvergenceError, InputError, hermite
from hermite_analytics.numeric import SGDFlow

OVERLAPS = np.array([-0.97, -0.5, 0.0, 0.3, 0.8, 0.999])
PHI0 = 1 / math.sqrt(2 * math.pi)
# relu, correlation loss: kappa, D(0) and D'(0) of He3, D(0) and D'(0) of He4, D'(0) of He2
REUSE = (
    (0.0, 0.0, 0.0, 0.0, 0.0, 0.797885),
    (0.1, -0.118646, 0.234457, 0.0, 0.084965, 0.797267),
    (0.5, -0.082556, 0.390241, 0.0, 0.624833, 0.783203),
    (1.0, -0.023788, 0.392594, 0.0, 0.666972, 0.747390),
    (-0.1, -0.118646, -0.234457, 0.0, -0.916596, 0.701796),
)


@pytest.mark.parametrize("loss", ["correlation", "square"])
def test_erf_and_erf(loss):
    flow = SGDFlow("erf(z/sqrt(2))", "erf(z1/sqrt(2))", loss=loss)
    expected = (1 - OVERLAPS**2) * (2 / math.pi) / np.sqrt(4 - OVERLAPS**2)
    assert flow.drift(OVERLAPS) == pytest.approx(expected, abs=1e-11)


@pytest.mark.slow
@pytest.mark.parametrize("loss", ["correlation", "square"])
def test_relu_and_sign(loss):
    flow = SGDFlow("relu", "sign(z1)", loss=loss)
    assert flow.drift(OVERLAPS) == pytest.approx((1 - OVERLAPS**2) * PHI0, abs=1e-10)
    noise = 0.5 + 0 * OVERLAPS if loss == "correlation" else 1 - 2 * OVERLAPS * PHI0
    assert flow.fluctuation(OVERLAPS) == pytest.approx(noise, abs=1e-10)
    with_noise = flow.fluctuation(OVERLAPS, noise=0.3)
    assert with_noise == pytest.approx(noise + 0.15, abs=1e-10)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("activation", "target"),
    [
        ("tanh", "sin(z1) + He2(z1)"),
        ("relu(z - 1/2)", "z1**3"),
        ("gelu", "He3(z1) - z1**2"),
        ("sin", "exp(z1/2)"),
    ],
)
def test_hermite_series(activation, target):
    """E[g' sigma'] = sum_k mu_k(g) mu_k(sigma) m^(k-1)/(k-1)!, at overlaps where 40 terms are enough."""
    flow = SGDFlow(activation, target)
    m = np.array([-0.35, 0.0, 0.2, 0.4])
    inner = str(flow.activation.expression).replace("z", "z1")
    labels, neuron = hermite(target, 40), hermite(inner, 40)
    series = sum(
        labels[k].value * neuron[k].value * m ** (k - 1) / math.factorial(k - 1) for k in range(1, 41)
    )
    assert flow.drift(m) == pytest.approx((1 - m**2) * series, abs=2e-10)


@pytest.mark.slow
def test_noise_against_nested_quadrature():
    """relu(z - 1) and |z|: kinks in both variables, square loss."""
    flow, m = SGDFlow("relu(z - 1)", "abs(z1)", loss="square"), 0.6
    spread = math.sqrt(1 - m**2)

    def inner(h):
        def integrand(x):
            label = abs(m * h + spread * x)
            return (label - (h - 1)) ** 2 * math.exp(-(x**2) / 2) * PHI0

        return (
            quad(integrand, -9, 9, points=[-m * h / spread], epsabs=1e-12)[0] * math.exp(-(h**2) / 2) * PHI0
        )

    expected = quad(inner, 1, 10, epsabs=1e-11)[0]
    assert flow.fluctuation(m) == pytest.approx(expected, abs=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("row", REUSE, ids=lambda row: f"kappa={row[0]}")
def test_table_of_reuse(row):
    kappa, *expected = row
    orders = (("He3(z1)", 1), ("He3(z1)", 2), ("He4(z1)", 1), ("He4(z1)", 2), ("He2(z1)", 2))
    found = [SGDFlow("relu", target, reuse=kappa).drift_coefficient(k) for target, k in orders]
    assert found == pytest.approx(expected, abs=1e-6)


@pytest.mark.slow
def test_coefficients_are_derivatives_of_the_drift():
    flow, step = SGDFlow("relu", "He3(z1)", reuse=0.5), 1e-3
    near, far = flow.drift(np.array([step, -step])), flow.drift(np.array([2 * step, -2 * step]))
    slope = (8 * (near[0] - near[1]) - (far[0] - far[1])) / (12 * step)
    assert flow.drift(0.0) == pytest.approx(flow.drift_coefficient(1), abs=1e-8)
    assert slope == pytest.approx(flow.drift_coefficient(2), abs=1e-6)


@pytest.mark.slow
def test_reuse_against_its_one_dimensional_form():
    """D(0) = E[z T(g(z))], T(y) = y Phi(-max(0, -kappa y)) for relu: other targets and shifts."""
    from scipy.special import ndtr

    for target, g, kappa in (
        ("He3(z1) + z1**2", lambda z: z**3 - 3 * z + z**2, 0.3),
        ("sin(z1)", np.sin, -0.7),
    ):

        def integrand(z, g=g, kappa=kappa):
            return z * g(z) * ndtr(-max(0.0, -kappa * g(z))) * math.exp(-(z**2) / 2) * PHI0

        expected = quad(integrand, -9, 9, limit=400, epsabs=1e-11, points=np.linspace(-8, 8, 33))[0]
        assert SGDFlow("relu", target, reuse=kappa).drift_coefficient(1) == pytest.approx(expected, abs=2e-9)


def test_label_noise_enters_the_look_ahead():
    """sigma = z^2/2: F = y (h + kappa y h), so that E[F (z - m h)] and E[F^2] are moments."""
    flow = SGDFlow("z**2/2", "He2(z1)", reuse=0.2)
    found = flow.fluctuation(0.0, noise=0.5)
    z, weight = np.polynomial.hermite_e.hermegauss(30)
    weight = weight / weight.sum()
    y = (z**2 - 1)[:, None] + math.sqrt(0.5) * z
    moment = np.sum(np.outer(weight, weight) * (y * (1 + 0.2 * y)) ** 2)  # E h^2 = 1
    assert found == pytest.approx(moment, rel=1e-9)


@pytest.mark.slow
def test_two_passes_see_the_rate():
    flow = SGDFlow("tanh", "z1", method="batch-reuse")
    assert flow.drift(0.1, rate=1e-9) == pytest.approx(2 * SGDFlow("tanh", "z1").drift(0.1), abs=1e-7)
    assert flow.drift(0.1, rate=0.5) != pytest.approx(flow.drift(0.1, rate=1.0), abs=1e-3)
    with pytest.raises(InputError, match="batch-reuse takes a rate here"):
        flow.drift(0.1)


@pytest.mark.parametrize("order", [0, 41, 1.5])
def test_orders_that_are_refused(order):
    with pytest.raises(InputError, match=f"order is {order}; accepted: an integer from 1 to 40"):
        SGDFlow("tanh", "z1").drift_coefficient(order)


class TestNotSettled:
    """Labels that are narrow on the scale of the finest rule: no number, where solve() has none either."""

    def test_a_narrow_label(self):
        flow = SGDFlow("relu", "exp(-1000*(z1-1)**2)")  # D(0.3) is .0062165, and was said to be .0090159
        asked = (
            lambda: flow.drift(0.3),
            lambda: flow.fluctuation(0.3),
            lambda: flow.time_to(0.5, rate=0.1, overlap=0.1),
        )
        for ask in asked:
            with pytest.raises(
                ConvergenceError, match=r"of relu and exp\(-1000.* are not settled: they still"
            ):
                ask()
        assert math.isnan(flow.drift_coefficient(1))
        found = flow.weak_recovery()
        assert found.samples == "d" and math.isnan(found.coefficient)
        assert "C_1 are not settled" in found.reason

    def test_a_sign_that_decides(self):
        found = SGDFlow("relu", "exp(-1000*(z1-1)**2) + exp(-1000*(z1+1)**2)").weak_recovery()
        assert found.samples == "d log d or not learned" and math.isnan(found.learning_share)

    def test_a_second_moment_from_far_out(self):
        """E F^2 = E[exp(2 z^2/5)]/2 has 5e-5 of its value beyond 9, C_2 has not."""
        found = SGDFlow("relu", "exp(z1**2/5)").weak_recovery()
        spread = 1 / math.sqrt(1 - 2 / 5)
        assert found.coefficient == pytest.approx((spread**3 - spread) / math.sqrt(2 * math.pi), rel=1e-7)
        assert math.isnan(found.critical_rate)


def _moments(p, overlap):
    """E of a polynomial in z and h = m z + sqrt(1 - m^2) u, by the moments (n - 1)!! of normal variables."""
    z, h, u = sympy.symbols("z h u")
    rest = sympy.sqrt(1 - overlap**2)
    poly = sympy.Poly(p.subs(h, overlap * z + rest * u), z, u)
    moment = [sympy.factorial2(n - 1) if n % 2 == 0 else 0 for n in range(80)]
    return sympy.nsimplify(sympy.expand(sum(c * moment[i] * moment[j] for (i, j), c in poly.terms())))


@pytest.mark.parametrize(
    ("activation", "target", "loss"),
    [
        ("He3(z)", "He3(z1)", "correlation"),
        ("He2(z)", "He3(z1)", "square"),
        ("z**3 - 2*z", "z1**2 + He4(z1)", "correlation"),
    ],
)
def test_polynomials_that_look_ahead_are_exact(activation, target, loss):
    """Averages of polynomials up to degree 26, whose weight is where a normal density is below 1e-10."""
    m, kappa = sympy.Rational(3, 5), sympy.Rational(1, 10)
    z, h = sympy.symbols("z h")
    plain = {"He2(z)": "z**2 - 1", "He3(z)": "z**3 - 3*z"}
    sigma = sympy.sympify(plain.get(activation, activation)).subs("z", h)
    label = sympy.sympify(
        target.replace("He3(z1)", "(z1**3 - 3*z1)").replace("He4(z1)", "(z1**4 - 6*z1**2 + 3)")
    ).subs("z1", z)

    def gradient(at):
        residual = label if loss == "correlation" else label - sigma.subs(h, at)
        return residual * sympy.diff(sigma, h).subs(h, at)

    force = sympy.expand(gradient(h + kappa * gradient(h)))
    drift, fluctuation = _moments(force * (z - m * h), m), _moments(force**2, m)
    flow = SGDFlow(activation, target, loss=loss, reuse=0.1)
    assert flow.drift(0.6) == pytest.approx(float(drift), rel=1e-8)
    assert flow.fluctuation(0.6) == pytest.approx(float(fluctuation), rel=1e-9)


@pytest.mark.slow
def test_noise_of_labels_at_a_look_ahead():
    """Against a product of trapezoidal rules in z, the noise and the rest of h."""
    m, kappa, variance = 0.4, 0.3, 0.1
    x, w = np.linspace(-8, 8, 201), np.exp(-(np.linspace(-8, 8, 201) ** 2) / 2)
    z, noise, rest = np.meshgrid(x, x, x, indexing="ij", sparse=True)
    h = m * z + math.sqrt(1 - m**2) * rest
    label = z**3 - 3 * z + math.sqrt(variance) * noise
    ahead = h + kappa * label / np.cosh(h) ** 2
    force = label / np.cosh(ahead) ** 2
    w /= w.sum()
    weights = w[:, None, None] * w[:, None] * w
    flow = SGDFlow("tanh(z)", "He3(z1)", reuse=kappa)
    drift, fluctuation = flow.drift(m, noise=variance), flow.fluctuation(m, noise=variance)
    assert drift == pytest.approx(float((weights * force * (z - m * h)).sum()), abs=1e-8)
    assert fluctuation == pytest.approx(float((weights * force**2).sum()), abs=1e-8)
    assert flow.solve(rate=0.01, overlap=0.1, times=1, noise=variance).status == "converged"
