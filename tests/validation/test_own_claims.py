"""Files of claims on the command line: the example of the documentation, and what is refused in one line."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest

from hermite_analytics.cli import main
from hermite_analytics.schemas import schema

EXAMPLE = Path(__file__).resolve().parents[2] / "docs" / "examples" / "my_claims.toml"


@pytest.fixture
def run(capsys):
    """run(...arguments of validate) -> exit status, standard output, standard error."""

    def call(*arguments):
        with pytest.raises(SystemExit) as stop:
            main(["validate", *map(str, arguments)])
        captured = capsys.readouterr()
        return int(stop.value.code or 0), captured.out, captured.err

    return call


@pytest.mark.slow
def test_the_example_of_the_documentation(run, tmp_path):
    status, out, _ = run(EXAMPLE, "--out", tmp_path / "out", "--workers", "1", "--json")
    document = json.loads(out)
    jsonschema.validate(document, schema("validate"))
    assert status == 0 and document["passed"] == len(document["claims"]) == 4
    assert all(claim["discriminating"] in (True, None) for claim in document["claims"])
    assert all(m["status"] == "failed" for claim in document["claims"] for m in claim["mutants"])
    page = (tmp_path / "out" / "report.html").read_text()
    assert f"hermite-analytics validate {EXAMPLE} --only step/gamma --out" in page


def small(text):
    """The example with one seed pair a size: enough for a verdict of some kind, in no time."""
    return text.replace("[32, 22, 13]", "[2, 2]").replace("[100, 160, 240]", "[20, 40]")


def refusal(run, tmp_path, text, *arguments):
    """What a file is refused with; the folder must not have been made."""
    path = tmp_path / "mine.toml"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    status, out, err = run(path, "--out", tmp_path / "out", *arguments)
    assert (status, out) == (2, "") and err.count("\n") == 1 and not (tmp_path / "out").exists()
    start = f"hermite-analytics: suite '{path}': "
    return err.removeprefix(start).removeprefix("hermite-analytics: ").strip()


@pytest.mark.cases(5)
@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            "sizes = [100, 160, 240]",
            "sizes = [100]",
            "study 'step': sizes (100,) must be at least two distinct",
        ),
        (
            "beta = 0.5 ",
            "beta = 0.33 ",
            "study 'step': beta = 0.33 times d = 160 is 52.8; an integer >= 1 is needed",
        ),
        ("margin = { relative = 0.04 }\n", "", "claim 'gamma': the rule 'limit' needs a margin"),
        (
            'kind = "success-rate"',
            'kind = "rate"',
            "rule: Input tag 'rate' found using 'kind' does not match any of",
        ),
        (", threshold = 0.5", "", "rule.success-rate.threshold: Field required"),
        (
            "threshold = 0.5 }",
            'threshold = 0.5 }\nrelation = "at_least"',
            "claim 'learned': the rule 'success-rate' accepts the relation 'equal', not 'at_least'",
        ),
        (
            'kind = "success-rate", threshold = 0.5 }',
            'kind = "slope" }\nmargin = { absolute = 0.1 }',
            "study 'step', claim 'learned': the rule 'slope' needs sizes over a factor of 4 or more, "
            "not (100, 160, 240)",
        ),
        ('protocol = "giant-step"', "", "study 'step': experiment.protocol is missing; accepted are "),
        ('observable = "gamma"', 'observable = "speed"', "claim 'gamma': the theory has r, c, gamma, "),
        (
            'activation = "z + sin(2*z)/2"',
            'activation = "z + sinus(2*z)/2"',
            "study 'step': ",
        ),
        (
            'mutants = ["gamma-one"]   ',
            'expected = 0.5\nmutants = ["gamma-one"]   ',
            "claim 'gamma': expected and mutants exclude each other",
        ),
        ("title =", "titel =", "title: Field required"),
    ],
)
def test_faults_are_one_line(run, tmp_path, old, new, message):
    text = EXAMPLE.read_text()
    assert old in text
    given = refusal(run, tmp_path, text.replace(old, new, 1), "--workers", "1")
    assert message in given, given


@pytest.mark.slow
def test_a_fault_that_a_worker_finds(run, tmp_path):
    text = EXAMPLE.read_text().replace('mutants = ["gamma-one"]   ', 'mutants = ["two"] ', 1)
    given = refusal(run, tmp_path, text, "--workers", "2")
    assert given.startswith("study 'step': 'two' is not a mutant; accepted are ")


def test_what_is_not_toml(run, tmp_path):
    assert "is not TOML: " in refusal(run, tmp_path, "title: a")
    assert "is not UTF-8 text; a TOML file of claims is needed" in refusal(run, tmp_path, b"\xff\xfe\x00")
    assert "is longer than 1000000 bytes" in refusal(run, tmp_path, "#" * 1_000_001)
    assert refusal(run, tmp_path, 'title = "a"\nstudies = []').endswith("has no study")


def test_a_file_that_is_not_there(run, tmp_path):
    for name, reason in (("none.toml", "No such file or directory"), (".toml", "Is a directory")):
        path = tmp_path / name
        if name == ".toml":
            path.mkdir()
        status, _, err = run(path, "--out", tmp_path / "out")
        assert (status, err) == (2, f"hermite-analytics: {path} cannot be read: {reason}\n")


def test_flags(run, tmp_path):
    out = tmp_path / "out"
    for arguments, message in (
        (("--only", "stop"), "'stop' is not a study or claim of '{}'; its studies are step, features"),
        (
            ("--workers", "2", "--scheduler", "tcp://a:1"),
            "workers and scheduler exclude each other; give one",
        ),
        (("--report-only",), f"{out} holds no results; the folder of an earlier run is needed"),
        (("--report-only", "--resume"), "--report-only computes nothing; give only --out, --only and --json"),
    ):
        status, printed, err = run(EXAMPLE, "--out", out, *arguments)
        assert (status, printed) == (2, "") and message.format(EXAMPLE) in err and err.count("\n") == 1
        assert not out.exists()


def test_an_unreachable_scheduler(run, tmp_path, monkeypatch):
    pytest.importorskip("distributed", reason="dask.distributed is not installed")
    from hermite_analytics.executors import cluster

    monkeypatch.setattr(cluster, "_CONNECT_SECONDS", 1)
    status, printed, err = run(EXAMPLE, "--out", tmp_path / "out", "--scheduler", "tcp://127.0.0.1:1")
    assert (status, printed) == (2, "") and err.count("\n") == 1 and not (tmp_path / "out").exists()
    assert err.startswith("hermite-analytics: the scheduler 'tcp://127.0.0.1:1' does not answer (")


@pytest.mark.slow
def test_one_claim_of_a_file_and_its_report_again(run, tmp_path):
    path, out = tmp_path / "mine.toml", tmp_path / "out"
    path.write_text(small(EXAMPLE.read_text()))
    _, printed, _ = run(path, "--out", out, "--only", "step/learned", "--workers", "1", "--json")
    first = json.loads(printed)
    assert [claim["id"] for claim in first["claims"]] == ["step/learned"] and first["complete"]
    (out / "report.html").unlink()
    _, printed, _ = run(path, "--out", out, "--only", "step/learned", "--report-only", "--json")
    again = json.loads(printed)
    assert again["claims"] == first["claims"] and (out / "report.html").is_file()
    status, printed, _ = run(path, "--out", out, "--report-only")
    assert status == 1 and "cells are still missing; --resume computes them" in printed
    assert "No look yet" in (out / "report.html").read_text()
