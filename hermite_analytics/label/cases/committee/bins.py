"""The law of the largest of separate parts: the probabilities of bins of labels, see `laws`.

The factor of a coordinate is 1{g(z) <= y} at the upper ends y of the bins; products are the probabilities of
labels up to y.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hermite_analytics.errors import UnsupportedExpression
from hermite_analytics.foundation.numpy_arrays import Array, Complex
from hermite_analytics.foundation.panels import panel_rule
from hermite_analytics.label.cases.committee.parts import Part, SeparateParts
from hermite_analytics.label.cases.committee.parts_law import PartsLaw
from hermite_analytics.label.cases.line.numeric_pieces import NumericPiece

__all__ = ["LargestLaw"]

Layers = list[Complex]

_REACH = 9.0  # |z|
_BINS = (128, 256)  # by level
_FEWEST = 16  # in a panel of labels
_RARE = 1e-10  # probability beyond the first and the last bin
_HALVINGS = 55
_NODES = 8  # of a panel between two roots
_PANEL = 0.5  # its width at most, in standard deviations
_TURN = 2.0  # and in phases
_KERNEL = 0.4  # step of a noisy label, in standard deviations of the noise
_SAME = 1e-12
_MOST_NODES = 30_000


@dataclass(frozen=True, slots=True, kw_only=True)
class LargestLaw(PartsLaw):
    """By the probabilities of bins, whose ends are finer beside the labels at which pieces of parts end.

    Attributes
    ----------
    ends : ndarray
        Upper ends of the bins but the last one.
    closed : ndarray of bool
        Whether the end belongs to the bin: labels of positive probability have a bin of their own.
    kept : tuple of integer arrays
        Of the upper ends, those at each scale; the last bin is open.
    kernels : tuple of ndarrays, or None
        From the bins of each scale to labels with noise.
    """

    ends: Array
    closed: NDArray[np.bool_]
    kept: tuple[NDArray[np.int64], ...]
    kernels: tuple[Array, ...] | None

    @classmethod
    def of(cls, parts: SeparateParts, level: int) -> LargestLaw:
        low, high = _range_of_largest(parts)
        atoms = {v for p in parts.parts for _, _, v in p.flat} | {parts.floor}
        bounds = [low, *_turning_labels(parts, atoms, low, high), high]
        size = 4 * max(math.ceil(_BINS[level] / 4 / (len(bounds) - 1)), _FEWEST // 4)
        ends: list[float] = []
        closed: list[bool] = []
        scale: list[int] = []
        for i, (a, b) in enumerate(itertools.pairwise(bounds)):
            if i or low in atoms:
                ends, closed, scale = [*ends, a, a], [*closed, False, True], [*scale, 4, 4]
            t = np.arange(1, size) / size
            ends += (a + (b - a) * np.sin(0.5 * math.pi * t) ** 2).tolist()
            closed += [True] * (size - 1)
            scale += [4 if k % 4 == 0 else 2 if k % 2 == 0 else 1 for k in range(1, size)]
        scales = np.array(scale)
        kept = tuple(np.flatnonzero(scales >= s) for s in (1, 2, 4))
        found = cls(ends=np.array(ends), closed=np.array(closed), kept=kept, kernels=None)
        return found if not parts.noise else found._with_noise(parts.noise)

    def _with_noise(self, noise: float) -> LargestLaw:
        kernels = []
        step = _KERNEL * noise
        y = np.arange(self.ends[0] - _REACH * noise, self.ends[-1] + _REACH * noise, step)
        for kept in self.kept:
            ends = self.ends[kept]
            if np.diff(ends).max() > 4 * noise:
                raise UnsupportedExpression("the noise of the largest value is narrower than its bins")
            middle = np.concatenate([ends[:1], 0.5 * (ends[1:] + ends[:-1]), ends[-1:]])
            densities = np.exp(-0.5 * ((y - middle[:, None]) / noise) ** 2) / (math.sqrt(2 * math.pi) * noise)
            kernels.append(step * densities)
        return LargestLaw(ends=self.ends, closed=self.closed, kept=self.kept, kernels=tuple(kernels))

    @property
    def scales(self) -> int:
        return 4

    def rule(
        self, part: Part, low: float, high: float, deviation: float, speed: float
    ) -> tuple[Array, Array]:
        roots = [_roots(part, piece, self.ends) for piece in part.pieces if piece.slope]
        inner = np.unique(np.concatenate([*roots, np.array(part.edges)]))
        inner = inner[(inner > low) & (inner < high)]
        inner = inner[np.diff(inner, prepend=-np.inf) > _SAME]
        widest = min(_PANEL * deviation, _TURN / max(speed, 1e-300))
        z, weights = panel_rule([low, *inner, high], _NODES, widest=widest)
        if len(z) > _MOST_NODES:
            raise UnsupportedExpression("the parts of the largest value have too many pieces")
        return z, weights

    def averages(self, part: Part, z: Array, weighted: Complex) -> Layers:
        from scipy import sparse

        values = part.value(z)
        for a, b, c in part.flat:
            values = np.where((z > a) & (z < b), c, values)
        first = _first_bin(values, self.ends, self.closed)
        count = len(self.ends) + 1
        inside = sparse.csr_array((np.ones(len(z)), (first, np.arange(len(z)))), shape=(count, len(z)))
        sums = np.cumsum(np.asarray(inside @ weighted.reshape(len(z), -1)), axis=0)
        return [np.ascontiguousarray(sums.reshape(count, *weighted.shape[1:]))]

    def masses(self, layers: Layers) -> list[Array]:
        upto = layers[0].real
        found = []
        for i, kept in enumerate(self.kept):
            bins = np.diff(upto[..., [*kept, -1]], axis=-1, prepend=0.0)
            found.append(bins if self.kernels is None else bins @ self.kernels[i])
        return found


def _turning_labels(parts: SeparateParts, atoms: set[float], low: float, high: float) -> list[float]:
    """The labels between two at which parts turn back or stop, and those of positive probability."""
    ends = {v for p in parts.parts for piece in p.pieces for v in (piece.at_low, piece.at_high)}
    inner = sorted(v for v in ends | atoms if low < v < high and math.isfinite(v))
    return [v for i, v in enumerate(inner) if not i or v - inner[i - 1] > _SAME * max(1.0, abs(v))]


def _first_bin(values: Array, ends: Array, closed: NDArray[np.bool_]) -> NDArray[np.int64]:
    """The first bin whose upper end a value does not exceed."""
    near = _SAME * np.maximum(1.0, np.abs(values))
    low = np.searchsorted(ends, values - near, side="left")
    for _ in range(2):  # an end that is met exactly, and belongs to the next bin
        at = np.minimum(low, len(ends) - 1)
        met = (low < len(ends)) & (np.abs(ends[at] - values) <= near) & ~closed[at]
        low = low + met
    return np.asarray(low, dtype=np.int64)


def _roots(part: Part, piece: NumericPiece, labels: Array) -> Array:
    """The z of a monotone piece at the labels that it takes."""
    a, b = max(piece.low, -_REACH), min(piece.high, _REACH)
    at_low, at_high = piece.at_low, piece.at_high
    wanted = np.unique(labels[(labels > min(at_low, at_high)) & (labels < max(at_low, at_high))])
    low, high = np.full(len(wanted), a), np.full(len(wanted), b)
    for _ in range(_HALVINGS):
        middle = 0.5 * (low + high)
        below = (part.value(middle) < wanted) == (piece.slope > 0)
        low, high = np.where(below, middle, low), np.where(below, high, middle)
    return np.asarray(0.5 * (low + high))


def _range_of_largest(parts: SeparateParts) -> tuple[float, float]:
    """The labels beyond which there is little probability; the floor is within."""
    laws: list[tuple[Array, Array, int]] = []
    for part in parts.parts:
        g, p = part.law()
        order = np.argsort(g)
        laws.append((g[order], np.cumsum(p[order]), part.count))

    def below(y: float) -> float:
        if y < parts.floor:
            return 0.0
        return math.prod(float(np.interp(y, g, p, left=0.0, right=1.0)) ** count for g, p, count in laws)

    def quantile(level: float, a: float, b: float) -> float:
        for _ in range(_HALVINGS):
            middle = 0.5 * (a + b)
            a, b = (middle, b) if below(middle) < level else (a, middle)
        return b

    a, b = min(float(g[0]) for g, _, _ in laws), max(float(g[-1]) for g, _, _ in laws)
    low, high = quantile(_RARE, a, b), quantile(1 - _RARE, a, b)
    if not low < high:
        raise UnsupportedExpression("the largest value is constant")
    return (max(low, parts.floor), high) if math.isfinite(parts.floor) else (low, high)
