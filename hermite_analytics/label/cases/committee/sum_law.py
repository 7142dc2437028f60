"""Sums of r equal parts: transforms in the label at chosen sums of the coordinates.

With g the part, less its linear projection (known with S) and divided by what is left of its size,

    E[exp(i t y + i u S)] = psi(t, u)^r exp(-noise^2 t^2/2),    psi(t, u) = E[exp(i t g(z) + i u z)],

and E[sum z_i^2 exp(..)] = r psi_2 psi^(r-1), psi_2 with the factor z^2. Of smooth parts psi is small but at
-u between t min g' and t max g', and beyond by as much as Airy's function asks for where a slope is extreme:
u are as many as t asks for, and a period of z that holds all of them apart gives psi by one FFT for each t.
Of others rules for z have panels that end at kinks. Odd smooth parts have real transforms; those of even
parts are even in u.

The inverse transform in u is taken at nodes S that are denser where critical labels meet: those have all
g'(z_i) equal, and become one at bends, g''(z_i) = 0. For bounded odd parts panels end also where a critical
label, m g(S/m) with m more coordinates of one sign than of the other, is that of others at infinity.
"""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Callable, Sequence

import numpy as np

from hermite_analytics.errors import UnsupportedExpression
from hermite_analytics.foundation.clock import check_time
from hermite_analytics.foundation.numpy_arrays import Array, Complex
from hermite_analytics.foundation.panels import panel_rule
from hermite_analytics.label.cases.committee.joint import excess
from hermite_analytics.label.cases.committee.smooth import LARGEST_POWER, RULE, SmoothLaw, standardised

__all__ = ["sum_law"]

Function = Callable[[Array], Array]

_REACH = 8.5  # standard deviations of z
_SUMS = 6.6  # of S
_PERIOD = 7.7  # half of it, of S
_SPREAD = 8.0  # of y, in sqrt(r), besides what one large part adds
_LARGEST = 6.0  # |z| where slopes are looked at
_TOGETHER = 27.0  # the same for the r-th power of a transform: r z^2/2
_LOOKED_AT = 4001  # points
_BESIDE = 8.5  # frequencies beyond the slopes
_AIRY = 4.6  # the same, in (t g''')^(1/3)
_KINKED = 80.0  # the same at kinks, beyond the largest at all t
_PHASE = 48.0  # of a panel of z
_WIDTH = 1.0
_NOISY = 8.6  # exp(-t^2/2) is 1e-16 there
_LEAST = 6.0  # frequency
_BOTH_SIDES = 2  # nodes of parts that are not odd, in the time of those of odd ones
_UNUSED = 0.2  # u of one part that a power of it does not ask for, in the time of others
_ROWS = 32  # frequencies of y that are looked at together
_SAME = 1e-13  # of parts that are odd or even
_BENT = 1e-6  # g'' that is not 0, in the largest
_EQUAL = 1e-3  # of slopes, in the range of them
_DIGITS = 4  # of meetings
_LIKELY = 20.0  # |z|^2
_AT_INFINITY = 1e-6  # probability, of labels all of whose parts are there, that counts
_INSIDE = 0.9  # meetings that are looked at, in the range of S
_TOWARDS = np.array([0.5**k for k in range(8)])  # ends of panels towards a meeting
_SHORTEST = 0.3  # of them


