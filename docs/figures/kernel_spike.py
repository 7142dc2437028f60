"""The singular values of the features before and after a step of order one."""

from __future__ import annotations

import numpy as np
from gallery_style import GREY, picture
from matplotlib.axes import Axes

from hermite_analytics.numeric import SmallStep

D, PSI1, PSI2, ETA = 800, 1.5, 1.25, 4.0


def features() -> np.ndarray:
    """Singular values of sigma(X W)/sqrt(p) on fresh samples, the softplus centred, y = tanh(x_1)."""
    rng = np.random.default_rng(0)
    n, p = round(PSI1 * D), round(PSI2 * D)
    nodes, weights = np.polynomial.hermite_e.hermegauss(80)
    mean = weights @ np.logaddexp(0, nodes) / weights.sum()
    x, w = rng.standard_normal((n, D)), rng.standard_normal((D, p)) / D**0.5
    a = rng.standard_normal(p) / p**0.5
    h = x @ w
    residual = np.tanh(x[:, 0]) - (np.logaddexp(0, h) - mean) @ a / p**0.5
    gradient = 2 * x.T @ (np.outer(residual, a) / (1 + np.exp(-h))) / n
    fresh = rng.standard_normal((n, D))
    phi = (np.logaddexp(0, fresh @ (w + ETA * gradient)) - mean) / p**0.5
    return np.linalg.svd(phi, compute_uv=False)


def draw(axes: Axes) -> None:
    """Line: the bulk of the start; cross: where theory has the spike."""
    model = SmallStep("log(1 + exp(z))", "tanh(z1)", gradient_factor=2)
    theory = model.solve(eta=ETA, alpha=PSI1, beta=PSI2, ridge=0.1)
    found = features()
    counts, edges = np.histogram(found, bins=70)
    axes.bar(
        edges[:-1],
        counts / (round(PSI2 * D) * np.diff(edges)),
        np.diff(edges),
        align="edge",
        alpha=0.3,
        label="one network",
    )
    s = np.linspace(1e-3, float(theory.kernel["edge"]) * 1.02, 400)
    density = model.kernel_density(s**2, alpha=PSI1, beta=PSI2)
    axes.plot(s, 2 * s * np.asarray(density), label="law of the start")
    spike = float(theory.kernel["singular_value"])
    axes.plot(spike, 0.05, "x", color="0.3", label=f"spike in theory: {spike:.3f}")
    axes.plot(found[0], 0.15, "o", color=GREY, markersize=4, label=f"largest found: {found[0]:.3f}")
    axes.set(
        xlabel="singular value of the features", ylabel="density", title=r"softplus, $y$ = tanh, $\eta = 4$"
    )
    axes.legend()


if __name__ == "__main__":
    picture(draw)
