"""The progress bar of a simulation: seeds done, and the rate of its matrix products."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

__all__ = ["simulation_progress"]


@contextmanager
def simulation_progress(description: str) -> Iterator[Callable[[float, int, float], None]]:
    """A callback progress(done, total, products) that draws a bar on standard error if that is a terminal.

    `products` are the floating-point operations of the matrix products so far; 0 if they are not counted.
    """
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    console = Console(stderr=True)
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        TextColumn("{task.fields[rate]}"),
    )
    start = time.perf_counter()
    with Progress(*columns, console=console, disable=not console.is_terminal, transient=True) as bar:
        task = bar.add_task(description, total=None, rate="")

        def advance(done: float, total: int, products: float) -> None:
            rate = f"{1e-9 * products / (time.perf_counter() - start):.3g} GFLOP/s" if products else ""
            bar.update(task, completed=done, total=total, rate=rate)

        yield advance
