"""F(M) = E[g_out g_out^T] over omega ~ N(0, M) and y given omega, V = I - M: the map of each kind of label.

M is a matrix of the commutant of the label's symmetries. Where these commute it is diagonal in common axes,
with one number for each of its classes; elsewhere all entries are followed.

    noiseless labels of one coordinate   z ~ N(0, 1), omega = m z + sqrt(m (1 - m)) xi: the preimages do not
                                         depend on omega;
    other labels                         sum over y and integral over omega of (dZ/d omega)^2 / Z.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from hermite_analytics.errors import UnsupportedExpression
from hermite_analytics.label.cases.line.sheets import SheetChannel
from hermite_analytics.label.cases.line.smooth import NoisyChannel, SoftChannel
from hermite_analytics.label.cases.plane.plane import PlaneChannel
from hermite_analytics.label.cases.plane.soft_plane import SoftPlaneChannel
from hermite_analytics.label.cases.sampled.solved import SolvedChannel
from hermite_analytics.label.cases.values.boxes import BoxChannel
from hermite_analytics.label.channel import Channel
from hermite_analytics.label.symmetries import LabelSymmetry
from hermite_analytics.numeric.bayes.maps.box_map import BoxMap
from hermite_analytics.numeric.bayes.maps.box_matrix_map import BoxMatrixMap
from hermite_analytics.numeric.bayes.maps.commutant import Commutant, commutant_of
from hermite_analytics.numeric.bayes.maps.joint_map import JointMap
from hermite_analytics.numeric.bayes.maps.label_map import LabelMap
from hermite_analytics.numeric.bayes.maps.noisy_map import NoisyMap
from hermite_analytics.numeric.bayes.maps.sampled_map import SampledMap
from hermite_analytics.numeric.bayes.maps.sheet_map import SheetMap
from hermite_analytics.numeric.bayes.maps.soft_map import SoftMap

__all__ = ["DiagonalMap", "MatrixMap", "OverlapMap", "map_of", "on_matrices", "special_map_of"]

Array = NDArray[np.float64]


class OverlapMap(Protocol):
    """F on the diagonals M that the symmetries allow."""

    @property
    def groups(self) -> tuple[tuple[int, ...], ...]:
        """The axes that share a parameter."""

    @property
    def exact_share(self) -> float:
        """lim (1 - m) F(m) at m -> 1: the probability of labels that determine the coordinate."""

    @property
    def resolution(self) -> float:
        """The least 1 - m at which the map is cheap."""

    @property
    def mass_defect(self) -> float:
        """What the labels are known to lose of the total probability: a relative error that levels share."""

    @property
    def exact_alpha(self) -> float:
        """The alpha above which M = I is stable; inf if it never is."""

    def __call__(self, overlaps: Array, *, level: int = 1) -> Array:
        """F, one entry a parameter, each in [0, 1)."""


class MatrixMap(Protocol):
    """F on all matrices 0 <= M < I."""

    @property
    def exact_share(self) -> float:
        """lim (1 - m) F(m I) at m -> 1, in the direction where it is least."""

    @property
    def resolution(self) -> float:
        """The least eigenvalue of I - M at which the map is cheap."""

    @property
    def mass_defect(self) -> float:
        """What the labels are known to lose of the total probability: a relative error that levels share."""

    def __call__(self, matrix: Array, *, level: int = 1) -> Array:
        """F(M), shape (q, q)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DiagonalMap:
    """A map of matrices on the commutant of a group, where that has common axes."""

    matrix_map: MatrixMap
    commutant: Commutant

    @property
    def groups(self) -> tuple[tuple[int, ...], ...]:
        """The classes of axes."""
        return self.commutant.groups

    @property
    def axes(self) -> Array:
        """The axes, as columns."""
        return np.eye(0) if self.commutant.axes is None else self.commutant.axes

    @property
    def exact_share(self) -> float:
        """That of the matrices."""
        return self.matrix_map.exact_share

    @property
    def resolution(self) -> float:
        """That of the matrices."""
        return self.matrix_map.resolution

    @property
    def mass_defect(self) -> float:
        """That of the matrices."""
        return self.matrix_map.mass_defect

    @property
    def exact_alpha(self) -> float:
        """The inverse of the share: beside M = I the map of I - M is homogeneous and balances its axes."""
        return 1 / self.exact_share if self.exact_share > 0 else math.inf

    def __call__(self, overlaps: Array, *, level: int = 1) -> Array:
        diagonal = np.zeros(len(self.axes))
        for value, group in zip(overlaps, self.groups, strict=True):
            diagonal[list(group)] = value
        found = self.matrix_map((self.axes * diagonal) @ self.axes.T, level=level)
        along = np.einsum("ia,ij,ja->a", self.axes, found, self.axes)
        return np.array([along[list(g)].mean() for g in self.groups])


