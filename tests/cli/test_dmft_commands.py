"""`solve dmft`: one result a step."""

from __future__ import annotations

import pytest

HE3 = ("solve", "dmft", "--activation", "tanh(z)", "--target", "He3(z1)", "--eta", "0.2", "--steps", "2")
LINEAR = ("solve", "dmft", "--activation", "z", "--target", "z1", "--alpha", "2", "--steps", "2")

pytestmark = pytest.mark.arrays  # a few points of many kernels


@pytest.mark.slow
def test_reference_numbers(run):
    outcome = run(*HE3, "--alpha", "3", "--json")
    rows = outcome.document["results"]
    assert outcome.status == 0 and outcome.err == ""
    assert [row["step"] for row in rows] == [0, 1, 2]
    assert rows[1]["overlap"] == [[pytest.approx(0.0, abs=1e-8)]]
    assert rows[2]["overlap"] == [[pytest.approx(-0.140956917, abs=1e-8)]]
    assert rows[2]["test_error"] == pytest.approx(6.42698, abs=3e-4)
    assert rows[2]["train_error"] == pytest.approx(5.369909, rel=1e-3)
    assert all(row["numerical_error"] < 1e-3 and row["status"] == "converged" for row in rows)


@pytest.mark.slow
def test_flags_reach_the_model(run):
    """A linear network in closed form, M_1 = (1 - eta ridge) m - eta alpha b (m - 1) and the like."""
    flags = ("--eta", "0.25", "--ridge", "0.4", "--schedule", "minibatch:0.5", "--overlap", "0.2", "--json")
    rows = run(*LINEAR, *flags).document["results"]
    assert rows[0]["overlap"] == [[0.2]]
    assert rows[1]["overlap"] == [[pytest.approx(0.9 * 0.2 - 0.25 * 2 * 0.5 * (0.2 - 1.0), abs=1e-9)]]
    heavy = run(*LINEAR, "--eta", "0.25", "--momentum", "0.5", "--json").document["results"]
    assert heavy[2]["overlap"] == [[pytest.approx(0.5 + 0.125 + 0.5 * 0.5, abs=1e-9)]]
    pair = run(*LINEAR, "--eta", "0.25", "--readout", "1,-1", "--json").document["results"]
    assert pair[1]["overlap"] == [[pytest.approx(0.5)], [pytest.approx(-0.5)]]
    correlated = run(*LINEAR, "--eta", "0.25", "--loss", "correlation", "--json").document["results"]
    assert correlated[2]["overlap"] == [[pytest.approx(1.0)]]


def test_look_aheads_of_each_sample(run):
    """A linear network moves as with (1 - reuse) eta: M_1 = 0.8 * 0.25 * 2."""
    found = run(*LINEAR, "--eta", "0.25", "--reuse", "0.2", "--json").document
    assert found["results"][1]["overlap"] == [[pytest.approx(0.4)]] and found["parameters"]["reuse"] == 0.2
    network = ("simulate", "full-batch", *LINEAR[2:], "--eta", "0.25", "--d", "300", "--reuse", "0.2")
    shown = run(*network, "--exact-law", "--json").document
    assert shown["results"][0]["overlap"][1][0][0]["mean"] == pytest.approx(0.4, abs=0.1)
    assert shown["parameters"]["reuse"] == 0.2


@pytest.mark.slow
def test_a_trained_readout(run, tmp_path):
    """a_1 = 1 - readout_eta (E h^2 - E h y) = 1 - readout_eta at M_0 = 0."""
    rows = run(*LINEAR, "--eta", "0.25", "--readout-eta", "0.1,0.2", "--json").document["results"]
    found = [(row["readout_eta"], row["trained_readout"]) for row in rows if row["step"] == 1]
    assert found == [(0.1, [pytest.approx(0.9)]), (0.2, [pytest.approx(0.8)])]
    path = tmp_path / "run.toml"
    path.write_text(
        'model = "dmft"\nactivation = "z"\ntarget = "z1"\nalpha = 2\neta = 0.25\nsteps = 1\n'
        "readout_eta = 0.1\n"
    )
    same = run("solve", "--problem", str(path), "--json").document
    assert same["results"][1]["trained_readout"] == [pytest.approx(0.9)]
    fixed = run(*LINEAR, "--eta", "0.25", "--json").document
    assert "trained_readout" not in fixed["results"][0]
    network = ("simulate", "full-batch", *LINEAR[2:], "--eta", "0.25", "--d", "200", "--readout-eta", "0.1")
    shown = run(*network, "--exact-law", "--json").document["results"][0]
    assert shown["trained_readout"][1][0]["mean"] == pytest.approx(0.9, abs=0.1)


