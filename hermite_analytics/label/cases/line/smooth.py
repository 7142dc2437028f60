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
from hermite_analytics.label.cases.values.box_moments import indices_of_values
from hermite_analytics.label.compiled import compiled
from hermite_analytics.label.moments import Moments, from_posterior
from hermite_analytics.label.nodes import LabelNodes

__all__ = ["NoisyChannel", "NoisyMoments", "SoftChannel", "SoftMoments", "windows"]

Array = NDArray[np.float64]
Function = Callable[[Array], Array]

_REACH = 9.0  # standard deviations
_NODES = 32
_STEEP = (3.0, 6.0)  # slope of the label in a panel of standard deviation 1, by level
_STEEPEST = (128, 64)  # refinement of panels, which are half as many at level 0
_FINE = 40_001
_ROWS = 2000  # samples at a time
_WIDTH = (4.5, 2.25)  # of a panel in standard deviations, by level
LABEL_STEP = (0.25, 0.15)  # of a noisy label, in standard deviations of the noise
_LABELS = tuple(math.ceil(8.6 / step) for step in LABEL_STEP)  # on each side
_RARE = 1e-23  # probability of a point with its label
_TOO_STEEP = "the label is too steep for its noise; simulate it by AMP"
_PANEL = 0.4  # the same of points for a narrower Gaussian, over its standard deviation


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
    values : ndarray, shape (k,)
        The labels.
    likelihoods : tuple of k functions of an array
        P(y | w), one a label.
    """

    edges: Array
    values: Array
    likelihoods: tuple[Function, ...]

    @property
    def dimension(self) -> int:
        """One coordinate."""
        return 1

    @functools.cached_property
    def steepest(self) -> float:
        """The largest slope of a probability between the edges."""
        grid = np.linspace(-_REACH, _REACH, _FINE)
        apart = np.searchsorted(self.edges, grid[1:]) == np.searchsorted(self.edges, grid[:-1])
        slopes = [np.abs(np.diff(_full(f, grid)))[apart] / (grid[1] - grid[0]) for f in self.likelihoods]
        return float(max(x.max() for x in slopes))

    def quadrature(
        self, omega: Array, variance: float, *, level: int = 1, finest: float = 1.0
    ) -> tuple[Array, Array]:
        """Nodes and weights for w ~ N(omega, V), close enough for the steepest probability.

        `finest` divides panels at least, for integrands steeper than the Gaussian.
        """
        refine = math.ceil(self.steepest * math.sqrt(variance))
        if refine > _STEEPEST[level]:
            raise UnsupportedExpression(
                "the noise in the label is too small for its kinks; simulate it by AMP"
            )
        return windows(self.edges, omega, variance, level=level, refine=max(math.ceil(finest), refine))

    def label_nodes(self, level: int = 1, size: float = 1.0) -> LabelNodes:
        """The labels with points that are close enough for N(omega, V) of a width `size`."""
        w, p = (x[0] for x in self.quadrature(np.zeros(1), 1.0, level=level, finest=_PANEL / size))
        order = np.argsort(w[p > 0])
        w, p = w[p > 0][order], p[p > 0][order]
        masses = np.concatenate([p * _full(likelihood, w) for likelihood in self.likelihoods])
        count = len(self.values)
        return LabelNodes(
            labels=self.values,
            starts=len(w) * np.arange(count + 1, dtype=np.int64),
            points=np.tile(w, count)[:, None],
            masses=masses,
            defect=abs(float(masses.sum()) - 1),
        )

    def at(self, labels: Array) -> SoftMoments:
        """The labels of a data set, shape (n,).

        Raises
        ------
        InputError
            Naming the first label that is none of the values.
        """
        code = indices_of_values(self.values, labels)
        rows = tuple(np.flatnonzero(code == k) for k in range(len(self.values)))
        return SoftMoments(channel=self, rows=rows)


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
    noise : float > 0
        Standard deviation.
    """

    edges: Array
    value: Function
    derivative: Function
    slope: float
    noise: float

    @property
    def dimension(self) -> int:
        """w, and l if it enters."""
        return 2 if self.slope else 1

    def quadrature(
        self, omega: Array, variance: float, noise: float, *, level: int = 1
    ) -> tuple[Array, Array, Array]:
        """Nodes, weights and h for w ~ N(omega, V), close enough for the label's slope against a noise."""
        w, p = windows(self.edges, omega, variance, level=level)
        refine = math.ceil(self._steepest(w, p) * math.sqrt(variance) / noise / _STEEP[level])
        if refine > _STEEPEST[level]:
            raise UnsupportedExpression(_TOO_STEEP)
        if refine > 1:
            w, p = windows(self.edges, omega, variance, level=level, refine=refine)
        return w, p, np.ascontiguousarray(_full(self.value, w))

    def label_nodes(self, level: int = 1, size: float = 1.0, noise: float | None = None) -> LabelNodes:
        """Labels of h(w) and some noise, with points that are close enough for a width `size` of N(omega, V).

        The noise has what is unknown of slope l too: all of it, if not stated. Labels are a trapezoid rule,
        as dense as the noise is smooth.
        """
        noise = math.hypot(self.noise, self.slope) if noise is None else noise
        steep = self._steepest(*windows(self.edges, np.zeros(1), 1.0, level=level)) / noise / _STEEP[level]
        if math.ceil(steep * size) > _STEEPEST[level]:
            raise UnsupportedExpression(_TOO_STEEP)
        refine = max(1, math.ceil(_PANEL / size), math.ceil(steep))
        w, p = (x[0] for x in windows(self.edges, np.zeros(1), 1.0, level=level, refine=refine))
        w, p = w[p > _RARE], p[p > _RARE]
        step = LABEL_STEP[level]
        place = _full(self.value, w) / (noise * step)
        index = np.floor(place).astype(np.int64)[:, None] + np.arange(-_LABELS[level], _LABELS[level] + 2)
        x = (index - place[:, None]) * step
        masses = p[:, None] * np.exp(-0.5 * x * x) * step / math.sqrt(2 * math.pi)
        keep = masses > _RARE
        index, masses = index[keep], masses[keep]
        order = np.argsort(index, kind="stable")
        labels, starts = np.unique(index[order], return_index=True)
        return LabelNodes(
            labels=noise * step * labels,
            starts=np.append(starts, len(order)).astype(np.int64),
            points=np.broadcast_to(w[:, None], keep.shape)[keep][order][:, None],
            masses=masses[order],
            defect=abs(float(masses.sum()) - 1),
        )

    def _steepest(self, w: Array, p: Array) -> float:
        return float(np.max(np.where(p > 1e-12, np.abs(_full(self.derivative, w)), 0.0)))

    def at(self, labels: Array) -> NoisyMoments:
        """The labels of a data set, shape (n,)."""
        return NoisyMoments(channel=self, labels=labels)


