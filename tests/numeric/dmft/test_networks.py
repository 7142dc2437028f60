"""The limit against networks that are trained on a data matrix, written out here: schedules and losses."""

from __future__ import annotations

import numpy as np
import pytest

from hermite_analytics.numeric import DMFT

DIMENSION, SEEDS = 400, 60
WAVE = "3*sin(3*z1)"  # hardly any linear part, and no heavy tails
SLOPES = {
    "square": lambda f, y: f - y,
    "logistic": lambda f, y: -y / (1 + np.exp(y * f)),
    "hinge": lambda f, y: -y * (y * f < 1),
    "huber:1": lambda f, y: np.clip(f - y, -1, 1),
    "quantile:0.8": lambda f, y: np.where(y > f, -0.8, 0.2),
}
TANH = np.tanh, lambda h: 1 / np.cosh(h) ** 2
RELU = lambda h: np.maximum(h, 0), lambda h: 1.0 * (h > 0)
TARGETS = {
    WAVE: lambda z: 3 * np.sin(3 * z),
    "sign(z1)": np.sign,
    "2*tanh(z1)": lambda z: 2 * np.tanh(z),
}
CASES = {
    "each batch twice": ("tanh", WAVE, "square", {"alpha": 4, "eta": 0.25, "steps": 4}, "twice"),
    "fresh batches": ("relu", "2*tanh(z1)", "square", {"alpha": 3, "eta": 0.5, "steps": 3}, "one-pass:1"),
    "blocks that come back": ("tanh", WAVE, "square", {"alpha": 4, "eta": 0.4, "steps": 3}, "epochs:2"),
    "mini-batches": ("tanh", "2*tanh(z1)", "square", {"alpha": 2, "eta": 0.5, "steps": 3}, "minibatch:0.5"),
    "a look-ahead": ("tanh", WAVE, "square", {"alpha": 3, "eta": 0.2, "steps": 1}, "extra-gradient:0.3"),
    "a look-ahead of each sample": (
        "tanh",
        WAVE,
        "square",
        {"alpha": 3, "eta": 0.2, "steps": 2, "reuse": 0.4},
        "full",
    ),
    "logistic": ("tanh", "sign(z1)", "logistic", {"alpha": 3, "eta": 1.5, "steps": 2}, "full"),
    "hinge": ("tanh", "sign(z1)", "hinge", {"alpha": 3, "eta": 0.5, "steps": 2}, "full"),
    "huber": ("tanh", WAVE, "huber:1", {"alpha": 3, "eta": 0.4, "steps": 2}, "full"),
    "quantile": ("tanh", "2*tanh(z1)", "quantile:0.8", {"alpha": 3, "eta": 0.4, "steps": 2}, "full"),
}


def seen_by(schedule, steps, n, d, rng):
    """Which samples the gradient of each step sees, as weights (steps, n)."""
    kind, _, value = schedule.partition(":")
    places, t = np.arange(n), np.arange(steps)[:, None]
    if kind == "twice":
        return places * (-(-steps // 2)) // n == t // 2
    if kind == "one-pass":
        return places // round(float(value) * d) == t
    if kind == "epochs":
        return places * int(value) // n == t % int(value)
    return rng.random((steps, n)) < (float(value) if kind == "minibatch" else 1.0)


def network(activation, target, loss, options, schedule, seed):
    """Overlap, norm and training error of one network after all steps."""
    rng, d = np.random.default_rng(seed), DIMENSION
    (sigma, slope), derivative = TANH if activation == "tanh" else RELU, SLOPES[loss]
    n, eta, kappa = round(options["alpha"] * d), options["eta"], options.get("reuse", 0.0)
    x = rng.standard_normal((n, d))
    y, w = TARGETS[target](x[:, 0]), np.eye(d)[1]

    def gradients(h):
        return slope(h) * derivative(sigma(h), y)

    for seen in seen_by(schedule, options["steps"], n, d, rng):
        before = w
        if schedule.startswith("extra-gradient"):
            w = before - float(schedule.partition(":")[2]) / d * gradients(x @ w) @ x
        h = x @ w
        if kappa:  # each sample moves the weights for itself alone
            h = h - kappa * gradients(h) * np.sum(x * x, axis=1) / d
        w = before - eta / d * (seen * gradients(h)) @ x
    return w[0], w @ w, np.mean((y - sigma(x @ w)) ** 2)


@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
def test_the_limit_is_that_of_networks_with_data(name):
    """Five standard errors of 60 networks (t with 59 degrees), 2/d for the bias, and the error stated.

    Thirty numbers: a false alarm in 5000 choices of the seeds, the third of each case with some skewness.
    """
    activation, target, loss, options, schedule = CASES[name]
    found = np.array([network(*CASES[name], seed) for seed in range(SEEDS)])
    mean, error = found.mean(axis=0), found.std(axis=0, ddof=1) / np.sqrt(SEEDS)
    how = {key: value for key, value in options.items() if key != "reuse"}
    model = DMFT(activation, target, loss=loss, reuse=options.get("reuse", 0.0))
    limit = model.solve(**how, schedule=schedule, tolerance=1e-2, throw=True)
    known = np.array([limit.overlap[-1, 0, 0], limit.norm[-1, 0, 0], limit.train_error[-1]])
    size = np.maximum(1.0, np.abs(known))
    assert np.all(np.abs(mean - known) < 5 * error + size * (2 / DIMENSION + limit.numerical_error[-1]))
    assert abs(known[1] - 1.0) > 8 * error[1]  # where a network starts is far away
