"""Every command line that the documentation shows is accepted: commands, flags and their types."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import click
import pytest

from hermite_analytics.cli import cli

ROOT = Path(__file__).resolve().parent.parent.parent
LINE = re.compile(r"^ *(hermite-analytics .+)$", re.MULTILINE)


def shown() -> list[tuple[str, str]]:
    """(page, command line), continued lines joined, comments and redirections left out."""
    found = []
    for page in [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]:
        text = page.read_text(encoding="utf-8").replace("\\\n", " ")
        found += [(str(page.relative_to(ROOT)), " ".join(line.split())) for line in LINE.findall(text)]
    return found


def arguments(line: str) -> list[str]:
    words = shlex.split(line, comments=True)[1:]
    return words[: words.index(">")] if ">" in words else words


def test_some_are_shown():
    assert len(shown()) > 25


@pytest.mark.parametrize(("page", "line"), shown())
def test_is_accepted(page, line):
    if "..." in line:
        pytest.skip("an abbreviated line")
    words = arguments(line)
    command: click.Command = cli
    context = click.Context(cli)
    while isinstance(command, click.Group):
        if words[0].startswith("-"):
            return  # a flag of the group
        name, *words = words
        found = command.get_command(context, name)
        assert found is not None, f"{page}: there is no command {name}"
        context, command = click.Context(found, parent=context, info_name=name), found
    if any(word.endswith((".toml", ".txt")) for word in words):
        pytest.skip("names a file of the reader")
    command.make_context(command.name, words, parent=context.parent)
