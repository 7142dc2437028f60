"""Cutting functions with kinks into pieces of one step each."""

from __future__ import annotations

import pytest
import sympy
from hypothesis import example, given, settings
from hypothesis import strategies as st
from sympy import Rational, sqrt

from hermite_analytics import Activation
from hermite_analytics.gaussian.cells import cut_at_kinks
from hermite_analytics.language import functions as own
from hermite_analytics.symbols import c, kappa, r, z

CUT = [
    *("min(max(z, -1), 1)", "abs(abs(z) - 1)", "max(z, 2*z, -z)", "max(z, 1, z**2)", "abs(z**2 - 2)"),
    *("sign(z**3 - z)", "exp(-abs(z))", "erf(relu(z) - step(z - 2))", "relu(z**2 - 2)*leaky_relu(z, 1/10)"),
    *("exp(abs(z - 1) - abs(z + 1))", "sin(max(z, 0))", "step(relu(z) - 1)", "abs(sign(z) - z)"),
]


@pytest.mark.cases(2)
@pytest.mark.parametrize("text", CUT)
def test_the_pieces_add_up(text: str) -> None:
    expr = Activation(text).expression
    cut = cut_at_kinks(expr, z)
    assert cut is not None
    for node in cut.atoms(own.step):
        assert not node.args[0].diff(z).has(z)
    assert not cut.has(sympy.Abs, sympy.Max, sympy.Min, sympy.sign, own.relu, own.leaky_relu)
    for j in range(-30, 31):
        point = Rational(j, 7) + Rational(1, 1000)
        assert abs((cut - expr).subs(z, point).evalf(20, maxn=60)) < 1e-18


def test_breakpoints_move_with_the_form() -> None:
    x = r * kappa + sqrt(c) * z
    cut = cut_at_kinks(Activation("min(max(z, -1), 1)").expression.subs(z, x), z)
    assert cut is not None
    assert {n.args[0] for n in cut.atoms(own.step)} == {x - 1, x + 1}


@pytest.mark.parametrize("text", ["tanh(z)", "sign(sin(z))", "abs(z**5 - z - 1)", "max(tanh(z), 1/2)"])
def test_not_cut(text: str) -> None:
    assert cut_at_kinks(Activation(text).expression, z) is None


def test_kinks_of_two_forms_are_not_cut() -> None:
    assert cut_at_kinks(sympy.Max(sympy.Abs(z + kappa), sympy.Abs(z - r)), z) is None


_linear = st.tuples(st.integers(-3, 3), st.integers(-3, 3)).map(lambda p: p[0] * z + p[1])


def _grown(inner: st.SearchStrategy[sympy.Expr]) -> st.SearchStrategy[sympy.Expr]:
    two = st.tuples(inner, inner)
    return (
        inner.map(sympy.Abs)
        | inner.map(own.relu)
        | two.map(lambda p: sympy.Max(*p))
        | two.map(lambda p: sympy.Min(*p))
        | two.map(lambda p: p[0] - 2 * p[1])
    )


@pytest.mark.slow
@example(sympy.Max(1, sympy.Abs(sympy.Max(z, 2 * z))))
@given(st.recursive(_linear, _grown, max_leaves=6))
@settings(max_examples=60, deadline=None)
def test_random_piecewise_linear_functions(expr: sympy.Expr) -> None:
    cut = cut_at_kinks(expr, z)
    if cut is None:  # no kink left
        assert not any(n.has(z) for n in expr.atoms(sympy.Abs, sympy.Max, sympy.Min, own.relu))
        return
    for j in range(-9, 10):
        point = Rational(j, 2) + Rational(1, 97)
        assert (cut - expr).subs(z, point) == 0
