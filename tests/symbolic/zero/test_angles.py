"""Relations among angles of rational squared sine."""

from __future__ import annotations

import itertools
from fractions import Fraction

import mpmath
import pytest

from hermite_analytics.gaussian.zero.angles import angle_relations, split_valuations
from hermite_analytics.gaussian.zero.monomials import Monomial, rational_value, thaw


def angle(square: Fraction) -> mpmath.mpf:
    return mpmath.asin(mpmath.sqrt(mpmath.mpf(square.numerator) / square.denominator))


@pytest.mark.parametrize(
    ("square", "turns"), [(Fraction(1, 4), 6), (Fraction(1, 2), 4), (Fraction(3, 4), 3), (Fraction(1), 2)]
)
def test_rational_multiples_of_pi_have_no_valuations(square, turns):
    if square < 1:
        assert split_valuations(square)[1] == {}
    assert mpmath.almosteq(angle(square), mpmath.pi / turns)


def test_relations_hold_to_forty_digits():
    squares = {
        Fraction(a, b) for b in range(2, 14) for a in range(1, b) if split_valuations(Fraction(a, b))[1]
    }
    relations = angle_relations(squares)
    assert len(relations) > 20
    with mpmath.workdps(40):
        for square, form in relations.items():
            total = mpmath.mpf(0)
            for monomial, c in form.items():
                weight = mpmath.mpf(c.numerator) / c.denominator
                if monomial == Monomial(pi=Fraction(1)):
                    total += weight * mpmath.pi
                else:
                    (((_, (inner,)), _),) = monomial.generators
                    other = rational_value(thaw(inner))
                    assert other not in relations
                    total += weight * angle(other)
            assert abs(total - angle(square)) < mpmath.mpf(10) ** -37


def test_independent_angles_have_no_small_relation():
    """What is called independent is: integer relation search with 60 digits finds nothing small."""
    squares = [Fraction(1, 3), Fraction(1, 5), Fraction(1, 6), Fraction(1, 7), Fraction(1, 9)]
    relations = angle_relations(squares)
    kept = [q for q in squares if q not in relations]
    with mpmath.workdps(60):
        for pair in itertools.combinations(kept, 2):
            assert mpmath.pslq([mpmath.pi, *(angle(q) for q in pair)], maxcoeff=1000, maxsteps=10000) is None
