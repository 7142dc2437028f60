"""Moments in balls, ranks in balls, powers of polynomials, and the structure that certificates read off."""

from __future__ import annotations

import itertools
import math

import mpmath
import pytest
import sympy
from sympy import Integer, Rational, S

from hermite_analytics.evidence import Evidence, Quantity
from hermite_analytics.exponents.numbers import Numbers
from hermite_analytics.exponents.spans import Span
from hermite_analytics.label.orders.axis import AxisLaw
from hermite_analytics.label.orders.blocks import inner_functions, orthogonal_blocks, radial_blocks
from hermite_analytics.label.orders.boxes import SublevelMoments, typical_values
from hermite_analytics.label.orders.limits import Limits
from hermite_analytics.label.orders.polynomial_powers import polynomial_powers
from hermite_analytics.label.orders.rank import Rank
from hermite_analytics.language.parser import parse, target_names
from hermite_analytics.symbols import variable, xi

Z = tuple(variable(i + 1) for i in range(4))
UNITS = [(S.One, S.Zero, S.Zero), (S.Zero, S.One, S.Zero), (S.Zero, S.Zero, S.One)]


def read(text: str) -> sympy.Expr:
    return parse(text, target_names, accepted="z1, z2, ..., xi")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "width", "threshold", "index", "value"),
    [
        ("z1**2 + z2**2", 2, 1, (2, 0), -math.exp(-0.5) / 2),
        ("-z1*z2", 2, 0, (1, 1), 1 / math.pi),
        ("z1 + z2", 2, 0, (1, 0), -1 / (2 * math.sqrt(math.pi))),
        ("abs(z1)", 1, 1, (2,), -2 * math.exp(-0.5) / math.sqrt(2 * math.pi)),
        ("sign(z1*z2*z3)", 3, 0, (1, 1, 1), -((2 / math.pi) ** 1.5) / 2),
        ("z1 + z2**2 + z3**2 - z3**2", 3, 100, (1, 0, 0), 0.0),
    ],
)
def test_boxes_contain_closed_forms(text, width, threshold, index, value):
    found = SublevelMoments(read(text), Z[:width], (), Integer(threshold), sum(index))
    before = math.inf
    for boxes in (300, 5000):
        found.refine(boxes)
        ball = found.balls()[index]
        assert abs(float(ball.mid()) - value) <= float(ball.rad()) + 1e-12
        assert float(ball.rad()) <= before
        before = float(ball.rad())
    assert width == 3 or before < 0.3


def test_boxes_average_over_noise():
    found = SublevelMoments(read("z1 + xi"), Z[:1], (xi,), Integer(0), 1)
    found.refine(5000)
    ball = found.balls()[(1,)]
    assert ball < 0
    assert abs(float(ball.mid()) + 1 / (2 * math.sqrt(math.pi))) <= float(ball.rad())


def test_boxes_against_quadrature():
    found = SublevelMoments(read("tanh(z1) + sin(2*z1)"), Z[:1], (), Rational(1, 3), 3)
    found.refine(400)
    with mpmath.workdps(20):
        step = mpmath.mpf("0.05")
        x = mpmath.mpf(-8)
        zeros = []
        excess = lambda t: mpmath.tanh(t) + mpmath.sin(2 * t) - mpmath.mpf(1) / 3  # noqa: E731
        while x < 8:
            if excess(x) * excess(x + step) < 0:
                zeros.append(mpmath.findroot(excess, (x, x + step), solver="anderson"))
            x += step
        ends = [mpmath.mpf(-8), *zeros, mpmath.mpf(8)]
        density = lambda t: mpmath.exp(-t * t / 2) / mpmath.sqrt(2 * mpmath.pi)  # noqa: E731
        for k, he in ((1, lambda t: t), (2, lambda t: t**2 - 1), (3, lambda t: t**3 - 3 * t)):
            total = sum(
                mpmath.quad(lambda t, he=he: he(t) * density(t), [a, b])
                for a, b in itertools.pairwise(ends)
                if excess((a + b) / 2) < 0
            )
            ball = found.balls()[(k,)]
            assert abs(float(ball.mid()) - float(total)) <= float(ball.rad()) + 1e-12
            assert ball.rad() < 1e-3


def test_typical_values_are_in_the_range():
    assert all(-1 <= t <= 1 for t in typical_values(read("sin(z1*z2)"), Z[:2]))


def test_rank_in_balls():
    rank = Rank(Numbers(), UNITS[:1])
    rank.add([(sympy.pi, S.Zero, S.Zero)])
    assert rank.value == 1
    rank.add([(S.One, sympy.sqrt(2), S(2)), (S.One, S(2), 2 * sympy.sqrt(2)), (S.Zero, S.Zero, S.Zero)])
    assert rank.value == 2  # the two vectors are parallel modulo the first, which no ball denies


