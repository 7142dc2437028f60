"""Moments of powers of polynomials as trees of separate coordinates, against expanded powers."""

from __future__ import annotations

import itertools
import random

import pytest
import sympy
from flint import fmpq

import hermite_analytics as ha
from hermite_analytics.label.orders.polynomial_powers import polynomial_powers
from hermite_analytics.label.orders.swept_polynomials import swept
from hermite_analytics.symbols import variable


def drawn(draw: random.Random, places: list[int]) -> sympy.Expr:
    """A random polynomial in which each of the coordinates stands once."""
    if len(places) == 1:
        z = variable(places[0])
        return sum(draw.randint(-2, 2) * z**k for k in range(3)) + z ** draw.randint(1, 3)
    cut = draw.randint(1, len(places) - 1)
    first, second = drawn(draw, places[:cut]), drawn(draw, places[cut:])
    return first + second if draw.random() < 0.5 else variable(places[0]) ** draw.randint(1, 2) * second + 1


def one(power: int) -> int:
    """E z^power."""
    return 0 if power % 2 else sympy.factorial2(power - 1)


def expanded(polynomial: sympy.Expr, p: int, index: tuple[int, ...]) -> sympy.Expr:
    """E[f^p He_S] monomial by monomial."""
    variables = [variable(i + 1) for i in range(len(index))]
    hermite = [
        sympy.expand(2 ** (-sympy.Rational(k, 2)) * sympy.hermite(k, z / sympy.sqrt(2)))
        for k, z in zip(index, variables, strict=True)
    ]
    product = sympy.Poly(sympy.expand(polynomial**p * sympy.Mul(*hermite)), *variables)
    return sum(c * sympy.Mul(*map(one, powers)) for powers, c in product.terms())


@pytest.mark.cases(6)
@pytest.mark.parametrize("seed", range(12))
def test_moments_of_trees_in_a_space_with_more_coordinates(seed):
    draw = random.Random(seed)
    width = draw.randint(2, 4)
    used = sorted(draw.sample(range(1, width + 1), draw.randint(1, width - 1)))
    polynomial = drawn(draw, used)
    variables = tuple(variable(i + 1) for i in range(width))
    for (p, tensor), degree in itertools.product(
        itertools.islice(polynomial_powers(polynomial, variables), 2), (1, 2)
    ):
        found = tensor(degree)
        for index in itertools.product(range(degree + 1), repeat=width):
            if sum(index) == degree:
                assert found.get(index, 0) == expanded(polynomial, p, index), (polynomial, p, index)


@pytest.mark.parametrize(
    ("text", "width", "learned"), [("-z2**2", 2, ((0, 1),)), ("z2*z3 + z3", 4, ((0, 1, 0, 0), (0, 0, 1, 0)))]
)
def test_coordinates_that_are_not_used_are_not_learned(text, width, learned):
    eye = sympy.eye(int(width)).tolist()
    found = ha.grand_staircase(ha.Target(f"{text} + 0*z{width}", directions=eye))
    assert found.bases[-1] == tuple(tuple(map(str, row)) for row in learned)
    assert found.limit_dimension == len(learned)


CHAINS = [
    "z1 + z1*z2/2 - 3*z2*z3",
    "z1**2*z2 + z2*z3**3 + z3/3 - 1",
    "z1*z2*z3 + z2*z3*z4 + z3*z4 + z4",
    "z2 + z2**2",
]


@pytest.mark.parametrize("text", CHAINS)
def test_means_of_chains(text):
    """E[z_i f^p] term by term, also beyond as many powers as there are coordinates."""
    polynomial = sympy.sympify(text)
    z = sympy.symbols("z1:5")
    terms = {m: fmpq(int(c.p), int(c.q)) for m, c in sympy.Poly(polynomial, *z).terms()}
    chain = swept(terms)
    own = polynomial.subs({a: variable(i + 1) for i, a in enumerate(z)})
    for p, i in itertools.product((5, 1, 2, 3), range(4)):
        index = tuple(int(i == j) for j in range(4))
        assert chain.first(i, p) == expanded(own, p, index), (p, i)


def test_no_chain():
    """Any order of the terms leaves three coordinates open."""
    edges = itertools.combinations(range(5), 2)
    assert swept({tuple(int(k in edge) for k in range(5)): fmpq(1) for edge in edges}) is None
