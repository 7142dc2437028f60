"""Eigenvalues of the kernel and of the weights after a step of order 1: bulk, edge, outliers.

Source: docs/random_features.md, "Spectra".
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hermite_analytics.errors import InputError
from hermite_analytics.numeric.small_step.model import SmallStep
from hermite_analytics.numeric.solution import Status, frozen, json_number

__all__ = ["StepSpectrum", "step_spectrum", "weights_stieltjes"]


@dataclass(frozen=True, slots=True, kw_only=True)
class StepSpectrum:
    """The law of the eigenvalues of Phi^T Phi ("kernel", p x p) or of W1 W1^T ("weights", d x d).

    Attributes
    ----------
    stieltjes : complex or None
        The normalised trace of the resolvent at the z asked for.
    atom_at_zero, edge : float
    outliers : tuple of float
        Eigenvalues beyond the edge.
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
    status: Status = Status.CONVERGED
    model: str = "spectrum"

    def density(self, x: Any) -> Any:
        """Density of the bulk at x > 0."""
        if self.of == "weights":
            return self.step.weights_density(x, beta=self.beta)
        return self.step.kernel_density(x, alpha=self.alpha, beta=self.beta)

    def eigenvalues(self) -> list[Any]:
        """Outliers for JSON."""
        return [json_number(value) for value in self.outliers]

    def cite(self) -> str:
        return "arXiv 2205.01445, docs/random_features.md, Spectra"


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
        Another name, a parameter outside its range, a real z of the kernel.

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
    value = None
    if z is not None:
        value = (
            weights_stieltjes(z, beta)
            if of == "weights"
            else step.kernel_stieltjes(z, alpha=alpha, beta=beta)
        )
    return StepSpectrum(
        of=of,
        step=step,
        alpha=alpha,
        beta=beta,
        z=z,
        stieltjes=None if value is None else complex(value),
        atom_at_zero=max(0.0, 1.0 - (beta if of == "weights" else alpha / beta)),
        edge=float(spike["edge"]) ** 2,
        outliers=(float(spike["singular_value"]) ** 2,) if present else (),
    )


def weights_stieltjes(z: Any, beta: float) -> Any:
    """(1/d) tr (W W^T - z)^-1 for W of shape (d, beta d) with entries N(0, 1/d), off its support.

    The root of z g^2 + (z + 1 - beta) g + 1 = 0 that behaves as -1/z at infinity.
    """
    points: NDArray[np.complex128] = np.asarray(z, dtype=np.complex128)
    low, high = (1.0 - np.sqrt(beta)) ** 2, (1.0 + np.sqrt(beta)) ** 2
    # the product of two roots has its cut on the support alone, and grows as z
    root = np.sqrt(points - low) * np.sqrt(points - high)
    return frozen((beta - 1.0 - points + root) / (2.0 * points))
