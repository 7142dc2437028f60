"""Labels without noise along one coordinate, for each value of an independent discrete variable.

The law of (w, sheet) given y are the preimages of y with the weights of the coarea formula; flat pieces of
the label are atoms of y. Neither roots nor slopes depend on omega and V: they are found once.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from hermite_analytics.errors import InputError
from hermite_analytics.foundation.numpy_arrays import Array, Integers
from hermite_analytics.label.cases.line.numeric_pieces import SAME, distinct, point_of
from hermite_analytics.label.cases.line.preimages import (
    PreimageNodes,
    columns,
    label_quadrature,
    preimage_nodes,
)
from hermite_analytics.label.cases.line.sheet_moments import NEVER, Atom, Atoms, Preimages, SheetMoments
from hermite_analytics.label.cases.line.sheet_panels import LabelSheet, PanelRule, monotone_pieces
from hermite_analytics.label.intervals import interval_probability
from hermite_analytics.label.nodes import LabelNodes
from hermite_analytics.label.quadrature import LabelQuadrature

__all__ = ["SheetChannel"]

_RULES = tuple(
    PanelRule(nodes=n, widest=1.25, narrow=1.25, negligible=1e-19, coarser=1e-6) for n in (36, 56)
)  # by level
_NUDGES = (1e-14, 1e-12, 1e-10)  # relative, for labels rounded across a critical value


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
    _laws: dict[int, tuple[LabelQuadrature, float]] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    @property
    def dimension(self) -> int:
        """One coordinate."""
        return 1

    @property
    def lost(self) -> float:
        """What lost preimages may cost of what labels tell, in that of labels that tell all.

        The mass defect times what the others tell on average: an estimate, and no bound.
        """
        law, defect = self._law(1)
        told = (law.first**2).sum(axis=1) + 0.5 * (law.second**2).sum(axis=(1, 2))
        return defect * min(1.0, float(law.weights @ told))

    @property
    def even(self) -> bool:
        """Whether the law of the label is that of its mirror image."""
        return bool(self.mirror)

    @property
    def continuous_probability(self) -> float:
        """P(the label is no atom) = 1 - P(an atom)."""
        flat = ((s, p) for s in self.sheets for p in s.pieces if p.slope == 0)
        return 1.0 - float(sum(s.probability * interval_probability(p.low, p.high) for s, p in flat))

    def at(self, labels: Array) -> SheetMoments:
        """The labels of a data set, shape (n,), with their preimages.

        Raises
        ------
        InputError
            Naming the first label that the target does not take.
        """
        probabilities = np.array([s.probability for s in self.sheets])
        return SheetMoments(probabilities=probabilities, preimages=self.preimages_of_data(labels))

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
        """(points, log weights, sheets) of all preimages, of shapes (n, k), (n, k) and (k,)."""
        found = []
        for k, sheet, piece in monotone_pieces(self.sheets, self.mirror):
            low, high = min(piece.at_low, piece.at_high), max(piece.at_low, piece.at_high)
            inside = (labels > low) & (labels < high)
            points = point_of(sheet.value, sheet.slope, piece, labels[inside])
            found.append((k, (inside, points, np.abs(sheet.slope(points)))))
        return columns(found, self.sheets, self.mirror)

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
            self._nodes[level] = preimage_nodes(self.sheets, _RULES[level], mirror=self.mirror)
        return self._nodes[level]

    def quadrature(self, level: int = 1) -> LabelQuadrature:
        """The law of the label as a finite sum, with moments of w and of the coordinates of the sheets."""
        return self._law(level)[0]

    def _law(self, level: int) -> tuple[LabelQuadrature, float]:
        """The law and its defect; kept."""
        if level not in self._laws:
            self._laws[level] = label_quadrature(self.sheets, _RULES[level])
        return self._laws[level]
