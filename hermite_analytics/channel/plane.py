"""Labels without noise of two coordinates: level curves where they vary, regions where they are constant."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from hermite_analytics.channel.level_curves import LevelCurves, level_curves, moments_on_curves
from hermite_analytics.channel.regions import MOST_LINES, Regions, regions_of
from hermite_analytics.channel.soft_plane import gauss_cells
from hermite_analytics.errors import UnsupportedExpression
from hermite_analytics.thresholds.engines.patches import Patches, patches_of
from hermite_analytics.thresholds.engines.planar import singular_labels

__all__ = ["PlaneChannel", "PlaneLabels", "PlaneNodes", "plane_channel"]

Array = NDArray[np.float64]
Integers = NDArray[np.int64]
Function = Callable[[Array], Array]

_UNRESOLVED = 1e-9  # probability of patches that fit no polynomial
_SAME = 1e-11
_SPACING = (0.5, 0.3)  # of labels, in the logarithm of the ratio of the distances from a panel's ends
_OFFSET = 0.3719
_FARTHEST = 34.0
_NEGLIGIBLE = (1e-10, 1e-13)  # probability of a label node, by level
_MOST_VALUES = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class PlaneNodes:
    """A quadrature over labels that are no atoms.

    Attributes
    ----------
    labels, weights : ndarray, shape (n,)
        The law of y is sum weights p(labels).
    curves : LevelCurves
        Of these labels.
    """

    labels: Array
    weights: Array
    curves: LevelCurves


@dataclass(frozen=True, slots=True, kw_only=True)
class PlaneLabels:
    """Labels of a data set, with their curves and regions: moments at any omega and V."""

    regions: Regions | None
    curves: LevelCurves
    atom: Integers  # the region of each label, -1 on a curve
    hidden: bool

    @property
    def smallest_variance(self) -> float:
        """Differences of curves and omega are then still resolved."""
        return 1e-8

    def __call__(self, omega: Array, variance: Array) -> tuple[Array, Array, Array]:
        """(log Z, g_out, -d g_out/d omega), of shapes (n,), (n, q) and (n, q, q).

        Parameters
        ----------
        omega : ndarray, shape (n, q)
        variance : ndarray, shape (q, q)
            V, positive definite.
        """
        if self.hidden:  # the second coordinate is noise: nothing is ever known of it
            omega = np.column_stack([omega, np.zeros(len(omega))])
            variance = np.diag([float(variance[0, 0]), 1.0])
        log_z = np.full(len(omega), -np.inf)
        g, minus_dg = np.zeros((len(omega), 2)), np.zeros((len(omega), 2, 2))
        rows = np.flatnonzero(self.atom < 0)
        if len(rows):
            log_z[rows], g[rows], minus_dg[rows] = moments_on_curves(self.curves, rows, omega[rows], variance)
        rows = np.flatnonzero(self.atom >= 0)
        if len(rows) and self.regions is not None:
            found = self.regions.moments(self.atom[rows], omega[rows], variance)
            log_z[rows], g[rows], minus_dg[rows] = found
        return (log_z, g[:, :1], minus_dg[:, :1, :1]) if self.hidden else (log_z, g, minus_dg)


@dataclass(frozen=True, slots=True, kw_only=True)
class PlaneChannel:
    """y = g(w1, w2), smooth off straight lines, with w ~ N(omega, V) and any V.

    Source: the coarea formula, P(w | y) = N(w; omega, V)/|grad g| on the level curve of y; a label that g
    takes on whole cells between the lines is an atom, and w a Gaussian restricted to them.

    Attributes
    ----------
    value : function of points, shape (n, 2)
    lines : tuple of (a, b, c)
        The lines a w1 + b w2 = c across which g has a kink or a jump.
    patches, flat : Patches
        g as polynomials where it varies, and where it is constant.
    regions : Regions or None
        The atoms.
    singular : ndarray
        Labels between which the law of y is smooth.
    hidden : bool
        The second coordinate is label noise: `moments` are those of the first one, and omega and V too.
    """

    value: Function
    lines: tuple[tuple[float, float, float], ...]
    patches: Patches
    flat: Patches
    regions: Regions | None
    singular: Array
    hidden: bool = False
    _nodes: dict[int, PlaneNodes] = field(default_factory=dict, init=False, repr=False, compare=False)

    @property
    def dimension(self) -> int:
        """Coordinates that are tracked."""
        return 1 if self.hidden else 2

    def prepared(self, labels: Array) -> PlaneLabels:
        """The labels of a data set, shape (n,): their curves are found once, and serve all omega and V."""
        labels = np.asarray(labels, dtype=np.float64)
        atom = np.full(len(labels), -1, dtype=np.int64)
        if self.regions is not None and len(self.regions.values):
            values = self.regions.values
            nearest = np.argmin(np.abs(labels[:, None] - values), axis=1)
            same = np.abs(labels - values[nearest]) <= _SAME * np.maximum(1.0, np.abs(labels))
            atom[same] = nearest[same]
        wanted = np.where(atom < 0, labels, np.nan)  # no curve passes through nan
        curves = level_curves(self.patches, wanted)
        return PlaneLabels(regions=self.regions, curves=curves, atom=atom, hidden=self.hidden)

    def moments(self, labels: Array, omega: Array, variance: Array) -> tuple[Array, Array, Array]:
        """(log Z, g_out, -d g_out/d omega) of n labels, each at its own omega; see `PlaneLabels`.

        Z is the density of the label, its probability at an atom; -inf where it is not taken.
        """
        return self.prepared(labels)(omega, variance)

    def nodes(self, level: int = 1) -> PlaneNodes:
        """The quadrature over labels on curves, found once."""
        if level not in self._nodes:
            self._nodes[level] = self._found_nodes(level)
        return self._nodes[level]

    def areas(self, size: float, level: int) -> Iterator[tuple[float, Array, Array]]:
        """(atom, points, their probabilities) for a width `size` of N(omega, V)."""
        if self.regions is None:
            return
        labels = self.flat.coefficients[:, 0, 0]
        home = np.argmin(np.abs(labels[:, None] - self.regions.values), axis=1)
        for k, value in enumerate(self.regions.values):
            if np.any(home == k):
                yield float(value), *gauss_cells(self.flat.corners[home == k], size, level)

    def _found_nodes(self, level: int) -> PlaneNodes:
        step = _SPACING[level]
        # off the middle of panels, where a curve may run along the sides of patches
        s = step * (np.arange(-int(_FARTHEST / step), int(_FARTHEST / step) + 1) + _OFFSET)
        labels, weights = [], []
        for low, high in zip(self.singular[:-1], self.singular[1:], strict=True):
            near, far = (high - low) / (1 + np.exp(-s)), (high - low) / (1 + np.exp(s))
            labels.append(np.where(s < 0, low + near, high - far))
            weights.append(step * near * far / (high - low))
        y, w = (np.concatenate(x) if x else np.zeros(0) for x in (labels, weights))
        curves = level_curves(self.patches, y)
        keep = w * curves.densities() > _NEGLIGIBLE[level]
        return PlaneNodes(labels=y[keep], weights=w[keep], curves=curves.chosen(np.flatnonzero(keep)))


def plane_channel(
    value: Function, lines: Sequence[tuple[float, float, float]], *, hidden: bool = False
) -> PlaneChannel:
    """Prepare a label of two coordinates.

    Raises
    ------
    UnsupportedExpression
        If it is not smooth off the lines, or has too many lines or critical values.

    Examples
    --------
    >>> channel = plane_channel(lambda w: w[:, 0] * w[:, 1], [])
    >>> omega = np.array([[0.5, 1.0], [0.0, 0.0]])
    >>> log_z, g, _ = channel.moments(np.array([1.0, -2.0]), omega, 0.5 * np.eye(2))
    >>> log_z.shape, g.shape, bool(abs(g[1]).max() < 1e-9)
    ((2,), (2, 2), True)
    """
    lines = _apart(lines)
    patches = patches_of(value, lines)
    if patches.unresolved > _UNRESOLVED:
        raise UnsupportedExpression(
            f"the label is not piecewise smooth off straight lines: patches of probability "
            f"{patches.unresolved:.1e} fit no polynomial"
        )
    regions = regions_of(value, lines)
    if regions is None:
        raise UnsupportedExpression(f"the label has {len(lines)} lines of kinks; at most {MOST_LINES}")
    constant = patches.coefficients.max((1, 2)) == patches.coefficients.min((1, 2))
    curved, flat = _chosen(patches, ~constant), _chosen(patches, constant)
    atoms = regions.values.tolist()
    singular = singular_labels(value, curved, lines, [0.0, *atoms]) if len(curved.corners) else np.zeros(0)
    if len(singular) > _MOST_VALUES:
        raise UnsupportedExpression(f"the label has {len(singular)} critical values; at most {_MOST_VALUES}")
    return PlaneChannel(
        value=value,
        lines=tuple((float(a), float(b), float(c)) for a, b, c in lines),
        patches=curved,
        flat=flat,
        regions=regions if len(atoms) else None,
        singular=singular,
        hidden=hidden,
    )


def _chosen(patches: Patches, which: NDArray[np.bool_]) -> Patches:
    return Patches(
        corners=patches.corners[which],
        coefficients=patches.coefficients[which],
        unresolved=patches.unresolved,
    )


def _apart(lines: Sequence[tuple[float, float, float]]) -> list[tuple[float, float, float]]:
    """Each line once."""
    found: list[Array] = []
    for line in lines:
        unit = np.array(line) / np.hypot(line[0], line[1])
        if not any(min(np.abs(unit - f).max(), np.abs(unit + f).max()) < _SAME for f in found):
            found.append(unit)
    return [(float(a), float(b), float(c)) for a, b, c in found]
