"""`solve random-features`, `solve small-step`, `solve large-step`."""

from __future__ import annotations

import pytest

from hermite_analytics.numeric import LargeStep, RandomFeatures, SmallStep

TANH = ("--activation", "tanh(z)", "--target", "tanh(z1)")
SIGN = ("--activation", "tanh(z)", "--target", "sign(z1)")
POINT = ("--alpha", "4", "--beta", "2", "--ridge", "0.2", "--noise", "0.09")


def test_random_features(run):
    outcome = run(
        "solve", "random-features", *TANH, "--alpha", "1,4", "--beta", "2", "--ridge", "0,0.2", "--json"
    )
    assert outcome.status == 0 and outcome.err == ""
    rows = outcome.document["results"]
    assert [(row["alpha"], row["ridge"]) for row in rows] == [(1, 0), (1, 0.2), (4, 0), (4, 0.2)]
    found = RandomFeatures("tanh(z)", "tanh(z1)").solve(alpha=[[1], [4]], beta=2, ridge=[0, 0.2])
    assert [row["test_error"] for row in rows] == found.test_error.ravel().tolist()
    assert rows[0]["overlaps"]["V"] == "inf" and rows[3]["overlaps"]["M"] == found.overlaps["M"][1, 1]


def test_classification(run):
    arguments = ("--alpha", "2", "--beta", "1.5", "--ridge", "0.1", "--loss", "logistic", "--json")
    (row,) = run("solve", "random-features", *SIGN, *arguments).document["results"]
    assert row["test_error"] == pytest.approx(0.255524242282329, rel=1e-12)
    assert row["train_error"] == pytest.approx(0.33006321037275155, rel=1e-12)
    assert row["linear_floor"] is None and row["status"] == "converged"


def test_a_loss_of_one_s_own_and_a_degree(run):
    common = ("--alpha", "2", "--beta", "1.5", "--ridge", "0.1", "--json")
    own = run("solve", "random-features", *SIGN, *common, "--loss", "softplus(-y*x)").document["results"][0]
    named = run("solve", "random-features", *SIGN, *common, "--loss", "logistic").document["results"][0]
    assert own["test_error"] == pytest.approx(named["test_error"], rel=1e-12)
    two = run(
        "solve", "random-features", "--activation", "relu(z)", "--target", "He2(z1)", "--degree", "2", *common
    )
    expected = RandomFeatures("relu(z)", "He2(z1)", degree=2).solve(alpha=2, beta=1.5, ridge=0.1)
    assert two.document["results"][0]["test_error"] == expected.test_error
    assert two.document["parameters"]["degree"] == 2


def test_the_peak_is_an_answer(run):
    outcome = run("solve", "random-features", *TANH, "--alpha", "2", "--beta", "2", "--ridge", "0", "--json")
    assert outcome.status == 0
    assert outcome.document["results"][0]["status"] == "infinite"
    assert outcome.document["results"][0]["test_error"] == "inf"


@pytest.mark.slow
def test_small_step(run):
    outcome = run("solve", "small-step", *TANH, *POINT, "--eta", "0,4", "--json")
    assert outcome.status == 0 and outcome.err == ""
    none, row = outcome.document["results"]
    expected = SmallStep("tanh(z)", "tanh(z1)").solve(eta=4, alpha=4, beta=2, ridge=0.2, noise=0.09)
    assert row["weights"] == dict(expected.weights) and row["kernel"] == dict(expected.kernel)
    for name in ("risk_before", "risk_after", "gain", "train_before", "train_after"):
        assert row[name] == getattr(expected, name)
    assert none["gain"] == 0.0 and row["scope"] == "theorem"


def test_gradient_factor_and_scope(run):
    arguments = ("--activation", "softplus(z)", "--target", "tanh(z1)", *POINT, "--json")
    twice = run("solve", "small-step", *arguments, "--eta", "2", "--gradient-factor", "2")
    once = run("solve", "small-step", *arguments, "--eta", "4")
    assert twice.document["results"][0]["gain"] == once.document["results"][0]["gain"]
    assert twice.err.startswith("outside the theorem: the activation is not shown to be odd")


@pytest.mark.slow
def test_large_step(run):
    (row,) = run("solve", "large-step", *TANH, "--json").document["results"]
    expected = LargeStep("tanh(z)", "tanh(z1)").solve()
    assert (row["tau"], row["scale"]) == (expected.tau, expected.scale)
    (never,) = run(
        "solve", "large-step", "--activation", "sign(z)", "--target", "sign(z1)", "--json"
    ).document["results"]
    assert (never["tau"], never["scale"]) == (0.0, "inf")


@pytest.mark.slow
def test_tables_for_people(run):
    for arguments in (
        ("random-features", *TANH, *POINT),
        ("small-step", *TANH, *POINT, "--eta", "4"),
        ("large-step", *TANH),
    ):
        outcome = run("solve", *arguments)
        assert outcome.status == 0 and arguments[0] in outcome.out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("random-features", *TANH, "--alpha", "1", "--beta", "1"), "Missing option '--ridge'"),
        (("random-features", *TANH, *POINT, "--loss", "cos(y-x)"), "is not convex in x"),
        (
            ("random-features", *TANH, *POINT, "--loss", "log"),
            "unknown loss 'log'; accepted: square, huber:D",
        ),
        (("random-features", *TANH, *POINT, "--loss", "hinge"), "labels 1 and -1"),
        (("random-features", *TANH, *POINT, "--loss", "(y-x"), "an opening parenthesis is never closed"),
        (("random-features", *TANH, *POINT, "--degree", "0"), "degree is 0; accepted: 1 to 20"),
        (("small-step", *TANH, *POINT), "Missing option '--eta'"),
        (("small-step", *TANH, *POINT, "--eta", "-1"), "eta is -1"),
        (("small-step", *TANH, *POINT, "--eta", "1", "--gradient-factor", "3"), "'3' is not one of '1', '2'"),
        (("large-step", "--activation", "tanh(z)", "--target", "z1*z2"), "takes a target of z1 alone"),
    ],
)
def test_bad_input_is_one_sentence(run, arguments, message):
    outcome = run("solve", *arguments)
    assert outcome.status == 2 and outcome.out == ""
    assert message in outcome.err and "Traceback" not in outcome.err
    assert len(outcome.err.strip().splitlines()) <= 3


@pytest.mark.slow
def test_losses_at_their_best_ridges_are_one_table(run):
    flags = ("--activation", "erf(z)", "--target", "sign(z1)", "--beta", "1", "--ridge", "optimal")
    document = run(
        "solve", "random-features", *flags, "--alpha", "1,2", "--loss", "square,hinge", "--json"
    ).document
    rows = document["results"]
    assert [(row["alpha"], row["loss"]) for row in rows] == [
        (alpha, loss) for alpha in (1, 2) for loss in ("square", "hinge")
    ]
    assert document["parameters"]["loss"] == ["square", "hinge"]
    assert document["parameters"]["ridge"] == "optimal"
    for row in rows:
        one = RandomFeatures("erf(z)", "sign(z1)", row["loss"])
        found = one.solve(alpha=row["alpha"], beta=1, ridge=row["ridge"])
        assert row["misclassification"] == pytest.approx(found.misclassification, rel=1e-12)
        assert row["square_error"] == pytest.approx(found.square_error, rel=1e-12)
        assert row["alternatives"] and row["status"] == "converged"
