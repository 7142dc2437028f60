"""Moments of sums, products and extremes of functions of separate coordinates, and rational bases."""

import numpy as np
import pytest
import sympy
from scipy.integrate import quad
from scipy.stats import norm

from hermite_analytics import hermite
from hermite_analytics.evidence import Evidence
from hermite_analytics.exponents.numbers import Numbers
from hermite_analytics.exponents.spans import Span, extended
from hermite_analytics.gaussian.coefficients import exact_coefficients


def mean(function):
    return quad(lambda z: function(z) * norm.pdf(z), -12, 12, epsabs=1e-13, limit=400)[0]


def test_second_moment_of_a_sum_without_closed_forms():
    parts = [np.tanh, lambda z: 2 * np.log(1 + np.exp(z)), lambda z: z * z * np.tanh(z) ** 2]
    found = hermite("1/2 + tanh(z1) + 2*softplus(z2) + z3**2*tanh(z3)**2", 0).second_moment
    means = [0.5, *map(mean, parts)]
    truth = sum(means) ** 2 + sum(
        mean(lambda z, g=g: g(z) ** 2) - m * m for g, m in zip(parts, means[1:], strict=True)
    )
    assert found.evidence is Evidence.PROVED
    assert abs(found.value - truth) <= found.error + 1e-10


def test_second_moments_of_quotients():
    """The square of a denominator that is shown to be positive is not multiplied out."""
    for text, function in (
        ("1/(2+sin(z1+z2))", lambda x: 1 / (2 + np.sin(np.sqrt(2) * x)) ** 2),
        ("(2+sin(z1))**(-2)", lambda x: 1 / (2 + np.sin(x)) ** 4),
        ("z1 + 1/(3+cos(z1))", lambda x: (x + 1 / (3 + np.cos(x))) ** 2),
    ):
        found = hermite(text, 0).second_moment
        assert found.evidence is Evidence.PROVED and abs(found.value - mean(function)) <= found.error + 1e-12


def test_second_moments_in_closed_form_of_many_coordinates():
    many = "+".join(f"relu(z{j})" for j in range(1, 31))
    found = hermite(many, 0)
    assert sympy.simplify(found.second_moment.exact - (15 + sympy.Rational(30 * 29, 2) / sympy.pi)) == 0
    assert sympy.simplify(found.mean.exact - 30 / sympy.sqrt(2 * sympy.pi)) == 0
    product = hermite("abs(z1)*(1+z2**2)*erf(z3)*cos(z4)*z5**2", 0)
    truth = 6 * sympy.Rational(3) * (1 + sympy.exp(-2)) / 2
    assert product.second_moment.value == pytest.approx(
        float(truth) * mean(lambda z: (2 * norm.cdf(z * np.sqrt(2)) - 1) ** 2), rel=1e-12
    )


@pytest.mark.parametrize("count", [7, 20])
def test_moments_of_the_largest_of_many(count):
    names = ",".join(f"z{j}" for j in range(1, count + 1))
    found = hermite(f"3*max({names})", 0)
    for quantity, power in ((found.mean, 1), (found.second_moment, 2)):
        truth = mean(lambda z, p=power: count * (3 * z) ** p * norm.cdf(z) ** (count - 1))
        assert quantity.evidence is Evidence.PROVED
        assert quantity.value == pytest.approx(truth, rel=1e-10)


def test_coefficients_of_a_product_are_products():
    z = sympy.symbols("z1:4", real=True)
    f = sympy.sign(z[0] * z[1]) * z[2] ** 2
    found = exact_coefficients(f, z, 4, wanted=[(1, 1, 0), (1, 1, 2), (2, 1, 0), (0, 0, 2)])
    assert found == {(1, 1, 0): 2 / sympy.pi, (1, 1, 2): 4 / sympy.pi, (2, 1, 0): 0, (0, 0, 2): 0}


def test_rational_bases_are_reduced_row_echelon_forms():
    rng = np.random.default_rng(5)
    for _ in range(20):
        rows = rng.integers(-3, 4, size=(5, 4)) @ rng.integers(-2, 3, size=(4, 7))
        exact = [tuple(sympy.Rational(int(x), 6) for x in row) for row in rows]
        span, decided = extended(Numbers(), Span(width=7), exact)
        form, pivots = sympy.Matrix(exact).rref()
        assert decided
        assert span.pivots == pivots
        assert [list(row) for row in span.rows] == form[: len(pivots), :].tolist()
