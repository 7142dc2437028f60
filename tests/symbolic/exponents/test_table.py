"""Exponents, first subspaces and staircases of 73 targets against a table of known answers."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import sympy

import hermite_analytics as ha
from hermite_analytics.evidence import Evidence

RECORDS = {r["id"]: r for r in json.loads((Path(__file__).parent / "known_leaps.json").read_text("utf-8"))}
DECIDED = (Evidence.EXACT, Evidence.PROVED)


def echelon(rows: list[list[str]]) -> tuple[tuple[str, ...], ...]:
    """The reduced row echelon form of rational rows, as text."""
    if not rows:
        return ()
    reduced, pivots = sympy.Matrix([[sympy.Rational(x) for x in row] for row in rows]).rref()
    return tuple(tuple(str(x) for x in reduced.row(i)) for i in range(len(pivots)))


@pytest.mark.cases(12)
@pytest.mark.parametrize("name", RECORDS)
@pytest.mark.parametrize(
    ("function", "field"),
    [
        (ha.information_exponent, "leap_index"),
        (ha.leap_index, "leap_index"),
        (ha.leap_complexity, "leap_complexity"),
        (ha.isotropic_leap, "isotropic_leap"),
        (ha.intrinsic_dimension, "intrinsic_dimension"),
    ],
)
def test_exponent(name, function, field):
    record = RECORDS[name]
    answer = function(record["target"])
    assert answer.value == record[field]
    assert answer.at_least == answer.value
    assert answer.evidence in DECIDED
    assert answer.degree is None
    assert answer.reason and "\n" not in answer.reason


@pytest.mark.cases(12)
@pytest.mark.parametrize("name", RECORDS)
def test_first_subspace(name):
    record = RECORDS[name]
    found = ha.first_subspace(record["target"])
    assert found.order.value == record["leap_index"]
    assert found.basis == echelon(record["first_subspace"])


@pytest.mark.cases(12)
@pytest.mark.parametrize("name", RECORDS)
def test_staircase(name):
    record = RECORDS[name]
    steps = ha.staircase(record["target"])
    learned: list[list[str]] = []
    bases = [()]
    for new in record["staircase_new_directions"]:
        learned = learned + new
        bases.append(echelon(learned))
    assert steps.bases == tuple(bases)
    assert steps.orders == (1,) * (len(bases) - 1)
    assert steps.limit_dimension == record["staircase_limit_dimension"] == steps.dimensions[-1]
    assert steps.evidence in DECIDED
    assert steps.undecided_up_to_degree is None
    assert len(steps.reasons) == len(bases)


@pytest.mark.cases(12)
@pytest.mark.parametrize("name", RECORDS)
def test_leap_decomposition(name):
    record = RECORDS[name]
    steps = ha.leap_decomposition(record["target"])
    assert steps.limit_dimension == record["intrinsic_dimension"] == steps.dimensions[-1]
    assert max(steps.orders, default="inf") == record["isotropic_leap"]
    first = steps.bases[1] if steps.orders else ()
    assert first == echelon(record["first_subspace"])
    assert steps.evidence in DECIDED
    assert len(steps.reasons) == len(steps.orders) + 1


def test_json_forms():
    assert ha.leap_index("z1 + z2**2").to_dict() == {
        "value": 1,
        "at_least": 1,
        "evidence": "exact",
        "degree": None,
        "reason": "c_(1, 0) = 1",
    }
    assert ha.information_exponent("3").to_dict() == {
        "value": "inf",
        "at_least": "inf",
        "evidence": "exact",
        "degree": None,
        "reason": "the function is constant",
    }
    assert ha.staircase("z1 + z2 + z1**2 - z2**2").document() == {
        "dimensions": [0, 1, 2],
        "orders": [1, 1],
        "bases": [[], [["1", "1"]], [["1", "0"], ["0", "1"]]],
        "limit_dimension": 2,
        "undecided_up_to_degree": None,
        "evidence": "exact",
        "reasons": [
            "order 1: c_(1, 0) = 1; learned: (1, 1)",
            "order 1: C_2[(-1, 1), (1, 1)] = -4; learned: (1, 0) (0, 1)",
            "the dimension 2 is reached",
        ],
    }
    assert ha.first_subspace("z1").to_dict()["basis"] == [["1"]]
    assert set(ha.first_subspace("z1").document()) == {"order", "basis"}


def test_worked_example():
    f = "z1 + He2(z2) + He2(z1)*z2 + He4(z1)*He2(z2)*z3 + He2(z2)*He2(z3)"
    steps = ha.staircase(f)
    assert steps.dimensions == (0, 1, 2, 3)
    assert steps.bases[1:3] == ((("1", "0", "0"),), (("1", "0", "0"), ("0", "1", "0")))