@dataclass(frozen=True, slots=True, kw_only=True)
class SoftMoments:
    """Of finitely many labels of one coordinate with the noise inside; `rows` has the samples of each."""

    channel: SoftChannel
    rows: tuple[NDArray[np.int64], ...]

    @property
    def smallest_variance(self) -> float:
        """Labels of finitely many values never determine the coordinate."""
        return 1e-8

    def __call__(self, omega: Array, variance: Array) -> Moments:
        v = float(variance[0, 0])
        log_z, g, minus_dg = (np.zeros(len(omega)) for _ in range(3))
        for index, rows in enumerate(self.rows):
            for start in range(0, len(rows), _ROWS):
                part = rows[start : start + _ROWS]
                w, p = self.channel.quadrature(omega[part, 0], v)
                p = p * _full(self.channel.likelihoods[index], w)
                log_z[part], g[part], minus_dg[part] = _moments(p, w - omega[part], v)
        return Moments(log_z=log_z, g=g[:, None], minus_dg=minus_dg[:, None, None])


@dataclass(frozen=True, slots=True, kw_only=True)
class NoisyMoments:
    """Of y = slope l + h(w) + noise xi; coordinates (l, w), or w alone if the slope is 0.

    Given w, y is Gaussian with the variance slope^2 Var(l | w) + noise^2, and l given both is linear in y.
    """

    channel: NoisyChannel
    labels: Array

    @property
    def smallest_variance(self) -> float:
        """Labels with noise never determine a coordinate."""
        return 1e-8

    def __call__(self, omega: Array, variance: Array) -> Moments:
        parts = [
            self._part(self.labels[s : s + _ROWS], omega[s : s + _ROWS], variance)
            for s in range(0, len(omega), _ROWS)
        ]
        return Moments(*(np.concatenate(column) for column in zip(*parts, strict=True)))

    def _part(self, labels: Array, omega: Array, variance: Array) -> Moments:
        channel = self.channel
        v = float(variance[-1, -1])
        along, left = 0.0, 0.0  # l given w: omega_l + along (w - omega_w), of the variance left
        if channel.slope:
            along = float(variance[0, 1]) / v
            left = float(variance[0, 0]) - along * float(variance[0, 1])
        size2 = channel.noise**2 + channel.slope**2 * left
        size = math.sqrt(size2)
        w, p, h = channel.quadrature(omega[:, -1], v, size, level=0)
        d = w - omega[:, -1:]
        mean = h + channel.slope * along * d
        if channel.slope:
            mean = mean + channel.slope * omega[:, :1]
        log_z, first, spread = _averages(p, d, mean, labels, size)
        if not channel.slope:
            return from_posterior(log_z, first[:, :1], spread[:, :1, :1], variance)
        gain = channel.slope * left / size
        to_l = np.array([[along, gain], [1.0, 0.0]])  # l and w from d = w - omega_w and x
        spread = to_l @ spread @ to_l.T
        spread[:, 0, 0] += left - gain * gain
        return from_posterior(log_z, first @ to_l.T, spread, variance)


