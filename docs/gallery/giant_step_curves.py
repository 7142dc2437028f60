"""Learning curves after one giant step: theory (lines) and networks of dimension 200 (points)."""

from __future__ import annotations

import numpy as np
from gallery_style import GREY, picture
from matplotlib.axes import Axes

from hermite_analytics.numeric import GiantStep, SpikedRandomFeatures, simulate

PROBLEM = ("tanh(z)", "sin(z1)")
ALPHA0, RIDGE, SAMPLES = 4.0, 0.01, [0.5, 1.0, 2.0, 4.0]


def draw(axes: Axes) -> None:
    """Effective step 2 for both widths."""
    alpha = np.geomspace(0.3, 5, 100)
    for beta in (0.5, 1.0):
        step = GiantStep(*PROBLEM).solve(alpha0=ALPHA0, eta=2 * beta, beta=beta)
        theory = SpikedRandomFeatures(*PROBLEM).solve(step=step, alpha=alpha, ridge=RIDGE)
        (line,) = axes.plot(alpha, theory.test_error, label=rf"$\beta = {beta:g}$")
        found = simulate(
            "giant-step",
            activation=PROBLEM[0],
            target=PROBLEM[1],
            d=200,
            seeds=6,
            alpha0=ALPHA0,
            eta=2 * beta,
            beta=beta,
            alpha=SAMPLES,
            ridge=RIDGE,
        ).results["test_error"]
        axes.errorbar(
            SAMPLES, found.mean, yerr=2 * found.stderr, fmt="o", color=line.get_color(), markersize=4
        )
    axes.axhline(float(theory.linear_floor), color=GREY, linestyle="--", label="best linear predictor")
    axes.set(xscale="log", xlabel=r"$\alpha = n / d$", ylabel="test error", ylim=(0, None))
    axes.set_xticks(SAMPLES, [f"{x:g}" for x in SAMPLES])
    axes.minorticks_off()
    axes.legend()


if __name__ == "__main__":
    picture(draw)
