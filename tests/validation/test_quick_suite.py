"""The quick suite itself, interrupted and killed on the way: every claim passes, every mutant is rejected."""

import json
import os
import signal
import sqlite3
import subprocess
import sys
import time

import jsonschema
import pytest

from hermite_analytics.schemas import schema

pytestmark = pytest.mark.slow

# A test run in the background may ignore Ctrl-C, and a process inherits that: here it listens again.
CODE = (
    "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); "
    "from hermite_analytics.cli import main; main()"
)
COMMAND = [sys.executable, "-c", CODE, "validate", "quick"]


def start(out, *flags):
    return subprocess.Popen(
        [*COMMAND, "--out", str(out), "--workers", "2", *flags],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def cells(out):
    path = out / "results.sqlite"
    if not path.exists():
        return 0
    try:
        with sqlite3.connect(f"file:{path}?mode=ro", uri=True, timeout=10) as connection:
            return connection.execute("SELECT count(*) FROM cells").fetchone()[0]
    except sqlite3.OperationalError:  # the tables are not there yet
        return 0


def wait_for(process, out, count):
    deadline = time.monotonic() + 120
    while cells(out) < count:
        assert process.poll() is None and time.monotonic() < deadline, process.communicate()
        time.sleep(0.05)


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """(document, cells after Ctrl-C, cells after the kill), of a run that met both."""
    out = tmp_path_factory.mktemp("quick") / "out"
    with start(out) as process:
        wait_for(process, out, 300)
        os.killpg(process.pid, signal.SIGINT)  # as a terminal does: coordinator and workers
        printed, complaint = process.communicate(timeout=60)
    assert (process.returncode, printed) == (130, "")
    assert complaint.strip() == "hermite-analytics: interrupted"
    interrupted = cells(out)
    with start(out, "--resume") as process:
        wait_for(process, out, interrupted + 300)
        process.kill()
    killed = cells(out)
    with start(out, "--resume", "--json") as process:
        printed, complaint = process.communicate(timeout=900)
    assert complaint == ""
    return json.loads(printed), interrupted, killed


def test_the_whole_suite(run):
    """One test, so that one process of several runs the suite."""
    document, interrupted, killed = run
    assert {claim["id"]: claim["status"] for claim in document["claims"] if claim["status"] != "passed"} == {}
    assert document["passed"] == len(document["claims"]) >= 30
    jsonschema.validate(document, schema("validate"))
    for claim in document["claims"]:  # every mutant is rejected
        assert claim["discriminating"] in (True, None), claim["id"]
        for mutant in claim["mutants"]:
            assert mutant["status"] == "failed", (claim["id"], mutant["name"])
    assert 300 <= interrupted < killed  # nothing was lost
