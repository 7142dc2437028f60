"""The singular values of the weights before and after a step of order one."""

from __future__ import annotations

import numpy as np
from gallery_style import GREY, picture
from matplotlib.axes import Axes

from hermite_analytics.numeric import SmallStep

D, PSI1, PSI2, ETA = 500, 4, 2, 2.0


def stepped() -> np.ndarray:
    """Singular values of W + eta sqrt(p) G, G the gradient of the mean of (y - yhat)^2, y = relu(x_1)."""
    rng = np.random.default_rng(0)
    n, p = PSI1 * D, PSI2 * D
    x, w = rng.standard_normal((n, D)), rng.standard_normal((D, p)) / D**0.5
    a = rng.standard_normal(p) / p**0.5
    y = np.maximum(x[:, 0], 0.0)
    h = x @ w
    residual = y - np.tanh(h) @ a / p**0.5
    gradient = 2 * x.T @ (np.outer(residual, a) / np.cosh(h) ** 2) / (n * p**0.5)
    return np.linalg.svd(w + ETA * p**0.5 * gradient, compute_uv=False)


def draw(axes: Axes) -> None:
    """Line: the Marchenko-Pastur law of the start; cross: where theory has the spike."""
    theory = SmallStep("tanh(z)", "relu(z1)", gradient_factor=2).solve(
        eta=ETA, alpha=PSI1, beta=PSI2, ridge=0.1
    )
    found = stepped()
    counts, edges = np.histogram(found, bins=60)
    axes.bar(
        edges[:-1],
        counts / (D * np.diff(edges)),
        np.diff(edges),
        align="edge",
        alpha=0.3,
        label="one network",
    )
    low, high = abs(PSI2**0.5 - 1), PSI2**0.5 + 1
    s = np.linspace(low, high, 300)
    axes.plot(
        s, np.sqrt(np.maximum((high**2 - s**2) * (s**2 - low**2), 0)) / (np.pi * s), label="law of the start"
    )
    spike = float(theory.weights["singular_value"])
    axes.plot(spike, 0.02, "x", color="0.3", label=f"spike in theory: {spike:.3f}")
    axes.plot(found[0], 0.06, "o", color=GREY, markersize=4, label=f"largest found: {found[0]:.3f}")
    axes.set(xlabel="singular value of $W$", ylabel="density", title=r"tanh, $y$ = relu, $\eta = 2$")
    axes.legend()


if __name__ == "__main__":
    picture(draw)
