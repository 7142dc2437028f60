"""Laws of sums by transforms in the label: the moments that they have, or bounds and their limit.

Transforms decrease like t^(-r/2) or a little faster: where no noise ends them, the cut at the largest
frequency leaves oscillations beside the support of the law, which a ratio would take for a law.
A blur of the label by a Gaussian leaves densities positive. With f the a(y, S) of the blurred label,

    E[2 f a - f^2] = E[a^2] - E[(f - a)^2],

linear in the law that is not blurred: bounds from below, which grow to E[a^2] like a power of the blur.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hermite_analytics.errors import UnsupportedExpression
from hermite_analytics.foundation.clock import check_time
from hermite_analytics.foundation.panels import panel_rule
from hermite_analytics.label.cases.committee.joint import JointLaw

__all__ = ["RULE", "SmoothLaw", "standardised"]

Array = NDArray[np.float64]
Complex = NDArray[np.complex128]
Function = Callable[[Array], Array]

_FLAT = 36.0
_POWER = 16  # of the filter of what is not blurred
_FINEST = 7.0  # blur, in 1/T
_FINER = 2**0.25  # from one blur to the next
_BLURS = 9
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
    """

    t: Array
    masses: Complex
    moments: Complex
    noise: float
    is_complete: bool

    def law(self, share: float = 1.0) -> JointLaw:
        """The law of (y, S) by a share of the frequencies; with oscillations where they are not complete."""
        if self.is_complete:
            return self._inverted(np.ones(len(self.t)))
        return self._inverted(np.exp(-_FLAT * (self.t / (share * self.t[-1])) ** _POWER))

    def bounds(self) -> list[float]:
        """E[a^2] from below, for blurs that shrink by 2^(1/4)."""
        law, t = self.law(), self.t
        blurs = [_FINEST / t[-1] * _FINER**k for k in reversed(range(_BLURS))]
        return [law.eigenvalue_seen_by(self._inverted(np.exp(-0.5 * (h * t) ** 2))) for h in blurs]

    def _inverted(self, factor: Array) -> JointLaw:
        from scipy import fft

        check_time()
        factor = factor * np.exp(-0.5 * (self.noise * self.t) ** 2)
        size = fft.next_fast_len(2 * len(factor), real=True)  # others take five times as long
        return JointLaw(*(fft.irfft(f * factor, n=size, axis=1).T for f in (self.masses, self.moments)))
