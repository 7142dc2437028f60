"""Labels without noise of three coordinates, smooth off planes and graphs: surfaces as weighted points."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from hermite_analytics.errors import UnsupportedExpression
from hermite_analytics.foundation.clock import check_time
from hermite_analytics.foundation.numpy_arrays import Array
from hermite_analytics.foundation.threads import in_threads
from hermite_analytics.label.cases.added_noise import AddedNoise
from hermite_analytics.label.cases.label_range import LabelRange, label_range
from hermite_analytics.label.cases.space.columns import Region
from hermite_analytics.label.cases.space.level_surfaces import (
    Lattice,
    WeightedPoints,
    lattice_of,
    surface_points,
    volume_points,
)
from hermite_analytics.label.cases.space.pieces import PiecewiseLabel
from hermite_analytics.label.cases.space.smooth_cells import orbits, smooth_cells
from hermite_analytics.label.nodes import LabelNodes
from hermite_analytics.label.quadrature import LabelQuadrature, mixture
from hermite_analytics.label.reduction.one_value import at_places, told_apart
from hermite_analytics.label.symmetries import LabelSymmetry

__all__ = ["SpaceChannel"]

_STEP = (0.3, 0.2)  # of s, by level
_SURVEY = 0.5
_VOLUME = 0.35
_SPACING = (0.6, 0.4)  # of labels, in the logarithm of their distance from a critical value
_NEGLIGIBLE = (1e-6, 1e-7)  # probability of a label node, with the weight (1 + |w|^4/9)
_FAINT = 1e-11  # of a point
_SAME = 1e-7  # of critical values
_FLAT = 1e-12
_MOST_VALUES = 24
_MOST_PLACES = 1024  # of a floor, however far out
_NEAR = 4.5  # |w| that shows whether labels are bounded
_DEFECT = 1e-3
_USUAL = 2e-5  # defect of the coarser nodes beyond which lines are cut at 0 too
_SAMPLES = 8192


@dataclass(frozen=True, slots=True, kw_only=True)
class SpaceChannel:
    """y = g(w1, w2, w3) with its level surfaces.

    Attributes
    ----------
    label : PiecewiseLabel
    orbits : tuple of (Cell or Column, tuple of ndarray)
        Cells between the kinks, one of each class, with the symmetries that take it to the others.
    even : tuple of ndarray
        Symmetries that take every label to itself; the points have them to the last digit.
    turned : (ndarray, float) or None
        A symmetry that takes the label y to shift - y: the labels above shift/2 are enough.
    singular : ndarray
        Labels at which the law of y may not be smooth.
    noise : AddedNoise or None
        Through which the label g is seen; the nodes are those of g.
    """

    label: PiecewiseLabel
    orbits: tuple[tuple[Region, tuple[Array, ...]], ...]
    even: tuple[Array, ...]
    turned: tuple[Array, float] | None
    singular: Array
    noise: AddedNoise | None = None
    _nodes: dict[int, LabelNodes] = field(default_factory=dict, init=False, repr=False, compare=False)
    _normals: dict[int, Array] = field(default_factory=dict, init=False, repr=False, compare=False)

    @classmethod
    def of(
        cls,
        label: PiecewiseLabel,
        symmetries: Sequence[LabelSymmetry] = (),
        *,
        noise: AddedNoise | None = None,
    ) -> SpaceChannel:
        """With the symmetries of the label.

        Raises
        ------
        UnsupportedExpression
            If its planes are neither of three independent directions nor all through 0, it has too many
            critical values, or the noise is too small.

        Examples
        --------
        >>> from sympy import symbols
        >>> from hermite_analytics.label.cases.space.pieces import piecewise_label
        >>> w = symbols("w1 w2 w3", real=True)
        >>> nodes = SpaceChannel.of(piecewise_label(w[0] * w[1] + w[2], w)).label_nodes(0)
        >>> nodes.defect < 1e-4
        True
        """
        # what is seen of g may be the same on both sides of its surface: no half of the labels of g is enough
        own = symmetries if label.labels is None else _of_surface(label, symmetries)
        even = [np.eye(3), *(s.matrix for s in own if s.sign > 0)]
        seen = label.labels is None and label.outer is None
        odd = own if seen and noise is None else ()  # noise mixes both halves, a floor is not odd
        turned = next(((s.matrix, s.shift) for s in odd if s.sign < 0), None)
        kept = [s.matrix for s in symmetries if s.sign > 0]
        for cut in (False, True):
            cells, critical = smooth_cells(label, even, cut=cut)
            singular = np.concatenate(
                [c.labels for c in critical] + [np.zeros(int(label.labels is not None))]
            )
            found = cls(
                label=label,
                orbits=tuple(orbits(cells, even)),
                even=tuple(m for m in kept if any(np.array_equal(m, e) for e in even)),
                turned=turned,
                singular=singular,
                noise=noise,
            )
            if any(c.inside for c in critical) or found._is_fine():
                break
        return found

    def _is_fine(self) -> bool:
        """Whether the coarser nodes, which are kept then, lose no more than is usual."""
        nodes = self._found_nodes(0)
        if nodes.defect < _USUAL:
            self._nodes[0] = nodes
        return nodes.defect < _USUAL

    @property
    def mass_defect(self) -> float:
        """That of the nodes, see `label_nodes`."""
        return self.label_nodes().defect

    def label_nodes(self, level: int = 1, size: float = 1.0) -> LabelNodes:
        """The quadrature, found once for each level; points are as close for any width.

        Their masses sum to 1. The defect is how far the sum was off 1 before it was made so, or the averages
        of |w|^2/3 and (15 + |w|^4)/30, which are 1 too: points far out say most of w.

        Raises
        ------
        UnsupportedExpression
            If the probabilities do not add up to 1 within 1%.
        """
        if level not in self._nodes:
            found = self._found_nodes(level)
            if found.defect > _DEFECT:
                raise UnsupportedExpression(
                    f"the probabilities of the label's surfaces are off by {found.defect:.2g}; at most "
                    f"{_DEFECT:.2g} is accepted"
                )
            self._nodes[level] = found
        return self._nodes[level]

    def quadrature(self, level: int = 1) -> LabelQuadrature:
        """The law of what is seen of all labels, as a finite sum."""
        law = LabelQuadrature.of_nodes(self.label_nodes(level))
        check_time()
        return law if self.turned is None else mixture([law, law.turned(self.turned[0])], [0.5, 0.5])

    def normals(self, level: int = 1) -> Array:
        """The gradients of the label at the points of its nodes, shape (k, 3); kept."""
        if level not in self._normals:
            self._normals[level] = self.label.gradient(self.label_nodes(level).points)
        return self._normals[level]

    def _lattices(self, step: float) -> list[Lattice]:
        check_time()
        return [lattice_of(cell, self.label.piece(cell), step) for cell, _ in self.orbits]

    def _found_nodes(self, level: int) -> LabelNodes:
        lattices = self._lattices(_STEP[level])
        flat = [_is_flat(x) for x in lattices]
        labels, weights = self._panels_of(lattices, flat, level)
        cells = [(x, images) for x, (_, images), f in zip(lattices, self.orbits, flat, strict=True) if not f]
        jobs = [(x, images, k) for x, images in cells for k in range(3)]

        def part(job: tuple[Lattice, Sequence[Array], int]) -> WeightedPoints:
            found = _weighted(surface_points(job[0], labels, job[2:]), weights)
            return _with_images(_without_faint(found), job[1])

        parts = in_threads(part, jobs)
        values: list[float] = []
        for x, (cell, images), f in zip(lattices, self.orbits, flat, strict=True):
            if not f:
                continue
            value = float(x.values[0, 0, 0])
            if not any(abs(value - v) <= _SAME * max(1.0, abs(v)) for v in values):
                values.append(value)
            k = next(i for i, v in enumerate(values) if abs(value - v) <= _SAME * max(1.0, abs(v)))
            points, p = volume_points(cell, _VOLUME)
            number = np.full(len(p), len(labels) + k, dtype=np.int64)
            parts.append(_with_images(WeightedPoints(label=number, points=points, masses=p), images))
        return self._ordered(np.concatenate([labels, values]), parts, level)

    def _ordered(self, labels: Array, parts: Sequence[WeightedPoints], level: int) -> LabelNodes:
        check_time()
        number = np.concatenate([p.label for p in parts])
        points = np.concatenate([p.points for p in parts])
        masses = np.concatenate([p.masses for p in parts])
        if self.turned is not None:
            distance = labels - 0.5 * self.turned[1]
            masses = masses * np.where(distance > _SAME, 2.0, np.where(distance < -_SAME, 0.0, 1.0))[number]
        if self.label.labels is not None:  # what is seen of g is a label of its own
            labels, number = np.unique(self.label.labels(points), return_inverse=True)
        if self.label.outer is not None:
            places = self.label.outer.places(float(labels.min()) - 1, float(labels.max()) + 1)
            values = told_apart(self.label.outer.at(at_places(labels, places)))
            labels, owner = np.unique(values, return_inverse=True)
            number = owner[number]
        keep = np.flatnonzero(_sizes(points, masses) > _FAINT)
        keep = keep[np.argsort(number[keep].astype(np.int16), kind="stable")]
        counts = np.bincount(number[keep], minlength=len(labels))
        points, masses, labels = points[keep], masses[keep], labels[counts > 0]
        return LabelNodes(
            labels=labels,
            starts=np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(counts[counts > 0])]),
            points=points,
            masses=masses / float(masses.sum()),
            defect=_defect(points, masses),
            seen=None if self.noise is None else self.noise.law(labels, level),
        )

    def _panels_of(self, lattices: list[Lattice], flat: list[bool], level: int) -> tuple[Array, Array]:
        """(labels, weights) of the nodes that have a probability worth their work."""
        if all(flat):
            return np.zeros(0), np.zeros(0)
        rough = [x for x, f in zip(self._lattices(_SURVEY), flat, strict=True) if not f]
        taken = self._range(rough)
        spacing = math.inf if self.noise is None else self.noise.spacing(taken.spread, level)
        outer = self.label.outer
        places = np.zeros(0) if outer is None else outer.places(taken.least, taken.largest)
        if len(places) > _MOST_PLACES:
            raise UnsupportedExpression(
                f"a floor that takes {len(places)} values; at most {_MOST_PLACES} are"
            )
        labels, weights = taken.nodes(_SPACING[level], spacing, places)
        if self.turned is not None:
            keep = labels > 0.5 * self.turned[1]
            labels, weights = labels[keep], weights[keep]
        density = np.zeros(len(labels))
        images = [len(images) for (_, images), f in zip(self.orbits, flat, strict=True) if not f]
        for lattice, count in zip(rough, images, strict=True):
            found = surface_points(lattice, labels)
            size = _sizes(found.points, found.masses)
            density += count * np.bincount(found.label, size, minlength=len(labels))
        keep = weights * density > _NEGLIGIBLE[level]
        return labels[keep], weights[keep]

    def _range(self, rough: list[Lattice]) -> LabelRange:
        """Where the labels are, and at which of them their law may not be smooth."""
        cells = [cell for cell, _ in self.orbits]
        labels = [x.values[np.isfinite(x.values)] for x in rough]
        near = [x.values[np.isfinite(x.values) & (x.radii() < _NEAR)] for x in rough]
        samples = np.random.default_rng(0).standard_normal((_SAMPLES, 3))
        typical = [self.label.piece(c)(samples[c.holds(samples)])[0] for c in cells]
        shift = None if self.turned is None else self.turned[1]
        found = label_range(_joined(labels), _joined(near), _joined(typical), self.singular, shift)
        if len(found.singular) > _MOST_VALUES:
            raise UnsupportedExpression(
                f"the label has {len(found.singular)} critical values; at most {_MOST_VALUES} are taken"
            )
        return found


def _sizes(points: Array, masses: Array) -> Array:
    """Of the parts of F at a small M that points have."""
    return np.asarray(masses * (1 + np.einsum("ki,ki->k", points, points) ** 2 / 9))


def _defect(points: Array, masses: Array) -> float:
    """How far the masses are off a normal law: in total, in |w|^2/3 or in (15 + |w|^4)/30."""
    square = np.einsum("ki,ki->k", points, points)
    return max(abs(float(masses @ f) - 1) for f in (np.ones(len(square)), square / 3, (15 + square**2) / 30))


def _of_surface(label: PiecewiseLabel, symmetries: Sequence[LabelSymmetry]) -> list[LabelSymmetry]:
    """The symmetries of the label that keep g or change its sign too, and not only what is seen of it."""
    kept = [s for s in label.own if s.shift == 0]
    return [s for s in kept if any(np.array_equal(s.matrix, other.matrix) for other in symmetries)]


def _joined(arrays: Sequence[Array]) -> Array:
    return np.concatenate([x.ravel() for x in arrays])


def _is_flat(lattice: Lattice) -> bool:
    values = lattice.values
    return bool(np.ptp(values) <= _FLAT * max(1.0, float(np.abs(values).max())))


def _weighted(found: WeightedPoints, weights: Array) -> WeightedPoints:
    return WeightedPoints(label=found.label, points=found.points, masses=found.masses * weights[found.label])


def _without_faint(found: WeightedPoints) -> WeightedPoints:
    """Those that count, before there are images of each; masses may still be doubled."""
    keep = np.flatnonzero(2 * _sizes(found.points, found.masses) > _FAINT)
    return WeightedPoints(label=found.label[keep], points=found.points[keep], masses=found.masses[keep])


def _with_images(found: WeightedPoints, images: Sequence[Array]) -> WeightedPoints:
    count = len(images)
    return WeightedPoints(
        label=np.tile(found.label, count),
        points=np.concatenate([found.points @ s.T for s in images]),
        masses=np.tile(found.masses, count),
    )
