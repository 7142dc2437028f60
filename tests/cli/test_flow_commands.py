"""`solve sgd-flow` and `solve three-layer`."""

from __future__ import annotations

import pytest

from hermite_analytics.numeric import SGDFlow

ERF = ("solve", "sgd-flow", "--activation", "erf(z/sqrt(2))", "--target", "erf(z1/sqrt(2))")


@pytest.mark.slow
def test_reference_numbers(run):
    flags = ("--rate", "1.5", "--overlap", "0.2", "--time", "1,2,3,5,10", "--loss", "square")
    outcome = run(*ERF, *flags, "--json")
    rows = outcome.document["results"]
    assert outcome.status == 0 and outcome.err == ""
    assert [row["time"] for row in rows] == [1, 2, 3, 5, 10]
    found = [row["overlap"] for row in rows]
    assert found == pytest.approx([0.5511, 0.7639, 0.8796, 0.9696, 0.9991], abs=1e-4)
    assert all(row["status"] == "converged" and row["start"] == 0.2 for row in rows)


def test_last_flag_is_fastest_and_time_within(run):
    flags = ("--overlap", "0.1,0.2", "--rate", "1,2", "--reuse", "0,0.1", "--time", "2,1")
    rows = run(*ERF, *flags, "--json").document["results"]
    order = [(row["start"], row["rate"], row["reuse"], row["time"]) for row in rows]
    assert order == [(m, g, k, t) for m in (0.1, 0.2) for g in (1, 2) for k in (0, 0.1) for t in (2, 1)]
    assert {row["method"] for row in rows if row["reuse"]} == {"extra-gradient"}
    found = SGDFlow("erf(z/sqrt(2))", "erf(z1/sqrt(2))", reuse=0.1).solve(rate=2, overlap=0.1, times=[2, 1])
    assert [row["overlap"] for row in rows[6:8]] == pytest.approx(found.overlap, abs=1e-11)


def test_several_directions(run):
    flags = ("--activation", "z**2", "--target", "z1**2 + z2**2/2", "--rate", "0.1", "--time", "1")
    (row,) = run("solve", "sgd-flow", *flags, "--overlap", "0.1:-0.2", "--json").document["results"]
    assert row["start"] == [0.1, -0.2] and len(row["overlap"]) == 2
    assert row["overlap"][0] > 0.1 and row["overlap"][1] < -0.2


def test_methods_and_text_for_people(run):
    flags = ("--rate", "0.5", "--overlap", "0.2", "--time", "1", "--method", "batch-reuse")
    outcome = run(*ERF, *flags)
    assert outcome.status == 0 and "sgd-flow" in outcome.out and "overlap" in outcome.out


@pytest.mark.parametrize(
    ("flags", "text"),
    [
        (("--overlap", "1.5"), "overlap is 1.5; accepted: -1 <= overlap <= 1"),
        (("--overlap", "a"), "--overlap is 'a'; accepted: numbers as M,M,... or M1:M2,M1:M2,..."),
        (
            ("--overlap", "0.1:0.2"),
            "--overlap is '0.1:0.2' for a target of 1 directions; accepted: M for each",
        ),
        (("--overlap", "0.1", "--rate", "0"), "rate is 0; accepted: finite numbers rate > 0"),
        (("--overlap", "0.1", "--loss", "hinge"), "'hinge' is not one of"),
        (("--overlap", "0.1", "--target", "xi"), "the labels of xi do not depend on z"),
        (
            ("--overlap", "0.1", "--target", "z1*z2*z3*z4"),
            "for a target of 4 directions; accepted: M1:M2:M3:M4",
        ),
        (("--overlap", "0.1", "--method", "sgd", "--reuse", "1"), "reuse is 1 with the method 'sgd'"),
    ],
)
def test_bad_input(run, flags, text):
    given = ("--rate", "1", "--time", "1", *flags)
    outcome = run(*ERF, *given, "--json")
    assert outcome.status == 2 and outcome.out == ""
    assert text in " ".join(outcome.err.split()) and "Traceback" not in outcome.err


def test_three_layer(run):
    outcome = run("solve", "three-layer", "--degrees", "2,3", "--epsilon", "0.5", "--json")
    rows = outcome.document["results"]
    assert outcome.status == 0
    assert [(row["scenario"], row["exponent"]) for row in rows] == [(1, 3.0), (2, 1.5), (3, 1.5)]
    several = run("solve", "three-layer", "--degrees", "2", "--epsilon", "0.5,0.25", "--json")
    assert [row["exponent"] for row in several.document["results"]] == [2.0, 1.5, 1.5, 2.0, 1.25, 1.25]
    assert "scenario" in run("solve", "three-layer", "--degrees", "2,3", "--epsilon", "0.5").out


@pytest.mark.parametrize(
    ("degrees", "epsilon", "text"),
    [("3", "0.5", "degree 2 must be among them"), ("2,3", "1", "epsilon is 1.0; accepted: 0 < epsilon < 1")],
)
def test_bad_three_layer(run, degrees, epsilon, text):
    outcome = run("solve", "three-layer", "--degrees", degrees, "--epsilon", epsilon, "--json")
    assert outcome.status == 2 and text in outcome.err
