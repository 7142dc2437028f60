"""The law of a sum of parts that turn back, or stop, at one label each: relu, |z|, z^2 and their likes.

The density of the sum is singular where all of them are at these labels, and smooth elsewhere: labels and
frequencies of `label_rule` leave nothing to extrapolate. Given z ~ N(omega, v), the transform of a part has
frequencies as high as the smallest distance from its singular label asks for, while the density of z changes
on the scale v^(1/2). So that is taken as a polynomial on panels of that width, and

    int l_j(z) exp(i t g(z)) dz

of each Lagrange polynomial l_j by rules that get fine towards the singular points.
"""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass, field

import numpy as np

from hermite_analytics.errors import UnsupportedExpression
from hermite_analytics.foundation.numpy_arrays import Array, Complex
from hermite_analytics.foundation.panels import lagrange, panel_rule, unit_rule
from hermite_analytics.label.cases.committee.graded_rule import NODES
from hermite_analytics.label.cases.committee.label_rule import WINDOW, LabelRange, LabelRule, label_rule
from hermite_analytics.label.cases.committee.parts import Part, SeparateParts
from hermite_analytics.label.cases.committee.parts_law import PartsLaw
from hermite_analytics.label.cases.committee.spread import spread_of

__all__ = ["GradedSumLaw"]


_SAME = 1e-12  # of labels, in the size of a part
_POWERS = (0.3, 4.2)  # of the distance from a singular point, like which parts go away from their labels
_NEAREST = 1e-6  # distances for which this is looked at
_PANEL = 16  # nodes of a panel of z
_TURN = 6.0  # of exp(i b x) on it, at most
_PHASE = 9.0  # of exp(i t g) on a panel of the fine rule
_DIGITS = 9  # of ends of panels that are kept
_FAR = 32.0  # from singular points, of panels
_BUCKETS = 5  # of the logarithm of deviations, so that waves are kept
_ONE = np.array([1.0, 1.0001])  # distances between which slopes are taken
_STEEPER = 4.0  # the largest ratio of slopes: a width is that of the least
_TAIL = 1e-10  # probability of labels that are not looked at
_RINGING = (1e-8, 1e-9)  # of densities, by level
_WIDEST = 60.0  # range of labels, in slopes of a part
_LOST = (1e-4, 2e-6)  # of the probability, with nothing known of z, by level


