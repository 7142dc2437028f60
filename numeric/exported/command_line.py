"""The flags and the output of exported files; the text goes into them."""

from __future__ import annotations

import argparse
import json
import math
from collections.abc import Callable, Sequence

__all__ = ["at_least", "list_of", "number_above", "print_results"]


def number_above(least: float) -> Callable[[str], float]:
    """Reads a number larger than `least`."""

    def read(text: str) -> float:
        value = float(text)
        if not value > least:
            raise argparse.ArgumentTypeError(f"{text} is not above {least:g}")
        return value

    return read


def at_least(least: float, most: float = float("inf")) -> Callable[[str], float]:
    """Reads a number in [least, most]."""

    def read(text: str) -> float:
        value = float(text)
        if not least <= value <= most:
            raise argparse.ArgumentTypeError(f"{text} is not in [{least:g}, {most:g}]")
        return value

    return read


def list_of(read: Callable[[str], float]) -> Callable[[str], list[float]]:
    """Reads numbers with commas between them."""

    def read_all(text: str) -> list[float]:
        return [read(part) for part in text.split(",")]

    return read_all


def print_results(model: str, rows: Sequence[dict[str, float]], shown: Sequence[str], as_json: bool) -> None:
    """One JSON document, or a table with the columns `shown`."""
    if as_json:
        finite = [{name: x if math.isfinite(x) else str(x) for name, x in row.items()} for row in rows]
        print(json.dumps({"model": model, "results": finite}, indent=1))
        return
    print(" ".join(name.rjust(20) for name in shown))
    for row in rows:
        print(" ".join(f"{row[name]:.12g}".rjust(20) for name in shown))
