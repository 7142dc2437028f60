"""Spiked random features: learning curves for several alignments of the spike with the target."""

from __future__ import annotations

import numpy as np
from gallery_style import GREY, picture
from matplotlib.axes import Axes
from networks import directions, mean_and_error, ridge_readout, with_a_spike

from hermite_analytics.numeric import SpikedRandomFeatures

PROBLEM = ("tanh(z)", "sin(z1)")
D, SEEDS, RIDGE = 150, 4, 0.01
SAMPLES = (0.5, 1.0, 2.0, 4.0)


def simulated(alpha: float, seed: int, *, r: float, gamma: float, beta: float) -> float:
    """The test error of one network."""
    rng = np.random.default_rng(seed)
    theta = directions(rng, 1, D)[0]
    w = with_a_spike(rng, round(beta * D), theta, r=r, gamma=gamma)
    return ridge_readout(rng, w, theta, np.tanh, np.sin, alpha=alpha, ridge=RIDGE)[1]


def draw(axes: Axes) -> None:
    """Lines: infinite dimension; points: features of dimension 150."""
    alpha = np.geomspace(0.3, 5, 60)
    model = SpikedRandomFeatures(*PROBLEM)
    for gamma in (0.3, 0.6, 0.8, 1.0):
        theory = model.solve(alpha=alpha, ridge=RIDGE, c=1.0, r=2.0, beta=0.5, gamma=gamma)
        (line,) = axes.plot(alpha, theory.test_error, label=rf"$\gamma$ = {gamma:g}")
        for x in SAMPLES:
            found = [simulated(x, seed, r=2.0, beta=0.5, gamma=gamma) for seed in range(SEEDS)]
            mean, error = mean_and_error(found)
            axes.errorbar(x, mean, yerr=error, fmt="o", color=line.get_color(), markersize=4)
    axes.axhline(float(theory.linear_floor), color=GREY, linestyle="--", label="best linear predictor")
    axes.set(xscale="log", xlabel=r"$\alpha = n/d$", ylabel="test error", ylim=(0, 0.8))
    axes.set_xticks(SAMPLES, [f"{x:g}" for x in SAMPLES])
    axes.minorticks_off()
    axes.legend()


if __name__ == "__main__":
    picture(draw)
