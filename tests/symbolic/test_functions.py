"""The library's own sympy functions: values, derivatives, special cases, printing."""

from __future__ import annotations

import mpmath
import pytest
import sympy
from sympy import Rational, S, Symbol, oo, pi, sqrt

from hermite_analytics.language import functions as own

x, y = Symbol("x", real=True), Symbol("y", real=True)
POINTS = [Rational(-23, 10), Rational(-1, 3), Rational(2, 5), Rational(7, 4)]
ONE_ARGUMENT = [own.phi, own.Phi, own.relu, own.sigmoid, own.softplus, own.silu, own.gelu]


@pytest.mark.parametrize("function", ONE_ARGUMENT)
@pytest.mark.parametrize("point", POINTS)
def test_derivatives(function: type, point: Rational) -> None:
    exact = function(x).diff(x).subs(x, point)
    with mpmath.workdps(40):
        found = mpmath.diff(lambda t: function(x)._value(t), mpmath.mpf(point.p) / point.q)
        assert mpmath.almosteq(sympy.N(exact, 40)._to_mpmath(130), found, 1e-12, 1e-12)


def test_derivatives_in_several_arguments() -> None:
    h, a = Rational(3, 5), Rational(-7, 4)
    for argument, point in ((x, h), (y, a)):
        exact = own.OwenT(x, y).diff(argument).subs({x: h, y: a})
        other = {x: h, y: a}
        with mpmath.workdps(40):

            def along(t: mpmath.mpf, argument: Symbol = argument, other: dict = other) -> mpmath.mpf:
                values = [t if s == argument else mpmath.mpf(v.p) / v.q for s, v in other.items()]
                return own.OwenT(x, y)._value(*values)

            found = mpmath.diff(along, mpmath.mpf(point.p) / point.q)
            assert mpmath.almosteq(sympy.N(exact, 40)._to_mpmath(130), found, 1e-12)
    assert own.He(5, x).diff(x) == 5 * own.He(4, x)
    assert own.leaky_relu(x, Rational(1, 10)).diff(x).subs(x, 2) == 1
    assert own.leaky_relu(x, Rational(1, 10)).diff(x).subs(x, -2) == Rational(1, 10)


def test_derivatives_of_the_pair_distribution() -> None:
    h, k, rho = Rational(-4, 5), Rational(3, 10), Rational(3, 5)
    a, b, c = sympy.symbols("a b c", real=True)
    expr = own.Phi2(a, b, c)
    with mpmath.workdps(30):
        point = [mpmath.mpf(v.p) / v.q for v in (h, k, rho)]
        for j, symbol in enumerate((a, b, c)):
            exact = expr.diff(symbol).subs({a: h, b: k, c: rho})
            assert not exact.has(sympy.Derivative, sympy.Subs)

            def along(t: mpmath.mpf, j: int = j) -> mpmath.mpf:
                return expr._value(*(t if i == j else v for i, v in enumerate(point)))

            assert mpmath.almosteq(sympy.N(exact, 30)._to_mpmath(100), mpmath.diff(along, point[j]), 1e-10)


def test_special_values() -> None:
    assert own.Phi(0) == Rational(1, 2)
    assert (own.Phi(oo), own.Phi(-oo)) == (1, 0)
    assert own.phi(0) == 1 / sqrt(2 * pi)
    assert own.phi(-x) == own.phi(x)
    assert own.OwenT(-x, y) == own.OwenT(x, y)
    assert own.OwenT(x, -y) == -own.OwenT(x, y)
    assert own.OwenT(0, 1) == Rational(1, 8)
    assert own.OwenT(x, 0) == 0
    assert own.OwenT(x, oo) == own.Phi(-sympy.Abs(x)) / 2
    assert own.Phi2(x, y, 0) == own.Phi(x) * own.Phi(y)
    assert own.Phi2(0, 0, Rational(1, 2)) == Rational(1, 3)
    assert own.step(0) == 0
    assert own.step(S.Half) == 1
    assert own.sigmoid(0) == Rational(1, 2)
    assert own.He(0, x) == 1
    assert own.He(1, x) == x
    assert own.He(4, 2) == 16 - 24 + 3


