"""Test error and alignment of the weights over several steps of order one on the same samples."""

from __future__ import annotations

import numpy as np
from gallery_style import BLUE, GREY, ORANGE, picture
from matplotlib.axes import Axes
from networks import Array
from numpy.polynomial.hermite_e import hermegauss

from hermite_analytics.numeric import GaussianCovariates, SmallStep

D, SEEDS, ALPHA, BETA, RIDGE, ETA, STEPS = 200, 4, 3.0, 1.5, 0.1, 3.0, 5
PROBLEM = ("tanh(z)", "tanh(z1)")


def trained(rng: np.random.Generator) -> list[Array]:
    """The first layer, shape (D, p), after 0, ..., STEPS steps on the same n samples."""
    n, p = round(ALPHA * D), round(BETA * D)
    w, a = rng.standard_normal((D, p)) / D**0.5, rng.standard_normal(p) / p**0.5
    x = rng.standard_normal((n, D))
    y, found = np.tanh(x[:, 0]), [w]
    for _ in range(STEPS):
        h = x @ w
        w = w + ETA * x.T @ (np.outer(y - np.tanh(h) @ a / p**0.5, a) / np.cosh(h) ** 2) / n
        found.append(w)
    return found


def test_error(rng: np.random.Generator, w: Array) -> float:
    """Of ridge regression on the features of fresh samples."""
    p = w.shape[1]
    x = rng.standard_normal((round(ALPHA * D), D))
    phi = np.tanh(x @ w) / p**0.5
    a = np.linalg.solve(phi.T @ phi + RIDGE * np.eye(p), phi.T @ np.tanh(x[:, 0]))
    x = rng.standard_normal((4000, D))
    return float(np.mean((np.tanh(x[:, 0]) - np.tanh(x @ w) @ a / p**0.5) ** 2))


def equivalent(w: Array) -> float:
    """The test error of the Gaussian features mu1 W^T x + mu2 noise with these weights, in the limit."""
    z, weights = hermegauss(80)
    weights = weights / weights.sum()
    mu1 = weights @ (z * np.tanh(z))
    rest = weights @ np.tanh(z) ** 2 - mu1**2
    d, p = w.shape
    model = GaussianCovariates(
        psi=np.eye(d),
        phi=mu1 * w,
        omega=mu1**2 * w.T @ w + rest * np.eye(p),
        theta=np.eye(d)[0],
        target=PROBLEM[1],
    )
    return float(model.solve(alpha=ALPHA / BETA, ridge=RIDGE).test_error)


def alignment(w: Array) -> float:
    """Squared cosine of the first singular vector with the target's direction."""
    return float(np.linalg.svd(w, full_matrices=False)[0][0, 0] ** 2)


def draw(axes: Axes) -> None:
    """Points: networks in dimension 200; line: Gaussian features; crosses: infinite dimension, one step."""
    errors, lines, cosines = [], [], []
    for seed in range(SEEDS):
        rng = np.random.default_rng(seed)
        steps = trained(rng)
        errors.append([test_error(rng, w) for w in steps])
        lines.append([equivalent(w) for w in steps])
        cosines.append([alignment(w) for w in steps])
    t = np.arange(STEPS + 1)
    theory = SmallStep(*PROBLEM).solve(eta=ETA, alpha=ALPHA, beta=BETA, ridge=RIDGE)
    other = axes.twinx()
    for place, values, colour in ((axes, errors, BLUE), (other, cosines, ORANGE)):
        error = 2 * np.std(values, axis=0, ddof=1) / SEEDS**0.5
        place.errorbar(t, np.mean(values, axis=0), yerr=error, fmt="o", color=colour, markersize=4)
    axes.plot(t, np.mean(lines, axis=0), color=BLUE, label="test error; line: Gaussian features")
    axes.plot([0, 1], [theory.risk_before, theory.risk_after], "x", color="0.3", label="infinite dimension")
    other.plot(1, theory.weights["alignment"], "x", color="0.3")
    axes.plot([], [], "o", color=ORANGE, markersize=4, label="alignment, on the right")
    axes.axhline(0.0, color=GREY, linewidth=0.5)
    axes.set(xlabel="step $t$", ylabel="test error", ylim=(0, None))
    other.set(ylabel="squared cosine", ylim=(0, 1))
    axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=3, fontsize=7.5)


if __name__ == "__main__":
    picture(draw)
