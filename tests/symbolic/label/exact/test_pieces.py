"""Zeros, monotone pieces and preimages of functions of one variable."""

from __future__ import annotations

import itertools

import mpmath
import pytest
import sympy
from sympy import Integer, Rational, exp, log, sqrt

from hermite_analytics import Target, UndefinedQuantity, UnsupportedExpression
from hermite_analytics.gaussian.order import between, compare, sign_of
from hermite_analytics.label.exact.pieces import monotone_pieces
from hermite_analytics.label.exact.preimages import preimage
from hermite_analytics.label.exact.zeros import real_zeros
from hermite_analytics.symbols import variable

z = variable(1)

FUNCTIONS = [
    "z1**2",
    "He3(z1)",
    "He4(z1)",
    "He6(z1)",
    "z1**5 + z1**4 - 3*z1 + 1",
    "relu(z1) - z1/2",
    "max(z1, 1 - z1, 0)",
    "abs(abs(z1) - 1)",
    "leaky_relu(z1**2 - 1, 1/3)",
    "tanh(z1)",
    "erf(z1)",
    "tanh(z1**3 - 3*z1)",
    "exp(z1) + exp(-z1)",
    "cosh(z1) - 2*z1",
    "z1**2*exp(-z1**2)",
    "abs(z1)*exp(-z1**2/2)",
    "sigmoid(z1)**2",
]


def value(expr, x):
    return float(sympy.N(expr.subs(z, x), 30))


def exceeds(a, b):
    """The sign of a - b at 60 digits."""
    return sympy.sign(sympy.N(a - b, 60))


def reach(piece):
    """The piece, or a part of length 2 of an infinite one."""
    ends = [float(x) for x in (piece.low, piece.high)]
    if piece.low.is_infinite:
        ends[0] = min(ends[1], 1) - 2
    return ends[0], ends[0] + 2 if piece.high.is_infinite else ends[1]


@pytest.mark.cases(8)
@pytest.mark.parametrize("text", FUNCTIONS)
def test_pieces_fill_the_line_and_are_monotone(text):
    f = Target(text).expression
    pieces = monotone_pieces(f, z)
    assert pieces[0].low == -sympy.oo and pieces[-1].high == sympy.oo
    assert all(a.high == b.low for a, b in itertools.pairwise(pieces))
    for piece in pieces:
        low, high = reach(piece)
        points = [Rational(low + (high - low) * j / 7).limit_denominator(10**6) for j in range(1, 7)]
        values = [value(f, x) for x in points]
        assert values == pytest.approx([value(piece.formula, x) for x in points], rel=1e-12, abs=1e-14)
        steps = [exceeds(f.subs(z, b), f.subs(z, a)) for a, b in itertools.pairwise(points)]
        assert steps == [piece.slope] * 5


@pytest.mark.cases(7)
@pytest.mark.parametrize("text", FUNCTIONS)
def test_preimages_are_all_solutions_and_carry_their_weights(text):
    f = Target(text).expression
    at = Rational(7, 11)
    label = sympy.nsimplify(Rational(value(f, at)).limit_denominator(1000))
    found = [preimage(piece, label, z) for piece in monotone_pieces(f, z)]
    points = [p for p in found if p is not None]
    near = [p for p, _ in points if abs(p.value - float(at)) < 0.05]
    assert len(near) == 1
    for point, weight in points:
        with mpmath.workdps(30):
            slope = abs(mpmath.mpf(sympy.N(f.diff(z).subs(z, sympy.Float(point.value, 30)), 30)))
            expected = mpmath.npdf(point.value) / slope
        assert value(f, Rational(point.value)) == pytest.approx(float(label), rel=1e-12, abs=1e-13)
        assert weight.value == pytest.approx(float(expected), rel=1e-11)
        assert weight.error < 1e-14


def test_points_are_exact_where_the_zeros_are():
    pieces = monotone_pieces(z**4 - 5 * z**2 + 2, z)
    assert [str(preimage(p, Integer(-2), z)[0]) for p in pieces] == ["-2", "-1", "1", "2"]
    assert preimage(monotone_pieces(sympy.erf(z), z)[0], Rational(1, 3), z)[0].exact is None


def test_no_preimage_outside_the_range_of_a_piece():
    [piece] = monotone_pieces(sympy.tanh(z), z)
    assert preimage(piece, Integer(1), z) is None
    assert preimage(piece, Rational(3, 2), z) is None


def test_a_critical_value_has_no_density():
    low = monotone_pieces(z**2, z)[0]
    with pytest.raises(UndefinedQuantity, match="the label 0 is the value at a critical point or a kink"):
        preimage(low, Integer(0), z)


def test_zeros_by_each_rule():
    assert real_zeros(z**5 - z, z) == [-1, 0, 1]
    assert real_zeros(z**3 - 2 * log(2), z) == [2 ** Rational(1, 3) * log(2) ** Rational(1, 3)]
    assert real_zeros(exp(2 * z) - 3 * exp(z) + 2, z) == [0, log(2)]
    assert real_zeros(sympy.tanh(z**2 - 1) * (z - 3), z) == [-1, 1, 3]
    assert real_zeros(sympy.Abs(z - 1) - 2, z) == [-1, 3]
    assert real_zeros(exp(-(z**2)) + 1, z) == []


@pytest.mark.parametrize("text", ["cos(z1)", "z1 + exp(z1)", "z1 - z1"])
def test_zeros_that_are_not_found_are_refused(text):
    with pytest.raises(UnsupportedExpression):
        real_zeros(Target(text).expression, z)


def test_order_is_proved():
    assert sign_of(sqrt(2) + sqrt(3) - sqrt(5 + 2 * sqrt(6))) == 0
    assert compare(-sympy.oo, Integer(3)) == -1 and compare(log(3), log(2)) == 1
    assert between(sqrt(2), sympy.oo) > 1
    assert compare(sqrt(2), between(sqrt(2), Rational(1415, 1000))) == -1
