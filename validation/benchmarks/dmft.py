"""Times of the theory of full-batch descent and of its exact law, beside a simulation with a data matrix.

    python -m hermite_analytics.validation.benchmarks.dmft [--d 4000]

He3 learned by tanh, n = 3 d, eta = 0.2. Seconds of the processor on one thread after compilation; the ratio
is that of a simulation with a data matrix at dimension d, four steps in float64, to the row. Where torch
sees a CUDA device, rows of it follow: seconds of the wall, the second time. Errors are
against the reference numbers M_2 = -0.140956917 and M_3 = -0.236597, and those that the solver states; one
network differs from the limit by about 1.5/sqrt d.
"""

from __future__ import annotations

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")  # one thread of linear algebra for everyone, before numpy loads
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import importlib.util
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import click

from hermite_analytics.numeric import DMFT, simulate

REFERENCES = {2: -0.140956917, 3: -0.236597}
_RUN: dict[str, Any] = {"alpha": 3.0, "eta": 0.2}
_EXACT = ((10**5, 4), (10**6, 4))
_EXACT_ON_DEVICE = ((10**6, 4), (10**7, 4), (10**8, 2))


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A measurement."""

    name: str
    seconds: float
    found: str
    error: str


def timed(call: Callable[[], Any], device: str = "cpu") -> tuple[float, Any]:
    """Seconds of the processor, and the result; of the wall on a device, when its kernels are loaded."""
    clock = time.process_time if device == "cpu" else time.perf_counter
    if device != "cpu":
        call()
    start = clock()
    found = call()
    return clock() - start, found


def theory(model: DMFT, steps: int, tolerance: float, device: str = "cpu") -> Row:
    """The limit after some steps."""
    seconds, found = timed(
        lambda: model.solve(steps=steps, tolerance=tolerance, seconds=600.0, device=device, **_RUN), device
    )
    last = float(found.overlap[steps, 0, 0])
    stated = f"stated {found.numerical_error[steps]:.1e}"
    known = REFERENCES.get(steps)
    shown = stated if known is None else f"{abs(last - known):.1e}, {stated}"
    return Row(
        name=f"DMFT, {steps} steps, tolerance {tolerance:g}{_on(device)}",
        seconds=seconds,
        found=f"M_{steps} = {last:.9f}",
        error=shown,
    )


def exact_law(model: DMFT, d: int, steps: int, device: str = "cpu") -> Row:
    """One seed of the exact law."""
    seconds, found = timed(lambda: model.sample(d=d, steps=steps, device=device, **_RUN), device)
    last = float(found.overlap[0, 2, 0, 0])
    shown = f"{abs(last - REFERENCES[2]):.1e} of {1.5 / d**0.5:.1e}"
    return Row(
        name=f"exact law, d = {d:.0e}, {steps} steps{_on(device)}",
        seconds=seconds,
        found=f"M_2 = {last:.5f}",
        error=shown,
    )


def with_data(d: int, steps: int, device: str = "cpu") -> Row:
    """One seed with a data matrix."""
    arguments = {"activation": "tanh", "target": "He3(z1)", "seeds": 1, "steps": steps, "d": d, **_RUN}
    seconds, found = timed(lambda: simulate("full-batch", device=device, **arguments), device)
    last = float(found.results["overlap"].mean[2, 0, 0])
    shown = f"{abs(last - REFERENCES[2]):.1e} of {1.5 / d**0.5:.1e}"
    return Row(
        name=f"data matrix, d = {d}, {steps} steps{_on(device)}",
        seconds=seconds,
        found=f"M_2 = {last:.5f}",
        error=shown,
    )


def on_a_device(model: DMFT, d: int) -> list[Row]:
    """The rows of a CUDA device, none where torch sees none."""
    if importlib.util.find_spec("torch") is None:
        return []
    import torch

    if not torch.cuda.is_available():
        return []
    return [
        with_data(d, 4, "cuda"),
        theory(model, 4, 1e-4, "cuda"),
        *(exact_law(model, size, steps, "cuda") for size, steps in _EXACT_ON_DEVICE),
    ]


def _on(device: str) -> str:
    return "" if device == "cpu" else f", {device}"


@click.command()
@click.option("--d", type=click.IntRange(100), default=4000, show_default=True, help="Of the data matrix.")
def main(d: int) -> None:
    """Print the table."""
    from rich.console import Console
    from rich.table import Table

    model = DMFT("tanh", "He3(z1)")
    model.solve(steps=3, tolerance=0.5, **_RUN)  # compiled, and its kernels loaded
    simulate("full-batch", activation="tanh", target="He3(z1)", seeds=1, steps=2, d=50, **_RUN)
    model.sample(d=50, steps=2, **_RUN)
    reference = with_data(d, 4)
    rows = [
        reference,
        theory(model, 2, 1e-3),
        theory(model, 3, 1e-3),
        theory(model, 4, 1e-3),
        theory(model, 4, 1e-4),
        *(exact_law(model, size, steps) for size, steps in _EXACT),
        *on_a_device(model, d),
    ]
    shown = Table(title=f"Full-batch descent: tanh, He3, alpha = 3, eta = 0.2; data matrix at d = {d}")
    for column in ("work", "seconds", "found", "error", "data matrix / this"):
        shown.add_column(column, justify="left" if column in ("work", "found", "error") else "right")
    for row in rows:
        ratio = f"{reference.seconds / row.seconds:.2f}"
        shown.add_row(row.name, f"{row.seconds:.3g}", row.found, row.error, ratio)
    Console(width=130).print(shown)


if __name__ == "__main__":
    main()
