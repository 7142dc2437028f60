"""The function that the network has learned, along the target or along the spike."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from hermite_analytics.activation import Activation
from hermite_analytics.errors import InputError
from hermite_analytics.foundation.numpy_arrays import Array
from hermite_analytics.numeric.checks import checked
from hermite_analytics.numeric.gaussian_rule import Feature, gaussian_rule
from hermite_analytics.numeric.learning_curve import LearningCurve
from hermite_analytics.numeric.models.spiked.letters import Letters
from hermite_analytics.numeric.models.spiked.step_points import norm_response
from hermite_analytics.numeric.models.spiked.tables import conditional_values

__all__ = ["learned_function"]

_LEVEL = 2


def learned_function(
    activation: Activation, letters: Letters, bias: ArrayLike, solution: LearningCurve, at: Any, *, along: str
) -> Array:
    """E[yhat | theta.x = t] or E[yhat | v.x = t] from the overlaps (m, zeta, psi).

    yhat = m.mu0(kappa) + kappa zeta.mu1(kappa) + psi.mu1(kappa) z + noise of mean 0, and for the rows of a
    step one more term, the overlap with their norms times d mu0/dc; with kappa = v.x and z
    the part of theta.x across the spike: given theta.x = t, kappa is N(gamma t, 1 - gamma^2) and
    z = (t - gamma kappa)/sqrt(1 - gamma^2).
    """
    if along not in ("target", "spike"):
        raise InputError(f"along is {along!r}; accepted: target, spike")
    if letters.rank > 1:
        raise InputError(f"the learned function is drawn along one spike; there are {letters.rank}")
    t = np.atleast_1d(checked("at", at))
    shape = np.shape(solution.test_error)
    count = int(np.prod(shape))

    def flat(values: Any, last: int) -> Array:
        return np.broadcast_to(
            np.asarray(values, dtype=np.float64), (*shape, last) if last > 1 else shape
        ).reshape(count, last)

    number = letters.count
    norm = flat(solution.overlaps.get("norm", 0.0), 1)
    r, gamma = flat(solution.parameters["r"], 1), flat(solution.parameters["gamma"], 1)
    c = flat(solution.parameters["c"], number)
    biases = flat(solution.extra["bias"] if bias == "learned" else bias, 1)
    m, zeta, psi = (flat(solution.overlaps[n], number) for n in ("m", "zeta", "psi"))
    found = np.empty((count, t.size))
    for i in range(count):
        if not np.isfinite(m[i]).all() or not np.isfinite(biases[i, 0]):
            found[i] = np.nan
            continue
        functions = _Functions(activation, letters, r[i, 0], c[i], biases[i, 0])
        if along == "spike":
            mu0, mu1 = functions.at(t)
            found[i] = m[i] @ mu0 + t * (zeta[i] @ mu1) + functions.of_norms(norm[i, 0], t)
        else:
            found[i] = _along_target(functions, gamma[i, 0], m[i], zeta[i], psi[i], norm[i, 0], t)
    return found.reshape((*shape, t.size))


class _Functions:
    """mu0 and mu1 of all letters at any kappa."""

    def __init__(self, activation: Activation, letters: Letters, r: float, c: Array, bias: float) -> None:
        self.activation, self.c = activation, c
        self.slope = r * np.array(letters.values)[:, 0]
        self.offset = bias + np.array(letters.biases)

    def at(self, kappa: Array) -> tuple[Array, Array]:
        flat = np.ravel(kappa)
        s = self.slope[:, None] * flat + self.offset[:, None]
        mu0, mu1, _ = conditional_values(self.activation, s, self.c[:, None])
        shape = (self.c.size, *np.shape(kappa))
        return mu0.reshape(shape), mu1.reshape(shape)

    def of_norms(self, norm: float, kappa: Array) -> Array:
        """The overlap with the norms of a step's rows times d mu0/dc, of one letter."""
        if norm == 0.0:
            return np.zeros_like(kappa)
        return norm * norm_response(self.activation, self.slope[0] * kappa + self.offset[0], float(self.c[0]))


def _along_target(
    functions: _Functions, gamma: float, m: Array, zeta: Array, psi: Array, norm: float, t: Array
) -> Array:
    across = float(np.sqrt(max(1.0 - gamma**2, 0.0)))
    if across == 0.0:
        kappa, z, weight = (gamma * t)[:, None], np.zeros((t.size, 1)), np.ones(1)
    else:
        # kappa = gamma t + across u; the features are those of mu0 on the scale of u
        steepest = float(np.max(np.abs(functions.slope))) * across
        width = float(np.sqrt(np.min(functions.c))) / steepest if steepest > 0.0 else np.inf
        u, weight = gaussian_rule([Feature(center=0.0, width=min(width, 1.0))], _LEVEL)
        kappa = gamma * t[:, None] + across * u
        z = across * t[:, None] - gamma * u
    mu0, mu1 = functions.at(kappa)
    values = np.tensordot(m, mu0, 1) + kappa * np.tensordot(zeta, mu1, 1) + z * np.tensordot(psi, mu1, 1)
    values = values + functions.of_norms(norm, kappa)
    found: Array = values @ weight
    return found
