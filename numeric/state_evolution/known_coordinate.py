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
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from hermite_analytics.channel import Channel
from hermite_analytics.channel.beside import LabelBeside, label_beside
from hermite_analytics.errors import UnsupportedExpression
from hermite_analytics.foundation.clock import check_time
from hermite_analytics.label.line.functions import Along, pieces_between, sign_changes
from hermite_analytics.label.line.numeric_pieces import NumericPiece, between, distinct
from hermite_analytics.label.line.sheets import LabelSheet, SheetChannel
from hermite_analytics.numeric.compiled import compiled
from hermite_analytics.numeric.state_evolution.gaussian_nodes import XI_STEP, normal_nodes
from hermite_analytics.numeric.state_evolution.sheet_map import sheet_average

__all__ = ["KnownCoordinate", "KnownCoordinates"]

Array = NDArray[np.float64]
Integers = NDArray[np.int64]

_END = 9.5  # of w
_FARTHEST = 7.5  # of x
_SCAN = 0.05  # steps of x in which places are looked for
_MOST_PLACES = 60
_HALVINGS = 48
_INSIDE = np.linspace(0.05, 0.95, 7)
_FLAT = 1e-13
_SAME = 1e-9  # relative distance of labels that are not told apart at a place
_NODES = (28, 40)  # of the double exponential rule on a panel of x, by level
_WIDEST = 1.5
_NEGLIGIBLE = (1e-12, 1e-15)  # probability of a point
_OMEGA_STEP = (0.3, 0.18)  # in the smaller of sqrt(m) and sqrt(1 - m), by level
_RARE = 1e-13  # probability of a monotone piece
_NEVER = -1e300
_CHANGES = 1e-9  # dg/dx, in units of 1 + |g|, above which it is not 0
_TAIL = 9.0  # standard deviations beyond which an edge is not seen


@dataclass(frozen=True, slots=True, kw_only=True)
class _Points:
    """Labels at all values of x together, with their preimages and intervals.

    Attributes
    ----------
    alone, squares : float
        The probability of labels with one preimage, which give w, and E[w^2] over them.
    place, weights, points, log_weights : ndarray
        The other labels that are no atoms, as in `LabelNodes`.
    starts, low, high, probabilities : ndarray
        Atoms: the intervals of each, and its weight of x.
    defect : float
        What E[h | y] misses of E[h] for a function h of w: 0 if all preimages are found.
    """

    alone: float
    squares: float
    place: Array
    weights: Array
    points: Array
    log_weights: Array
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
    _points: dict[int, _Points] = field(default_factory=dict, init=False, repr=False, compare=False)
    _shares: list[tuple[float, float]] = field(default_factory=list, init=False, repr=False, compare=False)

    @classmethod
    def of(cls, label: LabelBeside) -> KnownCoordinate | None:
        """With the places; None where there are too many of them, or the label oscillates."""
        try:
            places = _places(label)
        except UnsupportedExpression:
            return None
        return None if len(places) > _MOST_PLACES else cls(label=label, places=places)

    @property
    def groups(self) -> tuple[tuple[int, ...], ...]:
        """The one coordinate."""
        return ((0,),)

    @property
    def share(self) -> float:
        """lim (1 - m_x) F_xx at m_x -> 1: the probability of labels that determine x."""
        return self._both_shares()[0]

    @property
    def exact_share(self) -> float:
        """lim (1 - m) F(m) at m -> 1: the probability of labels that determine w once x is known."""
        return self._both_shares()[1]

    @property
    def exact_alpha(self) -> float:
        """The inverse of the share."""
        return 1 / self.exact_share if self.exact_share > 0 else math.inf

    @property
    def resolution(self) -> float:
        """Preimages cluster where they matter."""
        return 1e-6

    @property
    def mass_defect(self) -> float:
        """The relative size of what missing preimages would change."""
        return self.points(1).defect

    def __call__(self, overlaps: Array, *, level: int = 1) -> Array:
        m = float(overlaps[0])
        p = self.points(level)
        xi, weights = normal_nodes(XI_STEP[level]) if m > 0 else (np.zeros(1), np.ones(1))
        several = sheet_average(p.place, p.weights, p.points, p.log_weights, m, xi, weights)
        t, omega_weights = np.zeros(1), np.ones(1)
        if m > 0:
            t, omega_weights = normal_nodes(_OMEGA_STEP[level] * min(1.0, math.sqrt((1 - m) / m)))
        atoms = _atoms_average(p.starts, p.low, p.high, p.probabilities, m, math.sqrt(m) * t, omega_weights)
        # g_out = (w - omega)/V and omega = m w + sqrt(m V) xi
        alone = p.squares + p.alone * m / (1 - m)
        return np.array([alone + several + atoms])

    def points(self, level: int) -> _Points:
        """The labels, found once."""
        if level not in self._points:
            self._points[level] = _found(self._channels(level), level)
        return self._points[level]

    def _channels(self, level: int) -> Iterator[tuple[float, SheetChannel]]:
        """(probability, label along w) at the nodes of x."""
        x, weights = between(self.places, nodes=_NODES[level], widest=_WIDEST)
        p = weights * np.exp(-0.5 * x * x) / math.sqrt(2 * math.pi) * (2 if self.label.even else 1)
        for value, probability in zip(x[p > _NEGLIGIBLE[level]], p[p > _NEGLIGIBLE[level]], strict=True):
            check_time()
            yield float(probability), _channel(self.label, float(value))

    def _both_shares(self) -> tuple[float, float]:
        if not self._shares:
            known = other = 0.0
            x, weights = between(self.places, nodes=_NODES[1], widest=_WIDEST)
            p = weights * np.exp(-0.5 * x * x) / math.sqrt(2 * math.pi) * (2 if self.label.even else 1)
            for value, probability in zip(x[p > _NEGLIGIBLE[1]], p[p > _NEGLIGIBLE[1]], strict=True):
                check_time()
                flat = [q for q in _pieces(self.label, float(value)) if not q.slope]
                known += probability * sum(_mass(q) for q in flat if _changes(self.label, float(value), q))
                other += probability * (1 - sum(map(_mass, flat)))
            self._shares.append((known, other))
        return self._shares[0]


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownCoordinates:
    """The maps beside the coordinates of a channel, each prepared when it is asked for."""

    channel: Channel
    _found: dict[bytes, KnownCoordinate | None] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    def __call__(self, directions: Array) -> KnownCoordinate | None:
        """The map beside directions, shape (q, k), that are known exactly; None where there is no rule.

        There is one for labels of two coordinates without noise.
        """
        if directions.shape != (2, 1):
            return None
        label = label_beside(self.channel, directions[:, 0])
        if label is None:
            return None
        key = np.abs(label.known).tobytes()
        if key not in self._found:
            self._found[key] = KnownCoordinate.of(label)
        return self._found[key]


