"""Sums of r equal parts, with noise, by Fourier transforms in the label and in the sum of the coordinates.

With g the part, less its linear projection (known with S) and divided by what is left of its size,

    E[exp(i t y + i u S)] = psi(t, u)^r exp(-noise^2 t^2/2),    psi(t, u) = E[exp(i t g(z) + i u z)],

and E[sum z_i^2 exp(..)] = r psi_2 psi^(r-1), psi_2 with the factor z^2. Both are inverted on a grid of
(y, S), up to a largest frequency T of the label. psi^r decreases like t^(-r/2) or a little faster: where
noise does not end it, or there is none (`noiseless`), the cut leaves oscillations beside the support of the
law, which a ratio would take for a law.
A blur of the label by a Gaussian leaves densities positive. With f the a(y, S) of the blurred label,

    E[2 f a - f^2] = E[a^2] - E[(f - a)^2],

linear in the law that is not blurred: bounds from below, which grow to E[a^2] like a power of the blur.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import fft

from hermite_analytics.errors import UnsupportedExpression
from hermite_analytics.foundation.clock import check_time
from hermite_analytics.label.cases.committee.joint import JointLaw, excess

__all__ = ["SmoothLaw", "panel_rule", "smooth_law", "standardised"]

Array = NDArray[np.float64]
Complex = NDArray[np.complex128]
Function = Callable[[Array], Array]
Transforms = Callable[[Array], tuple[Complex, Complex]]

_REACH = 8.5  # standard deviations of z and of S
_SPREAD = 8.0  # of y, in sqrt(r), besides what one large part adds
_LARGEST = 6.0  # |z| of such a part
_MOST = 4_800_000  # nodes of the grid
_LEAST = 6.0  # frequency
_NOISY = 8.6  # exp(-t^2/2) is 1e-16 there
_FLAT = 36.0
_POWER = 16  # of the filter of what is not blurred
_FINEST = 7.0  # blur, in 1/T
_FINER = 2**0.25  # from one blur to the next
_BLURS = 9
_KINKED = 40.0  # largest frequency of S beyond the slopes, where g has kinks
_RULE = 24
_WIDTH = 1.0  # of a panel
_ROWS = 32  # frequencies of y that are looked at together
_SAME = 1e-13  # of parts that are odd or even


def standardised(value: Function, edges: Sequence[float]) -> tuple[Function, float]:
    """(g less its projection on 1 and z, over its standard deviation; that standard deviation)."""
    z, w = panel_rule(edges, _WIDTH)
    w = w * np.exp(-0.5 * z * z) / math.sqrt(2 * math.pi)
    g = value(z)
    mean, slope = float(w @ g), float(w @ (z * g))
    size = math.sqrt(max(0.0, float(w @ (g - mean - slope * z) ** 2)))
    if not 0 < size < math.inf:
        raise UnsupportedExpression("the parts of the sum are linear, or have no variance")
    return lambda x: (value(x) - mean - slope * x) / size, size


@dataclass(frozen=True, slots=True)
class SmoothLaw:
    """Transforms in t alone of the law of (y, S) at nodes S, up to a largest frequency.

    Attributes
    ----------
    t : ndarray
        Frequencies of y.
    masses, moments : complex ndarray, shape (S, t)
        Of the law and of a times it.
    noise : float
        In the units of t.
    is_complete : bool
        Whether noise ends the transforms.
    """

    t: Array
    masses: Complex
    moments: Complex
    noise: float
    is_complete: bool

    def law(self) -> JointLaw:
        """The law of (y, S); where it is not complete, with oscillations beside its support."""
        if self.is_complete:
            return self._inverted(np.ones(len(self.t)))
        return self._inverted(np.exp(-_FLAT * (self.t / self.t[-1]) ** _POWER))

    def bounds(self) -> list[float]:
        """E[a^2] from below, for blurs that shrink by 2^(1/4)."""
        law, t = self.law(), self.t
        blurs = [_FINEST / t[-1] * _FINER**k for k in reversed(range(_BLURS))]
        return [law.eigenvalue_seen_by(self._inverted(np.exp(-0.5 * (h * t) ** 2))) for h in blurs]

    def _inverted(self, factor: Array) -> JointLaw:
        check_time()
        factor = factor * np.exp(-0.5 * (self.noise * self.t) ** 2)
        size = fft.next_fast_len(2 * len(factor), real=True)  # others take five times as long
        return JointLaw(*(fft.irfft(f * factor, n=size, axis=1).T for f in (self.masses, self.moments)))


def smooth_law(
    value: Function,
    count: int,
    *,
    noise: float,
    edges: Sequence[float] = (-_REACH, _REACH),
    fineness: float = 1.0,
) -> SmoothLaw:
    """The law of (y, S).

    Parameters
    ----------
    value : function
        The part, smooth between the edges.
    count : int >= 2
        r.
    noise : float > 0
    edges : increasing numbers
        The kinks of the part, with the ends of its range of z first and last.
    fineness : float >= 1
        Of the rule for z: what it leaves shows when it grows.

    Raises
    ------
    UnsupportedExpression
        If the grid would be too large.

    Examples
    --------
    >>> law = smooth_law(np.abs, 3, noise=0.5, edges=(-8.5, 0.0, 8.5))
    >>> law.is_complete, round(law.law().eigenvalue, 6)
    (True, 0.701638)
    """
    part, size = standardised(value, edges)
    noise /= size
    grid = _Grid(part, count, noise)
    t, masses, moments = _over_sums(part, grid, count, edges, fineness)
    return SmoothLaw(t, masses, moments, noise, grid.is_complete)


def _over_sums(
    part: Function, grid: _Grid, count: int, edges: Sequence[float], fineness: float
) -> tuple[Array, Complex, Complex]:
    """(t, transforms in t alone of the law and of a times it), one row for each S."""
    t = np.asarray(grid.step * np.arange(grid.frequencies), dtype=np.float64)
    columns, weights = grid.columns(part)
    masses, moments = np.empty((2, len(columns), len(t)), dtype=np.complex128)
    transforms = _panels(part, grid, edges, fineness)
    for start in range(0, len(t), _ROWS):
        check_time()
        rows = slice(start, start + _ROWS)
        zeroth, second = transforms(t[rows])
        power = zeroth ** (count - 1)
        second = fft.ifft(count * power * second, axis=1, overwrite_x=True)[:, columns] * weights
        found = fft.ifft(power * zeroth, axis=1, overwrite_x=True)[:, columns] * weights
        masses[:, rows] = found.T
        moments[:, rows] = excess(second, found, grid.sums[columns], count).T
    return t, masses, moments


def spread_of_labels(extent: float, count: int) -> float:
    """A period of y that holds nearly all labels, for the extent of one part."""
    return extent + 2 * _SPREAD * math.sqrt(count)


class _Grid:
    """Spacings and sizes."""

    def __init__(self, part: Function, count: int, noise: float) -> None:
        z = np.linspace(-_LARGEST, _LARGEST, 2001)
        g = part(z)
        slope = float(np.abs(np.diff(g)).max() / (z[1] - z[0]))
        width = spread_of_labels(float(g.max() - g.min()), count) + 2 * _REACH * noise
        length = 2 * _REACH * math.sqrt(count)
        cell = width * length / (math.pi * 2 * math.pi)
        wanted = _NOISY / noise
        # t up to T and |u| up to slope T + 40: T (slope T + 40) cells
        root = (-_KINKED + math.sqrt(_KINKED**2 + 4 * slope * _MOST / cell)) / (2 * slope)
        highest = min(wanted, root)
        if highest < _LEAST and highest < wanted:
            raise UnsupportedExpression("the label of the committee is spread out too far for its transform")
        self.step = 2 * math.pi / width
        self.frequencies = math.ceil(highest / self.step) + 1
        self.size = fft.next_fast_len(math.ceil(2 * (slope * highest + _KINKED) * length / (2 * math.pi)))
        self.length = length
        self.sums = length / self.size * fft.fftfreq(self.size, 1 / self.size)
        self.is_complete = highest == wanted

    def columns(self, part: Function) -> tuple[NDArray[np.intp], Array]:
        """(places of the S that are looked at, how many each is): half of all for odd or even parts."""
        z = np.linspace(0.0, _LARGEST, 1001)
        there, mirrored = part(z), part(-z)
        small = _SAME * float(np.abs(there).max())
        if min(np.abs(there - mirrored).max(), np.abs(there + mirrored).max()) > small:
            return np.arange(self.size), np.ones(self.size)
        half = np.arange(self.size // 2 + 1)
        alone = (half == 0) | (2 * half == self.size)
        return half, np.where(alone, 1.0, 2.0)


def _panels(part: Function, grid: _Grid, edges: Sequence[float], fineness: float) -> Transforms:
    """The same by panels between kinks."""
    u = 2 * math.pi / grid.length * fft.fftfreq(grid.size, 1 / grid.size)
    z, weights = panel_rule(edges, min(_WIDTH, 48.0 / float(np.abs(u).max())) / fineness)
    weights = weights * np.exp(-0.5 * z * z) / math.sqrt(2 * math.pi)
    values, phases = part(z), np.exp(-1j * np.outer(z, u))

    def transforms(t: Array) -> tuple[Complex, Complex]:
        waves = np.exp(1j * np.outer(t, values)) * weights
        return waves @ phases, (waves * (z * z)) @ phases

    return transforms


def panel_rule(edges: Sequence[float], width: float, *, nodes: int = _RULE) -> tuple[Array, Array]:
    """(points, weights) of Gauss and Legendre on panels of at most this width, that end at the edges."""
    x, w = np.polynomial.legendre.leggauss(nodes)
    parts = [np.linspace(a, b, max(1, math.ceil((b - a) / width)) + 1) for a, b in itertools.pairwise(edges)]
    ends = np.unique(np.concatenate(parts))
    half = 0.5 * np.diff(ends)
    return (ends[:-1, None] + half[:, None] * (x + 1)).ravel(), (half[:, None] * w).ravel()
