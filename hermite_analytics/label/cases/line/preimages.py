"""All preimages of labels along a coordinate: E over labels by panels in the coordinate itself.

    E[h | y] = sum_i p_i h_i / sum_i p_i,   p_i = density(z_i)/|g'(z_i)| over the preimages z_i of y,
    E[F(y)] = int density(z) F(g(z)) dz,

so the density of the label, singular at critical values, is never integrated. Panels end at critical points,
kinks and inflections without slope, and at the other preimages of their values, where F has roots or
logarithms; the double exponential rule takes those. Each value of an independent discrete variable in the
label is a further *sheet* with its probability. E[G(w) G(y)] = E[G(y)^2] is checked by the rule: a preimage
that was lost breaks it.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hermite_analytics.errors import UnsupportedExpression
from hermite_analytics.foundation.clock import check_time
from hermite_analytics.label.cases.line.branch import Branch, is_same_label
from hermite_analytics.label.cases.line.coordinate import GAUSSIAN, Coordinate
from hermite_analytics.label.cases.line.functions import Along, full_function
from hermite_analytics.label.cases.line.numeric_pieces import NumericPiece, between, distinct, on_panels
from hermite_analytics.label.nodes import LabelNodes
from hermite_analytics.label.quadrature import LabelQuadrature

__all__ = [
    "NO_WEIGHT",
    "LabelSheet",
    "PanelRule",
    "PreimageNodes",
    "columns",
    "label_quadrature",
    "monotone_pieces",
    "preimage_nodes",
]

Array = NDArray[np.float64]
Integers = NDArray[np.int64]
Rows = tuple[NDArray[np.bool_], Array, Array]  # which labels a piece takes, their points, the slopes there

NO_WEIGHT = -1e300  # the logarithm of a weight that is 0
_BESIDE = 1e-9
_LEAST_SLOPE = 1e-290
_NOTHING = np.zeros(0)
_SEEN, _UNSEEN = 1e-6, 1e-13  # of what all labels tell, by every second node: all nodes are off by its square
_HALVINGS = 6
_ATOM = 56, 2.5  # nodes of a panel of a flat piece, and its width


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
        value, slope = full_function(function.value), full_function(function.slope)
        return cls(
            probability=probability, value=value, slope=slope, pieces=pieces, first=first, second=second
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
    """

    nodes: int
    widest: float
    narrow: float
    negligible: float


@dataclass(frozen=True, slots=True, kw_only=True)
class PreimageNodes:
    """A quadrature over labels that are no atoms, with all their preimages, k at the most.

    Attributes
    ----------
    place : ndarray, shape (n,)
        The coordinate itself at the nodes.
    labels : ndarray, shape (n,)
        The label there, which is that of all points of the row.
    weights : ndarray, shape (n,)
        Sum to the probability of such labels.
    own : ndarray of int, shape (n,)
        The column in which the place itself stands.
    points, log_weights : ndarray, shape (n, k)
        Preimages w_i and log(probability of the sheet/|g'(w_i)|); filled with weight 0.
    sheet : ndarray of int, shape (k,)
        The sheet of each column.
    """

    place: Array
    labels: Array
    weights: Array
    own: Integers
    points: Array
    log_weights: Array
    sheet: Integers

    @property
    def present(self) -> NDArray[np.bool_]:
        """Where there is a preimage."""
        return self.log_weights > NO_WEIGHT / 2

    def of(self, rows: NDArray[np.bool_], probability: float) -> PreimageNodes:
        """Some rows, with a probability beside that of the label."""
        return dataclasses.replace(
            self,
            place=self.place[rows],
            labels=self.labels[rows],
            weights=probability * self.weights[rows],
            own=self.own[rows],
            points=self.points[rows],
            log_weights=self.log_weights[rows],
        )

    def label_nodes(self, share: float) -> LabelNodes:
        """The same by labels: the label of each place has its weight, and all preimages their part of it.

        Parameters
        ----------
        share : float
            What the weights should sum to.
        """
        present = self.present
        logs = np.where(present, self.log_weights - 0.5 * self.points**2, -np.inf)
        parts = np.exp(logs - logs.max(axis=1, keepdims=True, initial=NO_WEIGHT))
        parts *= (self.weights / parts.sum(axis=1))[:, None]
        return LabelNodes(
            labels=self.labels,
            starts=np.concatenate([[0], np.cumsum(present.sum(axis=1))]).astype(np.int64),
            points=self.points[present][:, None],
            masses=parts[present],
            defect=abs(float(self.weights.sum()) - share),
        )