def _pieces(label: LabelBeside, x: float) -> tuple[NumericPiece, ...]:
    function = label.along.at(x)
    return tuple(p if not p.slope else _flattened(function, p) for p in pieces_between(function, -_END, _END))


def _flattened(function: Along, piece: NumericPiece) -> NumericPiece:
    """A piece that is constant but for its ends, where a kink is not found to rounding."""
    w = piece.low + (piece.high - piece.low) * _INSIDE
    with np.errstate(all="ignore"):
        slope, value = (np.asarray(f(w), dtype=np.float64) + 0 * w for f in (function.slope, function.value))
    if np.abs(slope).max() > _FLAT or np.ptp(value) > _FLAT * max(1.0, abs(value[0])):
        return piece
    return replace(piece, at_low=float(value[0]), at_high=float(value[0]), slope=0)


def _channel(label: LabelBeside, x: float) -> SheetChannel:
    function = label.along.at(x)

    def full(kernel: object) -> object:
        def values(w: Array) -> Array:
            with np.errstate(all="ignore"):
                return np.broadcast_to(np.asarray(kernel(w), dtype=np.float64), np.shape(w)).copy()

        return values

    sheet = LabelSheet(
        probability=1.0,
        value=full(function.value),
        slope=full(function.slope),
        pieces=_pieces(label, x),
        first=np.zeros(0),
        second=np.zeros((0, 0)),
    )
    apart = all(p.low > -_SAME or p.high < _SAME for p in sheet.pieces if p.slope)
    return SheetChannel(sheets=(sheet,), mirror=(0,) if label.mirrored and apart else ())


def _mass(piece: NumericPiece) -> float:
    low = -np.inf if piece.low <= -_END else piece.low
    high = np.inf if piece.high >= _END else piece.high
    return float(ndtr(high) - ndtr(low))


def _changes(label: LabelBeside, x: float, piece: NumericPiece) -> bool:
    """Whether a label that is constant in w depends on x."""
    with np.errstate(all="ignore"):
        slope = float(np.asarray(label.change(x, (piece.low + piece.high) / 2)).item())
    return abs(slope) > _CHANGES * (1 + abs(piece.at_low))


