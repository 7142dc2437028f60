"""Three steps on one batch of 3 d samples, and on a fresh batch each: what is found of He3 and of tanh."""

from __future__ import annotations

import numpy as np
from gallery_style import BLUE, GREY, ORANGE, picture
from matplotlib.axes import Axes

from hermite_analytics.numeric import DMFT

D, SEEDS, ALPHA, ETA, STEPS = 200_000, 4, 3, 0.2, 3
CASES = (("He3(z1)", BLUE), ("tanh(z1)", ORANGE))


def draw(axes: Axes) -> None:
    """Lines: infinite dimension; points: networks of dimension 200,000, by the exact law of their steps."""
    t = np.arange(STEPS + 1)
    for target, colour in CASES:
        model = DMFT("relu", target)
        for schedule, style in (("full", "-"), ("one-pass:3", "--")):
            samples = ALPHA if schedule == "full" else ALPHA * STEPS
            training = {"alpha": samples, "eta": ETA, "steps": STEPS, "schedule": schedule}
            theory = model.solve(**training, tolerance=1e-2)
            name = f"{target}, {'the same batch' if schedule == 'full' else 'fresh batches'}"
            axes.plot(t, np.abs(theory.cosine[:, 0, 0]), style, color=colour, label=name)
            run = model.sample(d=D, seeds=range(SEEDS), **training)
            found = np.abs(run.overlap[..., 0, 0] / np.sqrt(run.norm[..., 0, 0]))
            error = 2 * found.std(axis=0, ddof=1) / np.sqrt(SEEDS)
            fill = colour if schedule == "full" else "none"
            axes.errorbar(
                t, found.mean(axis=0), error, fmt="o", markersize=4, color=colour, markerfacecolor=fill
            )
    axes.axhline(0.0, color=GREY, linewidth=0.5)
    axes.set(xlabel="step $t$", ylabel="|cosine|")
    axes.set_yscale("symlog", linthresh=0.01)
    axes.set_yticks([0, 0.01, 0.1, 1], ["0", "0.01", "0.1", "1"])
    axes.set_ylim(0, 1)
    axes.set_xticks(t)
    axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=2)


if __name__ == "__main__":
    picture(draw)
