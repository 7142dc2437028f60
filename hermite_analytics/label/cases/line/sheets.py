"""Labels without noise along one coordinate, for each value of an independent discrete variable.

The law of (w, sheet) given y are the preimages of y with the weights of the coarea formula; flat pieces of
the label are atoms of y. Neither roots nor slopes depend on omega and V: they are found once.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from hermite_analytics.label.cases.line.numeric_pieces import (
    SAME,
    NumericPiece,
    distinct,
    on_piece,
    point_of,
    slow_points,
)
from hermite_analytics.label.compiled import compiled

__all__ = ["Atom", "LabelSheet", "PreimageNodes", "SheetChannel", "moments_of_points"]

Array = NDArray[np.float64]
Integers = NDArray[np.int64]

_NODES = (36, 56)  # of the double exponential rule on a panel, by level
_WIDEST = 1.25  # of a panel
_NEGLIGIBLE = 1e-19
_NEVER = -1e300  # the logarithm of a weight that is 0
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
class Atom:
    """A label of positive probability: the intervals of the coordinate, by sheet, on which it is taken."""

    label: float
    low: Array
    high: Array
    sheet: Integers


@dataclass(frozen=True, slots=True, kw_only=True)
class PreimageNodes:
    """A quadrature over labels that are no atoms, with all their preimages.

    Attributes
    ----------
    place : ndarray, shape (n,)
        The coordinate itself at the nodes; its label is that of the row.
    weights : ndarray, shape (n,)
        Sum to the probability of such labels.
    points, log_weights, sheet : ndarray, shape (n, k)
        Preimages w_i, log(probability of the sheet/|g'(w_i)|) and index of the sheet; filled with weight 0.
    """

    place: Array
    weights: Array
    points: Array
    log_weights: Array
    sheet: Integers


@dataclass(frozen=True, slots=True, kw_only=True)
class SheetChannel:
    """y = g_s(w) with w ~ N(omega, V) and an independent discrete s.

    Source: conditional law by the coarea formula, E[h(w) | y] = sum_i p_i h(w_i) / sum_i p_i with
    p_i = P(s_i) N(w_i; omega, V)/|g'_{s_i}(w_i)| over the preimages. With a `mirror`
    g_s(-w) = g_{mirror[s]}(w) and both sheets are as likely: the preimages are symmetric to the last digit.
    """

    sheets: tuple[LabelSheet, ...]
    mirror: tuple[int, ...] = ()

    @property
    def even(self) -> bool:
        """Whether the law of the label is that of its mirror image."""
        return bool(self.mirror)

    @property
    def continuous_probability(self) -> float:
        """P(the label is no atom) = 1 - P(an atom)."""
        flat = ((s, p) for s in self.sheets for p in s.pieces if p.slope == 0)
        return 1.0 - float(sum(s.probability * (ndtr(p.high) - ndtr(p.low)) for s, p in flat))

    def moments(self, label: float, omega: Array, variance: float) -> tuple[Array, Array, Array]:
        """(log Z, g_out, -d g_out/d omega) at values of omega.

        Z is the density of the label at omega, or its probability at an atom; -inf where it is not taken.
        """
        omega = np.atleast_1d(np.asarray(omega, dtype=np.float64))
        for atom in self.atoms():
            if abs(label - atom.label) <= SAME * max(1.0, abs(label)):
                return self._moments_of_atom(atom, omega, variance)
        points, log_weights, _ = self.preimages(np.array([float(label)]))
        return moments_of_points(points, log_weights, omega, variance)

    def _moments_of_atom(self, atom: Atom, omega: Array, variance: float) -> tuple[Array, Array, Array]:
        size = math.sqrt(variance)
        low, high = ((ends - omega[:, None]) / size for ends in (atom.low, atom.high))
        p = np.array([s.probability for s in self.sheets])[atom.sheet]
        mass, first, second = _cell_derivatives(low, high)
        z, z1, z2 = (np.asarray(m @ p) for m in (mass, first, second))
        g = z1 / z / size
        return np.log(z), g, g * g - z2 / z / variance

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
        return self._preimages(labels, None)

    def _preimages(
        self, labels: Array, own: tuple[int, NumericPiece, Array] | None
    ) -> tuple[Array, Array, Integers]:
        points, weights, index = [], [], []
        for k, sheet in enumerate(self.sheets):
            for piece in sheet.pieces:
                if piece.slope == 0 or (self.even and piece.low < -_BESIDE):
                    continue
                low, high = min(piece.at_low, piece.at_high), max(piece.at_low, piece.at_high)
                z = np.full(len(labels), piece.low)
                if own is not None and own[0] == k and own[1] is piece:
                    inside, z = np.ones(len(labels), dtype=bool), own[2]
                else:
                    inside = (labels > low) & (labels < high)
                    z[inside] = point_of(sheet.value, sheet.slope, piece, labels[inside])
                slope = np.maximum(np.abs(sheet.slope(z)), _LEAST_SLOPE)
                points.append(z)
                weights.append(np.where(inside, math.log(sheet.probability) - np.log(slope), _NEVER))
                index.append(np.full(len(labels), k))
        if self.even:
            mirrored = [np.asarray(self.mirror)[k] for k in index]
            points, weights, index = [*points, *(-z for z in points)], 2 * weights, [*index, *mirrored]
        return np.stack(points, 1), np.stack(weights, 1), np.stack(index, 1)

    def nodes(self, level: int = 1) -> PreimageNodes:
        """Panels between the preimages of critical values, nodes by the double exponential rule."""
        monotone = [(k, s, p) for k, s in enumerate(self.sheets) for p in s.pieces if p.slope]
        monotone = [row for row in monotone if not self.even or row[2].low >= -_BESIDE]
        # the outermost ends too: a label with a limit there has preimages that leave through them
        ends = [v for _, _, p in monotone for v in (p.at_low, p.at_high)]
        slow = [s.value(np.array(slow_points(s.slope, p))) for _, s, p in monotone]
        critical = distinct([*ends, *np.concatenate(slow).tolist()])
        parts = []
        for k, sheet, piece in monotone:
            z, w = on_piece(sheet.value, sheet.slope, piece, critical, nodes=_NODES[level], widest=_WIDEST)
            w = w * np.exp(-0.5 * z * z) / math.sqrt(2 * math.pi)
            keep = w * sheet.probability > _NEGLIGIBLE
            z, w = z[keep], (2 if self.even else 1) * sheet.probability * w[keep]
            if len(z):
                parts.append((z, w, *self._preimages(sheet.value(z), (k, piece, z))))
        columns = [np.concatenate(column) for column in zip(*parts, strict=True)]
        return PreimageNodes(
            place=columns[0],
            weights=columns[1],
            points=columns[2],
            log_weights=columns[3],
            sheet=columns[4].astype(np.int64),
        )


@compiled
def _moments_at(
    points: Array, log_weights: Array, omega: float, variance: float
) -> tuple[float, float, float]:
    """(log Z, g_out, -d g_out/d omega); one pass, relative to the largest term so far."""
    top, s0, s1, s2 = -np.inf, 0.0, 0.0, 0.0
    for i in range(len(points)):
        if log_weights[i] <= -1e299:
            continue
        d = points[i] - omega
        log_term = log_weights[i] - 0.5 * d * d / variance
        if log_term > top:
            scale = math.exp(top - log_term)
            s0, s1, s2, top = s0 * scale, s1 * scale, s2 * scale, log_term
        term = math.exp(log_term - top)
        s0, s1, s2 = s0 + term, s1 + term * d, s2 + term * d * d
    if s0 == 0.0:
        return -np.inf, 0.0, 0.0
    mean = s1 / s0
    log_z = top + math.log(s0) - 0.5 * math.log(2.0 * math.pi * variance)
    return log_z, mean / variance, 1.0 / variance - (s2 / s0 - mean * mean) / (variance * variance)


@compiled
def moments_of_points(
    points: Array, log_weights: Array, omega: Array, variance: float
) -> tuple[Array, Array, Array]:
    """(log Z, g_out, -d g_out/d omega) of weighted points: a row for each omega, or one row for all.

    Z = sum_i exp(log_weights_i) N(w_i; omega, V).
    """
    log_z, g, minus_dg = np.empty(len(omega)), np.empty(len(omega)), np.empty(len(omega))
    for t in range(len(omega)):
        row = t if len(points) > 1 else 0
        log_z[t], g[t], minus_dg[t] = _moments_at(points[row], log_weights[row], omega[t], variance)
    return log_z, g, minus_dg


def _cell_derivatives(low: Array, high: Array) -> tuple[Array, Array, Array]:
    """P(low < x < high) for x ~ N(0, 1), and its first two derivatives when both ends move to the left."""
    flip = low > 0
    a, b = np.where(flip, -high, low), np.where(flip, -low, high)
    at_low, at_high = (np.exp(-0.5 * x * x) / math.sqrt(2 * math.pi) for x in (low, high))
    edge_low, edge_high = (np.where(np.isinf(x), 0.0, x) * p for x, p in ((low, at_low), (high, at_high)))
    return ndtr(b) - ndtr(a), at_low - at_high, edge_low - edge_high
