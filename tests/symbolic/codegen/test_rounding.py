"""Rounding in integrands: its bound, and saturated tails, where nothing else is left."""

from __future__ import annotations

import math
from typing import Any

import mpmath
import numpy as np
import pytest
import sympy
from sympy import Symbol

import hermite_analytics as ha
from hermite_analytics import GaussianExpectation
from hermite_analytics.codegen.array_backend.quadrature import nodes_limited
from hermite_analytics.codegen.ir import Add, Assign, Call, Multiply, Name, Node, Number, Power
from hermite_analytics.codegen.rounding import rounding_of
from hermite_analytics.symbols import z
from tests.symbolic.codegen.back_ends import others_than
from tests.symbolic.codegen.coefficients import coefficients_kernel

X, Y = Name("x"), Name("y")
UNIT = 2.0**-52


def value_of(node: Node, names: dict[str, float]) -> float:
    """A node at numbers."""
    match node:
        case Number(text=text):
            return float(text)
        case Name(text=text):
            return names[text]
        case Add(terms=terms):
            return sum(value_of(t, names) for t in terms)
        case Multiply(factors=factors):
            return math.prod(value_of(f, names) for f in factors)
        case Call(function="abs", arguments=(inner,)):
            return abs(value_of(inner, names))
    raise AssertionError(node)


def test_sum_and_its_square() -> None:
    body = (Assign("t", Add((X, Y))), Assign("u", Name("t")))
    at = {"x": 1.0, "y": -0.75, "t": 0.25, "u": 0.25}
    for node in (Add((X, Y)), Name("t"), Name("u")):
        bound = rounding_of(node, body)
        assert bound is not None and value_of(bound, at) == 1.75 * UNIT
    for node in (Power(Name("t"), Number("2"), 2), Multiply((Name("u"), Name("u")))):
        bound = rounding_of(node, body)
        error = 1.75 * UNIT
        assert bound is not None and value_of(bound, at) == pytest.approx(error * (0.5 + error), rel=1e-15)


def test_what_subtracts_nothing() -> None:
    for node in (X, Multiply((X, Y)), Call("exp", (Add((X, Y)),)), Power(X, Number("2"), 2)):
        assert rounding_of(node, ()) is None


@pytest.mark.slow
def test_arrays_do_not_refine_rounding() -> None:
    """A few hundred nodes do where most points are saturated; thousands were taken to the last refinement."""
    kappa = np.linspace(-9.0, 9.0, 61)
    with nodes_limited(400):
        found = coefficients_kernel("tanh(z)", "array")(kappa, 1.0, 2.2)
    compiled = coefficients_kernel("tanh(z)", "numba")(kappa, 1.0, 2.2)
    for name in ("mu0", "mu1", "mu2_squared"):
        np.testing.assert_allclose(getattr(found, name), getattr(compiled, name), rtol=1e-11, atol=1e-14)


@pytest.mark.slow
@pytest.mark.parametrize("s", [16.0, 18.0, 22.0, 30.0, 45.0])
def test_saturated_tails(s: float) -> None:
    """mu0 and mu1 to rounding of sigma, mu2^2 to that of sigma^2 squared: 1 - tanh is 2 exp(-2 x)."""
    kernel = coefficients_kernel("tanh(z)", "numba")
    c = 1.2
    first = 2 * math.exp(-2 * s + 2 * c)  # E[1 - tanh] up to its square
    second = 4 * (math.exp(-4 * s + 8 * c) - math.exp(-4 * s + 4 * c) * (1 + 4 * c))
    for points in (np.asarray([s, s]), s):
        found = kernel(points, c, 1.0)
        np.testing.assert_allclose(found.mu0, 1 - first, rtol=3e-16)
        np.testing.assert_allclose(found.mu1, 2 * first, rtol=1e-6, atol=3e-16)
        np.testing.assert_allclose(found.mu2_squared, second, rtol=2e-2, atol=1e-31)
        assert np.all(np.asarray(found.mu2_squared) >= 0)


@pytest.mark.slow
@pytest.mark.parametrize("backend", others_than("cuda", "python"))
def test_small_differences_keep_their_digits(backend: str) -> None:
    """tanh(m + s z) - tanh(m): small beside its addends, not beside their rounding."""
    m, s = Symbol("m", real=True), Symbol("s", positive=True)
    f = sympy.tanh(m + s * z) - sympy.tanh(m)
    kernel = ha.compile(GaussianExpectation(f, z), (m, s), backend=backend)

    def integrand(t: Any, mean: float, width: float) -> Any:
        return (mpmath.tanh(mean + width * t) - mpmath.tanh(mean)) * mpmath.npdf(t)

    for mean, width in ((4.0, 1e-2), (9.0, 0.5), (15.0, 1.0)):
        with mpmath.workdps(30):
            exact = mpmath.quad(lambda t, a=mean, b=width: integrand(t, a, b), np.linspace(-12, 12, 25))
        assert float(kernel(mean, width)) == pytest.approx(float(exact), rel=1e-12, abs=3e-16)
