"""Tables of targets: order, errors as rows, processes that die."""

from __future__ import annotations

import os
import re

import jsonschema
import numpy as np
import pytest
import sympy

import hermite_analytics as ha
from hermite_analytics.analysis import tables
from hermite_analytics.executors.ordered import in_order
from hermite_analytics.executors.processes import available_cores
from hermite_analytics.rendering.provenance import kept
from hermite_analytics.schemas import schema

TARGETS = ["z1", "z1 +", "sign(z1*z2)", "exp(z1**2)", "3"]


def square_or_die(x: int) -> int:
    if x == 2:
        os._exit(1)
    return x * x


def lost(x: int) -> int:
    return -x


@pytest.fixture(scope="module")
def found() -> ha.Table:
    return ha.table(TARGETS)


def test_rows_keep_their_order_and_their_errors(found):
    assert [row.target for row in found] == TARGETS
    assert [row.error is None for row in found] == [True, False, True, False, True]
    assert found[1].error is not None and "\n" not in found[1].error
    assert found.errors == (found[1], found[3])
    assert "has no mean" in str(found[3].error)
    assert len(found) == 5


def test_documents_satisfy_the_schema(found):
    validator = jsonschema.Draft202012Validator(schema("analyze"))
    for row in found.to_dict()["rows"]:
        validator.validate(kept(row))
    assert found[0].answers == ha.analyze("z1").document()


def test_text(found):
    lines = str(found).splitlines()
    names = (
        "target",
        "dim",
        "E y",
        "E y^2",
        "leap",
        "Leap",
        "isoLeap",
        "k*",
        "staircase",
        "grand",
        "alpha_c",
    )
    assert re.split(r"  +", lines[0]) == list(names)
    assert lines[3].split() == ["sign(z1*z2)", "2/2", "0", "1", "2", "2", "2", "2", "0", "0-2(2)", "pi**2/4"]
    assert lines[2].startswith("z1 +         error: ")
    assert lines[5].split()[1] == "0/1"
    assert len({line.index("2/2") for line in lines if "2/2" in line} | {lines[0].index("dim")}) == 1


def test_no_targets():
    assert len(ha.table([])) == 0
    assert str(ha.table([])).startswith("target")


def test_a_fault_of_ours_is_a_row(monkeypatch):
    monkeypatch.setattr(tables.Analysis, "document", lambda self: {}["nothing"])
    (row,) = ha.table(["z1"])
    assert row.error == "internal error: KeyError: 'nothing'"


def test_the_table_takes_targets_and_an_activation():
    rows = ha.table([ha.Target("z1", directions=[["3/5", "4/5"]])], activation="tanh")
    assert rows[0].answers is not None and rows[0].answers["dimension"] == 2
    assert rows[0].answers["activation"] == "tanh"
    with pytest.raises(ha.ParseError):
        ha.table(["z1"], activation="tanh(x)")


def test_workers_are_checked():
    for workers in (0, -1):
        with pytest.raises(ha.InputError, match=f"workers is {workers}; an integer >= 1 is accepted"):
            list(in_order(square_or_die, [1], workers=workers, lost=lost))
    assert available_cores() >= 1


@pytest.mark.slow
def test_processes_agree_with_this_one(found):
    assert ha.table(TARGETS, workers=2).to_dict() == found.to_dict()


@pytest.mark.slow
def test_a_process_that_dies_loses_its_own_argument_only():
    assert list(in_order(square_or_die, [1, 2, 3, 4], workers=2, lost=lost)) == [1, -2, 9, 16]


def test_rows_are_named_in_one_line_whatever_was_given():
    given = [lambda z: z, np.sin, None, sympy.Symbol("z1"), np.array([[0, 0], [0, 1]])]
    found = ha.table(given)
    names = ["the function <lambda>", "the function sin", "None", "z1", "(1)*He(1, z1)*He(1, z2)"]
    assert [row.target for row in found] == names
    assert all('write what it computes, as text, for example "tanh(z1*z2)' in row.error for row in found[:2])
    assert found[3].error is None and "0x" not in str(found)


def test_a_single_target_of_any_form_is_a_table_of_one():
    for one in ("z1**2", ha.Target("z1**2"), sympy.Symbol("z1") ** 2, np.array([0, 0, 1.0])):
        (row,) = ha.table(one)
        assert row.answers["leap_index"]["value"] == 2
    with pytest.raises(
        ha.InputError, match=r"^the targets are the function sin; accepted: a list of targets, for"
    ):
        ha.table(np.sin)
