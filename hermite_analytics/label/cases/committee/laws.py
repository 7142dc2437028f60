"""The law of a sum of separate parts, of the largest of them (`bins`), and of cells (`counts`), by factors.

Each coordinate has one: of a sum exp(i k g(z)), k a frequency of the label; of the largest 1{g(z) <= y} at
the ends y of bins. Products of averages of factors are turned into probabilities of labels, `masses`.
Without noise those of sums and largest values have a scale, a blur of the sum or the width of the bins, and
come at several such scales: what they tell of z is extrapolated to none.
"""

from __future__ import annotations

import contextlib
import math
from dataclasses import dataclass

import numpy as np

from hermite_analytics.errors import UnsupportedExpression
from hermite_analytics.foundation.numpy_arrays import Array, Complex
from hermite_analytics.foundation.panels import panel_rule
from hermite_analytics.label.cases.committee.bins import LargestLaw
from hermite_analytics.label.cases.committee.counts import CountsLaw
from hermite_analytics.label.cases.committee.graded_sum import GradedSumLaw
from hermite_analytics.label.cases.committee.parts import Part, SeparateParts
from hermite_analytics.label.cases.committee.parts_law import PartsLaw
from hermite_analytics.label.cases.committee.products import ProductsLaw
from hermite_analytics.label.cases.committee.smooth import RULE
from hermite_analytics.label.cases.committee.spread import WIDEST, blurs, spread_of

__all__ = ["SumLaw", "laws_of_parts"]

Layers = list[Complex]

_FREQUENCIES = (160, 320)  # of the label, by level
_NOISE = 7.5  # exp(-x^2/2) is nothing there
_TAIL = 1e-8  # probability of labels outside the period
_PHASE = 20.0  # of a panel of z
_BARE = 6.0  # |z| up to which slopes are looked at
_SLOW = 0.02  # of the largest one


def laws_of_parts(parts: SeparateParts) -> tuple[PartsLaw, PartsLaw]:
    """The law at both levels, by the first method that takes the label.

    Raises
    ------
    UnsupportedExpression
        If the labels are spread out too far, or change too much beside their noise.
    """
    if not (parts.noise or parts.product or parts.largest or parts.table):
        with contextlib.suppress(UnsupportedExpression):
            return GradedSumLaw.of(parts, 0), GradedSumLaw.of(parts, 1)
    if parts.product:
        law: type[PartsLaw] = ProductsLaw
    else:
        law = LargestLaw if parts.largest else SumLaw if parts.table is None else CountsLaw
    return law.of(parts, 0), law.of(parts, 1)


@dataclass(frozen=True, slots=True, kw_only=True)
class SumLaw(PartsLaw):
    """By transforms; a label that all parts share, each in an interval where it is constant, is by itself.

    Attributes
    ----------
    k : ndarray
        Frequencies of the label.
    filters : tuple of ndarrays
        One for each scale.
    atom : float or None
        That label.
    """

    k: Array
    filters: tuple[Complex, ...]
    atom: float | None

    @classmethod
    def of(cls, parts: SeparateParts, level: int) -> SumLaw:
        flat = [p.flat for p in parts.parts]
        together = all(flat) and not parts.noise
        if together and any(len(f) > 1 for f in flat):
            raise UnsupportedExpression(
                "the parts are constant on several intervals, and the label has no noise"
            )
        if not parts.noise:
            _require_no_bare_part(parts)
        if not all(np.isfinite(p.value(np.zeros(1))).all() for p in parts.parts if p.dimension > 1):
            raise UnsupportedExpression("a part of a sum is infinite where a norm is 0")
        low, width, deviation = _range(parts)
        k = np.asarray(2 * math.pi / width * np.arange(_FREQUENCIES[level] + 1), dtype=np.float64)
        shift = np.exp(-1j * k * low)
        scales: tuple[float, ...] = (0.0,)
        if parts.noise * k[-1] < _NOISE:
            scales = blurs(width, _FREQUENCIES[level], _FREQUENCIES[1], deviation)
        filters = tuple(np.exp(-0.5 * (parts.noise**2 + s * s) * k * k) * shift for s in scales)
        atom = sum(p.count * p.flat[0][2] for p in parts.parts) if together else None
        return cls(k=k, filters=filters, atom=atom)

    @property
    def scales(self) -> int:
        return 2 if len(self.filters) > 1 else 0

    def rule(
        self, part: Part, low: float, high: float, deviation: float, speed: float
    ) -> tuple[Array, Array]:
        places = np.linspace(low, high, 2001)
        steepest = float(np.abs(np.diff(part.value(places))).max()) / (places[1] - places[0])
        fastest = float(self.k[-1]) * steepest + speed
        inner = [e for e in part.edges if low < e < high]
        return panel_rule([low, *inner, high], RULE, widest=min(_PHASE / max(fastest, 1e-300), deviation))

    def averages(self, part: Part, z: Array, weighted: Complex) -> Layers:
        waves = np.exp(1j * np.outer(self.k, part.value(z)))
        flat = weighted.reshape(len(z), -1)
        found = [np.ascontiguousarray(waves @ flat).reshape(len(self.k), *weighted.shape[1:])]
        if self.atom is not None:
            a, b, _ = part.flat[0]
            found.append(weighted[(z > a) & (z < b)].sum(0)[None])
        return found

    def masses(self, layers: Layers) -> list[Array]:
        from scipy import fft

        plain = layers[0]
        if self.atom is None:
            return [fft.irfft(np.conj(plain * f), axis=-1) for f in self.filters]
        fixed = layers[1]
        rest = plain - np.exp(1j * self.k * self.atom) * fixed
        beside = fixed.real
        return [
            np.concatenate([fft.irfft(np.conj(rest * f), axis=-1), beside], axis=-1) for f in self.filters
        ]


def _require_no_bare_part(parts: SeparateParts) -> None:
    """Where all parts but one may be constant, the label is that one: its law has to be smooth.

    Beside labels at which it stops, or turns back, a blur is not extrapolated.
    """
    moving = [p for p in parts.parts if not p.flat]
    if sum(p.count for p in moving) > 1 or (len(moving) == len(parts.parts)):
        return
    for part in moving or parts.parts:
        z = np.linspace(max(-_BARE, part.least), _BARE, 4001)
        slopes = np.abs(np.diff(part.value(z))) / (z[1] - z[0])
        middle = 0.5 * (z[1:] + z[:-1])
        inside = np.logical_or.reduce(
            [(middle > a) & (middle < b) for a, b, _ in part.flat] + [middle > np.inf]
        )
        if slopes[~inside].min() < _SLOW * slopes.max():
            raise UnsupportedExpression(
                "a part that stops or turns back is alone where the others are constant, without noise"
            )


def _range(parts: SeparateParts) -> tuple[float, float, float]:
    """(lowest label, width of the period, standard deviation) off tails of little probability."""
    found = spread_of([(*p.law(), p.count) for p in parts.parts], _TAIL)
    low, high = found.low, found.high
    spread = (high - low) / (2 * _FREQUENCIES[0]) * WIDEST if not parts.noise else parts.noise
    beside = 6.5 * spread
    return low - beside, high - low + 2 * beside, math.sqrt(found.variance + parts.noise**2)