def preimage_nodes(
    sheets: Sequence[LabelSheet],
    rule: PanelRule,
    *,
    mirror: Sequence[int] = (),
    cuts: Sequence[float] = (),
) -> PreimageNodes:
    """Panels between the preimages of critical values, of a Gaussian coordinate.

    Parameters
    ----------
    sheets : sequence of LabelSheet
    rule : PanelRule
    mirror : sequence of int
        The sheet with g_s(-w) as its label, for each of them: places are on one side then.
    cuts : sequence of float
        Further places at which panels end.
    """
    parts = list(_parts(sheets, rule, GAUSSIAN, mirror=mirror, cuts=cuts))
    if not parts:
        raise UnsupportedExpression("the label is constant on pieces whose ends rounding hides")
    tables = [columns(part.found, sheets, mirror) for part in parts]
    return PreimageNodes(
        place=np.concatenate([part.place for part in parts]),
        labels=np.concatenate([part.labels for part in parts]),
        weights=np.concatenate([part.weights for part in parts]),
        own=np.concatenate([np.full(len(part.place), part.column) for part in parts]),
        points=np.concatenate([points for points, _, _ in tables]),
        log_weights=np.concatenate([log_weights for _, log_weights, _ in tables]),
        sheet=tables[0][2],
    )


def label_quadrature(
    sheets: Sequence[LabelSheet], rule: PanelRule, coordinate: Coordinate = GAUSSIAN
) -> tuple[LabelQuadrature, float]:
    """(the law of the label as a finite sum, a bound on what lost preimages and the rule have cost).

    The directions are those of `Coordinate.moments`. The defect is that of the mass and of
    E[G(w) G(y)] = E[G(y)^2], relative.
    """
    weights, first, second, power = [], [], [], 0.0
    for part in _parts(sheets, rule, coordinate):
        sheet = sheets[part.found[part.column][0]]
        _, own = coordinate.moments(part.place, sheet.first, sheet.second)
        weights.append(part.weights)
        first.append(part.first)
        second.append(part.second)
        power += float(part.weights @ (own * part.second).sum((1, 2)))
    for probability, m1, m2 in _atoms(sheets, coordinate):
        weights.append(np.array([probability]))
        first.append(m1[None])
        second.append(m2[None])
        power += probability * float((m2 * m2).sum())
    found = LabelQuadrature(
        weights=np.concatenate(weights), first=np.concatenate(first), second=np.concatenate(second)
    )
    whole = float(np.sum(found.weights[:, None, None] * found.second**2))
    defect = abs(power - whole) / whole if whole else 0.0
    return found, max(found.mass_defect, defect)


def monotone_pieces(
    sheets: Sequence[LabelSheet], mirror: Sequence[int] = ()
) -> list[tuple[int, LabelSheet, NumericPiece]]:
    """The pieces with a slope and their sheets; of those that are mirrored those on one side."""
    rows = [(k, s, p) for k, s in enumerate(sheets) for p in s.pieces if p.slope]
    return [row for row in rows if not mirror or row[2].low >= -_BESIDE]


def columns(
    found: Sequence[tuple[int, Rows]], sheets: Sequence[LabelSheet], mirror: Sequence[int] = ()
) -> tuple[Array, Array, Integers]:
    """(points, log weights, sheets), shapes (n, k) twice and (k,), from each piece and those mirrored."""
    count = len(found[0][1][0]) if found else 0
    points, weights = np.zeros((len(found), count)), np.full((len(found), count), NO_WEIGHT)
    index = np.array([k for k, _ in found], dtype=np.int64)
    for place, (k, (inside, roots, slopes)) in enumerate(found):
        points[place, inside] = roots
        weights[place, inside] = np.log(sheets[k].probability) - np.log(np.maximum(slopes, _LEAST_SLOPE))
    if mirror:
        points, weights = np.concatenate([points, -points]), np.concatenate([weights, weights])
        index = np.concatenate([index, np.asarray(mirror, dtype=np.int64)[index]])
    return points.T, weights.T, index


