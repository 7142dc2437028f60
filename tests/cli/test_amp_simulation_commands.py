"""`simulate amp` and `simulate spectral`: documents, flags, and what is refused."""

from __future__ import annotations

import jsonschema
import pytest

from hermite_analytics.numeric import simulate
from hermite_analytics.schemas import schema

AMP = ("simulate", "amp", "--target", "sign(z1)", "--d", "60", "--seeds", "2")
SPECTRAL = ("simulate", "spectral", "--target", "z1**2", "--d", "60", "--seeds", "2")

COMMANDS = {
    "amp": (*AMP, "--alpha", "1,3"),
    "amp with flags": (
        *(*AMP, "--n", "90", "--start", "informed", "--start-overlap", "0.2,0.4", "--iterations", "5"),
        *("--tolerance", "1e-3", "--damping", "0.1", "--damping-steps", "2", "--noise", "0.1"),
    ),
    "amp of two directions": (
        *("simulate", "amp", "--target", "sign(z1*z2)", "--alpha", "4", "--d", "40", "--seeds", "1"),
        *("--start", "spectral", "--iterations", "20"),
    ),
    "spectral": (*SPECTRAL, "--alpha", "1,2", "--tolerance", "1e-4"),
}


@pytest.mark.slow
@pytest.mark.arrays
@pytest.mark.parametrize("name", COMMANDS)
def test_documents_satisfy_the_schema(run, name):
    outcome = run(*COMMANDS[name], "--json")
    assert outcome.status == 0, outcome.err
    jsonschema.Draft202012Validator(schema("simulate")).validate(outcome.document)


@pytest.mark.slow
def test_amp_says_what_the_library_says(run):
    rows = run(*COMMANDS["amp"], "--json").document["results"]
    assert [row["alpha"] for row in rows] == [1.0, 3.0]
    found = simulate("amp", target="sign(z1)", d=60, seeds=2, alpha=3).results
    for name in ("overlap", "test_error", "expected_overlap", "iterations", "converged"):
        assert rows[1][name]["mean"] == pytest.approx(float(found[name].mean), rel=1e-12)


@pytest.mark.slow
def test_several_directions_are_a_list(run):
    (row,) = run(*COMMANDS["amp of two directions"], "--json").document["results"]
    assert len(row["overlap"]) == 2 and row["overlap"][0]["stderr"] is None


@pytest.mark.slow
def test_text_for_people(run):
    for name in ("amp", "spectral", "amp of two directions"):
        outcome = run(*COMMANDS[name])
        assert outcome.status == 0 and "overlap" in outcome.out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((*SPECTRAL, "--target", "sign(z1)", "--alpha", "2"), "say nothing of second order"),
        (SPECTRAL, "none is given of alpha and n"),
        ((*AMP, "--alpha", "2", "--dtype", "float32"), "amp runs in float64"),
        ((*AMP, "--alpha", "2", "--target", "(z1 + xi)**3"), "the channel of the target is prepared for an"),
    ],
)
def test_bad_input_is_one_line(run, arguments, message):
    outcome = run(*arguments, "--json")
    assert outcome.status == 2 and outcome.out == ""
    assert message in outcome.err and len(outcome.err.strip().splitlines()) == 1
