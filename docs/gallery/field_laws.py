"""Fields of samples that were trained on and of fresh ones, step by step, in the limit and in a network."""

from __future__ import annotations

import numpy as np
from gallery_style import BLUE, GREY, ORANGE, picture
from matplotlib.axes import Axes

from hermite_analytics.numeric import DMFT

ALPHA, ETA, STEPS, DIMENSION = 1.0, 1.0, 2, 2000
APART, HEIGHT = 10.0, 0.45  # of the steps, which stand beside each other


def fields(seed: int) -> list[np.ndarray]:
    """Fields of all samples of one network before and after each step, trained on its data matrix."""
    rng = np.random.default_rng(seed)
    x = rng.standard_normal((round(ALPHA * DIMENSION), DIMENSION))
    label, weights, found = 2 * np.tanh(x[:, 0]), np.eye(DIMENSION)[1], []
    for _ in range(STEPS + 1):
        h = x @ weights
        found.append(h)
        weights = weights - ETA / DIMENSION * ((np.tanh(h) - label) / np.cosh(h) ** 2) @ x
    return found


def draw(axes: Axes) -> None:
    """Densities of h_0, h_1, h_2 of training and fresh samples, and the share of a network's samples."""
    run = DMFT("tanh", "2*tanh(z1)").solve(alpha=ALPHA, eta=ETA, steps=STEPS, tolerance=1e-2)
    line, edges = np.linspace(-4.8, 4.8, 161), np.linspace(-4.8, 4.8, 33)
    for step, simulated in enumerate(fields(0)):
        law, place = run.law(step, field=line), APART * step
        shares, _ = np.histogram(simulated, edges)
        density = shares / simulated.size / (edges[1] - edges[0])
        middle = 0.5 * (edges[1:] + edges[:-1])
        axes.plot(
            middle + place, density, "o", ms=3, color=GREY, label=None if step else "one network, $d = 2000$"
        )
        axes.plot(line + place, law.training, color=BLUE, label=None if step else "samples trained on")
        axes.plot(line + place, law.fresh, "--", color=ORANGE, label=None if step else "fresh samples")
        axes.text(place, HEIGHT, f"after {step} steps" if step != 1 else "after 1 step", ha="center")
    ticks = [(APART * step + h, h) for step in range(STEPS + 1) for h in (-2, 0, 2)]
    axes.set_xticks([place for place, _ in ticks], [str(h) for _, h in ticks])
    axes.set(
        xlabel="field $h$",
        ylabel="density",
        ylim=(0, 0.66),
        title=r"tanh learns $2 \tanh(z)$ from $d$ samples",
    )
    axes.legend(ncols=3, loc="upper center")


if __name__ == "__main__":
    picture(draw)
