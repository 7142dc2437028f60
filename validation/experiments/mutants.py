"""Wrong formulas that a claim must be able to tell from the right ones.

A mutant acts where its formula acts: on the one-step map before anything is computed from it, on the ridge,
or on an overlap itself. A validation that passes a mutant has proved nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

import hermite_analytics as ha
from hermite_analytics.errors import InputError

__all__ = [
    "MUTANTS",
    "Spike",
    "check_giant_step_mutant",
    "mutate_overlaps",
    "mutate_ridge",
    "mutate_spike",
]

MUTANTS: Mapping[str, str] = {
    "all-learned": "every direction of the target is learned",
    "alpha-doubled": "n/d taken twice as large: samples counted for half the dimension",
    "alpha-halved": "n/d taken half as large",
    "alignment-with-gradient": "the spike's overlap with the gradient in place of that with the target",
    "bias-dropped": "the bias of the neurons left out",
    "c-extra-mu1-squared": "c - 1 with an extra factor mu1^2",
    "everything-fitted": "the second layer fits all of the target",
    "gamma-one": "gamma = 1: the noise of the gradient left out, the spike taken along the target",
    "gradient-noise-dropped": "full batch: the part of a gradient outside the known directions left out",
    "gradient-factor": "the gradient of the undivided loss for that of its half, or the other way round",
    "isotropic-rows": "the rows after a step of squared norm c without directions",
    "kernel-for-features": "infinitely many features in place of p",
    "memory-by-alpha": "full batch: a sample remembers its gradient by 1/alpha, for alpha^(-1/2)",
    "no-reuse": "no reuse of the data: one pass",
    "no-step": "the first layer not trained",
    "noise-dropped": "the label noise, or the noise of the gradient, left out",
    "none-learned": "no direction of the target is learned",
    "nothing-learned": "the second layer's error without a learned subspace",
    "one-letter": "a vocabulary of readouts taken for the one letter 1",
    "output-dropped": "the network's mean output left out of the residual, and what a row keeps of itself",
    "p-over-d": "effective step eta p/d in place of eta d/p",
    "rate-doubled": "learning rate of the gradient of the undivided loss",
    "residual-dropped": "the nonlinear part of the activation left out",
    "ridge-doubled": "the ridge of half the sum of squares, lambda for lambda/2",
    "theta1-misprint": "theta_1 as printed: sqrt(|f|^2/psi_1 + mu_1*^2 mu_1 eta)",
    "theta1-noiseless": "theta_1 without the noise of the gradient: eta mu_1 mu_1*",
    "threshold-doubled": "the weak-recovery threshold with E[H|Y]^2 - 1 for E[H^2|Y] - 1",
    "zeta-dropped": "zeta = 0: the term kappa W v of the equivalent features left out",
}


_OF_THE_GIANT_STEP = (
    *("bias-dropped", "c-extra-mu1-squared", "gamma-one", "isotropic-rows", "one-letter", "output-dropped"),
    *("p-over-d", "ridge-doubled", "zeta-dropped"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Spike:
    """The one-step map: W1 ~ W + r omega v^T, rows of W of squared norm c (one a letter), v.theta = gamma."""

    r: float
    c: float | NDArray[np.float64]
    gamma: float


def mutate_spike(spike: Spike, mutant: str | None, *, activation: ha.Activation, beta: float) -> Spike:
    """The map by a wrong formula; the map itself for None and for mutants that act later.

    Raises
    ------
    InputError
        If there is no such mutant.
    """
    check_giant_step_mutant(mutant)
    if mutant == "c-extra-mu1-squared":
        mean_slope = _mean_slope(activation)
        return replace(spike, c=1 + (spike.c - 1) * mean_slope**2)
    if mutant == "p-over-d":
        return replace(spike, r=spike.r * beta**2, c=1 + (spike.c - 1) * beta**4)
    if mutant == "gamma-one":
        return replace(spike, gamma=1.0)
    return spike


def mutate_ridge(ridge: float, mutant: str | None) -> float:
    """The ridge under a wrong convention; the ridge itself for None and for other mutants."""
    check_giant_step_mutant(mutant)
    return 2 * ridge if mutant == "ridge-doubled" else ridge


def mutate_overlaps(
    overlaps: Mapping[str, NDArray[np.float64]], mutant: str | None
) -> dict[str, NDArray[np.float64]]:
    """The overlaps by a wrong formula; the overlaps themselves for None and for mutants that act earlier."""
    check_giant_step_mutant(mutant)
    if mutant == "zeta-dropped":
        return {**overlaps, "zeta": np.zeros_like(overlaps["zeta"])}
    return dict(overlaps)


def _mean_slope(activation: ha.Activation) -> float:
    """E sigma'(z), to the few digits that a wrong formula needs."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(100)
    slope = np.asarray(activation.derivative_function("array")(nodes))
    return float(weights @ slope / weights.sum())


def check_giant_step_mutant(mutant: str | None) -> None:
    """Refuse what is no mutant of a giant step, before anything is solved.

    Raises
    ------
    InputError
        If there is no such mutant.
    """
    if mutant is not None and mutant not in _OF_THE_GIANT_STEP:
        raise InputError(f"{mutant!r} is not a mutant; accepted are {', '.join(_OF_THE_GIANT_STEP)}")
