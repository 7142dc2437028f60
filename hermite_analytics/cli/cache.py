"""`hermite-analytics cache --show | --clear`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from hermite_analytics.cli.output import json_option, print_json
from hermite_analytics.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hermite_analytics.codegen.cache import CacheEntry

__all__ = ["command"]


@click.command("cache")
@click.option("--show", is_flag=True, help="List the kernels on disk.")
@click.option(
    "--clear", is_flag=True, help="Remove the kernels on disk; they are compiled again when needed."
)
@json_option
def command(show: bool, clear: bool, as_json: bool) -> None:
    """Show or clear the compiled kernels that are kept on disk.

    HERMITE_ANALYTICS_CACHE names another folder, HERMITE_ANALYTICS_CACHE_LIMIT another limit in MiB.
    """
    from hermite_analytics.codegen.cache import cache_directory, cache_entries, cache_limit, clear_cache

    if show == clear:
        raise InputError(
            f"{'both' if show else 'neither'} of --show and --clear given; accepted: one of them"
        )
    limit = cache_limit()
    removed = clear_cache() if clear else None
    entries = cache_entries()
    folder = str(cache_directory())
    if as_json:
        print_json(_document(folder, limit, entries, removed))
        return
    if removed is not None:
        click.echo(f"removed {_modules(removed[0])}, {_size(removed[1])}")
    click.echo(f"folder: {folder}")
    used = sum(entry.size for entry in entries)
    click.echo(f"used: {_size(used)} of {_size(limit)} in {_modules(len(entries))}")
    if entries:
        _print_entries(entries)


def _document(
    folder: str, limit: int, entries: Sequence[CacheEntry], removed: tuple[int, int] | None
) -> dict[str, object]:
    return {
        "folder": folder,
        "limit": limit,
        "bytes": sum(entry.size for entry in entries),
        "modules": [
            {
                "name": entry.name,
                "description": entry.description,
                "bytes": entry.size,
                "last_used": entry.last_used.isoformat(timespec="seconds"),
            }
            for entry in entries
        ],
        "removed": None if removed is None else {"modules": removed[0], "bytes": removed[1]},
    }


def _print_entries(entries: Sequence[CacheEntry]) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    console = Console()
    if not console.is_terminal:  # a file or a pipe is not cut at 80 columns
        console = Console(width=140)
    table = Table()
    table.add_column("kernel", no_wrap=True)
    table.add_column("computes", overflow="fold")
    table.add_column("size", justify="right", no_wrap=True)
    table.add_column("last used", no_wrap=True)
    for entry in entries:
        when = entry.last_used.astimezone().strftime("%Y-%m-%d %H:%M")
        # short as long as it is one of a kind; what a file says of itself is no markup
        table.add_row(entry.name.rpartition("_")[2][:12], Text(entry.description), _size(entry.size), when)
    console.print(table)


def _modules(count: int) -> str:
    return f"{count} kernel{'' if count == 1 else 's'}"


def _size(count: int) -> str:
    return f"{count / 2**20:.4g} MiB" if count >= 2**20 else f"{count / 2**10:.3g} KiB"
