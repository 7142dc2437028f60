"""All preimages of labels along a coordinate: E over labels by panels in the coordinate itself.

    E[h | y] = sum_i p_i h_i / sum_i p_i,   p_i = density(z_i)/|g'(z_i)| over the preimages z_i of y,
    E[F(y)] = int density(z) F(g(z)) dz,

so the density of the label, singular at critical values, is never integrated. The nodes are those of
`sheet_panels`. E[G(w) G(y)] = E[G(y)^2] is checked by the rule: a preimage that was lost breaks it.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hermite_analytics.errors import UnsupportedExpression
from hermite_analytics.foundation.numpy_arrays import Array, Bools, Integers
from hermite_analytics.label.cases.line.branch import is_same_label
from hermite_analytics.label.cases.line.coordinate import GAUSSIAN, Coordinate
from hermite_analytics.label.cases.line.numeric_pieces import between, distinct
from hermite_analytics.label.cases.line.sheet_panels import (
    LEAST_SLOPE,
    LabelSheet,
    PanelRule,
    Rows,
    parts_of,
)
from hermite_analytics.label.nodes import LabelNodes
from hermite_analytics.label.quadrature import LabelQuadrature

__all__ = [
    "NO_WEIGHT",
    "PreimageNodes",
    "columns",
    "label_quadrature",
    "preimage_nodes",
]

NO_WEIGHT = -1e300  # the logarithm of a weight that is 0
_ATOM = 56, 2.5  # nodes of a panel of a flat piece, and its width


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
    def present(self) -> Bools:
        """Where there is a preimage."""
        return self.log_weights > NO_WEIGHT / 2

    def of(self, rows: Bools, probability: float) -> PreimageNodes:
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
    parts = list(parts_of(sheets, rule, GAUSSIAN, mirror=mirror, cuts=cuts))
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
    for part in parts_of(sheets, rule, coordinate):
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


def columns(
    found: Sequence[tuple[int, Rows]], sheets: Sequence[LabelSheet], mirror: Sequence[int] = ()
) -> tuple[Array, Array, Integers]:
    """(points, log weights, sheets), shapes (n, k) twice and (k,), from each piece and those mirrored."""
    count = len(found[0][1][0]) if found else 0
    points, weights = np.zeros((len(found), count)), np.full((len(found), count), NO_WEIGHT)
    index = np.array([k for k, _ in found], dtype=np.int64)
    for place, (k, (inside, roots, slopes)) in enumerate(found):
        points[place, inside] = roots
        weights[place, inside] = np.log(sheets[k].probability) - np.log(np.maximum(slopes, LEAST_SLOPE))
    if mirror:
        points, weights = np.concatenate([points, -points]), np.concatenate([weights, weights])
        index = np.concatenate([index, np.asarray(mirror, dtype=np.int64)[index]])
    return points.T, weights.T, index


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
