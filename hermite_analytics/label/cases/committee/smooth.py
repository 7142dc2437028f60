"""Laws of sums by transforms in the label: the moments that they have, or bounds and their limit.

Transforms decrease like t^(-r/2) or a little faster: where no noise ends them, the cut at the largest
frequency leaves oscillations beside the support of the law, which a ratio would take for a law.
A blur of the label by a Gaussian leaves densities positive. With f the a(y, S) of the blurred label,

    E[2 f a - f^2] = E[a^2] - E[(f - a)^2],

linear in the law that is not blurred: bounds from below, which grow to E[a^2] as the blur h shrinks.

What they lose has the powers of h that the density p of y given S has beside its singular labels, where all
g'(z_i) are equal. Where all g''(z_i) are 0 too, sums of z_i of the size e have labels of the size e^3, and p
is regular but for a term of the size e^(r - 4): so is a, and (f - a)^2 weighs e^(2 r - 8) on a region of the
size e^4 in (y, S), with h = e^3

    h^((2 r - 4)/3 + k/3),    k = 0, 1, ...

Elsewhere p is regular but for |y|^((r - 3)/2) on one side, which loses h^(r - 2), h^(r - 1), ..., and where
it is smooth the loss is h^4: both are in that list, if it begins at 4 for r > 8. Of convex parts, without
such bends, the only singular label is the end of the law, beside which a is smooth and f - a of the size h:
the loss is h^((r + 3)/2).

Beside the labels of parts that are nearly at infinity, where g is nearly linear, p has other powers, and
powers of logarithms: where these count the steps of the bounds are taken to shrink by one factor.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from hermite_analytics.errors import UnsupportedExpression
from hermite_analytics.foundation.clock import check_time
from hermite_analytics.foundation.numpy_arrays import Array, Complex
from hermite_analytics.foundation.panels import panel_rule
from hermite_analytics.label.cases.committee.joint import JointLaw

__all__ = ["LARGEST_POWER", "RULE", "SmoothLaw", "standardised"]

Function = Callable[[Array], Array]

_FLAT = 36.0
_POWER = 16  # of the filter of what is not blurred
_FINEST = 8.5  # blur, in 1/T
_FINER = 2**0.25  # from one blur to the next
_BLURS = 14
_FINE = 2  # finest blurs that are left out to see what they change
_TERMS = 5  # powers of blurs
_NEXT = 0.1  # size of the power after them, in the loss
_SEEN = 0.85  # share of the frequencies, to see their noise
_TWICE = 2.0
_ENDS, _CUT = (1.0, 0.84, 0.7), 10.0  # shares of the frequencies, and error in what the others change
_ENOUGH = 4e-7  # relative error
_ROUNDING = 1e-13
_SLOWEST, _SETTLED = 0.9, 2e-10  # factor from one step of a sequence to the next, and the relative last step
LARGEST_POWER = 4.0  # of the blur, where the law is smooth
RULE = 24  # nodes of a panel
_WIDTH = 1.0  # of a panel


def standardised(value: Function, edges: Sequence[float]) -> tuple[Function, float]:
    """(g less its projection on 1 and z, over its standard deviation; that standard deviation)."""
    z, w = panel_rule(edges, RULE, widest=_WIDTH)
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
    power : float or None
        Of the blur, the first that the bounds lose; None where labels at infinity count.
    """

    t: Array
    masses: Complex
    moments: Complex
    noise: float
    is_complete: bool
    power: float | None

    def law(self, share: float = 1.0) -> JointLaw:
        """The law of (y, S) by a share of the frequencies; with oscillations where they are not complete."""
        if self.is_complete:
            return self._inverted(np.ones(len(self.t)))
        return self._inverted(np.exp(-_FLAT * (self.t / (share * self.t[-1])) ** _POWER))

    def best(self) -> tuple[float, float]:
        """(E[a^2], error) by all frequencies or, where they leave too much, by the limit of blurs."""
        found, error = self.law().eigenvalue, self._by_cut()
        return (
            (found, error)
            if error < _ENOUGH * found
            else min((found, error), self.limit(), key=lambda x: x[1])
        )

    def _by_cut(self) -> float:
        """The error of E[a^2] by frequencies that end, from what nearer ends change.

        Where what is left falls with a power of the end, the square root at least, ten times the larger of
        the changes from it to .84 of it and from there to .7 is more; one of them may be small by chance.
        """
        found = [self.law(share).eigenvalue for share in _ENDS]
        return _CUT * max(abs(a - b) for a, b in itertools.pairwise(found))

    def bounds(self) -> list[float]:
        """E[a^2] from below, for blurs that shrink by 2^(1/4)."""
        return [float(x) for x in self._bounds_and_noise()[0]]

    def limit(self) -> tuple[float, float]:
        """(E[a^2], error): the limit of the bounds, by the powers of the blur that they lose.

        The error is twice what one power less and the finest blurs have in it, or three such limits by
        Aitken's formula and one by the formula again have between them.

        Raises
        ------
        UnsupportedExpression
            If no powers are known and the steps of the bounds do not shrink.
        """
        bounds, noise = self._bounds_and_noise()
        if self.power is None:
            return _aitken_limit(bounds.tolist())
        found = _less_powers(bounds, noise, self.power, _TERMS)
        others = [
            _less_powers(bounds, noise, self.power, _TERMS - 1),
            _less_powers(bounds[:-_FINE], noise[:-_FINE], self.power, _TERMS),
        ]
        return found, _TWICE * max(abs(found - x) for x in others)

    def _bounds_and_noise(self) -> tuple[Array, Array]:
        """The bounds, and what they change where the frequencies end earlier."""
        law, other, found = self.law(), self.law(_SEEN), []
        for k in reversed(range(_BLURS)):
            h = _FINEST * _FINER**k / self.t[-1]
            blurred = self._inverted(np.exp(-0.5 * (h * self.t) ** 2))
            found.append([x.eigenvalue_seen_by(blurred) for x in (law, other)])
        bounds, seen = np.array(found).T
        return bounds, np.abs(bounds - seen)

    def _inverted(self, factor: Array) -> JointLaw:
        from scipy import fft

        check_time()
        factor = factor * np.exp(-0.5 * (self.noise * self.t) ** 2)
        size = fft.next_fast_len(2 * len(factor), real=True)  # others take five times as long
        return JointLaw(*(fft.irfft(f * factor, n=size, axis=1).T for f in (self.masses, self.moments)))


