"""Draw docs/learning_curve.svg: theory (lines) and real networks (points) after one giant step.

python docs/examples/learning_curve.py
"""

from __future__ import annotations

from pathlib import Path

import matplotlib as mpl
import numpy as np

from hermite_analytics import Activation, Target
from hermite_analytics.numeric import GiantStep, SpikedRandomFeatures, simulate

ALPHA0, RIDGE, D, SEEDS = 2.0, 0.01, 600, 8
EFFECTIVE_STEP = 3.0
SAMPLES = [0.25, 0.5, 1.0, 2.0, 4.0]


def main() -> None:
    """Solve, simulate, draw."""
    mpl.use("svg")
    import matplotlib.pyplot as plt

    activation, target = Activation("tanh(z)"), Target("sin(z1)")
    alpha = np.geomspace(0.2, 5, 200)
    mpl.rcParams.update({"svg.hashsalt": "learning curve", "svg.fonttype": "none", "font.size": 9})
    figure, axes = plt.subplots(figsize=(6.4, 3.6), layout="constrained")
    for beta, colour in ((0.5, "#3057a4"), (1.0, "#b3541e"), (2.0, "#1d7d4f")):
        eta = EFFECTIVE_STEP * beta
        step = GiantStep(activation, target).solve(alpha0=ALPHA0, eta=eta, beta=beta)
        theory = SpikedRandomFeatures(activation, target).solve(step=step, alpha=alpha, ridge=RIDGE)
        axes.plot(alpha, theory.test_error, color=colour, label=f"beta = p/d = {beta:g}")
        found = simulate(
            "giant-step",
            activation=activation,
            target=target,
            d=D,
            seeds=SEEDS,
            alpha0=ALPHA0,
            eta=eta,
            beta=beta,
            alpha=SAMPLES,
            ridge=RIDGE,
        ).results["test_error"]
        axes.errorbar(
            SAMPLES, found.mean, yerr=2 * found.stderr, fmt="o", color=colour, markersize=4, capsize=2
        )  # fmt: skip
    floor = float(theory.linear_floor)
    axes.axhline(floor, color="0.6", linewidth=0.8, linestyle="--", label="best linear predictor")
    axes.set(xscale="log", xlabel="alpha = n/d", ylabel="test error", ylim=(0, None))
    axes.set_xticks(SAMPLES, [f"{x:g}" for x in SAMPLES])
    axes.minorticks_off()
    axes.set_title(
        f"tanh network, target sin, one giant step: theory and networks of d = {D} ({SEEDS} seeds, 2 s.e.)",
        fontsize=9,
    )
    axes.legend(frameon=False)
    out = Path(__file__).resolve().parent.parent / "learning_curve.svg"
    figure.savefig(out, metadata={"Date": None})
    print(out.name)


if __name__ == "__main__":
    main()
