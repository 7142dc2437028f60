"""F(M) = E[g_out g_out^T] over omega ~ N(0, M) and y given omega, with V = I - M.

M is diagonal in the coordinates of the channel, and has one number for each orbit of its symmetries.

    noiseless labels   z ~ N(0, 1), omega = m z + sqrt(m (1 - m)) xi: the preimages do not depend on omega;
    other labels       sum over y and integral over omega of (dZ/d omega)^2 / Z.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from hermite_analytics.channel.boxes import BoxChannel, interval_probabilities
from hermite_analytics.channel.preparation import Kind
from hermite_analytics.channel.sheets import LabelNodes, SheetChannel
from hermite_analytics.channel.smooth import NoisyChannel, SoftChannel, windows
from hermite_analytics.errors import UnsupportedExpression
from hermite_analytics.numeric.compiled import compiled

__all__ = ["BoxMap", "NoisyMap", "OverlapMap", "SheetMap", "SoftMap", "map_of"]

Array = NDArray[np.float64]

_REACH = 8.6  # standard deviations
_STEP = (0.3, 0.18)  # of omega, in units of min(1, sqrt(V/m)) of its standard deviation, by level
_XI = (0.24, 0.15)
_LABEL = (0.25, 0.15)  # of a noisy label, in standard deviations of the noise
_TINY = 1e-290
_FLAT = 1e-12  # slope of a constant piece
_NARROWEST = 1e-6  # variance
_ROWS = 1000  # omega at a time
_CHUNK = 2_000_000


class OverlapMap(Protocol):
    """F on the diagonals M that the symmetries allow."""

    @property
    def groups(self) -> tuple[tuple[int, ...], ...]:
        """The coordinates of the channel that share a parameter."""

    @property
    def exact_share(self) -> float:
        """lim (1 - m) F(m) at m -> 1: the probability of labels that determine the coordinate."""

    @property
    def resolution(self) -> float:
        """The least 1 - m at which the map is cheap."""

    @property
    def exact_alpha(self) -> float:
        """The alpha above which M = I is stable; inf if it never is."""

    def __call__(self, overlaps: Array, *, level: int = 1) -> Array:
        """F, one entry a parameter, each in [0, 1)."""


def map_of(kind: Kind) -> OverlapMap:
    """The map of a channel.

    Raises
    ------
    UnsupportedExpression
        If the overlap matrix does not stay diagonal.
    """
    if isinstance(kind, SheetChannel):
        return SheetMap(channel=kind)
    if isinstance(kind, SoftChannel):
        return SoftMap(channel=kind)
    if isinstance(kind, NoisyChannel):
        return NoisyMap(channel=kind)
    if not kind.keeps_axes():
        raise UnsupportedExpression(
            "no symmetry of the target keeps its overlap matrix diagonal; state evolution takes targets of "
            "several indices whose label keeps its law, up to a renaming, under changes of sign; simulate AMP"
        )
    return BoxMap(channel=kind)


def _normal_nodes(step: float) -> tuple[Array, Array]:
    """The trapezoid rule for N(0, 1)."""
    half = math.ceil(_REACH / step)
    t = np.asarray(np.arange(-half, half + 1) * step, dtype=np.float64)
    return t, step * np.exp(-0.5 * t * t) / math.sqrt(2 * math.pi)


def _omega(m: float, level: int) -> tuple[Array, Array]:
    """omega ~ N(0, m) at the resolution sqrt(1 - m) of the channel."""
    if m <= 0:
        return np.zeros(1), np.ones(1)
    t, w = _normal_nodes(_STEP[level] * min(1.0, math.sqrt((1 - m) / m)))
    return math.sqrt(m) * t, w


@dataclass(frozen=True, slots=True, kw_only=True)
class SheetMap:
    """Of noiseless labels along one coordinate."""

    channel: SheetChannel
    _nodes: dict[int, LabelNodes] = field(default_factory=dict, init=False, repr=False, compare=False)

    @property
    def groups(self) -> tuple[tuple[int, ...], ...]:
        """The one coordinate."""
        return ((0,),)

    @property
    def exact_share(self) -> float:
        """The probability that the label is no atom."""
        return self.channel.continuous_probability

    @property
    def resolution(self) -> float:
        """Preimages cluster where they matter."""
        return 1e-6

    @property
    def exact_alpha(self) -> float:
        """The inverse of the share."""
        return 1 / self.exact_share if self.exact_share else math.inf

    def nodes(self, level: int) -> LabelNodes:
        """The label nodes, found once."""
        if level not in self._nodes:
            self._nodes[level] = self.channel.label_nodes(level)
        return self._nodes[level]

    def __call__(self, overlaps: Array, *, level: int = 1) -> Array:
        m = float(overlaps[0])
        nodes = self.nodes(level)
        xi, weights = _normal_nodes(_XI[level]) if m > 0 else (np.zeros(1), np.ones(1))
        found = _sheet_average(nodes.place, nodes.weights, nodes.points, nodes.log_weights, m, xi, weights)
        return np.array([found + self._of_atoms(m, level)])

    def _of_atoms(self, m: float, level: int) -> float:
        omega, weights = _omega(m, level)
        probabilities = np.array([s.probability for s in self.channel.sheets])
        total = 0.0
        for atom in self.channel.atoms():
            z, slope = np.zeros(len(omega)), np.zeros(len(omega))
            for low, high, k in zip(atom.low, atom.high, atom.sheet, strict=True):
                edges = np.array([low, high])
                p, dp, _ = interval_probabilities(edges, omega, 1 - m)
                z, slope = z + probabilities[k] * p[:, 0], slope + probabilities[k] * dp[:, 0]
            total += float(weights @ (slope**2 / np.maximum(z, _TINY)))
        return total

    def hidden(self, m: float, *, level: int = 1) -> tuple[Array, Array]:
        """What the label says of the discrete coordinates v while nothing is known of them.

        Returns E[E[v|.] E[v|.]^T], shape (p, p), and E[G_ab G_cd], shape (p, p, p, p), G = E[v v^T - I | .].
        """
        nodes = self.nodes(level)
        first = np.stack([s.first for s in self.channel.sheets])
        second = np.stack([s.second.ravel() for s in self.channel.sheets])
        xi, weights = _normal_nodes(_XI[level]) if m > 0 else (np.zeros(1), np.ones(1))
        table = np.concatenate([first, second], axis=1)
        found = _hidden_average(
            nodes.place, nodes.weights, nodes.points, nodes.log_weights, nodes.sheet, table, m, xi, weights
        )
        p = first.shape[1]
        return found[:p, :p], found[p:, p:].reshape(p, p, p, p)


@compiled
def _sheet_average(
    place: Array, weights: Array, points: Array, log_weights: Array, m: float, xi: Array, xi_weights: Array
) -> float:
    """E[g^2] over nodes and xi."""
    v = 1.0 - m
    spread = math.sqrt(m * v)
    total = 0.0
    for n in range(len(place)):
        for t in range(len(xi)):
            omega = m * place[n] + spread * xi[t]
            top, s0, s1 = -np.inf, 0.0, 0.0
            for i in range(points.shape[1]):
                if log_weights[n, i] <= -1e299:
                    continue
                d = points[n, i] - omega
                log_term = log_weights[n, i] - 0.5 * d * d / v
                if log_term > top:
                    scale = math.exp(top - log_term)
                    s0, s1, top = s0 * scale, s1 * scale, log_term
                term = math.exp(log_term - top)
                s0, s1 = s0 + term, s1 + term * d
            g = s1 / (s0 * v)
            total += weights[n] * xi_weights[t] * g * g
    return total


@compiled
def _hidden_average(
    place: Array,
    weights: Array,
    points: Array,
    log_weights: Array,
    sheet: NDArray[np.int64],
    table: Array,
    m: float,
    xi: Array,
    xi_weights: Array,
) -> Array:
    """E[a a^T] for the average a of the table's rows over the preimages."""
    v = 1.0 - m
    spread = math.sqrt(m * v)
    size = table.shape[1]
    result = np.zeros((size, size))
    mean = np.zeros(size)
    for n in range(len(place)):
        for t in range(len(xi)):
            omega = m * place[n] + spread * xi[t]
            top = -np.inf
            for i in range(points.shape[1]):
                d = points[n, i] - omega
                top = max(top, log_weights[n, i] - 0.5 * d * d / v)
            mean[:] = 0.0
            total = 0.0
            for i in range(points.shape[1]):
                d = points[n, i] - omega
                term = math.exp(log_weights[n, i] - 0.5 * d * d / v - top)
                total += term
                mean += term * table[sheet[n, i]]
            factor = weights[n] * xi_weights[t] / (total * total)
            for a in range(size):
                for b in range(size):
                    result[a, b] += factor * mean[a] * mean[b]
    return result


