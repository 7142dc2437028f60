"""The functions that realise the bounds after one giant step, beside the target."""

from __future__ import annotations

import numpy as np
from gallery_style import GREY, picture
from matplotlib.axes import Axes
from numpy.polynomial.hermite_e import hermegauss

import hermite_analytics as ha
from hermite_analytics.numeric import Bounds

R = 0.9


def draw(axes: Axes) -> None:
    """sin, and its projections on mu0 and on the span of mu0 and kappa mu1."""
    kernel = ha.compile(ha.conditional_coefficients(ha.Activation("tanh")), (ha.kappa, ha.c, ha.r))

    def basis(kappa: np.ndarray) -> np.ndarray:
        values = kernel(kappa, 1.0, R)
        return np.stack([values.mu0, kappa * values.mu1])

    nodes, weights = hermegauss(60)
    weights = weights / weights.sum()
    phi = basis(nodes)
    kappa = np.linspace(-3, 3, 200)
    axes.plot(kappa, np.sin(kappa), color="0.4", label="target")
    bounds = Bounds("tanh(z)", "sin(z1)").solve(r=R)
    for used, name, bound in ((1, "upper", bounds.upper), (2, "lower", bounds.lower)):
        gram = (phi[:used] * weights) @ phi[:used].T
        b = np.linalg.solve(gram, (phi[:used] * weights) @ np.sin(nodes))
        distance = float(weights @ (np.sin(nodes) - b @ phi[:used]) ** 2)
        if abs(distance - float(bound)) > 1e-6:
            raise ArithmeticError(f"{name}: distance {distance}, bound {float(bound)}")
        axes.plot(kappa, b @ basis(kappa)[:used], label=f"{name} bound, error {distance:.4f}")
    axes.axhline(0.0, color=GREY, linewidth=0.5)
    axes.set(xlabel=r"$\kappa$", title="tanh, $r = 0.9$, $c = 1$")
    axes.legend()


if __name__ == "__main__":
    picture(draw)
