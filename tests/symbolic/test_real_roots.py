"""Real zeros, also large and tiny ones and clusters of them."""

from __future__ import annotations

import itertools

import pytest
import sympy
from sympy import CRootOf, Poly

from hermite_analytics.errors import UnsupportedExpression
from hermite_analytics.gaussian.enclosure import ball_of
from hermite_analytics.label.exact.zeros import real_zeros
from hermite_analytics.language.real_roots import real_roots

z = sympy.Symbol("z", real=True)


def test_moderate_zeros_are_those_of_sympy() -> None:
    for poly in (Poly(z**5 - z - 1, z), Poly(z**2 - 2, z), Poly(3 * z**4 - 20 * z + 1, z), Poly(z**4 + 1, z)):
        assert real_roots(poly) == poly.real_roots()
    assert real_roots(Poly(3 * z - 1, z)) == [sympy.Rational(1, 3)]


@pytest.mark.cases(3)
@pytest.mark.parametrize("size", [10**3, 10**30, 10**300, sympy.Rational(1, 10**300)])
def test_a_cluster_is_moved_to_where_it_is_easy(size: sympy.Rational) -> None:
    plain = Poly(z**5 - 4 * z + 1, z).real_roots()
    cluster = Poly(((size + 1) * z - 7) ** 5 - 4 * ((size + 1) * z - 7) + 1, z)
    found = real_roots(cluster)
    assert len(found) == len(plain) == 3
    for one, other in zip(found, plain, strict=True):
        assert abs(ball_of((size + 1) * one - 7 - other, 2200)) < 1e-25


def test_eight_zeros_close_to_one_another() -> None:
    text = sympy.hermite_prob(8, (10**100 + 1) * z + 1)
    found = real_zeros(sympy.expand(text), z)
    assert len(found) == 8
    assert all(ball_of(b - a, 800) > 0 for a, b in itertools.pairwise(found))
    assert all(one.has(CRootOf) for one in found)


def test_zeros_of_very_different_sizes_are_refused() -> None:
    tiny = sympy.expand(sympy.prod((10**300 * z - k) for k in range(1, 7)) * (z + 1) + z**3)
    with pytest.raises(UnsupportedExpression, match="a polynomial of degree 7 are too close together"):
        real_roots(Poly(tiny, z))
