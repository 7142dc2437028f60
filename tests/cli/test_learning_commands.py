"""`second-layer` and `complexities`: documents, text for people, refusals."""

from __future__ import annotations

import json

import jsonschema
import pytest

import hermite_analytics as ha
from hermite_analytics.schemas import schema

EXAMPLE = "z1 + He2(z2) + He2(z1)*z2 + He4(z1)*He2(z2)*z3 + He2(z2)*He2(z3)"


def second_layer(run, target, *options):
    powers = () if "--samples-power" in options else ("--samples-power", "1", "--width-power", "0")
    outcome = run("second-layer", target, *powers, *options, "--json")
    assert outcome.err == ""
    jsonschema.Draft202012Validator(schema("second-layer")).validate(outcome.document)
    return outcome


@pytest.mark.parametrize(
    ("samples", "width", "error", "kappa"),
    [("1", "0", 56, 0), ("1", "1", 54, 1), ("2", "0", 52, 0), ("2", "1", 4, 1), ("2", "2", 0, 2)],
)
def test_worked_example(run, samples, width, error, kappa):
    outcome = second_layer(run, EXAMPLE, "--samples-power", samples, "--width-power", width)
    document = outcome.document
    assert outcome.status == 0
    exact = {"exact": str(error), "value": float(error), "error": 0.0, "evidence": "exact"}
    assert document["error"] == exact
    assert (document["kappa"], document["samples_power"], document["width_power"]) == (kappa, samples, width)
    found = ha.second_layer(EXAMPLE, samples, width)
    assert document == {"schema_version": 1, **found.to_dict()}


def test_learned_rows(run):
    document = second_layer(run, EXAMPLE, "--learned", "1,0,0; 0,1,0").document
    assert document["learned"] == [["1", "0", "0"], ["0", "1", "0"]]
    assert document["error"]["exact"] == "52" and document["remarks"] == ["U: as given"]
    assert second_layer(run, EXAMPLE, "--learned", "none").document["error"]["exact"] == "57"
    assert second_layer(run, "3*z1 + 4*z2", "--learned", "0.3,0.4").document["error"]["exact"] == "0"
    relu = second_layer(run, "relu(z1 + z2)", "--learned", "1,0").document
    assert relu["error"]["exact"] == "-sqrt(3)/(2*pi) + 2/3" and relu["fitted"] == "z1*Phi(z1) + phi(z1)"


@pytest.mark.slow
def test_an_error_that_is_not_proved_exits_with_1(run):
    estimated = second_layer(run, "tanh(z1) + tanh(2*z2)")
    assert estimated.status == 1 and estimated.document["fitted"] is None
    assert estimated.document["error"]["evidence"] == "estimated"
    undecided = second_layer(run, "tanh(z1 + z2*z3*z4)")
    assert undecided.status == 1 and undecided.document["learned"] is None
    assert undecided.document["error"]["value"] is None


def test_text_of_the_second_layer(run):
    outcome = run("second-layer", EXAMPLE, "--samples-power", "2", "--width-power", "1")
    assert outcome.status == 0
    assert "unfitted: He2(z2)*He2(z3)" in outcome.out and "error:    4 [exact]" in outcome.out


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--learned", "1,0"), "learned has a row of length 2; the target has 3 coordinates"),
        (("--learned", "1,0,0;2,0,0"), "learned has 2 rows of rank 1; independent rows are accepted"),
        (("--learned", "1,,0"), "--learned is '1,,0'; accepted: rows such as"),
        (("--learned", "a,b,c"), "an entry of learned is 'a'; a finite number is accepted"),
        (("--samples-power", "-1", "--width-power", "0"), "samples_power is '-1'; accepted: a number from 0"),
        (("--samples-power", "1", "--width-power", "nan"), "width_power is 'nan'; accepted"),
        (("--samples-power", "1"), "Missing option '--width-power'"),
    ],
)
def test_bad_input(run, options, message):
    powers = () if "--samples-power" in options else ("--samples-power", "1", "--width-power", "0")
    outcome = run("second-layer", EXAMPLE, *powers, *options)
    assert outcome.status == 2 and outcome.out == ""
    assert message in outcome.err and len(outcome.err.splitlines()) == 1


def test_infinite_variance(run):
    outcome = run("second-layer", "exp(z1**2/4)", "--samples-power", "1", "--width-power", "0")
    assert outcome.status == 2 and "E f^2 is infinite" in outcome.err


def test_complexities(run):
    outcome = run("complexities", "He3(z1)", "--json")
    assert outcome.status == 0 and outcome.err == ""
    jsonschema.Draft202012Validator(schema("complexities")).validate(outcome.document)
    assert outcome.document["target"] == "He3(z1)"
    samples = {row["algorithm"]: row["samples"] for row in outcome.document["complexities"]}
    assert samples["one giant step"] == "d^3" and samples["SGD with reuse"] == "d"
    assert outcome.document == json.loads(
        json.dumps({"schema_version": 1, **ha.complexities("He3(z1)").to_dict()})
    )


def test_complexities_of_a_constant(run):
    document = run("complexities", "3", "--json").document
    assert document["target"] == "3"
    assert {row["samples"] for row in document["complexities"]} == {"not learned"}
    jsonschema.Draft202012Validator(schema("complexities")).validate(document)


def test_text_of_complexities(run):
    outcome = run("complexities", "z1 + z1*z2")
    assert outcome.status == 0 and outcome.err == ""
    assert outcome.out.splitlines()[0].split() == ["algorithm", "samples", "exponent", "status"]


@pytest.mark.slow
def test_an_open_exponent_exits_with_1(run):
    outcome = run("complexities", "tanh(z1 + xi*z2)", "--seconds", "2", "--json")
    assert outcome.status == 1
    jsonschema.Draft202012Validator(schema("complexities")).validate(outcome.document)
