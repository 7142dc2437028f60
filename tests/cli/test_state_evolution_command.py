"""`solve state-evolution`."""

from __future__ import annotations

import pytest


def test_overlaps_of_phase_retrieval(run):
    outcome = run(
        "solve", "state-evolution", "--target", "z1**2", "--alpha", "0.45,0.6,0.8,1.0,1.2", "--json"
    )
    assert outcome.status == 0
    document = outcome.document
    assert document["model"] == "state-evolution"
    assert document["parameters"]["alpha"] == [0.45, 0.6, 0.8, 1.0, 1.2]
    found = [row["overlap"][0][0] for row in document["results"]]
    assert found == pytest.approx([0, 0.051820, 0.216227, 0.476264, 1], abs=1e-5)
    assert document["results"][-1]["test_error"] == 0


def test_informed_start(run):
    common = ("solve", "state-evolution", "--target", "z1**2", "--alpha", "1.05", "--json")
    (row,) = run(*common, "--start", "informed").document["results"]
    assert row["start"] == "informed" and row["overlap"] == [[1.0]]


def test_target_without_an_engine(run):
    chain = "+".join(f"sin(z{k}*z{k + 1})" for k in range(1, 9))
    outcome = run("solve", "state-evolution", "--target", chain, "--alpha", "1", "--json")
    assert outcome.status == 2 and outcome.out == ""
    assert "labels of up to 8 coordinates are taken" in outcome.err


@pytest.mark.slow
def test_overlap_matrix_of_two_directions(run):
    outcome = run("solve", "state-evolution", "--target", "step(z1)*step(z2)", "--alpha", "1", "--json")
    (row,) = outcome.document["results"]
    assert row["overlap"][0] == pytest.approx([0.168035, 0.168035], abs=1e-6)


def test_text_for_people(run):
    outcome = run("solve", "state-evolution", "--target", "sign(z1)", "--alpha", "1")
    assert outcome.status == 0 and "overlap" in outcome.out


def test_the_rule_is_named(run):
    """That of sampled labels too: `test_rules.py`."""
    command = ("solve", "state-evolution", "--alpha", "1", "--target", "sign(z1)")
    text = run(*command).out
    assert "rule" in text and "quadrature" in text
    (row,) = run(*command, "--json").document["results"]
    assert row["rule"] == "quadrature"
