"""Times of state evolution, against a Monte Carlo iteration and nested quadrature in the same run.

    python -m hermite_analytics.validation.benchmarks.state_evolution [--samples 20000] [--repeats 3]

The references are what one writes for a single target, a fixed number of steps of M <- alpha F/(1 + alpha F).
Nested quadrature: F by `scipy.integrate.quad` over omega of the closed form of g_out^2. Monte Carlo: F from
fresh samples of (z, omega), the posterior from closed forms or by a rule along the curve of the label.
"""

from __future__ import annotations

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")  # one thread of linear algebra for everyone, before numpy loads

import math
import time
from collections.abc import Callable
from dataclasses import dataclass

import click
import numpy as np
from scipy.integrate import quad
from scipy.special import erf

from hermite_analytics.numeric import StateEvolution

STEPS = 60
CURVE = 801
RATIOS = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One line of the table: seconds of the library and of the reference, and what they find."""

    name: str
    points: int
    seconds: float
    reference: float
    found: float
    expected: float


def fastest(work: Callable[[], float], repeats: int) -> tuple[float, float]:
    """(the result, the least time), every time from a new model."""
    times, result = [], math.nan
    for _ in range(repeats):
        start = time.perf_counter()
        result = work()
        times.append(time.perf_counter() - start)
    return result, min(times)


def iterated(overlap_map: Callable[[float], float], alpha: float, start: float = 0.1) -> float:
    """m <- alpha F/(1 + alpha F)."""
    m = start
    for _ in range(STEPS):
        f = alpha * overlap_map(m)
        m = f / (1 + f)
        if m > 1 - 1e-6:  # exact recovery
            return 1.0
    return m


def nested_phase(m: float) -> float:
    """F of sign(z) by quadrature over omega: E[g^2 | omega] = N^2/(p (1 - p))/V."""
    v = 1 - m

    def integrand(t: float) -> float:
        x = t * math.sqrt(m / v)
        p = 0.5 * math.erfc(-x / math.sqrt(2))
        density = math.exp(-0.5 * x * x) / math.sqrt(2 * math.pi)
        weight = math.exp(-0.5 * t * t) / math.sqrt(2 * math.pi)
        return weight * density**2 / max(p * (1 - p), 1e-17) / v

    return float(quad(integrand, -8, 8, epsabs=1e-11, epsrel=1e-11, limit=200)[0])


def nested_parity(m: float) -> float:
    """F of sign(z1*z2) by nested quadrature over omega: s = a b, g_1 = y a' b/(1 + y s)."""
    v = 1 - m
    size = math.sqrt(m / v)

    def inner(t: float) -> float:
        a = math.erf(t * size / math.sqrt(2))
        slope = 2 * math.exp(-0.5 * (t * size) ** 2) / math.sqrt(2 * math.pi * v)

        def integrand(u: float) -> float:
            b = math.erf(u * size / math.sqrt(2))
            weight = math.exp(-0.5 * (t * t + u * u)) / (2 * math.pi)
            return weight * slope**2 * b**2 / max(1 - (a * b) ** 2, 1e-15)

        return float(quad(integrand, -7, 7, epsabs=1e-9, epsrel=1e-8)[0])

    return float(quad(inner, -7, 7, epsabs=1e-9, epsrel=1e-8)[0])


def sampled_square(rng: np.random.Generator, samples: int) -> Callable[[float], float]:
    """F of z^2 by Monte Carlo: g = (sqrt(y) tanh(omega sqrt(y)/V) - omega)/V."""

    def found(m: float) -> float:
        v = 1 - m
        z = rng.standard_normal(samples)
        omega = m * z + math.sqrt(m * v) * rng.standard_normal(samples)
        g = (np.abs(z) * np.tanh(omega * np.abs(z) / v) - omega) / v
        return float(np.mean(g**2))

    return found


