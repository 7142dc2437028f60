"""Equivalent labels: what is known is taken off, invertible maps are dropped."""

from __future__ import annotations

import pytest
import sympy
from sympy import Integer

from hermite_analytics import Target, weak_recovery
from hermite_analytics.label.exact.signs import is_nonnegative, split_signs
from hermite_analytics.label.reduction.equivalent import reduced
from hermite_analytics.label.reduction.problem import Problem, orthonormal_problem
from hermite_analytics.label.thresholds.exact import by_injectivity, radial_form, trend
from hermite_analytics.label.thresholds.methods import threshold_of
from hermite_analytics.language import functions as own
from hermite_analytics.language.functions import Phi, step

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
        ("2*log(abs(z1))+log(z2**2+1)-3", [], "w1**2*(w2**2 + 1)"),
        ("log(abs(z1))-log(z2**2+1)", [], "-log(w1**2 + 1) + log(Abs(w2))"),  # no quotients
        ("log(abs(z1))+log(z2**2+1)+xi", [], "xi + log(w1**2 + 1) + log(Abs(w2))"),  # noise stays added
    ],
)
def test_reduced_labels(text, learned, signal):
    assert str(reduced(problem(text, *learned)).signal) == signal


def test_a_factor_that_vanishes_on_half_of_the_space():
    found = reduced(problem("relu(z1)*z2**2", (1, 0)))
    assert found.informative == sympy.Rational(1, 2)
    assert by_injectivity(found).diluted(found.informative).alpha.exact == 1
    assert reduced(problem("(relu(z1)+1)*z2**2", (1, 0))).informative == 1


def test_a_sum_that_vanishes_on_half_of_the_space():
    """relu(x) - x is |x| for x < 0 and 0 else."""
    found = reduced(problem("(relu(z1)-z1)*z2**2", (1, 0)))
    assert found.informative == sympy.Rational(1, 2) and str(found.signal) == "Abs(w1)"


@pytest.mark.parametrize(
    ("gate", "open_with"),
    [
        ("(1+sign(z1))**2", sympy.Rational(1, 2)),
        ("sign(relu(z1))", sympy.Rational(1, 2)),
        ("sign(relu(z1-1))**2", Phi(-1)),
        ("abs(sign(z1) - sign(z1-1))", sympy.erf(sympy.sqrt(2) / 2) / 2),
        ("sign(relu(z1) + relu(-z1-1))", sympy.Rational(3, 2) - Phi(1)),
    ],
)
def test_gates_that_shut(gate, open_with):
    found = reduced(problem(f"{gate}*z2**2", (1, 0)))
    assert abs(sympy.N(found.informative - open_with, 30)) < 1e-25
    assert str(found.signal) == "Abs(w1)"


def test_a_gate_on_which_the_rest_depends_is_kept():
    """step(x) (x w1^2 + w2^2): where the gate is open x > 0, and so it is not averaged out."""
    found = reduced(problem("step(z1)*(z1*z2**2 + z3**2)", (1, 0, 0)))
    assert found.informative == 1 and found.signal.has(step)


@pytest.mark.parametrize(
    "text",
    [
        "(sqrt(3+2*sqrt(2))-1-sqrt(2))*z1**2",
        "z1**2*(sqrt(3+2*sqrt(2))-1-sqrt(2))*step(xi)",
        "(cosh(1)**2-sinh(1)**2-1)*z1**2",
    ],
)
def test_a_number_that_is_0_in_disguise_is_not_divided_out(text):
    assert str(reduced(problem(text)).signal) != "Abs(w1)"
    assert weak_recovery(text).alpha_c.value == float("inf")


@pytest.mark.parametrize(
    ("text", "signal"),
    [
        ("sign(z2**2)*z1**2", "Abs(w1)"),
        ("sign((z1-z2)**2)*(z1+z2)**2", "Abs(w1)"),
        ("step(z2**2)*z1**2 + xi", "w1**2 + xi"),
    ],
)
def test_a_coordinate_without_influence_is_not_0(text, signal):
    """f(Pz) = f(z) almost everywhere, and not where the coordinate that P takes off is 0."""
    rows = {"sign((z1-z2)**2)*(z1+z2)**2": [(1, 1)]}.get(text, [(1, 0)])
    assert str(reduced(problem(text, relevant=rows)).signal) == signal


def test_a_sign_that_may_be_0_is_not_1():
    assert split_signs(sympy.sign(own.relu(w1)) ** 2 * sympy.sign(w2)) == step(w1) * sympy.sign(w2)
    assert split_signs(step(own.relu(w1) * w2)) == sympy.expand((step(w1) + step(w1) * sympy.sign(w2)) / 2)
    assert split_signs(sympy.Abs(sympy.sign(own.relu(w1) + own.relu(-w1 - 1)))) != 1


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
    found = threshold_of(Problem(signal=x, unknown=(), known=(x,)))
    assert found.alpha.value == float("inf")
