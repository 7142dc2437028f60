"""Eigenvalues of the kernel and of the weights after a step of order 1: bulk, edge, outliers.

Source: docs/random_features.md, "Spectra".
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hermite_analytics.errors import InputError
from hermite_analytics.foundation.arrays import Numbers
from hermite_analytics.foundation.json import JSON
from hermite_analytics.numeric.frozen import ReadOnly, frozen, json_number
from hermite_analytics.numeric.models.random_features.constants import feature_constants
from hermite_analytics.numeric.models.small_step.model import SmallStep
from hermite_analytics.numeric.models.small_step.spectra import KERNEL_STEPS, kernel_residual
from hermite_analytics.numeric.solution import Solution
from hermite_analytics.numeric.status import Status

__all__ = ["StepSpectrum", "step_spectrum", "weights_stieltjes"]

_RESIDUAL = 1e-10


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class StepSpectrum(Solution):
    """The law of the eigenvalues of Phi^T Phi ("kernel", p x p) or of W1 W1^T ("weights", d x d).

    Attributes
    ----------
    stieltjes : complex or None
        The normalised trace of the resolvent at the z asked for.
    atom_at_zero, edge : float
    outliers : tuple of float
        Eigenvalues beyond the edge.
    residual, iterations : float, int
        Of the equation of the kernel's transform; the weights have a closed form.
    """

    of: str
    step: SmallStep
    alpha: float
    beta: float
    z: complex | None
    stieltjes: complex | None
    atom_at_zero: float
    edge: float
    outliers: tuple[float, ...]
    growing: tuple[float, ...] = ()
    numerical_error: float = 0.0
    parameters: Mapping[str, Any] = field(default_factory=lambda: ReadOnly({}))
    model: str = "spectrum"
    equations: str = "arXiv 2205.01445, docs/random_features.md, Spectra"

    columns: ClassVar[tuple[str, ...]] = (
        "of",
        "alpha",
        "beta",
        "atom_at_zero",
        "edge",
        "status",
        "residual",
        "iterations",
    )
    shaped: ClassVar[str] = "edge"

    def density(self, x: ArrayLike) -> Numbers:
        """Density of the bulk at x > 0."""
        if self.of == "weights":
            return self.step.weights_density(x, beta=self.beta)
        return self.step.kernel_density(x, alpha=self.alpha, beta=self.beta)

    def eigenvalues(self) -> list[JSON]:
        """Outliers for JSON."""
        return [json_number(value) for value in self.outliers]


def step_spectrum(
    of: str,
    step: SmallStep,
    *,
    eta: float,
    alpha: float,
    beta: float,
    noise: float = 0.0,
    z: complex | None = None,
) -> StepSpectrum:
    """The spectrum of "kernel" or "weights" after the step.

    Raises
    ------
    InputError
        Another name, a parameter outside its range, z = 0.

    Examples
    --------
    >>> found = step_spectrum("weights", SmallStep("tanh(z)", "tanh(z1)"), eta=4, alpha=4, beta=2, noise=0.09)
    >>> print(f"{found.edge:.6f} {found.outliers[0]:.6f}")
    5.828427 6.562563
    """
    if of not in ("kernel", "weights"):
        raise InputError(f"the spectrum of {of!r}; accepted: kernel, weights")
    solution = step.solve(eta=eta, alpha=alpha, beta=beta, ridge=1.0, noise=noise)
    spike = solution.weights if of == "weights" else solution.kernel
    present = solution.weights_have_spike if of == "weights" else solution.kernel_has_spike
    value, residual = None, 0.0
    if z is not None and of == "weights":
        value = weights_stieltjes(z, beta)
    elif z is not None:
        value = step.kernel_stieltjes(z, alpha=alpha, beta=beta)
        features = feature_constants(step.activation, 1)
        residual = kernel_residual(value, z, alpha, beta, features.slope**2, features.residual)
    lost = not residual <= _RESIDUAL
    return StepSpectrum(
        of=of,
        step=step,
        alpha=alpha,
        beta=beta,
        z=z,
        stieltjes=None if value is None else complex(np.nan if lost else value),
        atom_at_zero=1.0 - _rank(of, step, alpha, beta),
        edge=float(spike["edge"]) ** 2,
        outliers=(float(spike["singular_value"]) ** 2,) if present else (),
        residual=residual,
        iterations=KERNEL_STEPS if of == "kernel" and z is not None else 0,
        status=Status.DIVERGED if lost else Status.CONVERGED,
    )


def _rank(of: str, step: SmallStep, alpha: float, beta: float) -> float:
    """Rank over size: d x p weights; n x p features, of d directions where the activation is affine."""
    if of == "weights":
        return min(beta, 1.0)
    affine = feature_constants(step.activation, 1).residual == 0.0
    return min(alpha / beta, 1.0, 1.0 / beta if affine else 1.0)


def weights_stieltjes(z: ArrayLike, beta: float) -> Any:
    """(1/d) tr (W W^T - z)^-1 for W of shape (d, beta d) with entries N(0, 1/d), off its support.

    The root of z g^2 + (z + 1 - beta) g + 1 = 0 that behaves as -1/z at infinity.
    """
    points: NDArray[np.complex128] = np.asarray(z, dtype=np.complex128)
    low, high = (1.0 - np.sqrt(beta)) ** 2, (1.0 + np.sqrt(beta)) ** 2
    # the product of two roots has its cut on the support alone, and grows as z
    root = np.sqrt(points - low) * np.sqrt(points - high)
    return frozen((beta - 1.0 - points + root) / (2.0 * points))
