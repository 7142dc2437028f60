"""Learning curves after one giant step of given size, for several widths of the network."""

from __future__ import annotations

import numpy as np
from gallery_style import GREY, picture
from matplotlib.axes import Axes
from networks import after_a_giant_step, directions, mean_and_error, ridge_readout

from hermite_analytics.numeric import GiantStep, SpikedRandomFeatures

PROBLEM = ("tanh(z)", "sin(z1)")
D, SEEDS, ALPHA0, ETA, RIDGE = 150, 4, 4.0, 1.5, 0.01
SAMPLES = (0.5, 1.0, 2.0, 4.0)


def slope(z: np.ndarray) -> np.ndarray:
    """Of tanh."""
    return 1 / np.cosh(z) ** 2


def simulated(beta: float, alpha: float, seed: int) -> float:
    """The test error of one network."""
    rng = np.random.default_rng(seed)
    theta = directions(rng, 1, D)[0]
    w = directions(rng, round(beta * D), D)
    w = after_a_giant_step(rng, w, theta, slope, np.sin, alpha0=ALPHA0, step=ETA / beta)
    return ridge_readout(rng, w, theta, np.tanh, np.sin, alpha=alpha, ridge=RIDGE)[1]


def draw(axes: Axes) -> None:
    """Lines: infinite dimension; points: networks of dimension 150."""
    alpha = np.geomspace(0.3, 5, 60)
    for beta in (0.5, 1.0, 2.0):
        step = GiantStep(*PROBLEM).solve(alpha0=ALPHA0, eta=ETA, beta=beta)
        theory = SpikedRandomFeatures(*PROBLEM).solve(step=step, alpha=alpha, ridge=RIDGE)
        (line,) = axes.plot(alpha, theory.test_error, label=f"p/d = {beta:g}, r = {float(step.r):.2f}")
        for x in SAMPLES:
            mean, error = mean_and_error([simulated(beta, x, seed) for seed in range(SEEDS)])
            axes.errorbar(x, mean, yerr=error, fmt="o", color=line.get_color(), markersize=4)
    axes.axhline(float(theory.linear_floor), color=GREY, linestyle="--", label="best linear predictor")
    axes.set(xscale="log", xlabel=r"$\alpha = n/d$", ylabel="test error", ylim=(0, 0.6))
    axes.set_xticks(SAMPLES, [f"{x:g}" for x in SAMPLES])
    axes.minorticks_off()
    axes.legend()


if __name__ == "__main__":
    picture(draw)
