"""Times of the simulator: random numbers, giant steps, ridge readouts, many seeds at once.

    python -m hermite_analytics.validation.benchmarks.simulator [--repeats 3]

Each row is compared with a measurement of the same run: normals with those of numpy, the products of a step
with products of square matrices by the same library, a path of ridges with one ridge, seeds together with
seeds one after the other. One thread; minima over the repetitions, in seconds of the processor (of the wall
on a device, for all threads, and for loops in threads beside each other). A minute or two.
"""

from __future__ import annotations

import os

os.environ.setdefault("OPENBLAS_THREAD_TIMEOUT", "10")  # as the command line, before numpy loads

import importlib
import importlib.util
import resource
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import click
import numpy as np

from hermite_analytics import Activation, Target
from hermite_analytics.foundation.threads import ONE_EACH, threads_of_products
from hermite_analytics.numeric import simulate
from hermite_analytics.numeric.simulator import make_protocol, run_seeds
from hermite_analytics.numeric.simulator.backend import Backend, resolve_backend
from hermite_analytics.numeric.simulator.data import IndexData, default_chunk_rows
from hermite_analytics.numeric.simulator.functions import with_derivative
from hermite_analytics.numeric.simulator.gradient_step import gradient_step
from hermite_analytics.numeric.simulator.protocol import SimulationProtocol
from hermite_analytics.numeric.simulator.ridge import ridge_curve
from hermite_analytics.numeric.simulator.streams import GaussianStream, Purpose, orthonormal_rows, unit_rows

NORMALS = (2000, 2000)
SQUARE = 2000
STEP_SIZE = 2000  # d = p
RIDGE_SAMPLES, RIDGE_WIDTH = 3000, 2000
STREAM: dict[str, Any] = {"d": 500, "p": 200, "n0": 500**2}
SEEDS = 32
_SMALL: dict[str, object] = {"activation": "relu", "target": "z1+He2(z1)", "p": 8}
_REUSE: dict[str, object] = {"activation": "relu", "target": "He3(z1)"}
EXPERIMENTS: dict[str, tuple[str, dict[str, object]]] = {
    "giant step, d = 256, p = 8, n0 = 1024": ("giant-step", {**_SMALL, "d": 256, "n0": 1024}),
    "3 giant steps, d = 64, p = 8, n0 = 256": ("giant-step", {**_SMALL, "d": 64, "n0": 256, "steps": 3}),
    "spiked features, d = p = 50, n = 100": (
        "spiked-random-features",
        {"activation": "tanh", "target": "sin(z1)", "d": 50, "p": 50, "n": 100, "n_test": 200, "ridge": 0.1,
         "r": 1, "c": 1.2, "gamma": 0.8},
    ),
    "reuse, d = 256, p = 4, batches of 16": ("reuse", {**_REUSE, "d": 256, "p": 4, "n": 16, "time": 10}),
}  # fmt: skip
STEPS = (("tanh(z)", "float32", 20_000), ("relu(z)", "float32", 20_000), ("tanh(z)", "float64", 5000))
STEPS_ON_DEVICE = (
    ("tanh(z)", "float32", 200_000),
    ("relu(z)", "float32", 200_000),
    ("tanh(z)", "float64", 50_000),
)
LOOP: dict[str, object] = {**_REUSE, "d": 512, "time": 20}


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One line of the table: what was done, in its own unit, and over which reference."""

    name: str
    seconds: float
    rate: str
    reference: str = ""
    ratio: float | None = None


def fastest(work: Callable[[], object], repeats: int, device: str = "cpu") -> float:
    """The smallest time of some repetitions: of the processor, so that other programs disturb less.

    `device` "wall": of the wall, for work in several threads.
    """
    times = []
    for _ in range(repeats):
        start = _clock(device)
        work()
        times.append(_clock(device) - start)
    return min(times)


def _clock(device: str) -> float:
    """Seconds of the processor; for a device those of the wall, when it has finished."""
    if device == "cuda":
        importlib.import_module("torch").cuda.synchronize()
    return time.perf_counter() if device in ("cuda", "wall") else time.process_time()


def normals(repeats: int) -> list[Row]:
    """Normals of a stream, and numpy's: its own Philox (4x64, ziggurat) and its fastest generator."""
    rows, count = [], NORMALS[0] * NORMALS[1]
    stream = GaussianStream(seed=1, purpose=Purpose.STEP_DATA)
    others = (np.random.Philox(1), np.random.PCG64(1))
    for dtype in (np.float64, np.float32):
        seconds = fastest(partial(stream.normals, *NORMALS, dtype=dtype), repeats)
        for bits in others:
            theirs = fastest(
                partial(np.random.Generator(bits).standard_normal, NORMALS, dtype=dtype), repeats
            )
            rows.append(
                Row(
                    name=f"normals, {dtype.__name__}",
                    seconds=seconds,
                    rate=f"{1e-6 * count / seconds:.0f} M/s",
                    reference=f"numpy {type(bits).__name__}, {1e-6 * count / theirs:.0f} M/s",
                    ratio=theirs / seconds,
                )
            )
    return rows


