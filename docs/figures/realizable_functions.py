"""The functions that features span in the direction of the spike, as its strength grows."""

from __future__ import annotations

import numpy as np
from gallery_style import GREY, picture
from matplotlib.axes import Axes
from networks import directions, with_a_spike

import hermite_analytics as ha

D, P = 200, 8000
SHOWN = np.linspace(-3, 3, 9)


def draw(axes: Axes) -> None:
    """Lines: mu0(kappa); points: the mean of 8000 neurons at inputs with this projection."""
    kernel = ha.compile(ha.conditional_coefficients(ha.Activation("tanh")), (ha.kappa, ha.c, ha.r))
    kappa = np.linspace(-3, 3, 200)
    rng = np.random.default_rng(0)
    for r in (0.3, 0.9, 2.0, 5.0):
        (line,) = axes.plot(kappa, kernel(kappa, 1.0, r).mu0, label=f"$r = {r:g}$")
        theta = directions(rng, 1, D)[0]
        w = with_a_spike(rng, P, theta, r=r)
        x = rng.standard_normal((len(SHOWN), D))
        x += np.outer(SHOWN - x @ theta, theta)
        axes.plot(SHOWN, np.tanh(x @ w.T).mean(axis=1), "o", color=line.get_color(), markersize=4)
    axes.axhline(0.0, color=GREY, linewidth=0.5)
    axes.set(xlabel=r"$\kappa$", ylabel=r"$\mu_0(\kappa)$", title="tanh, $c = 1$")
    axes.legend()


if __name__ == "__main__":
    picture(draw)