def test_rank_of_sharp_vectors_beside_wide_ones():
    numbers = Numbers()

    def ball(value: float, error: float) -> sympy.Expr:
        evidence = Evidence.PROVED
        return numbers.letter(
            Quantity(exact=None, value=value, error=error, evidence=evidence, zero=None, reason="a ball")
        )

    rank = Rank(numbers, [(S.Half, ball(0, float("inf"))), (ball(1, 0.01), ball(0, 2))])
    assert rank.value == 1
    rank.add([(ball(-0.345, 5e-4), ball(-0.173, 6e-4)), (ball(-0.238, 6e-4), ball(-0.149, 9e-4))])
    assert rank.value == 2
    parallel = Rank(numbers, [(ball(1, 1e-3), ball(2, 1e-3)), (ball(2, 1e-3), ball(4, 1e-3))])
    parallel.add([(ball(k, 1e-3), ball(2 * k, 1e-3)) for k in range(1, 40)])
    assert parallel.value == 1


@pytest.mark.parametrize("text", ["z1*(1 + z2)", "He3(z1) + z2/7", "z1**2 - z2*z1 + 3"])
def test_polynomial_powers_against_expansion(text):
    f = sympy.expand(read(text).doit())
    f = f.replace(lambda e: e.func.__name__ == "He", lambda e: sympy.hermite_prob(int(e.args[0]), e.args[1]))
    for p, tensor in polynomial_powers(read(text), Z[:2]):
        if p > 2:
            break
        for index in ((1, 0), (0, 1), (2, 0), (1, 1)):
            he = sympy.prod(sympy.hermite_prob(k, z) for k, z in zip(index, Z, strict=False))
            wanted = sympy.Integer(0)
            for (a, b), c in sympy.Poly(sympy.expand(he * f**p), *Z[:2]).terms():
                if a % 2 == 0 and b % 2 == 0:
                    wanted += c * sympy.factorial2(a - 1) * sympy.factorial2(b - 1)
            assert tensor(sum(index)).get(index, 0) == wanted


def test_no_powers_of_other_functions():
    assert polynomial_powers(read("sin(z1)"), Z[:1]) is None
    assert polynomial_powers(read("sqrt(2)*z1"), Z[:1]) is None


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("sign(z1*z2*z3) + z1", 3),  # z2, z3 and both together
        ("sign(z1**2 - 3*z2**2)*z3", 1),
        ("sign(max(z1, z2))*abs(z3)", 1),  # the pair of maximum, for the forms are z1 and z2
        ("abs(z1)*z2*z3", 0),
        ("sign(z1 + 1)*z2*z3", 0),
        ("sign(z1**2 + z2)*z3", 0),
    ],
)
def test_blocks_seen_through_their_direction(text, count):
    f = read(text)
    assert len(list(radial_blocks(f, Z[:3], orthogonal_blocks(f, Z[:3])))) == count


@pytest.mark.parametrize(
    ("text", "functions"),
    [
        ("z1**2*exp(-z1**2) + sign(z2)", ["z1**2*exp(-z1**2)"]),
        ("sign(z1*z2) + z2", ["sign(z1)"]),
        ("sign(relu(z1)**2*z2)", ["sign(relu(z1))**2"]),  # it may be 0 on an open set
        ("2*z1**2 - 3 + z1**2*z2", ["z1**2"]),
        ("z1 + z1**2*z2", ["z1", "z1**2"]),
        ("tanh(cos(z1) + z2)", ["cos(z1)"]),
    ],
)
def test_functions_through_which_a_direction_is_seen(text, functions):
    found = inner_functions(read(text), Z[:2], (S.One, S.Zero), Z[0])
    assert found == {read(g) for g in functions}


@pytest.mark.parametrize(
    ("text", "vanishing"),
    [
        ("sign(z1)", {2, 4}),
        ("z1**2*exp(-z1**2)", {1, 2, 3}),
        ("sign(z1*(z1**2 - 2*log(2)))", {1, 2, 4}),
        ("z1**2", {1, 3}),
        ("tanh(z1)", set()),
        ("z1**2*exp(-z1**2/2)", {1, 3}),
    ],
)
def test_orders_that_one_variable_hides(text, vanishing):
    law = AxisLaw(read(text))
    assert {k for k in range(1, 5) if law.vanishes(k) is not None} == vanishing


def test_limits_never_go_below_the_truth():
    f = read("abs(z1)*z2 + z3")
    limits = Limits(f, Z[:3], (), Numbers(), None)
    nothing = Span(width=3)
    assert limits.at(nothing, 1).span.text() == [["0", "1", "0"], ["0", "0", "1"]]
    learned = limits.at(nothing, 1).span
    assert limits.at(learned, 1).span == learned
    assert limits.at(learned, 2).span.dimension == 3
