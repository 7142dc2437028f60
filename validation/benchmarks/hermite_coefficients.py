"""Time of the Hermite coefficients of order 0 to 30 of seven functions, exact or proved to 30 digits.

    python -m hermite_analytics.validation.benchmarks.hermite_coefficients [--order 4] [--limit 30]

Beside this library, in the same run: `sympy.integrate` against the Gaussian density (one order, times 31
for the ratio; stopped at the limit), and mpmath quadrature at 30 digits split at the kink (likewise).
"""

from __future__ import annotations

import multiprocessing
import time
from collections.abc import Callable
from queue import Empty
from typing import TYPE_CHECKING

import click
import mpmath
import sympy

import hermite_analytics as ha

if TYPE_CHECKING:
    from multiprocessing.queues import Queue

    from mpmath import mpf
    from sympy import Expr

ORDER = 30
FUNCTIONS: dict[str, tuple[Expr, Callable[[mpf], mpf]]] = {
    "relu(z1)": (lambda x: sympy.Max(x, 0), lambda x: max(x, mpmath.mpf(0))),
    "tanh(z1)": (sympy.tanh, mpmath.tanh),
    "sin(z1)": (sympy.sin, mpmath.sin),
    "erf(z1)": (sympy.erf, mpmath.erf),
    "sign(z1)": (sympy.sign, mpmath.sign),
    "z1**2*exp(-z1**2)": (lambda x: x**2 * sympy.exp(-(x**2)), lambda x: x * x * mpmath.exp(-x * x)),
    "abs(z1)": (sympy.Abs, abs),
}


def library(text: str) -> float:
    """Seconds for all orders, everything warm but this function's own results."""
    target = ha.Target(text)
    start = time.perf_counter()
    expansion = ha.hermite(target, ORDER)
    seconds = time.perf_counter() - start
    weak = [k for k in range(ORDER + 1) if expansion[k].zero is None]
    assert not weak, f"{text}: orders {weak} are undecided"
    return seconds


def by_sympy(text: str, order: int, limit: float) -> tuple[float, bool]:
    """(seconds for one order, whether an answer came), in a process of its own that is ended at the limit."""
    context = multiprocessing.get_context("spawn")
    queue = context.Queue()
    worker = context.Process(target=_integrate, args=(text, order, queue))
    worker.start()
    try:
        found: tuple[float, bool] = queue.get(timeout=limit)
    except Empty:
        found = (limit, False)
    worker.terminate()
    worker.join()
    return found


def _integrate(text: str, order: int, queue: Queue[tuple[float, bool]]) -> None:
    x = sympy.Symbol("x", real=True)
    polynomial = sympy.hermite(order, x / sympy.sqrt(2)) * 2 ** sympy.Rational(-order, 2)
    density = sympy.exp(-(x**2) / 2) / sympy.sqrt(2 * sympy.pi)
    integrand = sympy.expand(FUNCTIONS[text][0](x) * polynomial) * density
    start = time.perf_counter()
    value = sympy.integrate(integrand, (x, -sympy.oo, sympy.oo))
    queue.put((time.perf_counter() - start, not value.has(sympy.Integral)))


def by_mpmath(function: Callable[[mpf], mpf], order: int) -> float:
    """Seconds for one order at 30 digits."""
    with mpmath.workdps(30):
        start = time.perf_counter()
        mpmath.quad(
            lambda x: function(x) * mpmath.hermite(order, x / mpmath.sqrt(2)) * mpmath.npdf(x), [-15, 0, 15]
        )
        return time.perf_counter() - start


@click.command()
@click.option("--order", type=click.IntRange(1, ORDER), default=4, show_default=True, help="The one order.")
@click.option(
    "--limit", type=click.FloatRange(1.0), default=30.0, show_default=True, help="Seconds for sympy."
)
def main(order: int, limit: float) -> None:
    """Print the table."""
    from rich.console import Console
    from rich.table import Table

    for text in FUNCTIONS:  # warm: imports, caches of flint
        library(text.replace("z1", "(z1/2)"))
    table = Table(
        title=f"Hermite coefficients of order 0..{ORDER}; the others at order {order}, times {ORDER + 1}"
    )
    columns = ("function", "this library, ms", "sympy.integrate, s", "ratio", "mpmath, s", "ratio")
    for j, name in enumerate(columns):
        table.add_column(name, justify="left" if j == 0 else "right")
    total = 0.0
    for text, (_, numeric) in FUNCTIONS.items():
        ours = library(text)
        total += ours
        one, answered = by_sympy(text, order, limit)
        numerical = by_mpmath(numeric, order)
        table.add_row(
            text,
            f"{1e3 * ours:.1f}",
            f"{one:.2f}" if answered else f"{one:.2f}, no answer",
            f"{one * (ORDER + 1) / ours:.0f}" if answered else "-",
            f"{numerical:.3f}",
            f"{numerical * (ORDER + 1) / ours:.0f}",
        )
    console = Console(width=110)
    console.print(table)
    console.print(f"this library, all seven: {1e3 * total:.0f} ms")


if __name__ == "__main__":
    main()
