"""Averages of the factors of a part over z ~ N(omega, 1 - m), at many omega, by the rule of a law for z."""

from __future__ import annotations

import math
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from hermite_analytics.label.cases.committee.parts import Part
from hermite_analytics.label.cases.committee.radial import norm_moments

__all__ = ["Tables", "tables_by_rule"]

Array = NDArray[np.float64]
Complex = NDArray[np.complex128]
Tables = list[tuple[Complex, Complex]]

_REACH = 8.5


class _Ruled(Protocol):
    """A law with a rule for z, and sums of its factors over it."""

    def rule(
        self, part: Part, low: float, high: float, deviation: float, speed: float
    ) -> tuple[Array, Array]:
        """(z, weights) for the part times densities with a standard deviation and phases of a speed."""

    def averages(self, part: Part, z: Array, weighted: Complex) -> list[Complex]:
        """Sums over z of factors times columns, shape (z, ...): one array, shape (k, ...), for each layer."""


def tables_by_rule(law: _Ruled, part: Part, nodes: Array, deviation: float, frequencies: Array) -> Tables:
    """See `PartsLaw.tables`; nodes that lie side by side share a rule."""
    order = np.argsort(nodes)
    groups = min(math.ceil(np.ptp(nodes) / (_REACH * deviation)) or 1, len(nodes))
    found = [_near(law, part, nodes[some], deviation, frequencies) for some in np.array_split(order, groups)]
    back = np.argsort(order)
    return [
        (
            np.concatenate([plain for plain, _ in layer], axis=1)[:, back],
            np.concatenate([moved for _, moved in layer], axis=1)[:, back],
        )
        for layer in zip(*found, strict=True)
    ]


def _near(law: _Ruled, part: Part, nodes: Array, deviation: float, frequencies: Array) -> Tables:
    reach = (_REACH + math.sqrt(part.dimension - 1)) * deviation
    low, high = max(float(nodes.min()) - reach, part.least), float(nodes.max()) + reach
    z, weights = law.rule(part, low, high, deviation, float(np.abs(frequencies).max()) / deviation)
    if part.dimension == 1:
        x = (z[:, None] - nodes) / deviation
        density = np.exp(-0.5 * x * x) / math.sqrt(2 * math.pi) / deviation
    else:
        density, x = norm_moments(z, nodes, deviation, part.dimension)
    tilted = np.exp(1j * x[:, :, None] * frequencies) * (density * weights[:, None])[..., None]
    plain, moved = law.averages(part, z, tilted), law.averages(part, z, x[:, :, None] * tilted)
    return list(zip(plain, moved, strict=True))
