"""What the second layer fits once some directions are known, by the power of samples and width."""

from __future__ import annotations

import numpy as np
from gallery_style import picture
from matplotlib.axes import Axes

import hermite_analytics as ha

TARGET = "z1 + He2(z2) + He2(z1)*z2"
POWERS = (1, 2, 3)


def draw(axes: Axes) -> None:
    """The share of the target that is left, for n ~ d^k samples and p ~ d^k neurons."""
    whole = float(ha.second_layer(TARGET, samples_power=POWERS[0], width_power=0, learned=[]).error)
    known = (([], "nothing is known"), ([[1, 0]], "$z_1$ is known"), ([[1, 0], [0, 1]], "both are known"))
    for k, (learned, name) in enumerate(known):
        left = [
            float(ha.second_layer(TARGET, samples_power=p, width_power=p, learned=learned).error)
            for p in POWERS
        ]
        axes.bar(np.array(POWERS) + 0.25 * (k - 1), np.array(left) / whole + 0.004, 0.22, label=name)
    axes.set_xticks(POWERS, [f"n, p ~ d^{p}" for p in POWERS])
    axes.set(ylabel="share that is not fitted", title="$z_1 + H_2(z_2) + H_2(z_1) z_2$")
    axes.legend()


if __name__ == "__main__":
    picture(draw)
