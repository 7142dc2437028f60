"""What a terminal shows of a long command: standard error alone, and nothing where it is no terminal."""

from __future__ import annotations

import contextlib
import io
import sys

import pytest

from hermite_analytics.cli import output
from hermite_analytics.cli.solve import answer


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.mark.parametrize("flags", [("--target", "z1**2", "--alpha", "0.6,1.2,2")])
def test_state_evolution_says_how_far_it_is(run, monkeypatch, flags):
    reports = []

    @contextlib.contextmanager
    def recorded(description):
        yield lambda done, total: reports.append((description, done, total))

    monkeypatch.setattr(answer, "progress_bar", recorded)
    assert run("solve", "state-evolution", *flags).status == 0
    assert reports == [("solving state-evolution", done, 3) for done in (1, 2, 3)]


def test_a_bar_on_a_terminal_and_none_elsewhere(monkeypatch):
    for stream, expected in ((Terminal(), True), (io.StringIO(), False)):
        monkeypatch.setattr(sys, "stderr", stream)
        with output.progress_bar("solving") as progress:
            progress(1, 2)
        assert ("solving" in stream.getvalue()) is expected


def test_analyze_shows_that_it_works(run, monkeypatch):
    """Bars are not drawn inside one another, and the answer stands on standard output alone."""
    plain = run("analyze", "z1*z2")
    shown = Terminal()
    monkeypatch.setattr(sys, "stderr", shown)
    assert run("analyze", "z1*z2").out == plain.out
    assert "analysing" in shown.getvalue()
