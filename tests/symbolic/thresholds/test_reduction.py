"""Equivalent labels: what is known is taken off, invertible maps are dropped."""

from __future__ import annotations

import pytest
import sympy
from sympy import Integer

from hermite_analytics import Target
from hermite_analytics.enclosure import Budget
from hermite_analytics.thresholds.exact import by_injectivity, radial_form, trend
from hermite_analytics.thresholds.problem import Problem, orthonormal_problem
from hermite_analytics.thresholds.reduction import is_nonnegative, reduced, split_signs
from hermite_analytics.thresholds.stage import threshold_of

x, w1, w2, w3 = sympy.symbols("x1 w1 w2 w3", real=True)


def problem(text, *learned, relevant=()):
    target = Target(text)
    rows = [tuple(Integer(a) for a in row) for row in learned]
    kept = [tuple(Integer(a) for a in row) for row in relevant]
    return orthonormal_problem(target.expression, target.dimension, rows, kept)


@pytest.mark.parametrize(
    ("text", "learned", "signal"),
    [
        ("z1**2+sign(z1*z2*z3)", [(1, 0, 0)], "sign(w1)*sign(w2)"),
        ("sin(z1)+sin(z2)", [(1, 1)], "cos(sqrt(2)*w1/2)"),
        ("exp(z1)*cos(z2)", [(1, 0)], "cos(w1)"),
        ("z1+(z1**2-1)*z2*z3", [(1, 0, 0)], "w1*w2"),
        ("z1+z2+z1**2+z2**2-2", [(1, 1)], "Abs(w1)"),
        ("exp(tanh(z1)**3)", [], "w1"),
        ("(z1**2+z2**2)**2", [], "w1**2 + w2**2"),
        ("cosh(3*z1)", [], "Abs(w1)"),
        ("z1*xi", [(1,)], "xi"),
    ],
)
def test_reduced_labels(text, learned, signal):
    assert str(reduced(problem(text, *learned)).signal) == signal


def test_a_factor_that_vanishes_on_half_of_the_space():
    found = reduced(problem("relu(z1)*z2**2", (1, 0)))
    assert found.informative == sympy.Rational(1, 2)
    assert by_injectivity(found).diluted(found.informative).alpha.exact == 1
    assert reduced(problem("(relu(z1)+1)*z2**2", (1, 0))).informative == 1


def test_a_sum_that_may_vanish_is_not_divided_out():
    """relu(x) - x is |x| for x < 0 and 0 else: the share is not seen, so nothing is divided."""
    found = reduced(problem("(relu(z1)-z1)*z2**2", (1, 0)))
    assert found.signal.has(x)


def test_additive_noise_is_not_rescaled():
    found = reduced(problem("z1*z2**2 + 3*xi + z1", (1, 0)))
    assert found.noise == 3
    assert found.signal.has(x)


def test_signs_of_products():
    assert str(split_signs(sympy.sign(-2 * w1 * w2**2))) == "-sign(w1)"
    assert split_signs(sympy.Abs(w1**3 * w2)) == sympy.Abs(w1) ** 3 * sympy.Abs(w2)
    assert split_signs(sympy.sign(w1) ** 3 * sympy.sign(sympy.tanh(w2))) == sympy.sign(w1) * sympy.sign(w2)
    assert is_nonnegative(w1**2 + sympy.exp(w2)) and not is_nonnegative(w1)


def test_only_the_relevant_subspace_is_kept():
    found = problem("max(z1,z2)-z3", (1, 1, -2), relevant=[(1, 0, -1), (0, 1, -1)])
    assert len(found.unknown) == 1
    assert len(problem("max(z1,z2)-z3", (1, 1, -2)).unknown) == 2
    # a wrong claim is not believed
    assert len(problem("z1*z2*z3", relevant=[(1, 0, 0)]).unknown) == 3


def test_orthogonal_forms_become_axes():
    assert str(problem("abs(z1+z2)+abs(z1-z2)").signal) == "sqrt(2)*Abs(w1) + sqrt(2)*Abs(w2)"


def test_trends():
    assert trend(sympy.cosh(w1) + x**2 * w1**4, w1) == 1
    assert trend(1 / (1 + w1**2), w1) == -1
    assert trend(w1**2 - abs(w1), w1) == 0
    assert trend(w1, w1) == 0
    assert trend(x * w1**2, w1) == 0  # the sign of x is not known


def test_radial_labels():
    signal, radius = radial_form(Problem(signal=sympy.cos(w1**2 + w2**2), unknown=(w1, w2), known=()))
    assert signal == sympy.cos(radius**2)
    assert radial_form(Problem(signal=w1**2 + 2 * w2**2, unknown=(w1, w2), known=())) is None


def test_nothing_left_to_learn():
    found = threshold_of(Problem(signal=x, unknown=(), known=(x,)), Budget(seconds=1))
    assert found.alpha.value == float("inf")
