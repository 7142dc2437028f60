"""Speed of generated kernels beside hand-written code, in one run on one thread.

    python -m hermite_analytics.validation.benchmarks.codegen [--points 1000000] [--repeats 7]

Four tables, and a fifth where there is a CUDA device: closed forms against a scalar numba loop written by
hand, numpy and sympy's lambdify; the three coefficients together against mu0 alone; the quadrature of tanh
against numpy on the same nodes; the time to generate, compile and load the kernels of the giant step, alone
and in eight processes at once; and all three coefficients on arrays of a device, against the processor.
"""

from __future__ import annotations

import os
from typing import Any

os.environ.setdefault("OMP_NUM_THREADS", "1")  # one thread for everyone, before numpy loads
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import importlib.util
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence

import click
import numpy as np

import hermite_analytics as ha
from hermite_analytics.codegen.kernel import Kernel
from hermite_analytics.foundation.numpy_arrays import Array

C, R = 1.1, 0.9
_LOADER = """
import time
import hermite_analytics as ha
import numba, numpy, scipy.special, sympy
from hermite_analytics.codegen.numba_backend import special, vector
from hermite_analytics.conditional import spiked_features_kernel
start = time.perf_counter()
kernel = spiked_features_kernel(ha.Activation({activation!r}), ha.Target({target!r}))
found = time.perf_counter()
values = kernel(numpy.linspace(-3.0, 3.0, 200), 1.1, 0.9, 0.8)
called = time.perf_counter()
print(found - start, called - found, repr(float(sum(v.sum() for v in values))))
"""


def fastest(call: Callable[[], object], repeats: int) -> float:
    """Seconds of the fastest of some calls, after one that is not counted."""
    call()
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return min(times)


def nanoseconds(way: Callable[..., object], kappa: Array, repeats: int) -> float:
    """Fastest time of way(kappa, C, R), a point."""

    def call() -> object:
        return way(kappa, C, R)

    return 1e9 * fastest(call, repeats) / kappa.size


def kernel_of(activation: str, *, only: str | None = None) -> Kernel:
    """All three coefficients as a kernel, or one of them."""
    coefficients = ha.conditional_coefficients(ha.Activation(activation))
    chosen = coefficients if only is None else {only: coefficients[only]}
    return ha.compile(chosen, (ha.kappa, ha.c, ha.r))


def by_hand() -> dict[str, Callable[..., object]]:
    """mu0 as scalar numba loops, the way one writes them."""
    import math

    from numba import njit

    @njit
    def relu(kappa: Array, c: float, r: float) -> Array:
        out = np.empty_like(kappa)
        for i in range(kappa.size):
            m, s = kappa[i] * r, math.sqrt(c)
            h = m / s
            density = math.exp(-0.5 * h * h) / math.sqrt(2.0 * math.pi)
            out[i] = m * 0.5 * math.erfc(-h / math.sqrt(2.0)) + s * density
        return out

    @njit
    def erf(kappa: Array, c: float, r: float) -> Array:
        out = np.empty_like(kappa)
        for i in range(kappa.size):
            out[i] = math.erf(kappa[i] * r / math.sqrt(1.0 + 2.0 * c))
        return out

    @njit
    def sin(kappa: Array, c: float, r: float) -> Array:
        out = np.empty_like(kappa)
        for i in range(kappa.size):
            out[i] = math.exp(-0.5 * c) * math.sin(kappa[i] * r)
        return out

    return {"relu(z)": relu, "erf(z)": erf, "sin(z)": sin}


def with_numpy() -> dict[str, Callable[..., object]]:
    """mu0 in numpy and scipy."""
    from scipy.special import erf, ndtr

    def relu(kappa: Array, c: float, r: float) -> Array:
        m, s = kappa * r, np.sqrt(c)
        h = m / s
        result: Array = m * ndtr(h) + s * np.exp(-0.5 * h * h) / np.sqrt(2.0 * np.pi)
        return result

    return {
        "relu(z)": relu,
        "erf(z)": lambda kappa, c, r: erf(kappa * r / np.sqrt(1.0 + 2.0 * c)),
        "sin(z)": lambda kappa, c, r: np.exp(-0.5 * c) * np.sin(kappa * r),
    }


