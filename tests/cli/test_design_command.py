"""`design`: documents that satisfy their schema, text for people, exit status, refusals."""

from __future__ import annotations

import jsonschema
import pytest

import hermite_analytics as ha
from hermite_analytics.schemas import schema


def document_of(outcome):
    assert outcome.err == ""
    jsonschema.Draft202012Validator(schema("design")).validate(outcome.document)
    return outcome.document


def test_text_and_document(run):
    asked = ("--information-exponent", "3", "--generative-exponent", "1")
    outcome = run("design", *asked)
    assert outcome.status == 0 and outcome.out.startswith("He3(z1)\n  information exponent  3  [exact]")
    document = document_of(run("design", *asked, "--json"))
    found = ha.design(information_exponent=3, generative_exponent=1)
    assert document == {"schema_version": 1, **found.to_dict()}
    assert document["designs"][0]["target"] == "He3(z1)" and document["is_smallest"] is True


@pytest.mark.cases(2)
@pytest.mark.parametrize(
    ("options", "target"),
    [
        (("--leap-orders", "1,3", "--polynomial"), "z1 + He3(z2)"),
        (("--alpha-c", "0.4,0.6"), "abs(z1)"),
        (("--alpha-c", "pi**2/4", "--discrete"), "sign(z1*z2)"),
        (("--alpha-c", "inf", "--not-polynomial"), "sign(z1*z2*z3)"),
        (("--grand-staircase", "0,1,3", "--grand-orders", "2,2"), "z1*sign(z2*z3)"),
        (("--activation", "relu", "--steps", "1", "--dimension", "1"), "z1"),
    ],
)
def test_options(run, options, target):
    outcome = run("design", *options, "--json")
    assert outcome.status == 0
    assert document_of(outcome)["designs"][0]["target"] == target


@pytest.mark.slow
def test_nothing_found_exits_with_1(run):
    asked = ("--information-exponent", "5", "--generative-exponent", "5", "--dimension", "1")
    outcome = run("design", *asked, "--seconds", "4", "--json")
    document = document_of(outcome)
    assert outcome.status == 1 and document["designs"] == []
    assert document["search"]["met"]["information_exponent"]["first"] == "He5(z1)"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--staircase", "0,2"), "no target has a staircase 0 -> 2: C_1 is one vector"),
        (("--staircase", "0;1"), "--staircase is '0;1'; whole numbers between commas are accepted"),
        ((), "no property is asked for; accepted: dimension"),
        (("--dimension", "9"), "dimension is 9; a whole number from 1 to 8 is accepted"),
    ],
)
def test_refusals(run, options, message):
    outcome = run("design", *options)
    assert outcome.status == 2 and outcome.out == "" and message in outcome.err
    assert outcome.err.count("\n") == 1
