"""Labels without noise along one coordinate, for each value of an independent discrete variable.

The law of (w, sheet) given y are the preimages of y with the weights of the coarea formula; flat pieces of
the label are atoms of y. Neither roots nor slopes depend on omega and V: they are found once.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from hermite_analytics.errors import InputError
from hermite_analytics.label.cases.line.branch import Branch
from hermite_analytics.label.cases.line.numeric_pieces import SAME, NumericPiece, distinct, point_of
from hermite_analytics.label.cases.line.sheet_moments import NEVER, Atom, Atoms, Preimages, SheetMoments
from hermite_analytics.label.nodes import LabelNodes

__all__ = ["LabelSheet", "PreimageNodes", "SheetChannel"]

Array = NDArray[np.float64]
Integers = NDArray[np.int64]

_NODES = (36, 56)  # of the double exponential rule on a panel, by level
_WIDEST = 1.25  # of a panel
_NEGLIGIBLE = 1e-19
_NO_WEIGHT = -1e300  # the logarithm of a weight that is 0
_NUDGES = (1e-14, 1e-12, 1e-10)  # relative, for labels rounded across a critical value
_BESIDE = 1e-9
_LEAST_SLOPE = 1e-150


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


@dataclass(frozen=True, slots=True, kw_only=True)
class PreimageNodes:
    """A quadrature over labels that are no atoms, with all their preimages.

    Attributes
    ----------
    place : ndarray, shape (n,)
        The coordinate itself at the nodes.
    labels : ndarray, shape (n,)
        The label there, which is that of all points of the row.
    weights : ndarray, shape (n,)
        Sum to the probability of such labels.
    points, log_weights, sheet : ndarray, shape (n, k)
        Preimages w_i, log(probability of the sheet/|g'(w_i)|) and index of the sheet; filled with weight 0.
    """

    place: Array
    labels: Array
    weights: Array
    points: Array
    log_weights: Array
    sheet: Integers

    @property
    def present(self) -> NDArray[np.bool_]:
        """Where there is a preimage."""
        return self.log_weights > _NO_WEIGHT / 2

    def of(self, rows: NDArray[np.bool_], probability: float) -> PreimageNodes:
        """Some rows, with a probability beside that of the label."""
        return PreimageNodes(
            place=self.place[rows],
            labels=self.labels[rows],
            weights=probability * self.weights[rows],
            points=self.points[rows],
            log_weights=self.log_weights[rows],
            sheet=self.sheet[rows],
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
        parts = np.exp(logs - logs.max(axis=1, keepdims=True, initial=_NO_WEIGHT))
        parts *= (self.weights / parts.sum(axis=1))[:, None]
        return LabelNodes(
            labels=self.labels,
            starts=np.concatenate([[0], np.cumsum(present.sum(axis=1))]).astype(np.int64),
            points=self.points[present][:, None],
            masses=parts[present],
            defect=abs(float(self.weights.sum()) - share),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class SheetChannel:
    """y = g_s(w) with w ~ N(omega, V) and an independent discrete s.

    Source: conditional law by the coarea formula, E[h(w) | y] = sum_i p_i h(w_i) / sum_i p_i with
    p_i = P(s_i) N(w_i; omega, V)/|g'_{s_i}(w_i)| over the preimages. With a `mirror`
    g_s(-w) = g_{mirror[s]}(w) and both sheets are as likely: the preimages are symmetric to the last digit.
    """

    sheets: tuple[LabelSheet, ...]
    mirror: tuple[int, ...] = ()
    _nodes: dict[int, PreimageNodes] = field(default_factory=dict, init=False, repr=False, compare=False)

    @property
    def dimension(self) -> int:
        """One coordinate."""
        return 1

    @property
    def even(self) -> bool:
        """Whether the law of the label is that of its mirror image."""
        return bool(self.mirror)

    @property
    def continuous_probability(self) -> float:
        """P(the label is no atom) = 1 - P(an atom)."""
        flat = ((s, p) for s in self.sheets for p in s.pieces if p.slope == 0)
        return 1.0 - float(sum(s.probability * (ndtr(p.high) - ndtr(p.low)) for s, p in flat))

    def at(self, labels: Array) -> SheetMoments:
        """The labels of a data set, shape (n,), with their preimages.

        Raises
        ------
        InputError
            Naming the first label that the target does not take.
        """
        found = self.preimages_of_data(labels)
        return SheetMoments(
            probabilities=np.array([s.probability for s in self.sheets]),
            points=found.points,
            log_weights=found.log_weights,
            atoms=found.atoms,
        )

    def preimages_of_data(self, labels: Array) -> Preimages:
        """Preimages of labels that may be rounded across a critical value, and which of them are atoms.

        Raises
        ------
        InputError
            Naming the first label that the target does not take.
        """
        atoms = tuple((a, rows) for a in self.atoms() if len(rows := np.flatnonzero(a.is_label(labels))))
        at_atom = np.zeros(len(labels), dtype=bool)
        for _, rows in atoms:
            at_atom[rows] = True
        points, log_weights, sheet = self.preimages(labels)
        missing = np.flatnonzero(~at_atom & (log_weights.max(axis=1, initial=-np.inf) <= NEVER))
        for nudge in [s * x for x in _NUDGES for s in (1, -1)]:
            if not len(missing):
                break
            moved = labels[missing] + nudge * np.maximum(1.0, np.abs(labels[missing]))
            p, w, _ = self.preimages(moved)
            points[missing], log_weights[missing] = p, w
            missing = missing[w.max(axis=1) <= NEVER]
        if len(missing):
            first = missing[0]
            raise InputError(f"y[{first}] is {labels[first]:g}, a value that the target does not take")
        return Preimages(points=points, log_weights=log_weights, sheet=sheet, atoms=atoms)

    def atoms(self) -> list[Atom]:
        """The labels of positive probability."""
        flat = [
            (p.at_low, p.low, p.high, k) for k, s in enumerate(self.sheets) for p in s.pieces if not p.slope
        ]
        result = []
        for label in distinct([row[0] for row in flat]):
            rows = [r for r in flat if abs(r[0] - label) <= SAME * max(1.0, abs(label))]
            ends = np.array([r[1:3] for r in rows])
            first = min(p.low for s in self.sheets for p in s.pieces)
            last = max(p.high for s in self.sheets for p in s.pieces)
            low = np.where(ends[:, 0] <= first, -np.inf, ends[:, 0])
            high = np.where(ends[:, 1] >= last, np.inf, ends[:, 1])
            result.append(Atom(label=label, low=low, high=high, sheet=np.array([r[3] for r in rows])))
        return result

    def preimages(self, labels: Array) -> tuple[Array, Array, Integers]:
        """(points, log weights, sheets) of all preimages, each of shape (n, k)."""
        found = []
        for k, sheet, piece in self._followed():
            low, high = min(piece.at_low, piece.at_high), max(piece.at_low, piece.at_high)
            inside = (labels > low) & (labels < high)
            points = point_of(sheet.value, sheet.slope, piece, labels[inside])
            found.append((k, inside, points, np.abs(sheet.slope(points))))
        return self._columns(found, len(labels))

    def _followed(self) -> list[tuple[int, LabelSheet, NumericPiece]]:
        """The monotone pieces with their sheets; of an even law those on one side."""
        rows = [(k, s, p) for k, s in enumerate(self.sheets) for p in s.pieces if p.slope]
        return [row for row in rows if not self.even or row[2].low >= -_BESIDE]

    def _columns(
        self, found: Sequence[tuple[int, NDArray[np.bool_], Array, Array]], count: int
    ) -> tuple[Array, Array, Integers]:
        """(points, log weights, sheets), shape (n, k), from those of each piece and those mirrored."""
        points, weights, index = [], [], []
        for k, inside, roots, slopes in found:
            z, w = np.zeros(count), np.full(count, _NO_WEIGHT)
            z[inside] = roots
            w[inside] = math.log(self.sheets[k].probability) - np.log(np.maximum(slopes, _LEAST_SLOPE))
            points.append(z)
            weights.append(w)
            index.append(np.full(count, k))
        if self.even:
            mirrored = [np.asarray(self.mirror)[k] for k in index]
            points, weights, index = [*points, *(-z for z in points)], 2 * weights, [*index, *mirrored]
        return np.stack(points, 1), np.stack(weights, 1), np.stack(index, 1)

    def label_nodes(self, level: int = 1, size: float = 1.0) -> LabelNodes:
        """Labels that are no atoms with their preimages, which are exact for any width."""
        return self.nodes(level).label_nodes(self.continuous_probability)

    @property
    def regions(self) -> Atoms | None:
        """The labels of positive probability; None where there is none."""
        atoms = tuple(self.atoms())
        chances = np.array([s.probability for s in self.sheets])
        return Atoms(atoms=atoms, of_sheets=chances) if atoms else None

    def nodes(self, level: int = 1) -> PreimageNodes:
        """Panels between the preimages of critical values, nodes by the double exponential rule; kept."""
        if level not in self._nodes:
            self._nodes[level] = self._found(level)
        return self._nodes[level]

    def _found(self, level: int) -> PreimageNodes:
        branches = [(k, s, Branch.of(s.value, s.slope, p)) for k, s, p in self._followed()]
        # the outermost ends too: a label with a limit there has preimages that leave through them
        ends = [v for _, _, b in branches for v in (b.piece.at_low, b.piece.at_high)]
        critical = distinct([*ends, *(place.label for _, _, b in branches for place in b.slow)])
        parts = []
        for _, sheet, own in branches:
            z, w = own.nodes(critical, nodes=_NODES[level], widest=_WIDEST)
            w = w * np.exp(-0.5 * z * z) / math.sqrt(2 * math.pi)
            keep = w * sheet.probability > _NEGLIGIBLE
            z, w = z[keep], (2 if self.even else 1) * sheet.probability * w[keep]
            if len(z):
                labels = sheet.value(z)
                found = [(k, *branch.roots(labels, own, z)) for k, _, branch in branches]
                parts.append((z, labels, w, *self._columns(found, len(z))))
        columns = [np.concatenate(column) for column in zip(*parts, strict=True)]
        return PreimageNodes(
            place=columns[0],
            labels=columns[1],
            weights=columns[2],
            points=columns[3],
            log_weights=columns[4],
            sheet=columns[5].astype(np.int64),
        )