def _less_powers(bounds: Array, noise: Array, first: float, terms: int) -> float:
    """The limit of bounds that lose `terms` powers of the blur, the first one given, by steps of 1/3.

    By least squares; the noise and the power after these are what the equations may be off by.
    """
    x = _FINER ** -np.arange(float(len(bounds)))
    powers = first + np.arange(terms + 1) / 3
    off = _NEXT * abs(bounds[-1] - bounds[0]) * x ** powers[-1] + noise + _ROUNDING * abs(bounds[-1])
    left = np.concatenate([np.ones((len(x), 1)), x[:, None] ** powers[:-1]], axis=1)
    return float(np.linalg.lstsq(left / off[:, None], bounds / off, rcond=None)[0][0])


def _aitken_limit(bounds: Sequence[float]) -> tuple[float, float]:
    """For every second bound, so that what is left of their noise is smaller."""
    once = [_aitken(*bounds[i : i + 5 : 2]) for i in range(len(bounds) - 4)]
    twice = _aitken(*once[-5::2])
    found = [*once[-3:], twice] if math.isfinite(twice) else once[-3:]
    if not all(map(math.isfinite, found)):
        raise UnsupportedExpression("the transforms of the committee do not show its law")
    return once[-1], _TWICE * (max(found) - min(found))


def _aitken(a: float, b: float, c: float) -> float:
    """The limit of the sequence whose steps shrink by the same factor; NaN where they do not shrink."""
    first, second = b - a, c - b
    if abs(second) < _SETTLED * abs(c):
        return c
    return c + second * second / (first - second) if 0 < second / first < _SLOWEST else math.nan
