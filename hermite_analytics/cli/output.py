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

    With `most`, rows in the middle of a longer table are left out and counted.
    """
    from rich.console import Console
    from rich.table import Table

    flat = [_flatten(row) for row in rows]
    names = list(dict.fromkeys(name for row in flat for name in row))
    constant = [n for n in names if len(flat) > 1 and len({_cell(row.get(n)) for row in flat}) == 1]
    shown = [n for n in names if n not in constant]
    console = Console()
    if not console.is_terminal:  # a file or a pipe is not cut at 80 columns
        console = Console(width=max(100, 16 * len(shown)))
    if constant:
        console.print(", ".join(f"{n} = {_cell(flat[0].get(n))}" for n in constant), soft_wrap=True)
    table = Table(title=title, title_justify="left")
    for name in shown:
        table.add_column(name, justify="right", overflow="fold")
    left_out = 0 if most is None else max(0, len(flat) - most)
    first = (len(flat) - left_out + 1) // 2
    for row in flat[:first]:
        table.add_row(*(_cell(row.get(name)) for name in shown))
    if left_out:
        table.add_row(*["..."] * len(shown))
    for row in flat[first + left_out :]:
        table.add_row(*(_cell(row.get(name)) for name in shown))
    console.print(table)
    if left_out:
        console.print(f"{left_out} of {len(flat)} rows are left out here; the file has all", soft_wrap=True)


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
