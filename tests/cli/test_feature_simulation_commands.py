"""`simulate random-features` and `simulate small-step`: documents, flags, and what is refused."""

import jsonschema
import pytest

from hermite_analytics.numeric import simulate
from hermite_analytics.schemas import schema

FEATURES = (
    *("simulate", "random-features", "--activation", "tanh", "--target", "sign(z1)", "--beta", "1"),
    *("--ridge", "0.1", "--d", "20", "--seeds", "2"),
)
STEP = (
    *("simulate", "small-step", "--activation", "tanh", "--target", "tanh(z1)", "--eta", "4", "--beta", "2"),
    *("--ridge", "0.2", "--noise", "0.09", "--d", "20", "--seeds", "2"),
)


@pytest.mark.slow
@pytest.mark.parametrize(
    "command",
    [
        (*FEATURES, "--alpha", "1,2", "--loss", "logistic"),
        (*FEATURES, "--alpha", "2", "--features", "tangent"),
        (*STEP, "--alpha", "4,5", "--ridge", "0.1,0.2"),
        (*STEP, "--alpha", "4", "--steps", "1,2", "--batches", "fresh", "--features", "equivalent"),
        (*STEP, "--alpha", "4", "--alpha0", "8", "--eta-power", "0.5", "--gradient-factor", "2"),
    ],
    ids=["logistic", "tangent", "two sequences", "steps", "large step"],
)
def test_documents(run, command):
    outcome = run(*command, "--json")
    assert (outcome.status, outcome.err) == (0, "")
    jsonschema.Draft202012Validator(schema("simulate")).validate(outcome.document)


def test_numbers_are_those_of_the_library(run):
    document = run(*STEP, "--alpha", "4,5", "--ridge", "0.1,0.2", "--json").document
    found = simulate(
        "small-step", activation="tanh", target="tanh(z1)", eta=4, beta=2, noise=0.09, d=20, seeds=2,
        alpha=[4, 5], ridge=[0.1, 0.2],
    ).results  # fmt: skip
    row = next(row for row in document["results"] if (row["alpha"], row["ridge"]) == (5, 0.1))
    assert row["gain"]["mean"] == pytest.approx(found["gain"].mean[1, 0])
    assert row["kernel"]["alignment"]["mean"] == pytest.approx(found["kernel_alignment"].mean[1])
    assert row["weights"]["alignment"]["mean"] == pytest.approx(float(found["weights_alignment"].mean))


def test_table(run):
    outcome = run(*FEATURES, "--alpha", "1,2")
    assert outcome.status == 0 and "random-features: d = 20" in outcome.out


@pytest.mark.parametrize(
    ("command", "message"),
    [
        (
            (*FEATURES, "--alpha", "2", "--loss", "huber"),
            "the loss 'huber' has no threshold; huber:D with a number D > 0 is accepted",
        ),
        (
            (*FEATURES, "--alpha", "2", "--noise", "1", "--loss", "hinge"),
            "noise is 1; the loss 'hinge' takes",
        ),
        ((*STEP,), "none is given of alpha and n: exactly one is accepted"),
        ((*STEP, "--alpha", "4", "--gradient-factor", "3"), "gradient_factor is 3: accepted are 1 and 2"),
    ],
)
def test_refusals(run, command, message):
    outcome = run(*command)
    assert (outcome.status, outcome.out) == (2, "")
    assert message in outcome.err and len(outcome.err.strip().splitlines()) == 1
