"""Panels of nodes on the monotone pieces of a label, halved until what labels tell is seen.

Each node has its label, the points of all pieces at which the label is the same, and the moments of the
directions given it. Panels end at critical points, kinks and inflections without slope, and at the other
preimages of their values, where the law given the label has roots or logarithms; the double exponential rule
takes those. Each value of an independent discrete variable in the label is a further *sheet*.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from hermite_analytics.foundation.clock import check_time
from hermite_analytics.foundation.numpy_arrays import Array, Bools
from hermite_analytics.label.cases.line.branch import Branch
from hermite_analytics.label.cases.line.coordinate import Coordinate
from hermite_analytics.label.cases.line.functions import Along
from hermite_analytics.label.cases.line.numeric_pieces import NumericPiece, distinct, on_panels

__all__ = ["LEAST_SLOPE", "LabelSheet", "PanelRule", "Part", "Rows", "monotone_pieces", "parts_of"]

Rows = tuple[Bools, Array, Array]  # which labels a piece takes, their points, the slopes there

LEAST_SLOPE = 1e-290
_BESIDE = 1e-9
_NOTHING = np.zeros(0)
_ROUNDING = 1e-13  # of what labels tell
_HALVINGS = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelSheet:
    """The label along the coordinate, for one value of the discrete variable.

    Attributes
    ----------
    probability : float
    value, slope : functions of an array
    pieces : tuple of NumericPiece
        On which the label is monotone or constant.
    first : ndarray, shape (p,)
    second : ndarray, shape (p, p)
        E[v] and E[v v^T - I] of the p discrete coordinates v on the sheet.
    """

    probability: float
    value: Callable[[Array], Array]
    slope: Callable[[Array], Array]
    pieces: tuple[NumericPiece, ...]
    first: Array
    second: Array

    @classmethod
    def of(
        cls,
        function: Along,
        pieces: tuple[NumericPiece, ...],
        probability: float = 1.0,
        first: Array = _NOTHING,
        second: Array = _NOTHING[:, None],
    ) -> LabelSheet:
        """Of a compiled function."""
        return cls(
            probability=probability,
            value=function.value,
            slope=function.slope,
            pieces=pieces,
            first=first,
            second=second,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class PanelRule:
    """How fine a rule along the coordinate is.

    Attributes
    ----------
    nodes : int
        Of the double exponential rule on a panel.
    widest, narrow : float
        The width of a panel, and where some place is slow: the law of the label turns quickly beside it.
    negligible : float
        Share of the probability of all nodes that one is left out for: labels that are no atoms may be rare.
    coarser : float
        Share of what all labels tell that every second node of a panel may miss or add; panels of which it
        is more are halved. What all of its nodes do is about the square.
    """

    nodes: int
    widest: float
    narrow: float
    negligible: float
    coarser: float


def monotone_pieces(
    sheets: Sequence[LabelSheet], mirror: Sequence[int] = ()
) -> list[tuple[int, LabelSheet, NumericPiece]]:
    """The pieces with a slope and their sheets; of those that are mirrored those on one side."""
    rows = [(k, s, p) for k, s in enumerate(sheets) for p in s.pieces if p.slope]
    return [row for row in rows if not mirror or row[2].low >= -_BESIDE]


class Part(NamedTuple):
    """Nodes on the monotone piece of this column, with the points of all pieces that have their labels.

    `first`, `second`: moments of the directions given the label.
    """

    place: Array
    labels: Array
    weights: Array
    column: int
    found: list[tuple[int, Rows]]
    first: Array
    second: Array

    def of(self, rows: Bools) -> Part:
        """Some of the nodes."""
        found = [
            (k, (inside[rows], points[rows[inside]], slopes[rows[inside]]))
            for k, (inside, points, slopes) in self.found
        ]
        return Part(
            place=self.place[rows],
            labels=self.labels[rows],
            weights=self.weights[rows],
            column=self.column,
            found=found,
            first=self.first[rows],
            second=self.second[rows],
        )


class _Panels(NamedTuple):
    """Panels on one piece: their ends, shape (p, 2), and places and weights of nodes, shape (p, n)."""

    column: int
    ends: Array
    place: Array
    weights: Array


def parts_of(
    sheets: Sequence[LabelSheet],
    rule: PanelRule,
    coordinate: Coordinate,
    *,
    mirror: Sequence[int] = (),
    cuts: Sequence[float] = (),
) -> Iterator[Part]:
    """The nodes on each monotone piece.

    Panels on which every second node tells of another amount of information are halved.
    """
    branches = [(k, s, Branch.of(s.value, s.slope, p)) for k, s, p in monotone_pieces(sheets, mirror)]
    # the outermost ends too: a label with a limit there has preimages that leave through them
    ends = [v for s in sheets for p in s.pieces for v in (p.at_low, p.at_high)]
    critical = distinct([*ends, *(place.label for _, _, b in branches for place in b.slow)])
    widest = rule.narrow if any(b.slow for _, _, b in branches) else rule.widest

    panels = functools.partial(_panels, branches, rule.nodes, coordinate, 2 if mirror else 1)
    left = [
        panels(column, own.panels(critical, widest=widest, cuts=cuts))
        for column, (_, _, own) in enumerate(branches)
    ]
    least = rule.negligible * sum(float(p.weights.sum()) for p in left)
    allowed: float | None = None
    for depth in range(_HALVINGS + 1):
        made = [(found, *_part(branches, found, least, coordinate)) for found in left]
        told = [_told(found.weights, part, kept) for found, part, kept in made]
        if allowed is None:
            allowed = rule.coarser * sum(float(fine.sum()) for fine, _ in told) + _ROUNDING
        left = []
        for (found, part, kept), (fine, coarse) in zip(made, told, strict=True):
            rough = (np.abs(fine - coarse) > allowed) & (depth < _HALVINGS)
            smooth = part.of(~np.repeat(rough, found.place.shape[1])[kept.ravel()])
            if len(smooth.place):
                yield smooth
            if rough.any():
                left.append(panels(found.column, _halves(found.ends[rough])))


def _panels(
    branches: Sequence[tuple[int, LabelSheet, Branch]],
    nodes: int,
    coordinate: Coordinate,
    times: int,
    column: int,
    ends: Array,
) -> _Panels:
    """With weights that are so many times the probability."""
    _, sheet, own = branches[column]
    z, w = on_panels(ends, nodes)
    # off the ends of the piece, where slopes may be infinite
    low, high = own.piece.low, own.piece.high
    z = np.clip(z, np.nextafter(low, high), np.nextafter(high, low))
    w = times * sheet.probability * w * np.exp(coordinate.log_density(z))
    return _Panels(column=column, ends=ends, place=z, weights=w)


def _halves(ends: Array) -> Array:
    low, high = ends.T
    middle = 0.5 * (low + high)
    return np.stack([low, middle, middle, high], axis=1).reshape(-1, 2)


def _part(
    branches: Sequence[tuple[int, LabelSheet, Branch]], panels: _Panels, least: float, coordinate: Coordinate
) -> tuple[Part, Bools]:
    """(the nodes that are not negligible, which they are)."""
    _, sheet, own = branches[panels.column]
    kept = panels.weights > least
    z = panels.place[kept]
    labels = sheet.value(z)
    own_first, own_second = coordinate.moments(z, sheet.first, sheet.second)
    total, first, second = np.zeros(len(z)), np.zeros_like(own_first), np.zeros_like(own_second)
    found = []
    for k, other, branch in branches:
        check_time()
        inside, points, slopes = branch.roots(labels, own, z)
        found.append((k, (inside, points, slopes)))
        chances = other.probability * np.exp(coordinate.log_density(points))
        p = chances / np.maximum(slopes, LEAST_SLOPE)
        one, two = coordinate.moments(points, other.first, other.second)
        total[inside] += p
        first[inside] += p[:, None] * one
        second[inside] += p[:, None, None] * two
    safe = np.where(total > 0, total, 1.0)
    part = Part(
        place=z,
        labels=labels,
        weights=panels.weights[kept],
        column=panels.column,
        found=found,
        first=first / safe[:, None],
        second=second / safe[:, None, None],
    )
    return part, kept


def _told(weights: Array, part: Part, kept: Bools) -> tuple[Array, Array]:
    """Sum of |E[w | y]|^2 + |E[w w^T - I | y]|^2 over each panel, by all of its nodes and by every second."""
    told = np.zeros(weights.shape)
    told[kept] = (part.first**2).sum(1) + (part.second**2).sum((1, 2))
    told *= weights
    return told.sum(1), 2 * told[:, ::2].sum(1)
