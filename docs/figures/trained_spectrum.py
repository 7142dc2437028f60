"""The eigenvalues of the features after a giant step: the bulk, and eigenvalues beside it."""

from __future__ import annotations

import numpy as np
from gallery_style import GREY, picture
from matplotlib.axes import Axes
from networks import directions, with_a_spike

from hermite_analytics.numeric import Spectrum

D, ALPHA, BETA, R = 400, 2.0, 1.0, 0.9


def draw(axes: Axes) -> None:
    """Line: infinite dimension; bars: one matrix of dimension 400; one eigenvalue grows with it."""
    theory = Spectrum("tanh(z)").solve(r=R, c=1.0, alpha=ALPHA, beta=BETA)
    rng = np.random.default_rng(0)
    w = with_a_spike(rng, round(BETA * D), directions(rng, 1, D)[0], r=R)
    phi = np.tanh(rng.standard_normal((round(ALPHA * D), D)) @ w.T)
    values = np.linalg.eigvalsh(phi.T @ phi / len(w))
    inside = values[values < 1.4 * theory.edge]
    counts, edges = np.histogram(inside, bins=50)
    density = counts / (len(values) * np.diff(edges))
    axes.bar(edges[:-1], density, np.diff(edges), align="edge", alpha=0.3, label="one matrix")
    x = np.linspace(1e-3, 1.4 * theory.edge, 400)
    axes.plot(x, theory.density(x), label="theory")
    axes.axvline(theory.edge, color=GREY, linestyle="--", label="edge")
    axes.set(xlabel=r"eigenvalue of $\Phi^T \Phi/p$", ylabel="density", title="tanh, $r = 0.9$")
    axes.legend()


if __name__ == "__main__":
    picture(draw)
