"""kill -9 at chosen moments: nothing finished is lost, no cell changes, the report is the same in the end."""

from __future__ import annotations

import json
import os
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


@pytest.fixture(scope="module", autouse=True)
def one_version():
    """Cells stay valid if somebody edits the simulator while these tests run."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(runner, "code_version", lambda: "one")
        yield


@pytest.fixture(scope="module")
def undisturbed(one_version, tmp_path_factory):
    """The folder of a run in one go."""
    out = tmp_path_factory.mktemp("undisturbed") / "out"
    run_suite(SUITE, out, workers=1)
    return out


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


def reported(log: Path) -> int:
    """Cells that the process has reported as done; its last line may still be on its way."""
    return max((int(line) for line in log.read_text().split("\n")[:-1]), default=0)


def begun(out: Path, log: Path, cells: int) -> bool:
    """Whether so many cells are reported; with 0, whether the run has made its store."""
    return reported(log) >= cells if cells else (out / STORE_NAME).exists()


def kill_and_resume(folder: Path, undisturbed: Path, *, moments: tuple[int, ...], workers: int) -> None:
    """Kill a run each time that it has reported a number of cells; the last resumption goes to its end."""
    script, out, log = folder / "script.py", folder / "out", folder / "log"
    script.write_text(CODE)
    before: dict[str, list[str]] = {}
    command = [sys.executable, str(script), str(out), str(log), str(workers)]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    for moment in (*moments, None):
        log.write_text("")
        with subprocess.Popen(command, **quiet, env={**os.environ, "PYTHONPATH": os.getcwd()}) as process:
            if moment is not None:
                deadline = time.monotonic() + 60
                while not begun(out, log, moment):
                    assert process.poll() is None and time.monotonic() < deadline
                    time.sleep(0.002)
                process.kill()
        assert process.returncode == (0 if moment is None else -signal.SIGKILL)
        after = stored(out)
        assert before.items() <= after.items()  # nothing lost, nothing changed
        assert len(after) >= reported(log)  # what was reported as done is there
        before = after
    assert results(before) == results(stored(undisturbed))
    assert without_clock(out) == without_clock(undisturbed)


@pytest.mark.slow
def test_a_report_is_drawn_while_another_process_computes(tmp_path, undisturbed):
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
    assert without_clock(out) == without_clock(undisturbed)


@pytest.mark.slow
@pytest.mark.parametrize(("workers", "moments"), [(1, (0, 60)), (2, (4, 300))])
def test_kills(tmp_path, undisturbed, workers, moments):
    """When the store is made, after the first batch, between later looks, and in the last study."""
    kill_and_resume(tmp_path, undisturbed, moments=moments, workers=workers)
