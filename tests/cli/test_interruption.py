"""Ctrl-C: one line on standard error and exit status 130."""

from __future__ import annotations

import signal
import subprocess
import sys
import time

import pytest

# Ctrl-C is heard whatever the process inherits
CODE = (
    "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); "
    "from hermite_analytics.cli import main; main()"
)


def test_one_line(run, monkeypatch):
    def interrupted(*arguments, **options):
        raise KeyboardInterrupt

    monkeypatch.setattr("hermite_analytics.expansion.hermite", interrupted)
    outcome = run("hermite", "tanh(z1)", "--degree", "3")
    assert (outcome.status, outcome.out, outcome.err) == (130, "", "hermite-analytics: interrupted\n")


@pytest.mark.slow
def test_signal_during_a_long_enclosure():
    # minutes of work, if nobody stops it
    command = ["hermite", "tanh(z1*z2)*softplus(z1*z2)", "--degree", "8", "--seconds", "600"]
    with subprocess.Popen(
        [sys.executable, "-c", CODE, *command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        time.sleep(4)  # past the imports
        assert process.poll() is None
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    assert (process.returncode, out, err) == (130, "", "hermite-analytics: interrupted\n")
