"""Help names exactly what exists, and is quick."""

from __future__ import annotations

import click
import pytest

from hermite_analytics.cli import cli


def commands(group, before=()):
    """The path of every command under a group."""
    context = click.Context(group)
    for name in group.list_commands(context):
        found = group.get_command(context, name)
        if isinstance(found, click.Group):
            yield from commands(found, (*before, name))
        else:
            yield (*before, name)


def test_commands(run):
    outcome = run("--help")
    assert outcome.status == 0
    for name in {path[0] for path in commands(cli)}:
        assert f"  {name} " in outcome.out


@pytest.mark.parametrize("group", ["solve", "simulate"])
def test_models(run, group):
    shown = run(group, "--help").out.split("Commands:")[1].splitlines()
    listed = {line.split()[0] for line in shown if line.startswith("  ") and line[2:3].strip()}
    assert listed == {path[1] for path in commands(cli) if path[0] == group}


@pytest.mark.parametrize("command", sorted(commands(cli)))
def test_every_command_explains_itself(run, command):
    outcome = run(*command, "--help")
    assert outcome.status == 0
    assert "--json" in outcome.out and outcome.out.startswith("Usage: hermite-analytics")


def test_version(run):
    from hermite_analytics import __version__

    assert __version__ in run("--version").out
