"""Grand staircases: the table of known answers, comparable targets, proofs, and honest ends."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest
import sympy

import hermite_analytics as ha
from hermite_analytics import Evidence, InputError, Target, generative_exponent, grand_staircase
from hermite_analytics.label.orders.climb import climb

RECORDS = {
    r["id"]: r for r in json.loads((Path(__file__).parent / "known_generative.json").read_text("utf-8"))
}
DECIDED = (Evidence.EXACT, Evidence.PROVED)
Step = tuple[int, str]


def echelon(rows: list[list[str]]) -> tuple[tuple[str, ...], ...]:
    """The reduced row echelon form of rational rows, as text."""
    if not rows:
        return ()
    reduced, pivots = sympy.Matrix([[sympy.Rational(x) for x in row] for row in rows]).rref()
    return tuple(tuple(str(x) for x in reduced.row(i)) for i in range(len(pivots)))


def bases_of(steps: list[Step]) -> tuple[tuple[tuple[str, ...], ...], ...]:
    """The bases of U_0, U_1, .. from the new directions "(1,0) (0,1)" of each step."""
    learned: list[list[str]] = []
    bases = [()]
    for _, directions in steps:
        learned = learned + [row.split(",") for row in re.findall(r"\(([^)]*)\)", directions)]
        bases.append(echelon(learned))
    return tuple(bases)


def check(text: str, steps: list[Step]) -> ha.Staircase:
    found = grand_staircase(text)
    bases = bases_of(steps)
    assert found.orders == tuple(order for order, _ in steps)
    assert found.bases == bases
    assert found.dimensions == tuple(map(len, bases))
    assert found.limit_dimension == len(bases[-1])
    assert found.evidence in DECIDED
    assert found.undecided_up_to_degree is None
    assert len(found.reasons) == len(bases)
    assert generative_exponent(text).value == max(found.orders, default="inf")
    return found


@pytest.mark.cases(12)
@pytest.mark.parametrize("name", RECORDS)
def test_known_answers(name):
    record = RECORDS[name]
    check(record["target"], [(order, directions) for order, directions in record["steps"]])


@pytest.mark.cases(9)
@pytest.mark.parametrize(
    ("text", "steps"),
    [
        # E[z f^p] is (1,0,0,0) for p = 1 and three independent vectors (0,a,b,c) for p = 2, 4, 6
        ("z1+z1*z2+z1*z2*z3+z1*z2*z3*z4", [(1, "(1,0,0,0) (0,1,0,0) (0,0,1,0) (0,0,0,1)")]),
        ("sign(z1*z2*z3*z4)", [(4, "(1,0,0,0) (0,1,0,0) (0,0,1,0) (0,0,0,1)")]),
        ("sign(z1 + xi)", [(1, "(1)")]),
        ("z1**2 + xi", [(2, "(1)")]),
        ("sign(z1*z2) + xi", [(2, "(1,0) (0,1)")]),
        ("z1**3 - 3*z1 + xi", [(1, "(1)")]),
        ("(erf(z1) + erf(z2) + erf(z3))/3 + xi/2", [(1, "(1,1,1)"), (2, "(1,0,-1) (0,1,-1)")]),
        ("2*He4(z1) + sign(z1*z2*z3)", [(2, "(1,0,0)"), (2, "(0,1,0) (0,0,1)")]),
        ("He4(z1) - 3*sign(z1*z2*z3)", [(2, "(1,0,0)"), (2, "(0,1,0) (0,0,1)")]),
        ("He4(z2) + sign(z1*z2*z3)/7", [(2, "(0,1,0)"), (2, "(1,0,0) (0,0,1)")]),
        ("z3**2/3 + 2*sign(z1*z2*z3)", [(2, "(0,0,1)"), (2, "(1,0,0) (0,1,0)")]),
        ("He6(z1) + sign(z1*z2*z3)", [(2, "(1,0,0)"), (2, "(0,1,0) (0,0,1)")]),
        ("relu(z1)*relu(z2)", [(1, "(1,1)"), (2, "(1,-1)")]),
        ("abs(z1)*z2", [(1, "(0,1)"), (2, "(1,0)")]),
        ("z1*z2*z3*z4", [(2, "(1,0,0,0) (0,1,0,0) (0,0,1,0) (0,0,0,1)")]),
        ("max(z1, z2) - z3", [(1, "(1,1,-2)"), (2, "(1,-1,0)")]),
        ("max(abs(z1), abs(z2), abs(z3))", [(2, "(1,0,0) (0,1,0) (0,0,1)")]),
        ("min(abs(z1), abs(z2))", [(2, "(1,0) (0,1)")]),
        ("sign(z1*z2 + xi)", [(2, "(1,0) (0,1)")]),
        ("sign(z1)*He2(z2) + xi/2", [(1, "(1,0)"), (2, "(0,1)")]),
        ("tanh(z1)*tanh(z2)", [(2, "(1,0) (0,1)")]),
        ("z1*exp(z2)", [(1, "(1,0) (0,1)")]),
        ("cos(z1)*cos(z2)", [(2, "(1,0) (0,1)")]),
        ("step(abs(z1) - 1) + step(abs(z1) - 2)", [(2, "(1)")]),
        ("tanh(z1) + tanh(z2) + tanh(z3)", [(1, "(1,1,1)"), (2, "(1,0,-1) (0,1,-1)")]),
        ("(z1 - 1)**2", [(1, "(1)")]),
        ("sin(z1)*z2 + z3**2", [(2, "(1,0,0) (0,1,0) (0,0,1)")]),
        ("sign(z1 + z2) + abs(z3)", [(1, "(1,1,0)"), (2, "(0,0,1)")]),
        ("sign(z1**2 + z2**2 - 1)", [(2, "(1,0) (0,1)")]),
        ("step(z1*z2 - 1)", [(2, "(1,0) (0,1)")]),
        ("z1**2*exp(-z1**2) + sign(z2*z3)", [(2, "(0,1,0) (0,0,1)"), (4, "(1,0,0)")]),
        ("abs(z1)*exp(-z1**2/2)*z2", [(1, "(0,1)"), (4, "(1,0)")]),
        ("sign(z1*(z1**2 - 2*log(2)))*z2", [(2, "(0,1)"), (3, "(1,0)")]),
        ("sign(z1*(z1**2 - 2*log(2)))*sign(z2)", [(4, "(1,0) (0,1)")]),
        ("sign(z1)*sign(z1**2 - 3*z2**2)", [(3, "(1,0) (0,1)")]),
        ("z1 + z2 + z3 + sign(z1*z2*z3)", [(1, "(1,1,1)"), (2, "(1,0,-1) (0,1,-1)")]),
        ("max(z1, z2, z3, z4)", [(1, "(1,1,1,1)"), (2, "(1,0,0,-1) (0,1,0,-1) (0,0,1,-1)")]),
        ("(z1 + z2)**2", [(2, "(1,1)")]),
        ("tanh(z1 + z2*z3)", [(1, "(1,0,0)"), (2, "(0,1,0) (0,0,1)")]),
        ("softplus(z1)*z2", [(1, "(1,0) (0,1)")]),
        ("sign(z1+z2+z3)*abs(z1-z2)", [(1, "(1,1,1)"), (2, "(1,-1,0)")]),
        ("sign(z1+z2-2*z3)+abs(z1-z2)", [(1, "(1,1,-2)"), (2, "(1,-1,0)")]),
        ("(z1+z2+z3+z4+z5)**9", [(1, "(1,1,1,1,1)")]),
        ("max(z1,z2,z3)-(z1+z2+z3)/3", [(2, "(1,0,-1) (0,1,-1)")]),
        ("2*min(z1,z2,z3)-(z1+z2+z3)*2/3", [(2, "(1,0,-1) (0,1,-1)")]),
        ("max(z1,z2,z3)-(z1+z2+z3)/3+xi/2", [(2, "(1,0,-1) (0,1,-1)")]),
        ("sqrt(1+(z1+z2+z3+z4)**2)*(z1-z2)", [(1, "(1,-1,0,0)"), (2, "(1,1,1,1)")]),
    ],
)
def test_further_answers(text, steps):
    check(text, steps)


@pytest.mark.parametrize(
    ("text", "steps"),
    [
        ("3", []),
        ("xi", []),
        ("3 + 2*xi", []),
        ("xi*sign(z1)", []),
        ("sin(z1)**2 + cos(z1)**2", []),
        ("z2 + xi*sign(z1)", [(1, "(0,1)")]),
        ("0*z2 + z1", [(1, "(1)")]),
        ("z3", [(1, "(0,0,1)")]),
        ("xi*z1", [(2, "(1)")]),
        ("sin(z1)**2 + cos(z1)**2 + z2", [(1, "(0,1)")]),
    ],
)
def test_labels_that_ignore_some_or_all_directions(text, steps):
    check(text, steps)


@pytest.mark.parametrize(
    ("text", "steps"),
    [
        ("exp(z1**2/3)", [(2, "(1)")]),
        ("exp(z1**2/3) + z2", [(1, "(0,1)"), (2, "(1,0)")]),
        ("exp(z1**2/3)*z2", [(1, "(0,1)"), (2, "(1,0)")]),
    ],
)
def test_labels_of_infinite_variance(text, steps):
    check(text, steps)


def test_the_proof_is_told_step_by_step():
    found = grand_staircase("z1**2 + sign(z1*z2*z3)")
    first, second, end = found.reasons
    assert first.startswith("order 2: E[He_2 T(y)] != 0 with T = y; no other: ")
    assert "f depends on z2 only through its sign; f depends on z3 only through its sign" in first
    assert "none of order 1: f(" in first
    assert first.endswith("learned: (1, 0, 0)")
    assert second == (
        "order 2: E[He_3 T(y)] != 0 with T = y, 2 slots outside; "
        "no other: the label depends on these only; "
        "none of order 1: f(z1, -z2, -z3) = f(z1, z2, z3); "
        "learned: (1, 0, 0) (0, 1, 0) (0, 0, 1)"
    )
    assert end == "the dimension 3 is reached"
    assert found.evidence is Evidence.PROVED


def test_json_form():
    assert grand_staircase("z1 + abs(z2)").document() == {
        "dimensions": [0, 1, 2],
        "orders": [1, 2],
        "bases": [[], [["1", "0"]], [["1", "0"], ["0", "1"]]],
        "limit_dimension": 2,
        "undecided_up_to_degree": None,
        "evidence": "proved",
        "reasons": [
            "order 1: E[He_1 T(y)] != 0 with T = y; no other: f(z1, -z2) = f(z1, z2); learned: (1, 0)",
            "order 2: E[He_2 T(y)] != 0 with T = y; no other: the label depends on these only; "
            "none of order 1: f(z1, -z2) = f(z1, z2); learned: (1, 0) (0, 1)",
            "the dimension 2 is reached",
        ],
    }


def test_a_degree_too_small_keeps_what_is_proved():
    found = grand_staircase("z1 + sign(z2*z3*z4)", max_degree=2)
    assert (found.orders, found.bases[1]) == ((1,), (("1", "0", "0", "0"),))
    assert (found.limit_dimension, found.undecided_up_to_degree) == (None, 2)
    assert found.evidence is Evidence.UNDECIDED
    assert found.reasons[-1].endswith("no moments beyond degree 2 were looked at")
    exponent = generative_exponent("z1 + sign(z2*z3*z4)", max_degree=2)
    assert (exponent.value, exponent.evidence) == (None, Evidence.UNDECIDED)


@pytest.mark.slow
def test_no_time_is_undecided_and_not_remembered():
    text = "tanh(z1*z2) + tanh(z1 + z2**2)/5"
    short = grand_staircase(text, seconds=1e-6)
    assert short.limit_dimension is None
    assert short.reasons == ("the time of 1e-06 seconds ended",)
    assert generative_exponent(text, seconds=1e-6).value is None
    assert grand_staircase(text).limit_dimension == 2


def test_noise_in_a_nonlinearity_is_another_target():
    inside, added = "sign(z1*(z1**2 - 2*log(2)) + xi)", "sign(z1*(z1**2 - 2*log(2))) + xi"
    assert grand_staircase(inside).orders == (1,)
    assert grand_staircase(added).orders == (3,)


def test_rotated_directions():
    found = grand_staircase(Target("z1 + abs(z2)", directions=[[3, 4], [4, -3]]))
    assert found.orders == (1, 2)
    assert found.bases[1] == (("1", "4/3"),)
    irrational = grand_staircase("sqrt(2)*z1 + z2 + (z1 - sqrt(2)*z2)**2")
    assert irrational.orders == (1, 2)
    assert irrational.bases[1] == (("1", "sqrt(2)/2"),)


# Of unit u, v, s = u + v and t = u - v the sum He3(u) + He3(v) is even in t, the difference in s
MIRRORED = [
    ("He3((3*z1+4*z2)/5) + He3((4*z1-3*z2)/5)", [(1, "(7,1)"), (2, "(1,0)")]),
    ("He3(z1) - He3((3*z1+4*z2)/5)", [(1, "(1,-2)"), (2, "(1,0)")]),
    ("(3*z1+4*z2)**3 - 125*z1**3", [(1, "(1,-2)"), (2, "(1,0)")]),
    ("He3(z1) - 2*He3((3*z1+4*z2)/5)", [(1, "(1,0) (0,1)")]),
]
UNIT = ("sqrt(3)/2*z1 + z2/2", "z1/2 - sqrt(3)/2*z2")


@pytest.mark.parametrize(("text", "steps"), MIRRORED)
def test_what_moments_show_may_be_all_that_a_reflection_fixes(text, steps):
    found = check(text, steps)
    assert rank_of_odd_moments(text) == found.dimensions[1]


@pytest.mark.parametrize(("sign", "tangent"), [("+", -0.26794919243112270647), ("-", 3.7320508075688772935)])
def test_a_reflection_through_an_irrational_direction(sign, tangent):
    """u, v at the angles 30 and -60 degrees: u + v stands at -15, u - v at 75."""
    text = f"He3({UNIT[0]}) {sign} He3({UNIT[1]})"
    found = grand_staircase(text)
    assert (found.orders, found.dimensions, found.evidence) == ((1, 2), (0, 1, 2), Evidence.PROVED)
    [row] = found.bases[1]
    assert [float(sympy.sympify(x)) for x in row] == pytest.approx([1, tangent], rel=1e-14)
    assert rank_of_odd_moments(text) == 1


def test_forms_as_they_are_written_are_exchanged():
    """Three units at 60 degrees: no reflection fixes u + v + w alone, all exchanges of two do."""
    cubic = "He3(z1) + He3(z1/2 + sqrt(3)/2*z2) + He3(z1/2 + sqrt(3)/6*z2 + sqrt(2/3)*z3)"
    found = grand_staircase(cubic)
    assert (found.orders, found.dimensions, found.limit_dimension) == ((1, 2), (0, 1, 3), 3)
    units = np.array([[1, 0, 0], [1 / 2, 3**0.5 / 2, 0], [1 / 2, 3**0.5 / 6, (2 / 3) ** 0.5]])
    assert units @ units.T == pytest.approx((1 + np.eye(3)) / 2)
    [row] = found.bases[1]
    assert [float(sympy.sympify(x)) for x in row] == pytest.approx(units.sum(axis=0) / 2)


@pytest.mark.slow
def test_a_sign_of_a_turned_sum():
    check("sign(He3((3*z1+4*z2)/5) + He3((4*z1-3*z2)/5))", [(1, "(7,1)"), (2, "(1,0)")])


def rank_of_odd_moments(text: str) -> int:
    """The rank of E[z y^p], p = 1, 3, 5, 7, by a Gauss rule that is exact up to degree 31."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(16)
    z1, z2 = np.meshgrid(nodes, nodes)
    weight = np.outer(weights, weights) / (2 * np.pi)
    cubic = {"He3": lambda x: x**3 - 3 * x}
    y = sympy.lambdify(sympy.symbols("z1 z2"), sympy.sympify(text, locals=cubic))(z1, z2)
    vectors = [
        [np.sum(weight * z * y**p) / np.sum(weight * np.abs(y) ** p) for z in (z1, z2)] for p in (1, 3, 5, 7)
    ]
    return int(np.linalg.matrix_rank(vectors, tol=1e-9))


