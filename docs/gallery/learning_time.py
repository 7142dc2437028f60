"""How many steps a full batch takes to find its direction, against n/d: theory, and networks in d = 5000."""

from __future__ import annotations

import numpy as np
from gallery_style import BLUE, GREEN, ORANGE, picture
from matplotlib.axes import Axes

from hermite_analytics.numeric import DMFT

STEPS, DIMENSION, NETWORKS = 6, 5000, 4
ALPHAS = np.geomspace(1, 8, 7)
RATE = 0.6  # eta alpha: at all sizes the same step of the mean gradient
MARKS = {0.6: GREEN, 0.5: BLUE, 0.4: ORANGE}


def time_of(cosine: np.ndarray, mark: float) -> float:
    """The step, between two of them on a line, at which the cosine comes to its mark; NaN if it does not."""
    over = np.flatnonzero(cosine >= mark)
    if not over.size or over[0] == 0:
        return np.nan
    t = over[0]
    return float(t - (cosine[t] - mark) / (cosine[t] - cosine[t - 1]))


def draw(axes: Axes) -> None:
    """The step at which the cosine of weights and direction comes to three marks."""
    model = DMFT("tanh", "tanh(z1)")
    limits, networks = [], {}
    for place, alpha in enumerate(ALPHAS):
        how = {"alpha": alpha, "eta": RATE / alpha, "steps": STEPS}
        limits.append(model.solve(**how, tolerance=3e-2, seconds=1).cosine[:, 0, 0])
        if place % 2 == 0:
            run = model.sample(d=DIMENSION, seeds=range(NETWORKS), **how)
            networks[alpha] = run.overlap[..., 0, 0] / np.sqrt(run.norm[..., 0, 0])
    for mark, colour in MARKS.items():
        axes.plot(ALPHAS, [time_of(cosine, mark) for cosine in limits], color=colour, label=f"cosine {mark}")
        found = np.array([[time_of(cosine, mark) for cosine in run] for run in networks.values()])
        error = found.std(axis=1, ddof=1) / np.sqrt(NETWORKS)
        axes.errorbar(list(networks), found.mean(axis=1), error, fmt="o", ms=4, color=colour)
    axes.set_xscale("log", base=2)
    axes.set_xticks([1, 2, 4, 8], ["1", "2", "4", "8"])
    axes.set(
        xlabel=r"$\alpha = n / d$",
        ylabel="steps",
        title=r"tanh learns $\tanh(z_1)$, $\eta = 0.6\, d / n$: steps to a cosine",
    )
    axes.legend()


if __name__ == "__main__":
    picture(draw)
