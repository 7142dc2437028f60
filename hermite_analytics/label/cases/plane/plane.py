"""Labels without noise of two coordinates: level curves where they vary, regions where they are constant."""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass, field

import numpy as np

from hermite_analytics.foundation.numpy_arrays import Array, Function, Integers
from hermite_analytics.label.cases.parts.density import LabelDensity
from hermite_analytics.label.cases.plane.curve_moments import moments_on_curves
from hermite_analytics.label.cases.plane.curved_label import Line
from hermite_analytics.label.cases.plane.level_curves import LevelCurves
from hermite_analytics.label.cases.plane.mirrors import PLANE, Sector
from hermite_analytics.label.cases.plane.nodes import PlaneNodes, label_nodes
from hermite_analytics.label.cases.plane.outer import Outer
from hermite_analytics.label.cases.plane.places import LabelPlaces
from hermite_analytics.label.cases.plane.regions import Regions
from hermite_analytics.label.cases.plane.sides import (
    PlaneSide,
    curves_of,
)
from hermite_analytics.label.cases.plane.tables import tabulated
from hermite_analytics.label.moments import Moments
from hermite_analytics.label.nodes import LabelNodes, joined
from hermite_analytics.label.quadrature import LabelQuadrature

__all__ = ["PlaneChannel", "PlaneLabels", "PlaneNodes"]


_SAME = 1e-11
_LONGEST = (4.0, 3.0)  # of an arc, in standard deviations of N(omega, V), by level
_DIFFERENCE = 1e-6
_FLAT = 1e-7  # slope
_LEAST = 1e-12  # probability of what is no atom, of which nodes are followed


