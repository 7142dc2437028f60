"""`analyze` and `staircase`: documents, files of targets, bad input."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time

import jsonschema
import pytest

from hermite_analytics.schemas import schema

EXPONENTS = ("leap_complexity", "isotropic_leap", "generative_exponent")
STAIRCASES = ("staircase", "leap_decomposition", "grand_staircase")


def test_analyze(run):
    outcome = run("analyze", "z1 + He2(z1)*z2 + He2(z2)*z3", "--json")
    assert outcome.status == 0 and outcome.err == ""
    found = outcome.document
    jsonschema.validate(found, schema("analyze"))
    assert found["leap_complexity"]["value"] == found["generative_exponent"]["value"] == 1
    assert found["staircase"]["dimensions"] == [0, 1, 2, 3]
    assert found["weak_recovery"]["trivial_dimension"] == 3
    assert [stage["dimension"] for stage in found["weak_recovery"]["stages"]] == [3]


@pytest.mark.slow
def test_a_target_with_a_jump(run):
    found = run("analyze", "He4(z1) + sign(z1*z2*z3)", "--json").document
    assert [found[name]["value"] for name in ("leap_index", *EXPONENTS)] == [3, 3, 3, 2]
    stages = found["weak_recovery"]["stages"]
    assert [stage["dimension"] for stage in stages] == [1, 2]
    assert stages[0]["alpha_c"]["value"] == pytest.approx(0.6878534500784219, rel=1e-8)
    assert stages[1]["alpha_c"]["exact"] == "pi**2/4"


def test_a_hard_target(run):
    found = run("analyze", "z1**2*exp(-z1**2)", "--json").document
    assert found["generative_exponent"]["value"] == 4
    assert found["weak_recovery"]["hard_dimension"] == 1
    assert found["weak_recovery"]["alpha_c"]["value"] == "inf"


def test_staircase_is_a_part_of_analyze(run):
    part = run("staircase", "z1 + z2 + z1*z2", "--json").document
    jsonschema.validate(part, schema("staircase"))
    assert list(part) == ["schema_version", "versions", *EXPONENTS, *STAIRCASES]
    assert part["leap_complexity"]["value"] == 1 and part["isotropic_leap"]["value"] == 2
    assert part["staircase"]["limit_dimension"] == 1
    whole = run("analyze", "z1 + z2 + z1*z2", "--json").document
    assert part == {name: whole[name] for name in part}


def test_a_target_may_start_with_a_minus(run):
    assert run("analyze", "--json", "--", "-z1").document["target"] == "-z1"
    assert run("staircase", "--json", "--", "-z1").document["leap_complexity"]["value"] == 1


def test_text_for_people(run):
    card = run("analyze", "z1*z2")
    assert card.status == 0 and "generative exponent" in card.out and "2 |==|" in card.out
    drawn = run("staircase", "z1*z2")
    assert drawn.status == 0 and "isotropic leap: 2  [exact]" in drawn.out
    said = run("analyze", "z1*z2", "--explain")
    assert said.status == 0 and "First nonzero tensor" in said.out


@pytest.mark.slow
def test_activation(run):
    found = run("analyze", "z1 + He2(z1)*z2", "--activation", "tanh", "--json").document
    jsonschema.validate(found, schema("analyze"))
    assert found["activation"] == "tanh" and found["learns"] is not None


def lines(text: str) -> list[dict]:
    return [json.loads(line) for line in text.splitlines()]


@pytest.mark.slow
def test_a_file_of_targets(run, tmp_path):
    path = tmp_path / "targets.txt"
    path.write_text("# two targets\n\nz1*z2  # a product\n  sign(z1)\n", encoding="utf-8")
    outcome = run("analyze", "--file", str(path), "--workers", "1")
    assert outcome.status == 0 and outcome.err == ""
    found = lines(outcome.out)
    assert [document["target"] for document in found] == ["z1*z2", "sign(z1)"]
    for document in found:
        jsonschema.validate(document, schema("analyze"))
        assert document["schema_version"] == 1


@pytest.mark.slow
def test_a_bad_line_is_a_line_with_its_error(run, tmp_path):
    path = tmp_path / "targets.txt"
    path.write_text("z1\nz1 +\nexp(z1**2)\nz2", encoding="utf-8")
    outcome = run("analyze", "--file", str(path), "--workers", "1", "--json")
    assert outcome.status == 2
    found = lines(outcome.out)
    assert [document["target"] for document in found] == ["z1", "z1 +", "exp(z1**2)", "z2"]
    assert ["error" in document for document in found] == [False, True, True, False]
    for document in found:
        jsonschema.validate(document, schema("analyze"))


@pytest.mark.slow
def test_a_file_over_processes_keeps_its_order(run, tmp_path):
    targets = ["z1**2*exp(-z1**2)", "z1", "nonsense", "z1*z2", "3", "abs(z1)"]
    path = tmp_path / "targets.txt"
    path.write_text("\n".join(targets), encoding="utf-8")
    outcome = run("analyze", "--file", str(path), "--workers", "2")
    assert outcome.status == 2
    assert [document["target"] for document in lines(outcome.out)] == targets


def test_an_empty_file(run, tmp_path):
    path = tmp_path / "targets.txt"
    path.write_text("# nothing\n", encoding="utf-8")
    outcome = run("analyze", "--file", str(path))
    assert (outcome.status, outcome.out) == (0, "")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("analyze",), "neither of TARGET and --file is given; one of them is accepted"),
        (("analyze", "z1 +"), "z1 +"),
        (("analyze", "exp(z1**2)"), "has no mean: E|f| is infinite"),
        (("analyze", "z1", "--seconds", "0"), "--seconds"),
        (("analyze", "z1", "--activation", "tanh(x)"), "'x'"),
        (("analyze", "--file", "nowhere.txt"), "nowhere.txt"),
        (("analyze", "--file", "."), "is a directory"),
        (("staircase", "y"), "unknown name 'y'"),
        (("staircase",), "Missing argument 'TARGET'"),
    ],
)
def test_bad_input(run, arguments, message):
    outcome = run(*arguments)
    assert outcome.status == 2 and outcome.out == ""
    assert outcome.err.startswith("hermite-analytics: ") and message in outcome.err
    assert "Traceback" not in outcome.err and len(outcome.err.splitlines()) in (1, 3)


def test_both_a_target_and_a_file(run, tmp_path):
    path = tmp_path / "targets.txt"
    path.write_text("z1")
    outcome = run("analyze", "z1", "--file", str(path))
    assert outcome.status == 2 and "both of TARGET and --file is given" in outcome.err


def test_a_file_that_is_no_text(run, tmp_path):
    path = tmp_path / "targets.txt"
    path.write_bytes(b"\xff\xfe\x00z1")
    outcome = run("analyze", "--file", str(path))
    assert outcome.status == 2 and "is not a text file; UTF-8 is accepted" in outcome.err


@pytest.mark.slow
def test_an_interruption_ends_the_processes(tmp_path):
    path = tmp_path / "targets.txt"
    path.write_text("tanh(z1*z2)*softplus(z1*z2)\n" * 4, encoding="utf-8")
    code = (
        "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); "
        "from hermite_analytics.cli import main; main()"
    )
    command = [sys.executable, "-c", code, "analyze", "--file", str(path), "--workers", "2"]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    ) as process:
        time.sleep(4)  # past the imports
        os.killpg(process.pid, signal.SIGINT)  # as a terminal does it
        _, err = process.communicate(timeout=60)
    assert (process.returncode, err) == (130, "hermite-analytics: interrupted\n")