def sum_law(
    value: Function,
    count: int,
    *,
    nodes: float,
    noise: float = 0.0,
    edges: Sequence[float] = (-_REACH, _REACH),
    points: int = 20,
    fineness: float = 1.0,
) -> SmoothLaw:
    """The law of (y, S).

    Parameters
    ----------
    value : function
        The part, smooth between the edges.
    count : int >= 2
        r.
    nodes : float
        Of the grid (t, u), about: it decides on the largest frequency where no noise does.
    noise : float >= 0
    edges : increasing numbers
        The kinks of the part, with the ends of its range of z first and last.
    points : int
        Of a panel in S.
    fineness : float >= 1
        Of the rule for z that kinks ask for: what it leaves shows when it grows.

    Raises
    ------
    UnsupportedExpression
        If the largest frequency would be too small.

    Examples
    --------
    >>> law = sum_law(lambda z: z**2, 12, nodes=2e6)  # y and S determine |w|: 2/11
    >>> [round(2 / 11 - bound, 6) for bound in law.bounds()[-9::4]]
    [0.000513, 4e-05, 3e-06]
    >>> found, error = law.limit()
    >>> bool(abs(found - 2 / 11) < error < 1e-6)
    True
    >>> law = sum_law(np.abs, 3, nodes=2e7, noise=0.5, edges=(-8.5, 0.0, 8.5))
    >>> law.is_complete, round(law.law().eigenvalue, 6)
    (True, 0.701638)
    """
    part, size = standardised(value, edges)
    noise /= size
    shape = _Shape(part, edges, count)
    spectrum = _Spectrum(shape, count, nodes, noise, fineness)
    s, weights = _rule_of_sums(shape, count, points)
    masses, moments = np.empty((2, len(s), len(spectrum.t)), dtype=np.complex128)
    inverse = spectrum.inverse(s)
    for start in range(0, len(spectrum.t), _ROWS):
        check_time()
        rows = slice(start, start + _ROWS)
        low, zeroth, second = spectrum.transforms(spectrum.t[rows])
        power = _power(zeroth, count - 1)
        second *= count * power
        zeroth *= power
        there = inverse[low - spectrum.first :][: zeroth.shape[1]]
        found, squares = (_at_sums(p, there, len(s)) * weights for p in (zeroth, second))
        masses[:, rows] = found.T
        moments[:, rows] = excess(squares, found, s, count).T
    lost = shape.first_power(count, 1 / float(spectrum.t[-1]))
    return SmoothLaw(spectrum.t, masses, moments, noise, spectrum.is_complete, lost)


class _Shape:
    """A part, its slopes, and whether it is odd or even."""

    def __init__(self, part: Function, edges: Sequence[float], count: int) -> None:
        z = np.linspace(-_LARGEST, _LARGEST, _LOOKED_AT)
        step = float(z[1] - z[0])
        g = part(z)
        slopes, bends = np.diff(g) / step, np.diff(g, 2) / step**2
        small = _SAME * float(np.abs(g).max())
        self.value, self.edges = part, edges
        self.has_kinks = len(edges) > 2
        self.range = float(g.max() - g.min())
        self.is_odd = float(np.abs(g + g[::-1]).max()) <= small
        self.is_even = float(np.abs(g - g[::-1]).max()) <= small
        self.slopes = float(slopes.min()), float(slopes.max())
        together = slopes[np.abs(0.5 * (z[1:] + z[:-1])) < math.sqrt(2 * _TOGETHER / count)]
        self.slopes_together = float(together.min()), float(together.max())
        self.steepest = max(-self.slopes[0], self.slopes[1])
        self.third = float(np.abs(np.diff(bends)).max()) / step
        clear = np.abs(bends) > _BENT * float(np.abs(bends).max())
        places, signs = z[1:-1][clear], np.sign(bends[clear])
        turns = np.flatnonzero(signs[1:] != signs[:-1])
        self._bends = 0.5 * (places[turns] + places[turns + 1])
        self._slopes_of_bends = np.interp(self._bends, 0.5 * (z[1:] + z[:-1]), slopes)
        self._z, self._g, self.end_slopes = z, g, slopes[[0, -1]]

    def first_power(self, count: int, resolved: float) -> float | None:
        """See `SmoothLaw`; with labels resolved to this size."""
        if self._share_at_infinity(resolved) ** count > _AT_INFINITY:
            return None
        bent = len(self._bends) > 0 or self.has_kinks
        return min((2 * count - 4) / 3 if bent else (count + 3) / 2, LARGEST_POWER)

    def _share_at_infinity(self, close: float) -> float:
        """The probability that the part is this close to one of its two asymptotes."""
        far = np.zeros(len(self._z), dtype=bool)
        for end in (0, -1):
            slope, side = self.end_slopes[end], self._z * self._z[end] > 0
            line = self._g[end] + slope * (self._z - self._z[end])
            far |= side & (np.abs(self._g - line) < close)
        return float(np.exp(-0.5 * self._z[far] ** 2).sum() / np.exp(-0.5 * self._z**2).sum())

    def meetings(self, count: int) -> Array:
        """The likely S at which all coordinates are bends with equal slopes, in order."""
        found = []
        for slope in self._slopes_of_bends:
            alike = np.abs(self._slopes_of_bends - slope) < _EQUAL * (self.slopes[1] - self.slopes[0])
            sums, squares = np.zeros((2, 1))
            for _ in range(count):
                sums = np.round(np.add.outer(sums, self._bends[alike]).ravel(), _DIGITS)
                squares = np.add.outer(squares, self._bends[alike] ** 2).ravel()
                order = np.lexsort((squares, sums))
                order = order[squares[order] < _LIKELY]
                sums, first = np.unique(sums[order], return_index=True)
                squares = squares[order][first]
            found.append(sums)
        return np.unique(np.concatenate([[0.0], *found])) if found else np.zeros(1)


