"""Quadratures for one and two Gaussian coordinates that are split where the law of a label breaks.

They are as fine as the law is steep: a `width` is the standard deviation of the noise, in the units of the
functions that the law is made of.
"""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from hermite_analytics.errors import UnsupportedExpression
from hermite_analytics.foundation.numpy_arrays import Array, Function, Integers
from hermite_analytics.foundation.panels import graded_unit_rule, unit_rule
from hermite_analytics.label.cases.plane.breaks import Breaks, divided
from hermite_analytics.label.cases.plane.patches import TICKS

__all__ = [
    "Function",
    "LineRule",
    "PlaneRule",
    "Rule",
    "points_between",
    "slopes_of",
    "steep_panels",
    "windows",
]

Slopes = tuple[Array, Array]
Nodes = tuple[Integers, Array, Array, Array]

_REACH = 9.0  # standard deviations
_SAME = 1e-12
_OFF = 1e-150  # of an edge at 0, where squares are none
_LINE = 32  # nodes of a panel
_GRADED = 64  # the same where integrands may be infinite at its ends
_WIDTH = (4.5, 2.25)  # of a panel in standard deviations, by level
_SMALL = 0.4  # standard deviation of a Gaussian below which panels of the reference measure are narrower
_CHANGE = 13.5  # of the law in a panel, in widths
_STEEPEST = 128  # divisions of the panels of each sample
_NEAR = 0.5  # of a panel, places whose slopes it is as narrow as; of an edge, where its panels end
_LIKELY = 6.8  # standard deviations within which steepness matters
_FARTHEST, _FINE = 12.0, 40_001  # places of a coordinate between which it is looked for
_BESIDE = 5  # of them next to a break, where roots and logarithms are steep
_TOO_STEEP = "the label is too steep for its noise; simulate it by AMP"

_PLANE_REACH = 8.0
_PANELS = 4
_PLANE = 10  # nodes of a panel
_PLANE_CHANGE = 9.0  # the same
_MOST_REFINED = 6
_DENSE = (2.2, 1.6)  # of a cell in standard deviations, for 6 nodes
_CELL = 0.95  # side
_LEAST_NODES = (8, 12)  # of a cell beside a curve
_LOOKED_AT = 65  # places of a line between which it meets curves


@dataclass(frozen=True, kw_only=True)
class Rule:
    """A quadrature off breaks.

    Attributes
    ----------
    laws : tuple of functions of points, shape (..., q)
        What is integrated changes like these.
    """

    laws: tuple[Function, ...]
    dimension = 0
    rows = 0  # samples at a time
    rare = 0.0  # probability of a point with its label
    steep_as = 0.0  # noise under which a change by 1 is as steep as that of a probability
    label_step = (0.0, 0.0)  # of noisy labels, in standard deviations of the noise, by level
    label_reach = (0.0, 0.0)

    def points(self, size: float, width: float, level: int, most: float) -> tuple[Array, Array]:
        """Points (n, q) and probabilities of N(0, I), close enough for N(omega, V) of a width `size`.

        Raises
        ------
        UnsupportedExpression
            If the law is so steep that they would be more than `most`, about.
        """
        raise NotImplementedError

    def around(self, factor: Array, width: float) -> Callable[[Array], Nodes]:
        """For omega, shape (n, q): (row, w, u, weight) of all nodes w = omega[row] + factor u, by rows.

        Parameters
        ----------
        factor : ndarray, shape (q, q)
            With factor factor^T = V.

        Raises
        ------
        UnsupportedExpression
            If the law is too steep.
        """
        raise NotImplementedError


def windows(
    edges: Array, omega: Array, variance: float, *, level: int = 1, refine: int = 1, graded: bool = False
) -> tuple[Array, Array]:
    """Quadrature over w ~ N(omega, V), split at the edges: nodes and weights, each (len(omega), n).

    `refine` divides each panel for integrands steeper than the Gaussian; with `graded` these may have roots
    and logarithms at the edges.

    Examples
    --------
    >>> w, p = windows(np.array([0.0]), np.array([0.0, 0.3]), 0.25)
    >>> np.round((p * np.abs(w)).sum(1), 12).tolist()
    [0.398942280401, 0.468672732242]
    """
    size = math.sqrt(variance)
    count = refine * math.ceil(2 * _REACH / _WIDTH[level])
    knots = np.linspace(-_REACH, _REACH, count + 1)
    places, weights = [], []
    ends = np.concatenate([[-np.inf], np.sort(edges), [np.inf]])
    for a, b in itertools.pairwise(ends):
        for left, right in itertools.pairwise(knots):
            first, last = (a - omega) / size, (b - omega) / size
            low = np.maximum(left, first)
            width = np.maximum(np.minimum(right, last) - low, 0.0)
            if not width.any():
                continue
            met = graded and bool((((first > left - _SAME) | (last < right + _SAME)) & (width > 0)).any())
            x, unit = graded_unit_rule(_GRADED) if met else unit_rule(_LINE)
            t = np.where(width > 0, low, 0.0)[:, None] + width[:, None] * x
            w = omega[:, None] + size * t
            inner = max(np.nextafter(a, np.inf), a + _OFF), min(np.nextafter(b, -np.inf), b - _OFF)
            places.append(np.clip(w, *inner) if met else w)
            weights.append(width[:, None] * unit * np.exp(-0.5 * t * t) / math.sqrt(2 * math.pi))
    return np.concatenate(places, 1), np.concatenate(weights, 1)


