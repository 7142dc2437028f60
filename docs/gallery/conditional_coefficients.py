"""Mean, slope and residual of a relu neuron that has a spike, given the projection on the spike."""

from __future__ import annotations

import numpy as np
from gallery_style import picture
from matplotlib.axes import Axes

import hermite_analytics as ha


def draw(axes: Axes) -> None:
    """Three curves from one compiled kernel."""
    coefficients = ha.conditional_coefficients(ha.Activation("relu"))
    kernel = ha.compile(coefficients, (ha.kappa, ha.c, ha.r))
    kappa = np.linspace(-3, 3, 301)
    values = kernel(kappa, 1.0, 1.2)
    for name, label in (("mu0", r"$\mu_0$"), ("mu1", r"$\mu_1$"), ("mu2_squared", r"$\mu_2^2$")):
        axes.plot(kappa, getattr(values, name), label=label)
    axes.set(
        xlabel=r"$\kappa$, projection on the spike", ylabel="coefficient", title="relu, $c = 1$, $r = 1.2$"
    )
    axes.legend()


if __name__ == "__main__":
    picture(draw)
