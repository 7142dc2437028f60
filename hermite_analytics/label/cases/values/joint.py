"""Labels of a continuous coordinate x beside others, v, that enter through finitely many values.

The label is g_s(x) with a sheet s that is constant on each box of v. Given y, (x, v) lies on the preimages
x_j of y on sheet s_j, v in the boxes of that sheet; with (x, v) ~ N(omega, V)

    Z(y) = sum_j N(x_j; omega_x, V_xx)/|g'_{s_j}(x_j)| P(v in the boxes of s_j | x = x_j),

where v given x is Gaussian. A label that is taken on intervals of x is an atom: a union of boxes of (x, v).
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np

from hermite_analytics.foundation.numpy_arrays import Array, Integers
from hermite_analytics.label.cases.line.functions import sign_changes
from hermite_analytics.label.cases.line.numeric_pieces import distinct
from hermite_analytics.label.cases.line.preimages import PreimageNodes, preimage_nodes
from hermite_analytics.label.cases.line.sheet_moments import NEVER
from hermite_analytics.label.cases.line.sheet_panels import LabelSheet, PanelRule
from hermite_analytics.label.cases.line.sheets import SheetChannel
from hermite_analytics.label.cases.values.box_moments import BoxMoments
from hermite_analytics.label.cases.values.boxes import BoxChannel
from hermite_analytics.label.cases.values.joint_moments import JointMoments
from hermite_analytics.label.intervals import interval_probability

__all__ = ["JointChannel", "KnownPlace"]

_RULES = tuple(
    PanelRule(nodes=n, widest=4.0, narrow=4.0, negligible=p, coarser=0.1)
    for n, p in ((24, 1e-11), (40, 1e-14))
)  # by level
_GRID = 3001
_SAME = 1e-11
_INSIDE = np.linspace(0.07, 0.93, 9)  # of an interval, where sheets are compared


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownPlace:
    """What a label says of v once x is known, for x in some intervals.

    Attributes
    ----------
    probability : float
        Of these intervals, x ~ N(0, 1).
    channel : BoxChannel
        Its labels are the classes of sheets that agree there.
    """

    probability: float
    channel: BoxChannel


@dataclass(frozen=True, slots=True, kw_only=True)
class JointChannel:
    """y = g_s(x), s = s(v) constant on boxes; (x, v) ~ N(omega, V) with any V.

    Source: the coarea formula for x, Gaussian probabilities of boxes for v given x.

    Attributes
    ----------
    main : SheetChannel
        The label along x alone; its sheets are those of `sheet`, with their probabilities.
    edges : tuple of ndarray
        For each coordinate of v the ends of its intervals, from -inf to inf.
    sheet : ndarray of int, one axis a coordinate of v
        The index of the sheet on each box.
    """

    main: SheetChannel
    edges: tuple[Array, ...]
    sheet: Integers

    @property
    def dimension(self) -> int:
        """Number of coordinates, x included."""
        return 1 + len(self.edges)

    def tables(self) -> Array:
        """For each sheet 1 on its boxes and 0 on the others, shape (sheets, m1, ..., mp)."""
        return np.array([self.sheet == k for k in range(len(self.main.sheets))], dtype=np.float64)

    def at(self, labels: Array) -> JointMoments:
        """The labels of a data set, shape (n,), with their preimages.

        Raises
        ------
        InputError
            Naming the first label that the target does not take.
        """
        found = self.main.preimages_of_data(labels)
        probability = np.array([s.probability for s in self.main.sheets])
        sheet = np.broadcast_to(found.sheet, found.points.shape)
        log_slopes = found.log_weights - np.log(probability)[found.sheet]
        log_slopes[found.log_weights <= NEVER] = -np.inf
        flat = None
        if found.atoms:
            rows = np.sort(np.concatenate([rows for _, rows in found.atoms]))
            log_slopes[rows] = -np.inf
            boxes = self.flat_boxes()
            assert boxes is not None
            flat = boxes.at(labels[rows]), rows
        return JointMoments(
            boxes=BoxMoments.of_tables(self.edges, self.tables(), sheet.ravel()),
            points=found.points,
            log_slopes=log_slopes,
            sheet=sheet,
            flat=flat,
        )

    def nodes(self, *, level: int = 1, half: bool = False) -> PreimageNodes:
        """Places of x between preimages of critical values and the points where two sheets cross.

        Each has the other preimages of its label.

        Parameters
        ----------
        half : bool
            Only x > 0, counted twice: for labels with a symmetry that changes the sign of x.
        """
        sheets = self.main.sheets
        pieces = [p for s in sheets for p in s.pieces if p.slope]
        crossings = _crossings(sheets, min(p.low for p in pieces), max(p.high for p in pieces))
        found = preimage_nodes(sheets, _RULES[level], cuts=[*crossings, *([0.0] if half else [])])
        return found.of(found.place > 0, 2.0) if half else found

    def flat_boxes(self) -> BoxChannel | None:
        """The labels of positive probability, on boxes of (x, v); -1 stands for all others."""
        atoms = self.main.atoms()
        if not atoms:
            return None
        ends = np.unique(np.concatenate([np.concatenate([a.low, a.high]) for a in atoms]))
        edges = np.concatenate([[-np.inf], ends[np.isfinite(ends)], [np.inf]])
        label = np.full((len(edges) - 1, *self.sheet.shape), -1, dtype=np.int64)
        for index, atom in enumerate(atoms):
            for low, high, sheet in zip(atom.low, atom.high, atom.sheet, strict=True):
                inside = (edges[:-1] >= low) & (edges[1:] <= high)
                label[np.multiply.outer(inside, self.sheet == sheet)] = index
        return BoxChannel(
            edges=(edges, *self.edges), label=label, values=np.array([float(a.label) for a in atoms])
        )

    def known_places(self) -> tuple[KnownPlace, ...]:
        """The channels of v given x, one for each way in which sheets agree.

        Sheets are smooth between the ends of their pieces: they agree everywhere in between or at single
        points.
        """
        pieces = [p for s in self.main.sheets for p in s.pieces]
        first, last = min(p.low for p in pieces), max(p.high for p in pieces)
        ends = np.unique([e for p in pieces for e in (p.low, p.high)])
        found: dict[tuple[int, ...], float] = {}
        for low, high in itertools.pairwise(ends):
            a, b = -np.inf if low <= first else low, np.inf if high >= last else high
            key = self._classes(low + (high - low) * _INSIDE)
            found[key] = found.get(key, 0.0) + interval_probability(a, b)
        return tuple(KnownPlace(probability=p, channel=self._of_classes(key)) for key, p in found.items())

    def _classes(self, x: Array) -> tuple[int, ...]:
        """For each sheet the first one that it agrees with at all of some points."""
        values = np.stack([s.value(x) for s in self.main.sheets])
        scale = _SAME * np.maximum(1.0, np.abs(values))
        same = np.all(np.abs(values[:, None] - values) <= scale, axis=-1)
        return tuple(np.argmax(same, axis=-1).tolist())

    def _of_classes(self, classes: tuple[int, ...]) -> BoxChannel:
        present, index = np.unique(classes, return_inverse=True)
        return BoxChannel(
            edges=self.edges,
            label=np.asarray(index[self.sheet], dtype=np.int64),
            values=np.arange(len(present), dtype=np.float64),
        )


def _crossings(sheets: tuple[LabelSheet, ...], low: float, high: float) -> list[float]:
    """Where two sheets have the same label: preimages come close to each other there."""
    grid = np.linspace(low, high, _GRID) + 0.17 * (high - low) / _GRID
    found = [np.zeros(0)]
    for one, two in itertools.combinations(sheets, 2):
        found.append(sign_changes(lambda x, a=one, b=two: a.value(x) - b.value(x), grid))
    return distinct(np.concatenate(found).tolist())
