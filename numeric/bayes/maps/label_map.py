"""F of labels of up to three coordinates, and of boxes: weighted points of w for each label, whatever M.

One sum over label nodes and omega: preimages on a line, points on level curves or surfaces, cells with a
smooth law given w; labels that are constant on intervals, regions or boxes have the boundaries of these.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial

import numpy as np

from hermite_analytics.foundation.numpy_arrays import Array
from hermite_analytics.label.cases.line.sheets import SheetChannel
from hermite_analytics.label.cases.plane.plane import PlaneChannel
from hermite_analytics.label.cases.soft.channel import SoftChannel
from hermite_analytics.label.cases.space.space import SpaceChannel
from hermite_analytics.label.cases.values.boxes import MOST_INTEGRATED, BoxChannel
from hermite_analytics.label.nodes import LabelNodes
from hermite_analytics.label.quadrature import LabelQuadrature
from hermite_analytics.label.shape import PointCase, has_points
from hermite_analytics.label.symmetries import LabelSymmetry
from hermite_analytics.numeric.bayes.maps.box_sums import box_sums
from hermite_analytics.numeric.bayes.maps.commutant import commutant_of, is_round
from hermite_analytics.numeric.bayes.maps.complete_overlap import BesideComplete, Tangents, unresolved
from hermite_analytics.numeric.bayes.maps.line_sums import line_sum, sum_beside_noise
from hermite_analytics.numeric.bayes.maps.mirrors import Mirrors, best_axes
from hermite_analytics.numeric.bayes.maps.plane_sums import overlap_sums, visited
from hermite_analytics.numeric.bayes.maps.region_sums import Probabilities, region_sums
from hermite_analytics.numeric.bayes.maps.spread_sums import SpreadSums, pays
from hermite_analytics.numeric.bayes.maps.unresolved import UnresolvedOverlap

__all__ = ["LabelMap"]

MeasuredCase = BoxChannel | PlaneChannel | SpaceChannel  # know what they lose
Case = SheetChannel | SoftChannel | MeasuredCase | PointCase

_NEGLIGIBLE = (1e-11, 1e-14)  # probability of a point of the plane, by level
_COARSEST = 0.25  # variance below which points are refined; deviation where nothing is known
_MOST_LABELS = 8  # sets of them
_SAME = 1e-9
_DIAGONAL = 1e-12
_RESOLVED = 5e-2  # 1 - m above which F of three coordinates is cheap
_LEAST = 2.4e-2  # above which it is found at all; the tangent planes of labels say what it is closer to 1
_CEILING = 0.1  # of an iteration, which looks at a quarter of it too (`CLOSER`)
_INTERPOLATED = 1e-3  # above which it is, where M = m I
_MOST_OMEGA = 30_000_000  # points omega of two coordinates: both overlaps at 1 - 1e-4


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelMap:
    """F(M) of a label with nodes.

    Attributes
    ----------
    channel : SheetChannel, SoftChannel, BoxChannel, PlaneChannel, SpaceChannel or any other PointCase
    dimension : int
        Coordinates that are tracked; one more of the channel may be label noise, or one less have points.
    even : tuple of ndarray
        Symmetries that take every label to itself.
    turned : ndarray or None
        One that takes the label y to shift - y; then half of the labels have all masses.
    axes : ndarray or None
        Common axes of all M that the symmetries allow, as columns.
    isotropic : bool
        Whether M = m I is all that they allow.
    alike : bool
        Whether those in `even` do as well; of boxes, whether permutations of coordinates do.
    """

    channel: Case
    dimension: int
    even: tuple[Array, ...]
    turned: Array | None = None
    axes: Array | None
    isotropic: bool = False
    alike: bool = False
    _share: float | None = None  # the exact share, 0 behind noise; of labels on curves, surfaces: when needed
    _shift: float | None = None  # where the labels above its half are still to be taken
    _labels: dict[tuple[int, int], LabelNodes] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )
    _spread: SpreadSums = field(default_factory=SpreadSums, init=False, repr=False, compare=False)
    _edge: dict[tuple[float, int], Array] = field(default_factory=dict, init=False, repr=False, compare=False)
    _exact: list[float] = field(default_factory=list, init=False, repr=False, compare=False)
    _defect: list[float] = field(default_factory=list, init=False, repr=False, compare=False)
    _law: list[LabelQuadrature] = field(default_factory=list, init=False, repr=False, compare=False)

    @classmethod
    def of_line(cls, channel: SheetChannel | SoftChannel) -> LabelMap:
        """Of one coordinate, beside others that enter through finitely many values or as noise."""
        sheets = channel if isinstance(channel, SheetChannel) else None
        return cls(
            channel=channel,
            dimension=channel.dimension,
            even=(-np.eye(1),) if sheets is not None and sheets.even else (),
            axes=np.eye(channel.dimension),
            isotropic=channel.dimension == 1,
            _share=0.0 if sheets is None else sheets.continuous_probability,
        )

    @classmethod
    def of_boxes(cls, channel: BoxChannel) -> LabelMap:
        """Of labels that are constant on boxes, with noise or without."""
        return cls(
            channel=channel,
            dimension=channel.dimension,
            even=tuple(channel.mirrors()),
            axes=np.eye(channel.dimension) if channel.keeps_axes() else None,
            alike=channel.keeps_axes() and len(channel.orbits()) == 1,
            _share=0.0,
        )

    @classmethod
    def of_points(cls, channel: PointCase, symmetries: Sequence[LabelSymmetry]) -> LabelMap:
        """Of two coordinates, or of any case with points: with symmetries in the channel's coordinates."""
        q, span = channel.dimension, _span(channel)
        if q < span:  # mirrors of the noise are not known
            symmetries = ()
        finite = isinstance(channel, SoftChannel) and channel.noise == 0
        turning = (s for s in symmetries if s.sign < 0 and (finite or s.shift == 0) and span == 2)
        turned = next(turning, None)
        even = tuple(s.matrix for s in symmetries if s.sign > 0)
        commutant = commutant_of([np.eye(span), *(s.matrix for s in symmetries)], span)
        return cls(
            channel=channel,
            dimension=q,
            even=even,
            turned=None if turned is None else turned.matrix,
            axes=commutant.axes if q == span else None,
            isotropic=len(commutant.groups) == 1,
            alike=is_round(even, span),
            _shift=None if turned is None else turned.shift,
        )

    @classmethod
    def of_space(
        cls, channel: SpaceChannel, symmetries: Sequence[LabelSymmetry], *, hidden: int = 0
    ) -> LabelMap:
        """By level surfaces; with noise added, or `hidden` as its last coordinate.

        Symmetries are those of the label with the noise that is added; beside hidden noise none are used.

        Raises
        ------
        UnsupportedExpression
            If surfaces are lost, or the noise is too small.
        """
        channel.label_nodes(0)
        commutant = commutant_of([np.eye(3), *(s.matrix for s in symmetries if not hidden)], 3)
        return cls(
            channel=channel,
            dimension=3 - hidden,
            even=() if hidden else channel.even,
            turned=None if channel.turned is None else channel.turned[0],
            axes=None if hidden else commutant.axes,
            isotropic=not hidden and len(commutant.groups) == 1,
            alike=not hidden and is_round(channel.even, 3),
            _share=0.0 if hidden or channel.noise is not None else None,
        )

    @property
    def exact_share(self) -> float:
        """1 / (the alpha above which M = I is stable): equations for each unknown, where fewest; kept."""
        if self._share is not None:
            return self._share
        if not self._exact:
            tangents = self.tangents(0)
            if tangents is not None:
                self._exact.append(tangents.exact_share())
            else:
                assert has_points(self.channel)
                self._exact.append(self.channel.exact_share)
        return self._exact[0]

    @property
    def resolution(self) -> float:
        """The least eigenvalue of I - M: grids have a width of its square root."""
        if isinstance(self.channel, SheetChannel):
            return 1e-6  # preimages cluster where they matter
        if isinstance(self.channel, BoxChannel):  # along the coordinates what is near the edges matters
            return 1e-2 if self.axes is None else 1e-6 if self.dimension < 3 else 3e-3
        if self.span < 3:
            finite = isinstance(self.channel, SoftChannel) and not self.channel.noise
            return 1e-3 if finite and self.span == 1 else 1e-2
        return _INTERPOLATED if self.isotropic else _CEILING

    @property
    def mass_defect(self) -> float:
        """What the nodes are known to lose; kept."""
        if not self._defect:
            if isinstance(self.channel, MeasuredCase):
                self._defect.append(self.channel.mass_defect)
            else:
                told = self.channel.lost if isinstance(self.channel, SheetChannel) else 0.0
                self._defect.append(max(told, self.labels(1.0, 1).defect))
        return self._defect[0]

    @property
    def span(self) -> int:
        """The number of coordinates of the points; 0 of boxes, which have none."""
        return _span(self.channel)

    def law(self) -> LabelQuadrature | None:
        """The law of the label where nothing is known, M = 0; None of three coordinates, or beside noise."""
        most = MOST_INTEGRATED if isinstance(self.channel, BoxChannel) else self.span
        if isinstance(self.channel, SpaceChannel) or self.dimension > most:
            return None
        if not self._law:
            if isinstance(self.channel, SheetChannel | BoxChannel | PlaneChannel):
                self._law.append(self.channel.quadrature().of_first(self.dimension))
            else:
                self._law.append(LabelQuadrature.of_nodes(self.channel.label_nodes(1, _COARSEST)))
        return self._law[0]

    def is_interpolated(self, matrix: Array) -> bool:
        """Whether F is taken from between overlaps at which it is cheap and its limit at I."""
        return self.span == 3 == self.dimension and self._share is None and self._beside.holds(matrix)

    def tangents(self, level: int = 1) -> Tangents | None:
        """What gradients of the label say; None where they are not known, as beside noise."""
        if not isinstance(self.channel, SpaceChannel) or self._share is not None:
            return None
        normals, masses = self.channel.normals(level), self.labels(1.0, level).masses
        return Tangents(normals=normals, masses=masses, turned=self.turned)

    @property
    def _beside(self) -> BesideComplete:
        nearest = _RESOLVED if self.isotropic else _LEAST
        return BesideComplete(
            nearest=nearest, isotropic=self.isotropic, f=self._direct, of=self.tangents, known=self._edge
        )

    def __call__(self, matrix: Array, *, level: int = 1) -> Array:
        """F(M), shape (q, q).

        Raises
        ------
        UnresolvedOverlap
            If overlaps are too close to 1 for a grid; of three coordinates, where others are not.
        """
        if isinstance(self.channel, SoftChannel) and self.channel.slope:
            return sum_beside_noise(self.channel, matrix, level=level)
        overlaps = np.diag(matrix)
        if isinstance(self.channel, BoxChannel) and np.abs(matrix - np.diag(overlaps)).max() < _DIAGONAL:
            alike = self.alike and float(np.ptp(overlaps)) < _SAME
            return box_sums(self.channel, overlaps, self.even, level=level, alike=alike)
        if self.span < 2:
            return self._halves(matrix, level)
        values = np.linalg.eigvalsh(matrix)
        left = 1 - float(values[-1])
        if self.is_interpolated(matrix):
            return self._beside(matrix, level)
        if self.span == 3 and left < _LEAST:
            raise unresolved(left)
        if self.span == 2 and math.prod(visited(float(m), level)[1] for m in values) > _MOST_OMEGA:
            raise UnresolvedOverlap(
                f"overlaps of {', '.join(f'{m:.9g}' for m in values)} are too close to 1 for the grid of two "
                "coordinates, but not exactly 1; simulate it by AMP"
            )
        return self._direct(matrix, level)

    def _direct(self, matrix: Array, level: int) -> Array:
        q = self.dimension
        full = np.zeros((self.span, self.span))
        full[:q, :q] = matrix
        found = self._halves(full, level)
        if self.turned is not None:
            s = self.turned
            image = s.T @ full @ s
            same = np.abs(image - full).max() <= _SAME
            found = 0.5 * (found + s @ (found if same else self._halves(image, level)) @ s.T)
        return np.asarray(found[:q, :q])

    def _halves(self, matrix: Array, level: int) -> Array:
        """F(M) by all labels, or by half of them twice."""
        values, axes = best_axes(matrix, self.axes, self.even)
        mirrors = Mirrors.along(axes, self.even)
        found = np.zeros_like(matrix)
        if self.span:
            labels = self.labels(1.0 - float(values.max()), level)
            found += self._of_points(labels, values, axes, mirrors, level)
        regions = self._regions(level)
        if regions is not None:
            found += region_sums(regions, axes, values, level=level, half=mirrors.half_lines)
        return np.asarray(axes @ np.where(mirrors.absent, 0.0, found) @ axes.T)

    def _regions(self, level: int) -> Probabilities | None:
        """Labels that are constant on some sets."""
        if isinstance(self.channel, BoxChannel):
            return partial(self.channel.probabilities, level=level)
        regions = self.channel.regions if isinstance(self.channel, SheetChannel | PlaneChannel) else None
        return None if regions is None else regions.probabilities

    def _of_points(
        self, labels: LabelNodes, values: Array, axes: Array, mirrors: Mirrors, level: int
    ) -> Array:
        """By visits of each point, or by points that are spread over a grid."""
        if self.span == 1:
            found = line_sum(labels, float(values[0]), level=level, half=mirrors.half_lines[0])
            return np.full((1, 1), found)
        if self.span == 2 and labels.seen is None and not pays(labels, values, level):
            points, half = labels.points @ axes, mirrors.half_lines
            return overlap_sums(labels.starts, points, labels.masses, values, level=level, half=half)
        alike = self.alike and float(np.ptp(values)) < _SAME
        return self._spread.sums(labels, values, axes, mirrors, level, alike=alike)

    def labels(self, variance: float, level: int) -> LabelNodes:
        """Points close enough for N(omega, V) with this least variance; kept."""
        refined = max(0, math.ceil(math.log2(_COARSEST / variance) / 2)) if variance < _COARSEST else 0
        key = (level, 0 if isinstance(self.channel, SheetChannel | SpaceChannel) else refined)
        if key not in self._labels:
            if len(self._labels) >= _MOST_LABELS:
                self._labels.clear()
                self._spread.forget()
            self._labels[key] = self._found(math.sqrt(_COARSEST) * 2.0**-refined, level)
        return self._labels[key]

    def _found(self, size: float, level: int) -> LabelNodes:
        assert not isinstance(self.channel, BoxChannel)
        if self.span != 2:
            return self.channel.label_nodes(level, size)
        rare, middle = _NEGLIGIBLE[level], -math.inf if self._shift is None else 0.5 * self._shift
        if isinstance(self.channel, PlaneChannel):
            share = 1.0 if self._shift is None else 0.5  # masses are doubled
            found = self.channel.label_nodes(level, size, lowest=middle - _SAME, least=share * rare)
        else:
            found = self.channel.label_nodes(level, size)
        found = found if self._shift is None else found.upper(self._shift)
        return found.without_rare(rare)


def _span(channel: Case) -> int:
    if isinstance(channel, SoftChannel):
        return channel.rule.dimension
    if isinstance(channel, SpaceChannel | BoxChannel):
        return 3 if isinstance(channel, SpaceChannel) else 0
    return 2 if isinstance(channel, PlaneChannel) else channel.dimension
