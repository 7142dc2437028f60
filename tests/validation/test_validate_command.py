"""`hermite-analytics validate`: output, exit status, folders, and errors of one line."""

import json

import jsonschema
import pytest

from hermite_analytics.cli import main
from hermite_analytics.schemas import schema
from hermite_analytics.validation import parse_suite, runner
from tests.validation.synthetic import SyntheticExperiment, study, suite

RIGHT = suite(study(), study("second", SyntheticExperiment(noise=0.2)))
MIXED = suite(
    study(),
    study("wrong", SyntheticExperiment(theory=(1.5,), noise=0.2)),
    study("short", SyntheticExperiment(noise=2.0), looks=1),
)
TINY = """
title = "A real simulation"

[[studies]]
id = "features"
title = "Spiked random features"
sizes = [20, 40]
seeds = [8, 4]
looks = 1

[studies.experiment]
protocol = "spiked-random-features"
activation = "tanh"
target = "sin(z1)"
r = 1.0
c = 1.1
gamma = 0.8
beta = 0.5
alpha = [1.0, 2.0]
ridge = 0.5
test = 4.0

[[studies.claims]]
id = "test-error"
statement = "The test error is as predicted."
source = "arXiv 2402.04980, Result 3.3"
observable = "test_error"
reduction = "mean-ratio"
margin = { absolute = 50 }
argument = "a smooth functional of the resolvent"
mutants = ["gamma-one"]
"""


@pytest.fixture
def run(capsys, monkeypatch):
    """run(suite, ...arguments) -> exit status, standard output, standard error."""

    def call(chosen, *arguments):
        monkeypatch.setattr(runner, "find_suite", lambda name: chosen)
        with pytest.raises(SystemExit) as stop:
            main(["validate", "synthetic", "--workers", "1", *map(str, arguments)])
        captured = capsys.readouterr()
        return int(stop.value.code or 0), captured.out, captured.err

    return call


def test_for_people(run, tmp_path):
    status, out, err = run(RIGHT, "--out", tmp_path / "out")
    first, second, counts, report = out.splitlines()
    assert status == 0 and err == ""
    assert first.startswith("passed       first/error: theory 2, simulation ") and "margin 0.1" in first
    assert second.startswith("passed       second/error: ")
    assert counts == "2 passed, 0 failed, 0 inconclusive"
    assert report == f"report: {tmp_path / 'out' / 'report.html'}"
    assert (tmp_path / "out" / "report.html").is_file()


@pytest.mark.slow
def test_for_machines(run, tmp_path):
    status, out, _ = run(MIXED, "--out", tmp_path, "--json")
    document = json.loads(out)
    jsonschema.validate(document, schema("validate"))
    assert next(iter(document)) == "schema_version"
    assert document == json.loads((tmp_path / "results.json").read_text())
    assert [claim["status"] for claim in document["claims"]] == ["passed", "failed", "inconclusive"]
    assert status == 1


@pytest.mark.cases(1)
@pytest.mark.parametrize(("studies", "status"), [((0,), 0), ((1,), 1), ((2,), 1), ((0, 2), 1)])
def test_exit_status(run, tmp_path, studies, status):
    assert run(suite(*(MIXED.studies[k] for k in studies)), "--out", tmp_path)[0] == status


@pytest.mark.slow
def test_folders(run, tmp_path):
    out, foreign = tmp_path / "out", tmp_path / "foreign"
    foreign.mkdir()
    (foreign / "thesis.tex").write_text("")
    assert run(RIGHT, "--out", out, "--resume")[0] == 0
    for arguments, message in (
        (
            ("--out", out),
            f"{out} holds earlier results; resume them or overwrite them (--resume, --overwrite)",
        ),
        (
            ("--out", out, "--resume", "--overwrite"),
            "resume and overwrite exclude each other; give one of them",
        ),
        (
            ("--out", foreign, "--overwrite"),
            f"{foreign} holds other files; a new or empty folder, or one of ours, is needed",
        ),
    ):
        assert run(RIGHT, *arguments) == (2, "", f"hermite-analytics: {message}\n")
    assert run(RIGHT, "--out", out, "--overwrite")[0] == 0
    (out / "results.sqlite").write_bytes((out / "results.sqlite").read_bytes()[:5000])
    status, printed, err = run(RIGHT, "--out", out, "--resume")
    assert (status, printed) == (2, "")
    assert (
        err.startswith(f"hermite-analytics: {out / 'results.sqlite'} is damaged (") and err.count("\n") == 1
    )


def test_unknown_suite(capsys, tmp_path):
    with pytest.raises(SystemExit) as stop:
        main(["validate", "nightly", "--out", str(tmp_path / "out")])
    assert stop.value.code == 2
    assert capsys.readouterr().err == (
        "hermite-analytics: 'nightly' is not a suite; accepted are quick, seeds; or the path of a file of "
        "claims, ending in .toml\n"
    )
    assert not (tmp_path / "out").exists()


@pytest.mark.slow
def test_ctrl_c_keeps_the_cells(run, tmp_path):
    stop = tmp_path / "stop"
    interruptible = suite(study(experiment=SyntheticExperiment(stop=str(stop))))
    stop.touch()
    status, printed, err = run(interruptible, "--out", tmp_path / "out")
    assert (status, printed, err.strip()) == (130, "", "hermite-analytics: interrupted")
    stop.unlink()
    assert run(interruptible, "--out", tmp_path / "out", "--resume")[0] == 0


def test_a_real_simulation(run, tmp_path):
    status, out, _ = run(parse_suite("tiny", TINY), "--out", tmp_path, "--json")
    (claim,) = json.loads(out)["claims"]
    assert status == 0 and claim["status"] == "passed" and claim["seeds"] == [8, 4]
    assert abs(claim["simulation"] - 1) < 0.5
    page = (tmp_path / "report.html").read_text()
    assert "simulate(&#39;spiked-random-features&#39;, activation=&#39;tanh&#39;" in page
