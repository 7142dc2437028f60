"""Time of a learning curve: 20 sample ratios of tanh/sin after a giant step, on one thread.

    python -m hermite_analytics.validation.benchmarks.learning_curve [--quad-points 2] [--repeats 20]

Three ways to the same numbers, run one after the other:

* this library: compiled Newton iteration to residual 1e-12 on adaptive panels, quadrature refined until
  the result is stable; with the coefficients evaluated anew, by compiled loops and (as the first 20,000
  points of a process are) by arrays, and with those of the last run;
* the damped iteration of the papers, vectorised over kappa in numpy, to 1e-12;
* the same iteration with scipy.integrate.quad for every average, to 1e-4, as in the public notebooks. It is
  slow, so only some of the ratios are done, and times are compared a point.
"""

from __future__ import annotations

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")  # one thread for everyone, before numpy loads
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import time
from collections.abc import Callable, Mapping
from dataclasses import astuple, dataclass

import click
import numpy as np
from numpy.polynomial.hermite_e import hermegauss

from hermite_analytics import Activation, Target
from hermite_analytics.codegen.auto_backend.tiers import compiled_at_once
from hermite_analytics.foundation.arrays import Numbers
from hermite_analytics.foundation.numpy_arrays import Array
from hermite_analytics.numeric import GiantStep, LearningCurve, SpikedRandomFeatures
from hermite_analytics.numeric.models.giant_step.model import GiantStepSolution
from hermite_analytics.numeric.models.spiked.tables import table

ALPHA = np.linspace(0.2, 3.0, 20)
RIDGE, BETA, ALPHA0, ETA = 1e-3, 1.0, 20.0, 3.0
DAMPING = 0.5
_BY_ARRAYS = 5  # runs: more would be compiled
NODES = 320  # 150 leave an error of 7e-9: large responses bring the poles of 1/(1 + V) close
Functions = Callable[[Numbers], tuple[Numbers, ...]]  # kappa -> (mu0, mu1, mu2^2, h, h1, hh)
Mean = Callable[[Callable[[Numbers], Numbers]], float]  # average over kappa of a function of kappa


@dataclass(frozen=True, slots=True, kw_only=True)
class Ours:
    """A solution of this library, and seconds: the cold run makes or loads the kernels.

    Runs by arrays and by loops evaluate the coefficients at the nodes; `kept` is the same problem again, with
    its tables in memory.
    """

    solution: LearningCurve
    cold: float
    arrays: float
    loops: float
    kept: float


def main_solver(repeats: int) -> Ours:
    """Time the curve: medians of so many runs, those by arrays of a few."""
    start = time.perf_counter()
    activation, target = Activation("tanh(z)"), Target("sin(z1)")
    model = SpikedRandomFeatures(activation, target)
    step = GiantStep(activation, target).solve(alpha0=ALPHA0, eta=ETA, beta=BETA)
    solution = model.solve(step=step, alpha=ALPHA, ridge=RIDGE)
    cold = time.perf_counter() - start

    def seconds(runs: int, *, fresh: bool) -> float:
        times = []
        for _ in range(runs):
            if fresh:
                table.cache_clear()
            start = time.perf_counter()
            model.solve(step=step, alpha=ALPHA, ridge=RIDGE)
            times.append(time.perf_counter() - start)
        return float(np.median(times))

    arrays = seconds(_BY_ARRAYS, fresh=True)
    with compiled_at_once():
        seconds(1, fresh=True)
        loops, kept = (seconds(repeats, fresh=fresh) for fresh in (True, False))
    return Ours(solution=solution, cold=cold, arrays=arrays, loops=loops, kept=kept)


@dataclass(frozen=True, slots=True, kw_only=True)
class State:
    """The overlaps while the iteration runs."""

    V1: float = 1.0
    V2: float = 1.0
    q1: float = 0.1
    q2: float = 0.1
    m: float = 0.1
    zeta: float = 0.0
    psi: float = 0.1


