"""Which directions two giant steps find: what symmetry hides stays hidden."""

from __future__ import annotations

import numpy as np
from gallery_style import GREY, picture
from matplotlib.axes import Axes
from networks import directions

import hermite_analytics as ha

D, P, ALPHA, STEP = 1000, 60, 8.0, 2.0
SIGN = {"z1 + He2(z1) + z2 - He2(z2)": -1.0, "z1 + He2(z1) + z2 + He2(z2)": 1.0}


def overlaps(sign: float) -> np.ndarray:
    """Mean squared cosine of neurons with w1 + w2 and with w1 - w2, after each of two steps."""
    rng = np.random.default_rng(0)
    w = directions(rng, P // 2, D)
    w, a = np.vstack([w, w]), np.repeat([1.0, -1.0], P // 2)
    found = []
    for _ in range(2):
        x = rng.standard_normal((round(ALPHA * D), D))
        z = x[:, :2]
        y = z[:, 0] + z[:, 1] + (z[:, 0] ** 2 - 1) + sign * (z[:, 1] ** 2 - 1)
        h = x @ w.T
        residual = y - np.maximum(h, 0.0) @ a / P
        w = w + STEP / len(x) * (np.outer(residual, a) * (h > 0)).T @ x
        cosines = w[:, :2] @ np.array([[1, 1], [1, -1]]) / (2**0.5 * np.linalg.norm(w, axis=1, keepdims=True))
        found.append(np.mean(cosines**2, axis=0))
    return np.array(found)


def draw(axes: Axes) -> None:
    """Bars: networks of dimension 1000; below them what the staircase says."""
    place, names = 0.0, []
    for target, sign in SIGN.items():
        steps = ha.staircase(target).dimensions[1:]
        found = overlaps(sign)
        for step in range(2):
            dimension = steps[min(step, len(steps) - 1)]
            axes.bar(place, found[step, 0], 0.4, color="#3057a4", alpha=0.6)
            axes.bar(place + 0.4, found[step, 1], 0.4, color="#b3541e", alpha=0.6)
            names.append((place + 0.2, f"step {step + 1}\ndimension {dimension}"))
            place += 1.2
        place += 0.6
    axes.set_xticks([x for x, _ in names], [name for _, name in names])
    axes.axhline(2 / D, color=GREY, linestyle="--", label="chance")
    axes.plot([], [], color="#3057a4", label="$w_1 + w_2$")
    axes.plot([], [], color="#b3541e", label="$w_1 - w_2$")
    axes.set(ylabel="squared cosine", yscale="log", title="$H_2(z_1) - H_2(z_2)$  |  $H_2(z_1) + H_2(z_2)$")
    axes.legend()


if __name__ == "__main__":
    picture(draw)
