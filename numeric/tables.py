"""The six functions of kappa that every equation of the giant step uses, at quadrature nodes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hermite_analytics.activation import Activation
from hermite_analytics.conditional import feature_points, spiked_features_kernel
from hermite_analytics.numeric.gaussian_rule import Feature, gaussian_rule
from hermite_analytics.target import Target

__all__ = ["MOST_LEVELS", "Tables", "tables"]

MOST_LEVELS = 6

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Tables:
    """Values at nodes kappa, all of shape (n,); `weight` includes the Gaussian density."""

    kappa: Array
    weight: Array
    mu0: Array
    mu1: Array
    mu2_squared: Array
    h: Array
    h1: Array
    hh: Array

    def columns(self) -> tuple[Array, ...]:
        """weight, kappa, mu0, mu1, mu2_squared, h, h1, hh, as the compiled solvers take them."""
        return (
            self.weight, self.kappa, self.mu0, self.mu1, self.mu2_squared, self.h, self.h1, self.hh,
        )  # fmt: skip


def tables(activation: Activation, target: Target, r: float, c: float, gamma: float) -> Iterator[Tables]:
    """Tables at refining levels of the rule: level 0, 1, ...

    Parameters
    ----------
    r, c, gamma : float
        Spike strength, squared row norm of the bulk (> 0), overlap of spike and target (|gamma| <= 1).
    """
    features = _features(activation, target, r, c, gamma)
    kernel = spiked_features_kernel(activation, target)
    for level in range(MOST_LEVELS):
        kappa, weight = gaussian_rule(features, level)
        values = kernel(kappa, c, r, gamma)
        h, h1, hh = values.h, values.h1, values.hh
        if abs(gamma) >= 1.0:  # no average is left: the closed forms would divide by zero
            h = target.function()(gamma * kappa)
            h1, hh = np.zeros_like(h), h**2
        yield Tables(
            kappa=kappa,
            weight=weight,
            mu0=np.asarray(values.mu0),
            mu1=np.asarray(values.mu1),
            mu2_squared=np.asarray(values.mu2_squared),
            h=np.asarray(h),
            h1=np.asarray(h1),
            hh=np.asarray(hh),
        )


def _features(activation: Activation, target: Target, r: float, c: float, gamma: float) -> list[Feature]:
    inner, outer = feature_points(activation, target)
    found = []
    if r != 0.0:
        width = np.sqrt(c) / abs(r)
        found += [Feature(center=b / r, width=width) for b in (inner or (0.0,))]
    if gamma != 0.0:
        width = np.sqrt(max(1.0 - gamma**2, 0.0)) / abs(gamma)
        found += [Feature(center=b / gamma, width=width) for b in outer]
    return found
