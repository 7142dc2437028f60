"""Random expressions: no certificate for a coefficient that quadrature finds not to be zero."""

from __future__ import annotations

import itertools
import random

import pytest
import sympy
from sympy import Abs, Expr, Max, Min, Rational, cos, erf, exp, sign, sin, tanh

from hermite_analytics.gaussian.zero import symmetry_certificate
from hermite_analytics.language.functions import Phi, gelu, phi, relu, sigmoid, silu, softplus, step
from tests.symbolic.zero.quadrature import grid_coefficient

z1, z2, z3 = Z = sympy.symbols("z1:4", real=True)

KINKED = [sign, Abs, relu, step]
SMOOTH = [
    tanh,
    erf,
    sin,
    cos,
    phi,
    Phi,
    sigmoid,
    softplus,
    silu,
    gelu,
    lambda x: x,
    lambda x: x**2,
    lambda x: exp(x / 2),
]
FORMS = [z1, z2, z1 + z2, z1 - z2, -z1, z2 - z1]


def factor(rng: random.Random) -> Expr:
    """A function of one form; kinks only along lines that signed permutations permute."""
    return rng.choice(KINKED + SMOOTH)(rng.choice(FORMS))


def expression(rng: random.Random) -> Expr:
    terms = [Rational(rng.randint(-3, 3), 2) * factor(rng) * factor(rng) for _ in range(rng.randint(1, 2))]
    f = sympy.Add(*terms)
    swapped = f.xreplace({z1: z2, z2: z1})
    flipped = f.subs({z1: -z1, z2: -z2}, simultaneous=True)
    turned = f.subs({z1: z2, z2: -z1}, simultaneous=True)
    wrap = rng.choice(
        [lambda x: x, tanh, lambda x: x * factor(rng), lambda x: Max(x, z1), lambda x: Min(x, z1 - z2)]
    )
    return rng.choice([f, f, f + swapped, f - swapped, f + flipped, f - flipped, f - turned, wrap(f), f * z1])


@pytest.mark.cases(6)
@pytest.mark.draws(20)
@pytest.mark.parametrize("seed", range(120))
def test_certified_coefficients_vanish(seed):
    rng = random.Random(seed)
    expr = expression(rng)
    for index in itertools.product(range(4), repeat=2):
        certificate = symmetry_certificate(expr, Z[:2], index)
        if certificate is None:
            continue
        value, scale = grid_coefficient(expr, Z[:2], index)
        assert abs(value) < 1e-12 * max(1, scale), (expr, index, certificate)


@pytest.mark.slow
def test_most_planar_zeros_are_explained():
    """Of the coefficients that vanish to 1e-12, at least nine in ten get a certificate."""
    zeros = explained = 0
    for seed in range(40):
        expr = expression(random.Random(500 + seed))
        for index in itertools.product(range(3), repeat=2):
            value, scale = grid_coefficient(expr, Z[:2], index)
            if abs(value) < 1e-13 * max(1, scale):
                zeros += 1
                explained += symmetry_certificate(expr, Z[:2], index) is not None
    assert zeros > 50
    assert explained > 0.9 * zeros


@pytest.mark.cases(2)
@pytest.mark.parametrize("seed", range(12))
def test_three_dimensions(seed):
    """Smooth functions of forms in general position, by a coarser rule."""
    rng = random.Random(seed)
    forms = [z1 + z2, z2 + z3, z3 + z1, z1 - z2, z1 + 2 * z2 - z3, z3]
    a, b, c = (rng.choice([tanh, sin, erf, cos])(rng.choice(forms)) for _ in range(3))
    expr = rng.choice([a * b * c, a + b + c, a * b + c, tanh(a + b - c)])
    for index in [(0, 0, 0), (1, 0, 0), (0, 1, 1), (2, 0, 0), (1, 1, 1), (0, 2, 1)]:
        if symmetry_certificate(expr, Z, index) is not None:
            value, scale = grid_coefficient(expr, Z, index, step=0.25, reach=8)
            assert abs(value) < 1e-12 * max(1, scale), (expr, index)
