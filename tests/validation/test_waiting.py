"""The script of waiting times runs, and its rows are commands that work."""

from __future__ import annotations

import pytest
from click.testing import CliRunner

from hermite_analytics.validation.benchmarks import waiting
from hermite_analytics.validation.benchmarks.waiting import ROWS, Row, main, measured


@pytest.mark.slow
def test_a_small_choice(monkeypatch):
    """Against a process that starts at once; the imports that others wait for are timed by no test."""
    monkeypatch.setattr(waiting, "ROWS", (Row(name="imports", arguments=("-c", "pass")), *ROWS[1:]))
    done = CliRunner().invoke(main, ["--repeats", "1", "--only", 'mu "erf'])
    assert done.exit_code == 0
    lines = [line for line in done.output.splitlines() if "(" in line]
    assert any("imports" in line and "1.00" in line for line in lines)
    assert any('mu "erf(z)"' in line for line in lines)


def test_rows_have_names_of_their_own():
    assert len({row.name for row in ROWS}) == len(ROWS) and ROWS[0].name == "imports"


def test_a_process_that_fails_says_what():
    with pytest.raises(SystemExit, match=r"^broken: exit status 3\n"):
        measured(Row(name="broken", arguments=("-c", "raise SystemExit(3)")), {})
