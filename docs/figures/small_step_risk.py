"""The test error of ridge regression on features before and after one step of order one."""

from __future__ import annotations

import numpy as np
from gallery_style import GREY, picture
from matplotlib.axes import Axes

from hermite_analytics.numeric import SmallStep

D, SEEDS, BETA, RIDGE = 150, 4, 1.0, 0.1
SAMPLES = (0.5, 1.0, 2.0, 4.0)


def simulated(eta: float, alpha: float, seed: int, *, beta: float = BETA) -> float:
    """One network: a step on n samples, then ridge regression on as many fresh ones."""
    rng = np.random.default_rng(seed)
    n, p = round(alpha * D), round(beta * D)
    w, a = rng.standard_normal((D, p)) / D**0.5, rng.standard_normal(p) / p**0.5
    x = rng.standard_normal((n, D))
    h = x @ w
    residual = np.tanh(x[:, 0]) - np.tanh(h) @ a / p**0.5
    w = w + eta * x.T @ (np.outer(residual, a) / np.cosh(h) ** 2) / n
    x = rng.standard_normal((n, D))
    phi = np.tanh(x @ w) / p**0.5
    readout = np.linalg.solve(phi.T @ phi + RIDGE * np.eye(p), phi.T @ np.tanh(x[:, 0]))
    fresh = rng.standard_normal((2000, D))
    return float(np.mean((np.tanh(fresh[:, 0]) - np.tanh(fresh @ w) @ readout / p**0.5) ** 2))


def draw(axes: Axes) -> None:
    """Lines: infinite dimension; points: networks of dimension 150."""
    alpha = np.geomspace(0.3, 6, 60)
    for eta in (0.0, 1.0, 2.0, 4.0):
        theory = SmallStep("tanh(z)", "tanh(z1)").solve(eta=eta, alpha=alpha, beta=BETA, ridge=RIDGE)
        (line,) = axes.plot(alpha, theory.risk_after, label=rf"$\eta$ = {eta:g}")
        for x in SAMPLES:
            found = [simulated(eta, x, seed) for seed in range(SEEDS)]
            error = 2 * np.std(found, ddof=1) / SEEDS**0.5
            axes.errorbar(x, np.mean(found), yerr=error, fmt="o", color=line.get_color(), markersize=4)
    axes.set(
        xscale="log",
        xlabel=r"$\alpha = n / d$",
        ylabel="test error",
        title="tanh, target tanh",
        ylim=(0, None),
    )
    axes.axhline(0.0, color=GREY, linewidth=0.5)
    axes.set_xticks(SAMPLES, [f"{x:g}" for x in SAMPLES])
    axes.minorticks_off()
    axes.legend()


if __name__ == "__main__":
    picture(draw)