def sampled_product(rng: np.random.Generator, samples: int) -> Callable[[float], float]:
    """F of z1*z2 by Monte Carlo, the posterior along both branches z1 = s e^t of the hyperbola."""
    t = np.linspace(-7, 2.5, CURVE // 2)

    def found(m: float) -> float:
        v, total = 1 - m, 0.0
        for _ in range(max(1, samples // 500)):
            z = rng.standard_normal((500, 2))
            omega = m * z + math.sqrt(m * v) * rng.standard_normal((500, 2))
            y = z.prod(1)[:, None]
            one = np.concatenate([np.exp(t), -np.exp(t)])[None]
            d = np.stack([one - omega[:, :1], y / one - omega[:, 1:]], -1)
            log_p = -0.5 * (d**2).sum(-1) / v
            p = np.exp(log_p - log_p.max(1, keepdims=True))
            g = np.einsum("nk,nki->ni", p / p.sum(1, keepdims=True), d) / v
            total += float(np.mean(g**2))
        return total / max(1, samples // 500)

    return found


def sampled_staircase(rng: np.random.Generator, samples: int) -> Callable[[float], float]:
    """F of z1 in z1^2 + sign(z1 z2 z3): preimages +-sqrt(y - 1), +-sqrt(y + 1) with weights 1/|z|."""

    def found(m: float) -> float:
        v = 1 - m
        z = rng.standard_normal(samples)
        y = z**2 + np.where(rng.random(samples) < 0.5, 1.0, -1.0)
        omega = m * z + math.sqrt(m * v) * rng.standard_normal(samples)
        z_i = np.stack([s * np.sqrt(np.maximum(y + c, 0)) for s in (1, -1) for c in (1, -1)])
        with np.errstate(divide="ignore"):
            log_p = np.where(z_i != 0, -0.5 * (z_i - omega) ** 2 / v - np.log(np.abs(z_i)), -np.inf)
        p = np.exp(log_p - log_p.max(0))
        g = ((p * z_i).sum(0) / p.sum(0) - omega) / v
        return float(np.mean(g**2))

    return found


def one_point(name: str, text: str, alpha: float, reference: Callable[[float], float], repeats: int) -> Row:
    """The first fixed point of a new model, preparation of the channel excluded on both sides."""
    StateEvolution(text).solve(alpha=1.1 * alpha)  # compile

    times, found = [], math.nan
    for _ in range(repeats):
        model = StateEvolution(text)
        start = time.perf_counter()
        found = float(model.solve(alpha=alpha).overlap[0, 0])
        times.append(time.perf_counter() - start)
    start = time.perf_counter()
    expected = iterated(reference, alpha)
    return Row(
        name=name,
        points=1,
        seconds=min(times),
        reference=time.perf_counter() - start,
        found=found,
        expected=expected,
    )


def staircase(samples: int, repeats: int) -> Row:
    """The curve of z1^2 + sign(z1 z2 z3) at 50 ratios, the channel prepared each time."""
    text = "z1**2 + sign(z1*z2*z3)"
    alpha = np.linspace(0.5, 5.0, RATIOS)
    StateEvolution(text).solve(alpha=1.0)
    found, seconds = fastest(
        lambda: float(StateEvolution(text).solve(alpha=alpha).overlap[:, 0, 0].mean()), repeats
    )
    rng = np.random.default_rng(0)
    start = time.perf_counter()
    first = [iterated(sampled_staircase(rng, samples), float(a)) for a in alpha]
    reference = time.perf_counter() - start
    return Row(
        name="z1^2+sign(z1z2z3), 50 ratios",
        points=RATIOS,
        seconds=seconds,
        reference=reference,
        found=found,
        expected=float(np.mean(first)),
    )


def mutual_check() -> float:
    """|F| of the two references of sign(z1*z2) against the error functions at m = 0.5: a difference."""
    m = 0.5
    t = np.linspace(-8, 8, 801)
    w = np.exp(-0.5 * t * t) / math.sqrt(2 * math.pi) * (t[1] - t[0])
    a = erf(t / math.sqrt(2))
    slope = 2 * np.exp(-0.5 * t * t) / math.sqrt(2 * math.pi * (1 - m))
    ratio = (slope[:, None] * a) ** 2 / np.maximum(1 - (a[:, None] * a) ** 2, 1e-15)
    return abs(float(w @ ratio @ w) - nested_parity(m))


@click.command()
@click.option("--samples", default=20_000, show_default=True)
@click.option("--repeats", default=3, show_default=True)
def main(samples: int, repeats: int) -> None:
    """Print the table."""
    from rich.console import Console
    from rich.table import Table

    rng = np.random.default_rng(0)
    rows = [
        one_point("sign(z), nested quadrature", "sign(z1)", 2.0, nested_phase, repeats),
        one_point("sign(z1 z2), nested quadrature", "sign(z1*z2)", 4.0, nested_parity, repeats),
        one_point("z^2, Monte Carlo", "z1**2", 1.0, sampled_square(rng, 10 * samples), repeats),
        one_point("z1 z2, Monte Carlo", "z1*z2", 1.0, sampled_product(rng, samples // 4), repeats),
        staircase(samples, repeats),
    ]
    shown = Table(title=f"State evolution; references agree within {mutual_check():.0e}")
    for name in ("problem", "points", "seconds", "reference, seconds", "ratio", "overlap", "reference"):
        shown.add_column(name, justify="left" if name == "problem" else "right")
    for row in rows:
        shown.add_row(
            row.name, str(row.points), f"{row.seconds:.3g}", f"{row.reference:.3g}",
            f"{row.reference / row.seconds:.3g}", f"{row.found:.6f}", f"{row.expected:.6f}",
        )  # fmt: skip
    Console(width=120).print(shown)


if __name__ == "__main__":
    main()