def lambdified(activation: str) -> Callable[..., object]:
    """mu0 by sympy's own generator, over scipy."""
    import sympy

    from hermite_analytics.language.functions import Phi, phi

    mu0 = ha.conditional_coefficients(ha.Activation(activation)).mu0
    x = sympy.Wild("x")
    plain = mu0.replace(Phi(x), sympy.erfc(-x / sympy.sqrt(2)) / 2)
    plain = plain.replace(phi(x), sympy.exp(-(x**2) / 2) / sympy.sqrt(2 * sympy.pi))
    return sympy.lambdify((ha.kappa, ha.c, ha.r), plain, modules="scipy")


def closed_forms(points: int, repeats: int) -> list[list[str]]:
    """ns a point of mu0, and of the three coefficients."""
    kappa = np.linspace(-3.0, 3.0, points)
    rows = []
    hand, numpy_ = by_hand(), with_numpy()
    for name in ("relu(z)", "erf(z)", "sin(z)"):
        ways: Sequence[Any] = (
            kernel_of(name, only="mu0"),
            hand[name],
            numpy_[name],
            lambdified(name),
            kernel_of(name),
        )
        ours, *others, all_three = (nanoseconds(way, kappa, repeats) for way in ways)
        worst = max(float(np.max(np.abs(way(kappa, C, R) - hand[name](kappa, C, R)))) for way in ways[2:4])
        found = ways[0](kappa, C, R)
        worst = max(worst, float(np.max(np.abs(found.mu0 - hand[name](kappa, C, R)))))
        cells = [name, f"{ours:.2f}", *(f"{t:.2f} ({t / ours:.1f}x)" for t in others)]
        rows.append([*cells, f"{all_three:.2f}", f"{all_three / ours:.2f}", f"{worst:.0e}"])
    return rows


def quadrature(points: int, repeats: int) -> list[list[str]]:
    """ns a point of tanh's coefficients, and numpy's on the nodes of the kernel."""
    kappa = np.linspace(-3.0, 3.0, points)
    mean, three = kernel_of("tanh(z)", only="mu0"), kernel_of("tanh(z)")
    step = float(mean._module.prepare_1(0.5, C, R)[0])
    count = int(8.9 / step) + 1
    nodes = step * np.arange(-count, count + 1)
    weights = step * np.exp(-0.5 * nodes**2) / np.sqrt(2.0 * np.pi)

    def by_numpy(kappa: Array, c: float, r: float) -> Array:
        values = np.tanh(r * kappa[:, None] + np.sqrt(c) * nodes)
        result: Array = values @ weights
        return result

    ours, all_three, numpy_ = (nanoseconds(way, kappa, repeats) for way in (mean, three, by_numpy))
    gap = float(np.max(np.abs(mean(kappa, C, R).mu0 - by_numpy(kappa, C, R))))
    each = [f"{t / nodes.size:.2f}" for t in (ours, all_three, numpy_)]
    return [
        ["mu0", f"{ours:.0f}", each[0], "1", f"{mean.error_bound:.0e}"],
        [
            "mu0, mu1, mu2_squared",
            f"{all_three:.0f}",
            each[1],
            f"{all_three / ours:.2f}",
            f"{three.error_bound:.0e}",
        ],
        [
            "mu0, numpy on the same nodes",
            f"{numpy_:.0f}",
            each[2],
            f"{numpy_ / ours:.2f}",
            f"differs by {gap:.0e}",
        ],
    ]


def start(activation: str, target: str, folder: str) -> subprocess.Popen[str]:
    """A fresh process that builds or loads the kernels of the giant step and calls them."""
    environment = os.environ | {"HERMITE_ANALYTICS_CACHE": folder}
    program = _LOADER.format(activation=activation, target=target)
    return subprocess.Popen(
        [sys.executable, "-c", program], env=environment, stdout=subprocess.PIPE, text=True
    )


def result(process: subprocess.Popen[str]) -> tuple[float, float, str]:
    text, _ = process.communicate()
    if process.returncode:
        raise SystemExit("a process that builds kernels failed; its message stands above")
    generate, call, value = text.split()
    return float(generate), float(call), value