@pytest.mark.parametrize("degree", [2, 5, 11, 60])
def test_hermite_polynomials(degree: int) -> None:
    t = Rational(7, 5)
    orthogonal = sympy.hermite(degree, t / sqrt(2)) / 2 ** Rational(degree, 2)
    assert sympy.simplify(own.hermite_polynomial(degree, x).subs(x, t) - orthogonal) == 0
    with mpmath.workdps(30):
        value = own.He(degree, x)._value(mpmath.mpf(degree), mpmath.mpf(7) / 5)
        assert mpmath.almosteq(value, sympy.N(orthogonal, 30)._to_mpmath(100), 1e-25)


def owen(h: mpmath.mpf, a: mpmath.mpf) -> mpmath.mpf:
    pieces = mpmath.linspace(0, a, 9) if abs(a) <= 8 else [0, 1, 2, 4, 8, *mpmath.linspace(16, abs(a), 9)]
    total = mpmath.quad(lambda t: mpmath.exp(-h * h * (1 + t * t) / 2) / (1 + t * t), pieces) / (
        2 * mpmath.pi
    )
    return total if abs(a) <= 8 else mpmath.sign(a) * total


@pytest.mark.cases(7)
@pytest.mark.parametrize("h", ["0.01", "-0.7", "1.9", "5"])
@pytest.mark.parametrize("a", ["0.3", "1.7", "-12", "1000"])
def test_owen(h: str, a: str) -> None:
    with mpmath.workdps(40):
        expected = owen(mpmath.mpf(h), mpmath.mpf(a))
        found = sympy.N(own.OwenT(Rational(h), Rational(a)), 25)._to_mpmath(100)
        assert mpmath.almosteq(found, expected, 1e-23)


@pytest.mark.cases(2)
@pytest.mark.parametrize("rho", ["-0.999", "-0.4", "0.3", "0.95", "0.99999"])
def test_pair_distribution_by_conditioning(rho: str) -> None:
    h, k = Rational(-3, 10), Rational(9, 10)
    with mpmath.workdps(40):
        r, a, b = mpmath.mpf(rho), mpmath.mpf(-3) / 10, mpmath.mpf(9) / 10
        root = mpmath.sqrt(1 - r * r)
        cliff = b / r
        edges = sorted(
            {e for e in (-12, -6, -3, -1, cliff - 8 * root, cliff, cliff + 8 * root) if -12 <= e < a}
        )
        expected = mpmath.quad(lambda t: mpmath.npdf(t) * mpmath.ncdf((b - r * t) / root), [*edges, a])
        found = sympy.N(own.Phi2(h, k, Rational(rho)), 25)._to_mpmath(100)
        assert mpmath.almosteq(found, expected, 1e-20)


@pytest.mark.parametrize(("rho", "value"), [(1, "Phi(-3/10)"), (-1, "Phi(9/10) + Phi(-3/10) - 1")])
def test_degenerate_pairs(rho: int, value: str) -> None:
    exact = own.Phi2(Rational(-3, 10), Rational(9, 10), rho).evalf(20)
    expected = {1: own.Phi(Rational(-3, 10)), -1: own.Phi(Rational(9, 10)) + own.Phi(Rational(-3, 10)) - 1}[
        rho
    ]
    assert abs(exact - expected.evalf(20)) < 1e-18


def test_latex() -> None:
    assert sympy.latex(own.He(3, x)) == r"\operatorname{He}_{3}\left(x\right)"
    assert sympy.latex(own.Phi(x) ** 2) == r"\Phi^{2}\left(x\right)"
    assert sympy.latex(own.phi(x)) == r"\varphi\left(x\right)"
    assert sympy.latex(own.leaky_relu(x, y) ** 2) == r"\operatorname{leakyrelu}^{2}\left(x, y\right)"
    assert sympy.latex(own.OwenT(x, y)) == r"T\left(x, y\right)"
    assert sympy.latex(own.Phi2(x, y, S.Half)) == r"\Phi_2\left(x, y; \frac{1}{2}\right)"