@pytest.mark.slow
def test_rows_of_norm_one(run):
    """The first step over its norm, in the limit and in a network."""
    plain = run(*LINEAR, "--eta", "0.25", "--json").document["results"][1]
    found = run(*LINEAR, "--eta", "0.25", "--spherical", "--json").document
    row = found["results"][1]
    assert row["norm"] == [[pytest.approx(1.0)]] and found["parameters"]["spherical"] is True
    assert row["overlap"][0][0] == pytest.approx(plain["overlap"][0][0] / plain["norm"][0][0] ** 0.5)
    network = ("simulate", "full-batch", *LINEAR[2:], "--eta", "0.25", "--d", "100", "--spherical")
    shown = run(*network, "--exact-law", "--json").document["results"][0]
    assert shown["norm"][2][0][0]["mean"] == pytest.approx(1.0)


def test_rows_of_a_grid(run):
    flags = ("--activation", "z", "--target", "z1", "--steps", "1", "--eta", "0.1,0.2", "--alpha", "1,2")
    rows = run("solve", "dmft", *flags, "--json").document["results"]
    found = [(row["eta"], row["alpha"], row["step"], row["overlap"][0][0]) for row in rows]
    expected = [(e, a, t, pytest.approx(e * a * t)) for e in (0.1, 0.2) for a in (1, 2) for t in (0, 1)]
    assert found == expected
    fresh = ("solve", "dmft", "--activation", "z", "--target", "z1", "--steps", "2", "--eta", "0.1")
    seen = run(*fresh, "--schedule", "one-pass:1", "--json").document["results"]
    assert {row["alpha"] for row in seen} == {2.0}


@pytest.mark.slow
def test_the_error_that_is_asked_for(run, tmp_path):
    """A step of tanh from a start with overlap, found to 1e-7; with no time the third is left as it is."""
    start = (*HE3[:-1], "1", "--alpha", "3", "--overlap", "0.5", "--json")
    coarse = run(*start).document["results"][1]
    fine = run(*start, "--tolerance", "1e-7").document
    assert fine["results"][1]["numerical_error"] <= 1e-7
    assert fine["results"][1]["overlap"][0][0] == pytest.approx(coarse["overlap"][0][0], abs=1e-3)
    assert "tolerance" not in fine["parameters"]
    path = tmp_path / "run.toml"
    path.write_text(
        'model = "dmft"\nactivation = "relu"\ntarget = "z1 + z1*z2"\nreadout = [1, -1]\nalpha = 3\n'
        "eta = 0.3\nsteps = 2\ntolerance = 1e-6\nseconds = 0.01\n"
    )
    outcome = run("solve", "--problem", str(path), "--json")
    assert outcome.status == 1
    assert {row["status"] for row in outcome.document["results"]} == {"time_ended"}


def test_a_problem_file(run, tmp_path):
    path = tmp_path / "run.toml"
    path.write_text(
        'model = "dmft"\nactivation = "z"\ntarget = "z1"\nreadout = [1, -1]\n'
        "alpha = 2\neta = 0.25\nsteps = 1\n"
        'overlap = "0.5;-0.5"\n'
    )
    rows = run("solve", "--problem", str(path), "--json").document["results"]
    assert rows[0]["overlap"] == [[0.5], [-0.5]]
    assert rows[1]["overlap"] == [[pytest.approx(0.5)], [pytest.approx(-0.5)]]


def test_text_for_people_and_a_divergence(run):
    outcome = run(*LINEAR, "--eta", "0.25")
    assert outcome.status == 0 and "2402.03220" in outcome.out and "overlap" in outcome.out
    outcome = run(*LINEAR[:-1], "9", "--eta", "1000", "--json")
    rows = outcome.document["results"]
    assert outcome.status == 1 and rows[1]["status"] == "converged" and rows[-1]["status"] == "diverged"
    assert rows[-1]["overlap"] == [[None]]


