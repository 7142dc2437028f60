"""A grand staircase: the first direction, then the two that it makes visible."""

from __future__ import annotations

import numpy as np
from gallery_style import GREY, picture
from matplotlib.axes import Axes

import hermite_analytics as ha
from hermite_analytics.numeric import StateEvolution, simulate

TARGET = "z1**2 + sign(z1*z2*z3)"


def draw(axes: Axes) -> None:
    """Line: state evolution; crosses: message passing on data of dimension 300."""
    model = StateEvolution(TARGET)
    alpha = np.linspace(0.3, 4, 38)
    solved = model.solve(alpha=alpha)
    axes.plot(alpha, solved.overlap[:, 0, 0], label="$z_1$")
    axes.plot(alpha, (solved.overlap[:, 1, 1] + solved.overlap[:, 2, 2]) / 2, label="$z_2, z_3$")
    axes.plot(alpha, solved.test_error / 3, color="0.4", label=r"test error / $\mathrm{Var}\, y$")
    for x in (0.9, 2.0, 4.0):
        found = simulate("amp", target=TARGET, d=300, seeds=3, alpha=x).results["overlap"].mean
        axes.plot(x, found[0], "x", color="#3057a4", markersize=6)
        axes.plot(x, (found[1] + found[2]) / 2, "x", color="#b3541e", markersize=6)
    for stage in ha.weak_recovery(TARGET).stages:
        value = float(stage.alpha_c)
        axes.axvline(value, color=GREY, linestyle="--")
        axes.annotate(f" {value:.4f}", (value, 0.9), color="0.4")
    axes.set(
        xlabel=r"$\alpha = n/d$", ylabel="squared overlap", title=r"$z_1^2 + \mathrm{sign}(z_1 z_2 z_3)$"
    )
    axes.legend(loc="center right")


if __name__ == "__main__":
    picture(draw)
