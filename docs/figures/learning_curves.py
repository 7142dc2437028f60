"""What figures of learning curves have in common: curves of the theory, points of networks on them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from gallery_style import GREY
from matplotlib.axes import Axes
from networks import Array, directions, mean_and_error, ridge_readout

PROBLEM = ("tanh(z)", "sin(z1)")
ALPHA = np.geomspace(0.3, 5, 60)
RIDGE = 0.01
SAMPLES = (0.5, 1.0, 2.0, 4.0)
SEEDS = 4

Weights = Callable[[np.random.Generator, Array], Array]
"""The first layer of a network, from random numbers and the direction of the target."""


def curve(axes: Axes, theory: Array, label: str, weights: Weights, d: int = 150) -> None:
    """One curve at `ALPHA`, and networks of dimension d at `SAMPLES`."""
    (line,) = axes.plot(ALPHA, theory, label=label)
    for alpha in SAMPLES:
        mean, error = mean_and_error([_test_error(weights, alpha, d, seed) for seed in range(SEEDS)])
        axes.errorbar(alpha, mean, yerr=error, fmt="o", color=line.get_color(), markersize=4)


def _test_error(weights: Weights, alpha: float, d: int, seed: int) -> float:
    rng = np.random.default_rng(seed)
    theta = directions(rng, 1, d)[0]
    return ridge_readout(rng, weights(rng, theta), theta, np.tanh, np.sin, alpha=alpha, ridge=RIDGE)[1]


def finish(axes: Axes, floor: float, **settings: object) -> None:
    """The best linear predictor, axes, legend."""
    axes.axhline(floor, color=GREY, linestyle="--", label="best linear predictor")
    axes.set(xscale="log", xlabel=r"$\alpha = n/d$", ylabel="test error", **settings)
    axes.set_xticks(SAMPLES, [f"{x:g}" for x in SAMPLES])
    axes.minorticks_off()
    axes.legend()


def slope(z: Array) -> Array:
    """Of tanh."""
    return 1 / np.cosh(z) ** 2
