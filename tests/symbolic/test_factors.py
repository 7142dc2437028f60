"""Irreducible factors: those of sympy, also where sympy takes long, and nothing dense of a huge degree."""

from __future__ import annotations

import random

import pytest
import sympy
from sympy import Expr, Poly, Rational, exp, sin, sqrt

from hermite_analytics.gaussian.distribution import expanded, stays_small
from hermite_analytics.gaussian.factors import factored
from hermite_analytics.language.factors import irreducible_factors

x, y, w = sympy.symbols("x y w")


def random_product(rng: random.Random, symbols: tuple[sympy.Symbol, ...]) -> Expr:
    def factor() -> Expr:
        powers = [sympy.prod(v ** rng.randint(0, 2) for v in symbols) for _ in range(3)]
        terms = (Rational(rng.randint(-5, 5), rng.choice([1, 1, 2, 3])) * power for power in powers)
        return sympy.Add(*terms) ** rng.choice([1, 1, 2])

    return rng.choice([1, -3, Rational(2, 7)]) * sympy.prod(factor() for _ in range(rng.randint(1, 3)))


@pytest.mark.cases(1)
@pytest.mark.parametrize("symbols", [(x,), (x, y), (x, y, w)], ids=str)
def test_the_factors_of_sympy(symbols: tuple[sympy.Symbol, ...]) -> None:
    rng = random.Random(7)
    for _ in range(40):
        poly = Poly(random_product(rng, symbols), *symbols)
        content, factors = irreducible_factors(poly)
        assert (content, factors) == poly.factor_list()
        assert all(p.domain == poly.domain for p, _ in factors)


def test_other_coefficients_are_left_to_sympy() -> None:
    poly = Poly(x**2 - 2, x, extension=sqrt(2))
    assert irreducible_factors(poly) == poly.factor_list()
    assert irreducible_factors(Poly(0, x)) == Poly(0, x).factor_list()


def test_coefficients_of_hundreds_of_digits() -> None:
    large = 10**300 + 1
    derivative = (x**20 * sympy.cos(large * x)).diff(x)  # sympy takes more than ten seconds for this one
    found = factored(derivative)
    assert found.is_Mul and x**19 in found.args
    assert sympy.expand(found - derivative) == 0
    content, factors = irreducible_factors(Poly((large * x - 1) * (x**2 + large * y) ** 2, x, y))
    assert content == 1
    assert [(p.total_degree(), k) for p, k in factors] == [(1, 1), (2, 2)]


@pytest.mark.parametrize(
    ("expression", "count"),
    [
        (x * sin(x) ** 2 - x**3, 4),
        (1 / x + exp(-x), 3),
        (2 * x**2 + sqrt(2) * x, 2),
        (x**2 - 2, 1),
        (sympy.pi * x - x**2, 3),
    ],
)
def test_functions_and_roots_are_variables(expression: Expr, count: int) -> None:
    found = factored(expression)
    assert len(sympy.Mul.make_args(found)) == count
    assert sympy.simplify(found - expression) == 0


@pytest.mark.parametrize(
    "expression",
    [
        exp(-(10**20) * x**2) + x * exp(-2 * 10**20 * x**2) + x**2,  # powers of one exponential
        x**300 - y**300,
        (x + y + w + 1) ** 40 + x,
    ],
    ids=["exponential", "degree", "terms"],
)
def test_what_is_large_is_left_alone(expression: Expr) -> None:
    assert sympy.Add.make_args(factored(expression)) == sympy.Add.make_args(sympy.together(expression))


def test_powers_in_a_denominator_are_counted() -> None:
    power = (1 + (x - y / 10) ** 2) ** -200
    assert not stays_small(power)
    assert expanded(power) == power
    assert stays_small(1 / (x + y))
