"""What the second of two giant steps finds beside the first direction: one direction more, or two."""

from __future__ import annotations

import numpy as np
from gallery_style import BLUE, GREY, ORANGE, picture
from matplotlib.axes import Axes
from networks import Array, directions

import hermite_analytics as ha

D, PAIRS, ALPHA, STEP = 1000, 40, 16, 2.0
READOUT = np.linspace(0.2, 2.5, PAIRS)
CASES = {"z1 + z1*z2 + z1*z3": BLUE, "z1 + z1*z2 + He3(z1)*z3": ORANGE}


def label(z: Array, target: str) -> Array:
    """The targets as they are written in the talk, in plain numpy."""
    first = z[:, 0]
    factor = first**3 - 3 * first if "He3" in target else first
    return first + first * z[:, 1] + factor * z[:, 2]


def found(target: str) -> Array:
    """Components of neurons along w2 and w3 after two steps, over the step: shape (2 PAIRS, 2)."""
    rng = np.random.default_rng(0)
    w = directions(rng, PAIRS, D)
    w, a = np.vstack([w, w]), np.concatenate([READOUT, -READOUT])
    for _ in range(2):
        x = rng.standard_normal((ALPHA * D, D))
        h = x @ w.T
        residual = label(x[:, :3], target) - np.maximum(h, 0.0) @ a / len(a)
        w = w + STEP / len(x) * (np.outer(residual, a) * (h > 0)).T @ x
    return w[:, 1:3] / STEP


def expected(target: str, second_moment: float) -> Array:
    """The same at d = infinity: a E sigma'(w.x) g(z1), g the factors of z2 and z3, w from the first step."""
    along = STEP * READOUT / 2  # E sigma' = 1/2, and the linear part of the target is z1
    noise = (STEP * READOUT) ** 2 * second_moment / (2 * ALPHA)
    cosine = along / np.sqrt(1 + along**2 + noise)
    factors = ("z1", "He3(z1)" if "He3" in target else "z1")
    kernel = ha.compile(
        {f"c{k}": ha.expectation(f"sign(r*z1 + c*z2)*{g}/2").formula for k, g in enumerate(factors)},
        ("r", "c"),
    )
    return READOUT[:, None] * np.stack(kernel(cosine, np.sqrt(1 - cosine**2)), axis=1)


def draw(axes: Axes) -> None:
    """Points: neurons in dimension 1000; lines: infinite dimension, readouts up to 2.5."""
    for target, colour in CASES.items():
        dimensions = ha.staircase(target).dimensions
        second_moment = float(ha.expectation(f"({target})**2").evalf(15))
        points, line = found(target), expected(target, second_moment)
        axes.plot(*points.T, "o", color=colour, markersize=3, alpha=0.7)
        axes.plot(*line.T, color=colour, label=f"{target}: dimensions {dimensions[1]}, {dimensions[2]}")
    axes.axhline(0.0, color=GREY, linewidth=0.5)
    axes.set(xlabel="component along $w_2$", ylabel="along $w_3$", title="neurons after the second step")
    axes.legend()


if __name__ == "__main__":
    picture(draw)