class Point:
    """The terms of the equations at kappa (a number or an array) and a state."""

    def __init__(self, kappa: Numbers, functions: Functions, state: State) -> None:
        self.kappa = kappa
        self.mu0, self.mu1, self.mu2s, self.h, self.h1, hh = functions(kappa)
        self.w = 1.0 / (1.0 + self.mu1**2 * state.V1 + self.mu2s * state.V2)
        self.zeta_term = kappa * self.mu1 * state.zeta
        cc = self.mu0 * state.m + self.zeta_term
        self.gap = self.h - cc
        self.r2 = hh - 2 * cc * self.h + cc**2 - 2 * self.mu1 * state.psi * self.h1
        self.r2 = self.r2 + self.mu1**2 * state.q1 + self.mu2s * state.q2


_AVERAGES: Mapping[str, Callable[[Point], Numbers]] = {
    "s": lambda x: x.mu1**2 * x.w,
    "t": lambda x: x.mu2s * x.w,
    "q1": lambda x: x.mu1**2 * x.r2 * x.w**2,
    "q2": lambda x: x.mu2s * x.r2 * x.w**2,
    "zeta": lambda x: x.kappa * x.mu1 * x.gap * x.w,
    "psi": lambda x: x.mu1 * x.h1 * x.w,
    "top": lambda x: x.mu0 * (x.h - x.zeta_term) * x.w,
    "bottom": lambda x: x.mu0**2 * x.w,
}


def damped_iteration(functions: Functions, mean: Mean, alpha: float, c: float, tolerance: float) -> float:
    """Test error by the iteration of the papers, whatever computes the averages over kappa."""
    state = State()
    for _ in range(5000):
        new = _image(state, functions, mean, alpha, c)
        before, after = np.array(astuple(state)), np.array(astuple(new))
        if np.max(np.abs(after - before) / np.maximum(np.abs(after), 1e-3)) < tolerance:
            break
        state = State(**dict(zip(State.__slots__, DAMPING * before + (1 - DAMPING) * after, strict=True)))
    return mean(lambda kappa: Point(kappa, functions, state).r2)


def _image(state: State, functions: Functions, mean: Mean, alpha: float, c: float) -> State:
    """One undamped step (beta = 1: alpha/beta = alpha/sqrt(beta) = alpha)."""

    def average(formula: Callable[[Point], Numbers]) -> float:
        return alpha * mean(lambda kappa: formula(Point(kappa, functions, state)))

    hat = {name: average(formula) for name, formula in _AVERAGES.items()}
    s, t = hat["s"], RIDGE + hat["t"]
    v2 = 2 / (t + np.sqrt(t * t + 4 * t * s * c))
    v1 = c * v2 / (1 + s * c * v2)
    x = 1 - s**2 * v1**2
    a0, a1 = v2**2 / x, v1**2 / c / x
    a2 = v1**2 + a1 * v1**2 / (c * v2**2)
    first, second = hat["q1"] + hat["psi"] ** 2, hat["q2"] + c * hat["zeta"] ** 2
    return State(
        V1=v1,
        V2=v2,
        q1=first * a2 + second * a1,
        q2=first * a1 + second * a0,
        m=hat["top"] / hat["bottom"],
        zeta=c * hat["zeta"] * v2,
        psi=hat["psi"] * v1,
    )


def _gauss() -> tuple[Array, Array]:
    z, w = hermegauss(NODES)
    return z, w / w.sum()


def coefficient_functions(spike: GiantStepSolution) -> Functions:
    """The six functions of kappa by Gauss-Hermite, for arrays and numbers."""
    z, w = _gauss()
    r, c, gamma = float(spike.r), float(spike.c), float(spike.gamma)

    def functions(kappa: Numbers) -> tuple[Numbers, ...]:
        sigma = np.tanh(r * np.asarray(kappa)[..., None] + np.sqrt(c) * z)
        u = gamma * np.asarray(kappa)[..., None] + np.sqrt(1 - gamma**2) * z
        mu0, mu1, g = sigma @ w, (1 - sigma**2) @ w, np.sin(u)
        return mu0, mu1, sigma**2 @ w - mu0**2 - c * mu1**2, g @ w, (g * z) @ w, g**2 @ w

    return functions


