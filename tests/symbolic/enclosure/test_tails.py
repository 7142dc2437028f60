"""Tails: the bounds in use against a direct integral of |f He_k| phi beyond the cut, at 20 digits."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable
from typing import Any

import mpmath
import pytest
import sympy
from flint import arb
from sympy import Abs, Rational, cos, cosh, erf, erfc, exp, log, sin, sinh, sqrt, tanh

from hermite_analytics.gaussian.enclosure.axis_rules import tail_measures
from hermite_analytics.gaussian.enclosure.moments import functional, tail
from hermite_analytics.gaussian.enclosure.plane import _cut as plane_cut
from hermite_analytics.gaussian.enclosure.precision import BOUND_BITS, working_precision
from hermite_analytics.gaussian.enclosure.strip import strip_bounds
from hermite_analytics.gaussian.enclosure.trapezoid import cut_off, plan, root_factorial, trapezoid_sums
from hermite_analytics.language.functions import (
    Phi,
    gelu,
    leaky_relu,
    phi,
    relu,
    sigmoid,
    silu,
    softplus,
    step,
)
from hermite_analytics.symbols import variable, z

x, y = variable(1), variable(2)
END = 60  # the integrals end here: beyond, all of the functions times the density are below 1e-700


def _relu(t: Any) -> Any:
    return max(t, mpmath.mpf(0))


def _cdf(t: Any) -> Any:
    return mpmath.erfc(-t / mpmath.sqrt(2)) / 2


def _sigmoid(t: Any) -> Any:
    return 1 / (1 + mpmath.exp(-t))


# sympy's expression, and the same typed again for mpmath
FUNCTIONS: dict[str, tuple[sympy.Expr, Callable[[Any], Any]]] = {
    "1": (sympy.Integer(1) + 0 * z, lambda t: mpmath.mpf(1)),
    "polynomial": (z**5 - 3 * z + 1, lambda t: t**5 - 3 * t + 1),
    "tanh": (tanh(2 * z - 1), lambda t: mpmath.tanh(2 * t - 1)),
    "relu": (relu(3 * z + 2), lambda t: _relu(3 * t + 2)),
    "leaky": (leaky_relu(z - 1, Rational(1, 10)), lambda t: t - 1 if t > 1 else (t - 1) / 10),
    "step": (step(z - 2) * z**3, lambda t: t**3 if t > 2 else mpmath.mpf(0)),
    "abs": (Abs(z**2 - 3) * z, lambda t: abs(t * t - 3) * t),
    "max": (sympy.Max(z, -2 * z, 1), lambda t: max(t, -2 * t, mpmath.mpf(1))),
    "sigmoid": (sigmoid(z) * z**2, lambda t: _sigmoid(t) * t * t),
    "softplus": (
        softplus(2 * z) ** 2,
        lambda t: (
            mpmath.log1p(mpmath.exp(-abs(2 * t))) ** 2 + 0
            if t < 0
            else (2 * t + mpmath.log1p(mpmath.exp(-2 * t))) ** 2
        ),
    ),
    "silu": (silu(-z), lambda t: -t * _sigmoid(-t)),
    "gelu": (gelu(z) * z, lambda t: t * t * _cdf(t)),
    "exp": (exp(2 * z - 1), lambda t: mpmath.exp(2 * t - 1)),
    "exp abs": (exp(Abs(z)) * z, lambda t: mpmath.exp(abs(t)) * t),
    "cosh": (cosh(3 * z / 2), lambda t: mpmath.cosh(3 * t / 2)),
    "sinh tanh": (sinh(z) * tanh(z), lambda t: mpmath.sinh(t) * mpmath.tanh(t)),
    "weight": (z**2 * exp(-(z**2)), lambda t: t * t * mpmath.exp(-t * t)),
    "growing weight": (exp(z**2 / 4) * (1 + z), lambda t: mpmath.exp(t * t / 4) * (1 + t)),
    "shifted weight": (exp(z**2 / 8 + z), lambda t: mpmath.exp(t * t / 8 + t)),
    "erfc": (erfc(z - 1) * z, lambda t: mpmath.erfc(t - 1) * t),
    "erf": (erf(z) * Phi(1 - z), lambda t: mpmath.erf(t) * _cdf(1 - t)),
    "phi": (phi(z / 3) * z**4, lambda t: mpmath.npdf(t / 3) * t**4),
    "waves": (sin(3 * z) * cos(z**2), lambda t: mpmath.sin(3 * t) * mpmath.cos(t * t)),
    "log": (log(2 + z**2) * z, lambda t: mpmath.log(2 + t * t) * t),
    "root": (sqrt(1 + z**4), lambda t: mpmath.sqrt(1 + t**4)),
    "quotient": (z**3 / (1 + z**2), lambda t: t**3 / (1 + t * t)),
    "exp sin": (exp(2 * sin(z)), lambda t: mpmath.exp(2 * mpmath.sin(t))),
}


def upper(ball: arb) -> mpmath.mpf:
    return mpmath.mpf(ball.upper().str(30, radius=False)) * (1 + mpmath.mpf(10) ** -25)


@functools.cache
def beyond(name: str, start: int, power: int) -> mpmath.mpf:
    """The integral of |f(t)| |t|^power phi(t) over |t| > start."""
    function = FUNCTIONS[name][1]

    def integrand(t: mpmath.mpf) -> mpmath.mpf:
        return (abs(function(t)) + abs(function(-t))) * t**power * mpmath.npdf(t)

    with mpmath.workdps(20):
        edges = [start + mpmath.mpf(j) / 4 for j in range(13)] + [start + 6, start + 12, END]
        return mpmath.quad(integrand, edges, maxdegree=4)


@pytest.mark.cases(2)
@pytest.mark.draws(27, spread=True)  # every function from 4 on or from 7 on
@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("start", [4, 7])
def test_tail_of_one_variable(name: str, start: int) -> None:
    with working_precision(BOUND_BITS):
        envelope = strip_bounds(FUNCTIONS[name][0], [z], [arb(0)]).size
    for power in (0, 4):
        with working_precision(BOUND_BITS):
            bound = tail(envelope, arb(start), power)
        assert bound.is_finite() or start < 7
        assert beyond(name, start, power) <= upper(bound)


@pytest.mark.cases(5)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_cut_off_leaves_what_it_says(name: str) -> None:
    """Beyond L the integral of |f He_k| phi, with the true He_k, is below the tolerance times sqrt(k!)."""
    for degree, tolerance in ((3, 1e-12), (9, 1e-6)):
        with working_precision(BOUND_BITS):
            envelope = strip_bounds(FUNCTIONS[name][0], [z], [arb(0)]).size
            end = cut_off(envelope, degree, arb(tolerance))
        start = mpmath.mpf(end.str(30, radius=False))
        for k in {0, degree}:
            exact = with_hermite(name, k, start)
            assert exact <= tolerance * mpmath.sqrt(mpmath.factorial(k))


def with_hermite(name: str, degree: int, start: mpmath.mpf) -> mpmath.mpf:
    function = FUNCTIONS[name][1]

    def integrand(t: mpmath.mpf) -> mpmath.mpf:
        he = mpmath.sqrt(2) ** -degree * mpmath.hermite(degree, t / mpmath.sqrt(2))
        return (abs(function(t)) + abs(function(-t))) * abs(he) * mpmath.npdf(t)

    return mpmath.quad(integrand, [start, start + 1, start + 3, start + 9, END], maxdegree=3)


SMOOTH = ("tanh", "softplus", "exp", "weight", "growing weight", "quotient")


@pytest.mark.slow
@pytest.mark.draws(3, spread=True)
@pytest.mark.parametrize("name", SMOOTH)
def test_the_error_of_a_planned_rule(name: str) -> None:
    """A short rule, its sums against mpmath: the difference is below the bound that it states."""
    expr, function = FUNCTIONS[name]
    degree = 3
    with working_precision(BOUND_BITS):
        rule = plan(expr, z, degree, arb(1) / 1000)
    assert rule is not None
    sums = trapezoid_sums(expr, z, degree, rule, 200)
    for k, rough in enumerate(sums):
        exact = coefficient(function, k)
        stated = upper(rule.error * root_factorial(k))
        assert abs(mpmath.mpf(rough.mid().str(40, radius=False)) - exact) <= stated


def coefficient(function: Callable[[Any], Any], degree: int) -> mpmath.mpf:
    def integrand(t: mpmath.mpf) -> mpmath.mpf:
        he = mpmath.sqrt(2) ** -degree * mpmath.hermite(degree, t / mpmath.sqrt(2))
        return function(t) * he * mpmath.npdf(t)

    with mpmath.workdps(25):
        return mpmath.quad(integrand, [-40, -16, *range(-8, 9), 16, 40], maxdegree=4)


PLANAR: list[tuple[sympy.Expr, Callable[[Any, Any], Any]]] = [
    (tanh(x + y) * x**2, lambda s, t: mpmath.tanh(s + t) * s * s),
    (relu(x - 2 * y), lambda s, t: _relu(s - 2 * t)),
    (exp(x * y / 4), lambda s, t: mpmath.exp(s * t / 4)),
    (exp(x + y / 2) * Abs(y), lambda s, t: mpmath.exp(s + t / 2) * abs(t)),
    (sympy.Max(x, y, 1) * sigmoid(y), lambda s, t: max(s, t, mpmath.mpf(1)) * _sigmoid(t)),
]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("expr", "function"), PLANAR, ids=lambda v: str(v) if isinstance(v, sympy.Expr) else ""
)
def test_tail_of_two_variables(expr: sympy.Expr, function: Callable[[Any, Any], Any]) -> None:
    """E |f| over |x| > L, and outside the square, by panels."""
    with working_precision(BOUND_BITS):
        envelope = strip_bounds(expr, (x, y), [arb(0), arb(0)]).size
        bound = functional(envelope, tail_measures(envelope, 0, arb(4)))
        end, outside = plane_cut(expr, (x, y), 30)
    assert half_planes(function, 4) <= upper(bound)
    swapped = half_planes(lambda s, t: function(t, s), end)
    assert half_planes(function, end) + swapped <= 2 * upper(outside)
    assert max(half_planes(function, end), swapped) <= upper(outside)


def half_planes(function: Callable[[Any, Any], Any], start: int) -> mpmath.mpf:
    """E |f(X, Y)| over |X| > start."""
    with mpmath.workdps(15):
        outer = nodes([start, start + 0.7, start + 1.5, start + 3, start + 6])
        inner = nodes(list(range(-10, 11)))
        total = mpmath.mpf(0)
        for s, a in outer:
            row = sum(b * (abs(function(s, t)) + abs(function(-s, t))) for t, b in inner)
            total += a * row
        return total


def nodes(edges: list[float]) -> list[tuple[mpmath.mpf, mpmath.mpf]]:
    """Gauss-Legendre nodes on panels, the density in the weights."""
    from numpy.polynomial.legendre import leggauss

    found = []
    for low, high in itertools.pairwise(edges):
        for node, weight in zip(*leggauss(8), strict=True):
            t = mpmath.mpf((low + high) / 2 + (high - low) / 2 * node)
            found.append((t, (high - low) / 2 * weight * mpmath.npdf(t)))
    return found