class _Spectrum:
    """Frequencies, and transforms of one part."""

    def __init__(self, shape: _Shape, count: int, nodes: float, noise: float, fineness: float) -> None:
        self._shape, self._fineness = shape, fineness
        self._is_real = shape.is_odd and not shape.has_kinks
        self._is_even = shape.is_even
        self.length = 2 * _PERIOD * math.sqrt(count)
        self.step = 2 * math.pi / self.length
        step = 2 * math.pi / (shape.range + 2 * _SPREAD * math.sqrt(count) + 2 * _REACH * noise)
        allowed = nodes / (1 if self._is_real else _BOTH_SIDES) * step * self.step
        between = 4 * shape.steepest
        if not shape.has_kinks:
            own, between = (b - a for a, b in (shape.slopes, shape.slopes_together))
            between += _UNUSED * (own - between)
        beside = _KINKED if shape.has_kinks else _BESIDE
        # T (between T/2 + 2 beside) cells
        highest = (-2 * beside + math.sqrt(4 * beside**2 + 2 * between * allowed)) / between
        self.is_complete = noise * highest >= _NOISY
        if self.is_complete:
            highest = _NOISY / noise
        elif highest < _LEAST:
            raise UnsupportedExpression("the label of the committee is spread out too far for its transform")
        self.t = np.asarray(step * np.arange(math.ceil(highest / step) + 1), dtype=np.float64)
        self._fastest = shape.steepest * float(self.t[-1]) + _KINKED
        lowest, self._last = self._ends(float(self.t[-1]), shape.slopes_together)
        self.first = 0 if self._is_even else lowest

    def _ends(self, t: float, slopes: tuple[float, float]) -> tuple[int, int]:
        """Of the u, in steps, at which there is anything at frequencies up to t from z with these slopes."""
        if self._shape.has_kinks:
            last = math.ceil(self._fastest / self.step)
            return -last, last
        beside = _BESIDE + _AIRY * (t * self._shape.third) ** (1 / 3)
        low, high = -t * slopes[1] - beside, -t * slopes[0] + beside
        return math.floor(low / self.step), math.ceil(high / self.step)

    def inverse(self, s: Array) -> Array | Complex:
        """Factors of the u for densities at S: cosines for even transforms, with sines for real ones."""
        u = self.step * np.arange(self.first, self._last + 1)
        phase = np.outer(u, s)
        if self._is_even:
            return np.asarray(np.cos(phase) * np.where(u > 0, 2.0, 1.0)[:, None] / self.length)
        if self._is_real:
            return np.concatenate([np.cos(phase), np.sin(phase)], axis=1) / self.length
        return np.asarray(np.exp(1j * phase) / self.length, dtype=np.complex128)

    def transforms(self, t: Array) -> tuple[int, Array, Array]:
        """(first u in steps, conjugates of psi and psi_2 at all u, of even parts at u >= 0)."""
        if not self._shape.has_kinks:
            return self._by_fft(t)
        z, weights, phases = self._panels
        waves = np.exp(-1j * np.outer(t, self._shape.value(z))) * weights
        return self.first, waves @ phases, (waves * (z * z)) @ phases

    @functools.cached_property
    def _panels(self) -> tuple[Array, Array, Complex]:
        """(z, weights, factors of z and u)."""
        u = self.step * np.arange(self.first, self._last + 1)
        widest = min(_WIDTH, _PHASE / self._fastest) / self._fineness
        z, weights = panel_rule(self._shape.edges, RULE, widest=widest)
        return z, weights * np.exp(-0.5 * z * z) / math.sqrt(2 * math.pi), np.exp(-1j * np.outer(z, u))

    def _by_fft(self, t: Array) -> tuple[int, Array, Array]:
        from scipy import fft

        low, high = self._ends(float(t[-1]), self._shape.slopes)
        odd = self._is_real
        size = fft.next_fast_len(high - low + 1, real=odd)  # of others beyond them nothing may fold back
        low, high = self._ends(float(t[-1]), self._shape.slopes_together)
        size += odd * (size % 2)
        places = np.arange(size // 2 + 1) if odd else fft.fftfreq(size, 1 / size)
        z = np.asarray(self.length / size * places, dtype=np.float64)
        inside = np.flatnonzero(np.abs(z) < _REACH)
        z = z[inside]
        weights = np.exp(-0.5 * z * z) / math.sqrt(2 * math.pi) * (self.length / size)
        waves = np.zeros((len(t), size // 2 + 1 if odd else size), dtype=np.complex128)
        waves[:, inside] = np.exp(-1j * np.outer(t, self._shape.value(z))) * weights
        found = []
        for factor in (1.0, z * z):
            waves[:, inside] *= factor
            full = fft.hfft(waves, n=size, axis=1) if odd else fft.fft(waves, axis=1)
            below = 0 if self._is_even else -low  # columns
            found.append(np.concatenate([full[:, size - below :], full[:, : high + 1]], axis=1))
        return 0 if self._is_even else low, found[0], found[1]


def _at_sums(transforms: Array | Complex, inverse: Array | Complex, count: int) -> Complex:
    """Densities at S, by cosines and sines for real transforms."""
    if np.iscomplexobj(transforms) and not np.iscomplexobj(inverse):
        return np.asarray(transforms.real @ inverse + 1j * (transforms.imag @ inverse), dtype=np.complex128)
    found = transforms @ inverse
    if np.iscomplexobj(found):
        return np.asarray(found, dtype=np.complex128)
    return np.asarray(found[:, :count] + 1j * found[:, count:], dtype=np.complex128)


def _power(x: Array, exponent: int) -> Array:
    """By products, for an exponent >= 1."""
    found = x
    for bit in bin(exponent)[3:]:
        found = found * found
        if bit == "1":
            found = found * x
    return found


def _rule_of_sums(shape: _Shape, count: int, points: int) -> tuple[Array, Array]:
    """(S, weights): half of all for odd or even parts."""
    last = _SUMS * math.sqrt(count)
    meetings = shape.meetings(count)
    inner = meetings[np.abs(meetings) < _INSIDE * last]
    between = [_graded(a, b) for a, b in itertools.pairwise((-2 * last, *inner, 2 * last))]
    ends = np.clip(np.concatenate(between), -last, last)
    half = shape.is_odd or shape.is_even
    if half:
        ends = np.array([0.0, *ends[ends > 0], *(_crossings(shape, count) if shape.is_odd else ())])
    ends = np.unique(ends)
    s, weights = panel_rule(ends, points)
    return s, (1 + half) * weights


def _graded(low: float, high: float) -> Array:
    """Ends of panels that are denser at both ends."""
    length, middle = 0.5 * (high - low), 0.5 * (low + high)
    towards = length * _TOWARDS[length * _TOWARDS > _SHORTEST]
    return np.array([low, *(low + towards), *(high - towards), middle, high])


def _crossings(shape: _Shape, count: int) -> list[float]:
    """S > 0 where m g(S/m) is k g(infinity), for parts that are steepest at 0."""
    z = np.linspace(0.0, _LARGEST, _LOOKED_AT)
    g = shape.value(z) - shape.end_slopes[-1] * z
    g = g * np.sign(g[-1])
    if np.diff(g).min() < -_BENT * np.diff(g).max():
        return []
    pairs = [(m, k) for m in range(count, 1, -2) for k in range(count - 2, 0, -2) if k < m]
    return [m * float(np.interp(k * g[-1] / m, g, z)) for m, k in pairs]