class _Part(NamedTuple):
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

    def of(self, rows: NDArray[np.bool_]) -> _Part:
        """Some of the nodes."""
        found = [
            (k, (inside[rows], points[rows[inside]], slopes[rows[inside]]))
            for k, (inside, points, slopes) in self.found
        ]
        return _Part(
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


def _parts(
    sheets: Sequence[LabelSheet],
    rule: PanelRule,
    coordinate: Coordinate,
    *,
    mirror: Sequence[int] = (),
    cuts: Sequence[float] = (),
) -> Iterator[_Part]:
    """The nodes on each monotone piece.

    Panels on which every second node tells of another amount of information are halved.
    """
    branches = [(k, s, Branch.of(s.value, s.slope, p)) for k, s, p in monotone_pieces(sheets, mirror)]
    # the outermost ends too: a label with a limit there has preimages that leave through them
    ends = [v for s in sheets for p in s.pieces for v in (p.at_low, p.at_high)]
    critical = distinct([*ends, *(place.label for _, _, b in branches for place in b.slow)])
    widest = rule.narrow if any(b.slow for _, _, b in branches) else rule.widest

    def panels(column: int, ends: Array) -> _Panels:
        z, w = on_panels(ends, rule.nodes)
        piece = branches[column][2].piece
        # off the ends, where slopes may be infinite
        z = np.clip(z, np.nextafter(piece.low, piece.high), np.nextafter(piece.high, piece.low))
        w = (2 if mirror else 1) * branches[column][1].probability * w * np.exp(coordinate.log_density(z))
        return _Panels(column=column, ends=ends, place=z, weights=w)

    left = [
        panels(column, own.panels(critical, widest=widest, cuts=cuts))
        for column, (_, _, own) in enumerate(branches)
    ]
    least = rule.negligible * sum(float(p.weights.sum()) for p in left)
    allowed: float | None = None
    for depth in range(_HALVINGS + 1):
        made, told = [], []
        for found in left:
            part, kept = _part(branches, found, least, coordinate)
            made.append((found, part, kept))
            told.append(_told(found.weights, part, kept))
        if allowed is None:
            allowed = _SEEN * sum(float(fine.sum()) for fine, _ in told) + _UNSEEN
        left = []
        for (found, part, kept), (fine, coarse) in zip(made, told, strict=True):
            rough = (np.abs(fine - coarse) > allowed) & (depth < _HALVINGS)
            smooth = part.of(~np.repeat(rough, found.place.shape[1])[kept.ravel()])
            if len(smooth.place):
                yield smooth
            if rough.any():
                low, high = found.ends[rough].T
                middle = 0.5 * (low + high)
                halves = np.stack([low, middle, middle, high], axis=1).reshape(-1, 2)
                left.append(panels(found.column, halves))
        if not left:
            return


def _part(
    branches: Sequence[tuple[int, LabelSheet, Branch]], panels: _Panels, least: float, coordinate: Coordinate
) -> tuple[_Part, NDArray[np.bool_]]:
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
        p = chances / np.maximum(slopes, _LEAST_SLOPE)
        one, two = coordinate.moments(points, other.first, other.second)
        total[inside] += p
        first[inside] += p[:, None] * one
        second[inside] += p[:, None, None] * two
    safe = np.where(total > 0, total, 1.0)
    part = _Part(
        place=z,
        labels=labels,
        weights=panels.weights[kept],
        column=panels.column,
        found=found,
        first=first / safe[:, None],
        second=second / safe[:, None, None],
    )
    return part, kept


def _told(weights: Array, part: _Part, kept: NDArray[np.bool_]) -> tuple[Array, Array]:
    """Sum of |E[w | y]|^2 + |E[w w^T - I | y]|^2 over each panel, by all of its nodes and by every second."""
    told = np.zeros(weights.shape)
    told[kept] = (part.first**2).sum(1) + (part.second**2).sum((1, 2))
    told *= weights
    return told.sum(1), 2 * told[:, ::2].sum(1)


def _atoms(sheets: Sequence[LabelSheet], coordinate: Coordinate) -> list[tuple[float, Array, Array]]:
    """(probability, moments given y) of each label that is taken on a set of positive measure."""
    flat = [(p.at_low, s, p) for s in sheets for p in s.pieces if p.slope == 0]
    nodes, widest = _ATOM
    result = []
    for value in distinct([v for v, _, _ in flat]):
        mass, m1, m2 = 0.0, np.zeros(1), np.zeros(1)
        for v, sheet, piece in flat:
            if is_same_label(v, value):
                z, w = between([piece.low, piece.high], nodes=nodes, widest=widest)
                p = sheet.probability * w * np.exp(coordinate.log_density(z))
                one, two = coordinate.moments(z, sheet.first, sheet.second)
                mass = mass + p.sum()
                m1 = m1 + p @ one
                m2 = m2 + np.tensordot(p, two, 1)
        if mass > 0:
            result.append((float(mass), np.asarray(m1 / mass), np.asarray(m2 / mass)))
    return result
