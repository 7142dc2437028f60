"""Decisions against truncated integrals of |f| over [-L, L]^2 as L grows, where these are clear-cut."""

from __future__ import annotations

import random

import numpy as np
import pytest
import sympy
from scipy import special
from sympy import Abs, Expr, Rational, cos, exp, symbols, tanh

from hermite_analytics.gaussian.integrability import integrability
from hermite_analytics.language import functions as own

X, Y = symbols("z1 z2", real=True)
NUMERIC = [
    {"step": lambda x: 1.0 * (x > 0), "relu": lambda x: np.maximum(x, 0), "Phi": special.ndtr},
    "numpy",
]
SIDES = (9.0, 13.0)
CLEAR_FINITE, CLEAR_INFINITE = 1.0005, 3.0


def truncated(expr: Expr, side: float) -> float:
    """The integral over [-side, side]^2, midpoint rule."""
    edges = np.linspace(-side, side, 521)
    middle = (edges[1:] + edges[:-1]) / 2
    x, y = np.meshgrid(middle, middle)
    function = sympy.lambdify((X, Y), expr, NUMERIC, cse=True)
    with np.errstate(over="ignore", invalid="ignore", under="ignore"):
        values = np.abs(function(x, y)) * np.exp(-(x**2 + y**2) / 2)
    return float(np.nansum(values) * (edges[1] - edges[0]) ** 2)


def evidence(expr: Expr) -> bool | None:
    """Finite, infinite, or not clear."""
    inner, outer = (truncated(expr, side) for side in SIDES)
    if inner == 0 or outer / inner < CLEAR_FINITE:
        return True
    return False if outer / inner > CLEAR_INFINITE else None


def random_expression(rng: random.Random) -> Expr:
    """exp(quadratic + |l|) times steps, tails and bounded functions."""

    def number() -> Rational:
        return Rational(rng.randint(-6, 6), 8)

    def form() -> Expr:
        return rng.randint(-2, 2) * X + rng.choice([-1, 1]) * Y + rng.randint(-1, 1)

    exponent = number() * X**2 + number() * X * Y + number() * Y**2 + number() * Abs(form())
    factors = [own.step, own.Phi, own.relu, tanh, cos, lambda u: 1 + u**2]
    chosen = [rng.choice(factors)(form()) for _ in range(rng.randint(0, 2))]
    total = exp(exponent) * sympy.Mul(*chosen)
    return total if rng.random() < 0.7 else total + exp(number() * Y**2 - X)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(8))
def test_decisions_agree_with_truncated_integrals(seed: int) -> None:
    rng = random.Random(seed)
    compared = 0
    for _ in range(12):
        expr = random_expression(rng)
        found = integrability(expr, [X, Y])
        seen = evidence(expr)
        if seen is not None and found.finite is not None:
            compared += 1
            assert found.finite is seen, (expr, found.reason)
    assert compared >= 6
