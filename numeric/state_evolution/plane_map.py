"""F of labels of two coordinates: weighted points of the plane for each label, whatever M."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from hermite_analytics.label.plane.plane import PlaneChannel
from hermite_analytics.label.plane.soft_plane import SoftPlaneChannel
from hermite_analytics.label.quadrature import LabelQuadrature
from hermite_analytics.label.symmetries import LabelSymmetry
from hermite_analytics.numeric.state_evolution.plane_sums import overlap_sums
from hermite_analytics.numeric.state_evolution.region_sums import region_sums

__all__ = ["PlaneMap", "WeightedLabels"]

Array = NDArray[np.float64]
Integers = NDArray[np.int64]

_LONGEST = (4.0, 3.0)  # of an arc, in standard deviations sqrt(V), by level
_NEGLIGIBLE = (1e-11, 1e-14)  # probability of a point
_ROUNDING = 1e-15
_COARSEST = 0.25  # variance below which points are refined
_MOST_KEPT = 8
_SAME = 1e-9
_DIFFERENCE = 1e-6
_FLAT = 1e-7  # slope


@dataclass(frozen=True, slots=True, kw_only=True)
class WeightedLabels:
    """Labels with points of the plane: starts of each label's points, the points, their probabilities."""

    starts: Integers
    points: Array
    masses: Array