@dataclass(frozen=True, slots=True, kw_only=True)
class BoxMap:
    """Of finitely many labels on boxes; coordinates that symmetries exchange share a parameter."""

    channel: BoxChannel

    @property
    def groups(self) -> tuple[tuple[int, ...], ...]:
        """The orbits of coordinates."""
        return tuple(tuple(g) for g in self.channel.orbits())

    @property
    def exact_share(self) -> float:
        """0: finitely many values never determine a coordinate."""
        return 0.0

    @property
    def resolution(self) -> float:
        """Only what is near the edges costs."""
        return 1e-6 if self.channel.dimension < 3 else 3e-3

    @property
    def exact_alpha(self) -> float:
        """Infinite."""
        return math.inf

    def __call__(self, overlaps: Array, *, level: int = 1) -> Array:
        q = self.channel.dimension
        m = np.zeros(q)
        for value, group in zip(overlaps, self.groups, strict=True):
            m[list(group)] = value
        tables = [_table(e, float(x), level) for e, x in zip(self.channel.edges, m, strict=True)]
        wanted = [g[0] for g in self.groups]
        total = np.zeros(len(wanted))
        step = max(1, _CHUNK // int(np.prod([len(t[2]) for t in tables[1:]])))
        for start in range(0, len(tables[0][2]), step):
            p = [tuple(t[start : start + step] for t in tables[0]), *tables[1:]]
            w = [t[2] for t in p]
            for inside in self.channel.tables(_LABEL[level]):
                z = np.maximum(_contracted(inside, [t[0] for t in p]), _TINY)
                for i, k in enumerate(wanted):
                    slope = _contracted(inside, [t[int(j == k)] for j, t in enumerate(p)])
                    total[i] += float(_contracted(slope * slope / z, [x[None] for x in w]).item())
        return total


def _table(edges: Array, m: float, level: int) -> tuple[Array, Array, Array]:
    """P(interval), its slope and the weight at nodes omega; nodes far from all edges are one an interval."""
    omega, weights = _omega(m, level)
    p, slope, _ = interval_probabilities(edges, omega, 1 - m)
    near = p.max(1) < 1.0
    home = np.argmax(p, axis=1)
    masses = np.bincount(home[~near], weights=weights[~near], minlength=p.shape[1])
    return (
        np.concatenate([p[near], np.eye(p.shape[1])]),
        np.concatenate([slope[near], np.zeros((p.shape[1],) * 2)]),
        np.concatenate([weights[near], masses]),
    )


def _contracted(table: Array, matrices: Sequence[Array]) -> Array:
    """Each axis of the table against the rows of its matrix."""
    for matrix in matrices:
        table = np.tensordot(table, matrix, axes=(0, 1))
    return table


@dataclass(frozen=True, slots=True, kw_only=True)
class SoftMap:
    """Of finitely many labels with a smooth probability."""

    channel: SoftChannel

    @property
    def groups(self) -> tuple[tuple[int, ...], ...]:
        """The one coordinate."""
        return ((0,),)

    @property
    def exact_share(self) -> float:
        """0: finitely many values never determine a coordinate."""
        return 0.0

    @property
    def resolution(self) -> float:
        """All of omega is resolved."""
        return 1e-3

    @property
    def exact_alpha(self) -> float:
        """Infinite."""
        return math.inf

    def __call__(self, overlaps: Array, *, level: int = 1) -> Array:
        m = float(overlaps[0])
        omega, weights = _omega(m, level)
        w, p = self.channel.quadrature(omega, 1 - m, level=level)
        d = p * (w - omega[:, None])
        total = 0.0
        for likelihood in self.channel.likelihoods:
            law = likelihood(w)
            z, first = (p * law).sum(1), (d * law).sum(1) / (1 - m)
            total += float(weights @ (first * first / np.maximum(z, _TINY)))
        return np.array([total])


@dataclass(frozen=True, slots=True, kw_only=True)
class NoisyMap:
    """Of y = slope l + h(w) + noise xi; the parameters are those of l, if there is one, and of w."""

    channel: NoisyChannel

    @property
    def groups(self) -> tuple[tuple[int, ...], ...]:
        """Each coordinate by itself."""
        return ((0,), (1,)) if self.channel.slope else ((0,),)

    @property
    def exact_share(self) -> float:
        """0: with noise, or with two coordinates, one label never determines a coordinate."""
        return 0.0

    @property
    def resolution(self) -> float:
        """All of omega is resolved."""
        return 1e-2

    @property
    def exact_alpha(self) -> float:
        """Without noise: beside M = I each label gives one linear equation for two coordinates.

        There F_i = E[g_i^2 / sum_j g_j^2 V_j] with g the gradient of the label, so that sum_i V_i F_i = 1 and
        V -> V/(alpha V F) shrinks if alpha > 2; what is flat in w gives no equation for w.
        """
        if self.channel.noise > 0 or not self.channel.slope:
            return math.inf
        w, p = windows(self.channel.edges, np.zeros(1), 1.0)
        slope = np.broadcast_to(self.channel.derivative(w), w.shape)
        steep = float((p * (np.abs(slope) > _FLAT)).sum())
        return max(2.0, 1 / steep) if steep > 0 else math.inf

    def __call__(self, overlaps: Array, *, level: int = 1) -> Array:
        slope, m = self.channel.slope, float(overlaps[-1])
        variance = self.channel.noise**2 + (slope**2 * (1 - float(overlaps[0])) if slope else 0.0)
        size = math.sqrt(variance)
        if min(variance, 1 - m) < _NARROWEST:
            raise UnsupportedExpression(
                f"an overlap is within {_NARROWEST:g} of 1, but not both coordinates are known exactly; "
                "simulate it by AMP"
            )
        omega, weights = _omega(m, level)
        of_w, of_l = 0.0, 0.0
        for start in range(0, len(omega), _ROWS):
            part = slice(start, start + _ROWS)
            w, p, h = self.channel.quadrature(omega[part], 1 - m, size, level=level)
            found = _noisy_average(w - omega[part, None], p, h, weights[part], size, _LABEL[level])
            of_w, of_l = of_w + found[0], of_l + found[1]
        result = [of_w / (1 - m) ** 2]
        return np.array([slope**2 * of_l / variance**2, *result] if slope else result)


@compiled
def _noisy_average(
    d: Array, p: Array, h: Array, omega_weights: Array, size: float, step: float
) -> tuple[float, float]:
    """E[E[d | y]^2] and E[(y - E[h | y])^2] for y = h + size xi, d = w - omega."""
    of_w, of_l = 0.0, 0.0
    dy = step * size
    reach = math.ceil(8.6 / step)
    for n in range(len(omega_weights)):
        low, high = np.inf, -np.inf
        for j in range(p.shape[1]):
            if p[n, j] > 1e-18:
                low, high = min(low, h[n, j]), max(high, h[n, j])
        count = math.ceil((high - low) / dy) + 2 * reach + 2
        z, z_d, z_h = np.zeros(count), np.zeros(count), np.zeros(count)
        for j in range(p.shape[1]):
            if p[n, j] <= 1e-18:
                continue
            first = math.ceil((h[n, j] - low) / dy - 1e-9)
            for k in range(first, first + 2 * reach):
                x = (low - h[n, j]) / size + (k - reach) * step
                term = p[n, j] * math.exp(-0.5 * x * x)
                z[k] += term
                z_d[k] += term * d[n, j]
                z_h[k] += term * x
        for k in range(count):
            if z[k] > 1e-290:
                factor = omega_weights[n] * step / math.sqrt(2.0 * math.pi)
                of_w += factor * z_d[k] * z_d[k] / z[k]
                of_l += factor * z_h[k] * z_h[k] / z[k] * size * size
    return of_w, of_l
