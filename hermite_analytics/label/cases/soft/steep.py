"""Labels of two coordinates with so little noise that points of the plane would be too many.

Points on the level curves of the value v that noise is added to, with P(y | v), as in three coordinates.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field

import numpy as np

from hermite_analytics.errors import UnsupportedExpression
from hermite_analytics.foundation.numpy_arrays import Array
from hermite_analytics.label.cases.added_noise import AddedNoise, added_noise
from hermite_analytics.label.cases.label_range import LabelRange, label_range
from hermite_analytics.label.cases.plane.case import plane_case
from hermite_analytics.label.cases.plane.level_curves import LevelCurves
from hermite_analytics.label.cases.plane.nodes import with_tails
from hermite_analytics.label.cases.plane.places import LabelPlaces
from hermite_analytics.label.cases.plane.plane import PlaneChannel
from hermite_analytics.label.cases.soft.channel import SoftChannel, SoftLabels
from hermite_analytics.label.nodes import LabelNodes
from hermite_analytics.label.reduction.problem import Problem

__all__ = ["SteepChannel", "steep_label"]

_STEP = (0.5, 0.35)  # of labels beside singular ones, by level
_LONGEST = (3.0, 2.0)  # of an arc, in widths, by level
_NEGLIGIBLE = (1e-9, 1e-12)  # probability of a label node, by level
_RARE = (1e-11, 1e-14)  # of an arc
_FAR, _NEAR = 8.5, 6.5  # |w| to which labels reach, and beyond which they have no weight
_RAYS, _RADII = 90, 120
_SAMPLES = 20_000
_END = 0.02  # of the interquartile range, within which a singular value is the extreme one
_DEFECT = 1e-3
_LEAST = 5e-3  # standard deviation of the noise, in the interquartile range of g


@dataclass(frozen=True, slots=True, kw_only=True)
class SteepChannel:
    """y = g(w1, w2) + noise, or one of finitely many values that this sum decides on.

    Attributes
    ----------
    soft : SoftChannel
        The same label, for the labels of a data set.
    curves : PlaneChannel
        The level curves of g.
    noise : AddedNoise
    """

    soft: SoftChannel
    curves: PlaneChannel
    noise: AddedNoise
    dimension = 2
    _nodes: dict[int, tuple[Array, Array, LevelCurves, float]] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    @property
    def exact_share(self) -> float:
        """0: one label never determines a direction."""
        return 0.0

    def at(self, labels: Array) -> SoftLabels:
        """The labels of a data set, shape (n,), as `SoftChannel.at`."""
        return self.soft.at(labels)

    def label_nodes(self, level: int = 1, size: float = 1.0) -> LabelNodes:
        """Values of g with points that are close enough for N(omega, V) of a width `size`; levels 0 and 1.

        Raises
        ------
        UnsupportedExpression
            If curves are lost, or the noise is too small for sums over values of g.
        """
        labels, weights, curves, defect = self._values(level)
        found = curves.halved(_LONGEST[level] * size, _RARE[level] / weights)
        nodes = found.label_nodes(labels, weights, defect)
        seen = self.noise.law(labels, level)
        return dataclasses.replace(nodes, masses=nodes.masses / nodes.masses.sum(), seen=seen)

    def _values(self, level: int) -> tuple[Array, Array, LevelCurves, float]:
        """(values of g, their weights and curves, what these lose); kept."""
        if level not in self._nodes:
            taken, singular = self._range(), self.curves.singular
            spacing = self.noise.spacing(taken.spread, level, least=_LEAST)
            labels, weights = taken.nodes(_STEP[level], spacing)
            every = self.curves.on_curves(LabelPlaces.of(labels))
            density = every.densities()
            kept = np.flatnonzero(weights * density > _NEGLIGIBLE[level])
            labels, weights, density, found = labels[kept], weights[kept], density[kept], every.chosen(kept)
            for panel in np.split(np.arange(len(labels)), np.searchsorted(labels, singular)):
                if len(panel) > 1:  # curves beside a singular value are not found
                    weights[panel] = with_tails(weights[None, panel], (weights * density)[None, panel])[0]
            defect = _defect(found, weights)
            if defect > _DEFECT:
                raise UnsupportedExpression(
                    f"the probabilities of the label's curves are off by {defect:.2g}; at most "
                    f"{_DEFECT:.2g} is accepted"
                )
            self._nodes[level] = labels, weights, found, defect
        return self._nodes[level]

    def _range(self) -> LabelRange:
        """Where the values of g are: by rays and a sample; a singular value may be the extreme one."""
        value, singular = self.curves.value, self.curves.singular
        angle = 2 * np.pi * (np.arange(_RAYS) + 0.3) / _RAYS
        rays = np.stack([np.cos(angle), np.sin(angle)], axis=1)
        radii = np.repeat(_FAR * (np.arange(_RADII) + 1.0) / _RADII, _RAYS)
        far = value(radii[:, None] * np.tile(rays, (_RADII, 1)))
        typical = value(np.random.default_rng(0).standard_normal((_SAMPLES, 2)))
        radii, far = radii[np.isfinite(far)], far[np.isfinite(far)]
        spread = float(np.subtract(*np.quantile(typical, [0.75, 0.25])))
        ends = np.array([s for s in singular if np.abs(s - [far.min(), far.max()]).min() < _END * spread])
        every, near = np.append(far, ends), np.append(far[radii < _NEAR], ends)
        return label_range(every, near, typical, singular, None)


def _defect(curves: LevelCurves, weights: Array) -> float:
    """How far the masses are off a normal law: in total, in |w|^2/2 or in |w|^4/8."""
    moments = curves.moments()
    square = moments[:, 3] + moments[:, 5] + 2 * moments[:, 0]
    sums = (weights @ f for f in (moments[:, 0], square / 2, curves.fourth_moments() / 8))
    return max(abs(float(s) - 1) for s in sums)


def steep_label(problem: Problem, soft: SoftChannel) -> SteepChannel | None:
    """None where g is constant somewhere, or its level curves are not found.

    Examples
    --------
    >>> from sympy import symbols
    >>> from hermite_analytics.label.cases.soft.case import soft_label
    >>> from hermite_analytics.symbols import xi
    >>> w1, w2 = symbols("w1 w2", real=True)
    >>> problem = Problem(signal=w1 * w2 + w1**2 + xi / 20, unknown=(w1, w2), known=())
    >>> steep_label(problem, soft_label(problem)).label_nodes(0).defect < 1e-4
    True
    """
    added = added_noise(problem.signal, problem.unknown)
    if added is None or len(problem.unknown) != 2:
        return None
    value, noise = added
    first, second = problem.unknown
    try:
        curves = plane_case(value, (first, second))
        if curves is None or curves.regions is not None or not len(curves.singular):
            return None
        found = SteepChannel(soft=soft, curves=curves, noise=noise)
        found._values(0)
    except UnsupportedExpression:
        return None
    return found
