"""F of labels of three coordinates without noise: level surfaces as weighted points, whatever M."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from hermite_analytics.errors import UnsupportedExpression
from hermite_analytics.foundation.threads import in_threads
from hermite_analytics.label.space.pieces import PiecewiseLabel
from hermite_analytics.label.space.space import SpaceChannel, SpaceNodes
from hermite_analytics.label.symmetries import LabelSymmetry
from hermite_analytics.numeric.state_evolution.commutant import commutant_of
from hermite_analytics.numeric.state_evolution.space_sums import PointGrid, label_sums, omega_axis, point_grid

__all__ = ["SpaceMap"]

Array = NDArray[np.float64]

_MOST_KEPT = 60_000_000  # numbers
_SAME = 1e-9
_ROUNDING = 1e-12
_RESOLVED = 5e-2  # 1 - m above which F is cheap
_LEAST = 2.5e-2  # above which it is found at all
_INTERPOLATED = 1e-3  # above which it is, where M = m I


@dataclass(frozen=True, slots=True, kw_only=True)
class SpaceMap:
    """Of labels that are smooth off planes, for matrices M that commute with the symmetries of the label.

    Attributes
    ----------
    channel : SpaceChannel
    hidden : int
        0, or 1 where the last coordinate is label noise.
    share : float
        Probability of labels that are no atoms.
    isotropic : bool
        Whether M = m I.
    axes : ndarray, shape (q, q), or None
        Common axes of all M, as columns; None where there are none.
    flips : tuple of ndarray
        The group of signs of those axes that take every label to itself.
    """

    channel: SpaceChannel
    hidden: int
    share: float
    isotropic: bool
    axes: Array | None
    flips: tuple[Array, ...]
    _spread: dict[tuple[int, float, bytes], list[Array]] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    @classmethod
    def of(
        cls,
        label: PiecewiseLabel,
        symmetries: Sequence[LabelSymmetry],
        *,
        hidden: int,
        share: float,
        axes: Array | None,
    ) -> SpaceMap:
        """With the symmetries of the label; those of a label with noise inside are not used.

        Raises
        ------
        UnsupportedExpression
            If the kinks are on planes in general position, or surfaces are lost.
        """
        own = () if hidden else tuple(symmetries)
        flips: list[Array] = []
        isotropic = (
            axes is not None and not hidden and len(commutant_of([s.matrix for s in own], 3).groups) == 1
        )
        if axes is not None and not hidden:
            turned = [axes.T @ s.matrix @ axes for s in own if s.sign > 0]
            flips = [np.sign(np.diag(s)) for s in turned if np.abs(s - np.diag(np.diag(s))).max() < _SAME]
        channel = SpaceChannel.of(label, own)
        channel.nodes(0)
        return cls(
            channel=channel, hidden=hidden, share=share, isotropic=isotropic, axes=axes, flips=tuple(flips)
        )

    @property
    def exact_share(self) -> float:
        """Each label that is no atom is one equation for all directions."""
        return 0.0 if self.hidden else self.share / 3

    @property
    def resolution(self) -> float:
        """The grids have a width of sqrt(1 - m)."""
        return _INTERPOLATED if self.isotropic else _RESOLVED

    @property
    def mass_defect(self) -> float:
        """That of the points, see `SpaceNodes`."""
        return self.channel.nodes(1).defect

    def is_interpolated(self, matrix: Array) -> bool:
        """Whether (1 - m) F(m I) is taken from between m = 0.95 and its limit at 1."""
        left = 1 - float(np.linalg.eigvalsh(matrix)[-1])
        return self.isotropic and 0 < left < _RESOLVED

    def __call__(self, matrix: Array, *, level: int = 1) -> Array:
        """F(M), shape (q, q).

        Raises
        ------
        UnsupportedExpression
            If some overlaps are too close to 1 and others are not.
        """
        left = 1 - float(np.linalg.eigvalsh(matrix)[-1])
        if left >= _RESOLVED or (left >= _LEAST and not self.isotropic):
            return self._direct(matrix, level)
        if not self.isotropic:
            raise UnsupportedExpression(
                f"an overlap of {1 - left:.3f} beside smaller ones is too close to 1 for the grid of three "
                "coordinates; simulate it by AMP"
            )
        # v F(1 - v) between v = 0.05, 0.1 and its limit
        unit = np.eye(len(matrix))
        limit, x = self.exact_share * unit, left / _RESOLVED
        one = _RESOLVED * self._direct((1 - _RESOLVED) * unit, level)
        if level == 0:
            return np.asarray((limit + x * (one - limit)) / left)
        two = 2 * _RESOLVED * self._direct((1 - 2 * _RESOLVED) * unit, level)
        found = limit * (1 - x) * (2 - x) / 2 + one * x * (2 - x) + two * x * (x - 1) / 2
        return np.asarray(found / left)

    def _direct(self, matrix: Array, level: int) -> Array:
        q = 3 - self.hidden
        full = np.zeros((3, 3))
        full[:q, :q] = matrix
        values, axes, common = self._axes(full)
        grid = point_grid(float(values.max()), level)
        halves = self._half_lines() if common else (False, False, False)
        lines = [omega_axis(float(m), grid, level, half_line=h) for m, h in zip(values, halves, strict=True)]
        parts = in_threads(
            lambda table: label_sums(table(), lines, diagonal=common),
            self._tables(grid, axes, level, common=common),
        )
        found = np.asarray(sum(parts, np.zeros((3, 3))))
        found = axes @ found @ axes.T
        if self.channel.turned is not None:
            s = self.channel.turned[0]
            found = 0.5 * (found + s @ found @ s.T)
        return np.asarray(found[:q, :q])

    def _axes(self, matrix: Array) -> tuple[Array, Array, bool]:
        """(eigenvalues, axes of M, whether these are the common ones)."""
        if self.axes is not None:
            axes = np.eye(3)
            axes[: len(self.axes), : len(self.axes)] = self.axes
            inside = axes.T @ matrix @ axes
            if np.abs(inside - np.diag(np.diag(inside))).max() < _ROUNDING:
                return np.clip(np.diag(inside), 0.0, None), axes, not self.hidden
        values, axes = np.linalg.eigh(matrix)
        return np.clip(values, 0.0, None), axes, False

    def _half_lines(self) -> tuple[bool, bool, bool]:
        """The axes of t of which half is enough: the next one after those before are fixed."""
        left = list(self.flips)
        found = []
        for k in range(3):
            found.append(any(s[k] < 0 for s in left))
            left = [s for s in left if s[k] > 0]
        return found[0], found[1], found[2]

    def _folded(self, points: Array, masses: Array) -> tuple[Array, Array]:
        """The points of which the others are mirror images; those on a mirror are shared by both sides."""
        for k, half in enumerate(self._half_lines()):
            if half:
                keep = points[:, k] > -_SAME
                points, masses = points[keep], masses[keep]
                masses = np.where(points[:, k] < _SAME, 0.5, 1.0) * masses
        return points, masses

    def _tables(self, grid: PointGrid, axes: Array, level: int, *, common: bool) -> list[Callable[[], Array]]:
        """For each label its points, spread over a grid when asked for; kept where there is room."""
        key = (level, grid.step, np.ascontiguousarray(axes).tobytes())
        nodes = self.channel.nodes(level)
        if key not in self._spread:
            size = len(nodes.labels) * grid.count**3
            if size + sum(len(v) * v[0].size for v in self._spread.values()) > _MOST_KEPT:
                self._spread.clear()
            if size > _MOST_KEPT:
                pairs = itertools.pairwise(nodes.starts.tolist())
                return [functools.partial(self._table, nodes, e, grid, axes, common) for e in pairs]

            self._spread[key] = in_threads(
                lambda ends: self._table(nodes, ends, grid, axes, common),
                itertools.pairwise(nodes.starts.tolist()),
            )
        return [functools.partial(_itself, table) for table in self._spread[key]]

    def _table(
        self, nodes: SpaceNodes, ends: tuple[int, int], grid: PointGrid, axes: Array, common: bool
    ) -> Array:
        points, masses = nodes.points[slice(*ends)] @ axes, nodes.masses[slice(*ends)]
        mirrors = self.flips if common else ()
        if mirrors:
            points, masses = self._folded(points, masses)
        return _with_images(grid.spread(np.ascontiguousarray(points), masses), mirrors)


def _itself(table: Array) -> Array:
    return table


def _with_images(table: Array, mirrors: Sequence[Array]) -> Array:
    """The sum over a group of changes of signs of the axes."""
    if not mirrors:
        return table
    found = np.zeros_like(table)
    for signs in mirrors:
        found += np.flip(table, tuple(int(k) for k in np.flatnonzero(signs < 0)))
    return found
