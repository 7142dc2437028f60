"""Channels of one coordinate with a smooth law of the label: noise inside kinks, or additive noise."""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hermite_analytics.errors import UnsupportedExpression

__all__ = ["NoisyChannel", "SoftChannel", "windows"]

Array = NDArray[np.float64]
Function = Callable[[Array], Array]

_REACH = 9.0  # standard deviations
_NODES = 32
_STEEP = (3.0, 6.0)  # slope of the label in a panel of standard deviation 1, by level
_STEEPEST = 64  # refinement of panels
_FINE = 40_001
_WIDTH = (4.5, 2.25)  # of a panel in standard deviations, by level


def windows(
    edges: Array, omega: Array, variance: float, *, level: int = 1, refine: int = 1
) -> tuple[Array, Array]:
    """Quadrature over w ~ N(omega, V), split at the edges: nodes and weights, each (len(omega), n).

    `refine` divides each panel for integrands steeper than the Gaussian.

    Examples
    --------
    >>> w, p = windows(np.array([0.0]), np.array([0.0, 0.3]), 0.25)
    >>> np.round((p * np.abs(w)).sum(1), 12).tolist()
    [0.398942280401, 0.468672732242]
    """
    size = math.sqrt(variance)
    x, unit = np.polynomial.legendre.leggauss(_NODES)
    count = refine * math.ceil(2 * _REACH / _WIDTH[level])
    knots = np.linspace(-_REACH, _REACH, count + 1)
    places, weights = [], []
    ends = np.concatenate([[-np.inf], np.sort(edges), [np.inf]])
    for a, b in itertools.pairwise(ends):
        for left, right in itertools.pairwise(knots):
            low = np.maximum(left, (a - omega) / size)
            half = np.maximum(np.minimum(right, (b - omega) / size) - low, 0.0) / 2
            if not half.any():
                continue
            t = np.where(half > 0, low + half, 0.0)[:, None] + half[:, None] * x
            places.append(omega[:, None] + size * t)
            weights.append(half[:, None] * unit * np.exp(-0.5 * t * t) / math.sqrt(2 * math.pi))
    return np.concatenate(places, 1), np.concatenate(weights, 1)


@dataclass(frozen=True, kw_only=True)
class SoftChannel:
    """Finitely many labels, P(y | w) smooth off the edges.

    Attributes
    ----------
    edges : ndarray
        Where P(y | w) has kinks or jumps.
    likelihoods : tuple of functions of an array
        P(y | w), one a label.
    """

    edges: Array
    likelihoods: tuple[Function, ...]

    @functools.cached_property
    def steepest(self) -> float:
        """The largest slope of a probability between the edges."""
        grid = np.linspace(-_REACH, _REACH, _FINE)
        apart = np.searchsorted(self.edges, grid[1:]) == np.searchsorted(self.edges, grid[:-1])
        slopes = [np.abs(np.diff(_full(f, grid)))[apart] / (grid[1] - grid[0]) for f in self.likelihoods]
        return float(max(x.max() for x in slopes))

    def quadrature(self, omega: Array, variance: float, *, level: int = 1) -> tuple[Array, Array]:
        """Nodes and weights for w ~ N(omega, V), close enough for the steepest probability."""
        refine = math.ceil(self.steepest * math.sqrt(variance))
        if refine > _STEEPEST:
            raise UnsupportedExpression(
                "the noise in the label is too small for its kinks; simulate it by AMP"
            )
        return windows(self.edges, omega, variance, level=level, refine=max(1, refine))

    def moments(self, label: int, omega: Array, variance: float) -> tuple[Array, Array, Array]:
        """(log Z, g_out, -d g_out/d omega) of the label with this index, at values of omega."""
        omega = np.atleast_1d(np.asarray(omega, dtype=np.float64))
        w, p = self.quadrature(omega, variance)
        return _moments(p * _full(self.likelihoods[label], w), w - omega[:, None], variance)


@dataclass(frozen=True, slots=True, kw_only=True)
class NoisyChannel:
    """y = slope l + h(w) + noise xi, with l, w, xi independent.

    A known omega_l is taken off: slope (l - omega_l) is Gaussian noise of variance slope^2 V_l as well.

    Attributes
    ----------
    edges : ndarray
        Kinks and jumps of h.
    value, derivative : functions of an array
        h and its slope.
    slope : float
        0 without a coordinate l.
    noise : float
        Standard deviation.
    """

    edges: Array
    value: Function
    derivative: Function
    slope: float
    noise: float

    def quadrature(
        self, omega: Array, variance: float, noise: float, *, level: int = 1
    ) -> tuple[Array, Array, Array]:
        """Nodes, weights and h for w ~ N(omega, V), close enough for the label's slope against a noise."""
        w, p = windows(self.edges, omega, variance, level=level)
        steep = float(np.max(np.where(p > 1e-12, np.abs(_full(self.derivative, w)), 0.0)))
        refine = math.ceil(steep * math.sqrt(variance) / noise / _STEEP[level])
        if refine > _STEEPEST:
            raise UnsupportedExpression("the label is too steep for its noise; simulate it by AMP")
        if refine > 1:
            w, p = windows(self.edges, omega, variance, level=level, refine=refine)
        return w, p, np.ascontiguousarray(_full(self.value, w))

    def moments(self, label: float, omega: Array, variance: float) -> tuple[Array, Array, Array]:
        """(log Z, g_out, -d g_out/d omega) without a coordinate l, at values of omega."""
        omega = np.atleast_1d(np.asarray(omega, dtype=np.float64))
        w, p, h = self.quadrature(omega, variance, self.noise)
        x = (label - h) / self.noise
        density = np.exp(-0.5 * x * x) / (self.noise * math.sqrt(2 * math.pi))
        return _moments(p * density, w - omega[:, None], variance)


def _full(function: Function, z: Array) -> Array:
    with np.errstate(all="ignore"):
        return np.broadcast_to(np.asarray(function(z), dtype=np.float64), z.shape)


def _moments(p: Array, d: Array, variance: float) -> tuple[Array, Array, Array]:
    z, first, second = p.sum(1), (p * d).sum(1), (p * d * d).sum(1)
    with np.errstate(divide="ignore", invalid="ignore"):
        mean, square = np.where(z > 0, first / z, 0.0), np.where(z > 0, second / z, variance)
        log_z = np.log(z)
    return log_z, mean / variance, 1 / variance - (square - mean * mean) / variance**2
