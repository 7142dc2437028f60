"""Labels F(h) of two coordinates with F constant between many places: all points of h between two of them.

The law of h is a quadrature over its level curves, between the places of F too: the curves between two of
these are the points of one label. Floors are taken as they stand, at the integers that h reaches within 8
standard deviations. Labels of few values have regions, which resolve their borders better.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from sympy import Expr, Symbol

from hermite_analytics.errors import UnsupportedExpression
from hermite_analytics.foundation.numpy_arrays import Array
from hermite_analytics.label.cases.added_noise import AddedNoise
from hermite_analytics.label.cases.found import Found
from hermite_analytics.label.cases.plane.case import plane_case
from hermite_analytics.label.cases.plane.patches import spread_points
from hermite_analytics.label.cases.plane.plane import PlaneChannel
from hermite_analytics.label.cases.sampled.solved import SolvedChannel, solved_channel
from hermite_analytics.label.cases.space.case import surfaces_of
from hermite_analytics.label.cases.values.noisy import under_noise
from hermite_analytics.label.function_of_points import function_of_points
from hermite_analytics.label.moments import LabelMoments
from hermite_analytics.label.nodes import LabelNodes
from hermite_analytics.label.quadrature import LabelQuadrature
from hermite_analytics.label.reduction.one_value import OneValue, at_places, one_value, told_apart
from hermite_analytics.label.reduction.problem import Problem
from hermite_analytics.language.kinks import STAIRS
from hermite_analytics.symbols import xi

__all__ = ["SteppedChannel", "stepped_label", "stepped_space"]


_FEW, _MOST = 8, 256  # places of F
_SAME = 1e-12
_LONGEST, _NODES = (2.0, 1.5), (5, 7)  # sides, in widths, and nodes of a rule where h is constant, by level

_STEPS = (0.4, 0.25)  # of y: between two values of the label its law given y has poles, near for little noise


@dataclass(frozen=True)
class SteppedChannel:
    """y = F(h(w1, w2)), F constant between its places, and noise that is added.

    Attributes
    ----------
    curves : PlaneChannel
        The law of h, with the places of F among its singular labels.
    places : ndarray, shape (n,)
        Of F, increasing.
    values : ndarray, shape (n + 1,)
        Of F: below, between and above them.
    outer : OneValue
        F.
    value : function of points, shape (..., 2)
        The label; with noise xi is a third coordinate.
    noise : AddedNoise or None
    """

    curves: PlaneChannel
    places: Array
    values: Array
    outer: OneValue
    value: Callable[[Array], Array]
    noise: AddedNoise | None = None
    dimension = 2

    @property
    def exact_share(self) -> float:
        """0: labels of positive probability never determine a direction."""
        return 0.0

    @cached_property
    def _drawn(self) -> SolvedChannel:
        hidden = int(self.noise is not None)
        return solved_channel(self.value, 2 + hidden, hidden=hidden)

    def _on_curves(self, h: Array) -> Array:
        """The label where h varies."""
        return self.values[np.searchsorted(self.places, h)]

    def _where_constant(self, h: Array) -> Array:
        """The label where h is constant: beside a place of F, but for rounding, h is the place."""
        y = self.outer.at(at_places(h, self.places))
        same = self.values[np.abs(y[:, None] - self.values).argmin(1)]
        return np.where(np.abs(y - same) <= _SAME * np.maximum(1.0, np.abs(y)), same, y)

    def at(self, labels: Array) -> LabelMoments:
        """The labels of a data set, shape (n,), by averages over draws."""
        return self._drawn.at(labels)

    def label_nodes(self, level: int = 1, size: float = 1.0) -> LabelNodes:
        """Labels with points close enough along curves for N(omega, V) of a width `size`; levels 0 and 1.

        Across them the curves of a level are the same at every size: a width that is small beside the
        distance of the places of F shows as a difference of the levels, before the finer one is off.
        """
        nodes = self.curves.label_nodes(level, size)
        y = [np.repeat(self._on_curves(nodes.labels), np.diff(nodes.starts))]
        points, masses = [nodes.points], [nodes.masses]
        for corners, value in self._constant():
            inside, p = spread_points(corners, _LONGEST[level] * size, _NODES[level])
            for turn in self.curves.sector.group():
                points.append(inside @ turn.T)
                masses.append(p)
                y.append(np.full(len(p), value))
        labels, owner = np.unique(np.concatenate(y), return_inverse=True)
        order = np.argsort(owner, kind="stable")
        return LabelNodes(
            labels=labels,
            starts=np.concatenate([[0], np.cumsum(np.bincount(owner))]).astype(np.int64),
            points=np.concatenate(points)[order],
            masses=np.concatenate(masses)[order],
            defect=nodes.defect,
            seen=None if self.noise is None else self.noise.law(labels, level),
        )

    def _constant(self) -> Iterator[tuple[Array, float]]:
        """(quadrilaterals, shape (p, 4, 2), in the sector of the curves, the label), where h is constant."""
        flat = [s.flat for s in self.curves.sides]
        corners = np.concatenate([f.corners for f in flat])
        y = self._where_constant(np.concatenate([f.coefficients[:, 0, 0] for f in flat]))
        for value in np.unique(y):
            yield corners[y == value], float(value)

    def quadrature(self, level: int = 1) -> LabelQuadrature:
        """The law of the label as a finite sum; levels 0, 1 and 2."""
        (atoms, at_atoms), (h, on_curves) = self.curves.atoms(), self.curves.sums(level)
        y = np.concatenate([self._where_constant(atoms), self._on_curves(h)])
        labels, owner = np.unique(y, return_inverse=True)
        moments = np.zeros((len(labels), 6))
        np.add.at(moments, owner, np.concatenate([at_atoms, on_curves]))
        found = LabelQuadrature.of_sums(moments)
        if self.noise is None:
            return found
        return under_noise(labels[moments[:, 0] > 0], found, self.noise.deviation, level=max(level - 1, 0))


def stepped_label(problem: Problem) -> Found | None:
    """None of labels of another form, of few values or too many, or where the law of h is not found.

    Examples
    --------
    >>> import sympy
    >>> from hermite_analytics.language.functions import floor
    >>> w1, w2 = sympy.symbols("w1 w2", real=True)
    >>> found = stepped_label(Problem(signal=floor(3 * w1 * w2), unknown=(w1, w2), known=())).kind
    >>> nodes = found.label_nodes(0)
    >>> np.unique(np.diff(nodes.labels)).tolist(), bool(abs(nodes.masses.sum() - 1) < 1e-6)
    ([1.0], True)
    """
    if len(problem.unknown) != 2 or problem.noise is None or problem.known:
        return None
    first, second = problem.unknown
    noise = AddedNoise(deviation=abs(float(problem.noise)), steps=_STEPS) if problem.noise != 0 else None
    outer = one_value(problem.signal.subs(xi, 0), problem.unknown)
    if outer is None or not (outer.is_endless or len(outer.places(-np.inf, np.inf)) > _FEW):
        return None
    curves = _curves_of(outer.inner, (first, second))
    steps = None if curves is None else _steps(outer, curves.singular)
    if curves is None or steps is None:
        return None
    places, values = steps
    apart = [p for p in places if np.abs(curves.singular - p).min() > _SAME * max(1.0, abs(p))]
    singular = np.sort(np.append(curves.singular, apart))
    is_odd = curves.odd is not None and np.allclose(singular, -singular[::-1], rtol=_SAME, atol=_SAME)
    case = SteppedChannel(
        curves=replace(curves, singular=singular, odd=curves.odd if is_odd else None),
        places=places,
        values=values,
        outer=outer,
        value=function_of_points(problem.signal, (*problem.unknown, *((xi,) if noise else ()))),
        noise=noise,
    )
    return Found(case, problem.unknown)


def stepped_space(problem: Problem) -> Found | None:
    """Floors of one value of three coordinates, by the level surfaces of that value between two places."""
    if len(problem.unknown) != 3 or problem.known or problem.noise != 0 or not problem.signal.has(*STAIRS):
        return None
    surfaces = surfaces_of(problem.signal, problem.unknown)
    if surfaces is None:
        return None
    value = function_of_points(problem.signal, problem.unknown)
    return Found(solved_channel(value, 3, surfaces=surfaces), problem.unknown)


def _curves_of(inner: Expr, coordinates: tuple[Symbol, Symbol]) -> PlaneChannel | None:
    """The law of h, where it has one; None where parts of it depend on known coordinates."""
    try:
        curves = plane_case(inner, coordinates)
    except UnsupportedExpression:
        return None
    if curves is None or not len(curves.singular) or any(s.conditions for s in curves.sides):
        return None
    return curves


def _steps(outer: OneValue, singular: Array) -> tuple[Array, Array] | None:
    """The places of F inside the labels of h and its values between them; None of few and too many."""
    places = outer.places(float(singular[0]), float(singular[-1]))
    if not _FEW < len(places) <= _MOST:
        return None
    ends = np.concatenate([singular[:1], places, singular[-1:]])
    values = told_apart(outer.at(0.5 * (ends[1:] + ends[:-1])))
    changes = np.diff(values) != 0
    return (places[changes], values[np.append(True, changes)]) if changes.any() else None
