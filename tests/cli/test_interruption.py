"""Ctrl-C: one line on standard error and exit status 130."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

import pytest

from hermite_analytics.foundation.excused import Excused, interrupted

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


def test_a_signal_that_is_heard_within_a_callback_of_a_collection_is_told_again():
    """Python ignores what these raise: one interruption of ten was lost."""
    heard = []

    class Information(dict):
        def __getitem__(self, name):  # read by the callback, as its second frame
            heard.append(interrupted(signal.SIGINT, sys._getframe()))
            return 0

    def collect_and_wait():
        Excused(list).collection("start", Information())
        deadline = time.monotonic() + 20
        while time.monotonic() < deadline:
            time.sleep(0.01)

    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # whatever the process inherits
    try:
        with pytest.raises(KeyboardInterrupt):
            collect_and_wait()
    finally:
        signal.signal(signal.SIGINT, before)
    assert heard == [None]
    with pytest.raises(KeyboardInterrupt):
        interrupted(signal.SIGINT, sys._getframe())


@pytest.mark.cases(1)
@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no /dev/full")
@pytest.mark.parametrize("flags", [(), ("--json",)])
def test_output_that_cannot_be_written(flags):
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [sys.executable, "-c", CODE, "mu", "relu(z)", "--kappa", "1", "--c", "1", "--r", "1", *flags],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    expected = "hermite-analytics: the output cannot be written: No space left on device\n"
    assert (done.returncode, done.stderr) == (2, expected)


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
