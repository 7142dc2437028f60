"""The test error after one step of size p^a on the first layer, from a = 0 to a = 1/2."""

from __future__ import annotations

import numpy as np
from gallery_style import GREY, picture
from matplotlib.axes import Axes
from networks import Array, mean_and_error
from scipy.special import erf

from hermite_analytics.numeric import GiantStep, LargeStep, ReadoutLaw, SmallStep, SpikedRandomFeatures

D, SEEDS, RIDGE = 256, 4, 0.1  # as many neurons as dimensions
SAMPLES = (1.0, 2.0, 4.0, 8.0, 16.0)
ALPHA = np.geomspace(0.5, 24, 40)
PROBLEM = ("erf(z)", "erf(z1)")


def simulated(eta: float, alpha: float, seed: int) -> float:
    """One network: a step on n samples, then ridge regression on as many fresh ones."""
    rng = np.random.default_rng(seed)
    n = round(alpha * D)
    w, a = rng.standard_normal((D, D)) / D**0.5, rng.standard_normal(D) / D**0.5
    x = rng.standard_normal((n, D))
    h = x @ w
    residual = erf(x[:, 0]) - erf(h) @ a / D**0.5
    w = w + eta * x.T @ (np.outer(residual, a) * 2 / np.pi**0.5 * np.exp(-(h**2))) / n
    x = rng.standard_normal((n, D))
    phi = erf(x @ w) / D**0.5
    readout = np.linalg.solve(phi.T @ phi + RIDGE * np.eye(D), phi.T @ erf(x[:, 0]))
    x = rng.standard_normal((4000, D))
    return float(np.mean((erf(x[:, 0]) - erf(x @ w) @ readout / D**0.5) ** 2))


def giant_step(scale: float) -> Array:
    """The limit of a step of size scale sqrt(p): the first readout is normal."""
    law = ReadoutLaw.normal(nodes=6)
    model = SpikedRandomFeatures(*PROBLEM, letters=law)
    found = []
    for alpha in ALPHA[::3]:
        step = GiantStep(*PROBLEM, letters=law).solve(alpha0=alpha, eta=scale, beta=1.0)
        found.append(float(model.solve(step=step, alpha=alpha, ridge=RIDGE).test_error))
    return np.array(found)


def draw(axes: Axes) -> None:
    """Lines: infinite dimension; points: networks of 256 neurons in dimension 256."""
    for power, name in ((0.0, "0"), (0.25, "1/4"), (0.5, "1/2")):
        eta = D**power
        theory = SmallStep(*PROBLEM).solve(eta=eta, alpha=ALPHA, beta=1.0, ridge=RIDGE)
        (line,) = axes.plot(ALPHA, theory.risk_after, label=rf"$a = {name}$, $\eta = {eta:g}$")
        if power == 0.5:
            axes.plot(ALPHA[::3], giant_step(1.0), "--", color=line.get_color(), label="the same, giant step")
        for alpha in SAMPLES:
            mean, error = mean_and_error([simulated(eta, alpha, seed) for seed in range(SEEDS)])
            axes.errorbar(alpha, mean, yerr=error, fmt="o", color=line.get_color(), markersize=4)
    floor = LargeStep(*PROBLEM).solve().kernel_lower_bound
    axes.axhline(floor, color=GREY, linestyle=":", label="best linear predictor")
    axes.set(
        xscale="log",
        xlabel=r"$\alpha = n / d$",
        ylabel="test error",
        title="erf, target erf, $p = d$",
        ylim=(0, None),
    )
    axes.set_xticks(SAMPLES, [f"{x:g}" for x in SAMPLES])
    axes.minorticks_off()
    axes.legend()


if __name__ == "__main__":
    picture(draw)
