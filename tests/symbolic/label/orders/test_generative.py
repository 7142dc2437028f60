"""Generative exponents of the table of known answers and of the sheet's further targets."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from hermite_analytics import Evidence, InputError, Target, generative_exponent

TARGETS = {
    row["id"]: row["target"]
    for row in json.loads((Path(__file__).parents[2] / "data" / "exponents.json").read_text())
}
ORDERS = {
    1: "S01 S03 S05 S07 S08 S10 S11 S13 S14 S15 S17 S24 S28 "
    "M02 M03 M05 M06 M07 M08 M28 M31 M33 M35 M37 M43 M53 M54",
    2: "S02 S04 S09 S12 S18 S25 S27 S29 "
    "M01 M04 M09 M10 M11 M14 M19 M20 M20b M27 M30 M32 M34 M38 M40 M44 M45 M46 M47 M50 M51 M52 M60 "
    "M64 M65 M67",
    3: "S20 M12",
    4: "S16 S19",
    "inf": "S21",
}
TABLE = [(name, order) for order, names in ORDERS.items() for name in names.split()]


def test_the_table_is_complete():
    assert sorted(name for name, _ in TABLE) == sorted(TARGETS)


@pytest.mark.cases(12)
@pytest.mark.parametrize(("name", "order"), TABLE)
def test_known_answers(name, order):
    found = generative_exponent(TARGETS[name])
    assert (found.value, found.at_least) == (order, order)
    assert found.evidence in (Evidence.EXACT, Evidence.PROVED)
    assert found.reason


@pytest.mark.parametrize(
    ("text", "order"),
    [
        ("(z1 - 1)**2", 1),
        ("He7(z1)", 1),
        ("He20(z1)", 2),
        ("z1**3 - 2*log(2)*z1**2", 1),
        ("z1**4 - 5*z1**2 + 2", 2),
        ("z1**2*exp(-z1**2/2)", 2),
        ("z1**4*exp(-2*z1**2)", 4),
        ("abs(z1)*exp(-z1**2/2)", 4),
        ("z1*z2*z3*exp(-(z1**2 + z2**2 + z3**2)/2)", 3),  # (z^2 - 1)/|1 - z^2| of two preimages cancel
        ("z1*z2*z3*exp(-(z1**2 + z2**2 + z3**2))", 2),
        ("step(abs(z1) - 1) + step(abs(z1) - 2)", 2),
        ("z1*z2*z3*z4", 2),
        ("sign(z1*z2*z3*z4)", 4),
        ("max(abs(z1), abs(z2), abs(z3))", 2),
        ("min(abs(z1), abs(z2))", 2),
        ("z1**4 + z2**4", 2),
        ("max(z1, z2) - z3", 2),
        ("sigmoid(z1*z2 + z3)", 2),
        ("sin(z1)**2 + cos(z1)**2", "inf"),
    ],
)
def test_further_answers(text, order):
    assert generative_exponent(text).value == order


@pytest.mark.parametrize(
    ("text", "order"),
    [
        ("z1**2 + xi", 2),
        ("z1**3 - 3*z1 + xi", 1),
        ("z1**2*exp(-z1**2) + xi", 4),
        ("sign(z1*z2) + xi", 2),
        ("sign(z1*(z1**2 - 2*log(2))) + xi", 3),
        ("(erf(z1) + erf(z2) + erf(z3))/3 + xi/2", 2),
        ("tanh(exp(sign(z1) + xi))", 1),
        ("xi", "inf"),
    ],
)
def test_additive_noise_leaves_the_exponent(text, order):
    assert generative_exponent(text).value == order


@pytest.mark.cases(2)
@pytest.mark.parametrize(
    ("text", "order"),
    [("sign(z1*(z1**2 - 2*log(2)) + xi)", 1), ("sign(z1*z2 + xi)", 2), ("z1*xi", 2), ("sign(z1 + xi)", 1)],
)
def test_noise_inside_the_target_is_another_target(text, order):
    assert generative_exponent(text).value == order


def test_monotone_functions_of_the_label_leave_the_exponent():
    assert generative_exponent("2 - tanh(3*He4(z1) + 1)").value == 2
    assert generative_exponent("exp(-z1**2)").reason == generative_exponent("z1**2").reason


def test_a_reflection_in_a_rotated_direction():
    found = generative_exponent(Target("He2(z1)*z2", directions=[[3, 4], [4, -3]]))
    assert found.value == 2
    assert "f(7*z1/25 - 24*z2/25, -24*z1/25 - 7*z2/25) = f(z1, z2)" in found.reason


def test_the_argument_is_told():
    found = generative_exponent("z1**2*exp(-z1**2)")
    assert found.reason == (
        "E[He_4 T(y)] != 0 with T = y; no other: the label depends on these only; "
        "none of order 1: f(-z1) = f(z1); "
        "none of order 2: E[He_2 | y] = 0, for the preimages of each label cancel; "
        "none of order 3: f(-z1) = f(z1)"
    )
    assert found.evidence is Evidence.PROVED
    finite = generative_exponent("sign(z1*(z1**2 - 2*log(2)))")
    assert "E[He_2 1{Y=y}] = 0 for each of the 2 values" in finite.reason
    assert finite.evidence is Evidence.EXACT


@pytest.mark.cases(2)
@pytest.mark.parametrize(
    ("text", "order"),
    [
        ("sign(z1**2 + z2**2 - 1)", 2),  # a nonzero moment from boxes
        ("step(z1*z2 - 1)", 2),
        ("z1**2*exp(-z1**2) + sign(z2*z3)", 4),  # z1 is seen through one function
        ("xi*sign(z1)", "inf"),
        ("sign(z1*xi)", "inf"),
        ("sign(-2*z1*xi**3)", "inf"),
    ],
)
def test_proofs_without_closed_forms(text, order):
    found = generative_exponent(text)
    assert (found.value, found.at_least) == (order, order)
    assert found.evidence in (Evidence.EXACT, Evidence.PROVED)


def test_where_the_subspaces_are_open_the_exponent_may_be_decided():
    # the direction of the first step has no closed form, and z3 enters at order 2
    text = "tanh(z1 + 1) + tanh(2*z2)/3 + z3**2"
    assert generative_exponent(text).value == 2


def test_what_is_not_proved_is_undecided_with_its_lower_bound():
    found = generative_exponent("sign(z1*(z1**2 - 2*log(2)))*sign(z2*z3*z4)", max_degree=3)
    assert (found.value, found.at_least, found.evidence) == (None, 4, Evidence.UNDECIDED)
    assert "no moments beyond degree 3" in found.reason


def test_a_degree_too_small_is_undecided():
    found = generative_exponent("sign(z1*z2*z3)", max_degree=2)
    assert (found.value, found.at_least, found.degree) == (None, 3, 2)


def test_the_degree_is_checked():
    with pytest.raises(InputError, match="max_degree is 0; accepted: 1 to 40"):
        generative_exponent("z1", max_degree=0)
