"""Command lines that repeat a run or a part of it, for reports."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path

__all__ = ["run_command"]


def run_command(suite: str, folder: Path, *, only: Sequence[str] = ()) -> str:
    """The command that runs a suite, or some of its studies and claims, again.

    Examples
    --------
    >>> run_command("quick", Path("my report"), only=["step/r"])
    "hermite-analytics validate quick --only step/r --out 'my report' --overwrite"
    """
    words = ["hermite-analytics", "validate", suite]
    for name in only:
        words += ["--only", name]
    return shlex.join([*words, "--out", str(folder), "--overwrite"])
