"""F of labels of r equal parts, y = g(z_1) + ... + g(z_r) + noise, on the matrices that permutations keep.

With u the unit vector along the sum and P its complement, M = m P + m_u u u^T. For m_u >= m, what is known
is omega ~ N(0, m I), beside it an observation of the sum: given both, u.z is N(omega_u, 1 - m_u), with
omega_u - u.omega = (m_u - m)^(1/2) xi. The transform of the label together with s = u.(z - omega) is

    E[exp(i k y + i l s) | omega] = prod_i E[exp(i k g(z_i) + i l (z_i - omega_i)/sqrt(r))],

and the ratio of the densities of s given xi and not is an average over l ~ N(0, q), q = 1/V - 1/v:

    (v/V)^(1/2) exp(xi^2/2) E_l exp(i l (s - c)),    v = 1 - m,  V = 1 - m_u,  c = xi v/(m_u - m)^(1/2).

omega runs over the nodes of Gauss and Hermite in each coordinate, up to permutations: few factors serve all.
Without noise the label is blurred a little, and F is extrapolated to no blur.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from scipy import fft
from scipy.special import ndtr

from hermite_analytics.errors import UnsupportedExpression
from hermite_analytics.foundation.threads import in_threads
from hermite_analytics.label.cases.committee.parts import EqualParts
from hermite_analytics.label.cases.committee.smooth import panel_rule
from hermite_analytics.numeric.bayes.maps.committee_sums import products
from hermite_analytics.numeric.bayes.maps.commutant import Commutant
from hermite_analytics.numeric.bayes.maps.sampled_map import SampledMap

__all__ = ["CommitteeMap"]

Array = NDArray[np.float64]
Complex = NDArray[np.complex128]
Integers = NDArray[np.int64]

_FREQUENCIES = (160, 320)  # of the label, by level
_COMBINATIONS = (330, 1400)  # of nodes of omega at most
_OBSERVED = (8, 10)  # nodes of xi
_DEEPEST = ((1e-6, 2), (1e-3, 4), (0.03, 6), (0.2, 8), (1.0, 24))  # overlap m, nodes that it asks for at most
_BLUR = 2.0  # spacings of the label
_BLURS = (1.0, math.sqrt(2), 2.0)
_SLOWEST = 0.9  # ratio of the steps from blur to blur that is still extrapolated
_NOISE = 7.5  # exp(-x^2/2) is nothing there
_RARE = 1e-9  # share of the largest density, below which it is ringing
_RARE_NODES = (1e-7, 1e-9)  # probability of a combination, by level
_ALIASED = 60.0
_REACH = 8.5
_TAIL = 1e-8  # probability of labels outside the period
_LATTICE = 2**14
_PHASE = 20.0  # of a panel of z
_AT_ONCE = 12  # combinations
_SAME = 1e-12
_LEAST = 1e-14
_WIDE = 0.12  # blur, in standard deviations of the label
_TRIED = (0.05, 0.3, 0.6, 0.85)
_FALLS = 1e-3


@dataclass(frozen=True, slots=True, kw_only=True)
class CommitteeMap:
    """F(M) by products of transforms.

    Attributes
    ----------
    parts : EqualParts
    sampled : SampledMap
        For matrices that permutations do not keep, or with m_u < m.
    low, width : float
        Where labels are.
    """

    parts: EqualParts
    sampled: SampledMap
    low: float
    width: float
    where: Commutant
    _known: dict[tuple[float, float, int], tuple[float, float]] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    @classmethod
    def of(cls, parts: EqualParts, sampled: SampledMap) -> CommitteeMap:
        """With the range of the labels.

        Raises
        ------
        UnsupportedExpression
            If the part is constant on several intervals without noise, if labels spread too far, or if the
            sum of the coordinates is not what is learned best.
        """
        if len(parts.flat) > 1 and not parts.noise:
            raise UnsupportedExpression(
                "the parts are constant on several intervals, and the label has no noise"
            )
        low, width, deviation = _range(parts)
        blur = _BLUR * width / (2 * _FREQUENCIES[1])
        blurred = parts.noise * math.pi * _BLUR < _NOISE * blur
        if blurred and blur > _WIDE * deviation:
            raise UnsupportedExpression("the labels of the committee are spread out too far for transforms")
        found = cls(parts=parts, sampled=sampled, low=low, width=width, where=_where(parts))
        if not parts.even:
            for m in _TRIED:
                across, along = found._values(m, m, 0)
                if along < across * (1 - _FALLS):
                    raise UnsupportedExpression("the sum of the coordinates is not what is learned best")
        return found

    @property
    def exact_share(self) -> float:
        """Each label that is no atom is one equation for all directions."""
        if self.parts.noise:
            return 0.0
        atom = sum(float(ndtr(b) - ndtr(a)) for a, b, _ in _open(self.parts.flat)) ** self.parts.count
        return (1 - atom) / self.parts.count

    @property
    def resolution(self) -> float:
        """Labels are blurred, and the nodes of omega are few."""
        return 2e-2

    @property
    def mass_defect(self) -> float:
        """Labels outside the period."""
        return _TAIL

    def takes(self, matrix: Array) -> bool:
        """Whether M is one of those, and not left to sampling."""
        m, m_u = self._overlaps(matrix)
        rebuilt = m * np.eye(self.parts.count) + (m_u - m) * np.outer(
            self.parts.direction, self.parts.direction
        )
        return m_u >= m - _SAME and bool(np.abs(rebuilt - matrix).max() < 1e-9)

    def __call__(self, matrix: Array, *, level: int = 1) -> Array:
        if not self.takes(matrix):
            return self.sampled(matrix, level=level)
        m, m_u = self._overlaps(matrix)
        across, along = self._values(m, max(m, m_u), max(level, 0))
        u = self.parts.direction
        return np.asarray(across * np.eye(len(u)) + (along - across) * np.outer(u, u))

    def _overlaps(self, matrix: Array) -> tuple[float, float]:
        """(m, m_u); one number where sign changes leave one."""
        u, r = self.parts.direction, self.parts.count
        m_u, trace = float(u @ matrix @ u), float(np.trace(matrix))
        if self.parts.even:
            return trace / r, trace / r
        return max((trace - m_u) / (r - 1), 0.0), m_u

    def _values(self, m: float, m_u: float, level: int) -> tuple[float, float]:
        """F across and along u; kept."""
        key = (m, m_u, level)
        if key not in self._known:
            self._known[key] = self._found(m, m_u, level)
        return self._known[key]

    def _found(self, m: float, m_u: float, level: int) -> tuple[float, float]:
        r = self.parts.count
        nodes, node_weights = self._nodes(m, level)
        xi, xi_weights, ells, contraction = _observations(m, m_u, _OBSERVED[level])
        k = np.asarray(2 * math.pi / self.width * np.arange(_FREQUENCIES[level] + 1), dtype=np.float64)
        plain, moved, atoms = self._transforms(k, ells, nodes, 1 - m)
        members, places, counts, weights = _combinations(node_weights, r, _RARE_NODES[level])
        phase = np.exp(1j * k * r * self.parts.flat[0][2]) if atoms is not None else None
        filters = self._filters(k)
        ratio = math.sqrt(max(m_u - m, 0.0) / (1 - m)) * xi

        def part(rows: slice) -> Array:
            found = products(plain, moved, contraction, members[rows], places[rows])
            squares = np.zeros((len(filters), 2))
            if atoms is not None and phase is not None:
                fixed = products(*atoms, contraction, members[rows], places[rows])
                found -= phase * fixed
                squares += _squares(fixed.real, counts[rows], weights[rows], ratio, xi_weights)
            for i, factor in enumerate(filters):
                masses = fft.irfft(np.conj(found * factor), axis=-1)
                squares[i] += _squares(masses, counts[rows], weights[rows], ratio, xi_weights)
            return squares

        jobs = [slice(i, i + _AT_ONCE) for i in range(0, len(members), _AT_ONCE)]
        squares = np.sum(in_threads(part, jobs), axis=0)
        across, along = (_unblurred(*column) if len(column) > 1 else float(column[0]) for column in squares.T)
        if self.parts.even:  # of omega one sign stands for both
            return ((across + along) / (1 - m) / r,) * 2
        # in units of (1 - m)^(1/2)
        return max(across, 0.0) / (1 - m) / (r - 1), along * (1 - m) / (1 - m_u) ** 2

    def _nodes(self, m: float, level: int) -> tuple[Array, Array]:
        """Of omega; of an even part one of each pair."""
        r, wanted = self.parts.count, next(n for top, n in _DEEPEST if m <= top)
        if m <= 0:
            return np.zeros(1), np.ones(1)
        halves = 2 if self.parts.even else 1
        most = max(
            n for n in range(2, 26) if math.comb(-(-n // halves) + r - 1, r) <= _COMBINATIONS[level] or n == 2
        )
        x, w = np.polynomial.hermite_e.hermegauss(min(wanted + 2 * level, most))
        w = w / w.sum()
        if self.parts.even:
            x, w = x[x >= -_SAME], np.where(x > _SAME, 2 * w, w)[x >= -_SAME]
        return math.sqrt(m) * x, w

    def _filters(self, k: Array) -> list[Complex]:
        """The noise; where it is none, or narrow, blurs as well."""
        shift = np.exp(-1j * k * self.low)
        noise = self.parts.noise
        if noise * k[-1] >= _NOISE:
            return [np.exp(-0.5 * (noise * k) ** 2) * shift]
        spacing = self.width / (2 * (len(k) - 1))
        return [np.exp(-0.5 * ((noise * k) ** 2 + (_BLUR * spacing * b * k) ** 2)) * shift for b in _BLURS]

    def _transforms(
        self, k: Array, ells: Array, nodes: Array, variance: float
    ) -> tuple[Complex, Complex, tuple[Complex, Complex] | None]:
        """E[(1, x) exp(i k g(z) + i l (z - omega)/sqrt(r))], shape (k, n, l), with x = (z - omega)/sqrt(v).

        And the same on the interval where g is constant, at k = 0, where there is no noise.
        """
        deviation = math.sqrt(variance)
        low, high = float(nodes.min()) - _REACH * deviation, float(nodes.max()) + _REACH * deviation
        places = np.linspace(low, high, 2001)
        steepest = float(np.abs(np.diff(self.parts.value(places))).max()) / (places[1] - places[0])
        fastest = float(k[-1]) * steepest + float(np.abs(ells).max()) / math.sqrt(self.parts.count)
        inner = [e for e in self.parts.edges if low < e < high]
        z, rule = panel_rule((low, *inner, high), min(_PHASE / fastest, deviation))
        x = (z[:, None] - nodes) / deviation
        density = np.exp(-0.5 * x * x) / math.sqrt(2 * math.pi) / deviation * rule[:, None]
        tilted = (
            np.exp(1j * (deviation / math.sqrt(self.parts.count)) * x[:, :, None] * ells) * density[..., None]
        )
        both = np.stack([tilted, x[:, :, None] * tilted])
        waves = np.exp(1j * np.outer(k, self.parts.value(z)))
        shape = (len(k), len(nodes), len(ells))
        plain, moved = (np.ascontiguousarray(waves @ b.reshape(len(z), -1)).reshape(shape) for b in both)
        if not self.parts.flat or self.parts.noise:
            return plain, moved, None
        a, b, _ = _open(self.parts.flat)[0]
        inside = both[:, (z > a) & (z < b)].sum(1)
        return plain, moved, (inside[0][None], inside[1][None])


def _unblurred(one: float, two: float, three: float) -> float:
    """Without a blur, from three whose squares double: errors of second and fourth order, or of a lower one.

    Densities that are singular where several parts have their limits leave an order below 2; it is read off.
    """
    near, far = one - two, two - three
    ratio = near / far if far != 0 else 0.0
    if 0.5 < ratio < _SLOWEST:
        return float(one + near * ratio / (1 - ratio))
    return float(one + (5 * near - far) / 3)


def _squares(masses: Array, counts: Array, weights: Array, ratio: Array, xi_weights: Array) -> Array:
    """Sums of E[(P x)^2 | y] and of E[u.x - ratio | y]^2 over combinations, xi and labels.

    Parameters
    ----------
    masses : ndarray, shape (c, 1 + d, t, y)
        Of the label, and with x of one coordinate of each node.
    counts : ndarray, shape (c, d)
        How many coordinates share it.
    """
    p, first = masses[:, 0], masses[:, 1:]
    kept = p > _RARE * p.max(axis=-1, keepdims=True)
    inverse = np.where(kept, 1 / np.where(kept, p, 1.0), 0.0)
    r = counts[0].sum()
    total = np.einsum("cd,cdty->cty", counts, first) / math.sqrt(r)
    every = np.einsum("cd,cdty,cdty->cty", counts, first, first)
    along = total - ratio[:, None] * p
    share = weights[:, None] * xi_weights
    across = np.einsum("ct,cty,cty->", share, every - total * total, inverse)
    return np.array([float(across), float(np.einsum("ct,cty,cty->", share, along * along, inverse))])


def _observations(m: float, m_u: float, count: int) -> tuple[Array, Array, Array, Complex]:
    """(xi, weights, l, matrix from l to xi): of the sum of the coordinates."""
    gap, v, left = m_u - m, 1 - m, 1 - m_u
    if gap <= _LEAST:
        return np.zeros(1), np.ones(1), np.zeros(1), np.ones((1, 1), dtype=np.complex128)
    xi, weights = np.polynomial.hermite_e.hermegauss(count)
    q, farthest = 1 / left - 1 / v, float(np.abs(xi).max())
    # images of the trapezoidal rule in l are D apart: D (D - 2 c) (m_u - m) > 2 v^2 * 30
    period = (farthest + math.sqrt(farthest**2 + _ALIASED)) * v / math.sqrt(gap)
    step = 2 * math.pi / period
    half = math.ceil(_NOISE * math.sqrt(q) / step)
    ells = np.asarray(step * np.arange(-half, half + 1), dtype=np.float64)
    c = xi * v / math.sqrt(gap)
    density = step / math.sqrt(2 * math.pi * q) * np.exp(-0.5 * ells**2 / q)
    matrix = math.sqrt(v / left) * np.exp(0.5 * xi * xi - 1j * np.outer(ells, c)) * density[:, None]
    return xi, weights / weights.sum(), ells, np.asarray(matrix, dtype=np.complex128)


def _combinations(node_weights: Array, r: int, rare: float) -> tuple[Integers, Integers, Array, Array]:
    """(members, places of one of each node, how many share it, weights) of omega up to permutations."""
    n = len(node_weights)
    members = np.array(list(itertools.combinations_with_replacement(range(n), r)), dtype=np.int64)
    new = np.concatenate([np.ones((len(members), 1), dtype=bool), np.diff(members, axis=1) > 0], axis=1)
    widest = int(new.sum(1).max())
    places = np.full((len(members), widest), -1, dtype=np.int64)
    counts = np.zeros((len(members), widest))
    weights = np.empty(len(members))
    for c, row in enumerate(new):
        at = np.flatnonzero(row)
        places[c, : len(at)] = at
        shared = np.diff([*at, r])
        counts[c, : len(at)] = shared
        ways = math.factorial(r) / math.prod(math.factorial(int(s)) for s in shared)
        weights[c] = ways * float(np.prod(node_weights[members[c]]))
    kept = weights > rare
    return members[kept], places[kept], counts[kept], weights[kept] / weights[kept].sum()


def _range(parts: EqualParts) -> tuple[float, float, float]:
    """(lowest label, width of the period, standard deviation) off tails of little probability."""
    z, rule = panel_rule((-_REACH, *(e for e in parts.edges if abs(e) < _REACH), _REACH), 0.05)
    p = rule * np.exp(-0.5 * z * z) / math.sqrt(2 * math.pi)
    g, r = parts.value(z), parts.count
    mean = float(p @ g)
    deviation = math.sqrt(r * float(p @ (g - mean) ** 2) + parts.noise**2)
    start, cell = float(g.min()), float(np.ptp(g)) * r / (_LATTICE - 2 * r)
    single = np.bincount(np.round((g - start) / cell).astype(np.int64), p, _LATTICE)
    law = np.maximum(fft.irfft(fft.rfft(single) ** r, _LATTICE), 0.0)
    below, above = np.cumsum(law), np.cumsum(law[::-1])[::-1]
    low = r * start + cell * float(np.searchsorted(below, _TAIL))
    high = r * start + cell * float(_LATTICE - np.searchsorted(above[::-1], _TAIL))
    spread = (high - low) / (2 * _FREQUENCIES[0]) * _BLUR * _BLURS[-1] if not parts.noise else parts.noise
    beside = 6.5 * spread
    return low - beside, high - low + 2 * beside, deviation


def _where(parts: EqualParts) -> Commutant:
    u, r = parts.direction, parts.count
    if parts.even:
        return Commutant.diagonal([tuple(range(r))])
    axes = np.linalg.qr(np.column_stack([u, np.eye(r)[:, 1:]]))[0]
    along = np.outer(u, u)
    basis = np.array([along, (np.eye(r) - along) / math.sqrt(r - 1)])
    return Commutant(basis=basis, axes=axes, groups=((0,), tuple(range(1, r))))


def _open(flat: tuple[tuple[float, float, float], ...]) -> list[tuple[float, float, float]]:
    """Intervals that end where g was no longer looked at go on."""
    return [(-math.inf if a < -_REACH else a, math.inf if b > _REACH else b, c) for a, b, c in flat]
