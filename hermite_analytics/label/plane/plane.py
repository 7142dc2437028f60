"""Labels without noise of two coordinates: level curves where they vary, regions where they are constant."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from hermite_analytics.errors import UnsupportedExpression
from hermite_analytics.label.parts.density import LabelDensity
from hermite_analytics.label.plane.boundaries import boundaries_of
from hermite_analytics.label.plane.curved_label import CurvedLabel, Side
from hermite_analytics.label.plane.level_curves import LevelCurves, moments_on_curves
from hermite_analytics.label.plane.mirrors import PLANE, Sector
from hermite_analytics.label.plane.nodes import PlaneNodes, label_nodes
from hermite_analytics.label.plane.outer import Outer
from hermite_analytics.label.plane.regions import Regions
from hermite_analytics.label.plane.sides import (
    PlaneSide,
    constant_label,
    curves_of,
    prepared_side,
    sampled_labels,
    singular_labels,
)
from hermite_analytics.label.plane.singular import panel_ends
from hermite_analytics.label.plane.tables import tabulated
from hermite_analytics.label.quadrature import LabelQuadrature

__all__ = ["PlaneChannel", "PlaneLabels", "PlaneNodes", "composed_channel", "curved_channel", "plane_channel"]

Array = NDArray[np.float64]
Integers = NDArray[np.int64]
Function = Callable[[Array], Array]
Line = tuple[float, float, float]

_LOST = (1e-3, 1e-5)  # probability of labels that are not found, by level
# of labels that are smooth off lines: doubles cannot tell those of erf(2 w1) erf(2 w2) beside 1 apart
_LOST_BESIDE_LIMITS = (1e-2, 1e-2)
_SAME = 1e-11
_MOST_VALUES = 60
_RARE = 1e-13  # probability of inner labels beyond which F is not asked for


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
    """y = g(w1, w2), smooth off straight lines and some curves, with w ~ N(omega, V) and any V.

    Source: the coarea formula, P(w | y) = N(w; omega, V)/|grad g| on the level curve of y; a label that g
    takes on whole cells between the lines is an atom, and w a Gaussian restricted to them.

    Attributes
    ----------
    value : function of points, shape (n, 2)
    lines : tuple of (a, b, c)
        The lines a w1 + b w2 = c across which g has a kink or a jump.
    sides : tuple of PlaneSide
        g on each side of the curves across which it has a kink or a jump; one without conditions if there
        are none.
    regions : Regions, Regions or None
        The atoms, between lines or between curves too.
    singular : ndarray
        Labels between which the law of y is smooth.
    hidden : bool
        The second coordinate is label noise: `moments` are those of the first one, and omega and V too.
    outer : Outer or None
        F where the label is F(h): the sides are those of h.
    sector : Sector
        The part of the plane that the sides cover; their curves elsewhere are images of those in it.
    """

    value: Function
    lines: tuple[Line, ...]
    sides: tuple[PlaneSide, ...]
    regions: Regions | None
    singular: Array
    hidden: bool = False
    outer: Outer | None = None
    sector: Sector = PLANE
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
        curves = self._curves(wanted).unfolded(self.sector.group())
        return PlaneLabels(regions=self.regions, curves=curves, atom=atom, hidden=self.hidden)

    def moments(self, labels: Array, omega: Array, variance: Array) -> tuple[Array, Array, Array]:
        """(log Z, g_out, -d g_out/d omega) of n labels, each at its own omega; see `PlaneLabels`.

        Z is the density of the label, its probability at an atom; -inf where it is not taken.
        """
        return self.prepared(labels)(omega, variance)

    def nodes(self, level: int = 1) -> PlaneNodes:
        """The quadrature over labels on curves, found once."""
        if level not in self._nodes:
            self._nodes[level] = label_nodes(self._curves, self.sector.group(), self.singular, level)
        return self._nodes[level]

    def probability(self, level: int = 1, *, weighted: bool = False) -> float:
        """Of all labels that are found, together; or the average of (9 + |w|^4)/17, which is 1 too.

        The weighted one shows labels far out, as beside the limit of erf(2*w1)*erf(2*w2): they say most of w.
        """
        total = 0.0
        if len(self.singular):
            nodes = self.nodes(level)
            p = nodes.curves.masses() * np.repeat(nodes.weights, np.diff(nodes.curves.starts))[:, None]
            square = (nodes.curves.points**2).sum(-1)
            total += float((p * ((9 + square**2) / 17 if weighted else 1.0)).sum())
        if self.regions is not None:
            total += float(self.regions.probabilities(np.zeros((1, 2)), np.eye(2))[0].sum())
        return total

    def quadrature(self, level: int = 1) -> LabelQuadrature:
        """The law of the label as a finite sum, noise left out of the directions; levels 0, 1 and 2."""
        parts = [self._atoms()[1]]
        if len(self.singular):
            nodes = self.nodes(level)
            parts.append(nodes.weights[:, None] * nodes.curves.moments())
        moments = np.concatenate(parts)
        moments = moments[moments[:, 0] > 0]
        means = moments[:, 1:] / moments[:, :1]
        found = LabelQuadrature(
            weights=moments[:, 0], first=means[:, :2], second=means[:, [2, 3, 3, 4]].reshape(-1, 2, 2)
        )
        return found.of_first(self.dimension)

    def tables(self, step: float) -> LabelDensity:
        """The law of the label as tables, for noise to follow."""
        group = self.sector.group()
        return tabulated(
            lambda labels: self._curves(labels).unfolded(group), self.singular, *self._atoms(), step
        )

    def _atoms(self) -> tuple[Array, Array]:
        """(labels of positive probability, it and E[w; y], E[w w^T - I; y], shape (k, 6))."""
        if self.regions is None:
            return np.zeros(0), np.zeros((0, 6))
        values = self.regions.values
        log_p, g, minus_dg = self.regions.moments(
            np.arange(len(values)), np.zeros((len(values), 2)), np.eye(2)
        )
        second = (g[:, :, None] * g[:, None, :] - minus_dg).reshape(-1, 4)[:, [0, 1, 3]]
        return values, np.exp(log_p)[:, None] * np.column_stack([np.ones(len(g)), g, second])

    def _curves(self, labels: Array) -> LevelCurves:
        """Within the sector."""
        if self.outer is None:
            return curves_of(self.sides, labels)
        owner, inner, log_slopes = self.outer.preimages(labels)
        return curves_of(self.sides, inner).regrouped(owner, log_slopes, len(labels))


def plane_channel(
    value: Function,
    lines: Sequence[Line],
    *,
    hidden: bool = False,
    sector: Sector = PLANE,
    coarse: bool = False,
) -> PlaneChannel:
    """Prepare a label of two coordinates that is smooth off straight lines.

    With `coarse` only the coarse rule is looked at: one of many labels. A sector is for labels that are the
    same in its mirrors.

    Raises
    ------
    UnsupportedExpression
        If it is not smooth off the lines, has too many lines or critical values, or level curves that take
        too many pieces to be found.

    Examples
    --------
    >>> channel = plane_channel(lambda w: w[:, 0] * w[:, 1], [])
    >>> omega = np.array([[0.5, 1.0], [0.0, 0.0]])
    >>> log_z, g, _ = channel.moments(np.array([1.0, -2.0]), omega, 0.5 * np.eye(2))
    >>> log_z.shape, g.shape, bool(abs(g[1]).max() < 1e-9)
    ((2,), (2, 2), True)
    """
    lines = _apart(lines)
    side = prepared_side(Side(value=value, conditions=()), lines, sector)
    regions = _regions(value, [side], (), lines)
    atoms = [] if regions is None else regions.values.tolist()
    return _complete(
        PlaneChannel(
            value=value,
            lines=tuple(lines),
            sides=(side,),
            regions=regions,
            singular=_singular(value, [side], [*lines, *sector.sides], atoms),
            hidden=hidden,
            sector=sector,
        ),
        _LOST_BESIDE_LIMITS[:1] if coarse else _LOST_BESIDE_LIMITS,
    )


def composed_channel(
    inner: Function,
    lines: Sequence[Line],
    outer: Callable[[float, float], Outer],
    *,
    hidden: bool = False,
    sector: Sector = PLANE,
) -> PlaneChannel:
    """Prepare a label F(h) with h a label of two coordinates that is smooth off straight lines.

    Parameters
    ----------
    inner : function of points, shape (n, 2)
        h.
    lines : sequence of (a, b, c)
        Of its kinks and jumps.
    outer : function of (low, high)
        F on a range of h.

    Raises
    ------
    UnsupportedExpression
        As `plane_channel`; if h or F is constant somewhere.

    Examples
    --------
    >>> from sympy import Symbol, cos
    >>> from hermite_analytics.label.plane.outer import outer_of
    >>> t = Symbol("t", real=True)
    >>> channel = composed_channel(lambda w: w[:, 0] * w[:, 1], [], lambda *ends: outer_of(cos(t), t, *ends))
    >>> bool(abs(channel.probability() - 1) < 1e-6)
    True
    """
    lines = _apart(lines)
    side = prepared_side(Side(value=inner, conditions=()), lines, sector)
    if len(side.flat.corners):
        raise UnsupportedExpression("the inner function of the label is constant somewhere")
    h, p = sampled_labels([side])
    p = p * sector.copies
    order = np.argsort(h)
    low, high = (float(x) for x in h[order][np.searchsorted(np.cumsum(p[order]), [_RARE, p.sum() - _RARE])])
    function = outer(low, high)
    images = function.value(_singular(inner, [side], [*lines, *sector.sides], []))
    y = function.value(h)
    inside = np.isfinite(images) & (images >= y.min()) & (images <= y.max())
    singular = panel_ends(y, p, [*function.values, *images[inside]], (y.min(), y.max()), [0.0])
    return _complete(
        PlaneChannel(
            value=lambda w: function.value(inner(w)),
            lines=tuple(lines),
            sides=(side,),
            regions=None,
            singular=singular,
            hidden=hidden,
            sector=sector,
            outer=function,
        )
    )


def curved_channel(
    value: Function, label: CurvedLabel, *, hidden: bool = False, sector: Sector = PLANE
) -> PlaneChannel:
    """Prepare a label of two coordinates that breaks along curves.

    Raises
    ------
    UnsupportedExpression
        If it is not smooth off the curves and lines, or has too many critical values.

    Examples
    --------
    >>> from sympy import symbols
    >>> from hermite_analytics.label.plane.curved_label import curved_label
    >>> w1, w2 = symbols("w1 w2", real=True)
    >>> label = curved_label(abs(w1**2 - w2), (w1, w2))
    >>> nodes = curved_channel(lambda w: np.abs(w[:, 0] ** 2 - w[:, 1]), label).nodes()
    >>> bool(abs(nodes.weights @ nodes.curves.densities() - 1) < 1e-9)
    True
    """
    lines = _apart(label.lines)
    sides = [prepared_side(s, lines, sector) for s in label.sides]
    regions = _regions(label.value, sides, label.curves, lines)
    atoms = [] if regions is None else regions.values.tolist()
    sides = [s for s in sides if len(s.patches.corners)] or sides[:1]
    return _complete(
        PlaneChannel(
            value=value,
            lines=tuple(lines),
            sides=tuple(sides),
            regions=regions,
            singular=_singular(value, sides, [*lines, *sector.sides], atoms),
            hidden=hidden,
            sector=sector,
        )
    )


def _complete(found: PlaneChannel, lost: Sequence[float] = _LOST) -> PlaneChannel:
    """The channel, whose labels have a total probability of 1, up to so much by level."""
    for level, most in enumerate(lost):  # the coarse rule shows large losses sooner
        total = found.probability(level, weighted=found.regions is None)
        if not abs(total - 1) < most:
            raise UnsupportedExpression(f"the labels that are found have a total probability of {total:.9g}")
    return found


def _regions(
    value: Function, sides: Sequence[PlaneSide], curves: Sequence[Function], lines: Sequence[Line]
) -> Regions | None:
    """Where the label is constant; None if it is nowhere."""
    if not any(len(s.flat.corners) for s in sides):
        return None
    boundaries = boundaries_of(value, curves, lines)
    if not len(boundaries.values):
        return None
    return Regions(constant=constant_label(sides, lines), boundaries=boundaries)


def _singular(
    value: Function,
    sides: Sequence[PlaneSide],
    lines: Sequence[Line],
    atoms: Sequence[float],
) -> Array:
    found = singular_labels(value, sides, lines, [0.0, *atoms])
    if len(found) > _MOST_VALUES:
        raise UnsupportedExpression(f"the label has {len(found)} critical values; at most {_MOST_VALUES}")
    return found


def _apart(lines: Sequence[Line]) -> list[Line]:
    """Each line once."""
    found: list[Array] = []
    for line in lines:
        unit = np.array(line) / np.hypot(line[0], line[1])
        if not any(min(np.abs(unit - f).max(), np.abs(unit + f).max()) < _SAME for f in found):
            found.append(unit)
    return [(float(a), float(b), float(c)) for a, b, c in found]
