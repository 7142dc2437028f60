"""Times of the saddle points after a giant step, against plain numpy and scipy in the same run.

    python -m hermite_analytics.validation.benchmarks.saddle_points [--points 1000000] [--repeats 7]

The reference iterates the equations of the papers with damping 1/2 on 150 Gauss-Hermite nodes, each point
from the same start, to 1e-12; of long grids it does some points, and its time is scaled. Where it diverges (a
point counted under "lost") there is nothing to compare. For random features with the logistic loss it takes
the proximal operator from scipy's root finder. The library's tables are made anew in each repetition, unless
a row says "again".
"""

from __future__ import annotations

import os
from typing import TypeVar

os.environ.setdefault("OMP_NUM_THREADS", "1")  # one thread of linear algebra for everyone, before numpy loads

import time
from collections.abc import Callable
from dataclasses import dataclass

import click
import numpy as np
from numpy.polynomial.hermite_e import hermegauss

from hermite_analytics import Activation, Target
from hermite_analytics.foundation.arrays import Numbers
from hermite_analytics.foundation.numpy_arrays import Array
from hermite_analytics.numeric import GiantStep, Loss, RandomFeatures, SpikedRandomFeatures
from hermite_analytics.numeric.learning_curve import LearningCurve
from hermite_analytics.numeric.models.spiked.tables import table

