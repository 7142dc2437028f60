"""`simulate sgd`, `simulate reuse` and `simulate three-layer`: documents, flags, and what is refused."""

import jsonschema
import pytest

from hermite_analytics.numeric import simulate
from hermite_analytics.schemas import schema

SGD = ("simulate", "sgd", "--activation", "relu", "--target", "z1 + z1*z2", "--d", "30", "--seeds", "2")
REUSE = ("simulate", "reuse", "--activation", "relu(z)", "--target", "He3(z1)", "--d", "30", "--seeds", "2")
TREE = ("simulate", "three-layer", "--degrees", "2,3", "--epsilon", "0.5", "--d", "16", "--seeds", "2")

COMMANDS = {
    "sgd": (*SGD, "--rate", "0.5,1", "--time", "1,2", "--overlap", "0.2:0.1"),
    "sgd from a random start": (*SGD, "--rate", "0.5", "--time", "1", "--loss", "square", "--plain"),
    "committee": (*SGD, "--rate", "1", "--time", "1", "--p", "2", "--readout", "1:-1", "--overlap",
                  "0.2:0.1;0:0.3"),
    "extra-gradient": (*SGD, "--rate", "1", "--time", "1", "--reuse", "0,0.1", "--noise", "0.1"),
    "reuse": (*REUSE, "--time", "1,2"),
    "batches": (*REUSE, "--alpha", "2,3", "--reuse", "1,2", "--method", "batch-reuse"),
    "one seed": (*REUSE, "--n", "10", "--seeds", "1", "--init", "random"),
    "proxy": (*TREE, "--kappa", "1,1.5", "--scenario", "proxy"),
    "kernel": (*TREE, "--n", "20,40", "--scenario", "1", "--ridge", "0.1,1"),
    "two layers": (*TREE, "--kappa", "1", "--scenario", "2", "--p1", "10", "--first-steps", "3"),
    "three layers": (*TREE, "--kappa", "1", "--scenario", "3", "--p1", "10", "--p2", "5", "--first-steps",
                     "3", "--second-steps", "3", "--dtype", "float32"),
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.arrays
@pytest.mark.parametrize("name", COMMANDS)
def test_documents_satisfy_the_schema(run, name):
    outcome = run(*COMMANDS[name], "--json")
    assert outcome.status == 0, outcome.err
    jsonschema.Draft202012Validator(schema("simulate")).validate(outcome.document)


@pytest.mark.slow
@pytest.mark.arrays
def test_sgd_says_what_the_library_says(run):
    document = run(*COMMANDS["sgd"], "--json").document
    assert [(row["rate"], row["time"]) for row in document["results"]] == [(0.5, 1), (0.5, 2), (1, 1), (1, 2)]
    found = simulate("sgd", activation="relu", target="z1 + z1*z2", d=30, seeds=2, rate=1, time=[1, 2],
                     overlap=[0.2, 0.1])  # fmt: skip
    row = document["results"][3]
    assert [one["mean"] for one in row["overlap"]] == pytest.approx(found.results["overlap"].mean[1].tolist())
    assert row["learned"] == found.conclusions["learned"][1]
    assert document["parameters"]["overlap"] == "0.2:0.1" and document["parameters"]["method"] == "sgd"


def test_reuse_needs_only_a_problem(run):
    document = run(*REUSE, "--json").document
    assert len(document["results"]) == 1
    given = document["parameters"]
    assert (given["rate"], given["time"], given["reuse"], given["n"]) == (0.01, 50.0, 0.1, 1)
    assert (given["method"], given["loss"], given["init"]) == ("extra-gradient", "square", "zero")


def test_three_layer_lists(run):
    document = run(*COMMANDS["kernel"], "--json").document
    assert document["parameters"]["degrees"] == [2, 3]
    assert [(row["n"], row["ridge"]) for row in document["results"]] == [
        (20, 0.1), (20, 1.0), (40, 0.1), (40, 1.0),
    ]  # fmt: skip


def test_tables_for_people(run):
    for name in ("sgd", "reuse", "proxy"):
        outcome = run(*COMMANDS[name])
        assert outcome.status == 0 and "overlap" in outcome.out and "±" in outcome.out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            (*SGD, "--rate", "1", "--time", "1", "--overlap", "a:b"),
            "--overlap is 'a:b'; accepted: M, M1:M2 for two directions, M1:M2;M1:M2 for two neurons",
        ),
        (
            (*SGD, "--rate", "1", "--time", "1", "--overlap", "0.2"),
            "overlap has shape (); accepted: (2,) for 1 neurons and 2 directions, with any axes before",
        ),
        (
            (*SGD, "--rate", "1", "--time", "1", "--readout", "1:x"),
            "--readout is '1:x'; accepted: ones, signs, gaussian, or numbers as A1:A2:...",
        ),
        (
            (*REUSE, "--method", "batch-reuse", "--reuse", "0.5"),
            "reuse is 0.5 with the method 'batch-reuse': how often each batch is used, an integer >= 1, is "
            "accepted",
        ),
        (
            (*TREE[:3], "2.5", *TREE[4:], "--kappa", "1", "--scenario", "1"),
            "degrees is [2.5]; integers from 2 to 100 are accepted, such as (2, 3)",
        ),
        ((*TREE, "--scenario", "1"), "none is given of kappa and n: exactly one is accepted"),
    ],
)
def test_bad_input_is_one_line(run, arguments, message):
    outcome = run(*arguments, "--json")
    assert outcome.status == 2 and outcome.out == ""
    assert outcome.err == f"hermite-analytics: {message}\n"