def test_an_irrational_direction_is_reached_and_completed():
    found = grand_staircase("step(z1 - 1)*step(z2 + 1)")
    assert found.orders == (1, 1)
    assert found.bases[1] == (("1", "Phi(-1)/Phi(1)"),)


def test_the_arguments_are_checked():
    with pytest.raises(InputError, match="max_degree is 41; accepted: 1 to 40"):
        grand_staircase("z1", max_degree=41)
    with pytest.raises(InputError, match="seconds is 0; a number > 0 is accepted"):
        grand_staircase("z1", seconds=0)


def test_facts_in_turned_coordinates_say_so():
    assert str(grand_staircase("sign(z1+z2+z3)*abs(z1-z2)", max_degree=1).end[0]).startswith(
        "with z1, z2 for "
    )


@pytest.mark.slow
def test_a_number_without_an_enclosure_is_not_estimated(monkeypatch):
    """It proves nothing: its digits took the time that the second order is proved in."""

    def estimated(*given):
        raise AssertionError("digits were asked for")

    monkeypatch.setattr("hermite_analytics.gaussian.digits.expectation_digits", estimated)
    assert grand_staircase("max(log(abs(z1)), -log(abs(z1))/2)").orders == (2,)


@pytest.mark.cases(4)
@pytest.mark.parametrize("text", ["z1 + z2**2", "z1**2*z2", "sign(z1*z2)", "xi", "max(z1*z2, z3)"])
def test_the_first_step_alone(text):
    """It is that of all steps, which are not looked for, and is remembered apart from them."""
    alone, whole = (climb(Target(text), max_degree=None, first_only=k) for k in (True, False))
    assert whole.is_decided and alone.steps == whole.steps[:1]
