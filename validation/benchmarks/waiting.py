"""What a user waits for: whole processes, from the shell to the answer, cold and warm.

    python -m hermite_analytics.validation.benchmarks.waiting [--repeats 3] [--only NAME]

Cold is the first run with an empty cache of kernels, as after an installation; warm is the least of some runs
after it. Seconds are those of the processor, of the process and of those that it started; those on the wall
stand beside them, and say little on a busy machine. The ratio is that of the warm run to a process that
only imports sympy, numba and scipy, measured in the same run.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import click

__all__ = ["ROWS", "Row", "Times", "cold_and_warm", "measured"]

_MAIN = ("-m", "hermite_analytics")
_NO_BYTECODE = "PYTHONDONTWRITEBYTECODE"  # an installed package has its own
_IMPORTS = ("-c", "import sympy, numba, scipy")
_EXPLORER = r"""
import json, subprocess, sys, time, urllib.parse, urllib.request
command = [sys.executable, "-m", "hermite_analytics", "explore", "--port", "0", "--workers", "1", "--json"]
with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as explorer:
    text = ""
    while not text.endswith("\n}\n"):
        text += explorer.stdout.readline()
    start = time.perf_counter()
    url = json.loads(text)["url"].rstrip("/")
    question = "/api/target?" + urllib.parse.urlencode({"target": sys.argv[1]})
    urllib.request.urlopen(url + question, timeout=120).read()
    print(time.perf_counter() - start)
    explorer.terminate()
"""
_NUMPY = """
import numpy as np
rng = np.random.default_rng(0)
d, p, n = 400, 400, 800
for _ in range(8):
    w = rng.standard_normal((p, d)) / d**0.5
    theta = rng.standard_normal(d) / d**0.5
    x = rng.standard_normal((n, d))
    features = np.tanh(x @ w.T) / p**0.5
    y = np.sin(x @ theta)
    a = np.linalg.solve(features.T @ features + 0.1 * np.eye(p), features.T @ y)
    fresh = rng.standard_normal((n, d))
    error = np.mean((np.tanh(fresh @ w.T) @ a / p**0.5 - np.sin(fresh @ theta)) ** 2)
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A process that somebody waits for.

    Attributes
    ----------
    name : str
    arguments : tuple of str
        Of Python.
    goal : str
        Seconds of the processor, cold / warm.
    prints_wall : bool
        Whether it prints the seconds on the wall that count.
    """

    name: str
    arguments: tuple[str, ...]
    goal: str = ""
    prints_wall: bool = False


_STEP = ("--activation", "tanh(z)", "--target", "sin(z1)", "--alpha0", "20", "--eta", "3")
_POINT = ("--beta", "1", "--alpha", "0.5,1,2", "--ridge", "0.1")
_FEATURES = ("--d", "400", "--beta", "1", "--alpha", "2", "--ridge", "0.1", "--seeds", "8")
_PROBLEM = ("--activation", "tanh(z)", "--target", "sin(z1)")

ROWS = (
    Row(name="imports", arguments=_IMPORTS),
    Row(
        name="solve spiked-random-features",
        arguments=(*_MAIN, "solve", "spiked-random-features", *_STEP, *_POINT),
        goal="2 / 0.6",
    ),
    Row(
        name='solve state-evolution "z1*z2"',
        arguments=(*_MAIN, "solve", "state-evolution", "--target", "z1*z2", "--alpha", "1"),
        goal="2 / 0.8",
    ),
    Row(name='analyze "z1*z2"', arguments=(*_MAIN, "analyze", "z1*z2"), goal="0.7"),
    Row(name='mu "erf(z)"', arguments=(*_MAIN, "mu", "erf(z)"), goal="0.4"),
    Row(name='hermite "tanh(z1)"', arguments=(*_MAIN, "hermite", "tanh(z1)", "--degree", "3"), goal="0.4"),
    Row(
        name="explorer, what its page asks first",
        arguments=("-c", _EXPLORER, "z1 + z1*z2 + z1*z2*z3"),
        goal="2 on the wall",
        prints_wall=True,
    ),
    Row(
        name="explorer, to its first answer",
        arguments=("-c", _EXPLORER, "z1*z2"),
        goal="2 on the wall",
        prints_wall=True,
    ),
    Row(
        name="analyze, three error functions",
        arguments=(*_MAIN, "analyze", "(erf(z1)+erf(z2)+erf(z3))/3"),
        goal="2",
    ),
    Row(name="analyze, softmax of two", arguments=(*_MAIN, "analyze", "exp(z1)/(exp(z1)+exp(z2))"), goal="1"),
    Row(
        name="simulate random-features, d = 400, 8 seeds",
        arguments=(*_MAIN, "simulate", "random-features", *_PROBLEM, *_FEATURES),
        goal="1.1 numpy",
    ),
    Row(name="the same in numpy", arguments=("-c", _NUMPY)),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Times:
    """Of one process, with its children: seconds of the processor, and on the wall."""

    processor: float
    wall: float


def measured(row: Row, environment: Mapping[str, str]) -> Times:
    """Run Python with the arguments of a row.

    Raises
    ------
    SystemExit
        If the process fails; with what it said.
    """
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    done = subprocess.run(
        [sys.executable, *row.arguments], env=dict(environment), capture_output=True, text=True, check=False
    )
    wall, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode != 0:
        raise SystemExit(f"{row.name}: exit status {done.returncode}\n{done.stderr[-2000:]}")
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Times(processor=used, wall=float(done.stdout) if row.prints_wall else wall)


def cold_and_warm(row: Row, repeats: int) -> tuple[Times, Times]:
    """The first run with a cache of its own, and the least of those after it."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        places = {
            "XDG_CACHE_HOME": root / "cache",
            "NUMBA_CACHE_DIR": root / "numba",
            "HERMITE_ANALYTICS_CACHE": root / "kernels",
        }
        inherited = {name: value for name, value in os.environ.items() if name != _NO_BYTECODE}
        environment = inherited | {name: str(place) for name, place in places.items()}
        cold = measured(row, environment)
        warm = [measured(row, environment) for _ in range(repeats)]
        return cold, min(warm, key=lambda times: times.processor)


@click.command()
@click.option("--repeats", type=click.IntRange(1), default=3, show_default=True, help="Warm runs of a row.")
@click.option("--only", multiple=True, help="Rows whose names hold this text; the imports are always there.")
def main(repeats: int, only: tuple[str, ...]) -> None:
    """Print the table."""
    from rich.console import Console
    from rich.table import Table

    chosen = [row for row in ROWS[1:] if not only or any(text in row.name for text in only)]
    shown = Table(title="Whole processes: seconds of the processor (on the wall)")
    for column in ("process", "cold", "warm", "warm / imports", "goal"):
        shown.add_column(column, justify="left" if column == "process" else "right")
    reference = None
    for row in (ROWS[0], *chosen):
        cold, warm = cold_and_warm(row, repeats)
        reference = reference or warm.processor
        cells = [f"{times.processor:.2f} ({times.wall:.1f})" for times in (cold, warm)]
        shown.add_row(row.name, *cells, f"{warm.processor / reference:.2f}", row.goal)
    Console(width=130).print(shown)


if __name__ == "__main__":
    main()