def product_rate(backend: Backend, repeats: int, clock: str = "cpu") -> float:
    """Operations a second of a product of square matrices."""
    matrix = backend.normals(GaussianStream(seed=2, purpose=Purpose.WEIGHTS), SQUARE, SQUARE)
    return 2 * SQUARE**3 / fastest(lambda: matrix @ matrix, repeats, clock)


def giant_step(name: str, dtype: str, device: str, samples: int, repeats: int, threads: int = 1) -> list[Row]:
    """A step at d = p = 2000: its matrix products alone, and all of it, against square products."""
    clock = device if threads == 1 else "wall"
    d = p = STEP_SIZE
    backend = resolve_backend(device, dtype)
    activation = Activation(name)
    weights = backend.array(unit_rows(GaussianStream(seed=1, purpose=Purpose.WEIGHTS), p, d))
    teacher = backend.array(orthonormal_rows(GaussianStream(seed=1, purpose=Purpose.TEACHER), 1, d))
    data = IndexData(backend=backend, directions=teacher, link=Target("sin(z1)").function("array"),
                     seed=1, purpose=Purpose.STEP_DATA)  # fmt: skip
    readout = backend.array(np.full(p, 1 / np.sqrt(p)))
    chunk = min(samples, default_chunk_rows(d, p, device))

    def step() -> None:
        gradient_step(weights, readout, data, activation=with_derivative(activation),
                      samples=samples, step_size=1.0, chunk_rows=chunk)  # fmt: skip

    x, _ = data.rows(0, chunk)
    fields = x @ weights.T
    work = 4.0 * samples * d * p
    square = product_rate(backend, repeats + 2, clock)
    whole = fastest(step, repeats, clock)
    alone = fastest(lambda: (x @ weights.T, fields.T @ x), repeats, clock) * samples / chunk
    square = max(square, product_rate(backend, repeats + 2, clock))
    reference = f"square products, {1e-9 * square:.0f} GFLOP/s"
    title = f"{name}, {dtype}, {device}" if threads == 1 else f"{name}, {dtype}, {threads} threads"
    return [
        Row(name=f"{title}, {part}", seconds=seconds, rate=f"{1e-9 * work / seconds:.0f} GFLOP/s",
            reference=reference, ratio=work / seconds / square)
        for part, seconds in (("products", alone), ("whole", whole))
    ]  # fmt: skip


def streaming() -> Row:
    """n = d^2 samples of a quadratic target, whose inputs would take n d numbers."""
    start = _clock("cpu")
    found = simulate("giant-step", activation="relu", target="He2(z1)", seeds=1, dtype="float32",
                     init="symmetric", **STREAM)  # fmt: skip
    seconds = _clock("cpu") - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    inputs = 4 * STREAM["n0"] * STREAM["d"]
    return Row(
        name="n = d^2, d = {d}, p = {p}".format(**STREAM),
        seconds=seconds,
        rate=f"{1e-9 * found.products / seconds:.0f} GFLOP/s",
        reference=f"peak memory {1e-6 * peak:.0f} MB; the inputs have {1e-6 * inputs:.0f} MB",
    )


