"""What the map of overlaps asks of the law of a label of separate parts.

Each coordinate has a factor. Averages of these over z ~ N(omega, 1 - m), at many omega, are taken by one rule
for z; products of averages are turned into probabilities of labels.
"""

from __future__ import annotations

import math

import numpy as np

from hermite_analytics.foundation.numpy_arrays import Array, Complex
from hermite_analytics.label.cases.committee.parts import Part, SeparateParts
from hermite_analytics.label.cases.committee.radial import norm_moments
from hermite_analytics.label.cases.committee.sum_factors import SumFactor

__all__ = ["PartsLaw", "Tables"]

Tables = list[tuple[Complex, Complex]]

_REACH = 8.5


class PartsLaw:
    """A law by factors; of those by a rule for z `rule` and `averages` are given, else `tables`."""

    __slots__ = ()

    @classmethod
    def of(cls, parts: SeparateParts, level: int) -> PartsLaw:
        """Of a label; an `UnsupportedExpression` where it is none of this kind."""
        raise NotImplementedError

    @property
    def scales(self) -> int:
        """By which the square of the scale grows from one of three to the next; 0 where there is one."""
        return 0

    @property
    def ringing(self) -> float:
        """Share of the largest density up to which another is an error, where nothing is known of sums."""
        return 0.0

    def resolving(self, deviation: float) -> PartsLaw:
        """The same for a least standard deviation of sums of coordinates with signs, one term or more."""
        return self

    def rule(
        self, part: Part, low: float, high: float, deviation: float, speed: float
    ) -> tuple[Array, Array]:
        """(z, weights) for the part times densities with a standard deviation and phases of a speed."""
        raise NotImplementedError

    def averages(self, part: Part, z: Array, weighted: Complex) -> list[Complex]:
        """Sums over z of factors times columns, shape (z, ...): one array, shape (k, ...), for each layer."""
        raise NotImplementedError

    def masses(self, layers: list[Complex]) -> list[Array]:
        """Probabilities of labels, last axis, from products over the coordinates: one for each scale."""
        raise NotImplementedError

    def tables_of_sum(self, factor: SumFactor, omega: Array, variance: Array) -> Tables:
        """Averages of (1, x) times a factor of several parts: for each layer shapes (k, n, 1), (k, n c, 1).

        Of the products of n means and c coordinates or norms these come last.
        """
        raise NotImplementedError

    def tables(self, part: Part, nodes: Array, deviation: float, frequencies: Array) -> Tables:
        """Averages of (1, x) exp(i b x) times the factors of a part, x = (z - node)/deviation ~ N(0, 1).

        For each layer two arrays, shape (k, nodes, b). Nodes that lie side by side share a rule.
        """
        order = np.argsort(nodes)
        groups = min(math.ceil(np.ptp(nodes) / (_REACH * deviation)) or 1, len(nodes))
        near = np.array_split(order, groups)
        found = [self._near(part, nodes[some], deviation, frequencies) for some in near]
        back = np.argsort(order)
        return [
            (
                np.concatenate([plain for plain, _ in layer], axis=1)[:, back],
                np.concatenate([moved for _, moved in layer], axis=1)[:, back],
            )
            for layer in zip(*found, strict=True)
        ]

    def _near(self, part: Part, nodes: Array, deviation: float, frequencies: Array) -> Tables:
        reach = (_REACH + math.sqrt(part.dimension - 1)) * deviation
        low, high = max(float(nodes.min()) - reach, part.least), float(nodes.max()) + reach
        z, weights = self.rule(part, low, high, deviation, float(np.abs(frequencies).max()) / deviation)
        if part.dimension == 1:
            x = (z[:, None] - nodes) / deviation
            density = np.exp(-0.5 * x * x) / math.sqrt(2 * math.pi) / deviation
        else:
            density, x = norm_moments(z, nodes, deviation, part.dimension)
        tilted = np.exp(1j * x[:, :, None] * frequencies) * (density * weights[:, None])[..., None]
        both = self.averages(part, z, np.stack([tilted, x[:, :, None] * tilted], axis=1))
        return [(found[:, 0], found[:, 1]) for found in both]