def _full(function: Function, z: Array) -> Array:
    with np.errstate(all="ignore"):
        return np.broadcast_to(np.asarray(function(z), dtype=np.float64), z.shape)


def _moments(p: Array, d: Array, variance: float) -> tuple[Array, Array, Array]:
    z, first, second = p.sum(1), (p * d).sum(1), (p * d * d).sum(1)
    with np.errstate(divide="ignore", invalid="ignore"):
        mean, square = np.where(z > 0, first / z, 0.0), np.where(z > 0, second / z, variance)
        log_z = np.log(z)
    return log_z, mean / variance, 1 / variance - (square - mean * mean) / variance**2


@compiled
def _averages(p: Array, d: Array, mean: Array, labels: Array, size: float) -> tuple[Array, Array, Array]:
    """log of sum p N(y; mean, size^2); mean and covariance of (d, x) under it, x = (y - mean)/size."""
    n, count = p.shape
    log_z, first, spread = np.empty(n), np.zeros((n, 2)), np.zeros((n, 2, 2))
    weights, x = np.empty(count), np.empty(count)
    for t in range(n):
        top, total = -np.inf, 0.0
        for k in range(count):
            x[k] = (labels[t] - mean[t, k]) / size
            if p[t, k] > 0.0:
                top = max(top, -0.5 * x[k] * x[k])
        for k in range(count):
            weights[k] = p[t, k] * math.exp(-0.5 * x[k] * x[k] - top) if p[t, k] > 0.0 else 0.0
            total += weights[k]
            first[t, 0] += weights[k] * d[t, k]
            first[t, 1] += weights[k] * x[k]
        if total == 0.0:
            log_z[t], first[t, 0], first[t, 1] = -np.inf, 0.0, 0.0
            continue
        first[t, 0] /= total
        first[t, 1] /= total
        for k in range(count):
            a, b = d[t, k] - first[t, 0], x[k] - first[t, 1]
            spread[t, 0, 0] += weights[k] * a * a / total
            spread[t, 0, 1] += weights[k] * a * b / total
            spread[t, 1, 1] += weights[k] * b * b / total
        spread[t, 1, 0] = spread[t, 0, 1]
        log_z[t] = math.log(total) + top - math.log(size * math.sqrt(2.0 * math.pi))
    return log_z, first, spread
