"""A parity of two coordinates: nothing is seen below a threshold."""

from __future__ import annotations

import numpy as np
from gallery_style import GREY, picture
from matplotlib.axes import Axes

from hermite_analytics.numeric import StateEvolution, simulate

TARGET = "sign(z1*z2)"


def draw(axes: Axes) -> None:
    """Line: state evolution; crosses: message passing on data of dimension 300."""
    model = StateEvolution(TARGET)
    alpha = np.linspace(1.5, 5, 71)
    solved = model.solve(alpha=alpha)
    axes.plot(alpha, solved.overlap[:, 0, 0], label="state evolution")
    for x in (2.0, 3.0, 4.5):
        found = simulate("amp", target=TARGET, d=300, seeds=4, alpha=x).results["overlap"]
        axes.errorbar(x, found.mean.mean(), yerr=2 * found.stderr.mean(), fmt="x", color="0.3", markersize=5)
    axes.plot([], [], "x", color="0.3", label="message passing, $d = 300$")
    axes.axvline(np.pi**2 / 4, color=GREY, linestyle="--", label=r"$\pi^2/4$")
    axes.set(
        xlabel=r"$\alpha = n/d$", ylabel="squared overlap", ylim=(0, 1), title=r"$\mathrm{sign}(z_1 z_2)$"
    )
    axes.legend(loc="upper left")


if __name__ == "__main__":
    picture(draw)