def vectorised(spike: GiantStepSolution) -> tuple[Array, float]:
    """Test errors and seconds of the damped iteration on a fixed grid of kappa, to 1e-12."""
    start = time.perf_counter()
    kappa, weight = _gauss()
    values = coefficient_functions(spike)(kappa)

    def mean(formula: Callable[[Numbers], Numbers]) -> float:
        return float(weight @ formula(kappa))

    errors = [
        damped_iteration(lambda _: values, mean, float(alpha), float(spike.c), 1e-12) for alpha in ALPHA
    ]
    return np.array(errors), time.perf_counter() - start


def with_quad(spike: GiantStepSolution, points: int) -> tuple[Mapping[int, float], float]:
    """Test errors at some ratios and seconds, every average by scipy.integrate.quad, to 1e-4."""
    from scipy.integrate import quad

    functions = coefficient_functions(spike)

    def mean(formula: Callable[[Numbers], Numbers]) -> float:
        density = 1 / np.sqrt(2 * np.pi)
        return float(quad(lambda k: float(formula(k)) * density * np.exp(-k * k / 2), -8, 8)[0])

    chosen = np.unique(np.linspace(0, ALPHA.size - 1, points).astype(int))
    start = time.perf_counter()
    found = {int(j): damped_iteration(functions, mean, float(ALPHA[j]), float(spike.c), 1e-4) for j in chosen}
    return found, time.perf_counter() - start


@click.command()
@click.option("--quad-points", type=click.IntRange(1, ALPHA.size), default=2, show_default=True)
@click.option("--repeats", type=click.IntRange(1), default=20, show_default=True)
def main(quad_points: int, repeats: int) -> None:
    """Print the table."""
    from rich.console import Console
    from rich.table import Table

    found = main_solver(repeats)
    solution = found.solution
    spike = GiantStep(Activation("tanh(z)"), Target("sin(z1)")).solve(alpha0=ALPHA0, eta=ETA, beta=BETA)
    by_numpy, numpy_seconds = vectorised(spike)
    by_quad, quad_seconds = with_quad(spike, quad_points)
    exact = np.asarray(solution.test_error)
    ours = found.loops / ALPHA.size
    rows = [
        ("this library", ALPHA.size, found.loops, 0.0, "1e-12"),
        ("its first points, by arrays", ALPHA.size, found.arrays, 0.0, "1e-12"),
        ("the same problem again", ALPHA.size, found.kept, 0.0, "1e-12"),
        ("damped iteration, numpy", ALPHA.size, numpy_seconds, np.max(np.abs(by_numpy / exact - 1)), "1e-12"),
        ("damped iteration, scipy quad", len(by_quad), quad_seconds,
         max(abs(error / exact[j] - 1) for j, error in by_quad.items()), "1e-4"),
    ]  # fmt: skip
    shown = Table(title="20 sample ratios, tanh/sin after a giant step, ridge 1e-3, one thread")
    for name in (
        "method",
        "tolerance",
        "ratios done",
        "seconds",
        "ms a ratio",
        "times ours",
        "largest difference",
    ):
        shown.add_column(name, justify="left" if name == "method" else "right")
    for name, count, seconds, difference, tolerance in rows:
        each = seconds / count
        numbers = (f"{seconds:.4g}", f"{1e3 * each:.4g}", f"{each / ours:.4g}")
        shown.add_row(name, tolerance, str(count), *numbers, f"{difference:.1e}" if difference else "-")
    console = Console(width=120)
    console.print(shown)
    console.print(
        f"this library: median of {repeats} runs; first run in this process {found.cold:.2f} s; "
        f"{np.max(solution.iterations)} Newton steps at most; largest residual "
        f"{np.max(solution.residual):.1e}; largest numerical error {np.max(solution.numerical_error):.1e}"
    )


if __name__ == "__main__":
    main()