@pytest.mark.parametrize(
    ("flags", "text"),
    [
        (("--eta", "0.1", "--schedule", "adam"), "schedule is 'adam'; accepted: full, minibatch:b"),
        (("--eta", "0.1", "--overlap", "a;b"), "--overlap is 'a;b'; accepted: rows of numbers"),
        (("--eta", "0.1", "--overlap", "0.1,0.2"), "overlap has shape (1, 2); accepted: (1, 1)"),
        (("--eta", "0.1", "--loss", "squared"), "loss is 'squared'; accepted: correlation"),
        (("--eta", "0.1", "--momentum", "2"), "momentum is 2; accepted"),
        (("--eta", "0.1", "--tolerance", "2"), "tolerance is 2.0; a number in (0, 1) is accepted"),
        (("--eta", "0.1", "--seconds", "0"), "--seconds is '0'; a number > 0 is accepted"),
        (("--eta", "0.1", "--reuse", "0.1,0.2"), "--reuse"),
        (("--eta", "0.1", "--steps", "1000", "--activation", "tanh"), "seconds is 30, and 1000 gradients"),
        (("--eta", "0.1", "--tolerance", "x"), "'x' is not a valid float"),
    ],
)
def test_bad_input_is_one_line(run, flags, text):
    outcome = run(*LINEAR, *flags)
    assert outcome.status == 2 and text in outcome.err
    assert len(outcome.err.strip().splitlines()) == 1


def test_what_is_below_its_error_stands_with_it(run):
    out = run(*HE3, "--alpha", "3").out
    cells = [line.split("│")[2].strip() for line in out.splitlines() if line.startswith("│")]
    assert cells[0] == "0"
    value, error = map(float, cells[1].split(" ± "))  # 0 in exact arithmetic, for He3 has no part along He1
    assert 0 < abs(value) <= error < 1e-6
    assert cells[2].startswith("-0.1409") and "±" not in cells[2]


def test_a_trajectory_has_a_row_a_step(run, tmp_path):
    table = tmp_path / "steps.csv"
    flags = ("--activation", "z", "--target", "z1", "--alpha", "2", "--eta", "0.25", "--steps", "2")
    outcome = run("simulate", "full-batch", *flags, "--d", "20", "--seeds", "3", "--csv", str(table))
    shown = [line.split("│") for line in outcome.out.splitlines() if line.startswith("│")]
    assert [cells[1].strip() for cells in shown if cells[1].strip()] == ["0", "1", "2"]
    head, *rows = table.read_text(encoding="utf-8").splitlines()
    step = head.split(",").index("step")
    assert [row.split(",")[step] for row in rows] == ["0", "1", "2"] and "overlap_stderr" in head


def test_a_terminal_sees_how_far_a_run_is(run, monkeypatch):
    """Standard error has a bar on a terminal alone; what is printed is the same."""
    network = ("simulate", "full-batch", *LINEAR[2:], "--eta", "0.25", "--d", "100", "--exact-law", "--json")
    plain = [run(*LINEAR, "--eta", "0.25", "--json"), run(*network)]
    monkeypatch.setenv("FORCE_COLOR", "1")  # a terminal, for rich
    shown = [run(*LINEAR, "--eta", "0.25", "--json"), run(*network)]
    assert [outcome.err for outcome in plain] == ["", ""]
    assert "solving" in shown[0].err and "simulating full-batch" in shown[1].err
    assert all(a.document["results"] == b.document["results"] for a, b in zip(plain, shown, strict=True))


@pytest.mark.slow
def test_noise_inside_of_a_target(run):
    """Labels sign(z1 + xi/2) of both commands: by seed 0 the first overlaps agree within 5/sqrt(n)."""
    training = ("--activation", "tanh(z)", "--target", "sign(z1 + xi/2)", "--loss", "logistic")
    training += ("--alpha", "2", "--eta", "0.5", "--steps", "1", "--json")
    theory = run("solve", "dmft", *training).document["results"][1]["overlap"]
    network = ("simulate", "full-batch", *training, "--d", "200", "--seeds", "1")
    for law in ((), ("--exact-law",)):
        found = run(*network, *law).document["results"][0]["overlap"][1]
        assert found[0][0]["mean"] == pytest.approx(theory[0][0], abs=5 / 400**0.5)
