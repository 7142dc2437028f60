"""One-pass SGD does not see He3 with relu; looking at each sample twice does."""

from __future__ import annotations

import numpy as np
from gallery_style import picture
from matplotlib.axes import Axes

from hermite_analytics.numeric import SGDFlow, simulate

PROBLEM = {"activation": "relu(z)", "target": "He3(z1)"}
RATE, D, SEEDS, TIMES = 0.05, 300, 8, np.array([10.0, 20.0, 30.0, 40.0])
METHODS = (("sgd", {}), ("extra-gradient", {"reuse": 0.1}), ("batch-reuse", {}))


def draw(axes: Axes) -> None:
    """Lines: flows from overlap 0; points: neurons of dimension 300, with two standard errors."""
    times = np.linspace(0, TIMES[-1], 41)
    for method, options in METHODS:
        theory = SGDFlow(**PROBLEM, method=method, **options).solve(rate=RATE, overlap=0.0, times=times)
        (line,) = axes.plot(times, np.ravel(theory.overlap), label=method)
        found = simulate(
            "reuse", **PROBLEM, method=method, **options, loss="correlation", spherical=True,
            rate=RATE, time=TIMES, d=D, seeds=SEEDS,
        ).results["overlap"]  # fmt: skip
        axes.errorbar(
            TIMES, found.mean, 2 * found.stderr, fmt="o", markersize=4, color=line.get_color(), capsize=2
        )
    axes.set(xlabel=r"time $t = n / d$", ylabel=r"overlap $M$", title=r"relu, target $\mathrm{He}_3$")
    axes.legend()


if __name__ == "__main__":
    picture(draw)
