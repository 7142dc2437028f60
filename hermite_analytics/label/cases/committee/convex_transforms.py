"""Sums of r equal convex parts given the sum of their coordinates, by transforms fine at the least label.

With h >= 0 the part less its tangent at S/r and w the coordinates less S/r, sum w_i = 0, the label is
sum h(w_i), and its density is singular at 0 only. Its transform and that with the factor sum w_i^2,

    int psi(t, u)^r du/(2 pi),  int r psi_2 psi^(r-1) du/(2 pi),   psi = E[exp(i t h(w) + i u w)],

psi_2 with w^2, change on the scale of t itself, and tell of labels up to some 1/t: frequencies take equal
steps in log t, and of each one the w with t h(w) beyond its window are left out, on a grid of their size.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from hermite_analytics.foundation.clock import check_time
from hermite_analytics.foundation.numpy_arrays import Array
from hermite_analytics.label.cases.committee.label_rule import WINDOW, Fineness, LabelRange, label_rule

__all__ = ["Part", "convex_transforms"]

Part = Callable[[Array], tuple[Array, Array]]

_LEVELS = (2, 3)  # of `label_rule`
_FARTHEST = 6.5  # |w| beyond sqrt(r - 1), of the largest label
_RARE = 1e-13  # probability of labels that are not told apart
_REACH = 8.5  # |w_i|
_LOOKED_AT = 2001  # points, denser at 0
_GONE = 1.45  # t h, in the window: nothing is kept
_APART = 12.0  # t sum h(w_i), in phases, where sum w_i is a period
_PERIOD = 7.7  # half of it at most, in sqrt(r)
_BESIDE = 9.5  # frequencies beyond the slopes
_SHARP = 60.0  # the same, of the ends of what is kept
_MORE = 1.05  # points of a grid, in those that its frequencies ask for
_LEAST = 16


def convex_transforms(part: Part, count: int, *, level: int = 1) -> Array:
    """Labels given S, their probabilities, and those times E[|w|^2 | label]: shape (3, labels).

    Parameters
    ----------
    part : function
        h and its slope.
    count : int >= 3
        r.

    Examples
    --------
    >>> _, p, q = convex_transforms(lambda w: (w * w, 2 * w), 5)  # y = |w|^2
    >>> bool(abs(p.sum() - 1) < 1e-10), round(float((q * q / p)[p > 1e-12].sum()), 8)
    (True, 24.0)
    """
    farthest = _FARTHEST + math.sqrt(count - 1)
    where = LabelRange(low=0.0, high=float(_labels(part, count, farthest).max()), centre=0.0)
    volume = math.pi ** (0.5 * (count - 1)) / math.gamma(0.5 * (count + 1))
    near = math.sqrt(2 * math.pi) * (_RARE / volume) ** (1 / (count - 1))  # of this radius a ball is rare
    least = float(_labels(part, count, near).min())
    rule = label_rule(where, blur=0.0, deviation=1.0, level=_LEVELS[level], nearest=least)
    z = _REACH * np.linspace(-1, 1, _LOOKED_AT) ** 5
    height, slope = part(z)
    found = np.array([_at(part, count, t, rule.fineness, (z, height, slope)) for t in rule.t.tolist()])
    return np.stack([rule.labels, *(rule.density(found.T) * rule.weights)])


def _labels(part: Part, count: int, radius: float) -> Array:
    """Where one coordinate is above, or below, all others, which are equal."""
    w = radius * np.array([1.0, -1.0]) * math.sqrt((count - 1) / count)
    return part(w)[0] + (count - 1) * part(-w / (count - 1))[0]


def _at(
    part: Part, count: int, t: float, fine: Fineness, table: tuple[Array, Array, Array]
) -> tuple[complex, complex]:
    """Both transforms at t, times the square root of 2 pi r, one over the density of S."""
    from scipy import fft

    check_time()
    z, height, slope = table
    window = WINDOW * fine.phase
    kept, inside = t * height < _GONE * window, t * count * height < _APART * fine.phase
    low, high = (float(x) for x in z[kept][[0, -1]])
    apart = count * max(-float(z[inside][0]), float(z[inside][-1]))
    length = max(min(apart, 2 * _PERIOD * math.sqrt(count)), 1.02 * (high - low))
    fastest = t * float(np.abs(slope[kept]).max()) + _BESIDE + _SHARP / min(high - low, _REACH)
    size = fft.next_fast_len(math.ceil(_MORE * length * fastest / math.pi) + _LEAST)
    step = length / size
    first = math.floor((0.5 * (low + high - length)) / step)
    w = np.asarray(step * np.arange(first, first + size), dtype=np.float64)
    h, _ = part(w)
    wave = np.exp(-0.5 * w * w + 1j * t * h) * fine.kept(np.array([t]), h)[0]
    wave *= step / math.sqrt(2 * math.pi)
    zeroth, second = (fft.fft(np.roll(x, first)) for x in (wave, wave * w * w))
    others = zeroth ** (count - 1)
    scale = math.sqrt(2 * math.pi * count) / length
    return complex(others @ zeroth) * scale, count * complex(others @ second) * scale
