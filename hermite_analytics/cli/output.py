"""What commands print: one JSON document, or tables for people; progress goes to standard error."""

from __future__ import annotations

import json
import math
import os
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

from hermite_analytics.foundation.json import JSON
from hermite_analytics.rendering.provenance import kept

if TYPE_CHECKING:
    from rich.console import RenderableType

    from hermite_analytics.evidence import Quantity


__all__ = [
    "JSON_HELP",
    "json_of",
    "json_option",
    "json_text",
    "print_json",
    "print_table",
    "progress_bar",
    "quantity_text",
]

JSON_HELP = "Print one JSON document and nothing else."
json_option = click.option("--json", "as_json", is_flag=True, help=JSON_HELP)


def print_json(document: Mapping[str, object]) -> None:
    """Print a document with its schema version; NaN is null, an infinite number the text "inf"."""
    click.echo(json_text(document))


def json_text(document: Mapping[str, object]) -> str:
    """A document with its schema version and the versions that made it, as text."""
    whole = {str(k): json_of(v) for k, v in document.items()}
    return json.dumps(kept(whole), indent=1, allow_nan=False)


def json_of(value: Any) -> JSON:
    """What is printed of a value: NaN is null, an infinite number the text "inf"."""
    if isinstance(value, Mapping):
        return {str(k): json_of(v) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [json_of(v) for v in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None if math.isnan(value) else ("inf" if value > 0 else "-inf")
    plain: JSON = value
    return plain


def quantity_text(quantity: Quantity) -> str:
    """A number for people: its closed form, or its digits with their error."""
    closed = quantity.closed_text
    if closed is not None:
        return closed
    return f"{quantity.value:.15g} ± {quantity.error:.1g}"


def print_table(
    rows: Sequence[Mapping[str, object]], *, title: str | None = None, most: int | None = None
) -> None:
    """A table for people: one row a result, nested mappings as their own columns.

    With `most`, rows in the middle of a longer table are left out and counted. Columns that a terminal has no
    room for stand below, beside the first one again; a single row is then a list.
    """
    from rich.console import Console

    constant, shown = _columns([_flatten(row) for row in rows])
    console = Console()
    if not console.is_terminal:  # a file or a pipe is not cut at 80 columns
        console = Console(width=max(100, 1 + sum(_sizes(shown).values())))
    if constant:
        console.print(", ".join(f"{n} = {cell}" for n, cell in constant.items()), soft_wrap=True)
    if title:
        console.print(title, style="italic", soft_wrap=True)
    left_out = 0 if most is None else max(0, len(rows) - most)
    if left_out:
        first = (len(rows) - left_out + 1) // 2
        for cells in shown.values():
            cells[first : first + left_out] = ["..."]
    for table in _tables(shown, console.width):
        console.print(table)
    if left_out:
        console.print(f"{left_out} of {len(rows)} rows are left out here; the file has all", soft_wrap=True)


def _tables(shown: Mapping[str, list[str]], width: int) -> Iterator[RenderableType]:
    """One, or as many as the width asks for; of a single row that does not fit the list of its columns."""
    from rich.table import Table

    blocks = _that_fit(shown, width)
    if len(blocks) > 1 and all(len(cells) == 1 for cells in shown.values()):
        table = Table.grid(padding=(0, 2))
        for name, cells in shown.items():
            table.add_row(name, *cells)
        yield table
        return
    for names in blocks:
        table = Table()
        for name in names:
            table.add_column(name, justify="right", overflow="fold")
        for line in zip(*(shown[name] for name in names), strict=True):
            table.add_row(*line)
        yield table


def _that_fit(shown: Mapping[str, list[str]], width: int) -> list[list[str]]:
    """The columns of each table, the first one in all of them."""
    sizes = _sizes(shown)
    blocks: list[list[str]] = []
    room = 0
    for name in shown:
        if not blocks or sizes[name] > room:
            blocks.append([name] if not blocks else [next(iter(shown)), name])
            room = width - 1 - sum(sizes[n] for n in blocks[-1])
        else:
            blocks[-1].append(name)
            room -= sizes[name]
    return blocks


def _sizes(shown: Mapping[str, list[str]]) -> dict[str, int]:
    """The widths of columns, with what stands between them."""
    return {name: 3 + max(map(len, [name, *cells])) for name, cells in shown.items()}


def _columns(rows: Sequence[Mapping[str, object]]) -> tuple[dict[str, str], dict[str, list[str]]]:
    """The cells by name: of columns where several rows have the same one, and of all others."""
    names = dict.fromkeys(name for row in rows for name in row)
    columns = {name: [_cell(row.get(name)) for row in rows] for name in names}
    same = {name for name, cells in columns.items() if len(cells) > 1 and len(set(cells)) == 1}
    constant = {name: columns[name][0] for name in names if name in same}
    return constant, {name: columns[name] for name in names if name not in same}


def _flatten(row: Mapping[str, object]) -> dict[str, object]:
    """Columns of a row; where two groups share a name, all of their entries stand behind the group's."""
    groups = {name: v for name, v in row.items() if isinstance(v, Mapping) and "mean" not in v}
    count = Counter(entry for group in groups.values() for entry in group)
    flat: dict[str, object] = {}
    for name, value in row.items():
        if name not in groups:
            flat[name] = value
        elif any(count[entry] > 1 for entry in groups[name]):
            flat |= {f"{name} {entry}": x for entry, x in groups[name].items()}
        else:
            flat |= groups[name]
    return flat


def _cell(value: object) -> str:
    if value is None or (isinstance(value, Mapping) and value.get("mean", 0.0) is None):
        return "-"
    if isinstance(value, Mapping):
        stderr = value["stderr"]
        return f"{value['mean']:.6g}" + ("" if stderr is None else f" ± {stderr:.1g}")
    if isinstance(value, list):
        return ", ".join(_cell(v) for v in value)
    return f"{value:.8g}" if isinstance(value, float) else str(value)


@contextmanager
def progress_bar(description: str) -> Iterator[Callable[[int, int], None]]:
    """A callback progress(done, total) that draws a bar on standard error if that is a terminal.

    Until it is called for the first time the bar says that work goes on, and for how long it has.
    """
    if not (sys.stderr.isatty() or os.environ.get("FORCE_COLOR")):  # as rich has it
        yield lambda done, total: None
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    console = Console(stderr=True)
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task(description, total=None)

        def advance(done: int, total: int) -> None:
            bar.update(task, completed=done, total=total)

        yield advance
