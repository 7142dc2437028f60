"""kill -9 at random moments: nothing finished is lost, no cell changes, the report is the same in the end."""

from __future__ import annotations

import json
import os
import random
import re
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest

from hermite_analytics.validation import runner
from hermite_analytics.validation.campaign.store import STORE_NAME
from hermite_analytics.validation.runner import draw_report, run_suite
from tests.validation.synthetic import SyntheticExperiment, study, suite

STUDIES = (
    study(),
    study("noisy", SyntheticExperiment(noise=0.5, pause=0.003)),
    study("wrong", SyntheticExperiment(theory=(1.5,), noise=0.2, pause=0.003)),
    study("short", SyntheticExperiment(noise=2.0, pause=0.003), looks=3),
)
SUITE = suite(*STUDIES)

CODE = """
import sys
from pathlib import Path
if __name__ == "__main__":
    from hermite_analytics.validation import runner
    from tests.validation.test_killed import SUITE
    log = open(sys.argv[2], "w")
    def note(state):
        log.write(f"{state.cells}\\n")
        log.flush()
    runner.code_version = lambda: "one"
    runner.run_suite(SUITE, Path(sys.argv[1]), workers=int(sys.argv[3]), resume=True, progress=note)
"""


@pytest.fixture(autouse=True)
def one_version(monkeypatch):
    """Cells stay valid if somebody edits the simulator while these tests run."""
    monkeypatch.setattr(runner, "code_version", lambda: "one")


def stored(out: Path) -> dict[str, list[str]]:
    """Cells by key, read without touching the file."""
    path = out / STORE_NAME
    if not path.exists() or not path.stat().st_size:
        return {}
    with sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True) as connection:
        if not connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
            return {}
        return {key: value for key, *value in connection.execute("SELECT key, seed, result FROM cells")}


def results(cells: dict[str, list[str]]) -> dict[str, object]:
    """What was simulated, without the process that did it."""
    return {key: json.loads(result)["error"] for key, (_, result) in cells.items()}


def without_clock(out: Path) -> tuple[object, str]:
    """results.json and the page without times, machine and folder."""
    document = json.loads((out / "results.json").read_text())
    for name in ("seconds", "environment", "report"):
        document.pop(name)
    page = (out / "report.html").read_text().replace(str(out), "")
    page = re.sub(r"<p class=\"quiet\">[^<]* of wall time[^<]*</p>", "", page)
    return document, re.sub(r"<dt>processor time</dt><dd>[^<]*</dd>", "", page)


def kill_and_resume(tmp_path: Path, *, times: int, workers: int) -> None:
    moments = random.Random(7)
    script, out, log = tmp_path / "script.py", tmp_path / "out", tmp_path / "log"
    script.write_text(CODE)
    before: dict[str, list[str]] = {}
    command = [sys.executable, str(script), str(out), str(log), str(workers)]
    environment = {**os.environ, "PYTHONPATH": os.getcwd()}
    killed = 0
    while True:
        log.write_text("")
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "env": environment}
        with subprocess.Popen(command, **quiet) as process:
            if killed < times:
                deadline = time.monotonic() + 30
                while not log.read_text() and process.poll() is None and time.monotonic() < deadline:
                    time.sleep(0.01)
                # Early kills meet the start of a run, late ones its batches and looks.
                time.sleep(moments.uniform(0, 0.3))
                process.send_signal(signal.SIGKILL)
        after = stored(out)
        assert before.items() <= after.items()  # nothing lost, nothing changed
        reported = [int(line) for line in log.read_text().split("\n")[:-1]]
        assert len(after) >= max(reported, default=0)  # what was reported as done is there
        before = after
        if killed == times:
            assert process.returncode == 0
            break
        assert process.returncode in (-signal.SIGKILL, 0)
        killed += 1
    run_suite(SUITE, tmp_path / "undisturbed", workers=1)
    assert results(before) == results(stored(tmp_path / "undisturbed"))
    assert without_clock(out) == without_clock(tmp_path / "undisturbed")


@pytest.mark.slow
def test_a_report_is_drawn_while_another_process_computes(tmp_path):
    script, out, log = tmp_path / "script.py", tmp_path / "out", tmp_path / "log"
    script.write_text(CODE)
    log.write_text("")
    environment = {**os.environ, "PYTHONPATH": os.getcwd()}
    command = [sys.executable, str(script), str(out), str(log), "1"]
    with subprocess.Popen(command, env=environment) as process:
        deadline = time.monotonic() + 60
        while len(log.read_text().split()) < 12 and time.monotonic() < deadline:
            time.sleep(0.01)
        process.send_signal(signal.SIGSTOP)  # it holds its place while we look
        result = draw_report(SUITE, out)
        process.send_signal(signal.SIGCONT)
    assert process.returncode == 0
    assert not result.complete and result.inconclusive > 0
    final = json.loads((out / "results.json").read_text())
    assert final["complete"]
    run_suite(SUITE, tmp_path / "undisturbed", workers=1)
    assert without_clock(out) == without_clock(tmp_path / "undisturbed")


@pytest.mark.slow
def test_two_kills(tmp_path):
    kill_and_resume(tmp_path, times=2, workers=1)


@pytest.mark.slow
def test_twelve_kills(tmp_path):
    kill_and_resume(tmp_path, times=12, workers=2)
