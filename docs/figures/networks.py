"""Two-layer networks in plain numpy, apart from the library's simulator: the points of the figures."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Function = Callable[[Array], Array]
TEST = 2000


def directions(rng: np.random.Generator, rows: int, d: int) -> Array:
    """Rows of length 1."""
    w = rng.standard_normal((rows, d))
    return w / np.linalg.norm(w, axis=1, keepdims=True)


def after_a_giant_step(
    rng: np.random.Generator,
    w: Array,
    theta: Array,
    slope: Function,
    target: Function,
    *,
    alpha0: float,
    step: float,
) -> Array:
    """Weights w_k + step (1/n0) sum y sigma'(w_k.x) x, with n0 = alpha0 d samples."""
    x = rng.standard_normal((round(alpha0 * w.shape[1]), w.shape[1]))
    y = target(x @ theta)
    return w + step / len(x) * (slope(x @ w.T) * y[:, None]).T @ x


def with_a_spike(
    rng: np.random.Generator,
    p: int,
    theta: Array,
    *,
    r: float,
    gamma: float = 1.0,
    letters: Array | float = 1.0,
) -> Array:
    """Weights w_k + r u_k v with |w_k| = 1 and v.theta = gamma; `letters` are the u_k."""
    d = len(theta)
    other = rng.standard_normal(d)
    other -= (other @ theta) * theta
    v = gamma * theta + np.sqrt(1 - gamma**2) * other / np.linalg.norm(other)
    return directions(rng, p, d) + r * np.outer(np.broadcast_to(letters, p), v)


def ridge_readout(
    rng: np.random.Generator,
    w: Array,
    theta: Array,
    activation: Function,
    target: Function,
    *,
    alpha: float,
    ridge: float,
) -> tuple[Array, float]:
    """The readout of ridge regression on alpha d fresh samples, and its test error."""
    p, d = w.shape
    x = rng.standard_normal((round(alpha * d), d))
    phi = activation(x @ w.T) / np.sqrt(p)
    a = np.linalg.solve(phi.T @ phi + ridge * np.eye(p), phi.T @ target(x @ theta))
    fresh = rng.standard_normal((TEST, d))
    found = activation(fresh @ w.T) @ a / np.sqrt(p)
    return a, float(np.mean((target(fresh @ theta) - found) ** 2))


def mean_and_error(values: list[float]) -> tuple[float, float]:
    """Mean of the seeds, and two standard errors."""
    return float(np.mean(values)), 2 * float(np.std(values, ddof=1)) / len(values) ** 0.5
