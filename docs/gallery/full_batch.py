"""He3 and tanh learned by tanh: samples seen once, twice, in mini-batches that come back, at every step."""

from __future__ import annotations

from gallery_style import BLUE, GREEN, ORANGE, picture
from matplotlib.axes import Axes

from hermite_analytics.numeric import DMFT

STEPS = 4
# of each schedule a step sees 3 d samples, or half of them with twice the step size
SCHEDULES = {
    "one pass": ("one-pass:3", 3 * STEPS, 0.2, "0.6"),
    "each batch twice": ("twice", 3 * STEPS // 2, 0.2, GREEN),
    "mini-batches of one half": ("minibatch:0.5", 3, 0.4, ORANGE),
    "full batch": ("full", 3, 0.2, BLUE),
}


def draw(axes: Axes) -> None:
    """|M_t| against the step."""
    for target, line in (("He3(z1)", "o-"), ("tanh(z1)", "s--")):
        model = DMFT("tanh", target)
        for name, (schedule, alpha, eta, colour) in SCHEDULES.items():
            found = model.solve(alpha=alpha, eta=eta, steps=STEPS, schedule=schedule, tolerance=1e-2)
            label = name if line == "o-" else None
            axes.plot(range(STEPS + 1), abs(found.overlap[:, 0, 0]), line, color=colour, label=label)
    axes.set(
        xlabel="step $t$",
        ylabel="$|M|$",
        title=r"tanh on $\mathrm{He}_3$ (solid) and on tanh (dashed), $3 d$ samples a step",
    )
    axes.legend()


if __name__ == "__main__":
    picture(draw)
