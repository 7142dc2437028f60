"""Reasons read back: nothing is lost, and formulas are set."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermite_analytics.analysis.reasons import expression_math, read_reason, rows_math
from hermite_analytics.argument.sentences import Math, as_latex, as_text
from tests.symbolic.analysis.latex_text import faults

MINUS = r"$c_{(4)} = - \frac{4 \sqrt{3}}{27}$"
PIECES = st.sampled_from(
    [
        *("c_(1, 0) = ", "sqrt(2)/3", "f(-z1)", " = ", "-f(z1)", "E[", "]", "C_3"),
        *("; ", "(", ")", "z1", " ± ", "x", "_", "1{Y=y}"),
    ]
)


@pytest.mark.parametrize(
    ("reason", "latex"),
    [
        (
            "C_1 to C_3 vanish; c_(4) = -4*sqrt(3)/27",
            r"$C_{1}$ to $C_{3}$ vanish; " + MINUS,
        ),
        ("f(-z1, z2) = -f(z1, z2)", r"$f(- z_{1}, z_{2}) = -f(z_{1}, z_{2})$"),
        ("C_1 = 0: by f(-z1)", r"$C_{1} = 0$: by $f(- z_{1})$"),
        ("c_(1) = 0.605 ± 1e-17", r"$c_{(1)} = 0.605 \pm 1 \cdot 10^{-17}$"),
        ("E[He_3 T(y)] != 0 with", r"$\mathbb{E}[\mathrm{He}_{3} T(y)] \neq 0$ with"),
        ("learned: (1, -1/2)", r"learned: $(1, - \frac{1}{2})$"),
        ("(the label)", "(the label)"),
    ],
)
def test_reason(reason, latex):
    assert as_latex(read_reason(reason)) == latex
    assert as_text(read_reason(reason)) == reason


@given(st.lists(PIECES, max_size=8).map("".join))
def test_nothing_is_lost_and_latex_is_sound(reason):
    assert as_text(read_reason(reason)) == reason
    assert [
        f for f in faults(as_latex(read_reason(reason))) if "unknown commands" in f or "balance" in f
    ] == []


def test_rows():
    assert rows_math((("1", "0"), ("0", "sqrt(2)"))) == Math(
        "span{(1, 0), (0, sqrt(2))}", r"\operatorname{span}\{(1, 0),\; (0, \sqrt{2})\}"
    )
    assert rows_math(()) == Math("{0}", r"\{0\}")


def test_an_expression_that_is_none():
    assert expression_math("E[z1*tanh(2*z1)]").latex == r"E[z_{1}\,\operatorname{tanh}(2\,z_{1})]"
