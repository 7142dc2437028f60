"""A command group whose commands are imported when they are used, so that --help is fast."""

from __future__ import annotations

import difflib
import importlib
from collections.abc import Mapping
from typing import Any

import click

__all__ = ["LazyGroup"]


class LazyGroup(click.Group):
    """Commands by name: (module that holds an object `command`, one-line help).

    Parameters
    ----------
    module : str
        Package of the modules.
    commands : mapping of str to (str, str)
    """

    def __init__(self, *args: Any, module: str, commands: Mapping[str, tuple[str, str]], **rest: Any) -> None:
        super().__init__(*args, **rest)
        self._module = module
        self._lazy = dict(commands)

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self._lazy)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self._lazy:
            return None
        module = importlib.import_module(f"{self._module}.{self._lazy[cmd_name][0]}")
        found: click.Command = module.command
        return found

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in self._lazy and not args[0].startswith("-"):
            close = difflib.get_close_matches(args[0][:40], self._lazy, n=1)
            hint = f"did you mean {close[0]}? " if close else ""
            ctx.fail(f"unknown command {args[0][:40]!r}; {hint}accepted: {', '.join(self._lazy)}")
        return super().resolve_command(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:  # click itself would print an empty line first
            raise click.Abort from None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, text) for name, (_, text) in self._lazy.items()])