def ridges(repeats: int) -> list[Row]:
    """One ridge, 20 and 200 on the same features."""
    backend = resolve_backend("cpu")
    features = np.maximum(GaussianStream(seed=4, purpose=Purpose.STEP_DATA).normals(
        RIDGE_SAMPLES, RIDGE_WIDTH), 0.0) / np.sqrt(RIDGE_WIDTH)  # fmt: skip
    labels = GaussianStream(seed=4, purpose=Purpose.STEP_NOISE).normals(RIDGE_SAMPLES, 1)[:, 0]

    def fit(count: int) -> None:
        ridge_curve(
            backend,
            lambda first, size: (features[first : first + size], labels[first : first + size]),
            width=RIDGE_WIDTH,
            sizes=[RIDGE_SAMPLES],
            ridges=list(np.geomspace(1e-4, 10, count)),
            chunk_rows=RIDGE_SAMPLES,
        )

    fit(6)  # compile
    times = {count: fastest(partial(fit, count), repeats) for count in (1, 20, 200)}
    return [
        Row(
            name=f"{count} ridge{'s' if count > 1 else ''}, n = {RIDGE_SAMPLES}, p = {RIDGE_WIDTH}",
            seconds=seconds,
            rate=f"{1e3 * seconds / count:.1f} ms a ridge",
            reference="one ridge, Gram matrix included" if count > 1 else "",
            ratio=seconds / times[1] if count > 1 else None,
        )
        for count, seconds in times.items()
    ]


def many_seeds(device: str, repeats: int) -> list[Row]:
    """Seeds of small experiments: as many at once as by default, against one after the other."""
    rows = []
    for title, (name, parameters) in EXPERIMENTS.items():
        experiment = make_protocol(name, {**parameters, "device": device})
        rows.append(_together(f"{title}, {device}", experiment, repeats, device))
    if device == "cpu":
        experiment = make_protocol("reuse", LOOP)
        rows.append(_together("reuse, d = 512, p = 1, a sample a step, threads", experiment, repeats, "wall"))
    return rows


def _together(title: str, experiment: SimulationProtocol, repeats: int, clock: str) -> Row:
    experiment.run_many(range(2))  # compile
    alone = fastest(lambda: run_seeds([experiment], seeds=SEEDS, seeds_together=1), repeats, clock)
    seconds = fastest(lambda: run_seeds([experiment], seeds=SEEDS), repeats, clock)
    at_once = min(SEEDS, experiment.seeds_together())
    return Row(
        name=title,
        seconds=seconds,
        rate=f"{1e3 * seconds / SEEDS:.2f} ms a seed",
        reference=f"{at_once} at once; alone {1e3 * alone / SEEDS:.2f} ms a seed",
        ratio=alone / seconds,
    )


def giant_steps(repeats: int) -> list[Row]:
    """Steps on one thread, and on a device where there is one."""
    rows = []
    for name, dtype, samples in STEPS:
        rows += giant_step(name, dtype, "cpu", samples, repeats)
    for device in places()[1:]:
        steps = [("tanh(z)", "float32", 5000)] if device == "torch" else STEPS_ON_DEVICE
        for name, dtype, samples in steps:
            rows += giant_step(name, dtype, device, samples, repeats)
    return rows


def places() -> list[str]:
    """The devices that are there; torch on the processor takes one thread from then on."""
    if not importlib.util.find_spec("torch"):
        return ["cpu"]
    import torch

    torch.set_num_threads(1)
    return ["cpu", "torch", "cuda"] if torch.cuda.is_available() else ["cpu", "torch"]


@click.command()
@click.option("--repeats", type=click.IntRange(1), default=3, show_default=True)
def main(repeats: int) -> None:
    """Print the table."""
    from rich.console import Console
    from rich.table import Table

    with ONE_EACH:
        rows = [streaming(), *normals(repeats)]  # streaming first: the peak is that of the process
        rows += giant_steps(repeats)
        rows += ridges(repeats)
        for device in places():
            rows += many_seeds(device, repeats)
    threads = threads_of_products()
    if threads > 1:
        for name, dtype, samples in STEPS:
            rows += giant_step(name, dtype, "cpu", samples, repeats, threads)
    shown = Table(title=f"The simulator; steps at d = p = {STEP_SIZE}")
    for column in ("work", "seconds", "rate", "reference", "ratio"):
        shown.add_column(column, justify="left" if column in ("work", "reference") else "right")
    for row in rows:
        ratio = "" if row.ratio is None else f"{row.ratio:.2f}"
        shown.add_row(row.name, f"{row.seconds:.3g}", row.rate, row.reference, ratio)
    Console(width=130).print(shown)


if __name__ == "__main__":
    main()