def _places(label: LabelBeside) -> tuple[float, ...]:
    """The ends of panels of x, from what changes on a grid."""
    low = 0.0 if label.even else -_FARTHEST
    count = math.ceil((_FARTHEST - low) / _SCAN)
    grid = np.linspace(low, _FARTHEST, count + 1) + 0.17 * _SCAN
    grid[0], grid[-1] = low + 1e-3 * _SCAN, _FARTHEST
    found = [k for f in label.kinks for k in sign_changes(f, np.concatenate([[low], grid])).tolist()]
    shapes = []
    for x in grid:
        check_time()
        shapes.append(_shape(label, float(x)))
    for a, b, before, after in zip(grid, grid[1:], shapes, shapes[1:], strict=False):
        if before != after:
            found += _changes_between(label, float(a), float(b), before, after)
            if len(found) > _MOST_PLACES:
                raise UnsupportedExpression("the label beside a known coordinate changes too often with it")
    inner = [x for x in distinct(found) if low + 1e-9 < x < _FARTHEST - 1e-9]
    if not label.even and not any(abs(x) < 1e-9 for x in inner):
        inner = sorted([*inner, 0.0])
    return (low, *inner, _FARTHEST)


Shape = tuple[tuple[int, ...], tuple[int, ...]]


def _shape(label: LabelBeside, x: float) -> Shape:
    """Slopes of the pieces of the label, and the order of its values at their inner ends."""
    pieces = _pieces(label, x)
    ends = np.array([v for p in pieces for v in (p.at_low, p.at_high)][1:-1])
    order = np.argsort(ends, kind="stable")
    steps = np.diff(ends[order]) > _SAME * np.maximum(1.0, np.abs(ends[order][1:]))
    ranks = np.zeros(len(ends), dtype=np.int64)
    ranks[order[1:]] = np.cumsum(steps)
    return tuple(p.slope for p in pieces), tuple(ranks.tolist())


def _changes_between(label: LabelBeside, a: float, b: float, before: Shape, after: Shape) -> list[float]:
    """Places where the shape changes, at most one in a small interval."""
    for _ in range(_HALVINGS):
        middle = (a + b) / 2
        if b - a <= 1e-14 * max(1.0, abs(a)):
            break
        shape = _shape(label, middle)
        if shape == before:
            a = middle
        elif shape == after:
            b = middle
        elif b - a < 1e-6:  # the values are not told apart
            return [middle]
        else:
            left = _changes_between(label, a, middle, before, shape)
            return left + _changes_between(label, middle, b, shape, after)
    return [(a + b) / 2]


def _found(channels: Iterator[tuple[float, SheetChannel]], level: int) -> _Points:
    alone, squares, true, seen = 0.0, 0.0, 0.0, 0.0
    rows: list[tuple[Array, Array, Array, Array]] = []
    low, high, counts, probabilities = [], [], [], []
    for probability, channel in channels:
        for atom in channel.atoms():
            low.append(atom.low)
            high.append(atom.high)
            counts.append(len(atom.low))
            probabilities.append(probability)
        if max((_mass(p) for s in channel.sheets for p in s.pieces if p.slope), default=0.0) < _RARE:
            continue
        nodes = channel.label_nodes(level)
        weights = probability * nodes.weights
        several = (nodes.log_weights > _NEVER / 2).sum(1) > 1
        alone += float(weights[~several].sum())
        squares += float(weights[~several] @ nodes.place[~several] ** 2)
        keep = several & (weights > _NEGLIGIBLE[level] * probability)
        terms = np.exp(nodes.log_weights - 0.5 * nodes.points**2 - nodes.log_weights.max(1, keepdims=True))
        with np.errstate(invalid="ignore"):
            means = (terms * _test_function(nodes.points)).sum(1) / terms.sum(1)
        own = _test_function(nodes.place)
        if channel.even:
            own = 0.5 * (own + _test_function(-nodes.place))
        true += float(weights[keep] @ own[keep])
        seen += float(weights[keep] @ means[keep])
        rows.append((nodes.place[keep], weights[keep], nodes.points[keep], nodes.log_weights[keep]))
    width = max((r[2].shape[1] for r in rows), default=1)
    columns = [np.concatenate([_wide(r[k], width, 0.0 if k < 3 else _NEVER) for r in rows]) if rows else
               np.zeros((0, width) if k > 1 else 0) for k in range(4)]
    return _Points(
        alone=alone,
        squares=squares,
        place=columns[0],
        weights=columns[1],
        points=columns[2],
        log_weights=columns[3],
        starts=np.concatenate([[0], np.cumsum(counts, dtype=np.int64)]).astype(np.int64),
        low=np.concatenate([*low, np.zeros(0)]),
        high=np.concatenate([*high, np.zeros(0)]),
        probabilities=np.array(probabilities),
        defect=abs(true - seen),
    )


def _test_function(w: Array) -> Array:
    return np.tanh(w + 0.3)


def _wide(column: Array, width: int, filling: float) -> Array:
    """A table with more columns."""
    if column.ndim == 1:
        return column
    return np.pad(column, ((0, 0), (0, width - column.shape[1])), constant_values=filling)


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