def slopes_of(laws: Sequence[Function], edges: Array, low: float, high: float) -> Slopes:
    """(places of a coordinate between two ends, the largest slope of a law there), 0 beside edges."""
    grid = np.linspace(low, high, _FINE)
    step = grid[1] - grid[0]
    with np.errstate(invalid="ignore"):
        slopes = np.abs(np.diff(np.stack([law(grid[:, None]) for law in laws]))).max(axis=0) / step
    before, after = grid[:-1] - _BESIDE * step, grid[1:] + _BESIDE * step
    apart = np.searchsorted(edges, before) == np.searchsorted(edges, after)
    return 0.5 * (grid[1:] + grid[:-1]), np.where(apart & np.isfinite(slopes), slopes, 0.0)


def steep_panels(
    slopes: Slopes, edges: Array, widest: float, width: float, most: float
) -> tuple[Array, Array]:
    """Nodes and weights of panels on which laws change little against a width; over all places of the slopes.

    Beside edges, where roots stand, the square of the distance is the parameter.

    Raises
    ------
    UnsupportedExpression
        If nodes would be more than `most`.
    """
    from scipy.ndimage import maximum_filter1d  # slow to load

    cells, steepest = slopes
    step = cells[1] - cells[0]
    panels = np.maximum(1 / widest, maximum_filter1d(steepest, round(2 * _NEAR / step)) / width / _CHANGE)
    count = np.cumsum(panels) * step
    if count[-1] * _LINE > most:
        raise UnsupportedExpression(_TOO_STEEP)
    low, high = cells[0] - 0.5 * step, cells[-1] + 0.5 * step
    inner = edges[(edges > low) & (edges < high)]
    ends = np.concatenate([np.interp(np.arange(1, count[-1]), count, cells), inner - _NEAR, inner + _NEAR])
    ends = ends[(ends > low) & (ends < high)]
    ends = ends[np.abs(ends[:, None] - inner).min(axis=1, initial=np.inf) > _SAME]  # beside the next edge
    ends = np.unique(np.concatenate([[low, high], ends]))
    return divided(ends, inner, _LINE, turned=True)


@dataclass(frozen=True, kw_only=True)
class LineRule(Rule):
    """Of one coordinate.

    Attributes
    ----------
    edges : ndarray
        Where the law has kinks or jumps.
    """

    edges: Array
    dimension = 1
    rows = 1000
    rare = 1e-23
    steep_as = 0.2
    label_step = (0.25, 0.15)
    label_reach = (8.6, 8.6)

    def points(self, size: float, width: float, level: int, most: float) -> tuple[Array, Array]:
        """Those of `steep_panels`, narrower ones for a width `size`."""
        cells, slopes = self._slopes
        inside, likely = np.abs(cells) < _REACH, np.abs(cells) < _LIKELY
        widest = _WIDTH[level] * min(1.0, size / _SMALL)
        places = cells[inside], np.where(likely, slopes, 0.0)[inside]
        w, weights = steep_panels(places, self.edges, widest, width, most)
        p = weights * np.exp(-0.5 * w * w) / math.sqrt(2 * math.pi)
        return w[p > self.rare, None], p[p > self.rare]

    def around(self, factor: Array, width: float) -> Callable[[Array], Nodes]:
        """Panels for each omega."""
        size, (cells, slopes) = float(factor[0, 0]), self._slopes

        def near(omega: Array) -> Nodes:
            place = omega[:, 0]
            low, high = float(place.min()) - _LIKELY * size, float(place.max()) + _LIKELY * size
            steepest = slopes[(cells > low) & (cells < high)].max(initial=0.0)
            refine = max(1, math.ceil(steepest * size * _WIDTH[0] / width / _CHANGE))
            if refine > _STEEPEST:
                raise UnsupportedExpression(_TOO_STEEP)
            w, p = windows(self.edges, place, size * size, level=0, refine=refine)
            kept = p > 0
            row = np.repeat(np.arange(len(place)), kept.sum(axis=1))
            w = w[kept]
            return row, w[:, None], ((w - place[row]) / size)[:, None], p[kept]

        return near

    @functools.cached_property
    def _slopes(self) -> Slopes:
        return slopes_of(self.laws, self.edges, -_FARTHEST, _FARTHEST)