TANH, SIN = Activation("tanh(z)"), Target("sin(z1)")
NODES = 150
LETTERS = {0.5: 0.5, 1.5: 0.5}
LOGISTIC_POINTS = 2
T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One line of the table: seconds of the library and of the reference for the same points."""

    name: str
    points: int
    seconds: float
    reference: float
    difference: float
    lost: int = 0


def timed(work: Callable[[], T], repeats: int) -> tuple[T, float]:
    """(the result, the median time), every time from empty tables."""
    times = []
    for _ in range(repeats):
        table.cache_clear()
        start = time.perf_counter()
        result = work()
        times.append(time.perf_counter() - start)
    return result, float(np.median(times))


class Reference:
    """The equations at beta = 1 for tanh and sin, as a direct reading of the paper has them: J letters."""

    def __init__(self, r: float, c: Numbers | list[float], gamma: float, letters: dict[float, float]) -> None:
        z, w = hermegauss(NODES)
        self.weight, self.kappa, self.c = w / w.sum(), z, np.broadcast_to(c, (len(letters),)).astype(float)
        self.fraction = np.array(list(letters.values()))
        values = np.array(list(letters))
        sigma = np.tanh(r * values[:, None, None] * z[:, None] + np.sqrt(self.c)[:, None, None] * z)
        self.mu0, self.mu1 = sigma @ self.weight, (1 - sigma**2) @ self.weight
        self.mu2s = sigma**2 @ self.weight - self.mu0**2 - self.c[:, None] * self.mu1**2
        g = np.sin(gamma * z[:, None] + np.sqrt(1 - gamma**2) * z)
        self.h, self.h1, self.hh = g @ self.weight, (g * z) @ self.weight, g**2 @ self.weight

    def solve(self, alpha: float, ridge: float) -> float:
        """Test error, by damped iteration of all overlaps together."""
        letters = self.c.size
        v1, v2 = np.eye(letters), np.ones(letters)
        q1, q2 = 0.1 * np.eye(letters), np.full(letters, 0.1)
        m, zeta, psi = np.zeros(letters), np.zeros(letters), np.full(letters, 0.1)
        rr = np.ones(letters)
        for _ in range(20_000):
            w, r2 = self._residual(v1, v2, q1, q2, m, zeta, psi)
            g, g2 = self.weight * w, self.weight * w**2
            s, t = alpha * (self.mu1 * g) @ self.mu1.T, ridge + alpha * self.mu2s @ g
            power = self.fraction * self.c * rr
            e = np.linalg.solve(np.eye(letters) + s * power, s)
            rr_new = 1 / (t + self.c * np.diag(e))
            v1_new, v2_new = np.diag(power) - power[:, None] * e * power, self.fraction * rr_new
            gap = self.h - m @ self.mu0 - self.kappa * (zeta @ self.mu1)
            z_hat, p_hat = self.mu1 @ (g * self.kappa * gap), self.mu1 @ (g * self.h1)
            zeta_new, psi_new = alpha * self.c * v2_new * z_hat, alpha * v1 @ p_hat
            gram = (self.mu0 * g) @ self.mu0.T
            m_new = np.linalg.lstsq(gram, self.mu0 @ (g * (gap + m @ self.mu0)))[0]
            top = alpha * (self.mu1 * g2 * r2) @ self.mu1.T + alpha**2 * np.outer(p_hat, p_hat)
            bottom = alpha * self.mu2s @ (g2 * r2) + alpha**2 * self.c * z_hat**2
            q1_new, q2_new = self._variances(top, bottom, power, rr, e, v1_new)
            old = np.concatenate([v1.ravel(), v2, q1.ravel(), q2, m, zeta, psi, rr])
            new = np.concatenate(
                [v1_new.ravel(), v2_new, q1_new.ravel(), q2_new, m_new, zeta_new, psi_new, rr_new]
            )
            state = 0.5 * (old + new)
            sizes = np.cumsum([letters**2, letters, letters**2, letters, letters, letters, letters])
            v1, v2, q1, q2, m, zeta, psi, rr = np.split(state, sizes)
            v1, q1 = v1.reshape(letters, letters), q1.reshape(letters, letters)
            if np.max(np.abs(new - old) / np.maximum(np.abs(new), 1e-3)) < 1e-12:
                break
        return float(self.weight @ self._residual(v1, v2, q1, q2, m, zeta, psi)[1])

    def _residual(
        self, v1: Array, v2: Array, q1: Array, q2: Array, m: Array, zeta: Array, psi: Array
    ) -> tuple[Array, Array]:
        mu1 = self.mu1
        w = 1 / (1 + np.einsum("jk,jn,kn->n", v1, mu1, mu1) + v2 @ self.mu2s)
        cc = m @ self.mu0 + self.kappa * (zeta @ mu1)
        r2 = self.hh - 2 * cc * self.h + cc**2 - 2 * (psi @ mu1) * self.h1
        return w, r2 + np.einsum("jk,jn,kn->n", q1, mu1, mu1) + q2 @ self.mu2s

    def _variances(
        self, top: Array, bottom: Array, power: Array, rr: Array, e: Array, v1: Array
    ) -> tuple[Array, Array]:
        n = np.eye(power.size) - power[:, None] * e
        matrix = np.diag(1 / rr**2) - self.c[:, None] * e**2 * self.fraction * self.c
        change = np.linalg.solve(matrix, -(bottom + self.c * np.diag(n.T @ top @ n)))
        q1 = -((n * (self.fraction * self.c * change)) @ n.T - v1 @ top @ v1)
        return q1, -self.fraction * change


def compared(
    name: str,
    work: Callable[[], LearningCurve],
    reference: Callable[[int], float],
    points: int,
    sample: int,
    repeats: int,
) -> Row:
    """The library on all points, the reference on some of them, its time scaled to all."""
    solution, seconds = timed(work, repeats)
    exact = np.ravel(solution.test_error)
    chosen = np.unique(np.linspace(0, points - 1, sample).astype(int))
    start = time.perf_counter()
    with np.errstate(all="ignore"):
        found = np.array([reference(int(index)) for index in chosen])
    scaled = (time.perf_counter() - start) * points / chosen.size
    lost = int(np.sum(~np.isfinite(found)))
    difference = float(np.nanmax(np.abs(found / exact[chosen] - 1)))
    return Row(name=name, points=points, seconds=seconds, reference=scaled, difference=difference, lost=lost)


def curve(repeats: int) -> list[Row]:
    """20 sample ratios, ridge 1e-3."""
    step = GiantStep(TANH, SIN).solve(alpha0=20, eta=3, beta=1)
    alpha = np.linspace(0.2, 3.0, 20)
    model = SpikedRandomFeatures(TANH, SIN)

    def work() -> LearningCurve:
        return model.solve(step=step, alpha=alpha, ridge=1e-3)

    def reference(index: int) -> float:
        return Reference(float(step.r), step.c, float(step.gamma), {1.0: 1.0}).solve(
            float(alpha[index]), 1e-3
        )

    first = compared("curve of 20 ratios", work, reference, 20, 20, repeats)
    start = time.perf_counter()
    for _ in range(repeats):
        work()
    again = (time.perf_counter() - start) / repeats
    return [first, Row(name="the same, again", points=20, seconds=again, reference=first.reference,
                       difference=first.difference)]  # fmt: skip


def ridges(repeats: int) -> Row:
    """1000 ridges from 1e-8 to 1e6."""
    ridge = np.geomspace(1e-8, 1e6, 1000)
    model = SpikedRandomFeatures(TANH, SIN)

    def reference(index: int) -> float:
        return Reference(0.9, 1.2, 0.8, {1.0: 1.0}).solve(2.0, float(ridge[index]))

    return compared(
        "ridge curve", lambda: model.solve(r=0.9, c=1.2, gamma=0.8, alpha=2.0, beta=1.0, ridge=ridge),
        reference, 1000, 8, repeats,
    )  # fmt: skip


def letters(repeats: int) -> Row:
    """20 sample ratios with two letters."""
    alpha = np.linspace(0.2, 3.0, 20)
    model = SpikedRandomFeatures(TANH, SIN, letters=LETTERS)
    c = [1.05, 1.4]

    def reference(index: int) -> float:
        return Reference(1.3, c, 0.9, LETTERS).solve(float(alpha[index]), 0.05)

    return compared(
        "two letters, 20 ratios",
        lambda: model.solve(r=1.3, c=c, gamma=0.9, alpha=alpha, beta=1.0, ridge=0.05),
        reference, 20, 3, repeats,
    )  # fmt: skip


def phase_diagram(points: int) -> Row:
    """alpha x ridge x eta, on all processors."""
    side = round(points ** (1 / 3))
    alpha, ridge = np.geomspace(0.1, 10, side), np.geomspace(1e-4, 1e2, side)
    step = GiantStep(TANH, SIN).solve(alpha0=2, eta=np.linspace(0.1, 6, side), beta=1)
    model = SpikedRandomFeatures(TANH, SIN)

    r, c, gamma = np.asarray(step.r), np.asarray(step.c), np.asarray(step.gamma)

    def reference(index: int) -> float:
        i, j, k = np.unravel_index(index, (side, side, side))
        return Reference(r[k], c[k], gamma[k], {1.0: 1.0}).solve(float(alpha[i]), float(ridge[j]))

    return compared(
        "phase diagram", lambda: model.solve(step=step, alpha=alpha[:, None, None], ridge=ridge[:, None]),
        reference, side**3, 27, 1,
    )  # fmt: skip


def logistic() -> Row:
    """Random features with the logistic loss; the reference finds the prox by scipy on a product of rules."""
    from scipy.optimize import newton

    alpha = np.linspace(0.5, 2.0, LOGISTIC_POINTS)
    model = RandomFeatures(TANH, Target("sign(z1)"), loss=Loss("logistic"))
    model.solve(alpha=0.7, beta=1.0, ridge=0.1)  # compile
    z, w = hermegauss(80)
    w = w / w.sum()
    slope = float((1 - np.tanh(z) ** 2) @ w)
    rest = float(np.tanh(z) ** 2 @ w) - slope**2

    def reference(index: int) -> float:
        ratio, v, q, overlap = float(alpha[index]), 1.0, 1.0, 0.3
        for _ in range(2000):
            field = np.sqrt(q) * z
            angle = overlap / np.sqrt(q - overlap**2) * z
            share = 0.5 * (1 + np.vectorize(_erf)(angle / np.sqrt(2)))  # P(y = 1 | field)
            prox = newton(
                lambda x, f=field, v=v: (x - f) / v - 1 / (1 + np.exp(x)), field,
                fprime=lambda x, v=v: 1 / v + np.exp(x) / (1 + np.exp(x)) ** 2, maxiter=200,
            )  # fmt: skip
            force = (prox - field) / v
            curvature = np.exp(prox) / (1 + np.exp(prox)) ** 2
            curvature = curvature / (1 + v * curvature)
            a, b = 2 * w @ (share * curvature), 2 * w @ (share * force**2)
            density = np.exp(-0.5 * angle**2) / np.sqrt(2 * np.pi)
            along = 2 * w @ (force * density) * 2 / np.sqrt(1 - overlap**2 / q) / 2
            s, t = ratio * slope**2 * a, 0.1 + ratio * rest * a
            v2 = 2 / (t + np.sqrt(t * t + 4 * t * s))
            v1 = v2 / (1 + s * v2)
            x = 1 - (s * v1) ** 2
            a0, a1 = v2**2 / x, v1**2 / x
            a2 = v1**2 + a1 * v1**2 / v2**2
            top, bottom = ratio * slope**2 * (b + ratio * along**2), ratio * rest * b
            new = np.array([
                slope**2 * v1 + rest * v2,
                slope**2 * (a2 * top + a1 * bottom) + rest * (a1 * top + a0 * bottom),
                ratio * slope**2 * along * v1,
            ])  # fmt: skip
            old = np.array([v, q, overlap])
            v, q, overlap = 0.5 * (old + new)
            if np.max(np.abs(new - old)) < 1e-10:
                break
        return float(np.arccos(overlap / np.sqrt(q)) / np.pi)

    return compared(
        "logistic random features", lambda: model.solve(alpha=alpha, beta=1.0, ridge=0.1),
        reference, LOGISTIC_POINTS, LOGISTIC_POINTS, 1,
    )  # fmt: skip


def _erf(x: float) -> float:
    from math import erf

    return erf(x)


@click.command()
@click.option(
    "--points", type=click.IntRange(8), default=1_000_000, show_default=True, help="Of the diagram."
)
@click.option("--repeats", type=click.IntRange(1), default=7, show_default=True)
def main(points: int, repeats: int) -> None:
    """Print the table."""
    from rich.console import Console
    from rich.table import Table

    curve(1)  # compile
    letters(1)
    rows = [*curve(repeats), ridges(repeats), letters(repeats), logistic(), phase_diagram(points)]
    shown = Table(title="Saddle points of tanh after a giant step")
    for name in (
        "problem",
        "points",
        "seconds",
        "us a point",
        "reference, seconds",
        "ratio",
        "largest difference",
        "lost",
    ):
        shown.add_column(name, justify="left" if name == "problem" else "right")
    for row in rows:
        shown.add_row(
            row.name, str(row.points), f"{row.seconds:.3g}", f"{1e6 * row.seconds / row.points:.3g}",
            f"{row.reference:.3g}", f"{row.reference / row.seconds:.3g}", f"{row.difference:.0e}",
            str(row.lost),
        )  # fmt: skip
    Console(width=120).print(shown)


if __name__ == "__main__":
    main()