@dataclass(frozen=True, slots=True, kw_only=True)
class GradedSumLaw(PartsLaw):
    """By transforms of parts less their singular labels.

    Attributes
    ----------
    singular : dict
        By the places of a part: its label, its singular points and the largest power like which it leaves.
    where : LabelRange
        Of the sum less all of these labels.
    has_atom : bool
        Whether all parts are constant at their labels with some probability.
    level : int
    labels : LabelRule
    """

    singular: dict[tuple[int, ...], _Singular]
    where: LabelRange
    has_atom: bool
    level: int
    labels: LabelRule
    _known: dict[tuple[tuple[int, ...], float, float], Complex] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )
    _narrower: dict[int, GradedSumLaw] = field(default_factory=dict, init=False, repr=False, compare=False)

    @classmethod
    def of(cls, parts: SeparateParts, level: int) -> GradedSumLaw:
        """The law with nothing known of z.

        Raises
        ------
        UnsupportedExpression
            If a part is not of this kind, or probability is lost.
        """
        singular = {p.places: _singular(p) for p in parts.parts}
        laws = [(p.law(), p) for p in parts.parts]
        found = spread_of([(g - singular[p.places].label, q, p.count) for (g, q), p in laws], _TAIL)
        where = LabelRange(low=found.low, high=found.high, centre=0.0)
        if found.high - found.low > _WIDEST * min(s.slope for s in singular.values()):
            raise UnsupportedExpression("the labels of the parts are spread out too far for transforms")
        law = cls(
            singular=singular,
            where=where,
            has_atom=all(p.flat for p in parts.parts),
            level=level,
            labels=label_rule(where, blur=0.0, deviation=1.0, level=level),
        ).resolving(1.0)
        lost = abs(1 - law._total(parts))
        if not lost < _LOST[level]:
            raise UnsupportedExpression(f"transforms of the parts lose {lost:.1g} of the probability")
        return law

    @property
    def ringing(self) -> float:
        return _RINGING[self.level]

    def resolving(self, deviation: float) -> GradedSumLaw:
        bucket = math.floor(_BUCKETS * math.log(deviation * min(s.slope for s in self.singular.values())))
        if bucket not in self._narrower:
            width = math.exp(bucket / _BUCKETS)
            labels = label_rule(self.where, blur=0.0, deviation=1.0, level=self.level, width=width)
            self._narrower[bucket] = dataclasses.replace(self, labels=labels)
        return self._narrower[bucket]

    def rule(
        self, part: Part, low: float, high: float, deviation: float, speed: float
    ) -> tuple[Array, Array]:
        """Nodes of panels of a lattice; their weights are with the waves."""
        points = self.singular[part.places].points
        ends = [points[0] - _FAR, *points, points[-1] + _FAR]
        width = 2.0 ** math.floor(math.log2(min(deviation, _TURN / max(speed, 1e-300))))
        z, _ = panel_rule(ends, _PANEL, widest=width)
        panels = z.reshape(-1, _PANEL)
        z = panels[(panels[:, -1] > low) & (panels[:, 0] < high)].ravel()
        return z, np.ones_like(z)

    def averages(self, part: Part, z: Array, weighted: Complex) -> list[Complex]:
        u, w = unit_rule(_PANEL)
        panels = z.reshape(-1, _PANEL)
        width = (panels[:, -1] - panels[:, 0]) / (u[-1] - u[0])
        low = panels[:, 0] - u[0] * width
        waves = np.concatenate(
            [self._waves(part, *ends) for ends in zip(low, low + width, strict=True)], axis=1
        )
        flat = weighted.reshape(len(z), -1)
        found = [np.ascontiguousarray(waves @ flat).reshape(len(waves), *weighted.shape[1:])]
        if self.has_atom:
            a, b, _ = part.flat[0]
            own = np.where((z > a) & (z < b), (width[:, None] * w).ravel(), 0.0)
            found.append((own @ flat).reshape(1, *weighted.shape[1:]))
        return found

    def masses(self, layers: list[Complex]) -> list[Array]:
        rest = layers[0]
        if not self.has_atom:
            return [self.labels.density(rest) * self.labels.weights]
        atom = layers[1]
        return [np.concatenate([self.labels.density(rest - atom) * self.labels.weights, atom.real], axis=-1)]

    def _total(self, parts: SeparateParts) -> float:
        none = np.zeros(1)
        tables = [(self.tables(p, none, 1.0, none), p.count) for p in parts.parts]
        layers = [
            np.asarray(math.prod(t[k][0][:, 0, 0] ** count for t, count in tables))
            for k in range(1 + self.has_atom)
        ]
        return float(self.masses(layers)[0].sum())

    def _waves(self, part: Part, low: float, high: float) -> Complex:
        """int l_j(z) exp(i t (g(z) - label)) dz on a panel, shape (t, j); kept."""
        key = (part.places, round(low, _DIGITS), round(high, _DIGITS))
        if key not in self._known:
            self._known[key] = self._waves_on(part, low, high)
        return self._known[key]

    def _waves_on(self, part: Part, low: float, high: float) -> Complex:
        own, fineness, t = self.singular[part.places], self.labels.fineness, self.labels.t
        e = min(own.points, key=lambda p: abs(p - 0.5 * (low + high)))
        side = math.copysign(1.0, high + low - 2 * e)
        near, far = sorted((abs(low - e), abs(high - e)))
        nearest, largest = np.abs(part.value(e + side * np.array([near, far])) - own.label).tolist()
        edges = [near, far]
        if largest > 0:
            ratio = _PHASE / (WINDOW * math.hypot(fineness.phase, 2 * fineness.top * largest) * own.power)
            first = max(near, min(fineness.least ** (1 / own.least), far / 2))
            steps = max(1, math.ceil(math.log(far / first) / math.log1p(ratio)))
            edges = [*([near] if first > near else []), *np.geomspace(first, far, steps + 1)]
        d, w = panel_rule(edges, NODES)
        z = e + side * d
        scaled = np.clip(2 * (z - low) / (high - low) - 1, -1.0, 1.0)
        weights = lagrange(_PANEL, scaled) * w[:, None]
        g = part.value(z) - own.label
        found = np.zeros((len(t), _PANEL), dtype=np.complex128)
        rows = slice(0, int(np.searchsorted(t, fineness.highest(nearest), side="right")))
        found[rows] = (np.exp(1j * np.outer(t[rows], g)) * fineness.kept(t[rows], g)) @ weights
        return found


@dataclass(frozen=True, slots=True)
class _Singular:
    """g goes away from its label like powers between two, at a distance of 1 with a least slope."""

    label: float
    points: tuple[float, ...]
    least: float
    power: float
    slope: float


def _singular(part: Part) -> _Singular:
    """The label of a part at all ends of its pieces, from which it goes away like a power.

    Raises
    ------
    UnsupportedExpression
        If it has several, or none, or is no such power.
    """
    points = part.edges
    if part.dimension > 1 or not points or len(part.flat) > 1 or len(points) > 1 + len(part.flat):
        raise UnsupportedExpression("the density of a part is not singular at one label")
    values = part.value(np.array(points))
    label = float(values[0])
    if not np.isfinite(values).all() or np.ptp(values) > _SAME * max(1.0, abs(label)):
        raise UnsupportedExpression("the density of a part is singular at several labels")
    ends = [a for a, b, _ in part.flat if math.isinf(a)], [b for a, b, _ in part.flat if math.isinf(b)]
    outwards = [
        (e, side)
        for e, side, flat in zip((points[0], points[-1]), (-1.0, 1.0), ends, strict=True)
        if not flat
    ]
    powers = np.concatenate([_powers(part, e, side, label) for e, side in outwards])
    if not (_POWERS[0] <= powers.min() and powers.max() <= _POWERS[1]):
        raise UnsupportedExpression("a part does not go away from its singular label like a power")
    slopes = [float(abs(np.diff(part.value(e + side * _ONE))[0]) / np.diff(_ONE)[0]) for e, side in outwards]
    if max(slopes) > _STEEPER * min(slopes):
        raise UnsupportedExpression(
            "a part is much steeper on one side of its singular label than on another"
        )
    return _Singular(
        label=label, points=points, least=float(powers.min()), power=float(powers.max()), slope=min(slopes)
    )


def _powers(part: Part, point: float, side: float, label: float) -> Array:
    """d log |g - label|/d log distance away from a point; 0 where that is no number."""
    d = np.geomspace(_NEAREST, part.reach - side * point, 400)
    with np.errstate(divide="ignore", invalid="ignore"):
        found = np.diff(np.log(np.abs(part.value(point + side * d) - label))) / np.diff(np.log(d))
    return np.where(np.isfinite(found), found, 0.0)