@dataclass(frozen=True, slots=True, kw_only=True)
class PlaneLabels:
    """Labels of a data set, with their curves and regions: moments at any omega and V."""

    regions: Regions | None
    curves: LevelCurves
    atom: Integers  # the region of each label, -1 on a curve
    hidden: bool

    def __call__(self, omega: Array, variance: Array) -> Moments:
        """Moments at omega, shape (n, q), and V, shape (q, q), positive definite."""
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
        q = 1 if self.hidden else 2
        return Moments(log_z=log_z, g=g[:, :q], minus_dg=minus_dg[:, :q, :q])


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
    regions : Regions or None
        The atoms, between lines or between curves too.
    singular : ndarray
        Labels between which the law of y is smooth.
    hidden : bool
        The second coordinate is label noise: moments are those of the first one, and omega and V too.
    outer : Outer or None
        F where the label is F(h): the sides are those of h.
    sector : Sector
        The part of the plane that the sides cover; their curves elsewhere are images of those in it.
    odd : ndarray, shape (2, 2), or None
        An orthogonal map that changes the sign of the label.
    """

    value: Function
    lines: tuple[Line, ...]
    sides: tuple[PlaneSide, ...]
    regions: Regions | None
    singular: Array
    hidden: bool = False
    outer: Outer | None = None
    sector: Sector = PLANE
    odd: Array | None = None
    _nodes: dict[int, PlaneNodes] = field(default_factory=dict, init=False, repr=False, compare=False)
    _in_sector: dict[int, PlaneNodes] = field(default_factory=dict, init=False, repr=False, compare=False)

    @property
    def dimension(self) -> int:
        """Coordinates that are tracked."""
        return 1 if self.hidden else 2

    def at(self, labels: Array) -> PlaneLabels:
        """The labels of a data set, shape (n,): their curves are found once, and serve all omega and V.

        Z is the density of a label, its probability at an atom; -inf where it is not taken.
        """
        labels = np.asarray(labels, dtype=np.float64)
        atom = np.full(len(labels), -1, dtype=np.int64)
        if self.regions is not None and len(self.regions.values):
            values = self.regions.values
            nearest = np.argmin(np.abs(labels[:, None] - values), axis=1)
            same = np.abs(labels - values[nearest]) <= _SAME * np.maximum(1.0, np.abs(labels))
            atom[same] = nearest[same]
        wanted = np.where(atom < 0, labels, np.nan)  # no curve passes through nan
        curves = self.on_curves(LabelPlaces.of(wanted))
        return PlaneLabels(regions=self.regions, curves=curves, atom=atom, hidden=self.hidden)

    def on_curves(self, places: LabelPlaces) -> LevelCurves:
        """The level curves of some labels, in all of the plane."""
        return self._curves(places).unfolded(self.sector.group())

    def nodes(self, level: int = 1) -> PlaneNodes:
        """The quadrature over labels on curves, found once."""
        if level not in self._nodes:
            self._nodes[level] = self._folded(level).unfolded(self.sector.group(), self.odd)
        return self._nodes[level]

    def label_nodes(
        self, level: int = 1, size: float = 1.0, *, lowest: float = -math.inf, least: float = 0.0
    ) -> LabelNodes:
        """Labels on curves, with points that are close enough for N(omega, V) of a width `size`; 0 and 1.

        Parameters
        ----------
        level : int
        size : float
        lowest : float
            Labels below it are left out.
        least : float
            And pieces of curves of which no point has a larger probability.
        """
        if not len(self.singular):
            return dataclasses.replace(joined([], 2), defect=self._defect(level))
        nodes = self.nodes(level)
        found = np.flatnonzero(nodes.labels >= lowest)
        labels, weights = nodes.labels[found], nodes.weights[found]
        curves = nodes.curves.chosen(found).halved(_LONGEST[level] * size, least / weights)
        return curves.label_nodes(labels, weights, self._defect(level))

    @property
    def mass_defect(self) -> float:
        """|1 - the sum of the probabilities of all labels|, of what is no atom.

        With more weight far out where there is no atom.
        """
        return self._defect(1)

    def _defect(self, level: int) -> float:
        return abs(1 - self.probability(level, weighted=self.regions is None)) / self._off_atoms

    @property
    def exact_share(self) -> float:
        """Half of the labels on curves: each is one equation for two directions.

        Beside M = I F_i V_i = E[g_i^2 V_i/sum_j g_j^2 V_j] with g the gradient of the label; a coordinate in
        which the label is flat gets an equation less often.
        """
        if self.hidden or not len(self.singular):
            return 0.0
        nodes = self.label_nodes()
        steep = []
        for unit in np.eye(2) * _DIFFERENCE:
            change = self.value(nodes.points + unit) - self.value(nodes.points - unit)
            steep.append(float(nodes.masses[np.abs(change) > _FLAT * _DIFFERENCE].sum()))
        return min(0.5 * float(nodes.masses.sum()), *steep)

    def _folded(self, level: int) -> PlaneNodes:
        """Of negative labels where others are images, with curves in the sector."""
        if level not in self._in_sector:
            singular = self.singular
            if self.odd is not None:
                singular = np.append(singular[singular < 0], 0.0)
            self._in_sector[level] = label_nodes(
                self._curves,
                self.sector.copies,
                singular,
                level,
                odd=self.odd is not None,
                resolved=self.outer is not None,
                probability=self._off_atoms,
            )
        return self._in_sector[level]

    @property
    def count(self) -> int:
        """Arcs of the level curves in the sector, of all nodes of level 1."""
        return len(self._folded(1).curves.points) if len(self.singular) else 0

    def probability(self, level: int = 1, *, weighted: bool = False) -> float:
        """Of all labels that are found, together; or the average of (9 + |w|^4)/17, which is 1 too.

        The weighted one shows labels far out, as beside the limit of erf(2*w1)*erf(2*w2): they say most of w.
        """
        total = 0.0
        if len(self.singular):
            nodes = self._folded(level)
            found = nodes.curves.densities()
            if weighted:
                found = (9 * found + nodes.curves.fourth_moments()) / 17
            total += self.sector.copies * (1 if self.odd is None else 2) * float(nodes.weights @ found)
        if self.regions is not None:
            total += float(self.regions.probabilities(np.zeros((1, 2)), np.eye(2))[0].sum())
        return total

    def quadrature(self, level: int = 1) -> LabelQuadrature:
        """The law of the label as a finite sum, noise left out of the directions; levels 0, 1 and 2."""
        found = LabelQuadrature.of_sums(np.concatenate([self.atoms()[1], self.sums(level)[1]]))
        return found.of_first(self.dimension)

    def sums(self, level: int = 1) -> tuple[Array, Array]:
        """(labels on curves, their probability and E[w; y], E[w w^T - I; y], shape (k, 6)); levels 0 to 2."""
        if not len(self.singular):
            return np.zeros(0), np.zeros((0, 6))
        nodes = self._folded(level)
        labels = nodes.labels if self.odd is None else np.concatenate([nodes.labels, -nodes.labels])
        return labels, nodes.moments(self.sector.group(), self.odd)

    @property
    def _off_atoms(self) -> float:
        """The probability of the labels that are no atoms; 1 where all are atoms."""
        return 1.0 if not len(self.singular) else max(1 - float(self.atoms()[1][:, 0].sum()), _LEAST)

    def tables(self, step: float) -> LabelDensity:
        """The law of the label as tables, for noise to follow."""
        return tabulated(self.on_curves, self.singular, *self.atoms(), step)

    def atoms(self) -> tuple[Array, Array]:
        """(labels of positive probability, it and E[w; y], E[w w^T - I; y], shape (k, 6))."""
        if self.regions is None:
            return np.zeros(0), np.zeros((0, 6))
        values = self.regions.values
        log_p, g, minus_dg = self.regions.moments(
            np.arange(len(values)), np.zeros((len(values), 2)), np.eye(2)
        )
        second = (g[:, :, None] * g[:, None, :] - minus_dg).reshape(-1, 4)[:, [0, 1, 3]]
        return values, np.exp(log_p)[:, None] * np.column_stack([np.ones(len(g)), g, second])

    def _curves(self, places: LabelPlaces, least: Array | None = None, share: float = 0.0) -> LevelCurves:
        """Within the sector, without arcs of less density than `least` or a share of what is nearer to 0."""
        if self.outer is None:
            return curves_of(self.sides, places.labels, least, share)
        owner, inner, log_slopes = self.outer.preimages(places)
        least = None if least is None else least[owner] * np.exp(log_slopes)
        return curves_of(self.sides, inner, least, share).regrouped(owner, log_slopes, len(places.origins))
