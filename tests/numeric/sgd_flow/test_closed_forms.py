"""Integrals of erf and quadratic committees against quadrature, Monte Carlo and Wick sums by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.special import erf

from hermite_analytics import Activation, Target
from hermite_analytics.numeric.models.sgd_flow import closed_forms
from hermite_analytics.numeric.models.sgd_flow.averages import quadrature_averages
from hermite_analytics.numeric.models.sgd_flow.closed_forms import (
    ErfNetwork,
    QuadraticNetwork,
    closed_network,
)
from hermite_analytics.numeric.models.sgd_flow.gradient import Gradient
from hermite_analytics.numeric.models.sgd_flow.problem import flow_problem

NAMES = ("signal", "field", "product")


def s(x):
    return erf(x / math.sqrt(2))


def slope(x):
    return math.sqrt(2 / math.pi) * np.exp(-(x**2) / 2)


INTEGRANDS = {
    "i2": lambda a, b: s(a) * s(b),
    "i2_slope": lambda a, b: slope(a) * slope(b),
    "i3": lambda a, b, c: slope(a) * b * s(c),
    "i4": lambda a, b, c, d: slope(a) * slope(b) * s(c) * s(d),
}


def covariance(size, seed):
    rows = np.random.default_rng(seed).normal(size=(size, size + 1))
    return rows @ rows.T / size


@pytest.mark.parametrize("name", INTEGRANDS)
def test_integrals_against_trapezoidal_sums(name):
    integrand = INTEGRANDS[name]
    size = integrand.__code__.co_argcount
    c = covariance(size, 7)
    end = 7 if size == 4 else 8.5
    line = np.linspace(-end, end, {2: 121, 3: 81, 4: 33}[size])
    grid = np.stack([g.ravel() for g in np.meshgrid(*[line] * size, indexing="ij")])
    weights = np.exp(-0.5 * np.sum(grid**2, axis=0))
    found = np.sum(weights * integrand(*(np.linalg.cholesky(c) @ grid))) / weights.sum()
    assert getattr(closed_forms, name)(c) == pytest.approx(found, abs={2: 1e-12, 3: 1e-12, 4: 1e-8}[size])


@pytest.mark.parametrize("name", INTEGRANDS)
def test_integrals_against_monte_carlo(name):
    """5 standard errors: a false alarm in 1.7 million runs of each."""
    integrand = INTEGRANDS[name]
    size = integrand.__code__.co_argcount
    c = covariance(size, 11)
    draws = np.random.default_rng(1).multivariate_normal(np.zeros(size), c, size=400_000).T
    values = integrand(*draws)
    error = values.std() / math.sqrt(values.size)
    assert abs(float(getattr(closed_forms, name)(c)) - values.mean()) < 5 * error


def gradient_of(activation, target, loss, readout):
    problem = flow_problem(Activation(activation), Target(target))
    return Gradient(problem=problem, loss=loss, method="sgd", shift=0.0, readout=np.array(readout))


@pytest.mark.slow
@pytest.mark.parametrize("loss", ["square", "correlation"])
@pytest.mark.parametrize(
    ("activation", "target", "kind"),
    [
        ("erf(z/sqrt(2))", "erf(z1/sqrt(2))/2 - erf((z1 + z2)/sqrt(2))/3", ErfNetwork),
        ("z**2 - 1/3", "z1**2 - 2*z1*z2 + 1", QuadraticNetwork),
        ("He2(z)", "He2(z1) + He2(z2)/2", QuadraticNetwork),
    ],
)
def test_networks_against_quadrature(activation, target, kind, loss):
    network = closed_network(Activation(activation), Target(target))
    assert isinstance(network, kind)
    gradient = gradient_of(activation, target, loss, [1.0, -0.7])
    w = np.random.default_rng(5).normal(size=(2, 6)) / math.sqrt(6)
    overlaps, correlations = w[:, :2], w @ w.T
    closed = network.averages(gradient, overlaps, correlations, 0.3)
    found = quadrature_averages(gradient, overlaps, correlations, 0.3, 1)
    for name in NAMES:
        assert getattr(closed, name) == pytest.approx(getattr(found, name), rel=1e-11, abs=1e-11)


def test_quadratic_committee_is_the_matrix_equation():
    """Student (1/p) sum h^2, teacher (1/k) sum z^2: dM and dQ as traces of Q, M M^T and P = 1."""
    p, k = 3, 2
    gradient = gradient_of("z**2", "(z1**2 + z2**2)/2", "square", np.ones(p))
    w = np.random.default_rng(9).normal(size=(p, 7)) / math.sqrt(7)
    m, q, delta = w[:, :k], w @ w.T, 0.2
    found = closed_network(Activation("z**2"), Target("(z1**2 + z2**2)/2")).averages(gradient, m, q, delta)
    a, mm = 1 - np.trace(q) / p, m @ m.T
    tr = np.trace
    assert found.signal == pytest.approx(2 * (a * m + 2 * (m / k - q @ m / p)), abs=1e-13)
    drift = 4 * (a * q + 2 * (mm / k - q @ q / p))
    assert found.field + found.field.T == pytest.approx(drift, abs=1e-13)
    teacher = (k**2 + 2 * k) * q + 4 * k * mm + 8 * mm
    cross = (k * tr(q) + 2 * tr(mm)) * q + 2 * tr(q) * mm + 2 * k * q @ q + 4 * (mm @ q + q @ mm)
    student = (tr(q) ** 2 + 2 * tr(q @ q)) * q + 4 * tr(q) * q @ q + 8 * q @ q @ q
    product = 4 * (teacher / k**2 - 2 * cross / (p * k) + student / p**2 + delta * q)
    assert found.product == pytest.approx(product, abs=1e-12)


@pytest.mark.parametrize(
    ("activation", "target"),
    [
        ("tanh(z)", "tanh(z1)"),
        ("erf(z/sqrt(2))", "erf(z1)*erf(z2)"),
        ("erf(z/sqrt(2))", "erf(z1/sqrt(2)) + 1"),
        ("erf(z/sqrt(2))", "erf((z1 - 1)/sqrt(2))"),
        ("z**2 + z", "z1**2"),
        ("z**2", "z1**2 + z1"),
        ("z**2", "z1**3"),
    ],
)
def test_other_pairs_have_no_closed_network(activation, target):
    assert closed_network(Activation(activation), Target(target)) is None
