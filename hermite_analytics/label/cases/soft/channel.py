"""Labels of one or two coordinates with noise in them: P(y | w) is smooth off the breaks of a rule."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hermite_analytics.foundation.numpy_arrays import Array, Integers
from hermite_analytics.foundation.threads import in_threads
from hermite_analytics.label.cases.soft.rules import Function, PlaneRule, Rule
from hermite_analytics.label.cases.values.box_moments import indices_of_values
from hermite_analytics.label.cases.values.noisy import labels_near
from hermite_analytics.label.compiled import compiled
from hermite_analytics.label.moments import Moments, from_whitened
from hermite_analytics.label.nodes import LabelNodes

__all__ = ["SoftChannel", "SoftLabels"]

_MOST_POINTS = 40_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class SoftChannel:
    """Finitely many labels with P(y | w), or y = slope l + h(w) + noise xi, with l, w, xi independent.

    A known omega_l is taken off: slope (l - omega_l) is Gaussian noise of variance slope^2 V_l as well.

    Attributes
    ----------
    rule : Rule
        Of w; `rule.laws` are P(values[k] | w), or the one function h.
    values : ndarray, shape (k,)
        The labels, if they are finitely many; else empty.
    noise : float
        Standard deviation of added noise; 0 for finitely many labels.
    slope : float
        0 without a coordinate l, which is the first one.
    """

    rule: Rule
    values: Array
    noise: float = 0.0
    slope: float = 0.0

    @property
    def dimension(self) -> int:
        """Those of w, and l if it enters."""
        return self.rule.dimension + (self.slope != 0)

    @property
    def exact_share(self) -> float:
        """0: one label never determines a direction."""
        return 0.0

    def label_nodes(self, level: int = 1, size: float = 1.0, noise: float | None = None) -> LabelNodes:
        """Labels with points of w that are close enough for N(omega, V) of a width `size`; levels 0 and 1.

        The noise has what is unknown of slope l too: all of it, if not stated.
        """
        noise = math.hypot(self.noise, self.slope) if noise is None else noise
        points, p = self.rule.points(size, noise or self.rule.steep_as, level, self._most(level, noise))
        if noise:
            return _noisy_nodes(self.rule, points, p, noise, level)
        masses = np.concatenate([p * law(points) for law in self.rule.laws])
        count = len(self.values)
        return LabelNodes(
            labels=self.values,
            starts=len(p) * np.arange(count + 1, dtype=np.int64),
            points=np.tile(points, (count, 1)),
            masses=masses,
            defect=abs(float(masses.sum()) - 1),
        )

    @property
    def is_too_steep(self) -> bool:
        """Whether, of two coordinates, points would be too many."""
        rule, noise = self.rule, self.noise
        most = self._most(1, noise)
        return isinstance(rule, PlaneRule) and rule.is_too_steep(noise or rule.steep_as, 1, most)

    def _most(self, level: int, noise: float) -> float:
        """Points, each of which has some labels."""
        rule = self.rule
        return _MOST_POINTS / (
            2 * rule.label_reach[level] / rule.label_step[level] if noise else len(self.values)
        )

    def at(self, labels: Array) -> SoftLabels:
        """The labels of a data set, shape (n,).

        Raises
        ------
        InputError
            Naming the first label that is none of the values.
        """
        labels = np.asarray(labels, dtype=np.float64)
        if not self.noise:
            labels = indices_of_values(self.values, labels).astype(np.float64)
        return SoftLabels(channel=self, labels=labels)


def _noisy_nodes(rule: Rule, points: Array, p: Array, noise: float, level: int) -> LabelNodes:
    """Labels h(w) + noise xi at multiples of a step, as dense as the noise is smooth: symmetric about 0."""
    step, reach = rule.label_step[level], rule.label_reach[level]
    values = rule.laws[0](points) / noise
    order = np.argsort(values)
    values, p = values[order], step / math.sqrt(2 * math.pi) * p[order]
    labels = labels_near(values, step, reach)
    first, last = np.searchsorted(values, labels - reach), np.searchsorted(values, labels + reach)
    own, masses, counts = _seen(values, p, labels, first, last, rule.rare)
    return LabelNodes(
        labels=noise * labels[counts > 0],
        starts=np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(counts[counts > 0])]),
        points=points[order[own]],
        masses=masses,
        defect=abs(float(masses.sum()) - 1),
    )


@compiled
def _seen(
    values: Array, p: Array, labels: Array, first: Integers, last: Integers, rare: float
) -> tuple[Integers, Array, Integers]:
    """(point, probability) of each label with the points that are not rare, and their number by labels."""
    total = 0
    for i in range(len(labels)):
        total += last[i] - first[i]
    own, masses = np.empty(total, np.int64), np.empty(total)
    counts, end = np.zeros(len(labels), np.int64), 0
    for i in range(len(labels)):
        for k in range(first[i], last[i]):
            mass = p[k] * math.exp(-0.5 * (labels[i] - values[k]) ** 2)
            if mass > rare:
                own[end], masses[end] = k, mass
                end += 1
                counts[i] += 1
    return own[:end], masses[:end], counts


@dataclass(frozen=True, slots=True, kw_only=True)
class SoftLabels:
    """Labels of a data set, as indices where they are finitely many, for moments at any omega and V.

    Given w, y is Gaussian with the variance slope^2 Var(l | w) + noise^2, and l given both is linear in y.
    """

    channel: SoftChannel
    labels: Array

    def __call__(self, omega: Array, variance: Array) -> Moments:
        """Moments at omega, shape (n, q), and V."""
        channel, rule = self.channel, self.channel.rule
        slope, q = channel.slope, rule.dimension
        factor = np.array(np.linalg.cholesky(variance[-q:, -q:]), dtype=np.float64)
        labels, noise, along, left = self.labels, channel.noise, 0.0, 0.0
        if slope:  # l = omega_l + along u + left u_l, where w = omega_w + factor u
            along = float(variance[0, 1]) / float(factor[0, 0])
            left = math.sqrt(float(variance[0, 0]) - along * along)
            labels, noise = labels - slope * omega[:, 0], math.hypot(noise, slope * left)
        around = rule.around(factor, noise or rule.steep_as)
        log_z, first = np.empty(len(omega)), np.empty((len(omega), channel.dimension))
        second = np.empty((*first.shape, channel.dimension))

        def evaluate(start: int) -> None:
            part = slice(start, start + rule.rows)
            row, w, u, weights = around(omega[part, -q:])
            own = labels[part][row]
            if noise:
                own -= rule.laws[0](w)
                if slope:
                    own -= slope * along * u[:, 0]
                    u = np.stack([own / noise, u[:, 0]], axis=1)
                log_p = -0.5 * (own / noise) ** 2 - math.log(noise * math.sqrt(2 * math.pi))
            else:
                log_p = _log_probabilities(rule.laws, own, w)
            log_z[part], first[part], second[part] = _averages(row, weights, log_p, u, len(omega[part]))

        in_threads(evaluate, range(0, len(omega), rule.rows))
        if slope:  # u_l given y and w is Gaussian with the mean `gain` x
            gain = slope * left / noise
            first, second = first * [gain, 1.0], second * np.outer([gain, 1.0], [gain, 1.0])
            second[:, 0, 0] += 1 - gain * gain
            factor = np.array([[left, along], [0.0, float(factor[0, 0])]])
        return from_whitened(log_z, first, second, factor)


def _log_probabilities(laws: Sequence[Function], codes: Array, w: Array) -> Array:
    found = np.empty(len(w))
    for code, law in enumerate(laws):
        rows = codes == code
        found[rows] = law(w[rows])
    with np.errstate(divide="ignore"):
        return np.log(np.maximum(found, 0.0))


@compiled
def _averages(
    row: Integers, weights: Array, log_p: Array, u: Array, count: int
) -> tuple[Array, Array, Array]:
    """log of sum weights p over the nodes of each row, and the means of u and of u u^T under it."""
    q = u.shape[1]
    log_z, first, second = np.full(count, -np.inf), np.zeros((count, q)), np.zeros((count, q, q))
    end = 0
    while end < len(row):
        start, top, total, n = end, -np.inf, 0.0, row[end]
        while end < len(row) and row[end] == n:
            top = max(top, log_p[end])
            end += 1
        if top == -np.inf:
            continue
        for k in range(start, end):
            p = weights[k] * math.exp(log_p[k] - top)
            total += p
            for i in range(q):
                first[n, i] += p * u[k, i]
                for j in range(i + 1):
                    second[n, i, j] += p * u[k, i] * u[k, j]
        log_z[n] = math.log(total) + top
        for i in range(q):
            first[n, i] /= total
            for j in range(i + 1):
                second[n, i, j] /= total
                second[n, j, i] = second[n, i, j]
    return log_z, first, second
