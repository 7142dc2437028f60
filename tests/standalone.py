"""Running a file in an interpreter in which only the standard library and numpy can be imported."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

__all__ = ["check_lint", "rows_of", "run_alone"]

_GUARD = """
import importlib.abc, runpy, sys
class OnlyNumpy(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path, target=None):
        root = name.partition(".")[0]
        if root != "numpy" and root not in sys.stdlib_module_names:
            raise ModuleNotFoundError(f"{name} was imported: only numpy is there")
sys.meta_path.insert(0, OnlyNumpy())
sys.argv = sys.argv[1:]
runpy.run_path(sys.argv[0], run_name="__main__")
"""


def run_alone(path: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """The file as a script; warnings are errors."""
    command = [sys.executable, "-I", "-W", "error", "-c", _GUARD, str(path), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=path.parent)


def rows_of(path: Path, *arguments: str) -> list[dict[str, Any]]:
    """The results of an exported solver."""
    outcome = run_alone(path, *arguments, "--json")
    assert outcome.returncode == 0, outcome.stderr
    return json.loads(outcome.stdout)["results"]  # type: ignore[no-any-return]


def check_lint(path: Path) -> None:
    """`ruff check` with its default rules has nothing to say."""
    command = [sys.executable, "-m", "ruff", "check", "--isolated", "--no-cache", str(path)]
    outcome = subprocess.run(command, capture_output=True, text=True, check=False)
    assert outcome.returncode == 0, outcome.stdout