@dataclass(frozen=True, slots=True, kw_only=True)
class PlaneMap:
    """Of noiseless labels with level curves and regions, and of labels with a smooth law given z.

    Attributes
    ----------
    channel : PlaneChannel or SoftPlaneChannel
    even : tuple of ndarray
        Symmetries that take every label to itself.
    turned : (ndarray, float) or None
        One that takes the label y to shift - y: half of the labels are enough.
    """

    channel: PlaneChannel | SoftPlaneChannel
    even: tuple[Array, ...]
    turned: tuple[Array, float] | None
    _labels: dict[tuple[int, int], WeightedLabels] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )
    _law: list[LabelQuadrature] = field(default_factory=list, init=False, repr=False, compare=False)
    _share: list[float] = field(default_factory=list, init=False, repr=False, compare=False)

    @classmethod
    def of(cls, channel: PlaneChannel | SoftPlaneChannel, symmetries: Sequence[LabelSymmetry]) -> PlaneMap:
        """With the symmetries of the label in the channel's coordinates."""
        if channel.dimension < 2:  # mirrors of the noise are not known
            return cls(channel=channel, even=(), turned=None)
        finite = isinstance(channel, SoftPlaneChannel) and channel.noise == 0
        turning = (s for s in symmetries if s.sign < 0 and (finite or s.shift == 0))
        turned = next(((s.matrix, s.shift) for s in turning), None)
        return cls(channel=channel, even=tuple(s.matrix for s in symmetries if s.sign > 0), turned=turned)

    @property
    def resolution(self) -> float:
        """The grid of omega has a width of sqrt(1 - m)."""
        return 1e-2

    @property
    def mass_defect(self) -> float:
        """|1 - the sum of the probabilities of all labels|, with more weight far out if none is constant."""
        if not isinstance(self.channel, PlaneChannel):
            return 0.0
        return abs(1 - self.channel.probability(weighted=self.channel.regions is None))

    @property
    def exact_share(self) -> float:
        """Half of the labels on curves: each is one equation for two directions.

        Beside M = I F_i V_i = E[g_i^2 V_i/sum_j g_j^2 V_j] with g the gradient of the label; a coordinate in
        which the label is flat gets an equation less often.
        """
        if not self._share:
            self._share.append(self._found_share())
        return self._share[0]

    def _found_share(self) -> float:
        if not isinstance(self.channel, PlaneChannel) or not len(self.channel.singular):
            return 0.0
        nodes = self.channel.nodes(1)
        masses = nodes.curves.masses() * np.repeat(nodes.weights, np.diff(nodes.curves.starts))[:, None]
        points, masses = nodes.curves.points.reshape(-1, 2), masses.ravel()
        steep = []
        for unit in np.eye(2) * _DIFFERENCE:
            change = self.channel.value(points + unit) - self.channel.value(points - unit)
            steep.append(float(masses[np.abs(change) > _FLAT * _DIFFERENCE].sum()))
        if self.channel.hidden:
            return 0.0
        return min(0.5 * float(masses.sum()), *steep)

    def __call__(self, matrix: Array, *, level: int = 1) -> Array:
        q = self.channel.dimension
        full = np.zeros((2, 2))
        full[:q, :q] = matrix
        values, axes = self._axes(full)
        labels = self.labels(1.0 - float(values.max()), level)
        even = self._is_even(axes, 0), self._is_even(axes, 1)
        points = labels.points @ axes
        found = overlap_sums(labels.starts, points, labels.masses, values, level=level, even=even)
        if isinstance(self.channel, PlaneChannel) and self.channel.regions is not None:
            found += region_sums(self.channel.regions, axes, values, level=level, even=even)
        found = axes @ found @ axes.T
        if self.turned is not None:
            s = self.turned[0]
            found = 0.5 * (found + s @ found @ s.T)
        return np.asarray(found[:q, :q])

    def law(self) -> LabelQuadrature:
        """The law of the label, with the moments of w given the label, where nothing is known: M = 0."""
        if not self._law:
            self._law.append(self.channel.quadrature())
        return self._law[0]

    def _axes(self, matrix: Array) -> tuple[Array, Array]:
        """Eigenvalues and axes of M; of those that are possible, the ones with most mirrors."""
        values, axes = np.linalg.eigh(matrix)
        if np.abs(matrix - np.diag(np.diag(matrix))).max() < _ROUNDING:
            values, axes = np.diag(matrix).copy(), np.eye(2)
        if values[0] == values[1]:
            mirrors = [s for s in self.even if abs(np.linalg.det(s) + 1) < _SAME]
            choices = [axes, *(np.linalg.eigh(0.5 * (s + s.T))[1] for s in mirrors)]
            axes = max(choices, key=lambda a: self._is_even(a, 0) + self._is_even(a, 1))
        return np.clip(values, 0.0, None), axes

    def _is_even(self, axes: Array, k: int) -> bool:
        mirror = axes @ np.diag([-1.0 if i == k else 1.0 for i in range(2)]) @ axes.T
        return any(np.abs(mirror - s).max() < _SAME for s in self.even)

    def labels(self, variance: float, level: int) -> WeightedLabels:
        """Points close enough for N(omega, V) with this least variance; kept."""
        refined = max(0, math.ceil(math.log2(_COARSEST / variance) / 2)) if variance < _COARSEST else 0
        key = (level, refined)
        if key not in self._labels:
            if len(self._labels) >= _MOST_KEPT:
                self._labels.clear()
            self._labels[key] = self._found(math.sqrt(_COARSEST) * 2.0**-refined, level)
        return self._labels[key]

    def _found(self, size: float, level: int) -> WeightedLabels:
        labels = np.zeros(0)
        sizes, points, masses = [np.zeros(0, dtype=np.int64)], [np.zeros((0, 2))], [np.zeros(0)]
        if isinstance(self.channel, PlaneChannel) and len(self.channel.singular):
            nodes = self.channel.nodes(level)
            curves = nodes.curves.halved(_LONGEST[level] * size)
            weights = np.repeat(nodes.weights, np.diff(curves.starts))
            labels = nodes.labels
            sizes.append(np.diff(curves.starts) * curves.points.shape[1])
            points.append(curves.points.reshape(-1, 2))
            masses.append((curves.masses() * weights[:, None]).ravel())
        if isinstance(self.channel, SoftPlaneChannel):
            for label, where, probability in self.channel.areas(size, level):
                labels = np.append(labels, label)
                sizes.append(np.array([len(where)]))
                points.append(where)
                masses.append(probability)
        owner = np.repeat(np.arange(len(labels)), np.concatenate(sizes))
        z, p = np.concatenate(points), np.concatenate(masses)
        if self.turned is not None:
            distance = labels - 0.5 * self.turned[1]
            p = p * np.where(distance > _SAME, 2.0, np.where(distance < -_SAME, 0.0, 1.0))[owner]
        keep = p > _NEGLIGIBLE[level]
        counts = np.bincount(owner[keep], minlength=len(labels))
        counts = counts[counts > 0]
        return WeightedLabels(
            starts=np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(counts)]),
            points=np.ascontiguousarray(z[keep]),
            masses=np.ascontiguousarray(p[keep]),
        )
