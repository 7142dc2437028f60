"""Ctrl-C and --resume of the command on real simulations: nothing is lost, the report is that of one go.

The quick suite is run whole by `.ci/run`, with the installed wheel; `test_killed.py` has the kills.
"""

import json
import os
import signal
import sqlite3
import subprocess
import sys
import time

import jsonschema
import pytest

from hermite_analytics.cli import main
from hermite_analytics.schemas import schema

SUITE = """
title = "Small simulations, many of them"

[[studies]]
id = "step"
title = "A giant step"
sizes = [40, 60]
seeds = [200, 100]
looks = 2

[studies.experiment]
protocol = "giant-step"
activation = "tanh"
target = "sin(z1)"
alpha0 = 2.0
eta = 1.5
beta = 0.5
alpha = [0.1]
ridge = 0.1
test = 0.1

[[studies.claims]]
id = "r"
statement = "The mean displacement of the rows has the predicted length r."
source = "arXiv 2402.04980, Result 3.1, eqs (8)-(12)"
observable = "r"
margin = { relative = 0.1 }
argument = "the squared length is a mean over neurons and samples: bias of order 1/d"
mutants = ["p-over-d"]

[[studies]]
id = "features"
title = "Spiked random features"
sizes = [20, 40]
seeds = [200, 100]
looks = 2

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
margin = { absolute = 0.15 }
argument = "a smooth functional of the resolvent"
mutants = ["gamma-one"]
"""

# A test run in the background may ignore Ctrl-C, and a process inherits that: here it listens again.
CODE = (
    "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); "
    "from hermite_analytics.cli import main; main()"
)


def start(suite, out):
    return subprocess.Popen(
        [sys.executable, "-c", CODE, "validate", str(suite), "--out", str(out), "--workers", "2"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def cells(out):
    """Numbers of the cells stored so far, by key."""
    path = out / "results.sqlite"
    if not path.exists():
        return {}
    try:
        with sqlite3.connect(f"file:{path}?mode=ro", uri=True, timeout=10) as connection:
            return dict(connection.execute("SELECT key, result FROM cells"))
    except sqlite3.OperationalError:  # the tables are not there yet
        return {}


def wait_for(process, out, count):
    deadline = time.monotonic() + 120
    while len(cells(out)) < count:
        assert process.poll() is None and time.monotonic() < deadline, process.communicate()
        time.sleep(0.02)


@pytest.fixture
def ended(capsys):
    """ended(suite, folder, ...) -> the document of a run to its end, here, without its clock and places."""

    def call(suite, out, *flags):
        with pytest.raises(SystemExit) as stop:
            main(["validate", str(suite), "--out", str(out), "--workers", "1", "--json", *flags])
        captured = capsys.readouterr()
        assert (stop.value.code or 0, captured.err) == (0, "")
        document = json.loads(captured.out)
        jsonschema.validate(document, schema("validate"))
        return {k: v for k, v in document.items() if k not in ("seconds", "environment", "report")}

    return call


@pytest.mark.slow
def test_a_run_that_was_interrupted_ends_as_one_in_one_go(tmp_path, ended):
    suite, out = tmp_path / "suite.toml", tmp_path / "out"
    suite.write_text(SUITE)
    with start(suite, out) as process:
        wait_for(process, out, 50)
        os.killpg(process.pid, signal.SIGINT)  # as a terminal does: coordinator and workers
        printed, complaint = process.communicate(timeout=60)
    assert (process.returncode, printed) == (130, "")
    assert complaint.strip() == "hermite-analytics: interrupted"
    interrupted = cells(out)
    document = ended(suite, out, "--resume")
    whole = cells(out)
    assert 50 <= len(interrupted) < len(whole) and interrupted.items() <= whole.items()  # nothing was lost
    assert document == ended(suite, tmp_path / "undisturbed")
    assert [claim["status"] for claim in document["claims"]] == ["passed", "passed"]
    assert [m["status"] for claim in document["claims"] for m in claim["mutants"]] == ["failed", "failed"]
