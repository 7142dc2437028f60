"""Second implementations by other means, to test the solvers against: slow, plain numpy and scipy."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
from numpy.polynomial.hermite_e import hermegauss
from numpy.typing import NDArray

Array = NDArray[np.float64]
Function = Callable[[Array], Array]


def gauss(nodes: int = 150) -> tuple[Array, Array]:
    """Gauss-Hermite nodes and normalised weights."""
    x, w = hermegauss(nodes)
    return x, w / w.sum()


def coefficients(sigma: Function, derivative: Function, s: Array, c: float) -> tuple[Array, Array, Array]:
    """mu0, mu1, mu2^2 at s = r kappa, by Gauss-Hermite."""
    z, w = gauss()
    x = s[:, None] + np.sqrt(c) * z
    mu0, mu1 = sigma(x) @ w, derivative(x) @ w
    return mu0, mu1, sigma(x) ** 2 @ w - mu0**2 - c * mu1**2


def damped_iteration(
    sigma: Function,
    derivative: Function,
    target: Function,
    *,
    spike: tuple[float, float, float],
    alpha: float,
    beta: float,
    ridge: float,
    noise: float = 0.0,
    spectrum: int = 4000,
) -> Mapping[str, float]:
    """The equations of section 3.3 as the papers iterate them: hat variables, damping, and a sum over
    quantiles of the Marchenko-Pastur law in place of its closed form.
    """
    r, c, gamma = spike
    kappa, weight = gauss()
    mu0, mu1, mu2s = coefficients(sigma, derivative, r * kappa, c)
    z, w = gauss()
    u = gamma * kappa[:, None] + np.sqrt(1 - gamma**2) * z
    h, h1, hh = target(u) @ w, (z * target(u)) @ w, target(u) ** 2 @ w
    eigenvalues, share = marchenko_pastur(beta, spectrum)
    eigenvalues = c * eigenvalues

    def mean(x: Array) -> float:
        return float(weight @ x)

    v1, v2, q1, q2, zeta, psi, m = 1.0, 1.0, 0.1, 0.1, 0.0, 0.1, 0.1
    for _ in range(20_000):
        v = mu1**2 * v1 + mu2s * v2
        cc = mu0 * m + kappa * mu1 * zeta
        r2 = hh - 2 * cc * h + cc**2 - 2 * mu1 * psi * h1 + mu1**2 * q1 + mu2s * q2 + noise
        s = alpha / beta * mean(mu1**2 / (1 + v))
        t = ridge + alpha / beta * mean(mu2s / (1 + v))
        q1_hat = alpha / beta * mean(mu1**2 * r2 / (1 + v) ** 2)
        q2_hat = alpha / beta * mean(mu2s * r2 / (1 + v) ** 2)
        zeta_hat = alpha / np.sqrt(beta) * mean(kappa * mu1 * (h - cc) / (1 + v))
        psi_hat = alpha / np.sqrt(beta) * mean(mu1 * h1 / (1 + v))
        resolvent = t + s * eigenvalues
        source = q1_hat * eigenvalues + q2_hat + zeta_hat**2 * c + psi_hat**2 * eigenvalues
        power = mean(mu0**2 / (1 + v))
        new = np.array(
            [
                share @ (eigenvalues / resolvent),
                share @ (1 / resolvent),
                share @ (eigenvalues * source / resolvent**2),
                share @ (source / resolvent**2),
                np.sqrt(beta) * zeta_hat * c * (share @ (1 / resolvent)),
                np.sqrt(beta) * psi_hat * (share @ (eigenvalues / resolvent)),
                mean(mu0 * (h - kappa * mu1 * zeta) / (1 + v)) / power if power > 1e-25 else 0.0,
            ]
        )
        old = np.array([v1, v2, q1, q2, zeta, psi, m])
        v1, v2, q1, q2, zeta, psi, m = 0.4 * old + 0.6 * new
        if np.max(np.abs(new - old)) < 1e-14 * np.max(np.abs(new)):
            break
    return {
        "test_error": mean(r2) - noise,
        "train_error": mean(r2 / (1 + v) ** 2),
        "m": m, "zeta": zeta, "psi": psi, "q1": q1, "q2": q2, "V1": v1, "V2": v2,
    }  # fmt: skip


def marchenko_pastur(beta: float, nodes: int) -> tuple[Array, Array]:
    """Nodes and weights of the law of (1/d) G G^T, G of shape (beta d, d), its atom at 0 included."""
    low, high = (1 - np.sqrt(beta)) ** 2, (1 + np.sqrt(beta)) ** 2
    # x = middle + half cos t turns the square roots at the edges into sin^2 t: the midpoint rule in t
    t = np.pi * (np.arange(nodes) + 0.5) / nodes
    half = 0.5 * (high - low)
    x = 0.5 * (high + low) + half * np.cos(t)
    density = (half * np.sin(t)) ** 2 / (2 * np.pi * beta * x)
    weights = density * np.pi / nodes
    atom = max(0.0, 1.0 - 1.0 / beta)
    return np.append(x, 0.0), np.append(weights, atom)