def generation() -> list[list[str]]:
    """Seconds of a cold and a warm process, and of eight cold ones at once."""
    rows = []
    for activation, target in (("tanh(z)", "sin(z1)"), ("erf(z)", "relu(z1)"), ("relu(z)", "sin(z1)")):
        with tempfile.TemporaryDirectory() as folder:
            cold, warm = (result(start(activation, target, folder)) for _ in range(2))
        with tempfile.TemporaryDirectory() as folder:
            begin = time.perf_counter()
            together = [result(p) for p in [start(activation, target, folder) for _ in range(8)]]
            seconds = time.perf_counter() - begin
        same = len({value for *_, value in (cold, warm, *together)}) == 1
        shown = [f"{sum(t[:2]):.2f} ({t[0]:.2f} + {t[1]:.2f})" for t in (cold, warm)]
        rows.append([f"{activation}, {target}", *shown, f"{seconds:.1f}", "yes" if same else "no"])
    return rows


@click.command()
@click.option("--points", type=click.IntRange(1000), default=1_000_000, show_default=True)
@click.option("--repeats", type=click.IntRange(1), default=7, show_default=True)
def main(points: int, repeats: int) -> None:
    """Print the tables."""
    show(
        f"mu0 by closed forms, {points} points, ns a point",
        (
            "activation",
            "this library",
            "scalar numba",
            "numpy",
            "lambdify",
            "all three",
            "/ mu0",
            "largest difference",
        ),
        closed_forms(points, repeats),
    )
    few = max(points // 50, 1000)
    show(
        f"tanh by quadrature, {few} points, ns",
        ("", "a point", "a node", "times mu0", "error"),
        quadrature(few, repeats),
    )
    show(
        "kernels of the giant step, seconds after imports (find the kernel + first call)",
        ("activation, target", "cold", "warm, fresh process", "8 cold processes at once", "same result"),
        generation(),
    )
    if has_device():
        show(
            f"mu0, mu1, mu2_squared on a CUDA device, {10 * points} points, ns a point",
            ("activation", "device", "one thread of the processor", "ratio", "largest difference"),
            on_a_device(10 * points, repeats),
        )


def on_a_device(points: int, repeats: int) -> list[list[str]]:
    """ns a point of the three coefficients on arrays that stand on a device; the processor has fewer."""
    from numba import cuda

    kappa = np.linspace(-3.0, 3.0, points)
    there = cuda.to_device(kappa)
    rows = []
    for name, few in (
        ("relu(z)", points // 10),
        ("erf(z)", points // 10),
        ("sin(z)", points // 10),
        ("tanh(z)", points // 500),
    ):
        here, device = (
            kernel_of(name),
            ha.compile(
                ha.conditional_coefficients(ha.Activation(name)), (ha.kappa, ha.c, ha.r), backend="cuda"
            ),
        )

        def launched(device: Kernel = device) -> object:
            found = device(there, C, R)
            cuda.synchronize()
            return found

        ours = 1e9 * fastest(launched, repeats) / points
        theirs = nanoseconds(here, kappa[:few], repeats)
        pairs = zip(device(there, C, R), here(kappa[:few], C, R), strict=True)
        worst = max(float(np.max(np.abs(np.asarray(a.copy_to_host()[:few]) - b))) for a, b in pairs)
        rows.append([name, f"{ours:.3f}", f"{theirs:.2f}", f"{theirs / ours:.0f}", f"{worst:.0e}"])
    return rows


def has_device() -> bool:
    """Whether numba sees a CUDA device, its simulator aside."""
    if importlib.util.find_spec("numba_cuda") is None:
        return False
    from numba import config, cuda

    return bool(not config.ENABLE_CUDASIM and cuda.is_available())


def show(title: str, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    from rich.console import Console
    from rich.table import Table

    table = Table(title=title)
    for j, name in enumerate(columns):
        table.add_column(name, justify="left" if j == 0 else "right")
    for row in rows:
        table.add_row(*row)
    Console(width=130).print(table)


if __name__ == "__main__":
    main()
