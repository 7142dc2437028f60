"""F of one coordinate beside another that is known exactly: the average over the known one.

Let the label g(x, w) be constant in w, and not in x, on sets of probability `share` together. Such labels
determine x, the others say little of it at 1 - m_x -> 0, so that (1 - m_x) F_xx -> share there, whatever is
known of w: m_x = 1 is stable where alpha share > 1. Then

    F(m) = E_{x ~ N(0, 1)} F_x(m),

with F_x the map of the label g(x, .) along one coordinate. It is smooth in x off the places where monotone
pieces of g(x, .) begin or end, or a label gets preimages on more or fewer of them; panels of x end there.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from hermite_analytics.errors import UnsupportedExpression
from hermite_analytics.foundation.clock import check_time
from hermite_analytics.foundation.numpy_arrays import Array, Integers
from hermite_analytics.label.cases.line.numeric_pieces import NumericPiece, between
from hermite_analytics.label.cases.line.sheets import SheetChannel
from hermite_analytics.label.cases.plane.plane import PlaneChannel
from hermite_analytics.label.channel import Channel
from hermite_analytics.label.channel.beside import LabelBeside, directions_of, label_beside
from hermite_analytics.label.channel.known_pieces import (
    determines,
    determining,
    mass_of,
    pieces_at,
    places_of,
    sheet_at,
)
from hermite_analytics.label.nodes import LabelNodes, joined
from hermite_analytics.numeric.bayes.maps.gaussian_grid import omega_nodes
from hermite_analytics.numeric.bayes.maps.line_sums import line_sum
from hermite_analytics.numeric.bayes.state_evolution.one_overlap import OneOverlap
from hermite_analytics.numeric.compiled import compiled

__all__ = ["KnownCoordinate", "KnownCoordinates"]

_DIGITS = 9
_NODES = (28, 40)  # of the double exponential rule on a panel of x, by level
_WIDEST = 1.5
_NEGLIGIBLE = (1e-12, 1e-15)  # probability of a point
_OMEGA_STEP = (0.3, 0.18)  # in the smaller of sqrt(m) and sqrt(1 - m), by level
_RARE = 1e-13  # probability of a monotone piece
_TAIL = 9.0  # standard deviations beyond which an edge is not seen


@dataclass(frozen=True, slots=True, kw_only=True)
class _Points:
    """Labels at all values of x together, with their preimages and intervals.

    Attributes
    ----------
    alone, squares : float
        The probability of labels with one preimage, which give w, and E[w^2] over them.
    nodes : LabelNodes
        The other labels that are no atoms.
    starts, low, high, probabilities : ndarray
        Atoms: the intervals of each, and its weight of x.
    defect : float
        What E[h | y] misses of E[h] for a function h of w: 0 if all preimages are found.
    """

    alone: float
    squares: float
    nodes: LabelNodes
    starts: Integers
    low: Array
    high: Array
    probabilities: Array
    defect: float


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownCoordinate:
    """F(m) of w while x is known.

    Attributes
    ----------
    label : LabelBeside
    places : tuple of float
        Values of x, increasing, between which F_x is smooth; only x > 0 where -x says the same.
    """

    label: LabelBeside
    places: tuple[float, ...]
    _pieces: dict[float, tuple[NumericPiece, ...]] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )
    _points: dict[int, _Points] = field(default_factory=dict, init=False, repr=False, compare=False)
    _shares: list[tuple[float, float]] = field(default_factory=list, init=False, repr=False, compare=False)
    _one: list[OneOverlap] = field(default_factory=list, init=False, repr=False, compare=False)

    @classmethod
    def of(cls, label: LabelBeside) -> KnownCoordinate | None:
        """With the places; None where there are too many of them, or no labels are found that determine x."""
        try:
            return cls(label=label, places=places_of(label)) if determines(label) else None
        except UnsupportedExpression:
            return None

    @property
    def share(self) -> float:
        """lim (1 - m_x) F_xx at m_x -> 1: the probability of labels that determine x."""
        return self._both_shares()[0]

    @property
    def exact_share(self) -> float:
        """lim (1 - m) F(m) at m -> 1: the probability of labels that determine w once x is known."""
        return self._both_shares()[1]

    @property
    def mass_defect(self) -> float:
        """The relative size of what missing preimages would change."""
        return self.points(1).defect

    @property
    def one(self) -> OneOverlap:
        """The fixed points of w, made once."""
        if not self._one:
            found = OneOverlap(
                overlap_map=self, exact_share=self.exact_share, unseen=lambda: self.mass_defect
            )
            self._one.append(found)
        return self._one[0]

    def point(self, alpha: float, *, informed: bool) -> tuple[float, float, int, float]:
        """The overlap of w, its residual, the evaluations of the map, and the error.

        From 0+ it is the smallest stable fixed point: at any other overlap of x F_ww is at most the map.
        """
        m, count = self.one.informed(alpha) if informed else self.one.uninformed(alpha)
        return m, self.one.residual(m, alpha), count, self.one.error(m, alpha)

    def __call__(self, m: float, level: int = 1) -> float:
        p = self.points(level)
        several = line_sum(p.nodes, m, level=level)
        t, omega_weights = omega_nodes(m, _OMEGA_STEP[level])
        atoms = _atoms_average(p.starts, p.low, p.high, p.probabilities, m, math.sqrt(m) * t, omega_weights)
        # g_out = (w - omega)/V and omega = m w + sqrt(m V) xi
        alone = p.squares + p.alone * m / (1 - m)
        return float(alone + several + atoms)

    def points(self, level: int) -> _Points:
        """The labels, found once."""
        if level not in self._points:
            channels = ((p, sheet_at(self.label, x, self._pieces_at(x))) for x, p in self._nodes(level))
            self._points[level] = _found(channels, level)
        return self._points[level]

    def _pieces_at(self, x: float) -> tuple[NumericPiece, ...]:
        """Those of the label of w, found once for the shares and the points."""
        if x not in self._pieces:
            self._pieces[x] = pieces_at(self.label, x)
        return self._pieces[x]

    def _nodes(self, level: int) -> Iterator[tuple[float, float]]:
        """(x, probability)."""
        x, weights = between(self.places, nodes=_NODES[level], widest=_WIDEST)
        p = weights * np.exp(-0.5 * x * x) / math.sqrt(2 * math.pi) * (2 if self.label.even else 1)
        for value, probability in zip(x.tolist(), p.tolist(), strict=True):
            if probability > _NEGLIGIBLE[level]:
                check_time()
                yield value, probability

    def _both_shares(self) -> tuple[float, float]:
        if not self._shares:
            known = other = 0.0
            for x, probability in self._nodes(1):
                pieces = self._pieces_at(x)
                flat = sum(mass_of(p) for p in pieces if not p.slope)
                known, other = (
                    known + probability * determining(self.label, x, pieces),
                    other + probability * (1 - flat),
                )
            self._shares.append((known, other))
        return self._shares[0]


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownCoordinates:
    """The maps beside the coordinates of a channel, each prepared when it is asked for."""

    channel: Channel
    _found: dict[tuple[float, ...], KnownCoordinate | None] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    def __call__(self, directions: Array) -> KnownCoordinate | None:
        """The map beside directions, shape (q, k), that are known exactly; None where there is no rule.

        There is one for labels of two coordinates without noise.
        """
        label = self._label(directions)
        if label is None:
            return None
        key = tuple((label.known * np.sign(label.known.sum() + 1e-3)).round(_DIGITS).tolist())
        if key not in self._found:
            self._found[key] = KnownCoordinate.of(label)
        return self._found[key]

    def determines_none(self, directions: Array) -> bool:
        """Whether it is known that no labels determine one direction of two, whatever is known of the other.

        A label of two coordinates determines none but a coordinate or a linear form in it: the nearest one,
        or any where none is near.
        """
        kind = self.channel.kind
        if directions.shape != (2, 1) or not isinstance(kind, PlaneChannel) or kind.hidden:
            return False
        try:
            nearest = label_beside(self.channel, directions[:, 0])
            if nearest is not None:
                return not determines(nearest)
            others = [label_beside(self.channel, direction) for direction in directions_of(self.channel)]
        except UnsupportedExpression:
            return False
        return not any(label is not None and determines(label) for label in others)

    def _label(self, directions: Array) -> LabelBeside | None:
        if directions.shape != (2, 1):
            return None
        try:
            return label_beside(self.channel, directions[:, 0])
        except UnsupportedExpression:  # a slope that is not compiled
            return None

    def known_at(self, alpha: float) -> KnownCoordinate | None:
        """The map beside a direction whose overlap 1 is stable; None if there is none."""
        for direction in directions_of(self.channel):
            found = self(direction[:, None])
            if found is not None and alpha * found.share > 1:
                return found
        return None


def _found(channels: Iterator[tuple[float, SheetChannel]], level: int) -> _Points:
    alone, squares, true, seen = 0.0, 0.0, 0.0, 0.0
    parts: list[LabelNodes] = []
    low, high, counts, probabilities = [], [], [], []
    for probability, channel in channels:
        for atom in channel.atoms():
            low.append(atom.low)
            high.append(atom.high)
            counts.append(len(atom.low))
            probabilities.append(probability)
        if max((mass_of(p) for s in channel.sheets for p in s.pieces if p.slope), default=0.0) < _RARE:
            continue
        nodes = channel.nodes(level)
        weights = probability * nodes.weights
        several = nodes.present.sum(1) > 1
        alone += float(weights[~several].sum())
        squares += float(weights[~several] @ nodes.place[~several] ** 2)
        keep = several & (weights > _NEGLIGIBLE[level])
        own = _test_function(nodes.place)
        if channel.even:
            own = 0.5 * (own + _test_function(-nodes.place))
        true += float(weights[keep] @ own[keep])
        part = nodes.of(keep, probability).label_nodes(probability * channel.continuous_probability)
        seen += float(part.masses @ _test_function(part.points[:, 0]))
        parts.append(part)
    return _Points(
        alone=alone,
        squares=squares,
        nodes=joined(parts, 1),
        starts=np.concatenate([[0], np.cumsum(counts, dtype=np.int64)]).astype(np.int64),
        low=np.concatenate([*low, np.zeros(0)]),
        high=np.concatenate([*high, np.zeros(0)]),
        probabilities=np.array(probabilities),
        defect=abs(true - seen),
    )


def _test_function(w: Array) -> Array:
    return np.tanh(w + 0.3)


@compiled
def _atoms_average(
    starts: Integers, low: Array, high: Array, probabilities: Array, m: float, omega: Array, weights: Array
) -> float:
    """Sum over atoms and omega of (dZ/d omega)^2/Z, Z the probability of the intervals of N(omega, 1 - m)."""
    size = math.sqrt(1.0 - m)
    total = 0.0
    for a in range(len(starts) - 1):
        for t in range(len(omega)):
            z, slope = 0.0, 0.0
            for i in range(starts[a], starts[a + 1]):
                left, right = (low[i] - omega[t]) / size, (high[i] - omega[t]) / size
                if left > _TAIL or right < -_TAIL:
                    continue
                if left > 0:  # both ends on the side where small probabilities keep their digits
                    p = math.erfc(left / math.sqrt(2.0)) - math.erfc(right / math.sqrt(2.0))
                else:
                    p = math.erfc(-right / math.sqrt(2.0)) - math.erfc(-left / math.sqrt(2.0))
                z += 0.5 * p
                slope += math.exp(-0.5 * left * left) - math.exp(-0.5 * right * right)
            slope /= size * math.sqrt(2.0 * math.pi)
            if z > 0.0:
                total += probabilities[a] * weights[t] * slope * slope / z
    return total
