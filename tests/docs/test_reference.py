"""Every public name is documented, with an example that runs, and is listed in the reference."""

from __future__ import annotations

import doctest
import importlib
import inspect
import re
from pathlib import Path

import pytest

REFERENCE = Path(__file__).resolve().parent.parent.parent / "docs" / "reference"
PAGES = {
    "hermite_analytics": "symbolic.md",
    "hermite_analytics.numeric": "numeric.md",
    "hermite_analytics.validation": "validation.md",
}
# symbols and the version: no docstrings of their own
DATA = {"__version__", "c", "gamma", "kappa", "r", "z"}


def public(module: str) -> list[str]:
    return [name for name in importlib.import_module(module).__all__ if name not in DATA]


NAMES = [(module, name) for module in PAGES for name in public(module)]


@pytest.mark.parametrize(("module", "name"), NAMES, ids=lambda x: x)
def test_has_a_docstring_with_an_example(module, name):
    thing = getattr(importlib.import_module(module), name)
    text = inspect.getdoc(thing) or ""
    summary = text.split("\n\n")[0]
    assert summary.endswith((".", ":")) or "\n" not in summary, f"{name}: no summary line"
    assert doctest.DocTestParser().get_examples(text), f"{module}.{name} has no example"


@pytest.mark.parametrize("module", PAGES)
def test_is_listed_in_the_reference(module):
    text = (REFERENCE / PAGES[module]).read_text(encoding="utf-8")
    listed = re.findall(r"^   ([A-Za-z_]+)$", text, re.MULTILINE)
    assert sorted(listed) == sorted(public(module)), f"docs/reference/{PAGES[module]}"
    assert re.findall(r"currentmodule:: (\S+)", text) == [module] * text.count("currentmodule")


def test_commands_are_listed():
    from hermite_analytics.cli import cli

    text = (REFERENCE / "command_line.md").read_text(encoding="utf-8")
    for command in cli.list_commands(None):
        assert f"`{command}" in text, f"docs/reference/command_line.md lacks {command}"