def on_matrices(overlap_map: OverlapMap) -> tuple[Callable[[Array, int], Array], Commutant]:
    """(the map as a function of M and a level, the matrices M that it is of)."""
    if isinstance(overlap_map, DiagonalMap):
        matrix_map = overlap_map.matrix_map
        return lambda m, level: matrix_map(m, level=level), overlap_map.commutant
    groups = overlap_map.groups
    size = sum(len(g) for g in groups)

    def found(m: Array, level: int) -> Array:
        values = overlap_map(np.array([m[g[0], g[0]] for g in groups]), level=level)
        diagonal = np.zeros(size)
        for value, group in zip(values, groups, strict=True):
            diagonal[list(group)] = value
        return np.diag(diagonal)

    return found, Commutant.diagonal(groups)


def special_map_of(kind: object) -> OverlapMap | None:
    """The map of a kind whose M is diagonal in its own coordinates; None for others."""
    if isinstance(kind, SheetChannel):
        return SheetMap(channel=kind)
    if isinstance(kind, SoftChannel):
        return SoftMap(channel=kind)
    if isinstance(kind, NoisyChannel):
        return NoisyMap(channel=kind)
    if isinstance(kind, BoxChannel) and kind.keeps_axes():
        return BoxMap(channel=kind)
    return None


def map_of(channel: Channel, *, seed: int = 0) -> tuple[OverlapMap | None, MatrixMap | None, Commutant]:
    """(the map of overlaps in common axes, the map of matrices, where M stays); one map may be None."""
    q = len(channel.rows)
    special = special_map_of(channel.kind)
    trivial = Commutant(basis=np.eye(q)[:, :, None] * np.eye(q)[:, None, :], axes=np.eye(q), groups=())
    kind, symmetries = channel.kind, channel.symmetries
    commutant = commutant_of([s.matrix for s in symmetries], q)
    if channel.joint is not None and JointMap.takes(channel.joint[1], commutant):
        return special, JointMap.of(*channel.joint, symmetries), commutant
    if special is not None:
        return special, None, trivial
    matrix_map: MatrixMap
    if isinstance(kind, PlaneChannel | SoftPlaneChannel):
        matrix_map = LabelMap.of_plane(kind, symmetries)
    elif isinstance(kind, BoxChannel):
        matrix_map = BoxMatrixMap(channel=kind)
    else:
        assert isinstance(kind, SolvedChannel)
        matrix_map = _solved_map(kind, symmetries, seed)
    if commutant.axes is None:
        return None, matrix_map, commutant
    return DiagonalMap(matrix_map=matrix_map, commutant=commutant), matrix_map, commutant


def _solved_map(kind: SolvedChannel, symmetries: Sequence[LabelSymmetry], seed: int) -> MatrixMap:
    """Level surfaces where the label of three coordinates is smooth off planes, else sampling."""
    if kind.pieces is None:
        return SampledMap(channel=kind, seed=seed)
    try:
        return LabelMap.of_space(kind.pieces, symmetries, hidden=kind.hidden, share=kind.continuous)
    except UnsupportedExpression:
        return SampledMap(channel=kind, seed=seed)
