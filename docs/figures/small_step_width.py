"""The test error of ridge regression on features after one step of order one, over the width."""

from __future__ import annotations

import numpy as np
from gallery_style import picture
from matplotlib.axes import Axes
from small_step_risk import RIDGE, SEEDS, simulated

from hermite_analytics.numeric import SmallStep

ALPHA, WIDTHS = 2.0, (0.5, 1.0, 2.0, 4.0)


def draw(axes: Axes) -> None:
    """Lines: infinite dimension; points: networks of dimension 150."""
    beta = np.geomspace(0.3, 20, 60)
    for eta in (0.0, 1.0, 2.0, 4.0):
        theory = SmallStep("tanh(z)", "tanh(z1)").solve(eta=eta, alpha=ALPHA, beta=beta, ridge=RIDGE)
        (line,) = axes.plot(beta, theory.risk_after, label=rf"$\eta$ = {eta:g}")
        for x in WIDTHS:
            found = [simulated(eta, ALPHA, seed, beta=x) for seed in range(SEEDS)]
            error = 2 * np.std(found, ddof=1) / SEEDS**0.5
            axes.errorbar(x, np.mean(found), yerr=error, fmt="o", color=line.get_color(), markersize=4)
    axes.set(
        xscale="log",
        xlabel=r"$\beta = p / d$",
        ylabel="test error",
        title="tanh, target tanh",
        ylim=(0, None),
    )
    ticks = (*WIDTHS, 8.0, 16.0)
    axes.set_xticks(ticks, [f"{x:g}" for x in ticks])
    axes.minorticks_off()
    axes.legend()


if __name__ == "__main__":
    picture(draw)
