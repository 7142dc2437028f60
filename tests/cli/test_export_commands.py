"""`export solve MODEL`: the file on standard output, bad input in one line."""

from __future__ import annotations

import pytest

from tests.standalone import rows_of

PROBLEM = ("--activation", "tanh(z)", "--target", "sin(z1)")
STEP = ("--alpha0", "20", "--eta", "3", "--beta", "1", "--ridge", "0.1")
ALPHAS = ("--alpha", "0.2,0.9,1.6,2.3,3.0")


def test_the_file_gives_the_numbers_of_solve(run, tmp_path):
    path = tmp_path / "curve.py"
    path.write_text(run("export", "solve", "spiked-random-features", *PROBLEM, *STEP).out, encoding="utf-8")
    solved = run("solve", "spiked-random-features", *PROBLEM, *STEP, *ALPHAS, "--json").document["results"]
    for found, exact in zip(rows_of(path, *ALPHAS), solved, strict=True):
        assert found["alpha"] == exact["alpha"]
        for name in ("test_error", "train_error"):
            assert found[name] == pytest.approx(exact[name], rel=1e-10)


def test_document_holds_the_file(run):
    words = ("export", "solve", "random-features", *PROBLEM, "--ridge", "0.1")
    document = run(*words, "--json").document
    assert document["file"] == run(*words).out and document["parameters"]["ridge"] == "0.1"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            ("spiked-random-features", *PROBLEM, "--ridge", "0.1,1"),
            "--ridge is 0.1,1; a file is exported with one",
        ),
        (("spiked-random-features", *PROBLEM, "--r", "1", "--eta", "1"), "eta and r exclude each other"),
        (("random-features", *PROBLEM, "--beta", "-1"), "beta is -1; an exported file takes beta > 0"),
        (
            ("state-evolution", "--target", "sign(z1*z2)"),
            "exported for labels of one coordinate without noise",
        ),
        (("bounds", *PROBLEM), "accepted: spiked-random-features, random-features, state-evolution"),
    ],
)
def test_bad_input_is_one_line(run, words, message):
    outcome = run("export", "solve", *words)
    assert (outcome.status, outcome.out) == (2, "")
    assert message in outcome.err and outcome.err.count("\n") == 1
