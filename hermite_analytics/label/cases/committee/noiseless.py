"""Sums of r equal smooth parts without noise: transforms in the label at chosen sums of the coordinates.

As in `smooth`, with frequencies u of the sum where psi(t, u) is not small: between -t max g' and -t min g',
and beyond by as much as Airy's function asks for where a slope is extreme. They are as many as t asks for,
and a period of z that holds all u apart gives psi by one FFT for each t. The inverse transform in u is taken
at the nodes of a rule for S, which is denser where critical labels meet: all g'(z_i) are equal there, and at
S = r z with g''(z) = 0 those with all z_i equal and with z_i on both sides become one. Odd parts have real
transforms. For bounded odd parts panels end also where a critical label, m g(S/m) with m more coordinates of
one sign than of the other, is that of other coordinates at infinity.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy import fft

from hermite_analytics.errors import UnsupportedExpression
from hermite_analytics.foundation.clock import check_time
from hermite_analytics.label.cases.committee.joint import excess
from hermite_analytics.label.cases.committee.smooth import SmoothLaw, spread_of_labels, standardised

__all__ = ["noiseless_law"]

Array = NDArray[np.float64]
Complex = NDArray[np.complex128]
Function = Callable[[Array], Array]

_REACH = 8.5  # standard deviations of z
_SUMS = 6.6  # of S
_PERIOD = 7.7  # half of it, of S
_LARGEST = 6.0  # |z| where slopes are looked at
_LOOKED_AT = 4001  # points
_BESIDE = 8.5  # frequencies beyond the slopes
_AIRY = 4.6  # the same, in (t g''')^(1/3)
_LEAST = 6.0  # frequency
_BOTH_SIDES = 4  # nodes of parts that are not odd, in the time of those of odd ones
_ROWS = 32  # frequencies of y that are looked at together
_SAME = 1e-13  # of parts that are odd or even
_BENT = 1e-6  # g'' that is not 0, in the largest
_INSIDE = 0.9  # bends that are looked at, in the range of S
_TOWARDS = np.array([0.5**k for k in range(8)])  # ends of panels towards a bend


def noiseless_law(value: Function, count: int, nodes: float, *, points: int = 12) -> SmoothLaw:
    """The law of (y, S).

    Parameters
    ----------
    value : function
        The part, smooth everywhere.
    count : int >= 2
        r.
    nodes : float
        Of the grid (t, u), about: it decides on the largest frequency.
    points : int
        Of a panel in S.

    Raises
    ------
    UnsupportedExpression
        If the largest frequency would be too small.

    Examples
    --------
    >>> bounds = noiseless_law(lambda z: z**2, 12, 2e6).bounds()  # y and S determine |w|: 2/11
    >>> [round(2 / 11 - bound, 5) for bound in bounds[-3:]]
    [8e-05, 4e-05, 2e-05]
    """
    part, _ = standardised(value, (-_REACH, _REACH))
    shape = _Shape(part)
    spectrum = _Spectrum(shape, count, nodes)
    s, weights = _rule_of_sums(shape, count, points)
    masses, moments = np.empty((2, len(s), len(spectrum.t)), dtype=np.complex128)
    inverse = spectrum.inverse(s)
    for start in range(0, len(spectrum.t), _ROWS):
        check_time()
        rows = slice(start, start + _ROWS)
        low, zeroth, second = spectrum.transforms(rows)
        power = _power(zeroth, count - 1)
        second *= count * power
        zeroth *= power
        there = inverse[low - spectrum.first :][: zeroth.shape[1]]
        found, squares = (_at_sums(p, there, len(s)) * weights for p in (zeroth, second))
        masses[:, rows] = found.T
        moments[:, rows] = excess(squares, found, s, count).T
    return SmoothLaw(spectrum.t, masses, moments, 0.0, is_complete=False)


class _Shape:
    """A part, its slopes, and whether it is odd or even."""

    def __init__(self, part: Function) -> None:
        z = np.linspace(-_LARGEST, _LARGEST, _LOOKED_AT)
        step = float(z[1] - z[0])
        g = part(z)
        slopes, bends = np.diff(g) / step, np.diff(g, 2) / step**2
        small = _SAME * float(np.abs(g).max())
        self.value = part
        self.range = float(g.max() - g.min())
        self.is_odd = float(np.abs(g + g[::-1]).max()) <= small
        self.is_even = float(np.abs(g - g[::-1]).max()) <= small
        self.lowest, self.highest = float(slopes.min()), float(slopes.max())
        self.third = float(np.abs(np.diff(bends)).max()) / step
        clear = np.abs(bends) > _BENT * float(np.abs(bends).max())
        places, signs = z[1:-1][clear], np.sign(bends[clear])
        turns = np.flatnonzero(signs[1:] != signs[:-1])
        self.bends = 0.5 * (places[turns] + places[turns + 1])
        self.last_slope = float(slopes[-1])


class _Spectrum:
    """Frequencies, and transforms of one part."""

    def __init__(self, shape: _Shape, count: int, nodes: float) -> None:
        self._shape = shape
        self.length = 2 * _PERIOD * math.sqrt(count)
        self.step = 2 * math.pi / self.length
        step = 2 * math.pi / spread_of_labels(shape.range, count)
        allowed = nodes / (1 if shape.is_odd else _BOTH_SIDES) * step * self.step
        between = shape.highest - shape.lowest
        # T (between T/2 + 2 beside) cells
        highest = (-2 * _BESIDE + math.sqrt(4 * _BESIDE**2 + 2 * between * allowed)) / between
        if highest < _LEAST:
            raise UnsupportedExpression("the label of the committee is spread out too far for its transform")
        self.t = np.asarray(step * np.arange(math.ceil(highest / step) + 1), dtype=np.float64)
        self.first, self._last = self._ends(float(self.t[-1]))

    def _ends(self, t: float) -> tuple[int, int]:
        """Of the u, in steps, at which there is anything at frequencies up to t."""
        beside = _BESIDE + _AIRY * (t * self._shape.third) ** (1 / 3)
        low, high = -t * self._shape.highest - beside, -t * self._shape.lowest + beside
        return math.floor(low / self.step), math.ceil(high / self.step)

    def inverse(self, s: Array) -> Array | Complex:
        """Factors of the u for densities at S: cosines and sines for real transforms."""
        phase = np.outer(self.step * np.arange(self.first, self._last + 1), s)
        if self._shape.is_odd:
            return np.concatenate([np.cos(phase), np.sin(phase)], axis=1) / self.length
        return np.asarray(np.exp(1j * phase) / self.length, dtype=np.complex128)

    def transforms(self, rows: slice) -> tuple[int, Array, Array]:
        """(first u in steps, conjugates of psi and psi_2 at all u)."""
        t = self.t[rows]
        low, high = self._ends(float(t[-1]))
        odd = self._shape.is_odd
        size = fft.next_fast_len(high - low + 1, real=odd)
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
            found.append(np.concatenate([full[:, size + low :], full[:, : high + 1]], axis=1))
        return low, found[0], found[1]


def _at_sums(transforms: Array | Complex, inverse: Array | Complex, count: int) -> Complex:
    """Densities at S, by cosines and sines for real transforms."""
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
    bends = count * shape.bends
    bends = bends[np.abs(bends) < _INSIDE * last]
    single = shape.is_odd and len(bends) == 1
    if single:
        ends = _moved(last * _TOWARDS, _crossings(shape, count))
    else:
        ends = np.concatenate([_graded(a, b) for a, b in itertools.pairwise((-last, *bends, last))])
    half = single or shape.is_odd or shape.is_even
    ends = np.unique([0.0, *ends[ends > 0]] if half else ends)
    x, w = (np.asarray(a, dtype=np.float64) for a in np.polynomial.legendre.leggauss(points))
    length = np.diff(ends)[:, None]
    weights = (0.5 + 0.5 * half) * length * w
    return (ends[:-1, None] + 0.5 * length * (x + 1)).ravel(), weights.ravel()


def _graded(low: float, high: float) -> Array:
    """Ends of panels that are denser at both ends."""
    length, middle = 0.5 * (high - low), 0.5 * (low + high)
    return np.array([low, *(low + length * _TOWARDS), *(high - length * _TOWARDS), middle, high])


def _crossings(shape: _Shape, count: int) -> list[float]:
    """S > 0 where m g(S/m) is k g(infinity), for parts that are steepest at 0."""
    z = np.linspace(0.0, _LARGEST, _LOOKED_AT)
    g = shape.value(z) - shape.last_slope * z
    g = g * np.sign(g[-1])
    if not np.all(np.diff(g) > 0):
        return []
    pairs = [(m, k) for m in range(count, 1, -2) for k in range(count - 2, 0, -2) if k < m]
    return [m * float(np.interp(k * g[-1] / m, g, z)) for m, k in pairs]


def _moved(ends: Array, places: list[float]) -> Array:
    """Those of the ends next to a place, but not the last, moved there; to one of several."""
    found, moved = ends.copy(), set()
    for place in sorted(places):
        i = int(np.argmin(np.abs(np.log(ends / place))))
        if i not in moved and ends[i] < ends.max():
            found[i] = place
            moved.add(i)
    return found
