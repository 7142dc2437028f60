"""A command group whose commands are imported when they are used, so that --help is fast."""

from __future__ import annotations

import difflib
import importlib
from collections.abc import Callable, Mapping, MutableMapping
from typing import TypedDict, Unpack

import click

__all__ = ["LazyGroup", "ModuleGroup"]


class Described(TypedDict, total=False):
    """What `click.group` hands to a group."""

    name: str | None
    callback: Callable[..., object]
    params: list[click.Parameter]
    help: str | None
    invoke_without_command: bool
    context_settings: MutableMapping[str, object]


class LazyGroup(click.Group):
    """Commands by name, made or imported one by one.

    Parameters
    ----------
    lines : mapping of str to str
        A line of help for each.
    """

    def __init__(self, *, lines: Mapping[str, str], **rest: Unpack[Described]) -> None:
        super().__init__(**rest)
        self._lines = dict(lines)

    def load(self, name: str) -> click.Command:
        """The command of a name."""
        raise NotImplementedError

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self._lines)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        return self.load(cmd_name) if cmd_name in self._lines else None

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in self._lines and not args[0].startswith("-"):
            close = difflib.get_close_matches(args[0][:40], self._lines, n=1)
            hint = f"did you mean {close[0]}? " if close else ""
            ctx.fail(f"unknown command {args[0][:40]!r}; {hint}accepted: {', '.join(self._lines)}")
        return super().resolve_command(ctx, args)

    def invoke(self, ctx: click.Context) -> object:
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:  # click itself would print an empty line first
            raise click.Abort from None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(self._lines.items()))


class ModuleGroup(LazyGroup):
    """Commands that are modules of their own.

    Parameters
    ----------
    module : str
        Package of the modules.
    commands : mapping of str to (str, str)
        By name: (module that holds an object `command`, one-line help).
    """

    def __init__(
        self, *, module: str, commands: Mapping[str, tuple[str, str]], **rest: Unpack[Described]
    ) -> None:
        super().__init__(lines={name: line for name, (_, line) in commands.items()}, **rest)
        self._modules = {name: f"{module}.{place}" for name, (place, _) in commands.items()}

    def load(self, name: str) -> click.Command:
        found: click.Command = importlib.import_module(self._modules[name]).command
        return found
