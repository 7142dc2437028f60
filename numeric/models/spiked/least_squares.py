"""Least squares of the target on the functions that a network can fit after the step.

Source: arXiv 2402.04980, eqs (26)-(27), (165)-(172).
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from hermite_analytics.foundation.numpy_arrays import Array
from hermite_analytics.numeric.models.spiked.tables import Tables

__all__ = ["Fit", "least_squares"]

_RANK = 1e-12


@dataclass(frozen=True, slots=True, kw_only=True)
class Fit:
    """Both bounds at one point, with the coefficients of the functions that attain them."""

    upper: float = np.nan
    lower: float = np.nan
    change: float = np.nan
    upper_coefficients: Array = field(default_factory=lambda: np.zeros(0))
    lower_coefficients: Array = field(default_factory=lambda: np.zeros(0))


def least_squares(table: Tables) -> Fit:
    """Residuals of least squares on the functions of (kappa, z), at the nodes of a Gaussian rule."""
    root = np.sqrt(table.weight)
    total = float(table.weight @ table.hh)
    slopes = (table.kappa[:, None, :] * table.mu1[None]).reshape(-1, root.size)
    first, upper_power = _projected(root * table.mu0, root * table.h)
    both, lower_power = _projected(root * np.concatenate([table.mu0, slopes]), root * table.h)
    across, across_power = _projected(root * table.mu1, root * table.h1)
    return Fit(
        upper=max(total - upper_power, 0.0),
        lower=max(total - lower_power - across_power, 0.0),
        upper_coefficients=first,
        lower_coefficients=np.concatenate([both, across]),
    )


def _projected(basis: Array, goal: Array) -> tuple[Array, float]:
    """Coefficients and squared norm of the projection of `goal` on rows that may be dependent or zero."""
    norms = np.linalg.norm(basis, axis=1)
    kept = norms > _RANK * max(float(norms.max()), 1e-2)
    coefficients = np.zeros(norms.size)
    if not np.any(kept):
        return coefficients, 0.0
    right, sizes, left = np.linalg.svd(basis[kept] / norms[kept, None], full_matrices=False)
    large = sizes > _RANK
    components = left[large] @ goal
    coefficients[kept] = (right[:, large] @ (components / sizes[large])) / norms[kept]
    return coefficients, float(components @ components)
