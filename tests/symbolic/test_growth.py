"""Which moments of an activation are finite: True and False are proofs, None is "not decided"."""

from __future__ import annotations

import pytest

from hermite_analytics import Activation, Target, UndefinedQuantity, conditional_coefficients
from hermite_analytics.gaussian.integrability import moment_is_finite
from hermite_analytics.language.parser import parse
from hermite_analytics.symbols import z

MOMENTS = {
    # text: (E|f| finite, E f^2 finite)
    "z**7": (True, True),
    "He(30, z)": (True, True),
    "relu(z) - 0.4": (True, True),
    "tanh(z)*exp(z)": (True, True),
    "exp(z**2/5)": (True, True),
    "exp(z**2/4)": (True, False),
    "exp(z**2/3)": (True, False),
    "z*exp(z**2/4 + 3*z)": (True, False),
    "exp(z**2/2)": (False, False),
    "exp(z**2/2 - z)": (False, False),
    "exp(z**2)": (False, False),
    "z + exp(z**2)": (False, False),
    "exp(z**3)": (False, False),
    "exp(-z**3)": (False, False),
    "exp(-z**4)": (True, True),
    "exp(-z**2)": (True, True),
    "cosh(z**2/3)": (True, False),
    "sinh(z**2)": (False, False),
    "cosh(3*z)": (True, True),
    "exp(exp(z))": (False, False),
    "exp(cosh(z))": (False, False),
    "exp(-exp(z))": (True, True),
    "exp(-relu(z)**2)": (True, True),
    "exp(abs(z))": (True, True),
    "exp(tanh(z)*3 + z)": (True, True),
    "exp(z**2/5 - 3*abs(z))": (True, True),
    "exp(z**2/4)*exp(-z**2/4)*sin(z)": (True, True),
    "exp(z**2/2)*phi(z)": (True, True),
    "exp(z**2) - exp(z**2) + z": (True, True),
    "He(3, exp(z**2/20))": (True, True),
    "He(3, exp(z**2/10))": (True, False),
    "max(z, exp(z**2/5))": (True, True),
    "1/(1 + z**2)": (True, True),
    "1/cosh(z)": (True, True),
    "1/(2 + sin(z))": (True, True),
    "sqrt(1 + z**2)": (True, True),
    "log(1 + z**2)": (True, True),
    "log(cosh(z))": (True, True),
    "sqrt(exp(z**2/2))": (True, False),
    "exp(z**2/2)/(1 + z**2)": (True, False),
}


@pytest.mark.parametrize("text", MOMENTS)
def test_moments(text: str) -> None:
    expr = parse(text, lambda name: z if name == "z" else None, accepted="z")
    assert (moment_is_finite(expr, z, 1), moment_is_finite(expr, z, 2)) == MOMENTS[text]


@pytest.mark.parametrize("text", ["exp(z**2*sin(z))", "exp(z**2) - exp(z**2 + sin(z))"])
def test_what_is_not_decided_is_said_to_be_open(text: str) -> None:
    expr = parse(text, lambda name: z if name == "z" else None, accepted="z")
    assert moment_is_finite(expr, z, 1) is None
    with pytest.raises(UndefinedQuantity, match=r"E\|sigma\(z\)\| cannot be shown to be finite"):
        Activation(text)


def test_targets_and_activations_without_a_mean_are_refused() -> None:
    with pytest.raises(
        UndefinedQuantity, match=r"the activation exp\(z\*\*2\) has no mean: E\|sigma\(z\)\| is inf"
    ):
        Activation("exp(z**2)")
    for text in ("exp(z**2)", "exp(z3**2)", "exp(z**2) + xi/2"):
        with pytest.raises(UndefinedQuantity, match=r"has no mean: E\|f\| is infinite"):
            Target(text)


def test_an_infinite_second_moment_is_refused_where_it_is_needed() -> None:
    activation = Activation("exp(z**2/4)")
    with pytest.raises(UndefinedQuantity, match=r"E sigma\(z\)\^2 is infinite for z ~ N\(0, 1\)"):
        conditional_coefficients(activation)
    target = Target("exp(z1**2/4)")
    with pytest.raises(UndefinedQuantity, match=r"no second moment: E f\^2 is infinite"):
        target.single_index()


def test_messages_hold_one_line_of_a_long_text() -> None:
    text = "exp(\n" * 20 + "z" + ")" * 20
    with pytest.raises(UndefinedQuantity) as caught:
        Activation(text)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 160
