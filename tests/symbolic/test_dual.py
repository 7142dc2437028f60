"""Dual kernels: arcsine and arc-cosine laws, Price's theorem, eigenvalues."""

from __future__ import annotations

import math

import numpy as np
import pytest
import sympy
from numpy.polynomial.hermite_e import hermegauss

import hermite_analytics as ha
from hermite_analytics.dual import rho

LAWS = {  # K(rho) by hand
    "sign(z)": 2 * sympy.asin(rho) / sympy.pi,
    "erf(z)": 2 * sympy.asin(2 * rho / 3) / sympy.pi,
    "relu(z)": (sympy.sqrt(1 - rho**2) + rho * (sympy.pi / 2 + sympy.asin(rho))) / (2 * sympy.pi),
    "abs(z)": 2 * (sympy.sqrt(1 - rho**2) + rho * sympy.asin(rho)) / sympy.pi,
    "sin(z)": sympy.exp(-1) * sympy.sinh(rho),
    "cos(z)": sympy.exp(-1) * sympy.cosh(rho),
    "exp(z)": sympy.exp(1 + rho),
    "step(z)": sympy.Rational(1, 4) + sympy.asin(rho) / (2 * sympy.pi),
    "He3(z)": 6 * rho**3,
    "gelu(z)": rho / 4
    + rho * sympy.asin(rho / 2) / (2 * sympy.pi)
    + 1 / (2 * sympy.pi * sympy.sqrt(4 - rho**2)),
}


@pytest.mark.parametrize("name", LAWS)
def test_conjugate_kernel(name):
    kernel = ha.dual_kernel(name)
    for value in (-0.9, -0.3, 0.0, 0.45, 0.99):
        point = {rho: sympy.Rational(str(value))}
        assert abs(sympy.N((kernel.conjugate - LAWS[name]).subs(point), 30)) < 1e-25


@pytest.mark.parametrize("name", ["erf(z)", "gelu(z)", "sin(z)", "tanh(z)"])
def test_tangent_kernel_is_the_kernel_of_the_derivative(name):
    kernel = ha.dual_kernel(name)
    derivative = ha.Activation(name).derivative_function()
    nodes, weights = hermegauss(120)
    weights = weights / weights.sum()
    value = 0.4
    second = value * nodes[:, None] + math.sqrt(1 - value**2) * nodes
    expected = weights @ (derivative(nodes)[:, None] * derivative(second)) @ weights
    found = float(kernel.tangent.subs(rho, sympy.Rational(2, 5)).evalf())
    assert found == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize(("name", "derivative"), [("relu(z)", "step(z)"), ("abs(z)", "sign(z)")])
def test_tangent_kernel_of_a_kink_is_the_kernel_of_its_jump(name, derivative):
    for value in (-0.9, 0.0, 0.45):
        point = {rho: sympy.Rational(str(value))}
        assert abs(sympy.N((ha.dual_kernel(name).tangent - LAWS[derivative]).subs(point), 30)) < 1e-25


def test_a_jump_has_no_tangent_kernel():
    assert ha.dual_kernel("sign(z)").tangent is None


def test_eigenvalues_are_the_taylor_coefficients():
    kernel = ha.dual_kernel("relu(z)")
    series = sympy.series(kernel.conjugate, rho, 0, 7).removeO()
    for k, value in enumerate(kernel.eigenvalues(6)):
        assert sympy.expand(value.exact - series.coeff(rho, k)) == 0
    tanh = ha.dual_kernel("tanh(z)").eigenvalues(9)
    assert sum(q.value for q in tanh) <= 0.394294490397842 and tanh[1].value == pytest.approx(
        0.605705509602159**2
    )
    assert all(q.zero for q in tanh[::2])


def test_at_the_ends():
    # K(1) = E sigma^2
    for name in ("relu(z)", "erf(z)", "gelu(z)"):
        power = ha.expectation(ha.Activation(name).expression.subs(ha.z, sympy.Symbol("z1", real=True)) ** 2)
        value = sympy.N(ha.dual_kernel(name).conjugate.subs(rho, 1), 25)
        assert abs(value - power.evalf(25)) < 1e-23
    assert np.isfinite(float(ha.dual_kernel("relu(z)").conjugate.subs(rho, -1)))


def test_infinite_second_moment_is_refused():
    with pytest.raises(ha.UndefinedQuantity):
        ha.dual_kernel("exp(z**2/4)")