def points_between(breaks: Breaks, size: float, level: int, *, steepest: float = 0.0) -> tuple[Array, Array]:
    """Points (n, 2) and probabilities of N(0, I) off breaks, close enough for a width `size`."""
    wide = max(_CELL / (_DENSE[level] * size), steepest)
    least = _LEAST_NODES[level] if breaks.curves else 6
    return breaks.rule(max(least, math.ceil(6 * wide)))


@dataclass(frozen=True, kw_only=True)
class PlaneRule(Rule):
    """Of two coordinates.

    Attributes
    ----------
    breaks : Breaks
        The lines and curves where the law has kinks or jumps.
    """

    breaks: Breaks
    dimension = 2
    rows = 250
    rare = 1e-17
    steep_as = 0.5
    label_step = (0.6, 0.4)
    label_reach = (6.5, 8.0)

    def points(self, size: float, width: float, level: int, most: float) -> tuple[Array, Array]:
        """Of all cells."""
        if self.is_too_steep(width, level, most):
            raise UnsupportedExpression(_TOO_STEEP)
        points, p = points_between(self.breaks, size, level, steepest=self._steepest(width, level))
        return points[p > self.rare], p[p > self.rare]

    def is_too_steep(self, width: float, level: int, most: float) -> bool:
        """Whether `points` would be more than `most`."""
        return (6 * self._steepest(width, level) * (len(TICKS) - 1)) ** 2 > most

    def _steepest(self, width: float, level: int) -> float:
        return self._slope / width * _CELL / (_DENSE[level] * 1.5)

    def around(self, factor: Array, width: float) -> Callable[[Array], Nodes]:
        """Columns for each omega, along no line and divided at the breaks."""
        size = float(np.linalg.norm(factor, 2))
        refine = max(1, math.ceil(self._slope / width * size * 2 * _PLANE_REACH / _PANELS / _PLANE_CHANGE))
        if refine > _MOST_REFINED:
            raise UnsupportedExpression(
                f"the noise in the label is too small for quadrature ({refine} divisions of a panel)"
            )
        breaks = self.breaks
        ticks = np.linspace(-_PLANE_REACH, _PLANE_REACH, _PANELS * refine + 1)
        turn = np.stack(breaks.axes(breaks.lines[:, :2] @ factor), 1)
        frame = factor @ turn
        along = frame[:, 1] / np.linalg.norm(frame[:, 1])
        across = np.array([along[1], -along[0]])
        stretch = float(across @ frame[:, 0])
        changes = breaks.changes(across, along, _PLANE_REACH) / stretch

        def near(omega: Array) -> Nodes:
            centres = omega @ across / stretch
            x, weights = divided(ticks, changes - centres[:, None], _PLANE, turned=breaks.turned)
            row, column = np.nonzero(weights)
            x, weights = x[row, column], weights[row, column]
            starts = omega[row] + x[:, None] * frame[:, 0]
            walls, _ = breaks.meetings(starts, frame[:, 1], _PLANE_REACH, _LOOKED_AT)
            t, inner = divided(ticks, walls, _PLANE)
            k, place = np.nonzero(inner)
            x, t = x[k], t[k, place]
            p = weights[k] * inner[k, place] * np.exp(-0.5 * (x * x + t * t)) / (2 * math.pi)
            return row[k], starts[k] + t[:, None] * frame[:, 1], np.stack([x, t], axis=1) @ turn.T, p

        return near

    @functools.cached_property
    def _slope(self) -> float:
        """The steepest change of the laws, typically, per unit of w."""
        rng = np.random.default_rng(0)
        w, step = rng.standard_normal((512, 2)), 1e-3
        directions = rng.standard_normal((512, 2))
        directions *= step / np.linalg.norm(directions, axis=1, keepdims=True)
        changes = [np.abs(law(w + directions) - law(w - directions)) for law in self.laws]
        return float(np.quantile(np.max(changes, axis=0), 0.95)) / (2 * step)
